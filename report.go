package clarify

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file says what is in a reply: to the model, and to a log.

// What the model reads is bounded, because the agent's tool and the user can both
// write a megabyte. Together these bounds keep it below 64 KiB.
const (
	maxReportLines = 32 << 10 // bytes after which a list is cut; one line has at most 10 KB
	maxSection     = 20       // lines of one kind, and values of one answer
	maxWritten     = 16_000   // bytes of what the user wrote
	maxShown       = 200      // bytes of an id, a question or a label
)

// ForModel returns the reply as lines for the conversation that the model reads.
// They say what was answered, cancelled, missing, left out and wrong, and what else
// the user wrote. The last line says whether to proceed and why not, unless all is
// answered and no confirm was asked.
//
// Every line starts with a word of ours. What the agent and the user wrote is quoted
// and escaped on one line, so that nothing can pass for a line. Long lists and texts
// are cut, and say so: there are at most 64 KiB.
//
// If no question was asked, ForModel returns the message itself, as it is.
func (r *Reply) ForModel() string {
	r = r.get()
	if r.state == StateNothingAsked && len(r.violations) == 0 && !r.noAnswer {
		return r.remainder
	}
	m := &report{left: maxWritten}
	const nothing = "nothing is answered, confirmed or refused"
	switch {
	case r.noAnswer:
		m.line("reply: no answer came, and none will: %s", nothing)
	case r.source == SourceChat && r.remainder == "":
		m.line("reply: the user sent an empty message: %s", nothing)
	case r.source == SourceChat:
		m.line("reply: the user wrote a message that answers none of the questions: %s", nothing)
	case len(r.evidence) == 0:
		m.line("reply: the user answered, and no answer holds: %s", nothing)
	default:
		m.line("reply: %s of the user to the questions", text.Plural(len(r.evidence), "answer"))
	}
	m.section("answer", len(r.evidence), func(i int) string {
		a := r.evidence[i].Answer
		return about(a.ID, r.shown[i].question) + a.Payload.forModel(m, r.shown[i].labels)
	})
	cancelled := r.cancelled()
	m.section("cancelled", len(cancelled), func(i int) string {
		return about(cancelled[i], r.shown[r.byID[cancelled[i]]].question) + "do not do what it asked about"
	})
	m.section("missing", len(r.missing), func(i int) string {
		a := r.missing[i]
		line := about(a.id, a.question) + "required, and not answered"
		if a.kind == KindConfirm {
			line += "; the user can press a button"
		}
		if id := summaryID(a.id); a.inWords && len(id) <= maxShown {
			line += fmt.Sprintf(", or write %s or %s", jsontext.Quote(id+": "+wordConfirmed), jsontext.Quote(id+": "+wordCancelled))
		}
		return line
	})
	m.section("left out", len(r.leftOut), func(i int) string {
		return about(r.leftOut[i].id, r.leftOut[i].question) + "optional, and not answered"
	})
	m.section("problem", len(r.violations), func(i int) string { return r.violations[i].String() })
	switch {
	case r.remainder == "":
	case r.source == SourceChat:
		m.line("message: %s", m.wrote(r.remainder))
	default:
		m.line("the user also wrote: %s", m.wrote(r.remainder))
	}
	switch why := r.whyNot(); {
	case r.Proceed():
		m.line("proceed: yes, with exactly what was asked about")
	case r.confirms || why != nil:
		m.line("proceed: no, because %s", strings.Join(why, "; "))
	}
	return m.String()
}

// whyNot returns the reasons not to proceed, if there are some.
func (r *Reply) whyNot() (why []string) {
	add := func(is bool, reason string) {
		if is {
			why = append(why, reason)
		}
	}
	add(r.state == StateCancelled, "the user cancelled")
	add(len(r.evidence) == 0, "nothing was answered")
	add(len(r.evidence) > 0 && len(r.missing) > 0, "a required answer is missing")
	add(len(r.violations) > 0, "an answer does not hold")
	add(r.isPart, "a part of the question could not be shown to the user")
	add(r.confirms && why == nil && !r.Proceed(), "a confirm was left open")
	return why
}

// A report collects what the model reads.
type report struct {
	strings.Builder
	left int // bytes for what the user wrote
}

func (m *report) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// section writes n lines that start with the word, or the first of them and how many
// there are more.
func (m *report) section(word string, n int, line func(i int) string) {
	for i := range n {
		if i == maxSection || m.Len() > maxReportLines {
			m.line("%s: and %d more", word, n-i)
			return
		}
		m.line("%s: %s", word, line(i))
	}
}

