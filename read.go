package clarify

import (
	"fmt"
	"slices"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Read reads the user's next message against what e asked. The rules are in
// docs/rules.md; where they leave a doubt, nothing is confirmed. If e is nil,
// nothing was asked, and nothing is answered.
//
// Read does not ask whether e is valid. A message of more than [MaxSize] bytes is
// read as chat. For a given e, the time is linear in the message.
func (e *Envelope) Read(message string) *Reply {
	if e == nil {
		return &Reply{remainder: remainderOf(message)}
	}
	r := newReplyReader(e)
	if in, ok := readAnswers(message); ok {
		r.structured(in)
	} else if !r.words(message) {
		return r.chat(message)
	}
	return r.reply()
}

// ReadAnswers reads answers that are in memory against what e asked, as Read reads
// their JSON. What [ParseAnswers] left out of them counts as a violation, because
// it may have said something else.
func (e *Envelope) ReadAnswers(a Answers) *Reply {
	if e == nil {
		return &Reply{}
	}
	r := newReplyReader(e)
	var in reader
	var raw rawAnswer
	for i := range a.Answers {
		a.Answers[i].raw(&raw)
		r.entry(&in, i, &raw)
	}
	for _, s := range a.Skipped {
		r.violate(s.Path, fault{s.Code, "a part that was skipped", "answers that were read whole"})
	}
	return r.reply()
}

// raw fills in raw as if a had been read from JSON, so that both have one judge.
func (a *Answer) raw(raw *rawAnswer) {
	p := a.payload()
	*raw = rawAnswer{rawHead: rawHead{
		self: value{Type: jsontext.Object},
		id:   jsontext.StringOf(text.ToUTF8(a.ID)),
		kind: jsontext.StringOf(string(p.Kind())),
	}}
	p.raw(raw)
}

func (p *ChoiceAnswer) raw(raw *rawAnswer) {
	raw.values.Type = jsontext.Array
	raw.given = p.Values
}

func (p *ConfirmAnswer) raw(raw *rawAnswer) { raw.confirmed = jsontext.BoolOf(p.Confirmed) }

func (p *TextAnswer) raw(raw *rawAnswer) { raw.value = jsontext.StringOf(text.ToUTF8(p.Value)) }

func (noPayload) raw(raw *rawAnswer) { raw.kind = value{} }

// A fault is a violation whose path is not known yet. It is none if the code is
// empty.
type fault struct {
	code      Code
	got, want string
}

func (f fault) violation(path string) Violation {
	return Violation{Path: path, Code: f.code, Got: f.got, Want: f.want}
}

// A replyReader collects the answers to an envelope.
type replyReader struct {
	e          *Envelope
	questions  []question     // by index, as the prompts
	byID       map[string]int // the index; ambiguous if two prompts have the id
	order      []*question    // those that were answered, as the answers came
	violations []Violation
	remainder  []byte
	isWords    bool
}

// A question is one prompt, and what was answered to it so far.
type question struct {
	*Prompt
	in       Input
	offer    *offer  // of a choice, once it is needed
	payload  Payload // nil if it was not answered
	evidence Evidence
	void     bool // two different answers, or one in doubt
}

const ambiguous = -1

func newQuestion(p *Prompt) question { return question{Prompt: p, in: p.input()} }

func newReplyReader(e *Envelope) *replyReader {
	r := &replyReader{e: e, questions: make([]question, len(e.Prompts)), byID: make(map[string]int, len(e.Prompts))}
	for i := range e.Prompts {
		r.questions[i] = newQuestion(&e.Prompts[i])
		id := e.Prompts[i].ID
		if _, taken := r.byID[id]; taken {
			r.byID[id] = ambiguous
		} else {
			r.byID[id] = i
		}
	}
	return r
}

func (q *question) answered() bool { return q.payload != nil && !q.void }

// isDanger reports whether q is a confirm with danger.
func (q *question) isDanger() bool {
	in, ok := q.in.(*Confirm)
	return ok && in.Danger
}

func isCancel(p Payload) bool {
	in, ok := p.(*ConfirmAnswer)
	return ok && !in.Confirmed
}

func (r *replyReader) violate(path string, f fault) {
	if len(r.violations) < maxNotes {
		r.violations = append(r.violations, f.violation(path))
	}
}

// take notes an answer that holds. Of equal answers the first one counts. Two
// different answers leave the prompt unanswered.
func (r *replyReader) take(q *question, p Payload, path string, rule Rule) {
	switch {
	case q.payload == nil:
		q.payload = p
		q.evidence = Evidence{Answer: Answer{ID: q.ID, Payload: p}, Path: path, Rule: rule}
		r.order = append(r.order, q)
	case !q.payload.equal(p):
		q.void = true
		r.violate(path, fault{CodeConflict, fmt.Sprintf("another answer to %s than %s", text.Quote(q.ID), q.evidence.Path), "one answer to a prompt"})
	}
}

func (r *replyReader) requiredMissing() (ids []string) {
	for i := range r.questions {
		if q := &r.questions[i]; !q.Optional && !q.answered() {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

func (r *replyReader) hasConfirm() bool {
	return slices.ContainsFunc(r.questions, func(q question) bool { return q.in.Kind() == KindConfirm })
}

// chat returns the reply to a message that answers nothing.
func (r *replyReader) chat(message string) *Reply {
	out := &Reply{remainder: remainderOf(message), missing: r.requiredMissing(), confirms: r.hasConfirm()}
	out.state = r.state(out)
	return out
}

// reply returns the reply of what was collected.
func (r *replyReader) reply() *Reply {
	out := &Reply{source: SourceStructured, violations: r.violations, remainder: string(r.remainder), confirms: r.hasConfirm()}
	if r.isWords {
		out.source = SourceText
	}
	for _, q := range r.order {
		if q.void {
			continue
		}
		out.evidence = append(out.evidence, q.evidence)
		if isCancel(q.payload) {
			out.cancelled = append(out.cancelled, q.ID)
		}
	}
	if len(out.cancelled) == 0 {
		out.missing = r.requiredMissing()
	}
	out.state = r.state(out)
	return out
}

func (r *replyReader) state(out *Reply) State {
	switch {
	case len(r.questions) == 0:
		return StateNothingAsked
	case len(out.cancelled) > 0:
		return StateCancelled
	case len(out.evidence) == 0:
		return StateUnanswered
	case !out.complete() || len(r.e.Skipped) > 0:
		return StateIncomplete
	case r.confirmed():
		return StateConfirmed
	}
	return StateComplete
}

// confirmed reports whether a confirm was answered, among them every one with
// danger, of answers that cancel nothing.
func (r *replyReader) confirmed() bool {
	confirmed := false
	for i := range r.questions {
		if q := &r.questions[i]; q.in.Kind() == KindConfirm {
			if q.isDanger() && !q.answered() {
				return false
			}
			confirmed = confirmed || q.answered()
		}
	}
	return confirmed
}

// structured judges each entry of an answers array.
func (r *replyReader) structured(in *reader) {
	var raw rawAnswer
	for i := 0; in.More(']'); i++ {
		raw.read(&in.Scanner)
		r.entry(in, i, &raw)
	}
}

// An entry is one entry of structured answers, while it is judged.
type entry struct {
	*rawAnswer
	r  *replyReader
	in *reader
	i  int
}

// fail notes what is wrong with the value of the field key.
func (e *entry) fail(key string, code Code, v value, want string) {
	e.r.violate(answerPath(e.i, key), fault{code, got(v), want})
}

// entry judges entry i against its prompt. It notes the first fault, and for a
// choice the fault of each value.
func (r *replyReader) entry(in *reader, i int, raw *rawAnswer) {
	e := &entry{raw, r, in, i}
	h := in.head(&raw.rawHead)
	switch {
	case h.badSelf != "":
		e.fail("", h.badSelf, raw.self, fmt.Sprintf(`an object {%q: …, %q: …}`, keyID, keyKind))
		return
	case h.badID != "":
		e.fail(keyID, h.badID, raw.id, "the id of a prompt that was asked")
		return
	}
	n, known := r.byID[h.id]
	switch {
	case !known:
		r.violate(answerPath(i, keyID), fault{CodeUnknownID, text.Quote(h.id), "the id of a prompt that was asked"})
		return
	case n == ambiguous:
		r.violate(answerPath(i, keyID), fault{CodeAmbiguousID, text.Quote(h.id), "an id that one prompt has: two have this one"})
		return
	}
	q := &r.questions[n]
	if h.badKind == "" && h.kind != q.in.Kind() {
		h.badKind = CodeWrongKind
	}
	if h.badKind != "" {
		e.fail(keyKind, h.badKind, raw.kind, fmt.Sprintf("%q", q.in.Kind()))
		return
	}
	if p := q.in.fromEntry(q, e); p != nil {
		r.take(q, p, answerPath(i, ""), RuleStructured)
	}
}

// fromEntry returns an answer with the values that were offered, each once. It
// returns nil if none is left, or if there are two for a single choice.
func (c *Choice) fromEntry(q *question, e *entry) Payload {
	if code := wrongType(e.values, jsontext.Array); code != "" {
		e.fail(keyValues, code, e.values, "an array of option ids")
		return nil
	}
	const want = "the id of an option that was offered"
	o := q.offered(c)
	given := make(map[string]bool)
	some := false
	var values []string
	for j, v := range e.each() {
		some = true
		if _, code := e.in.needed(v); code != "" {
			e.r.violate(valuePath(e.i, j), fault{code, got(v), want})
			continue
		}
		id := e.in.Text(v)
		if given[id] {
			continue
		}
		given[id] = true
		switch n, known := o.ids[id]; {
		case !known:
			e.r.violate(valuePath(e.i, j), fault{CodeUnknownOption, got(v), want})
		case n == ambiguous:
			e.r.violate(valuePath(e.i, j), fault{CodeAmbiguousID, got(v), want + " once: two options have this one"})
		default:
			values = append(values, id)
		}
	}
	if !some {
		e.r.violate(answerPath(e.i, keyValues), fault{CodeMissing, "no value", "the id of an option"})
	}
	if !c.AllowMultiple && len(given) > 1 {
		e.r.violate(answerPath(e.i, keyValues), fault{CodeTooMany, text.Plural(len(given), "value"), "1"})
		return nil
	}
	if values == nil {
		return nil
	}
	return &ChoiceAnswer{Values: values}
}

func (*Confirm) fromEntry(_ *question, e *entry) Payload {
	if code := wrongType(e.confirmed, jsontext.True, jsontext.False); code != "" {
		e.fail(keyConfirmed, code, e.confirmed, "true or false")
		return nil
	}
	return &ConfirmAnswer{Confirmed: e.confirmed.Type == jsontext.True}
}

func (*Text) fromEntry(q *question, e *entry) Payload {
	if code := wrongType(e.value, jsontext.String); code != "" {
		e.fail(keyValue, code, e.value, "a string")
		return nil
	}
	s := e.in.Text(e.value)
	if !q.Optional && text.IsBlank(s) {
		e.fail(keyValue, CodeBlank, e.value, "a text that is not blank")
		return nil
	}
	return &TextAnswer{Value: s}
}

func (noInput) fromEntry(*question, *entry) Payload { return nil } // no kind of an entry gets here
