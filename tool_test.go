package clarify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// object returns a JSON object of the members key, value, key, value.
func object(members ...any) *conformance.Value { return conformance.Object(members...) }

// Patterns for a character that is white space to no side, and that JavaScript's trim keeps. They name
// every character, because \s means different things to different validators.
const (
	notBlank       = "[^\\t-\\r\\x1c-\\x20\u0085\u00a0" + wideSpace + "]"
	notScriptBlank = "[^\\t-\\r\\x20\u00a0" + wideSpace + "]"
	wideSpace      = "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)

const draft = "https://json-schema.org/draft/2020-12/schema"

// schemaParts makes the parts of arguments.json and envelope.json. null means absent in the arguments,
// and is not in an envelope.
type schemaParts struct{ null bool }

func (s schemaParts) typed(name string) any {
	if s.null {
		return []string{name, "null"}
	}
	return name
}

func (s schemaParts) optionalString(high int) *conformance.Value {
	return object("type", s.typed("string"), "maxLength", high)
}

func (s schemaParts) flag(byDefault bool) *conformance.Value {
	return object("type", s.typed("boolean"), "default", byDefault)
}

func (s schemaParts) label(byDefault string) *conformance.Value {
	return s.optionalString(clarify.MaxLabel).With("default", byDefault)
}

func requiredString(high int) *conformance.Value {
	return object("type", "string", "pattern", notBlank, "maxLength", high)
}

func idString() *conformance.Value { return object("type", "string", "pattern", clarify.IDPattern) }

// defs returns the prompt and the option. Of a prompt the shared fields are checked and those of its
// kind; those of another kind are ignored.
func (s schemaParts) defs() *conformance.Value {
	ofKind := func(kind clarify.Kind, then *conformance.Value, properties ...any) *conformance.Value {
		is := object("required", []string{"kind"}, "properties", object("kind", object("const", kind)))
		return object("if", is, "then", then.With("properties", object(properties...)))
	}
	return object(
		"prompt", object(
			"type", "object",
			"required", []string{"id", "kind", "question"},
			"properties", object(
				"id", idString(),
				"kind", object("enum", kinds),
				"question", requiredString(clarify.MaxQuestion),
				"hint", s.optionalString(clarify.MaxHint),
				"required", s.flag(true)),
			"allOf", conformance.Array(
				ofKind(clarify.KindChoice, object("required", []string{"options"}),
					"options", object("type", "array", "minItems", clarify.MinOptions, "maxItems", clarify.MaxOptions, "items", object("$ref", "#/$defs/option")),
					"allowMultiple", s.flag(false)),
				ofKind(clarify.KindConfirm, object(),
					"confirmLabel", s.label(clarify.DefaultConfirmLabel),
					"cancelLabel", s.label(clarify.DefaultCancelLabel),
					"danger", s.flag(false)),
				ofKind(clarify.KindText, object(),
					"placeholder", s.optionalString(clarify.MaxPlaceholder),
					"defaultValue", s.optionalString(clarify.MaxDefaultValue),
					"multiline", s.flag(false)))),
		"option", object(
			"type", "object",
			"required", []string{"id", "label"},
			"properties", object(
				"id", idString(),
				"label", requiredString(clarify.MaxLabel),
				"description", s.optionalString(clarify.MaxDescription))))
}

var kinds = []clarify.Kind{clarify.KindChoice, clarify.KindConfirm, clarify.KindText}

func promptsArray() *conformance.Value {
	return object("type", "array", "minItems", clarify.MinPrompts, "maxItems", clarify.MaxPrompts, "items", object("$ref", "#/$defs/prompt"))
}

func argumentsSchema() *conformance.Value {
	s := schemaParts{null: true}
	one := object("$ref", "#/$defs/prompt")
	inString := object("type", "string", "pattern", notBlank, "contentMediaType", "application/json",
		"contentSchema", object("anyOf", conformance.Array(promptsArray(), one)))
	return object(
		"$schema", draft,
		"title", "Arguments of the "+clarify.ToolName+" tool ("+clarify.Protocol+")",
		"type", "object",
		"required", []string{"prompts"},
		"properties", object(
			"title", s.optionalString(clarify.MaxTitle),
			"prompts", object("anyOf", conformance.Array(inString, promptsArray(), one))),
		"$defs", s.defs())
}

func envelopeSchema() *conformance.Value {
	var s schemaParts
	return object(
		"$schema", draft,
		"title", "Envelope of "+clarify.Protocol,
		"type", "object",
		"required", []string{"protocol", "prompts"},
		"properties", object(
			"protocol", object("const", clarify.Protocol),
			"title", s.optionalString(clarify.MaxTitle),
			"prompts", promptsArray()),
		"$defs", s.defs())
}

func answersSchema() *conformance.Value {
	answer := func(kind clarify.Kind, key string, payload *conformance.Value) *conformance.Value {
		return object("required", []string{key}, "properties", object("kind", object("const", kind), key, payload))
	}
	text := object("type", "string", "pattern", notScriptBlank)
	return object(
		"$schema", draft,
		"title", "Answers of "+clarify.Protocol,
		"type", "object",
		"required", []string{"protocol", "answers"},
		"properties", object(
			"protocol", object("const", clarify.Protocol),
			"answers", object("type", "array", "minItems", 1, "items", object(
				"type", "object",
				"required", []string{"id", "kind"},
				"properties", object("id", text),
				"oneOf", conformance.Array(
					answer(clarify.KindChoice, "values", object("type", "array", "items", text)),
					answer(clarify.KindConfirm, "confirmed", object("type", "boolean")),
					answer(clarify.KindText, "value", object("type", "string")))))))
}

// toolSchema is for a model: it is plain, and has the limits in words.
func toolSchema(form clarify.ToolForm) *conformance.Value {
	of := func(typ, format string, args ...any) *conformance.Value {
		return object("type", typ, "description", fmt.Sprintf(format, args...))
	}
	title := of("string", "Optional heading of the form, at most %d characters.", clarify.MaxTitle)
	if form == clarify.StringPrompts {
		return object("type", "object", "properties", object("prompts", of("string", "%s", promptsInWords()), "title", title), "required", []string{"prompts"})
	}
	// fields makes the schema of an object, whose first n properties are required.
	fields := func(n int, properties ...any) *conformance.Value {
		required := conformance.Array()
		for i := 0; i < len(properties); i += 2 {
			if p := properties[i+1].(*conformance.Value); i >= 2*n && form == clarify.StrictPrompts {
				p.Set("type", []any{p.Get("type"), "null"})
			}
			if i < 2*n || form == clarify.StrictPrompts {
				required.Append("", properties[i])
			}
		}
		o := object("type", "object", "properties", object(properties...), "required", required)
		if form == clarify.StrictPrompts {
			o.With("additionalProperties", false)
		}
		return o
	}
	const id = "starts with a lower-case letter, then lower-case letters, digits, '_', '.' or '-', at most %d characters"
	option := fields(2,
		"id", of("string", "What you get back if it is chosen: "+id+"; unique in the prompt.", clarify.MaxID),
		"label", of("string", "What the user reads, 1 to %d characters.", clarify.MaxLabel),
		"description", of("string", "Optional detail below the label, at most %d characters.", clarify.MaxDescription))
	prompt := fields(3,
		"id", of("string", "Names the answer: "+id+"; unique in the call.", clarify.MaxID),
		"kind", of("string", "%q: pick one of the options, or several; %q: yes or no, before anything destructive; %q: free text.", clarify.KindChoice, clarify.KindConfirm, clarify.KindText).With("enum", kinds),
		"question", of("string", "The question, 1 to %d characters; for a confirm: what will happen.", clarify.MaxQuestion),
		"hint", of("string", "Optional help below the question, at most %d characters.", clarify.MaxHint),
		"required", of("boolean", "Whether the user has to answer; true unless given."),
		"options", of("array", "For %q only, and needed there: %d to %d options.", clarify.KindChoice, clarify.MinOptions, clarify.MaxOptions).With("items", option),
		"allowMultiple", of("boolean", "For %q only: whether several options may be picked; false unless given.", clarify.KindChoice),
		"confirmLabel", of("string", "For %q only: the button that confirms, at most %d characters; %q unless given.", clarify.KindConfirm, clarify.MaxLabel, clarify.DefaultConfirmLabel),
		"cancelLabel", of("string", "For %q only: the button that cancels, at most %d characters; %q unless given.", clarify.KindConfirm, clarify.MaxLabel, clarify.DefaultCancelLabel),
		"danger", of("boolean", "For %q only: true for deletes and what cannot be undone; false unless given.", clarify.KindConfirm),
		"placeholder", of("string", "For %q only: a grey example in the empty field, at most %d characters.", clarify.KindText, clarify.MaxPlaceholder),
		"defaultValue", of("string", "For %q only: what the field is filled with, at most %d characters; never an answer by itself.", clarify.KindText, clarify.MaxDefaultValue),
		"multiline", of("boolean", "For %q only: a field of several lines; false unless given.", clarify.KindText))
	return fields(1,
		"prompts", of("array", "The questions, %d to %d of them, in the order in which they are shown.", clarify.MinPrompts, clarify.MaxPrompts).With("items", prompt),
		"title", title)
}

// promptsInWords describes the contract's form, a JSON string.
func promptsInWords() string {
	return fmt.Sprintf("A JSON array of %d to %d prompts, as a string. "+
		"Each prompt is an object with: id (a lower-case letter, then lower-case letters, digits, '_', '.' or '-', at most %d characters, unique), ",
		clarify.MinPrompts, clarify.MaxPrompts, clarify.MaxID) +
		fmt.Sprintf("kind (%q, %q or %q), question (1 to %d characters), optionally hint (at most %d characters) and required (boolean, true unless given). ",
			clarify.KindChoice, clarify.KindConfirm, clarify.KindText, clarify.MaxQuestion, clarify.MaxHint) +
		fmt.Sprintf("A %s also has options: %d to %d objects with id, label (1 to %d characters) and optionally description (at most %d characters); allowMultiple: true lets the user pick several. ",
			clarify.KindChoice, clarify.MinOptions, clarify.MaxOptions, clarify.MaxLabel, clarify.MaxDescription) +
		fmt.Sprintf("A %s may have confirmLabel and cancelLabel (at most %d characters each) and danger: true for deletes and what cannot be undone. ", clarify.KindConfirm, clarify.MaxLabel) +
		fmt.Sprintf("A %s may have placeholder (at most %d characters), defaultValue (at most %d characters) and multiline: true.", clarify.KindText, clarify.MaxPlaceholder, clarify.MaxDefaultValue)
}

// TestSchemas compares schema/*.json, and the exported copies, with what the constants make of them.
func TestSchemas(t *testing.T) {
	schemas := map[string]struct {
		want     *conformance.Value
		exported []byte
	}{
		"arguments":   {argumentsSchema(), clarify.ArgumentsSchema()},
		"envelope":    {envelopeSchema(), clarify.EnvelopeSchema()},
		"answers":     {answersSchema(), clarify.AnswersSchema()},
		"tool-string": {toolSchema(clarify.StringPrompts), clarify.ToolSchema(clarify.StringPrompts)},
		"tool-typed":  {toolSchema(clarify.TypedPrompts), clarify.ToolSchema(clarify.TypedPrompts)},
		"tool-strict": {toolSchema(clarify.StrictPrompts), clarify.ToolSchema(clarify.StrictPrompts)},
	}
	for name, schema := range schemas {
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, []byte(schema.want.Compact()), "", "  "))
		var want strings.Builder // in ASCII, so that the white space in a pattern can be seen
		for _, r := range indented.String() {
			if r < utf8.RuneSelf {
				want.WriteRune(r)
			} else {
				fmt.Fprintf(&want, `\u%04x`, r)
			}
		}
		golden(t, "schema/"+name+".json", want.String()+"\n")
		if !*update { // what is embedded is what was there before
			assert.Equal(t, want.String(), string(schema.exported))
		}
	}
	files, err := filepath.Glob("schema/*.json")
	require.NoError(t, err)
	assert.Len(t, files, len(schemas))
}