// wrote returns in quotes what the user wrote.
func (m *report) wrote(s string) string {
	quoted := quoteShort(s, max(m.left, maxShown))
	m.left -= len(quoted)
	return quoted
}

// quoteShort returns s in quotes, cut to about n bytes.
func quoteShort(s string, n int) string {
	quoted, rest := jsontext.QuoteStart(s, n)
	if rest != "" {
		quoted += fmt.Sprintf(" (cut: %s more)", text.Plural(len(rest), "byte"))
	}
	return quoted
}

// about names a prompt: its id and its question.
func about(id, question string) string {
	return quoteShort(id, maxShown) + " (" + quoteShort(question, maxShown) + "): "
}

func (p *ChoiceAnswer) forModel(_ *report, labels []string) string {
	var b strings.Builder
	for i, v := range p.Values {
		if i == maxSection {
			fmt.Fprintf(&b, " and %d more", len(p.Values)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s (%s)", quoteShort(v, maxShown), quoteShort(labels[i], maxShown))
	}
	return "chose" + b.String()
}

func (p *ConfirmAnswer) forModel(_ *report, labels []string) string {
	return p.decision().String() + " (" + quoteShort(labels[0], maxShown) + ")"
}

func (p *TextAnswer) forModel(m *report, _ []string) string { return "wrote " + m.wrote(p.Value) }
func (noPayload) forModel(*report, []string) string         { return "" }

func cutLabel(s string) string {
	if short := text.Cut(s, maxShown); short != s {
		return short + "…"
	}
	return s
}

// LogValue returns the reply as JSON without what the user wrote, for package slog.
// A text answer and the remainder have only their length in code points, and a
// violation does not say what was got. Ids, labels and decisions are in it: they are
// the agent's words.
func (r Reply) LogValue() slog.Value { return slog.AnyValue(json.RawMessage(r.append(nil, true))) }

func (r *Reply) append(dst []byte, redact bool) []byte {
	dst = append(dst, `{"source":"`...)
	dst = append(dst, r.source.String()...)
	dst = append(dst, `","state":"`...)
	dst = append(dst, r.state.String()...)
	dst = append(dst, `","answers":[`...)
	for i := range r.evidence {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.evidence[i].append(dst, r.shown[i].labels, redact)
	}
	dst = jsontext.AppendStrings(append(dst, `],"missing":`...), r.Missing())
	dst = jsontext.AppendStrings(append(dst, `,"cancelled":`...), r.cancelled())
	dst = append(dst, `,"violations":[`...)
	for i, v := range r.violations {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(append(dst, `{"path":`...), v.Path)
		dst = jsontext.AppendString(append(dst, `,"code":`...), string(v.Code))
		if !redact {
			dst = jsontext.AppendString(append(dst, `,"got":`...), v.Got)
		}
		dst = jsontext.AppendString(append(dst, `,"want":`...), v.Want)
		dst = append(dst, '}')
	}
	if redact {
		dst = appendLength(append(dst, `],"remainder_length":`...), r.remainder)
	} else {
		dst = jsontext.AppendString(append(dst, `],"remainder":`...), text.ToUTF8(r.remainder))
	}
	dst = jsontext.AppendBool(dst, `,"complete":`, r.complete())
	dst = jsontext.AppendBool(dst, `,"proceed":`, r.Proceed())
	return append(dst, '}')
}

func (e *Evidence) append(dst []byte, labels []string, redact bool) []byte {
	dst = append(dst, '{')
	if p, ok := e.Answer.Payload.(*TextAnswer); ok && redact {
		dst = jsontext.AppendString(append(dst, `"id":`...), e.Answer.ID)
		dst = appendLength(append(dst, `,"kind":"text","length":`...), p.Value)
	} else {
		dst = e.Answer.appendMembers(dst)
	}
	if labels != nil {
		short := make([]string, len(labels))
		for i, label := range labels {
			short[i] = cutLabel(label)
		}
		dst = jsontext.AppendStrings(append(dst, `,"labels":`...), short)
	}
	dst = jsontext.AppendString(append(dst, `,"at":`...), e.Path)
	dst = jsontext.AppendString(append(dst, `,"rule":`...), string(e.Rule))
	return append(dst, '}')
}

func appendLength(dst []byte, s string) []byte {
	return strconv.AppendInt(dst, int64(utf8.RuneCountInString(s)), 10)
}
