package clarify

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// A Decision is what the user decided about a confirm.
type Decision uint8

const (
	Undecided Decision = iota // not answered, or not clearly: neither a yes nor a no
	Confirmed
	Cancelled
)

// The words for a decision in a summary, in a form and in a message.
const (
	wordConfirmed = "confirmed"
	wordCancelled = "cancelled"
)

var decisions = []string{"undecided", wordConfirmed, wordCancelled}

// String returns undecided, confirmed or cancelled.
func (d Decision) String() string { return wordOf(d, decisions) }

// A Source is the kind of message that a reply was read from.
type Source uint8

const (
	SourceChat       Source = iota // something else: nothing is answered, nothing is refused
	SourceText                     // at least one prompt was answered in words
	SourceStructured               // structured answers, whatever they hold
)

var sources = []string{"chat", "text", "structured"}

// String returns chat, text or structured.
func (s Source) String() string { return wordOf(s, sources) }

// A State sums up a reply.
type State uint8

const (
	StateNothingAsked State = iota // there was no question
	StateUnanswered                // no answer holds
	StateIncomplete                // some answers hold, but one is missing or does not hold, or a part of the envelope was skipped
	StateCancelled                 // a confirm was cancelled: do not ask for the rest
	StateComplete                  // nothing is missing, but no confirm is confirmed: none was asked, or an optional one is open
	StateConfirmed                 // nothing is missing, and Proceed is true
)

var states = []string{"nothing_asked", "unanswered", "incomplete", "cancelled", "complete", "confirmed"}

// String returns the state as a word: nothing_asked, unanswered, incomplete,
// cancelled, complete or confirmed.
func (s State) String() string { return wordOf(s, states) }

// wordOf returns the word of v, or that of the zero value if v has none.
func wordOf[T ~uint8](v T, words []string) string {
	if int(v) >= len(words) {
		v = 0
	}
	return words[v]
}

// Evidence is an answer that holds, and where it was read.
type Evidence struct {
	Answer Answer
	Path   string // answers[2], line 3, or message for the whole of it without an id
	Rule   Rule
}

// A Rule is how an answer was recognized. Its values do not change between
// releases.
type Rule string

const (
	RuleStructured Rule = "structured" // an entry of structured answers
	RuleOptionID   Rule = "option_id"  // the id of an option
	RuleLabel      Rule = "label"      // the label of an option
	RuleNumber     Rule = "number"     // the number of an option, as shown
	RuleWord       Rule = "word"       // confirmed or cancelled
	RuleButton     Rule = "button"     // one of the confirm's own labels
	RuleYesNo      Rule = "yes_no"     // yes or true, no or false
	RuleText       Rule = "text"       // the value of a text prompt
)

// A Reply is a user message, read against the envelope that it answers.
// [Envelope.Read] makes it, and it does not change. The zero value and nil are a
// reply to nothing.
type Reply struct {
	source     Source
	state      State
	evidence   []Evidence
	missing    []string
	cancelled  []string
	violations []Violation
	remainder  string
	confirms   bool // a confirm was asked
}

// State returns the one value that sums up the reply.
func (r *Reply) State() State { return r.get().state }

// Source returns what kind of message it was.
func (r *Reply) Source() Source { return r.get().source }

// Evidence returns the answers that hold, in the order of the message, each with
// where it was read.
func (r *Reply) Evidence() []Evidence {
	list := slices.Clone(r.get().evidence)
	for i := range list {
		list[i].Answer.Payload = list[i].Answer.Payload.clone()
	}
	return list
}

// Answers returns the answers that hold, in the order of the message.
func (r *Reply) Answers() Answers {
	var a Answers
	for _, e := range r.Evidence() {
		a.Answers = append(a.Answers, e.Answer)
	}
	return a
}

// Missing returns the ids of the required prompts that were not answered, in the
// order of the envelope. After a cancel none is missing.
func (r *Reply) Missing() []string { return slices.Clone(r.get().missing) }

// Violations returns what was answered but does not hold, at most the first 1,000.
// Path is that of the structured answer, answers[2].values[0], or the line, line 3.
// Chat has none.
func (r *Reply) Violations() []Violation { return slices.Clone(r.get().violations) }

// Remainder returns the lines of a text that were not understood, in order and with
// their line breaks. For chat it is the whole message, unless that is blank.
func (r *Reply) Remainder() string { return r.get().remainder }

// Decision returns what was decided about the confirm with the given id. It is
// Undecided for any other id.
func (r *Reply) Decision(id string) Decision {
	if in, ok := r.payload(id).(*ConfirmAnswer); ok {
		return in.decision()
	}
	return Undecided
}