// TestBlankPatterns: the patterns know the same white space as the code.
func TestBlankPatterns(t *testing.T) {
	t.Parallel()
	for pattern, isBlank := range map[string]func(s string) bool{
		notBlank: func(s string) bool {
			return (&clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: s, Input: &clarify.Text{}}}}).Validate() != nil
		},
		notScriptBlank: func(s string) bool {
			_, err := clarify.Option{ID: "a", Label: s}.MarshalJSON()
			return err != nil
		},
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		require.NoError(t, err)
		require.Equal(t, syntax.OpCharClass, re.Op)
		ranges := re.Rune // first and last of each
		for r := range rune(unicode.MaxRune + 1) {
			if len(ranges) > 0 && r > ranges[1] {
				ranges = ranges[2:]
			}
			visible := len(ranges) > 0 && r >= ranges[0]
			if utf8.ValidRune(r) && visible == isBlank(string(r)) {
				t.Errorf("%q: %U is white space: %v", pattern, r, visible)
			}
		}
	}
}

// TestToolSchemasArePortable: the schemas for models have nothing that a provider is known to refuse.
func TestToolSchemasArePortable(t *testing.T) {
	for form, schemas := range map[clarify.ToolForm]int{clarify.StringPrompts: 3, clarify.TypedPrompts: 21, clarify.StrictPrompts: 21} {
		var root any
		require.NoError(t, json.Unmarshal(clarify.ToolSchema(form), &root))
		objects := 0
		var walk func(path string, v any)
		walk = func(path string, v any) {
			path = fmt.Sprintf("form %d: %s", form, path)
			o := v.(map[string]any)
			objects++
			for _, refused := range []string{"$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf", "const", "if"} {
				assert.NotContains(t, o, refused, path)
			}
			types, isList := o["type"].([]any)
			assert.False(t, isList && form != clarify.StrictPrompts, path)
			name, _ := o["type"].(string)
			if isList {
				name, _ = types[0].(string)
			}
			if strings.Contains("array boolean string", name) {
				assert.NotEmpty(t, o["description"], path)
			}
			items, has := o["items"]
			assert.Equal(t, name == "array", has, path)
			if has {
				walk(path+"[]", items)
			}
			properties, has := o["properties"].(map[string]any)
			assert.Equal(t, name == "object", has, path)
			if form == clarify.StrictPrompts && has {
				assert.Equal(t, false, o["additionalProperties"], path)
				assert.Len(t, o["required"], len(properties), path)
			}
			for key, p := range properties {
				walk(path+"."+key, p)
			}
		}
		walk("", root)
		assert.Equal(t, schemas, objects, "form %d", form)
	}
}

