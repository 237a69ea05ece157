package clarify

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotEnvelope is returned for a text that is not an envelope. The errors
// that say why, where that is worth knowing, are all ErrNotEnvelope too.
var ErrNotEnvelope = errors.New("clarify: not an envelope")

// Why a text is not an envelope. A text that has nothing to do with the
// protocol is just [ErrNotEnvelope].
var (
	// ErrToolFailed: the tool refused the call ("Error:") or broke.
	ErrToolFailed = fmt.Errorf("%w: the tool failed", ErrNotEnvelope)
	// ErrMalformed: what starts as an object, but is cut or is not JSON, and
	// in which the protocol's id stands, unescaped but for the slash. A
	// question may have been lost.
	ErrMalformed = fmt.Errorf("%w: malformed or cut JSON", ErrNotEnvelope)
	// ErrVersion: another version of the protocol.
	ErrVersion = fmt.Errorf("%w: another version of the protocol", ErrNotEnvelope)
	// ErrNothingToShow: an envelope without a usable prompt. The error is an
	// [*EmptyError].
	ErrNothingToShow = fmt.Errorf("%w: no usable prompt", ErrNotEnvelope)
)

// An EmptyError is [ErrNothingToShow] and tells what was left out.
type EmptyError struct {
	Skipped []Skipped
}

func (e *EmptyError) Error() string {
	if e == nil || len(e.Skipped) == 0 {
		return ErrNothingToShow.Error()
	}
	more := ""
	if n := len(e.Skipped) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%v (%v%s)", ErrNothingToShow, e.Skipped[0], more)
}

func (e *EmptyError) Unwrap() error { return ErrNothingToShow }

// Skipped is one thing that the lenient side left out or replaced.
type Skipped struct {
	Part Part   // what is missing now
	Path string // where the fault was found: prompts[1].kind
	Code Code   // the fault
}

// A Part is what a [Skipped] has left out.
type Part string

const (
	PartPrompt Part = "prompt" // the whole prompt
	PartOption Part = "option" // one option of a choice
	PartField  Part = "field"  // a field: it is absent or its default now
	PartAnswer Part = "answer" // the whole answer
	PartValue  Part = "value"  // one value of a choice's answer
)

// maxNotes is the number of entries of Skipped, and of violations of a reply,
// that are kept: a text of MaxSize can have half a million. One is enough to
// know that something is missing, and not to proceed.
const maxNotes = 1000

func (s Skipped) String() string {
	return fmt.Sprintf("%s skipped: %s: %s", s.Part, s.Path, s.Code)
}

// IsTool reports whether name is the name of the clarify tool. White space
// around it and case do not count.
func IsTool(name string) bool { return strings.EqualFold(trim(name, scriptSpace), ToolName) }

// Parse reads what a tool returned the way the Console does: good prompts live,
// whatever stands beside them. It returns either an envelope that can be shown
// or an error that is [ErrNotEnvelope].
//
// output is trimmed as JavaScript's trim does. It is not an envelope if it is
// blank, starts with "Error:", has more than [MaxSize] bytes, is not one valid
// JSON object nested at most [MaxDepth] levels deep, has another protocol than
// exactly [Protocol], or has no prompts array.
//
// A prompt is left out if it is not an object, its kind is unknown, its id,
// kind or question is blank or not a string, or it is a choice with fewer than
// [MinOptions] usable options; an option if it is not an object or its id or
// label is blank or not a string. Strings are trimmed, except the default
// value; an optional one that is blank or not a string is absent. A flag that
// is not a boolean is its default. There are no upper limits, and ids may be
// anything and may repeat. [Envelope.Skipped] tells what was left out or
// replaced; null and blank for an optional field are no fault.
func Parse(output string) (*Envelope, error) {
	r, err := readOutput(output)
	if err != nil {
		return nil, err
	}
	e := new(Envelope)
	var protocol, title, prompts value
	for r.enter(); r.more('}'); {
		switch r.key() {
		case keyProtocol:
			protocol = r.value()
		case keyTitle:
			title = r.value()
		case keyPrompts:
			e.Prompts, r.skipped = nil, r.skipped[:0] // the last one wins, whole
			if r.peek() == '[' {
				prompts.typ = jsonArray
				e.Prompts = r.prompts()
			} else {
				prompts = r.value()
			}
		default:
			r.value()
		}
	}
	switch {
	case !r.end():
		return nil, r.refusal()
	case protocol.typ != jsonString:
		return nil, ErrNotEnvelope
	}
	switch name := r.text(protocol); {
	case name != Protocol && strings.HasPrefix(name, protocolFamily):
		return nil, ErrVersion
	case name != Protocol || prompts.typ != jsonArray:
		return nil, ErrNotEnvelope
	}
	inPrompts := r.skipped
	r.skipped = nil
	e.Title = r.optional(top, keyTitle, title)
	e.Skipped = append(r.skipped, inPrompts[:min(len(inPrompts), maxNotes-len(r.skipped))]...)
	if len(e.Prompts) == 0 {
		return nil, &EmptyError{Skipped: e.Skipped}
	}
	return e, nil
}

