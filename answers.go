package clarify

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrNotAnswers is returned for a text that holds no answers.
var ErrNotAnswers = errors.New("clarify: not answers")

// Answers is what the user sends back: the next user message, as JSON.
//
// What is in it was not checked against what was asked.
type Answers struct {
	Answers []Answer

	// Skipped is what ParseAnswers left out; the first 1,000 of it are kept.
	// It is never encoded.
	Skipped []Skipped
}

// An Answer is the answer to the prompt with its id.
type Answer struct {
	ID      string
	Payload Payload
}

// Payload is what was answered: a [*ChoiceAnswer], a [*ConfirmAnswer] or a
// [*TextAnswer]. There are no others.
type Payload interface {
	Kind() Kind
	isPayload()
}

// A ChoiceAnswer has the ids of the chosen options.
type ChoiceAnswer struct{ Values []string }

// A ConfirmAnswer has the button that was pressed. A confirm that was not
// answered has no ConfirmAnswer.
type ConfirmAnswer struct{ Confirmed bool }

// A TextAnswer has the text that was entered, as it was entered.
type TextAnswer struct{ Value string }

func (*ChoiceAnswer) Kind() Kind  { return KindChoice }
func (*ConfirmAnswer) Kind() Kind { return KindConfirm }
func (*TextAnswer) Kind() Kind    { return KindText }

func (*ChoiceAnswer) isPayload()  {}
func (*ConfirmAnswer) isPayload() {}
func (*TextAnswer) isPayload()    {}

// Kind returns the kind of the answer's Payload, and "" where there is none.
func (a Answer) Kind() Kind {
	switch p := a.Payload.(type) {
	case *ChoiceAnswer:
		if p != nil {
			return KindChoice
		}
	case *ConfirmAnswer:
		if p != nil {
			return KindConfirm
		}
	case *TextAnswer:
		if p != nil {
			return KindText
		}
	}
	return ""
}

// ParseAnswers reads a user message as structured answers. It returns either at
// least one answer or an error that is [ErrNotAnswers].
//
// text is trimmed as JavaScript's trim does. It is not answers if it has more
// than [MaxSize] bytes, is not one valid JSON object nested at most [MaxDepth]
// levels deep, has another protocol than exactly [Protocol], has no answers
// array, or none of its entries is usable. An entry is left out if it is not an
// object, its id or kind is blank or not a string, its kind is unknown, or its
// payload has the wrong type: confirmed must be a boolean, value a string,
// values an array, of which the non-blank strings are kept. Ids and kinds are
// trimmed, values and texts are not. [Answers.Skipped] tells what was left out.
//
// The answers were not checked against what was asked: that is [Envelope.Read].
func ParseAnswers(text string) (Answers, error) {
	r, ok := readAnswers(text)
	if !ok {
		return Answers{}, ErrNotAnswers
	}
	var a Answers
	var raw rawAnswer
	for i := 0; r.more(']'); i++ {
		r.scanner.answer(&raw)
		if answer, ok := r.answer(i, &raw); ok {
			a.Answers = append(a.Answers, answer)
		}
	}
	if len(a.Answers) == 0 {
		return Answers{}, ErrNotAnswers
	}
	a.Skipped = r.skipped
	return a, nil
}

// readAnswers returns a reader that has entered the answers array of text, if
// text is structured answers, whatever the array holds.
func readAnswers(text string) (*reader, bool) {
	if len(text) > MaxSize {
		return nil, false
	}
	s := scanner{src: trim(text, scriptSpace)}
	if s.peek() != '{' {
		return nil, false
	}
	var protocol, answers value
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyProtocol:
			protocol = s.value()
		case keyAnswers:
			answers = s.value()
		default:
			s.value()
		}
	}
	if !s.end() || protocol.typ != jsonString || answers.typ != jsonArray {
		return nil, false
	}
	r := &reader{scanner: scanner{src: answers.raw}, arena: newArena(text)}
	if r.text(protocol) != Protocol {
		return nil, false
	}
	r.enter()
	return r, true
}

