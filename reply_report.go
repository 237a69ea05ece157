package clarify

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MarshalJSON returns the reply for an audit log, with all that the user wrote.
// It cannot be read back: what acts on a reply has to read the message.
func (r Reply) MarshalJSON() ([]byte, error) { return r.append(nil, false), nil }

// RedactedJSON is MarshalJSON without what the user wrote: of a text answer and
// of the remainder it has only the length in code points, of a violation not
// what was got. Ids of options and decisions are in it.
func (r *Reply) RedactedJSON() []byte { return r.get().append(nil, true) }

func (r *Reply) append(dst []byte, redact bool) []byte {
	dst = appendString(append(dst, `{"source":`...), r.source.String())
	dst = append(dst, `,"answers":[`...)
	for i := range r.answers {
		if i > 0 {
			dst = append(dst, ',')
		}
		a := &r.answers[i]
		if text, ok := a.Payload.(*TextAnswer); ok && redact {
			dst = appendString(append(dst, `{"id":`...), a.ID)
			dst = appendLength(append(dst, `,"kind":"text","length":`...), text.Value)
		} else {
			dst = a.append(dst)
			dst = dst[:len(dst)-len("}")]
		}
		dst = appendString(append(dst, `,"at":`...), r.evidence[i].Path)
		dst = appendString(append(dst, `,"rule":`...), string(r.evidence[i].Rule))
		dst = append(dst, '}')
	}
	dst = appendStrings(append(dst, `],"missing":`...), r.missing)
	dst = appendStrings(append(dst, `,"cancelled":`...), r.cancelled)
	dst = append(dst, `,"violations":[`...)
	for i, v := range r.violations {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"path":`...), v.Path)
		dst = appendString(append(dst, `,"code":`...), string(v.Code))
		if !redact {
			dst = appendString(append(dst, `,"got":`...), v.Got)
		}
		dst = appendString(append(dst, `,"want":`...), v.Want)
		dst = append(dst, '}')
	}
	if redact {
		dst = appendLength(append(dst, `],"remainder_length":`...), r.remainder)
	} else {
		dst = appendString(append(dst, `],"remainder":`...), toUTF8(r.remainder))
	}
	dst = appendBool(dst, `,"complete":`, r.Complete())
	dst = appendBool(dst, `,"proceed":`, r.proceed)
	return append(dst, '}')
}

func appendLength(dst []byte, s string) []byte {
	return strconv.AppendInt(dst, int64(utf8.RuneCountInString(s)), 10)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, toUTF8(s))
	}
	return append(dst, ']')
}

// ForModel returns the reply as lines for the conversation that the model
// reads. Every line starts with a word of ours, and what the user wrote stands
// in quotes, escaped, on one line, so that no value can pass for a line. It
// says what is missing, cancelled and not understood, and where nothing was
// answered it says so. The last line says whether to proceed, unless all is
// answered and no confirm was asked.
func (r *Reply) ForModel() string {
	r = r.get()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch {
	case r.source == SourceChat:
		line("reply: the user did not answer the questions: nothing is answered, confirmed or refused")
	case len(r.answers) == 0:
		line("reply: nothing in the user's answers holds: nothing is answered, confirmed or refused")
	default:
		line("reply: %s of the user to the questions", plural(len(r.answers), "answer"))
	}
	for _, a := range r.answers {
		id := quoteAll(a.ID)
		switch p := a.Payload.(type) {
		case *ChoiceAnswer:
			values := make([]string, len(p.Values))
			for i, v := range p.Values {
				values[i] = quoteAll(v)
			}
			line("answer: %s: chose %s", id, strings.Join(values, ", "))
		case *ConfirmAnswer:
			line("answer: %s: %s", id, confirmWord(p.Confirmed))
		case *TextAnswer:
			line("answer: %s: wrote %s", id, quoteAll(p.Value))
		}
	}
	for _, id := range r.cancelled {
		line("cancelled: %s: do not do what it asked about", quoteAll(id))
	}
	for _, id := range r.missing {
		line("missing: %s: required, and not answered", quoteAll(id))
	}
	for i, v := range r.violations {
		if i == maxProblems {
			line("problem: and %d more", len(r.violations)-i)
			break
		}
		line("problem: %s", v)
	}
	if r.remainder != "" {
		line("not understood: %s", quoteAll(r.remainder))
	}
	switch {
	case r.proceed:
		line("proceed: yes, with exactly what was asked about")
	case r.confirms || !r.Complete():
		line("proceed: no")
	}
	return b.String()
}

// maxProblems is the number of violations that the model is told: a message can
// have thousands.
const maxProblems = 20

// quoteAll quotes foreign text as a JSON string in which nothing is left that
// could break a line, move the cursor or turn the direction of the text.
func quoteAll(s string) string {
	b := appendString(nil, toUTF8(s))
	if !strings.ContainsFunc(string(b), isInvisible) {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case !isInvisible(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// isInvisible reports whether r is a control or format character, or a
// separator of lines.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