// A reader reads the lenient side.
type reader struct {
	scanner
	arena
	skipped []Skipped
}

// newReader returns a reader of one JSON text, within the bound on size.
func newReader(text string) (*reader, error) {
	if len(text) > MaxSize {
		return nil, errors.New("clarify: " + tooLarge(len(text)))
	}
	return &reader{scanner: scanner{src: text}, arena: newArena(text)}, nil
}

// readOutput is the cheap part of Parse: it refuses what cannot be an envelope
// without looking at its structure and without allocating.
func readOutput(output string) (reader, error) {
	text := trim(output, scriptSpace)
	switch {
	case strings.HasPrefix(text, errorPrefix):
		return reader{}, ErrToolFailed
	case len(output) > MaxSize || text == "" || text[0] != '{' || !mayNameProtocol(text):
		return reader{}, ErrNotEnvelope
	}
	return reader{scanner: scanner{src: text}, arena: newArena(output)}, nil
}

// refusal says what a text that is not JSON is.
func (r *reader) refusal() error {
	if strings.Contains(r.src, Protocol) || strings.Contains(r.src, strings.ReplaceAll(Protocol, "/", `\/`)) {
		return ErrMalformed
	}
	return ErrNotEnvelope
}

// mayNameProtocol reports whether a string of the protocol's family can stand
// in a JSON text: literally, or with one of its characters escaped. It may err
// on the side of yes. Both searches are for what begins with a character that
// is rarer than those before it: a search skips fast to the next of these.
func mayNameProtocol(text string) bool {
	const name = ".clarify"
	if strings.Contains(text, name) {
		return true
	}
	for {
		const escape = "u00" // after a backslash
		i := strings.Index(text, escape)
		if i < 0 || len(text) < i+len("u0000") {
			return false
		}
		// Where these are no digits, the code is negative and in no name.
		code := hexDigit(text[i+3])<<4 | hexDigit(text[i+4])
		if strings.ContainsRune(name, code) {
			return true
		}
		text = text[i+len(escape):]
	}
}

// prompts reads the prompts array at the current position.
func (r *reader) prompts() []Prompt {
	var raw rawPrompt
	var few [MaxPrompts]Prompt // not kept: what is returned has no spare room
	prompts := few[:0]
	i := 0
	for r.enter(); r.more(']'); i++ {
		r.scanner.prompt(&raw)
		if r.fault != "" {
			return nil
		}
		p, ok := r.prompt(i, &raw)
		if !ok {
			continue
		}
		if n := len(prompts); n == cap(prompts) { // room for the rest, if that is like what was read
			prompts = slices.Grow(prompts, 1+(len(r.src)-r.pos)/(r.pos/n))
		}
		prompts = append(prompts, p)
	}
	return slices.Clone(prompts)
}

