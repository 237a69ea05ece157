package clarify

import (
	"cmp"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file writes the canonical JSON and has all JSON methods. A value is first
// judged by encodable and then written by append, which cannot fail.

// AppendJSON appends the canonical JSON of e to dst. An empty label of a Confirm
// is written as its default. Skipped is not written.
//
// It does not ask whether e is valid, nor, unlike Result, whether e was read
// whole. But a value that [Parse] would not read back unchanged cannot be
// encoded: then it returns dst and an error that is [ErrCannotEncode].
func (e *Envelope) AppendJSON(dst []byte) ([]byte, error) {
	if err := e.encodable(); err != nil {
		return dst, err
	}
	return bounded(dst, e.append(dst), "the envelope")
}

// MarshalJSON returns the canonical JSON of e, or an error as AppendJSON does.
// But encoding/json escapes <, >, & and U+2028 in it again: call AppendJSON or
// Result where the canonical bytes matter.
func (e Envelope) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON reads data as [Parse] does and replaces all of e. On an error it
// leaves e alone; null does nothing.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	parsed, err := Parse(string(data))
	if err != nil {
		return err
	}
	*e = *parsed
	return nil
}

func (e *Envelope) encodable() error {
	if e == nil {
		return cannotEncode("the envelope", "nil")
	}
	if key, why := unreadable(textField{keyTitle, e.Title, optional}); why != "" {
		return cannotEncode(key, why)
	}
	if len(e.Prompts) == 0 {
		return cannotEncode(keyPrompts, "no prompt")
	}
	for i := range e.Prompts {
		if err := e.Prompts[i].encodable(place{i, -1}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Envelope) append(dst []byte) []byte {
	dst = append(dst, `{"`+keyProtocol+`":"`+Protocol+`"`...)
	dst = jsontext.AppendOptional(dst, `,"`+keyTitle+`":`, e.Title)
	dst = append(dst, `,"`+keyPrompts+`":[`...)
	for i := range e.Prompts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.Prompts[i].append(dst)
	}
	return append(dst, "]}"...)
}

// MarshalJSON returns the prompt as in a canonical envelope. The error
// is [ErrCannotEncode].
func (p Prompt) MarshalJSON() ([]byte, error) {
	if err := p.encodable(place{0, -1}); err != nil {
		return nil, err
	}
	return bounded(nil, p.append(nil), "the prompt")
}

// UnmarshalJSON reads data as the lenient side reads one prompt and replaces all
// of p. A prompt that [Parse] would leave out is an error, which leaves p alone.
// null does nothing.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	var raw rawPrompt
	return unmarshal(p, data, "a prompt", &raw, func(r *reader) (Prompt, bool) { return r.prompt(0, &raw) })
}

func (p *Prompt) encodable(at place) error {
	key, why := unreadable(
		textField{keyID, p.ID, needed},
		textField{keyQuestion, p.Question, needed},
		textField{keyHint, p.Hint, optional},
	)
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	return p.input().encodable(at)
}

func (p *Prompt) append(dst []byte) []byte {
	in := p.input()
	dst = jsontext.AppendString(append(dst, `{"`+keyID+`":`...), p.ID)
	dst = append(dst, `,"`+keyKind+`":"`...)
	dst = append(dst, in.Kind()...)
	dst = jsontext.AppendString(append(dst, `","`+keyQuestion+`":`...), p.Question)
	dst = jsontext.AppendOptional(dst, `,"`+keyHint+`":`, p.Hint)
	dst = jsontext.AppendBool(dst, `,"`+keyRequired+`":`, !p.Optional)
	return append(in.appendMembers(dst), '}')
}

