package clarify

import "errors"

// A History follows a conversation, event by event and message by message, and
// knows which question waits for an answer. Nothing else decides that: a reload
// cannot reopen a question, and an answer that comes after the next message
// answers nothing.
//
// An answer does not say which question it is for, and two questions may have the
// same ids. So a Console's form should carry what it was made for, such as the
// position in the conversation and the [Envelope.Digest]. The Console should refuse
// a form for a question that no longer waits.
//
// The zero value is an empty conversation. A History is not safe for concurrent
// use.
type History struct{ pending *Envelope }

// Event takes the agent's next event and returns what [Event.Envelope] returns. An
// envelope that can be shown waits for an answer from now on, instead of an earlier
// one. An envelope that cannot be shown clears the pending one, because the next
// message could answer either. A call that failed changes nothing.
func (h *History) Event(ev Event) (*Envelope, error) {
	e, err := ev.Envelope()
	if err == nil || errors.Is(err, ErrNothingToShow) || errors.Is(err, ErrVersion) || errors.Is(err, ErrMalformed) {
		h.pending = e // nil if it cannot be shown
	}
	return e, err
}

// Message takes the user's next message, which may be chat. No question waits for
// an answer after it. It returns the message read against the question that was
// waiting, or a reply that answers nothing.
func (h *History) Message(message string) *Reply {
	e := h.pending
	h.pending = nil
	return e.Read(message)
}

// Pending returns the envelope that waits for an answer, or nil.
func (h *History) Pending() *Envelope { return h.pending }
