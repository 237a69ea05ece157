package clarify

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// The values of a confirm's two answers in an HTML form. Radio buttons suit it;
// of two submit buttons Enter presses the first in the page, so that one must
// not confirm a danger.
const (
	FormConfirmed = wordConfirmed
	FormCancelled = wordCancelled
)

// FormName returns the name of the prompt's field in an HTML form that
// [Envelope.FormAnswers] reads: "answer." and the id.
func (p Prompt) FormName() string { return "answer." + p.ID }

// FormAnswers makes answers of a submitted HTML form. The field of a prompt has
// the name [Prompt.FormName]; its value is the id of an option (several where
// several may be chosen), [FormConfirmed] or [FormCancelled], or the text,
// which is trimmed. An empty field is no answer, and what was not answered is
// left out.
//
// blocked says what keeps the form from being sent, by field: the Path is the
// field's name, the rest is for a log: what the user reads is yours to write. A
// required prompt blocks until it is answered, unless a confirm
// was cancelled: then nothing more is demanded. A value that was not offered
// always blocks. A prompt whose id another one has too cannot be answered, and
// does not block.
//
// If nothing blocks and there are no answers, all prompts were optional: there
// is nothing to send.
func (e *Envelope) FormAnswers(form url.Values) (answers Answers, blocked []Violation) {
	if e == nil {
		return Answers{}, nil
	}
	r := newReplyReader(e)
	var missing []Violation
	cancelled := false
	for i := range e.Prompts {
		p := &e.Prompts[i]
		if r.prompts[p.ID] == ambiguous {
			continue
		}
		name := p.FormName()
		var values []string
		given := make(map[string]bool)
		for _, v := range form[name] {
			if v = trim(strings.ReplaceAll(v, "\r\n", "\n"), anySpace); v != "" && !given[v] {
				given[v] = true
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			if !p.Optional {
				missing = append(missing, Violation{name, CodeMissing, "nothing", "an answer"})
			}
			continue
		}
		payload, bad := p.formPayload(values)
		if payload == nil {
			bad.Path = name
			blocked = append(blocked, bad)
			continue
		}
		if in, ok := payload.(*ConfirmAnswer); ok && !in.Confirmed {
			cancelled = true
		}
		answers.Answers = append(answers.Answers, Answer{ID: p.ID, Payload: payload})
	}
	if !cancelled {
		blocked = append(blocked, missing...)
	}
	return answers, blocked
}

// formPayload returns the answer that the values give, or what is wrong.
func (p *Prompt) formPayload(values []string) (Payload, Violation) {
	bad := func(code Code, v, want string) (Payload, Violation) {
		return nil, Violation{Code: code, Got: quote(v), Want: want}
	}
	if p.Kind() == "" {
		return bad(CodeUnknownKind, values[0], wantKind)
	}
	if in, ok := p.Input.(*Choice); len(values) > 1 && !(ok && in.AllowMultiple) {
		return nil, Violation{Code: CodeTooMany, Got: plural(len(values), "value"), Want: "1"}
	}
	switch in := p.Input.(type) {
	case *Choice:
		offered := newOffer(in)
		for _, v := range values {
			if !offered.has(v) {
				return bad(CodeUnknownOption, v, "an option that was offered")
			}
		}
		return &ChoiceAnswer{Values: values}, Violation{}
	case *Confirm:
		switch values[0] {
		case FormConfirmed:
			return &ConfirmAnswer{Confirmed: true}, Violation{}
		case FormCancelled:
			return &ConfirmAnswer{}, Violation{}
		}
		return bad(CodeUnclear, values[0], FormConfirmed+" or "+FormCancelled)
	case *Text:
		if !utf8.ValidString(values[0]) {
			return bad(CodeInvalidUTF8, values[0], "UTF-8")
		}
		return &TextAnswer{Value: values[0]}, Violation{}
	}
	return nil, Violation{}
}
