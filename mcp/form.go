package clarifymcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The revisions of MCP that changed something for forms.
const (
	revisionTitles = "2025-11-25" // options with titles, multiple choice, defaults of texts
	revisionRounds = "2026-07-28" // the client calls again with the answer
)

// maxText is the longest answer to a text, in code points. Each takes at most 6
// bytes when it is escaped, so the answers of a full envelope fit into a message.
const maxText = clarify.MaxSize / (8 * clarify.MaxPrompts)

// fields are the properties of a form, in the order in which they are shown.
type fields []field

type field struct {
	name string

	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	OneOf       []option `json:"oneOf,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	EnumNames   []string `json:"enumNames,omitempty"`
	Items       *items   `json:"items,omitempty"`
	MinItems    int      `json:"minItems,omitempty"`
	MinLength   int      `json:"minLength,omitempty"`
	MaxLength   int      `json:"maxLength,omitempty"`
	Default     string   `json:"default,omitempty"`
}

type items struct {
	AnyOf []option `json:"anyOf"`
}

type option struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// MarshalJSON writes an object. A map would lose the order.
func (f fields) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i := range f {
		value, err := json.Marshal(&f[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%s", f[i].name, value) // an id needs no escapes
	}
	return append(b, '}'), nil
}

type formSchema struct {
	Type       string   `json:"type"`
	Properties fields   `json:"properties"`
	Required   []string `json:"required,omitempty"`
}

// A form maps an envelope to the fields of a client's form, and the content of
// the form back to answers.
type form struct {
	envelope *clarify.Envelope // valid and normalised
	revision string            // the one that the client speaks
}

// params returns the request to show the form.
func (f form) params() *mcp.ElicitParams {
	schema := formSchema{Type: "object"}
	for i := range f.envelope.Prompts {
		p := &f.envelope.Prompts[i]
		if f.isSplit(p) {
			schema.Properties = append(schema.Properties, splitFields(p)...)
			continue
		}
		schema.Properties = append(schema.Properties, f.field(p))
		if !p.Optional {
			schema.Required = append(schema.Required, p.ID)
		}
	}
	return &mcp.ElicitParams{Mode: "form", Message: f.message(), RequestedSchema: schema}
}

// message returns the text above the fields.
func (f form) message() string {
	switch e := f.envelope; {
	case e.Title != "":
		return shown(e.Title)
	case len(e.Prompts) == 1:
		return shown(e.Prompts[0].Question)
	}
	return "Please answer these questions."
}

func (f form) field(p *clarify.Prompt) field {
	out := field{name: p.ID, Title: shown(p.Question)}
	description := []string{p.Hint}
	switch in := p.Input.(type) {
	case *clarify.Choice:
		switch {
		case in.AllowMultiple:
			out.Type = "array"
			out.Items = &items{AnyOf: options(in)}
			if !p.Optional {
				out.MinItems = 1
			}
		case f.revision < revisionTitles:
			out.Type = "string"
			for _, o := range options(in) {
				out.Enum = append(out.Enum, o.Const)
				out.EnumNames = append(out.EnumNames, o.Title)
			}
		default:
			out.Type = "string"
			out.OneOf = options(in)
		}
	case *clarify.Confirm:
		out.Type = "boolean"
		if in.Danger {
			description = slices.Insert(description, 0, "Warning: destructive.")
		}
		description = append(description, fmt.Sprintf("Yes is “%s”, no is “%s”.", in.ConfirmLabel, in.CancelLabel))
	case *clarify.Text:
		out.Type = "string"
		out.MaxLength = maxText
		if !p.Optional {
			out.MinLength = 1
		}
		if in.Placeholder != "" {
			description = append(description, fmt.Sprintf("For example “%s”.", in.Placeholder))
		}
		switch value := in.DefaultValue; {
		case value == "":
		case !p.Optional && f.revision >= revisionTitles && shown(value) == value:
			out.Default = value
		default:
			description = append(description, fmt.Sprintf("Suggested: “%s”.", value))
		}
	}
	out.Description = shown(join(description))
	return out
}

func join(sentences []string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

func options(c *clarify.Choice) []option {
	list := make([]option, len(c.Options))
	for i, o := range c.Options {
		list[i] = option{Const: o.ID, Title: optionTitle(o)}
	}
	return list
}

func optionTitle(o clarify.Option) string {
	if o.Description == "" {
		return shown(o.Label)
	}
	return shown(o.Label + " — " + o.Description)
}

// isSplit reports whether each option of the prompt is a field of its own.
func (f form) isSplit(p *clarify.Prompt) bool {
	c, ok := p.Input.(*clarify.Choice)
	return ok && c.AllowMultiple && f.revision < revisionTitles
}

func splitFields(p *clarify.Prompt) (list fields) {
	for _, o := range p.Input.(*clarify.Choice).Options {
		list = append(list, field{
			name:        splitName(p, o),
			Type:        "boolean",
			Title:       optionTitle(o),
			Description: shown(join([]string{p.Question, p.Hint})),
		})
	}
	return list
}

// splitName is never the id of a prompt, because an id has no colon.
func splitName(p *clarify.Prompt, o clarify.Option) string { return p.ID + ":" + o.ID }

// shown replaces the characters that could disguise text on a screen or control
// a terminal.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// An entry is one answer before the library has judged it. Its value is whatever
// the client sent.
type entry struct {
	ID        string       `json:"id"`
	Kind      clarify.Kind `json:"kind,omitempty"`
	Values    any          `json:"values,omitempty"`
	Confirmed any          `json:"confirmed,omitempty"`
	Value     any          `json:"value,omitempty"`
}

// read makes answers of what the client sent, and reads them.
func (f form) read(content map[string]any) (*clarify.Reply, error) {
	entries := []entry{}
	content = maps.Clone(content)
	take := func(name string) (value any, given bool) {
		value = content[name]
		delete(content, name)
		switch v := value.(type) {
		case nil:
			return nil, false
		case string:
			return v, v != ""
		case []any:
			return v, len(v) > 0
		}
		return value, true
	}
	for i := range f.envelope.Prompts {
		p := &f.envelope.Prompts[i]
		out := entry{ID: p.ID, Kind: p.Kind()}
		if f.isSplit(p) {
			var values []any
			for _, o := range p.Input.(*clarify.Choice).Options {
				value, given := take(splitName(p, o))
				switch {
				case !given, value == false:
				case value == true:
					values = append(values, o.ID)
				default:
					values = append(values, []any{value}) // never an option
				}
			}
			if values != nil {
				out.Values = values
				entries = append(entries, out)
			}
			continue
		}
		value, given := take(p.ID)
		if !given {
			continue
		}
		switch in := p.Input.(type) {
		case *clarify.Choice:
			if out.Values = value; !in.AllowMultiple {
				out.Values = []any{value}
			}
		case *clarify.Confirm:
			out.Confirmed = value
		case *clarify.Text:
			out.Value = value
		}
		entries = append(entries, out)
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		entries = append(entries, entry{ID: name}) // not in the form
	}
	message, err := json.Marshal(struct {
		Protocol string  `json:"protocol"`
		Answers  []entry `json:"answers"`
	}{clarify.Protocol, entries})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrResponse, err)
	}
	if n := len(message); n > clarify.MaxSize {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrResponse, n, clarify.MaxSize)
	}
	return f.envelope.Read(string(message)), nil
}
