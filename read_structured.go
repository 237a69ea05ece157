package clarify

import (
	"fmt"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// ReadAnswers reads answers that are in memory against what e asked, as Read reads
// their JSON. If [ParseAnswers] left something out of them, that is a violation, and
// no answer holds, because it may have said something else.
func (e *Envelope) ReadAnswers(a Answers) *Reply {
	if e == nil {
		return &Reply{}
	}
	r := newReplyReader(e)
	var in reader
	var raw rawAnswer
	for i := range a.Answers {
		a.Answers[i].raw(&raw)
		p := a.Answers[i].payload()
		if r.entry(&in, i, &raw) || p.Kind() == KindConfirm || text.IsBlank(p.summary()) {
			continue
		}
		if b, err := a.Answers[i].MarshalJSON(); err == nil {
			r.keep(&in, member{key: answerPath(i, ""), value: value{Raw: string(b), Type: jsontext.Object}})
		}
	}
	if len(r.remainder) > 0 {
		r.doubtDangers()
	}
	for _, s := range a.Skipped {
		r.violate(s.Path, fault{s.Code, "a part that was skipped", "answers that were read whole"})
	}
	if len(a.Skipped) > 0 {
		r.voidAll()
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

// structured judges each entry of an answers array, and keeps what is said beside
// the answers.
func (r *replyReader) structured(in *reader) {
	duplicate := fault{CodeDuplicateKey, "a key that is there twice", "each key once"}
	if in.beside.haveTwice() {
		r.violate(keyAnswers, duplicate)
	}
	var raw rawAnswer
	for i := 0; in.More(']'); i++ {
		start := in.Pos()
		beside := in.answerMembers(&raw)
		for _, m := range beside.texts(in) {
			r.keep(in, m)
		}
		switch {
		case beside.haveTwice():
			r.violate(answerPath(i, ""), duplicate)
			r.voidNamed(in, beside)
		case !r.entry(in, i, &raw) && raw.hasText(in):
			entry := jsontext.New(in.Source()[start:in.Pos()])
			r.keep(in, member{key: answerPath(i, ""), value: entry.Value()})
		}
	}
	for _, m := range in.beside.texts(in) {
		r.keep(in, m)
	}
	if in.beside.haveTwice() {
		r.voidAll()
	}
	if len(r.remainder) > 0 {
		r.doubtDangers()
	}
}

func (r *replyReader) voidAll() {
	for i := range r.questions {
		r.questions[i].void = true
	}
}

// keep adds to the remainder what the user wrote in a member that is not the
// contract's.
func (r *replyReader) keep(in *reader, m member) {
	if len(r.remainder) > 0 {
		r.remainder = append(r.remainder, '\n')
	}
	r.remainder = append(append(r.remainder, m.key...), ": "...)
	if m.value.Type == jsontext.String {
		r.remainder = append(r.remainder, in.Text(m.value)...)
	} else {
		r.remainder = append(r.remainder, text.ToUTF8(m.value.Raw)...)
	}
}

// voidNamed voids all that is said about what an entry names with one of its ids.
func (r *replyReader) voidNamed(in *reader, list members) {
	for _, m := range list {
		if m.key != keyID || m.value.Type != jsontext.String {
			continue
		}
		if a := r.alike[text.Fold(in.Text(m.value))]; a != nil {
			a.void = true
		}
	}
}

// An entry is one entry of structured answers, while it is judged.
type entry struct {
	*rawAnswer
	r  *replyReader
	in *reader
	i  int
	q  *question // that it answers
}

// fail notes what is wrong with the value of the field key.
func (e *entry) fail(key string, code Code, v value, want string) {
	e.failAt(answerPath(e.i, key), fault{code, got(v), want})
}

func (e *entry) failAt(path string, f fault) {
	e.r.violate(path, f)
	if e.q != nil {
		e.q.void = true
	}
}

// entry judges entry i against its prompt. It notes the first fault, and for a
// choice the fault of each value. It reports whether the entry names one prompt.
func (r *replyReader) entry(in *reader, i int, raw *rawAnswer) bool {
	e := &entry{raw, r, in, i, nil}
	h := in.head(&raw.rawHead)
	const wantID = "the id of a prompt that was asked"
	switch {
	case h.badSelf != "":
		e.fail("", h.badSelf, raw.self, fmt.Sprintf(`an object {%q: …, %q: …}`, keyID, keyKind))
		return false
	case h.badID != "":
		e.fail(keyID, h.badID, raw.id, wantID)
		return false
	}
	id := in.Text(raw.id) // not trimmed
	n, known := r.byID[id]
	switch {
	case !known:
		r.refuseAll(r.alike[text.Fold(id)], answerPath(i, keyID), fault{CodeUnknownID, got(raw.id), wantID})
		return false
	case n == ambiguous:
		r.refuseAll(r.alike[text.Fold(id)], answerPath(i, keyID), fault{CodeAmbiguousID, got(raw.id), "an id that one prompt has: two have this one"})
		return false
	}
	q := &r.questions[n]
	e.q = q
	if h.badKind == "" && h.kind != q.in.Kind() {
		h.badKind = CodeWrongKind
	}
	if h.badKind != "" {
		e.fail(keyKind, h.badKind, raw.kind, fmt.Sprintf("%q", q.in.Kind()))
		return true
	}
	if p := q.in.fromEntry(q, e); p != nil {
		r.take(q, p, answerPath(i, ""), RuleStructured)
	}
	return true
}

// fromEntry returns an answer with the values, each once. It returns nil if there
// is none, or if one does not hold.
func (c *Choice) fromEntry(q *question, e *entry) Payload {
	if code := wrongType(e.values, jsontext.Array); code != "" {
		e.fail(keyValues, code, e.values, "an array of option ids")
		return nil
	}
	const want = "the id of an option that was offered"
	o := q.offered(c)
	given := make(map[string]bool)
	some, holds := false, true
	fail := func(path string, code Code, got, want string) {
		holds = false
		e.failAt(path, fault{code, got, want})
	}
	var values []string
	for j, v := range e.each() {
		some = true
		if _, code := e.in.needed(v); code != "" {
			fail(valuePath(e.i, j), code, got(v), want)
			continue
		}
		id := e.in.Text(v)
		if given[id] {
			continue
		}
		given[id] = true
		switch n, known := o.exact[id]; {
		case !known:
			fail(valuePath(e.i, j), CodeUnknownOption, got(v), want)
		case n == ambiguous:
			fail(valuePath(e.i, j), CodeAmbiguousID, got(v), want+" once: two options have this one")
		default:
			values = append(values, id)
		}
	}
	if !some && !q.Optional {
		fail(answerPath(e.i, keyValues), CodeMissing, "no value", "the id of an option")
	}
	if !c.AllowMultiple && len(given) > 1 {
		fail(answerPath(e.i, keyValues), CodeTooMany, text.Plural(len(given), "value"), "1")
	}
	if !holds || values == nil {
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
