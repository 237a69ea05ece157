package clarify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// ErrNotEnvelope is returned for a text that is not an envelope. The errors below,
// which say why, are ErrNotEnvelope too.
var ErrNotEnvelope = errors.New("clarify: not an envelope")

// Why a text is not an envelope. A text that has nothing to do with the protocol
// is just [ErrNotEnvelope].
var (
	// ErrToolFailed: the tool refused the call ("Error:") or broke.
	ErrToolFailed = fmt.Errorf("%w: the tool failed", ErrNotEnvelope)
	// ErrMalformed: the text contains the protocol id but is truncated or invalid
	// JSON. A question may have been lost. The id counts if it is unescaped, or if
	// only its slash is escaped.
	ErrMalformed = fmt.Errorf("%w: malformed or cut JSON", ErrNotEnvelope)
	// ErrVersion: another version of the protocol.
	ErrVersion = fmt.Errorf("%w: another version of the protocol", ErrNotEnvelope)
	// ErrNothingToShow: an envelope without a usable prompt. The error is an
	// [*EmptyError].
	ErrNothingToShow = fmt.Errorf("%w: no usable prompt", ErrNotEnvelope)
)

// An EmptyError is [ErrNothingToShow] and says what was left out.
type EmptyError struct {
	Skipped []Skipped
}

// Error names the first thing that was left out and counts the others.
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

// Unwrap returns [ErrNothingToShow].
func (e *EmptyError) Unwrap() error { return ErrNothingToShow }

// ErrNotAnswers is returned for a text that holds no answers.
var ErrNotAnswers = errors.New("clarify: not answers")

// Parse reads what a tool returned, as the Console does. Valid prompts are kept
// even if others are invalid. It returns either an envelope that can be shown or
// an error that is [ErrNotEnvelope].
//
// output is trimmed as JavaScript's trim does. It is not an envelope if it is
// blank, starts with "Error:", has more than [MaxSize] bytes, is not one valid
// JSON object nested at most [MaxDepth] levels deep, has a protocol other than
// exactly [Protocol], or has no prompts array.
//
// A prompt is left out if it is not an object, if its kind is unknown, if its id,
// kind or question is blank or not a string, or if it is a choice with fewer than
// [MinOptions] usable options. An option is left out if it is not an object, or if
// its id or label is blank or not a string. Strings are trimmed, except the default
// value, which is kept as it is unless it is empty. Any other optional string that is
// blank or not a string is absent. A flag that is not a boolean is its default. There
// are no upper limits; ids may be anything and may repeat.
//
// [Envelope.Skipped] says what was left out or replaced. An optional field that is
// null or blank is no fault.
func Parse(output string) (*Envelope, error) { return parse(output, MaxSize) }

