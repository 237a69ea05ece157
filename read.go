package clarify

import (
	"fmt"
	"slices"

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
