package clarify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Code says what is wrong, in a word that does not change between releases.
type Code string

const (
	CodeTooLarge    Code = "too_large"    // more than MaxSize bytes
	CodeTooDeep     Code = "too_deep"     // nested more than MaxDepth levels
	CodeInvalidUTF8 Code = "invalid_utf8" // bytes that are not UTF-8
	CodeSyntax      Code = "syntax"       // not JSON
	CodeWrongType   Code = "wrong_type"   // JSON, of another type
	CodeMissing     Code = "missing"      // a required field is absent or null
	CodeBlank       Code = "blank"        // a required string is empty or only white space
	CodeTooLong     Code = "too_long"     // a string has too many code points
	CodeTooFew      Code = "too_few"      // too few prompts or options
	CodeTooMany     Code = "too_many"     // too many prompts or options
	CodeBadID       Code = "bad_id"       // an id does not match IDPattern
	CodeDuplicateID Code = "duplicate_id" // an id is taken by an earlier prompt or option
	CodeUnknownKind Code = "unknown_kind" // a kind that the contract does not have
	CodeIncomplete  Code = "incomplete"   // the envelope has Skipped: it is only part of what was asked

	// Of a reply.
	CodeUnknownID     Code = "unknown_id"     // the id of no prompt that was asked
	CodeAmbiguousID   Code = "ambiguous_id"   // two prompts, or two options, have the id
	CodeWrongKind     Code = "wrong_kind"     // another kind than the prompt's
	CodeUnknownOption Code = "unknown_option" // an option that was not offered
	CodeConflict      Code = "conflict"       // two different answers to one prompt
	CodeUnclear       Code = "unclear"        // words that are neither a yes nor a no, or not surely

	// Of [Envelope.Lint].
	CodeControl        Code = "control_character" // other than tab, LF and CR
	CodeBidi           Code = "bidi_override"     // embeds, overrides or isolates a direction
	CodeInvisible      Code = "invisible"         // blank to the eye
	CodeDuplicateLabel Code = "duplicate_label"   // of two options, as the eye sees them
	CodeSameLabels     Code = "same_labels"       // of a confirm, as the eye sees them
)

// A Violation is one problem of a call, or of an envelope made in Go.
type Violation struct {
	Path string // as a model would write it: prompts[0].options[1].id
	Code Code
	Got  string // foreign text in it is quoted, escaped and cut
	Want string
}

// String returns "path: got …, want …", one line without control characters.
func (v Violation) String() string {
	return printable(v.Path + ": got " + v.Got + ", want " + v.Want)
}

// A ValidationError has every problem at once, in this order: title, then the
// prompts by index, within one the fields in the contract's order, options by
// index.
type ValidationError struct {
	Violations []Violation
}