// answer judges entry i.
func (r *reader) answer(i int, raw *rawAnswer) (a Answer, ok bool) {
	leaveOut := func(key string, code Code) (Answer, bool) {
		r.skip(PartAnswer, answerPath(i, key), code)
		return Answer{}, false
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
	if a.ID, code = r.needed(raw.id); code != "" {
		return leaveOut(keyID, code)
	}
	switch Kind(kind) {
	case KindChoice:
		if code = wrongType(raw.values, jsonArray); code != "" {
			return leaveOut(keyValues, code)
		}
		in := &ChoiceAnswer{Values: []string{}}
		for j, v := range raw.values.elements() {
			if _, code := r.needed(v); code != "" {
				r.skip(PartValue, valuePath(i, j), code)
				continue
			}
			in.Values = append(in.Values, r.text(v))
		}
		a.Payload = in
	case KindConfirm:
		if code = wrongType(raw.confirmed, jsonTrue, jsonFalse); code != "" {
			return leaveOut(keyConfirmed, code)
		}
		a.Payload = &ConfirmAnswer{Confirmed: raw.confirmed.typ == jsonTrue}
	case KindText:
		if code = wrongType(raw.value, jsonString); code != "" {
			return leaveOut(keyValue, code)
		}
		a.Payload = &TextAnswer{Value: r.text(raw.value)}
	}
	return a, true
}

// wrongType says what is wrong with a value that has to have one of the types.
func wrongType(v value, types ...jsonType) Code {
	switch {
	case slices.Contains(types, v.typ):
		return ""
	case v.typ == jsonAbsent, v.typ == jsonNull:
		return CodeMissing
	}
	return CodeWrongType
}

func answerPath(i int, key string) string {
	b := appendIndex([]byte(keyAnswers), i)
	if key != "" {
		b = append(append(b, '.'), key...)
	}
	return string(b)
}

func valuePath(i, j int) string {
	return string(appendIndex([]byte(answerPath(i, keyValues)), j))
}

// AppendJSON appends the canonical JSON of a to dst. What [ParseAnswers] would
// not read back identically has no encoding: then dst is returned as it was,
// with an error. No answers at all is such a case.
func (a Answers) AppendJSON(dst []byte) ([]byte, error) {
	if len(a.Answers) == 0 {
		return dst, cannotEncode(keyAnswers, "no answer")
	}
	out := append(dst, `{"`+keyProtocol+`":"`+Protocol+`","`+keyAnswers+`":[`...)
	for i := range a.Answers {
		if i > 0 {
			out = append(out, ',')
		}
		if err := a.Answers[i].encodable(i); err != nil {
			return dst, err
		}
		out = a.Answers[i].append(out)
	}
	out = append(out, "]}"...)
	if n := len(out) - len(dst); n > MaxSize {
		return dst, cannotEncode("the answers", tooLarge(n))
	}
	return out, nil
}

// MarshalJSON is AppendJSON to a new buffer. encoding/json escapes what this
// returns once more; see [Envelope.MarshalJSON].
func (a Answers) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil) }

// UnmarshalJSON reads data as [ParseAnswers] does and replaces all of a. On an
// error a is left alone; null does nothing.
func (a *Answers) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	parsed, err := ParseAnswers(string(data))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// MarshalJSON returns the answer as it stands in canonical answers, or an error
// where [Answers.AppendJSON] would return one.
func (a Answer) MarshalJSON() ([]byte, error) {
	if err := a.encodable(0); err != nil {
		return nil, err
	}
	return bounded(a.append(nil))
}

// UnmarshalJSON reads data as one entry of an answers array and replaces all of
// a. An entry that [ParseAnswers] would leave out is an error, and a is left
// alone. null does nothing.
func (a *Answer) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	r, err := newReader(string(data))
	if err != nil {
		return err
	}
	var raw rawAnswer
	r.scanner.answer(&raw)
	if !r.end() {
		return r.syntaxError()
	}
	read, ok := r.answer(0, &raw)
	if !ok {
		return fmt.Errorf("clarify: not an answer: %v", r.skipped[0])
	}
	*a = read
	return nil
}

