package clarify

import "errors"

// A History follows a conversation, event by event and message by message, and
// knows which question waits for an answer. That depends on nothing else, so a
// reload cannot reopen a question, and an answer after the next message finds
// nothing to answer.
//
// An answer does not say which question it is for, and the ids of two questions
// may be the same. So a Console's form should carry what it was made for, such
// as the place in the conversation and the [Envelope.Digest], and the Console
// should refuse a form for a question that no longer waits.
//
// The zero value is an empty conversation. A History is not safe for
// concurrent use.
type History struct{ pending *Envelope }

// Event takes the agent's next event. It returns what [Event.Envelope] does; an
// envelope waits for an answer from now on, instead of an earlier one. Of a
// question that cannot be shown nothing waits, nor of an earlier one: the next
// message may be meant for either. A call that failed changes nothing.
func (h *History) Event(ev Event) (*Envelope, error) {
	e, err := ev.Envelope()
	if err == nil || errors.Is(err, ErrNothingToShow) || errors.Is(err, ErrVersion) || errors.Is(err, ErrMalformed) {
		h.pending = e // nil: a newer question that cannot be shown
	}
	return e, err
}

// Message takes the user's next message, which may be chat: nothing waits for
// an answer after it. It returns the message read against what was waiting, or
// a reply that answers nothing.
func (h *History) Message(text string) *Reply {
	e := h.pending
	h.pending = nil
	return e.Read(text)
}

// Pending returns the envelope that waits for an answer, or nil.
func (h *History) Pending() *Envelope { return h.pending }