func (c *Choice) encodable(at place) error {
	if n := len(c.Options); n < MinOptions {
		return cannotEncode(at.path(keyOptions), fmt.Sprintf("%s, want at least %d", text.Plural(n, "option"), MinOptions))
	}
	for i := range c.Options {
		if err := c.Options[i].encodable(place{at.prompt, i}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Choice) appendMembers(dst []byte) []byte {
	dst = append(dst, `,"`+keyOptions+`":[`...)
	for i := range c.Options {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.Options[i].append(dst)
	}
	return jsontext.AppendBool(dst, `],"`+keyAllowMultiple+`":`, c.AllowMultiple)
}

func (c *Confirm) encodable(at place) error {
	key, why := unreadable(
		textField{keyConfirmLabel, c.ConfirmLabel, optional},
		textField{keyCancelLabel, c.CancelLabel, optional},
	)
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	return nil
}

func (c *Confirm) appendMembers(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `,"`+keyConfirmLabel+`":`...), cmp.Or(c.ConfirmLabel, DefaultConfirmLabel))
	dst = jsontext.AppendString(append(dst, `,"`+keyCancelLabel+`":`...), cmp.Or(c.CancelLabel, DefaultCancelLabel))
	return jsontext.AppendBool(dst, `,"`+keyDanger+`":`, c.Danger)
}

func (t *Text) encodable(at place) error {
	key, why := unreadable(
		textField{keyPlaceholder, t.Placeholder, optional},
		textField{keyDefaultValue, t.DefaultValue, verbatim},
	)
	if why != "" {
		return cannotEncode(at.path(key), why)
	}
	return nil
}

func (t *Text) appendMembers(dst []byte) []byte {
	dst = jsontext.AppendOptional(dst, `,"`+keyPlaceholder+`":`, t.Placeholder)
	dst = jsontext.AppendOptional(dst, `,"`+keyDefaultValue+`":`, t.DefaultValue)
	return jsontext.AppendBool(dst, `,"`+keyMultiline+`":`, t.Multiline)
}

func (in noInput) encodable(at place) error {
	return cannotEncode(at.path(""), fmt.Sprintf("%T that is nil or not an Input of this package", in.got))
}

func (noInput) appendMembers(dst []byte) []byte { return dst }

// MarshalJSON returns the option as in a canonical envelope. The error
// is [ErrCannotEncode].
func (o Option) MarshalJSON() ([]byte, error) {
	if err := o.encodable(place{0, 0}); err != nil {
		return nil, err
	}
	return bounded(nil, o.append(nil), "the option")
}

// UnmarshalJSON reads data as the lenient side reads one option and replaces all
// of o. An option that [Parse] would leave out is an error, which leaves o alone.
// null does nothing.
func (o *Option) UnmarshalJSON(data []byte) error {
	var raw rawOption
	return unmarshal(o, data, "an option", &raw, func(r *reader) (Option, bool) { return r.option(place{0, 0}, &raw) })
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

func (o *Option) append(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `{"`+keyID+`":`...), o.ID)
	dst = jsontext.AppendString(append(dst, `,"`+keyLabel+`":`...), o.Label)
	dst = jsontext.AppendOptional(dst, `,"`+keyDescription+`":`, o.Description)
	return append(dst, '}')
}

// AppendJSON appends the canonical JSON of a to dst. No answers at all, and a
// value that [ParseAnswers] would not read back unchanged, cannot be encoded:
// then it returns dst and an error that is [ErrCannotEncode].
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
		out = append(a.Answers[i].appendMembers(append(out, '{')), '}')
	}
	out = append(out, ']')
	if a.For != "" {
		if !utf8.ValidString(a.For) {
			return dst, cannotEncode(keyFor, "invalid UTF-8")
		}
		out = jsontext.AppendString(append(out, `,"`+keyFor+`":`...), a.For)
	}
	return bounded(dst, append(out, '}'), "the answers")
}

// MarshalJSON returns the canonical JSON of a, or null if a has no answers, so
// that a struct with a zero Answers can be marshaled. It returns an error as
// AppendJSON does. encoding/json escapes what it returns again; see
// [Envelope.MarshalJSON].
func (a Answers) MarshalJSON() ([]byte, error) {
	if len(a.Answers) == 0 {
		return []byte("null"), nil
	}
	return a.AppendJSON(nil)
}

