package clarify

import (
	"fmt"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

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
