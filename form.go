package clarify

import (
	"strings"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// The values of a confirm's two answers in an HTML form. Use radio buttons for
// them: if a form has two submit buttons, Enter presses the first one, which must
// not confirm a danger.
const (
	FormConfirmed = wordConfirmed
	FormCancelled = wordCancelled
)

// FormFor is the name of a hidden field in an HTML form that says which question the
// form is for: its [Event.Reference].
const FormFor = keyFor

// FormName returns the name of the prompt's field in an HTML form: "answer." and
// the id. An id that does not match [IDPattern] is written as a JSON string, in
// which everything invisible is escaped.
func (p Prompt) FormName() string {
	if isID(p.ID) {
		return "answer." + p.ID
	}
	return "answer." + jsontext.Quote(p.ID)
}

// FormAnswers returns the answers of a submitted HTML form; [net/url.Values] is
// such a form. The field of a prompt has the name [Prompt.FormName]. Its value is
// the id of an option (or several, if several may be chosen), [FormConfirmed] or
// [FormCancelled], or the text. Texts are trimmed; everything else is compared as it
// is. A blank field is no answer, and a prompt without an answer is left out.
//
// blocked is what keeps the form from being sent. Path is the field's name; Got and
// Want are for logs, not for users. A required prompt blocks until it is answered,
// unless a confirm was cancelled. A value that was not offered always blocks. A
// prompt that shares its id with another one cannot be answered and does not
// block.
//
// A field [FormFor] becomes [Answers.For].
//
// If nothing blocks and there are no answers, all prompts were optional and there
// is nothing to send.
func (e *Envelope) FormAnswers(form map[string][]string) (answers Answers, blocked []Violation) {
	if e == nil {
		return Answers{}, nil
	}
	r := newReplyReader(e)
	var missing []Violation
	cancelled := false
	for i := range r.questions {
		q := &r.questions[i]
		if r.byID[q.ID] == ambiguous {
			continue
		}
		payload, f := q.fromForm(form[q.FormName()])
		switch {
		case f.code == CodeMissing:
			missing = append(missing, f.violation(q.FormName()))
		case f.code != "":
			blocked = append(blocked, f.violation(q.FormName()))
		case payload != nil:
			cancelled = cancelled || isCancel(payload)
			answers.Answers = append(answers.Answers, Answer{ID: q.ID, Payload: payload})
		}
	}
	if !cancelled {
		blocked = append(blocked, missing...)
	}
	if reference := form[FormFor]; len(reference) > 0 {
		answers.For = reference[0]
	}
	return answers, blocked
}

// FormAnswer returns the answer that the values of one form field give to p, as
// [Envelope.FormAnswers] does. It returns nil if nothing was entered and p is
// optional. The error is a [Violation], whose Path is [Prompt.FormName].
func (p Prompt) FormAnswer(values ...string) (Payload, error) {
	q := newQuestion(&p)
	payload, f := q.fromForm(values)
	if f.code != "" {
		return nil, f.violation(p.FormName())
	}
	return payload, nil
}

// fromForm returns the answer that the values of a form field give, or nil if there
// is none.
func (q *question) fromForm(entered []string) (Payload, fault) {
	var values []string
	given := make(map[string]bool)
	for _, v := range entered {
		if !text.IsBlank(v) && !given[v] {
			given[v] = true
			values = append(values, v)
		}
	}
	switch {
	case len(values) > 0:
		return q.in.fromForm(q, values)
	case q.Optional:
		return nil, fault{}
	}
	return nil, fault{CodeMissing, "nothing", "an answer"}
}

// one returns the only value, or the fault of several.
func one(values []string) (string, fault) {
	if len(values) > 1 {
		return "", fault{CodeTooMany, text.Plural(len(values), "value"), "1"}
	}
	return values[0], fault{}
}

func (c *Choice) fromForm(q *question, values []string) (Payload, fault) {
	if !c.AllowMultiple {
		if _, f := one(values); f.code != "" {
			return nil, f
		}
	}
	offered := q.offered(c)
	for _, v := range values {
		if !offered.has(v) {
			return nil, fault{CodeUnknownOption, text.Quote(v), "an option that was offered"}
		}
	}
	return &ChoiceAnswer{Values: values}, fault{}
}

func (*Confirm) fromForm(_ *question, values []string) (Payload, fault) {
	v, f := one(values)
	switch {
	case f.code != "":
		return nil, f
	case v == FormConfirmed:
		return &ConfirmAnswer{Confirmed: true}, fault{}
	case v == FormCancelled:
		return &ConfirmAnswer{}, fault{}
	}
	return nil, fault{CodeUnclear, text.Quote(v), FormConfirmed + " or " + FormCancelled}
}

func (*Text) fromForm(_ *question, values []string) (Payload, fault) {
	v, f := one(values)
	switch {
	case f.code != "":
		return nil, f
	case !utf8.ValidString(v):
		return nil, fault{CodeInvalidUTF8, text.Quote(v), "UTF-8"}
	}
	return &TextAnswer{Value: text.Trim(strings.ReplaceAll(v, "\r\n", "\n"), text.AnySpace)}, fault{}
}

func (noInput) fromForm(_ *question, values []string) (Payload, fault) {
	return nil, fault{CodeUnknownKind, text.Quote(values[0]), wantKind}
}
