package htmlform

import "reflect"

// Texts are the texts of a form that are not the agent's. One that is empty is the
// English one, which stands beside it.
type Texts struct {
	Send     string // Send answers
	Required string // required
	Optional string // optional

	// At a danger: in the form, and beside the label of a danger that was confirmed.
	Danger    string // Careful: this deletes something, or cannot be undone.
	Dangerous string // dangerous

	// What is wrong with an answer.
	Missing    string // This needs an answer.
	OnlyOne    string // Choose only one.
	NotOffered string // Choose one of what is offered.
	NotText    string // This cannot be sent as it is.

	// What is wrong with a form: an answer is missing or does not hold, nothing was
	// answered, it is for another question, or its answers have no encoding.
	Incomplete    string // The answers are not complete yet.
	Nothing       string // There is nothing to send: answer a question first.
	OtherQuestion string // The question is another one now, so nothing was sent.
	Unsendable    string // The answers cannot be sent. They may be too long.

	// In a past question.
	NotAnswered string // not answered

	// At a question or an option that the form cannot answer: because another one has
	// the same id, or for another reason.
	SameID       string // This cannot be answered here: another one has the same id.
	Unanswerable string // This cannot be answered here.

	// What the reader should know. A number follows the first two.
	Newer      string // Questions that need a newer version of this page:
	Unreadable string // Parts of the question that could not be read:
	Hidden     string // There are characters here that cannot be seen. Each is shown by its code, such as [U+202E].
	HiddenText string // The text in the field has characters that cannot be seen.
	Alike      string // Some labels are easy to confuse. The code after each shows what it sends.
	Secret     string // Do not enter a password, a key or a card number: the answer becomes part of the conversation.
}

var english = Texts{
	Send:          "Send answers",
	Required:      "required",
	Optional:      "optional",
	Danger:        "Careful: this deletes something, or cannot be undone.",
	Dangerous:     "dangerous",
	Missing:       "This needs an answer.",
	OnlyOne:       "Choose only one.",
	NotOffered:    "Choose one of what is offered.",
	NotText:       "This cannot be sent as it is.",
	Incomplete:    "The answers are not complete yet.",
	Nothing:       "There is nothing to send: answer a question first.",
	OtherQuestion: "The question is another one now, so nothing was sent.",
	Unsendable:    "The answers cannot be sent. They may be too long.",
	NotAnswered:   "not answered",
	SameID:        "This cannot be answered here: another one has the same id.",
	Unanswerable:  "This cannot be answered here.",
	Newer:         "Questions that need a newer version of this page:",
	Unreadable:    "Parts of the question that could not be read:",
	Hidden:        "There are characters here that cannot be seen. Each is shown by its code, such as [U+202E].",
	HiddenText:    "The text in the field has characters that cannot be seen.",
	Alike:         "Some labels are easy to confuse. The code after each shows what it sends.",
	Secret:        "Do not enter a password, a key or a card number: the answer becomes part of the conversation.",
}

// orEnglish returns t with the English texts in place of empty ones.
func (t Texts) orEnglish() *Texts {
	to, from := reflect.ValueOf(&t).Elem(), reflect.ValueOf(english)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return &t
}