// UnmarshalJSON reads data as [ParseAnswers] does and replaces all of a. On an
// error it leaves a alone; null does nothing.
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

// MarshalJSON returns the answer as in canonical answers. The error is
// [ErrCannotEncode].
func (a Answer) MarshalJSON() ([]byte, error) {
	if err := a.encodable(0); err != nil {
		return nil, err
	}
	return bounded(nil, append(a.appendMembers([]byte{'{'}), '}'), "the answer")
}

// UnmarshalJSON reads data as one entry of an answers array and replaces all of a.
// An entry that [ParseAnswers] would leave out is an error, which leaves a alone.
// null does nothing.
func (a *Answer) UnmarshalJSON(data []byte) error {
	var raw rawAnswer
	return unmarshal(a, data, "an answer", &raw, func(r *reader) (Answer, bool) { return r.answer(0, &raw) })
}

func (a *Answer) encodable(i int) error {
	if key, why := unreadable(textField{keyID, a.ID, needed}); why != "" {
		return cannotEncode(answerPath(i, key), why)
	}
	return a.payload().encodable(i)
}

// appendMembers appends what is between the braces.
func (a *Answer) appendMembers(dst []byte) []byte {
	p := a.payload()
	dst = jsontext.AppendString(append(dst, `"`+keyID+`":`...), a.ID)
	dst = append(dst, `,"`+keyKind+`":"`...)
	dst = append(dst, p.Kind()...)
	return p.appendMembers(append(dst, '"'))
}

func (p *ChoiceAnswer) encodable(i int) error {
	for j, v := range p.Values {
		if text.Trim(v, text.ScriptSpace) == "" || !utf8.ValidString(v) {
			return cannotEncode(valuePath(i, j), "a blank string or invalid UTF-8")
		}
	}
	return nil
}

func (p *ChoiceAnswer) appendMembers(dst []byte) []byte {
	return jsontext.AppendStrings(append(dst, `,"`+keyValues+`":`...), p.Values)
}

func (*ConfirmAnswer) encodable(int) error { return nil }

func (p *ConfirmAnswer) appendMembers(dst []byte) []byte {
	return jsontext.AppendBool(dst, `,"`+keyConfirmed+`":`, p.Confirmed)
}

func (p *TextAnswer) encodable(i int) error {
	if key, why := unreadable(textField{keyValue, p.Value, verbatim}); why != "" {
		return cannotEncode(answerPath(i, key), why)
	}
	return nil
}

func (p *TextAnswer) appendMembers(dst []byte) []byte {
	return jsontext.AppendString(append(dst, `,"`+keyValue+`":`...), p.Value)
}

func (p noPayload) encodable(i int) error {
	return cannotEncode(answerPath(i, ""), fmt.Sprintf("%T that is nil or not a Payload of this package", p.got))
}

func (noPayload) appendMembers(dst []byte) []byte { return dst }

// AppendJSON appends the event to dst as one JSON object on one line: the type,
// the other fields that are not empty, and the output as a string. Bytes that are
// not UTF-8 become U+FFFD.
func (ev Event) AppendJSON(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `{"`+keyType+`":`...), text.ToUTF8(ev.Type))
	dst = jsontext.AppendOptional(dst, `,"`+keyAgent+`":`, text.ToUTF8(ev.Agent))
	dst = jsontext.AppendOptional(dst, `,"`+keyTool+`":`, text.ToUTF8(ev.Tool))
	dst = jsontext.AppendOptional(dst, `,"`+keyRunID+`":`, text.ToUTF8(ev.RunID))
	dst = jsontext.AppendString(append(dst, `,"`+keyOutput+`":`...), text.ToUTF8(ev.Output))
	if ev.Failed {
		dst = jsontext.AppendBool(dst, `,"`+keyFailed+`":`, true)
	}
	return append(dst, '}')
}

// MarshalJSON is AppendJSON to a new buffer.
func (ev Event) MarshalJSON() ([]byte, error) { return ev.AppendJSON(nil), nil }