// TestToolSchemaOfAnUnknownForm: an unknown form is the contract's.
func TestToolSchemaOfAnUnknownForm(t *testing.T) {
	for _, form := range []clarify.ToolForm{clarify.StrictPrompts + 1, 99, 255} {
		assert.Equal(t, string(clarify.ToolSchema(clarify.StringPrompts)), string(clarify.ToolSchema(form)), "form %d", form)
	}
}

// TestToolDescription: the model reads when and how to ask, what to do then, and what an answer means.
// Whole statements are compared, because a part of one can say the opposite.
func TestToolDescription(t *testing.T) {
	got := clarify.ToolDescription()
	for _, statement := range []string{
		"Ask the user instead of guessing.",
		`always before anything destructive or irreversible: then with a "confirm" prompt and danger set to true.`,
		"Do not use it for what you can look up with another tool, for what the user has said already, or for small talk.",
		fmt.Sprintf("Put everything you need to know into one call, %d to %d prompts, rather than asking again and again.", clarify.MinPrompts, clarify.MaxPrompts),
		"Offer the real options: never a made-up id.",
		"Write questions and labels in the user's language.",
		"Use another id for another question.",
		"Never ask for secrets: passwords, keys, tokens, card numbers, PINs.",
		"After a successful call stop: change nothing in this turn, say in one short sentence that you need an answer, and wait.",
		"The answer comes with the user's next message. No answer, an unclear one or a cancel is not a yes.",
		`If the result starts with "Error:", nothing was shown: fix every problem it names and call again.`,
	} {
		assert.Contains(t, got, statement)
	}
	assert.LessOrEqual(t, len(got), 1024, "the shortest limit of a provider")
}

