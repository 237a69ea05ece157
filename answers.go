package clarify

import (
	"slices"
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Answers is what the user sends back: as JSON, it is the next user message.
//
// Its answers were not checked against what was asked.
type Answers struct {
	Answers []Answer

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
	forModel() string // reply.go
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
