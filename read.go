package clarify

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Read reads the user's next message against what e asked. The rules are in
// docs/rules.md; where they leave a doubt, nothing is confirmed. If e is nil,
// nothing was asked, and nothing is answered.
//
// Read does not ask whether e is valid. A message of more than [MaxSize] bytes is
// read as chat. The time is linear in e and the message together.
func (e *Envelope) Read(message string) *Reply {
	if e == nil {
		return &Reply{remainder: remainderOf(message)}
	}
	return newReplyReader(e).read(message)
}

func (r *replyReader) read(message string) *Reply {
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
	questions  []question        // by index, as the prompts
	byID       map[string]int    // the index; ambiguous if two prompts have the id
	alike      map[string]*alike // by the fold of the id
	names      names             // once a line is read
	dangers    bool              // a confirm has danger
	hidden     []hidden          // what could be an answer to one, in a value
	order      []*question       // those that were answered, as the answers came
	violations []Violation
	remainder  []byte
	isWords    bool

	isOther func(id string) bool // the id stood for another question, and nothing says that the answer is not for that
}

// A question is one prompt, and what was answered to it so far.
type question struct {
	*Prompt
	in       Input
	offer    *offer   // of a choice, once it is needed
	buttons  *buttons // of a confirm, likewise
	payload  Payload  // nil if it was not answered
	evidence Evidence
	void     bool // two different answers, or one in doubt
	isHidden bool // a value names it
	alike    *alike
}

// An alike is the questions whose ids look the same: most often one.
type alike struct {
	questions []*question
	void      bool // all that was said about them
	isHidden  bool // a value names them
}

const ambiguous = -1

func newQuestion(p *Prompt) question { return question{Prompt: p, in: p.input()} }

func newReplyReader(e *Envelope) *replyReader {
	n := len(e.Prompts)
	r := &replyReader{e: e, questions: make([]question, n), byID: make(map[string]int, n), alike: make(map[string]*alike, n)}
	for i := range e.Prompts {
		r.questions[i] = newQuestion(&e.Prompts[i])
		r.dangers = r.dangers || r.questions[i].isDanger()
		id := e.Prompts[i].ID
		if _, taken := r.byID[id]; taken || !utf8.ValidString(id) { // what is not UTF-8 could not be sent
			r.byID[id] = ambiguous
		} else {
			r.byID[id] = i
		}
		fold := text.Fold(id)
		a := r.alike[fold]
		if a == nil {
			a = new(alike)
			r.alike[fold] = a
		}
		a.questions = append(a.questions, &r.questions[i])
		r.questions[i].alike = a
	}
	return r
}

func (q *question) answered() bool { return q.payload != nil && !q.void && !q.alike.void }

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

// refuse notes what is wrong with something that names q, and voids all that is
// said about it.
func (r *replyReader) refuse(q *question, path string, f fault) {
	r.violate(path, f)
	q.void = true
}

// refuseAll is refuse for all that look the same. There are none if a is nil.
func (r *replyReader) refuseAll(a *alike, path string, f fault) {
	r.violate(path, f)
	if a != nil {
		a.void = true
	}
}

// doubtDangers takes back what confirmed a danger: beside it are words that were
// not understood, and they may say anything.
func (r *replyReader) doubtDangers() {
	for _, q := range r.order {
		if q.isDanger() && q.answered() && !isCancel(q.payload) {
			q.void = true
			r.violate(q.evidence.Path, fault{CodeUnclear, wordConfirmed + " beside words that were not understood", "nothing else in the message"})
		}
	}
}

// chat returns the reply to a message that answers nothing.
func (r *replyReader) chat(message string) *Reply {
	out := &Reply{remainder: remainderOf(message)}
	r.finish(out)
	return out
}

// reply returns the reply of what was collected.
func (r *replyReader) reply() *Reply {
	out := &Reply{source: SourceStructured, remainder: string(r.remainder), byID: make(map[string]int)}
	if r.isWords {
		out.source = SourceText
	}
	for _, q := range r.order {
		if r.isOther != nil && q.answered() && q.in.Kind() == KindConfirm && r.isOther(q.ID) {
			r.refuse(q, q.evidence.Path, fault{CodeOtherQuestion, text.Quote(q.ID) + ", which stood for another question", "the reference of the question"})
		}
		if q.answered() {
			out.byID[q.ID] = len(out.evidence)
			out.evidence = append(out.evidence, q.evidence)
			out.shown = append(out.shown, shown{q.Question, q.labelsOf(q.payload)})
		}
	}
	out.violations = r.violations
	r.finish(out)
	return out
}

// finish adds to a reply what was not answered, and sums it up.
func (r *replyReader) finish(out *Reply) {
	out.isPart = len(r.e.Skipped) > 0
	cancelled, openDanger := len(out.cancelled()) > 0, false
	for i := range r.questions {
		q := &r.questions[i]
		out.confirms = out.confirms || q.in.Kind() == KindConfirm
		if q.answered() {
			continue
		}
		openDanger = openDanger || q.isDanger()
		switch a := (asked{q.ID, q.Question, q.in.Kind(), q.takesWords()}); {
		case cancelled: // then nothing is missing
		case q.Optional:
			out.leftOut = append(out.leftOut, a)
		default:
			out.missing = append(out.missing, a)
		}
	}
	switch {
	case len(r.questions) == 0:
		out.state = StateNothingAsked
	case cancelled:
		out.state = StateCancelled
	case len(out.evidence) == 0:
		out.state = StateUnanswered
	case !out.complete() || out.isPart:
		out.state = StateIncomplete
	case openDanger || !slices.ContainsFunc(out.evidence, func(e Evidence) bool { return e.Answer.Kind() == KindConfirm }):
		out.state = StateComplete
	default:
		out.state = StateConfirmed
	}
}

// labelsOf returns what the user sees of an answer to q: the label of each option, or
// of the button. An id that is not an option's stands for itself. It returns nil for
// a text, and for an answer of another kind.
func (q *question) labelsOf(p Payload) (labels []string) {
	switch in := q.in.(type) {
	case *Choice:
		if p, ok := p.(*ChoiceAnswer); ok {
			for _, id := range p.Values {
				if i, ok := q.offered(in).exact[id]; ok && i != ambiguous {
					id = in.Options[i].Label
				}
				labels = append(labels, id)
			}
		}
	case *Confirm:
		if p, ok := p.(*ConfirmAnswer); ok {
			confirm, cancel := in.labels()
			if !p.Confirmed {
				confirm = cancel
			}
			labels = []string{confirm}
		}
	}
	return labels
}

// remainderOf is the remainder of a message of which nothing was understood.
func remainderOf(message string) string {
	if text.IsBlank(message) {
		return ""
	}
	return message
}
