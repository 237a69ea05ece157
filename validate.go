package clarify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// IDPattern is what the id of a prompt and of an option matches. The contract has
// it.
const IDPattern = `^[a-z][a-z0-9_.-]{0,63}$`

// isID reports whether s matches IDPattern.
func isID(s string) bool {
	if s == "" || len(s) > MaxID || s[0] < 'a' || 'z' < s[0] {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if ('a' > c || c > 'z') && ('0' > c || c > '9') && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// ParseCall reads the arguments of a tool call strictly. It returns a valid and
// normalized envelope, whose [Envelope.Result] is what the tool returns, or a
// [*ValidationError] with every problem of the call. Then the tool returns
// [ErrorResult]. ParseCall does not keep arguments.
//
// prompts may be a JSON string, as the contract says, or the array or the single
// object itself. Strings of the arguments may have control characters that are not
// escaped, because models write line breaks so; in a prompts string they are a
// problem. Nothing else is repaired. Unknown fields and fields of another
// kind are ignored. If a key is there twice, the last one wins. Keys match byte
// for byte.
func ParseCall(arguments []byte) (*Envelope, error) {
	if len(arguments) > MaxSize {
		return nil, refuse(keyArguments, CodeTooLarge, text.Plural(len(arguments), "byte"), "at most "+strconv.Itoa(MaxSize))
	}
	src := string(arguments)
	if !utf8.ValidString(src) {
		at := 0
		for r, size := rune(0), 0; r != utf8.RuneError || size > 1; at += size {
			r, size = utf8.DecodeRuneInString(src[at:])
		}
		return nil, refuse(keyArguments, CodeInvalidUTF8, fmt.Sprintf("byte 0x%02x at offset %d", src[at-1], at-1), "UTF-8")
	}
	const want = `a JSON object {"` + keyPrompts + `": …, "` + keyTitle + `": …}`
	s := jsontext.New(src)
	s.Controls = true
	if s.Peek() != '{' {
		v := s.Value()
		if s.End() {
			return nil, refuse(keyArguments, CodeWrongType, got(v), want)
		}
		return nil, &ValidationError{[]Violation{syntaxViolation(&s, keyArguments, want)}}
	}
	var title, prompts value
	for s.Enter(); s.More('}'); {
		switch s.Key() {
		case keyTitle:
			title = s.Value()
		case keyPrompts:
			prompts = s.Value()
		default:
			s.Value()
		}
	}
	if !s.End() {
		return nil, &ValidationError{[]Violation{syntaxViolation(&s, keyArguments, want)}}
	}
	c := checker{Arena: jsontext.NewArena(src)}
	e := &Envelope{Title: c.text(top, keyTitle, title, 0, MaxTitle)}
	c.argument(e, prompts)
	if err := c.err(); err != nil {
		return nil, err
	}
	return e, nil
}

// Validate reports whether e can be emitted. It returns the error of Normalized.
func (e *Envelope) Validate() error {
	_, err := e.Normalized()
	return err
}

// Normalized returns a valid copy of e as [ParseCall] would return it: strings are
// trimmed, blank optional strings are dropped, and default labels are filled in.
// So what is shown, read and compared is one value. If e is not valid, it returns
// a [*ValidationError] with every problem. An envelope with Skipped is not valid:
// half of a question is not emitted.
func (e *Envelope) Normalized() (*Envelope, error) {
	if e == nil {
		return nil, refuse(keyPrompts, CodeMissing, "a nil envelope", wantPrompts)
	}
	var c checker
	out := &Envelope{Title: c.text(top, keyTitle, jsontext.StringOf(e.Title), 0, MaxTitle)}
	if n := len(e.Skipped); n > 0 {
		c.add(top, keyPrompts, CodeIncomplete, text.Plural(n, "skipped part"), "an envelope that was read whole")
	}
	c.count(top, keyPrompts, len(e.Prompts), "prompt", MinPrompts, MaxPrompts)
	var raw rawPrompt
	for i := range min(len(e.Prompts), MaxPrompts) {
		e.Prompts[i].raw(&raw)
		out.Prompts = append(out.Prompts, c.prompt(i, &raw))
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	return out, nil
}

// raw fills in raw as if p had been read from JSON, so that both have one judge.
func (p *Prompt) raw(raw *rawPrompt) {
	in := p.input()
	raw.count = 0
	raw.rawFields = rawFields{
		rawHead: rawHead{
			self: value{Type: jsontext.Object},
			id:   jsontext.StringOf(p.ID),
			kind: jsontext.StringOf(string(in.Kind())),
		},
		question: jsontext.StringOf(p.Question),
		hint:     jsontext.StringOf(p.Hint),
		required: jsontext.BoolOf(!p.Optional),
	}
	in.raw(raw)
}

func (c *Choice) raw(raw *rawPrompt) {
	raw.options.Type = jsontext.Array
	raw.allowMultiple = jsontext.BoolOf(c.AllowMultiple)
	raw.count = len(c.Options)
	for i := range raw.first() {
		o := &c.Options[i]
		raw.elements[i] = rawOption{
			self:        value{Type: jsontext.Object},
			id:          jsontext.StringOf(o.ID),
			label:       jsontext.StringOf(o.Label),
			description: jsontext.StringOf(o.Description),
		}
	}
}

func (c *Confirm) raw(raw *rawPrompt) {
	raw.confirmLabel = jsontext.StringOf(c.ConfirmLabel)
	raw.cancelLabel = jsontext.StringOf(c.CancelLabel)
	raw.danger = jsontext.BoolOf(c.Danger)
}

func (t *Text) raw(raw *rawPrompt) {
	raw.placeholder = jsontext.StringOf(t.Placeholder)
	raw.defaultValue = jsontext.StringOf(t.DefaultValue)
	raw.multiline = jsontext.BoolOf(t.Multiline)
}

func (in noInput) raw(raw *rawPrompt) {
	switch in.got.(type) {
	case nil, *Choice, *Confirm, *Text:
		raw.kind = value{}
	default: // a type of another package that embeds an Input
		raw.kind = jsontext.StringOf(fmt.Sprintf("%T", in.got))
	}
}

// A checker is the judge of the strict side. It notes every problem. What it
// returns is normalized, and to be used only if there was no problem.
type checker struct {
	jsontext.Arena
	violations []Violation
	ids        [MaxPrompts]string // of the prompts so far, by index
}

func (c *checker) err() error {
	if len(c.violations) == 0 {
		return nil
	}
	return &ValidationError{c.violations}
}

func (c *checker) add(at place, key string, code Code, got, want string) {
	c.violations = append(c.violations, Violation{Path: at.path(key), Code: code, Got: got, Want: want})
}

// refuse returns an error with one problem.
func refuse(path string, code Code, got, want string) error {
	return &ValidationError{[]Violation{{Path: path, Code: code, Got: got, Want: want}}}
}

var wantPrompts = fmt.Sprintf("a JSON array of %d to %d prompts, or one prompt object", MinPrompts, MaxPrompts)

// argument judges the prompts argument and adds its prompts to e.
func (c *checker) argument(e *Envelope, prompts value) {
	src := prompts.Raw
	switch prompts.Type {
	case jsontext.Array, jsontext.Object:
	case jsontext.String:
		var decoded jsontext.Arena // not c.Arena: what is kept is copied out of a large string
		if src = text.Trim(decoded.Text(prompts), text.PythonSpace); src == "" {
			c.add(top, keyPrompts, CodeBlank, got(prompts), wantPrompts)
			return
		}
		c.Arena = jsontext.NewArena(prompts.Raw)
	case jsontext.Absent, jsontext.Null:
		c.add(top, keyPrompts, CodeMissing, got(prompts), wantPrompts)
		return
	default:
		c.add(top, keyPrompts, CodeWrongType, got(prompts), wantPrompts)
		return
	}

	s := jsontext.New(src)
	s.Controls = prompts.Type != jsontext.String // in the arguments themselves
	mark := len(c.violations)
	var raw rawPrompt
	switch s.Peek() {
	case '{':
		raw.read(&s)
		if !s.Failed() {
			e.Prompts = []Prompt{c.prompt(0, &raw)}
		}
	case '[':
		e.Prompts = make([]Prompt, 0, MaxPrompts)
		n := 0
		for s.Enter(); s.More(']'); n++ {
			if n >= MaxPrompts {
				s.Value()
				continue
			}
			raw.read(&s)
			if !s.Failed() {
				e.Prompts = append(e.Prompts, c.prompt(n, &raw))
			}
		}
		inPrompts := slices.Clone(c.violations[mark:])
		c.violations = c.violations[:mark]
		c.count(top, keyPrompts, n, "prompt", MinPrompts, MaxPrompts)
		c.violations = append(c.violations, inPrompts...)
	default:
		v := s.Value()
		if s.End() {
			c.add(top, keyPrompts, CodeWrongType, got(v)+" in a string", wantPrompts)
		}
	}
	if !s.End() {
		c.violations = append(c.violations[:mark], syntaxViolation(&s, keyPrompts, wantPrompts))
	}
}

var (
	wantKind    = fmt.Sprintf("%q, %q or %q", KindChoice, KindConfirm, KindText)
	wantPrompt  = fmt.Sprintf(`an object {%q: …, %q: …, %q: …}`, keyID, keyKind, keyQuestion)
	wantOption  = fmt.Sprintf(`an object {%q: …, %q: …}`, keyID, keyLabel)
	wantID      = "a string that matches " + IDPattern
	wantOptions = fmt.Sprintf("an array of %d to %d options, each %s", MinOptions, MaxOptions, wantOption)
)

func (c *checker) prompt(i int, raw *rawPrompt) Prompt {
	at := place{i, -1}
	if raw.self.Type != jsontext.Object {
		c.add(at, "", CodeWrongType, got(raw.self), wantPrompt)
		return Prompt{}
	}
	p := Prompt{ID: c.id(at, raw.id, c.ids[:i])}
	c.ids[i] = p.ID
	kind := c.kind(at, raw.kind)
	p.Question = c.text(at, keyQuestion, raw.question, 1, MaxQuestion)
	p.Hint = c.text(at, keyHint, raw.hint, 0, MaxHint)
	p.Optional = !c.flag(at, keyRequired, raw.required, true)
	switch kind {
	case KindChoice:
		in := new(Choice)
		in.Options = c.options(at, raw)
		in.AllowMultiple = c.flag(at, keyAllowMultiple, raw.allowMultiple, false)
		p.Input = in
	case KindConfirm:
		in := new(Confirm)
		in.ConfirmLabel = cmp.Or(c.text(at, keyConfirmLabel, raw.confirmLabel, 0, MaxLabel), DefaultConfirmLabel)
		in.CancelLabel = cmp.Or(c.text(at, keyCancelLabel, raw.cancelLabel, 0, MaxLabel), DefaultCancelLabel)
		in.Danger = c.flag(at, keyDanger, raw.danger, false)
		p.Input = in
	case KindText:
		in := new(Text)
		in.Placeholder = c.text(at, keyPlaceholder, raw.placeholder, 0, MaxPlaceholder)
		in.DefaultValue = c.text(at, keyDefaultValue, raw.defaultValue, 0, MaxDefaultValue)
		in.Multiline = c.flag(at, keyMultiline, raw.multiline, false)
		p.Input = in
	}
	return p
}

func (c *checker) options(at place, raw *rawPrompt) []Option {
	switch raw.options.Type {
	case jsontext.Array:
	case jsontext.Absent, jsontext.Null:
		c.add(at, keyOptions, CodeMissing, got(raw.options), wantOptions)
		return nil
	default:
		c.add(at, keyOptions, CodeWrongType, got(raw.options), wantOptions)
		return nil
	}
	c.count(at, keyOptions, raw.count, "option", MinOptions, MaxOptions)
	first := raw.first()
	options := make([]Option, 0, len(first))
	var ids [MaxOptions]string
	for i := range first {
		at.option = i
		o := &first[i]
		if o.self.Type != jsontext.Object {
			c.add(at, "", CodeWrongType, got(o.self), wantOption)
			continue
		}
		ids[i] = c.id(at, o.id, ids[:i])
		options = append(options, Option{
			ID:          ids[i],
			Label:       c.text(at, keyLabel, o.label, 1, MaxLabel),
			Description: c.text(at, keyDescription, o.description, 0, MaxDescription),
		})
	}
	return options
}

// id returns the id v, or notes a problem and returns "". taken has the ids before
// it by index.
func (c *checker) id(at place, v value, taken []string) string {
	id, ok := c.word(at, keyID, v, wantID)
	if !ok {
		return ""
	}
	if !isID(id) {
		c.add(at, keyID, CodeBadID, text.Quote(id), wantID)
		return ""
	}
	if i := slices.Index(taken, id); i >= 0 {
		elder := at
		if at.option >= 0 {
			elder.option = i
		} else {
			elder.prompt = i
		}
		c.add(at, keyID, CodeDuplicateID, text.Quote(id)+" again, after "+elder.path(keyID), "an id of its own")
		return ""
	}
	return id
}

// kind returns the kind v, or notes a problem and returns "".
func (c *checker) kind(at place, v value) Kind {
	kind, ok := c.word(at, keyKind, v, wantKind)
	if !ok {
		return ""
	}
	if !Kind(kind).isKnown() {
		c.add(at, keyKind, CodeUnknownKind, text.Quote(kind), wantKind)
		return ""
	}
	return Kind(kind)
}

// word returns the trimmed string v of a required field.
func (c *checker) word(at place, key string, v value, want string) (string, bool) {
	switch v.Type {
	case jsontext.String:
		if s := text.Trim(c.Text(v), text.AnySpace); s != "" {
			return s, true
		}
		c.add(at, key, CodeBlank, got(v), want)
	case jsontext.Absent, jsontext.Null:
		c.add(at, key, CodeMissing, got(v), want)
	default:
		c.add(at, key, CodeWrongType, got(v), want)
	}
	return "", false
}

// text returns the trimmed string v of low to high code points, or notes a problem
// and returns "". If low is 0, v may be absent, null or blank.
func (c *checker) text(at place, key string, v value, low, high int) string {
	want := func() string {
		if low == 0 {
			return fmt.Sprintf("a string of at most %d characters, or none", high)
		}
		return fmt.Sprintf("a string of %d to %d characters", low, high)
	}
	switch v.Type {
	case jsontext.String:
	case jsontext.Absent, jsontext.Null:
		if low > 0 {
			c.add(at, key, CodeMissing, got(v), want())
		}
		return ""
	default:
		c.add(at, key, CodeWrongType, got(v), want())
		return ""
	}
	s := text.Trim(c.Text(v), text.AnySpace)
	switch {
	case s == "" && low > 0:
		c.add(at, key, CodeBlank, got(v), want())
	case len(s) > high && utf8.RuneCountInString(s) > high:
		c.add(at, key, CodeTooLong, text.Plural(utf8.RuneCountInString(s), "character"), want())
	case !utf8.ValidString(s): // in a value made in Go
		c.add(at, key, CodeInvalidUTF8, text.Quote(s), "UTF-8")
	default:
		return s
	}
	return ""
}

func (c *checker) flag(at place, key string, v value, byDefault bool) bool {
	switch v.Type {
	case jsontext.True:
		return true
	case jsontext.False:
		return false
	case jsontext.Absent, jsontext.Null:
	default:
		c.add(at, key, CodeWrongType, got(v), "true or false")
	}
	return byDefault
}

func (c *checker) count(at place, key string, n int, what string, low, high int) {
	code := CodeTooFew
	switch {
	case n > high:
		code = CodeTooMany
	case n >= low:
		return
	}
	c.add(at, key, code, text.Plural(n, what), fmt.Sprintf("%d to %d", low, high))
}

// syntaxViolation returns the scanner's fault as a problem of the text at path.
func syntaxViolation(s *jsontext.Scanner, path, want string) Violation {
	why, offset := s.Fault()
	at := fmt.Sprintf(" at byte %d", offset)
	if why == jsontext.FaultDepth {
		return Violation{path, CodeTooDeep, why + at, text.Plural(MaxDepth, "level") + " at most"}
	}
	found := "invalid JSON (" + why + at
	if near := s.Source()[offset:]; near != "" {
		found += ": " + text.Quote(near)
	}
	return Violation{path, CodeSyntax, found + ")", want}
}

// got says what v is.
func got(v value) string {
	switch v.Type {
	case jsontext.Absent:
		return "nothing"
	case jsontext.String:
		var decoded jsontext.Arena
		return text.Quote(decoded.Text(v))
	case jsontext.Array:
		return "an array"
	case jsontext.Object:
		return "an object"
	case jsontext.Number:
		if len(v.Raw) > text.MaxQuote {
			return "a number"
		}
	}
	return v.Raw
}