// Error returns one line with all violations, or as many as fit into 4,000
// bytes less the tool's "Error: ", and the count of the others.
func (e *ValidationError) Error() string {
	if e == nil || len(e.Violations) == 0 {
		return invalidPrompts + noReason
	}
	var b strings.Builder
	b.WriteString(invalidPrompts)
	for i, v := range e.Violations {
		line := v.String()
		if i > 0 {
			line = "; " + line
		}
		more := fmt.Sprintf("; and %d more", len(e.Violations)-i)
		if b.Len()+len(line)+len(more) > maxErrorResult-len(errorPrefix)-len(" ") {
			b.WriteString(more)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// ErrorResult returns what the tool returns for a call that was refused:
// "Error: invalid clarify prompts — " and why, on one line without control
// characters, at most 4,000 bytes. It never returns an envelope, whatever err
// is; nil too is an error here.
func ErrorResult(err error) string {
	var invalid *ValidationError
	if errors.As(err, &invalid) {
		return errorPrefix + " " + invalid.Error()
	}
	why := noReason
	if err != nil {
		why = printable(err.Error())
	}
	s := errorPrefix + " " + invalidPrompts + why
	if len(s) > maxErrorResult {
		s = cut(s, maxErrorResult-len("…")) + "…"
	}
	return s
}

const (
	errorPrefix    = "Error:"
	invalidPrompts = "invalid clarify prompts — "
	noReason       = "no reason given"
	maxErrorResult = 4000 // bytes
)

// ParseCall reads the arguments of a tool call strictly. It returns a valid
// envelope, as [Envelope.Result] would normalise it, or a [*ValidationError]
// with every problem of the call. It does not keep arguments.
//
// prompts may be a JSON string, as the contract has it, or the array or the
// single object itself. Nothing else is repaired. Unknown fields, and fields of
// another kind, are ignored, whatever they hold; of duplicate keys the last
// wins; keys match byte for byte.
func ParseCall(arguments []byte) (*Envelope, error) {
	if len(arguments) > MaxSize {
		return nil, refuse(keyArguments, CodeTooLarge, plural(len(arguments), "byte"), "at most "+strconv.Itoa(MaxSize))
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
	s := scanner{src: src}
	if s.peek() != '{' {
		v := s.value()
		if s.end() {
			return nil, refuse(keyArguments, CodeWrongType, v.got(), want)
		}
		return nil, &ValidationError{[]Violation{s.violation(keyArguments, want)}}
	}
	var title, prompts value
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyTitle:
			title = s.value()
		case keyPrompts:
			prompts = s.value()
		default:
			s.value()
		}
	}
	if !s.end() {
		return nil, &ValidationError{[]Violation{s.violation(keyArguments, want)}}
	}
	c := checker{arena: newArena(src)}
	e := &Envelope{Title: c.text(top, keyTitle, title, 0, MaxTitle)}
	c.argument(e, prompts)
	if err := c.err(); err != nil {
		return nil, err
	}
	return e, nil
}

// Validate reports whether e can be emitted. It judges e as Result would
// normalise it, and changes nothing. The error is a [*ValidationError].
func (e *Envelope) Validate() error {
	_, err := e.normalize()
	return err
}

func (e *Envelope) normalize() (*Envelope, error) {
	if e == nil {
		return nil, refuse(keyPrompts, CodeMissing, "a nil envelope", wantPrompts)
	}
	var c checker
	out := &Envelope{Title: c.text(top, keyTitle, given(e.Title), 0, MaxTitle)}
	if n := len(e.Skipped); n > 0 {
		c.add(top, keyPrompts, CodeIncomplete, plural(n, "skipped part"), "an envelope that was read whole")
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

// raw writes p as if it had been read, so that there is one judge for both.
func (p *Prompt) raw(raw *rawPrompt) {
	raw.count = 0
	raw.rawFields = rawFields{
		self:     value{typ: jsonObject},
		id:       given(p.ID),
		question: given(p.Question),
		hint:     given(p.Hint),
		required: givenBool(!p.Optional),
	}
	kind := string(p.Kind())
	switch in := p.Input.(type) {
	case *Choice:
		if in == nil {
			return
		}
		raw.options.typ = jsonArray
		raw.allowMultiple = givenBool(in.AllowMultiple)
		raw.count = len(in.Options)
		for i := range raw.first() {
			o := &in.Options[i]
			raw.elements[i] = rawOption{
				self:        value{typ: jsonObject},
				id:          given(o.ID),
				label:       given(o.Label),
				description: given(o.Description),
			}
		}
	case *Confirm:
		if in == nil {
			return
		}
		raw.confirmLabel = given(in.ConfirmLabel)
		raw.cancelLabel = given(in.CancelLabel)
		raw.danger = givenBool(in.Danger)
	case *Text:
		if in == nil {
			return
		}
		raw.placeholder = given(in.Placeholder)
		raw.defaultValue = given(in.DefaultValue)
		raw.multiline = givenBool(in.Multiline)
	case nil:
		return
	default: // somebody embedded the interface
		kind = fmt.Sprintf("%T", in)
	}
	raw.kind = given(kind)
}

// given is a Go string as a value: what stands in raw is what it means.
func given(s string) value { return value{raw: s, typ: jsonString, ascii: true} }

func givenBool(b bool) value {
	if b {
		return value{typ: jsonTrue}
	}
	return value{typ: jsonFalse}
}

// A checker judges the strict side and notes every problem. What it returns is
// normalised, and only to be used if there was none.
type checker struct {
	arena
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

// refuse is the error of a call that has only one problem.
func refuse(path string, code Code, got, want string) error {
	return &ValidationError{[]Violation{{Path: path, Code: code, Got: got, Want: want}}}
}

var wantPrompts = fmt.Sprintf("a JSON array of %d to %d prompts, or one prompt object", MinPrompts, MaxPrompts)

// argument judges the prompts argument and adds its prompts to e.
func (c *checker) argument(e *Envelope, prompts value) {
	src := prompts.raw
	switch prompts.typ {
	case jsonArray, jsonObject:
	case jsonString:
		var decoded arena // of its own: what is kept of it is copied if it is large
		if src = trim(decoded.text(prompts), pythonSpace); src == "" {
			c.add(top, keyPrompts, CodeBlank, prompts.got(), wantPrompts)
			return
		}
		c.arena = newArena(prompts.raw)
	case jsonAbsent, jsonNull:
		c.add(top, keyPrompts, CodeMissing, prompts.got(), wantPrompts)
		return
	default:
		c.add(top, keyPrompts, CodeWrongType, prompts.got(), wantPrompts)
		return
	}

	s := scanner{src: src}
	mark := len(c.violations)
	var raw rawPrompt
	switch s.peek() {
	case '{':
		s.prompt(&raw)
		if s.fault == "" {
			e.Prompts = []Prompt{c.prompt(0, &raw)}
		}
	case '[':
		e.Prompts = make([]Prompt, 0, MaxPrompts)
		n := 0
		for s.enter(); s.more(']'); n++ {
			if n >= MaxPrompts {
				s.value()
				continue
			}
			s.prompt(&raw)
			if s.fault == "" {
				e.Prompts = append(e.Prompts, c.prompt(n, &raw))
			}
		}
		inPrompts := slices.Clone(c.violations[mark:])
		c.violations = c.violations[:mark]
		c.count(top, keyPrompts, n, "prompt", MinPrompts, MaxPrompts)
		c.violations = append(c.violations, inPrompts...)
	default:
		v := s.value()
		if s.end() {
			c.add(top, keyPrompts, CodeWrongType, v.got()+" in a string", wantPrompts)
		}
	}
	if !s.end() {
		c.violations = append(c.violations[:mark], s.violation(keyPrompts, wantPrompts))
	}
}

var (
	wantKind    = fmt.Sprintf("%q, %q or %q", KindChoice, KindConfirm, KindText)
	wantPrompt  = fmt.Sprintf(`an object {%q: …, %q: …, %q: …}`, keyID, keyKind, keyQuestion)
	wantOption  = fmt.Sprintf(`an object {%q: …, %q: …}`, keyID, keyLabel)
	wantID      = "a string that matches " + IDPattern
	wantOptions = fmt.Sprintf("an array of %d to %d options, each %s", MinOptions, MaxOptions, wantOption)
)

func isKind(k Kind) bool { return k == KindChoice || k == KindConfirm || k == KindText }

func (c *checker) prompt(i int, raw *rawPrompt) Prompt {
	at := place{i, -1}
	if raw.self.typ != jsonObject {
		c.add(at, "", CodeWrongType, raw.self.got(), wantPrompt)
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
		if in.ConfirmLabel = c.text(at, keyConfirmLabel, raw.confirmLabel, 0, MaxLabel); in.ConfirmLabel == "" {
			in.ConfirmLabel = DefaultConfirmLabel
		}
		if in.CancelLabel = c.text(at, keyCancelLabel, raw.cancelLabel, 0, MaxLabel); in.CancelLabel == "" {
			in.CancelLabel = DefaultCancelLabel
		}
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
	switch raw.options.typ {
	case jsonArray:
	case jsonAbsent, jsonNull:
		c.add(at, keyOptions, CodeMissing, raw.options.got(), wantOptions)
		return nil
	default:
		c.add(at, keyOptions, CodeWrongType, raw.options.got(), wantOptions)
		return nil
	}
	c.count(at, keyOptions, raw.count, "option", MinOptions, MaxOptions)
	first := raw.first()
	options := make([]Option, 0, len(first))
	var ids [MaxOptions]string
	for i := range first {
		at.option = i
		o := &first[i]
		if o.self.typ != jsonObject {
			c.add(at, "", CodeWrongType, o.self.got(), wantOption)
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

// id returns the id v, or "" after noting what is wrong with it. taken has the
// ids of its elder siblings by index.
func (c *checker) id(at place, v value, taken []string) string {
	id, ok := c.word(at, keyID, v, wantID)
	if !ok {
		return ""
	}
	if !validID(id) {
		c.add(at, keyID, CodeBadID, quote(id), wantID)
		return ""
	}
	if i := slices.Index(taken, id); i >= 0 {
		elder := at
		if at.option >= 0 {
			elder.option = i
		} else {
			elder.prompt = i
		}
		c.add(at, keyID, CodeDuplicateID, quote(id)+" again, after "+elder.path(keyID), "an id of its own")
		return ""
	}
	return id
}

// kind returns the kind v, or "" after noting what is wrong with it.
func (c *checker) kind(at place, v value) Kind {
	kind, ok := c.word(at, keyKind, v, wantKind)
	if !ok {
		return ""
	}
	if !isKind(Kind(kind)) {
		c.add(at, keyKind, CodeUnknownKind, quote(kind), wantKind)
		return ""
	}
	return Kind(kind)
}

// word returns the trimmed string v of a required field.
func (c *checker) word(at place, key string, v value, want string) (string, bool) {
	switch v.typ {
	case jsonString:
		if s := trim(c.arena.text(v), anySpace); s != "" {
			return s, true
		}
		c.add(at, key, CodeBlank, v.got(), want)
	case jsonAbsent, jsonNull:
		c.add(at, key, CodeMissing, v.got(), want)
	default:
		c.add(at, key, CodeWrongType, v.got(), want)
	}
	return "", false
}

// text returns the trimmed string v of low to high code points, or "" after
// noting what is wrong with it. With a low of 0 it may be absent, null or blank.
func (c *checker) text(at place, key string, v value, low, high int) string {
	want := func() string {
		if low == 0 {
			return fmt.Sprintf("a string of at most %d characters, or none", high)
		}
		return fmt.Sprintf("a string of %d to %d characters", low, high)
	}
	switch v.typ {
	case jsonString:
	case jsonAbsent, jsonNull:
		if low > 0 {
			c.add(at, key, CodeMissing, v.got(), want())
		}
		return ""
	default:
		c.add(at, key, CodeWrongType, v.got(), want())
		return ""
	}
	s := trim(c.arena.text(v), anySpace)
	switch {
	case s == "" && low > 0:
		c.add(at, key, CodeBlank, v.got(), want())
	case len(s) > high && utf8.RuneCountInString(s) > high:
		c.add(at, key, CodeTooLong, plural(utf8.RuneCountInString(s), "character"), want())
	case !utf8.ValidString(s): // in a value made in Go
		c.add(at, key, CodeInvalidUTF8, quote(s), "UTF-8")
	default:
		return s
	}
	return ""
}

func (c *checker) flag(at place, key string, v value, byDefault bool) bool {
	switch v.typ {
	case jsonTrue:
		return true
	case jsonFalse:
		return false
	case jsonAbsent, jsonNull:
	default:
		c.add(at, key, CodeWrongType, v.got(), "true or false")
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
	c.add(at, key, code, plural(n, what), fmt.Sprintf("%d to %d", low, high))
}

// validID reports whether s matches IDPattern.
func validID(s string) bool {
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

// A place is a prompt or one of its options, by index; -1 is none.
type place struct{ prompt, option int }

var top = place{-1, -1}

// path names the field key of the place, or the place itself for "".
func (p place) path(key string) string {
	var buf [64]byte
	b := buf[:0]
	if p.prompt >= 0 {
		b = appendIndex(append(b, keyPrompts...), p.prompt)
	}
	if p.option >= 0 {
		b = appendIndex(append(b, "."+keyOptions...), p.option)
	}
	if key != "" {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, key...)
	}
	return string(b)
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// violation is the scanner's fault as a problem of the text at path.
func (s *scanner) violation(path, want string) Violation {
	at := fmt.Sprintf(" at byte %d", s.faultAt)
	if s.fault == faultDepth {
		return Violation{path, CodeTooDeep, s.fault + at, plural(MaxDepth, "level") + " at most"}
	}
	got := "invalid JSON (" + s.fault + at
	if near := s.src[s.faultAt:]; near != "" {
		got += ": " + quote(near)
	}
	return Violation{path, CodeSyntax, got + ")", want}
}

// got says what v is.
func (v value) got() string {
	switch v.typ {
	case jsonAbsent:
		return "nothing"
	case jsonString:
		var decoded arena
		return quote(decoded.text(v))
	case jsonArray:
		return "an array"
	case jsonObject:
		return "an object"
	case jsonNumber:
		if len(v.raw) > maxQuote {
			return "a number"
		}
	}
	return v.raw
}

// maxQuote is the number of bytes of foreign text in a message, before escapes.
const maxQuote = 40

// quote quotes foreign text for a message, escaped and cut.
func quote(s string) string {
	short := cut(s, maxQuote)
	q := strconv.Quote(short)
	if len(short) < len(s) {
		q += "…"
	}
	return q
}

// printable escapes what is not printable in s.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+size]
		if !strconv.IsPrint(r) || r == utf8.RuneError && size == 1 {
			char = strconv.Quote(char)
			char = char[1 : len(char)-1]
		}
		b.WriteString(char)
		i += size
	}
	return b.String()
}

// cut returns the longest prefix of s of at most n bytes that does not end
// within a code point.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