// parse is Parse of at most the given number of bytes.
func parse(output string, most int) (*Envelope, error) {
	r, err := readOutput(output, most)
	if err != nil {
		return nil, err
	}
	e := new(Envelope)
	var protocol, title, prompts value
	for r.Enter(); r.More('}'); {
		switch r.Key() {
		case keyProtocol:
			protocol = r.Value()
		case keyTitle:
			title = r.Value()
		case keyPrompts:
			e.Prompts, r.skipped = nil, r.skipped[:0] // the last one wins, whole
			if r.Peek() == '[' {
				prompts.Type = jsontext.Array
				e.Prompts = r.prompts()
			} else {
				prompts = r.Value()
			}
		default:
			r.Value()
		}
	}
	switch {
	case !r.End():
		return nil, r.refusal()
	case protocol.Type != jsontext.String:
		return nil, ErrNotEnvelope
	}
	switch name := r.Text(protocol); {
	case name != Protocol && strings.HasPrefix(name, protocolFamily):
		return nil, ErrVersion
	case name != Protocol || prompts.Type != jsontext.Array:
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

// ParseAnswers reads a user message as structured answers. It returns either at
// least one answer or an error that is [ErrNotAnswers].
//
// message is trimmed as JavaScript's trim does. It is not answers if it has more
// than [MaxSize] bytes, is not one valid JSON object nested at most [MaxDepth]
// levels deep, has a protocol other than exactly [Protocol], has no answers array,
// or has no usable entry in it.
//
// An entry is left out if it is not an object, if its id or kind is blank or not a
// string, if its kind is unknown, or if its payload has the wrong type: confirmed
// must be a boolean, value a string, and values an array, of which the non-blank
// strings are kept. Ids and kinds are trimmed; values and texts are not.
// [Answers.Skipped] says what was left out, and where a key is there twice or a
// member that is not the contract's holds a text, or true or false: the user may have
// said something else with it.
//
// ParseAnswers does not compare the answers with what was asked:
// [Envelope.Read] does.
func ParseAnswers(message string) (Answers, error) {
	r, ok := readAnswers(message)
	if !ok {
		return Answers{}, ErrNotAnswers
	}
	a := Answers{For: r.reference}
	var raw rawAnswer
	for i := 0; r.More(']'); i++ {
		beside := r.answerMembers(&raw)
		if answer, ok := r.answer(i, &raw); ok {
			a.Answers = append(a.Answers, answer)
			r.skipBeside(answerPath(i, ""), beside)
		}
	}
	r.skipBeside(keyAnswers, r.beside)
	if len(a.Answers) == 0 {
		return Answers{}, ErrNotAnswers
	}
	a.Skipped = r.skipped
	return a, nil
}

// A reader is the judge of the lenient side.
type reader struct {
	jsontext.Scanner
	jsontext.Arena
	skipped []Skipped
	// Of answers.
	reference string  // the question that they are for, or ""
	beside    members // what is in the message beside the answers
}

// readOutput is the cheap part of Parse. It refuses what cannot be an envelope
// without looking at its structure and without allocating.
func readOutput(output string, most int) (reader, error) {
	src := text.Trim(output, text.ScriptSpace)
	switch {
	case strings.HasPrefix(src, failed):
		return reader{}, ErrToolFailed
	case len(output) > most || src == "" || src[0] != '{' || !mayNameProtocol(src):
		return reader{}, ErrNotEnvelope
	}
	return reader{Scanner: jsontext.New(src), Arena: jsontext.NewArena(output)}, nil
}

// refusal returns the error for a text that is not JSON.
func (r *reader) refusal() error {
	if src := r.Source(); strings.Contains(src, Protocol) || strings.Contains(src, strings.ReplaceAll(Protocol, "/", `\/`)) {
		return ErrMalformed
	}
	return ErrNotEnvelope
}

// mayNameProtocol reports whether the JSON text src may contain a string of the
// protocol's family: literally, or with a character escaped. It may say yes
// wrongly, but not no. Both searches begin with a character that is rarer than
// those before it, because a search skips fast to the next of these.
func mayNameProtocol(src string) bool {
	const name = ".clarify"
	if strings.Contains(src, name) {
		return true
	}
	for {
		const escape = "u00" // after a backslash
		i := strings.Index(src, escape)
		if i < 0 || len(src) < i+len("u0000") {
			return false
		}
		// If these are no digits, the code is negative and not in the name.
		code := jsontext.HexDigit(src[i+3])<<4 | jsontext.HexDigit(src[i+4])
		if strings.ContainsRune(name, code) {
			return true
		}
		src = src[i+len(escape):]
	}
}

// readAnswers returns a reader that has entered the answers array of message, if
// message is structured answers, whatever the array holds.
func readAnswers(message string) (*reader, bool) {
	if len(message) > MaxSize {
		return nil, false
	}
	s := jsontext.New(text.Trim(message, text.ScriptSpace))
	if s.Peek() != '{' {
		return nil, false
	}
	var protocol, answers, reference value
	var all members
	for s.Enter(); s.More('}'); {
		key := text.ToUTF8(s.Key())
		v := s.Value()
		switch key {
		case keyProtocol:
			protocol = v
		case keyAnswers:
			answers = v
		case keyFor:
			reference = v
		}
		all = append(all, member{key, v, key == keyProtocol || key == keyAnswers || key == keyFor && v.Type == jsontext.String})
	}
	if !s.End() || protocol.Type != jsontext.String || answers.Type != jsontext.Array {
		return nil, false
	}
	r := &reader{Scanner: jsontext.New(answers.Raw), Arena: jsontext.NewArena(message), beside: all}
	if r.Text(protocol) != Protocol {
		return nil, false
	}
	if reference.Type == jsontext.String {
		r.reference = r.Text(reference)
	}
	r.Enter()
	return r, true
}

// prompts reads the prompts array at the current position.
func (r *reader) prompts() []Prompt {
	var raw rawPrompt
	var few [MaxPrompts]Prompt // not kept: what is returned has no spare room
	prompts := few[:0]
	i := 0
	for r.Enter(); r.More(']'); i++ {
		raw.read(&r.Scanner)
		if r.Failed() {
			return nil
		}
		p, ok := r.prompt(i, &raw)
		if !ok {
			continue
		}
		if n := len(prompts); n == cap(prompts) { // room for the rest, if the rest is like what was read
			prompts = slices.Grow(prompts, 1+(len(r.Source())-r.Pos())/(r.Pos()/n))
		}
		prompts = append(prompts, p)
	}
	return slices.Clone(prompts)
}

// A head is the judgement of what every prompt and every answer begins with. A
// code is empty if there is no fault.
type head struct {
	id                      string
	kind                    Kind
	badSelf, badID, badKind Code
}

func (r *reader) head(raw *rawHead) (h head) {
	if raw.self.Type != jsontext.Object {
		h.badSelf = CodeWrongType
		return h
	}
	h.id, h.badID = r.needed(raw.id)
	kind, code := r.needed(raw.kind)
	h.kind, h.badKind = Kind(kind), code
	if code == "" && !h.kind.isKnown() {
		h.badKind = CodeUnknownKind
	}
	return h
}

// fault returns the fault that leaves the whole out. The kind comes first: what a
// newer protocol adds need not have the rest.
func (h *head) fault() (key string, code Code) {
	switch {
	case h.badSelf != "":
		return "", h.badSelf
	case h.badKind != "":
		return keyKind, h.badKind
	}
	return keyID, h.badID
}

// prompt judges prompt i. If the prompt is left out, ok is false and one Skipped
// says why.
func (r *reader) prompt(i int, raw *rawPrompt) (p Prompt, ok bool) {
	at := place{i, -1}
	mark := len(r.skipped)
	leaveOut := func(key string, code Code) (Prompt, bool) {
		r.skipped = r.skipped[:mark]
		r.skip(PartPrompt, at.path(key), code)
		return Prompt{}, false
	}
	h := r.head(&raw.rawHead)
	if key, code := h.fault(); code != "" {
		return leaveOut(key, code)
	}
	p.ID = h.id
	var code Code
	if p.Question, code = r.needed(raw.question); code != "" {
		return leaveOut(keyQuestion, code)
	}
	p.Hint = r.optional(at, keyHint, raw.hint)
	p.Optional = !r.flag(at, keyRequired, raw.required, true)
	switch h.kind {
	case KindChoice:
		in := new(Choice)
		if code := wrongType(raw.options, jsontext.Array); code != "" {
			return leaveOut(keyOptions, code)
		}
		if in.Options = r.options(i, raw); len(in.Options) < MinOptions {
			return leaveOut(keyOptions, CodeTooFew)
		}
		in.AllowMultiple = r.flag(at, keyAllowMultiple, raw.allowMultiple, false)
		p.Input = in
	case KindConfirm:
		in := new(Confirm)
		in.ConfirmLabel = cmp.Or(r.optional(at, keyConfirmLabel, raw.confirmLabel), DefaultConfirmLabel)
		in.CancelLabel = cmp.Or(r.optional(at, keyCancelLabel, raw.cancelLabel), DefaultCancelLabel)
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

// options returns the usable options of prompt i. If there are more than a valid
// prompt has, they are read again rather than kept.
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
	s := jsontext.New(raw.options.Raw)
	var o rawOption
	j := 0
	for s.Enter(); s.More(']'); j++ {
		o.read(&s)
		take(j, &o)
	}
	return options
}

func (r *reader) option(at place, raw *rawOption) (o Option, ok bool) {
	if raw.self.Type != jsontext.Object {
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

// answer judges entry i of an answers array.
func (r *reader) answer(i int, raw *rawAnswer) (a Answer, ok bool) {
	leaveOut := func(key string, code Code) (Answer, bool) {
		r.skip(PartAnswer, answerPath(i, key), code)
		return Answer{}, false
	}
	h := r.head(&raw.rawHead)
	if key, code := h.fault(); code != "" {
		return leaveOut(key, code)
	}
	a.ID = h.id
	switch h.kind {
	case KindChoice:
		if code := wrongType(raw.values, jsontext.Array); code != "" {
			return leaveOut(keyValues, code)
		}
		in := &ChoiceAnswer{Values: []string{}}
		for j, v := range raw.each() {
			if _, code := r.needed(v); code != "" {
				r.skip(PartValue, valuePath(i, j), code)
				continue
			}
			in.Values = append(in.Values, r.Text(v))
		}
		a.Payload = in
	case KindConfirm:
		if code := wrongType(raw.confirmed, jsontext.True, jsontext.False); code != "" {
			return leaveOut(keyConfirmed, code)
		}
		a.Payload = &ConfirmAnswer{Confirmed: raw.confirmed.Type == jsontext.True}
	case KindText:
		if code := wrongType(raw.value, jsontext.String); code != "" {
			return leaveOut(keyValue, code)
		}
		a.Payload = &TextAnswer{Value: r.Text(raw.value)}
	}
	return a, true
}

// answerMembers reads one element of an answers array into raw. It returns its
// members if there are others than the contract's, or one of these twice.
func (r *reader) answerMembers(raw *rawAnswer) (all members) {
	start := r.Pos()
	raw.read(&r.Scanner)
	kind, _ := r.needed(raw.kind)
	known := 0
	for _, v := range [...]value{raw.id, raw.kind, raw.payload(Kind(kind))} {
		if v.Type != jsontext.Absent {
			known++
		}
	}
	if raw.members == known {
		return nil
	}
	s := jsontext.New(r.Source()[start:r.Pos()])
	s.Peek()
	for s.Enter(); s.More('}'); {
		key := text.ToUTF8(s.Key())
		all = append(all, member{key, s.Value(), isAnswerKey(Kind(kind), key)})
	}
	return all
}

// texts returns the members that are not the contract's and say something, or have a
// key that looks like the contract's.
func (list members) texts(r *reader) (some members) {
	for _, m := range list {
		if !m.known && (r.says(m.value, true) || m.isAlmostKnown()) {
			some = append(some, m)
		}
	}
	return some
}

// says reports whether a string that is not blank is in v, at any depth; or a flag, if
// flags say something.
func (r *reader) says(v value, flags bool) bool {
	switch v.Type {
	case jsontext.True, jsontext.False:
		return flags
	case jsontext.String:
		return !text.IsBlank(r.Text(v))
	case jsontext.Array, jsontext.Object:
		s := jsontext.New(v.Raw)
		return r.saysNext(&s, flags)
	}
	return false
}

// saysNext is says for the value that s reads next.
func (r *reader) saysNext(s *jsontext.Scanner, flags bool) bool {
	switch s.Peek() {
	case '[':
		for s.Enter(); s.More(']'); {
			if r.saysNext(s, flags) {
				return true
			}
		}
		return false
	case '{':
		for s.Enter(); s.More('}'); {
			s.Key()
			if r.saysNext(s, flags) {
				return true
			}
		}
		return false
	}
	return r.says(s.Value(), flags)
}

// hasText reports whether a text that is not blank is in the answer, apart from its id
// and kind, or is the whole of it.
func (a *rawAnswer) hasText(r *reader) bool {
	return r.says(a.self, false) || r.says(a.values, false) || r.says(a.confirmed, false) || r.says(a.value, false)
}

// skipBeside notes what makes answers doubtful, although they can be shown.
func (r *reader) skipBeside(path string, list members) {
	if list.haveTwice() {
		r.skip(PartField, path, CodeDuplicateKey)
	}
	if list.texts(r) != nil {
		r.skip(PartField, path, CodeUnknownKey)
	}
}

func (r *reader) skip(part Part, path string, code Code) {
	if len(r.skipped) < maxNotes {
		r.skipped = append(r.skipped, Skipped{Part: part, Path: path, Code: code})
	}
}

// needed returns the trimmed string v, or what is wrong with it.
func (r *reader) needed(v value) (string, Code) {
	if code := wrongType(v, jsontext.String); code != "" {
		return "", code
	}
	s := text.Trim(r.Text(v), text.ScriptSpace)
	if s == "" {
		return "", CodeBlank
	}
	return s, ""
}

// string returns the string v as it is. null is absent; so is any other type, but
// that is noted.
func (r *reader) string(at place, key string, v value) string {
	switch wrongType(v, jsontext.String) {
	case "":
		return r.Text(v)
	case CodeWrongType:
		r.skip(PartField, at.path(key), CodeWrongType)
	}
	return ""
}

func (r *reader) optional(at place, key string, v value) string {
	return text.Trim(r.string(at, key, v), text.ScriptSpace)
}

// flag returns the boolean v. null is the default; so is any other type, but that
// is noted.
func (r *reader) flag(at place, key string, v value, byDefault bool) bool {
	switch wrongType(v, jsontext.True, jsontext.False) {
	case "":
		return v.Type == jsontext.True
	case CodeWrongType:
		r.skip(PartField, at.path(key), CodeWrongType)
	}
	return byDefault
}

// wrongType returns what is wrong with a value that must have one of the types.
func wrongType(v value, types ...jsontext.Type) Code {
	switch {
	case slices.Contains(types, v.Type):
		return ""
	case v.Type == jsontext.Absent, v.Type == jsontext.Null:
		return CodeMissing
	}
	return CodeWrongType
}