func (a *Answer) encodable(i int) error {
	key, why := unreadable(textField{keyID, a.ID, needed})
	if why == "" && a.Kind() == "" {
		why = fmt.Sprintf("%T that is nil or not a Payload of this package", a.Payload)
	}
	if why != "" {
		return cannotEncode(answerPath(i, key), why)
	}
	switch p := a.Payload.(type) {
	case *ChoiceAnswer:
		for j, v := range p.Values {
			if trim(v, scriptSpace) == "" || !utf8.ValidString(v) {
				return cannotEncode(valuePath(i, j), "a blank string or invalid UTF-8")
			}
		}
	case *TextAnswer:
		if key, why = unreadable(textField{keyValue, p.Value, verbatim}); why != "" {
			return cannotEncode(answerPath(i, key), why)
		}
	}
	return nil
}

// append writes what is known to be encodable.
func (a *Answer) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"`+keyID+`":`...), a.ID)
	dst = append(dst, `,"`+keyKind+`":"`...)
	dst = append(dst, a.Kind()...)
	dst = append(dst, '"')
	switch p := a.Payload.(type) {
	case *ChoiceAnswer:
		dst = append(dst, `,"`+keyValues+`":[`...)
		for i, v := range p.Values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, v)
		}
		dst = append(dst, ']')
	case *ConfirmAnswer:
		dst = appendBool(dst, `,"`+keyConfirmed+`":`, p.Confirmed)
	case *TextAnswer:
		dst = appendString(append(dst, `,"`+keyValue+`":`...), p.Value)
	}
	return append(dst, '}')
}

// Summary returns the answers for people, one a line: "id: value", with
// "confirmed" or "cancelled" for a confirm and ", " between several values.
//
// Nothing in it can pass for another answer: after each line break in a value
// the next line is indented by two spaces, and an id that does not match
// [IDPattern] is written as a JSON string. Line breaks are LF, CR, CRLF, VT,
// FF, U+0085, U+2028 and U+2029. [Envelope.Read] reads the summary of answers
// back that a valid envelope takes, its texts trimmed and with LF for line
// breaks, unless the labels of a confirm make "confirmed" or "cancelled"
// doubtful.
func (a Answers) Summary() string {
	var b strings.Builder
	for i, answer := range a.Answers {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(summaryID(answer.ID))
		b.WriteString(": ")
		if answer.Kind() == "" {
			continue
		}
		switch p := answer.Payload.(type) {
		case *ChoiceAnswer:
			writeIndented(&b, strings.Join(p.Values, ", "))
		case *ConfirmAnswer:
			b.WriteString(confirmWord(p.Confirmed))
		case *TextAnswer:
			writeIndented(&b, p.Value)
		}
	}
	return b.String()
}

const (
	wordConfirmed = "confirmed"
	wordCancelled = "cancelled"
)

func confirmWord(confirmed bool) string {
	if confirmed {
		return wordConfirmed
	}
	return wordCancelled
}

// summaryID is how an id stands in a summary: a line break in it is escaped,
// also one that canonical JSON leaves alone.
func summaryID(id string) string {
	if validID(id) {
		return id
	}
	return lineBreakEscapes.Replace(string(appendString(nil, id)))
}

var lineBreakEscapes = strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// writeIndented writes s with two spaces before every line but the first.
func writeIndented(b *strings.Builder, s string) {
	for line := range lines(s) {
		b.WriteString(line)
		if s = s[len(line):]; s != "" {
			b.WriteString("  ")
		}
	}
}

// lines yields the lines of s with their line breaks.
func lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			i := strings.IndexFunc(s, isLineBreak)
			if i < 0 {
				yield(s)
				return
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			if strings.HasPrefix(s[i:], "\r\n") {
				size = len("\r\n")
			}
			if !yield(s[:i+size]) {
				return
			}
			s = s[i+size:]
		}
	}
}

func isLineBreak(r rune) bool {
	return '\n' <= r && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}