// prompt judges prompt i. If it is left out, ok is false, and one Skipped says
// why, with the kind first: what a newer protocol adds need not have the rest.
func (r *reader) prompt(i int, raw *rawPrompt) (p Prompt, ok bool) {
	at := place{i, -1}
	mark := len(r.skipped)
	leaveOut := func(key string, code Code) (Prompt, bool) {
		r.skipped = r.skipped[:mark]
		r.skip(PartPrompt, at.path(key), code)
		return Prompt{}, false
	}
	if raw.self.typ != jsonObject {
		return leaveOut("", CodeWrongType)
	}
	kind, code := r.needed(raw.kind)
	if code == "" && !isKind(Kind(kind)) {
		code = CodeUnknownKind
	}
	if code != "" {
		return leaveOut(keyKind, code)
	}
	if p.ID, code = r.needed(raw.id); code != "" {
		return leaveOut(keyID, code)
	}
	if p.Question, code = r.needed(raw.question); code != "" {
		return leaveOut(keyQuestion, code)
	}
	p.Hint = r.optional(at, keyHint, raw.hint)
	p.Optional = !r.flag(at, keyRequired, raw.required, true)
	switch Kind(kind) {
	case KindChoice:
		in := new(Choice)
		switch raw.options.typ {
		case jsonArray:
			in.Options = r.options(i, raw)
		case jsonAbsent, jsonNull:
			return leaveOut(keyOptions, CodeMissing)
		default:
			return leaveOut(keyOptions, CodeWrongType)
		}
		if len(in.Options) < MinOptions {
			return leaveOut(keyOptions, CodeTooFew)
		}
		in.AllowMultiple = r.flag(at, keyAllowMultiple, raw.allowMultiple, false)
		p.Input = in
	case KindConfirm:
		in := new(Confirm)
		if in.ConfirmLabel = r.optional(at, keyConfirmLabel, raw.confirmLabel); in.ConfirmLabel == "" {
			in.ConfirmLabel = DefaultConfirmLabel
		}
		if in.CancelLabel = r.optional(at, keyCancelLabel, raw.cancelLabel); in.CancelLabel == "" {
			in.CancelLabel = DefaultCancelLabel
		}
		in.Danger = r.flag(at, keyDanger, raw.danger, false)
		p.Input = in
	case KindText:
		in := new(Text)
		in.Placeholder = r.optional(at, keyPlaceholder, raw.placeholder)
		in.DefaultValue = r.string(at, keyDefaultValue, raw.defaultValue)
		in.Multiline = r.flag(at, keyMultiline, raw.multiline, false)
		p.Input = in
	}
	return p, true
}

// options returns the usable options of prompt i. More of them than a valid
// prompt has are read once more, rather than kept.
func (r *reader) options(i int, raw *rawPrompt) []Option {
	options := make([]Option, 0, len(raw.first()))
	take := func(j int, o *rawOption) {
		if o, ok := r.option(place{i, j}, o); ok {
			options = append(options, o)
		}
	}
	if first := raw.first(); raw.count == len(first) {
		for j := range first {
			take(j, &first[j])
		}
		return options
	}
	s := scanner{src: raw.options.raw}
	j := 0
	for s.enter(); s.more(']'); j++ {
		o := s.option()
		take(j, &o)
	}
	return options
}

func (r *reader) option(at place, raw *rawOption) (o Option, ok bool) {
	if raw.self.typ != jsonObject {
		r.skip(PartOption, at.path(""), CodeWrongType)
		return Option{}, false
	}
	var code Code
	if o.ID, code = r.needed(raw.id); code != "" {
		r.skip(PartOption, at.path(keyID), code)
		return Option{}, false
	}
	if o.Label, code = r.needed(raw.label); code != "" {
		r.skip(PartOption, at.path(keyLabel), code)
		return Option{}, false
	}
	o.Description = r.optional(at, keyDescription, raw.description)
	return o, true
}

func (r *reader) skip(part Part, path string, code Code) {
	if len(r.skipped) < maxNotes {
		r.skipped = append(r.skipped, Skipped{Part: part, Path: path, Code: code})
	}
}

// needed returns the trimmed string v, or what is wrong with it.
func (r *reader) needed(v value) (string, Code) {
	switch v.typ {
	case jsonString:
	case jsonAbsent, jsonNull:
		return "", CodeMissing
	default:
		return "", CodeWrongType
	}
	s := trim(r.text(v), scriptSpace)
	if s == "" {
		return "", CodeBlank
	}
	return s, ""
}

// string returns the string v as it is. null is absent; any other type too,
// but that is noted.
func (r *reader) string(at place, key string, v value) string {
	switch v.typ {
	case jsonString:
		return r.text(v)
	case jsonAbsent, jsonNull:
	default:
		r.skip(PartField, at.path(key), CodeWrongType)
	}
	return ""
}

func (r *reader) optional(at place, key string, v value) string {
	return trim(r.string(at, key, v), scriptSpace)
}

// flag returns the boolean v. null is absent; any other type is the default
// too, but that is noted.
func (r *reader) flag(at place, key string, v value, byDefault bool) bool {
	switch v.typ {
	case jsonTrue:
		return true
	case jsonFalse:
		return false
	case jsonAbsent, jsonNull:
	default:
		r.skip(PartField, at.path(key), CodeWrongType)
	}
	return byDefault
}

func (r *reader) syntaxError() error {
	return fmt.Errorf("clarify: invalid JSON: %s at byte %d", r.fault, r.faultAt)
}

// isNull reports whether data is the JSON null: what encoding/json passes to
// an UnmarshalJSON for it.
func isNull(data []byte) bool { return string(data) == "null" }
