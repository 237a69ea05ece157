package clarify

import (
	"slices"
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
	shown      []shown        // by index, as the evidence
	byID       map[string]int // the index of the evidence
	missing    []asked
	leftOut    []asked // optional
	violations []Violation
	remainder  string
	confirms   bool // a confirm was asked
	isPart     bool // a part of the envelope was skipped
	noAnswer   bool // nobody was there to answer
}

// An asked is a prompt that was not answered.
type asked struct {
	id, question string
	kind         Kind
	inWords      bool // a line with the id and a word of ours decides it
}

// A shown is what the user saw of an answer: the question, and the label of each
// value or of the button.
type shown struct {
	question string
	labels   []string
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
func (r *Reply) Missing() []string {
	var ids []string
	for _, a := range r.get().missing {
		ids = append(ids, a.id)
	}
	return ids
}

// Violations returns what was answered but does not hold, at most the first 1,000.
// Path is that of the structured answer, answers[2].values[0], or the line, line 3.
// Chat has none.
func (r *Reply) Violations() []Violation { return slices.Clone(r.get().violations) }

// Remainder returns what else the user wrote: of a text the lines that were not
// understood, in order and with their line breaks; of structured answers the texts
// beside them, a line "key: text" each. For chat it is the whole message, unless that
// is blank.
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
// that it asked about, and that an answer acts once. [Conversation.Use] sees to both;
// without a conversation, compare an [Envelope.Digest].
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
	if i, ok := r.get().byID[id]; ok {
		return r.evidence[i].Answer.Payload
	}
	return nil
}

// cancelled returns the ids of the confirms that were cancelled.
func (r *Reply) cancelled() (ids []string) {
	for _, e := range r.evidence {
		if isCancel(e.Answer.Payload) {
			ids = append(ids, e.Answer.ID)
		}
	}
	return ids
}

// complete reports whether there is an answer, nothing is missing, and there is no
// violation.
func (r *Reply) complete() bool {
	return len(r.evidence) > 0 && len(r.missing) == 0 && len(r.violations) == 0
}
