package clarify

import (
	"cmp"
	"fmt"
)

// A Kind is the kind of a prompt or of an answer. The contract has three.
type Kind string

const (
	KindChoice  Kind = "choice"
	KindConfirm Kind = "confirm"
	KindText    Kind = "text"
)

// A Prompt is one question to the user: what all kinds share, and in Input what
// the kind adds.
type Prompt struct {
	ID       string // matches IDPattern
	Question string // 1 to MaxQuestion code points
	Hint     string // optional, at most MaxHint code points

	// Optional says that the user may leave the prompt unanswered. It is the
	// wire's "required" turned round: there, and so here, a prompt is required
	// unless it says otherwise.
	Optional bool

	Input Input
}

// Input is the part of a prompt that its kind decides: a [*Choice], a
// [*Confirm] or a [*Text]. There are no others.
type Input interface {
	Kind() Kind
	isInput()
}

// A Choice asks for one of its options, or for any number of them.
type Choice struct {
	Options       []Option // MinOptions to MaxOptions, ids unique
	AllowMultiple bool
}

// An Option is one thing to choose. Its id is the answer, its label is shown.
type Option struct {
	ID          string // matches IDPattern
	Label       string // 1 to MaxLabel code points
	Description string // optional, at most MaxDescription code points
}

// A Confirm asks for yes or no. No answer is neither. What [Parse] and
// [ParseCall] return has both labels filled in.
type Confirm struct {
	ConfirmLabel string // "" is DefaultConfirmLabel; at most MaxLabel code points
	CancelLabel  string // "" is DefaultCancelLabel; at most MaxLabel code points
	Danger       bool   // deletes, or cannot be undone
}

// A Text asks for free text.
type Text struct {
	Placeholder  string // optional, at most MaxPlaceholder code points
	DefaultValue string // optional, at most MaxDefaultValue code points; pre-filled, never an answer by itself
	Multiline    bool
}

func (*Choice) Kind() Kind  { return KindChoice }
func (*Confirm) Kind() Kind { return KindConfirm }
func (*Text) Kind() Kind    { return KindText }

func (*Choice) isInput()  {}
func (*Confirm) isInput() {}
func (*Text) isInput()    {}

// Kind returns the kind of the prompt's Input, and "" where there is none.
func (p Prompt) Kind() Kind {
	switch in := p.Input.(type) {
	case *Choice:
		if in != nil {
			return KindChoice
		}
	case *Confirm:
		if in != nil {
			return KindConfirm
		}
	case *Text:
		if in != nil {
			return KindText
		}
	}
	return ""
}

// MarshalJSON returns the prompt as it stands in a canonical envelope, or an
// error where [Envelope.AppendJSON] would return one.
func (p Prompt) MarshalJSON() ([]byte, error) {
	if err := p.encodable(place{0, -1}); err != nil {
		return nil, err
	}
	return bounded(p.append(nil))
}

// UnmarshalJSON reads data as the Console side reads one prompt and replaces
// all of p. A prompt that [Parse] would leave out is an error, and p is left
// alone; what Parse would replace is replaced. null does nothing.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	r, err := newReader(string(data))
	if err != nil {
		return err
	}
	var raw rawPrompt
	r.scanner.prompt(&raw)
	if !r.end() {
		return r.syntaxError()
	}
	read, ok := r.prompt(0, &raw)
	if !ok {
		return fmt.Errorf("clarify: not a prompt: %v", r.skipped[0])
	}
	*p = read
	return nil
}

// MarshalJSON returns the option as it stands in a canonical envelope.
func (o Option) MarshalJSON() ([]byte, error) {
	if err := o.encodable(place{0, 0}); err != nil {
		return nil, err
	}
	return bounded(o.append(nil))
}

// UnmarshalJSON reads data as the Console side reads one option and replaces
// all of o. An option that [Parse] would leave out is an error, and o is left
// alone. null does nothing.
func (o *Option) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	r, err := newReader(string(data))
	if err != nil {
		return err
	}
	raw := r.scanner.option()
	if !r.end() {
		return r.syntaxError()
	}
	read, ok := r.option(place{0, 0}, &raw)
	if !ok {
		return fmt.Errorf("clarify: not an option: %v", r.skipped[0])
	}
	*o = read
	return nil
}

func (p *Prompt) encodable(at place) error {
	key, why := unreadable(
		textField{keyID, p.ID, needed},
		textField{keyQuestion, p.Question, needed},
		textField{keyHint, p.Hint, optional},
	)
	if why == "" && p.Kind() == "" {
		why = fmt.Sprintf("%T that is nil or not an Input of this package", p.Input)
	}
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	switch in := p.Input.(type) {
	case *Choice:
		if n := len(in.Options); n < MinOptions {
			return cannotEncode(at.path(keyOptions), fmt.Sprintf("%s, want at least %d", plural(n, "option"), MinOptions))
		}
		for i := range in.Options {
			if err := in.Options[i].encodable(place{at.prompt, i}); err != nil {
				return err
			}
		}
	case *Confirm:
		key, why = unreadable(
			textField{keyConfirmLabel, in.ConfirmLabel, optional},
			textField{keyCancelLabel, in.CancelLabel, optional},
		)
	case *Text:
		key, why = unreadable(
			textField{keyPlaceholder, in.Placeholder, optional},
			textField{keyDefaultValue, in.DefaultValue, verbatim},
		)
	}
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	return nil
}

func (o *Option) encodable(at place) error {
	key, why := unreadable(
		textField{keyID, o.ID, needed},
		textField{keyLabel, o.Label, needed},
		textField{keyDescription, o.Description, optional},
	)
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	return nil
}

// append writes what is known to be encodable.
func (p *Prompt) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"`+keyID+`":`...), p.ID)
	dst = append(dst, `,"`+keyKind+`":"`...)
	dst = append(dst, p.Kind()...)
	dst = append(dst, '"')
	dst = appendString(append(dst, `,"`+keyQuestion+`":`...), p.Question)
	dst = appendOptional(dst, `,"`+keyHint+`":`, p.Hint)
	dst = appendBool(dst, `,"`+keyRequired+`":`, !p.Optional)
	switch in := p.Input.(type) {
	case *Choice:
		dst = append(dst, `,"`+keyOptions+`":[`...)
		for i := range in.Options {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = in.Options[i].append(dst)
		}
		dst = append(dst, ']')
		dst = appendBool(dst, `,"`+keyAllowMultiple+`":`, in.AllowMultiple)
	case *Confirm:
		dst = appendOptional(dst, `,"`+keyConfirmLabel+`":`, cmp.Or(in.ConfirmLabel, DefaultConfirmLabel))
		dst = appendOptional(dst, `,"`+keyCancelLabel+`":`, cmp.Or(in.CancelLabel, DefaultCancelLabel))
		dst = appendBool(dst, `,"`+keyDanger+`":`, in.Danger)
	case *Text:
		dst = appendOptional(dst, `,"`+keyPlaceholder+`":`, in.Placeholder)
		dst = appendOptional(dst, `,"`+keyDefaultValue+`":`, in.DefaultValue)
		dst = appendBool(dst, `,"`+keyMultiline+`":`, in.Multiline)
	}
	return append(dst, '}')
}

func (o *Option) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"`+keyID+`":`...), o.ID)
	dst = appendString(append(dst, `,"`+keyLabel+`":`...), o.Label)
	dst = appendOptional(dst, `,"`+keyDescription+`":`, o.Description)
	return append(dst, '}')
}
