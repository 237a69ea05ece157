package clarify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Answers is what the user sends back: as JSON, it is the next user message.
//
// Its answers were not checked against what was asked.
type Answers struct {
	Answers []Answer

	// For says which question the answers are for: its [Event.Reference], or "". It
	// is this library's. Other implementations ignore it; a [Conversation] does not.
	For string

	// Skipped is what ParseAnswers left out; the first 1,000 entries are kept.
	// It is not encoded.
	Skipped []Skipped
}

// An Answer is the answer to the prompt with its id.
type Answer struct {
	ID      string
	Payload Payload
}

// Kind returns the kind of the answer's Payload. It returns "" if Payload is nil,
// a nil pointer, or no type of this package.
func (a Answer) Kind() Kind { return a.payload().Kind() }

// Payload is what was answered: a [*ChoiceAnswer], a [*ConfirmAnswer] or a
// [*TextAnswer]. There are no others.
type Payload interface {
	Kind() Kind

	raw(*rawAnswer)                  // read_structured.go
	encodable(i int) error           // encode.go
	appendMembers(dst []byte) []byte // encode.go
	summary() string
	forModel(m *report, labels []string) string // report.go
	clone() Payload
	equal(Payload) bool
}

// A ChoiceAnswer has the ids of the chosen options.
type ChoiceAnswer struct{ Values []string }

// A ConfirmAnswer says which button was pressed. A confirm that was not answered
// has no ConfirmAnswer.
type ConfirmAnswer struct{ Confirmed bool }

// A TextAnswer has the text as it was entered.
type TextAnswer struct{ Value string }

// Kind returns [KindChoice].
func (*ChoiceAnswer) Kind() Kind { return KindChoice }

// Kind returns [KindConfirm].
func (*ConfirmAnswer) Kind() Kind { return KindConfirm }

// Kind returns [KindText].
func (*TextAnswer) Kind() Kind { return KindText }

// payload returns a.Payload, or noPayload for what is not one: nil, a nil
// pointer, or a type of another package that embeds a Payload.
func (a *Answer) payload() Payload {
	switch p := a.Payload.(type) {
	case *ChoiceAnswer:
		if p != nil {
			return p
		}
	case *ConfirmAnswer:
		if p != nil {
			return p
		}
	case *TextAnswer:
		if p != nil {
			return p
		}
	}
	return noPayload{a.Payload}
}

// A noPayload has no kind and no encoding, and answers nothing.
type noPayload struct{ got Payload }

func (noPayload) Kind() Kind { return "" }

func (p *ChoiceAnswer) clone() Payload  { return &ChoiceAnswer{slices.Clone(p.Values)} }
func (p *ConfirmAnswer) clone() Payload { return &ConfirmAnswer{p.Confirmed} }
func (p *TextAnswer) clone() Payload    { return &TextAnswer{p.Value} }
func (p noPayload) clone() Payload      { return p.got }

func (p *ChoiceAnswer) equal(other Payload) bool {
	o, ok := other.(*ChoiceAnswer)
	return ok && slices.Equal(p.Values, o.Values)
}

func (p *ConfirmAnswer) equal(other Payload) bool {
	o, ok := other.(*ConfirmAnswer)
	return ok && *p == *o
}

func (p *TextAnswer) equal(other Payload) bool {
	o, ok := other.(*TextAnswer)
	return ok && *p == *o
}

func (noPayload) equal(Payload) bool { return false }

// Summary returns the answers for people, one a line: "id: value", with
// "confirmed" or "cancelled" for a confirm and ", " between several values.
//
// Nothing in it can pass for another answer. A value's lines after the first are
// indented by two spaces, and an id that does not match [IDPattern] is written as
// a JSON string. Line breaks are LF, CR, CRLF, VT, FF, U+0085, U+2028 and U+2029.
//
// [Envelope.Read] reads the summary back if the envelope is valid and takes the
// answers. Texts come back trimmed, with LF for line breaks. The exception is a
// confirm whose labels make "confirmed" or "cancelled" ambiguous.
func (a Answers) Summary() string {
	var b strings.Builder
	for i := range a.Answers {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(summaryID(a.Answers[i].ID))
		b.WriteString(": ")
		writeIndented(&b, a.Answers[i].payload().summary())
	}
	return b.String()
}

// Summary returns the answers for people who saw the form, one a line: "question:
// answer", or "question? answer" after a question with punctuation at its end. It
// has the labels of options and buttons instead of ids, and an id where e has no
// prompt or no option for it.
//
// As in [Answers.Summary], no value can pass for another line: the further lines of
// a question, a label or a text are indented by two spaces. It is not read back, and
// does not have to be: [Answers.Summary] is for that.
func (e *Envelope) Summary(a Answers) string {
	asked := make(map[string]*question)
	if e != nil {
		for i := range e.Prompts {
			if q := newQuestion(&e.Prompts[i]); asked[q.ID] == nil {
				asked[q.ID] = &q
			}
		}
	}
	var b strings.Builder
	for i := range a.Answers {
		if i > 0 {
			b.WriteByte('\n')
		}
		answer := &a.Answers[i]
		shown, value := summaryID(answer.ID)+":", answer.payload().summary()
		if q := asked[answer.ID]; q != nil {
			shown = q.Question
			if labels := q.labelsOf(answer.payload()); labels != nil {
				value = strings.Join(labels, ", ")
			}
		}
		if last, _ := utf8.DecodeLastRuneInString(shown); !unicode.IsPunct(last) {
			shown += ":"
		}
		writeIndented(&b, shown+" "+value)
	}
	return b.String()
}

func (p *ChoiceAnswer) summary() string  { return strings.Join(p.Values, ", ") }
func (p *ConfirmAnswer) summary() string { return p.decision().String() }
func (p *TextAnswer) summary() string    { return p.Value }
func (noPayload) summary() string        { return "" }

func (p *ConfirmAnswer) decision() Decision {
	if p.Confirmed {
		return Confirmed
	}
	return Cancelled
}

// summaryID returns an id as a summary writes it. Line breaks in it are escaped,
// also those that canonical JSON leaves alone.
func summaryID(id string) string {
	if isID(id) {
		return id
	}
	return lineBreakEscapes.Replace(string(jsontext.AppendString(nil, id)))
}

var lineBreakEscapes = strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// writeIndented writes s with two spaces before every line but the first.
func writeIndented(b *strings.Builder, s string) {
	for line := range text.Lines(s) {
		b.WriteString(line)
		if s = s[len(line):]; s != "" {
			b.WriteString("  ")
		}
	}
}
