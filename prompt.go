package clarify

import (
	"cmp"
	"slices"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// A Kind is the kind of a prompt or of an answer. The contract has three.
type Kind string

const (
	KindChoice  Kind = "choice"
	KindConfirm Kind = "confirm"
	KindText    Kind = "text"
)

// isKnown reports whether the contract has the kind.
func (k Kind) isKnown() bool { return k == KindChoice || k == KindConfirm || k == KindText }

// A Prompt is one question to the user. Its fields are those that all kinds have;
// Input has what the kind adds.
type Prompt struct {
	ID       string // matches IDPattern
	Question string // 1 to MaxQuestion code points
	Hint     string // optional, at most MaxHint code points

	// Optional says that the user may leave the prompt unanswered. It is the
	// opposite of "required" in the JSON, where a prompt is required by default.
	Optional bool

	Input Input
}

// Kind returns the kind of the prompt's Input. It returns "" if Input is nil, a
// nil pointer, or no type of this package.
func (p Prompt) Kind() Kind { return p.input().Kind() }

// Input is the part of a prompt that depends on its kind: a [*Choice], a
// [*Confirm] or a [*Text]. There are no others.
type Input interface {
	Kind() Kind

	raw(*rawPrompt)                                             // validate.go
	encodable(place) error                                      // encode.go
	appendMembers(dst []byte) []byte                            // encode.go
	fromEntry(*question, *entry) Payload                        // read_structured.go
	fromWords(q *question, words string) (Payload, Rule, fault) // read_words.go
	fromForm(q *question, values []string) (Payload, fault)     // form.go
	lint(*linter, place)                                        // lint.go
	clone() Input
}

// A Choice asks for one of its options, or for any number of them.
type Choice struct {
	Options       []Option // MinOptions to MaxOptions, with unique ids
	AllowMultiple bool
}

// An Option is one thing to choose. The id is the answer; the label is shown.
type Option struct {
	ID          string // matches IDPattern
	Label       string // 1 to MaxLabel code points
	Description string // optional, at most MaxDescription code points
}

// A Confirm asks for yes or no. No answer is neither of them. [Parse],
// [ParseCall] and [Envelope.Normalized] fill in both labels.
type Confirm struct {
	ConfirmLabel string // "" means DefaultConfirmLabel; at most MaxLabel code points
	CancelLabel  string // "" means DefaultCancelLabel; at most MaxLabel code points
	Danger       bool   // deletes something, or cannot be undone
}

// A Text asks for free text.
type Text struct {
	Placeholder  string // optional, at most MaxPlaceholder code points
	DefaultValue string // optional, at most MaxDefaultValue code points; pre-filled, never an answer
	Multiline    bool
}

// Kind returns [KindChoice].
func (*Choice) Kind() Kind { return KindChoice }

// Kind returns [KindConfirm].
func (*Confirm) Kind() Kind { return KindConfirm }

// Kind returns [KindText].
func (*Text) Kind() Kind { return KindText }

// The labels of a confirm that has none.
const (
	DefaultConfirmLabel = "Confirm"
	DefaultCancelLabel  = "Cancel"
)

// labels returns the labels that are shown.
func (c *Confirm) labels() (confirm, cancel string) {
	confirm = cmp.Or(text.Trim(c.ConfirmLabel, text.AnySpace), DefaultConfirmLabel)
	cancel = cmp.Or(text.Trim(c.CancelLabel, text.AnySpace), DefaultCancelLabel)
	return confirm, cancel
}

// input returns p.Input, or a noInput for what is not one: nil, a nil pointer,
// or a type of another package that embeds an Input.
func (p *Prompt) input() Input {
	switch in := p.Input.(type) {
	case *Choice:
		if in != nil {
			return in
		}
	case *Confirm:
		if in != nil {
			return in
		}
	case *Text:
		if in != nil {
			return in
		}
	}
	return noInput{p.Input}
}

// A noInput has no kind, no encoding and no answer.
type noInput struct{ got Input }

func (noInput) Kind() Kind { return "" }

func (c *Choice) clone() Input  { return &Choice{slices.Clone(c.Options), c.AllowMultiple} }
func (c *Confirm) clone() Input { in := *c; return &in }
func (t *Text) clone() Input    { in := *t; return &in }
func (n noInput) clone() Input  { return n.got }