// UnmarshalJSON reads data as [ParseEvent] does and replaces all of ev. On an
// error it leaves ev alone; null does nothing.
func (ev *Event) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	parsed, err := ParseEvent(data)
	if err != nil {
		return err
	}
	*ev = parsed
	return nil
}

// MarshalJSON returns the reply for an audit log, with all that the user wrote.
// It cannot be read back.
func (r Reply) MarshalJSON() ([]byte, error) { return r.append(nil, false), nil }

// UnmarshalJSON returns an error. Keep the user's message and read it with
// [Envelope.Read]: what acts on a reply must not trust a stored one.
func (*Reply) UnmarshalJSON([]byte) error {
	return errors.New("clarify: a Reply cannot be read back: read the user's message instead")
}

// MarshalText returns the word of the decision: undecided, confirmed or
// cancelled.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the word of a decision. Any other text is an error, which
// leaves d alone.
func (d *Decision) UnmarshalText(b []byte) error { return fromWord(d, b, decisions) }

// MarshalText returns the word of the source: chat, text or structured.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a source. Any other text is an error, which
// leaves s alone.
func (s *Source) UnmarshalText(b []byte) error { return fromWord(s, b, sources) }

// MarshalText returns the word of the state.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a state. Any other text is an error, which
// leaves s alone.
func (s *State) UnmarshalText(b []byte) error { return fromWord(s, b, states) }

// fromWord sets v to the value that has the word.
func fromWord[T ~uint8](v *T, word []byte, words []string) error {
	for i, w := range words {
		if w == string(word) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("clarify: %s is no word of %T", text.Quote(string(word)), *v)
}

// A reading says how a string is read back.
type reading uint8

const (
	needed   reading = iota // trimmed, never blank
	optional                // trimmed, blank is absent
	verbatim                // as it is
)

// A textField is one string of a value that is to be encoded.
type textField struct {
	key, s string
	as     reading
}

// unreadable returns the first field that would not be read back unchanged, and
// why. If there is none, why is empty.
func unreadable(fields ...textField) (key, why string) {
	for _, f := range fields {
		switch {
		case !utf8.ValidString(f.s):
			return f.key, "invalid UTF-8"
		case f.as == verbatim, f.s == "" && f.as == optional:
		case f.s == "":
			return f.key, "an empty string"
		case text.Trim(f.s, text.ScriptSpace) != f.s:
			return f.key, "white space around a string"
		}
	}
	return "", ""
}

func cannotEncode(path, why string) error {
	return fmt.Errorf("%w %s: %s", ErrCannotEncode, path, why)
}

// bounded returns out, which was appended to dst, or dst and an error if what was
// appended is too large to be read back.
func bounded(dst, out []byte, what string) ([]byte, error) {
	if n := len(out) - len(dst); n > MaxSize {
		return dst, cannotEncode(what, tooLarge(n))
	}
	return out, nil
}

func tooLarge(n int) string { return fmt.Sprintf("%d bytes, want at most %d", n, MaxSize) }

// isNull reports whether data is the JSON null, which encoding/json hands to an
// UnmarshalJSON too.
func isNull(data []byte) bool { return string(data) == "null" }

// unmarshal reads one JSON text into raw, judges it, and replaces v if it is one.
func unmarshal[T any](v *T, data []byte, what string, raw interface{ read(*jsontext.Scanner) }, judge func(*reader) (T, bool)) error {
	if isNull(data) {
		return nil
	}
	if len(data) > MaxSize {
		return errors.New(errorPrefix + tooLarge(len(data)))
	}
	src := string(data)
	r := reader{Scanner: jsontext.New(src), Arena: jsontext.NewArena(src)}
	raw.read(&r.Scanner)
	if !r.End() {
		why, at := r.Fault()
		return fmt.Errorf("clarify: invalid JSON: %s at byte %d", why, at)
	}
	read, ok := judge(&r)
	if !ok {
		return fmt.Errorf("clarify: not %s: %v", what, r.skipped[0])
	}
	*v = read
	return nil
}