// Proceed reports whether the engine may go on with the step that it asked about.
// That needs at least one confirm that is confirmed, among them every required one
// and every one with danger. It is false if a confirm is cancelled, if something
// required is missing, if there is a violation, or if part of the envelope was
// skipped. It is false if no confirm was asked; use [Reply.State], [Reply.Values]
// and [Reply.Text] then.
//
// The engine must make sure of two things: that the action it now takes is the one
// that it asked about (see [Envelope.Digest]), and that an answer acts once.
func (r *Reply) Proceed() bool { return r.State() == StateConfirmed }

// Values returns the ids of the options that were chosen at the choice with the
// given id. Each of them was offered. It returns nil if there is no such answer.
func (r *Reply) Values(id string) []string {
	if in, ok := r.payload(id).(*ChoiceAnswer); ok {
		return slices.Clone(in.Values)
	}
	return nil
}

// Text returns the answer to the text prompt with the given id; ok is false if
// there is none. Only the answer to an optional prompt can be blank. A default value
// is never the answer unless the user sent it.
func (r *Reply) Text(id string) (answer string, ok bool) {
	if in, ok := r.payload(id).(*TextAnswer); ok {
		return in.Value, true
	}
	return "", false
}

func (r *Reply) get() *Reply {
	if r == nil {
		return &Reply{}
	}
	return r
}

func (r *Reply) payload(id string) Payload {
	for _, e := range r.get().evidence {
		if e.Answer.ID == id {
			return e.Answer.Payload
		}
	}
	return nil
}

// complete reports whether there is an answer, nothing is missing, and there is no
// violation.
func (r *Reply) complete() bool {
	return len(r.evidence) > 0 && len(r.missing) == 0 && len(r.violations) == 0
}

// ForModel returns the reply as lines for the conversation that the model reads.
// Every line starts with a word of ours. What the user wrote is quoted and escaped
// on one line, so that no value can pass for a line. The lines say what was
// answered, cancelled, missing and not understood. The last line says whether to
// proceed, unless all is answered and no confirm was asked.
func (r *Reply) ForModel() string {
	r = r.get()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch {
	case r.source == SourceChat:
		line("reply: the user did not answer the questions: nothing is answered, confirmed or refused")
	case len(r.evidence) == 0:
		line("reply: nothing in the user's answers holds: nothing is answered, confirmed or refused")
	default:
		line("reply: %s of the user to the questions", text.Plural(len(r.evidence), "answer"))
	}
	for _, e := range r.evidence {
		line("answer: %s: %s", jsontext.Quote(e.Answer.ID), e.Answer.Payload.forModel())
	}
	for _, id := range r.cancelled {
		line("cancelled: %s: do not do what it asked about", jsontext.Quote(id))
	}
	for _, id := range r.missing {
		line("missing: %s: required, and not answered", jsontext.Quote(id))
	}
	for i, v := range r.violations {
		if i == maxProblems {
			line("problem: and %d more", len(r.violations)-i)
			break
		}
		line("problem: %s", v.String())
	}
	if r.remainder != "" {
		line("not understood: %s", jsontext.Quote(r.remainder))
	}
	switch {
	case r.Proceed():
		line("proceed: yes, with exactly what was asked about")
	case r.confirms || !r.complete():
		line("proceed: no")
	}
	return b.String()
}

// maxProblems is how many violations the model is told: a message can have
// thousands.
const maxProblems = 20

func (p *ChoiceAnswer) forModel() string {
	values := make([]string, len(p.Values))
	for i, v := range p.Values {
		values[i] = jsontext.Quote(v)
	}
	return "chose " + strings.Join(values, ", ")
}

func (p *ConfirmAnswer) forModel() string { return p.decision().String() }
func (p *TextAnswer) forModel() string    { return "wrote " + jsontext.Quote(p.Value) }
func (noPayload) forModel() string        { return "" }

// LogValue returns the reply as JSON without what the user wrote, for package slog.
// A text answer and the remainder have only their length in code points, and a
// violation does not say what was got. Ids of options and decisions are in it.
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
		dst = r.evidence[i].append(dst, redact)
	}
	dst = jsontext.AppendStrings(append(dst, `],"missing":`...), r.missing)
	dst = jsontext.AppendStrings(append(dst, `,"cancelled":`...), r.cancelled)
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

func (e *Evidence) append(dst []byte, redact bool) []byte {
	dst = append(dst, '{')
	if p, ok := e.Answer.Payload.(*TextAnswer); ok && redact {
		dst = jsontext.AppendString(append(dst, `"id":`...), e.Answer.ID)
		dst = appendLength(append(dst, `,"kind":"text","length":`...), p.Value)
	} else {
		dst = e.Answer.appendMembers(dst)
	}
	dst = jsontext.AppendString(append(dst, `,"at":`...), e.Path)
	dst = jsontext.AppendString(append(dst, `,"rule":`...), string(e.Rule))
	return append(dst, '}')
}

func appendLength(dst []byte, s string) []byte {
	return strconv.AppendInt(dst, int64(utf8.RuneCountInString(s)), 10)
}