func TestErrorResult(t *testing.T) {
	check := func(err error) string {
		t.Helper()
		text := clarify.ErrorResult(err)
		assert.NoError(t, conformance.CheckErrorText(text))
		return strings.TrimPrefix(text, conformance.ErrorTextStart)
	}
	_, invalid := clarify.ParseCall([]byte(`{"title":5}`))
	const problems = "title: got 5, want a string of at most 120 characters, or none; prompts: got nothing, want a JSON array of 1 to 5 prompts, or one prompt object"
	for _, test := range []struct {
		err  error
		want string
	}{
		{invalid, problems},
		{fmt.Errorf("clarify call: %w", invalid), problems},
		{errors.Join(io.EOF, invalid), problems},
		{nil, "no reason given"},
		{io.ErrUnexpectedEOF, "unexpected EOF"},
		{clarify.ErrNotEnvelope, "clarify: not an envelope"},
		{errors.New("a \"b\"\n\x1B[31m\u202E é 好 \\ \xFF"), `a "b"\n\x1b[31m\u202e é 好 \ \xff`},
		{errors.New(textOutput), textOutput},
	} {
		assert.Equal(t, test.want, check(test.err))
	}
	for n := 3900; n < 4100; n++ {
		whole := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		most := 4000 - len(conformance.ErrorTextStart)
		text := check(errors.New(whole))
		if cut, isCut := strings.CutSuffix(text, "…"); len(whole) > most {
			assert.True(t, isCut && strings.HasPrefix(whole, cut) && len(text) >= most-2, text)
		} else {
			assert.Equal(t, whole, text)
		}
	}
	// An error without a reason is still a refusal.
	for _, err := range []error{(*clarify.ValidationError)(nil), &clarify.ValidationError{}, fmt.Errorf("a: %w", (*clarify.ValidationError)(nil)), (*clarify.EmptyError)(nil)} {
		check(err)
	}
}
