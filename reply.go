package clarify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// A Decision is what the user decided about a confirm.
type Decision uint8

const (
	Undecided Decision = iota // not answered, or not clearly: never a yes, never a no
	Confirmed
	Cancelled
)

func (d Decision) String() string {
	switch d {
	case Confirmed:
		return wordConfirmed
	case Cancelled:
		return wordCancelled
	}
	return "undecided"
}

// A Source says what kind of message a reply was read from.
type Source uint8

const (
	SourceChat       Source = iota // the user said something else: nothing is answered, nothing is refused
	SourceText                     // at least one prompt was answered in words
	SourceStructured               // ClarifyAnswers, whatever they hold
)

func (s Source) String() string {
	switch s {
	case SourceText:
		return "text"
	case SourceStructured:
		return "structured"
	}
	return "chat"
}

// Evidence says where an answer was read.
type Evidence struct {
	ID   string // the prompt's
	Path string // answers[2], line 3, or message: the whole of it, without an id
	Rule Rule
}

// A Rule is how an answer was recognized.
type Rule string

const (
	RuleStructured Rule = "structured" // an entry of ClarifyAnswers
	RuleOptionID   Rule = "option_id"  // the id of an option
	RuleLabel      Rule = "label"      // the label of an option
	RuleNumber     Rule = "number"     // the number of an option, as shown
	RuleWord       Rule = "word"       // confirmed or cancelled
	RuleButton     Rule = "button"     // one of the confirm's own labels
	RuleYesNo      Rule = "yes_no"     // yes or true, no or false
	RuleText       Rule = "text"       // the value of a text prompt
)

// A Reply is a user message, read against the envelope that it answers. It is
// made by [Envelope.Read] and does not change. The zero value, and nil, are a
// reply that answers nothing.
type Reply struct {
	source     Source
	answers    []Answer
	evidence   []Evidence // of answers, by index
	missing    []string
	cancelled  []string
	violations []Violation
	remainder  string
	confirms   bool // a confirm was asked
	proceed    bool
}

// Read reads the user's next message against what e asked. The rules are in
// the package documentation; where they leave a doubt, nothing is confirmed.
//
// Read does not ask whether e is valid. It reads a message of more than
// [MaxSize] bytes as chat, and the time that it takes is linear in the message.
func (e *Envelope) Read(message string) *Reply {
	if e == nil {
		return &Reply{remainder: remainderOf(message)}
	}
	r := newReplyReader(e)
	if in, ok := readAnswers(message); ok {
		r.structured(in)
	} else if !r.text(message) {
		return &Reply{remainder: remainderOf(message), missing: r.requiredMissing(), confirms: e.hasConfirm()}
	}
	return r.reply()
}

// Digest returns the SHA-256 of the canonical bytes of e, in hexadecimal. Keep
// it with the action that waits for the answer, and compare it before acting:
// it binds the action to what was asked. The error is that of
// [Envelope.AppendJSON].
func (e *Envelope) Digest() (string, error) {
	b, err := e.AppendJSON(nil)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Source returns what kind of message it was.
func (r *Reply) Source() Source { return r.get().source }

// Answers returns the answers that hold, in the order of the message. It may
// be empty, and then has no encoding.
func (r *Reply) Answers() Answers {
	answers := slices.Clone(r.get().answers)
	for i := range answers {
		switch p := answers[i].Payload.(type) {
		case *ChoiceAnswer:
			answers[i].Payload = &ChoiceAnswer{Values: slices.Clone(p.Values)}
		case *ConfirmAnswer:
			answers[i].Payload = &ConfirmAnswer{Confirmed: p.Confirmed}
		case *TextAnswer:
			answers[i].Payload = &TextAnswer{Value: p.Value}
		}
	}
	return Answers{Answers: answers}
}

// Evidence returns where each of the answers was read, in their order.
func (r *Reply) Evidence() []Evidence { return slices.Clone(r.get().evidence) }

// Missing returns the ids of the required prompts that were not answered, in
// the order of the envelope. After a cancel nothing more is demanded, and none
// is missing.
func (r *Reply) Missing() []string { return slices.Clone(r.get().missing) }

// Cancelled returns the ids of the confirms that were cancelled.
func (r *Reply) Cancelled() []string { return slices.Clone(r.get().cancelled) }

// Violations returns what was answered but does not hold. Paths are those of
// the structured reply, answers[2].values[0], or the line: line 3. Chat has
// none, and what comes after the first 1,000 is left out.
func (r *Reply) Violations() []Violation { return slices.Clone(r.get().violations) }

// Remainder returns the lines of a text that were not understood, in order and
// with their line breaks; of chat it is the whole message, unless blank.
func (r *Reply) Remainder() string { return r.get().remainder }

// Complete reports whether there is an answer and nothing is left to ask:
// nothing is missing, and there is no violation. It is true after a cancel too.
func (r *Reply) Complete() bool {
	r = r.get()
	return len(r.answers) > 0 && len(r.missing) == 0 && len(r.violations) == 0
}

// Decision returns what was decided about the confirm with the given id. It is
// Undecided for any other id.
func (r *Reply) Decision(id string) Decision {
	in, ok := r.payload(id).(*ConfirmAnswer)
	switch {
	case !ok:
		return Undecided
	case in.Confirmed:
		return Confirmed
	}
	return Cancelled
}

// Proceed reports whether the engine may go on with the step that it asked
// about: at least one confirm is confirmed, among them every required one and
// every one with danger, none is cancelled, nothing required is missing, and
// there is no violation. It is false for an envelope that was not read whole, and
// where no confirm was asked: then [Reply.Complete], [Reply.Values] and
// [Reply.Text] are what there is to know.
//
// Two things stay the engine's job: that the action it now takes is the one it
// asked about (see [Envelope.Digest]), and that an answer acts once.
func (r *Reply) Proceed() bool { return r.get().proceed }

// Values returns the ids of the options that were chosen at the choice with
// the given id, each of which was offered. It is nil if there is no such
// answer.
func (r *Reply) Values(id string) []string {
	if in, ok := r.payload(id).(*ChoiceAnswer); ok {
		return slices.Clone(in.Values)
	}
	return nil
}

// Text returns the answer to the text prompt with the given id; ok is false if
// there is none. Only an optional prompt's answer may be blank. It never is the
// prompt's default value, unless the user sent that.
func (r *Reply) Text(id string) (text string, ok bool) {
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
	for _, a := range r.get().answers {
		if a.ID == id {
			return a.Payload
		}
	}
	return nil
}

// A replyReader collects the answers to an envelope.
type replyReader struct {
	e          *Envelope
	prompts    map[string]int // by id; ambiguous where two bear it
	order      []int          // prompts that have a take, as they came
	takes      map[int]*take
	offers     map[int]*offer
	violations []Violation
	remainder  []byte
	isText     bool
}

// A take is what was answered to one prompt so far.
type take struct {
	payload  Payload
	evidence Evidence
	void     bool // two different answers, or one in doubt
}

const ambiguous = -1

func newReplyReader(e *Envelope) *replyReader {
	r := &replyReader{e: e, prompts: make(map[string]int, len(e.Prompts)), takes: make(map[int]*take), offers: make(map[int]*offer)}
	for i := range e.Prompts {
		id := e.Prompts[i].ID
		if _, taken := r.prompts[id]; taken {
			r.prompts[id] = ambiguous
		} else {
			r.prompts[id] = i
		}
	}
	return r
}

func (r *replyReader) violate(path string, code Code, got, want string) {
	if len(r.violations) < maxNotes {
		r.violations = append(r.violations, Violation{Path: path, Code: code, Got: got, Want: want})
	}
}

// find returns the index of the prompt with the given id, or notes why there
// is none to answer.
func (r *replyReader) find(path, id string) (int, bool) {
	i, known := r.prompts[id]
	switch {
	case !known:
		r.violate(path, CodeUnknownID, quote(id), "the id of a prompt that was asked")
	case i == ambiguous:
		r.violate(path, CodeAmbiguousID, quote(id), "an id that one prompt has: two have this one")
	default:
		return i, true
	}
	return 0, false
}

// take notes an answer that holds. Of equal answers the first counts; two
// different ones to the same prompt leave it unanswered.
func (r *replyReader) take(i int, p Payload, at Evidence) {
	at.ID = r.e.Prompts[i].ID
	first, again := r.takes[i]
	switch {
	case !again:
		r.takes[i] = &take{payload: p, evidence: at}
		r.order = append(r.order, i)
	case !equalPayload(first.payload, p):
		first.void = true
		r.violate(at.Path, CodeConflict, fmt.Sprintf("another answer to %s than %s", quote(at.ID), first.evidence.Path), "one answer to a prompt")
	}
}

func equalPayload(a, b Payload) bool {
	switch a := a.(type) {
	case *ChoiceAnswer:
		b, ok := b.(*ChoiceAnswer)
		return ok && slices.Equal(a.Values, b.Values)
	case *ConfirmAnswer:
		b, ok := b.(*ConfirmAnswer)
		return ok && *a == *b
	case *TextAnswer:
		b, ok := b.(*TextAnswer)
		return ok && *a == *b
	}
	return false
}

func (r *replyReader) answered(i int) bool {
	t := r.takes[i]
	return t != nil && !t.void
}

func (r *replyReader) requiredMissing() (ids []string) {
	for i := range r.e.Prompts {
		if p := &r.e.Prompts[i]; !p.Optional && !r.answered(i) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// reply makes the reply of what was collected.
func (r *replyReader) reply() *Reply {
	out := &Reply{source: SourceStructured, violations: r.violations, remainder: string(r.remainder), confirms: r.e.hasConfirm()}
	if r.isText {
		out.source = SourceText
	}
	for _, i := range r.order {
		t := r.takes[i]
		if t.void {
			continue
		}
		id := r.e.Prompts[i].ID
		out.answers = append(out.answers, Answer{ID: id, Payload: t.payload})
		out.evidence = append(out.evidence, t.evidence)
		if in, ok := t.payload.(*ConfirmAnswer); ok && !in.Confirmed {
			out.cancelled = append(out.cancelled, id)
		}
	}
	if len(out.cancelled) == 0 {
		out.missing = r.requiredMissing()
	}
	out.proceed = r.proceed(out)
	return out
}

func (r *replyReader) proceed(out *Reply) bool {
	if len(out.cancelled)+len(out.missing)+len(out.violations)+len(r.e.Skipped) > 0 {
		return false
	}
	confirmed := false // what is answered is a yes: nothing is cancelled
	for i := range r.e.Prompts {
		if in, ok := r.e.Prompts[i].Input.(*Confirm); ok {
			if in.isDanger() && !r.answered(i) {
				return false
			}
			confirmed = confirmed || r.answered(i)
		}
	}
	return confirmed
}

func (e *Envelope) hasConfirm() bool {
	return slices.ContainsFunc(e.Prompts, func(p Prompt) bool { return p.Kind() == KindConfirm })
}

func (c *Confirm) isDanger() bool { return c != nil && c.Danger }

// structured judges each entry against its prompt.
func (r *replyReader) structured(in *reader) {
	var raw rawAnswer
	for i := 0; in.more(']'); i++ {
		in.scanner.answer(&raw)
		r.entry(in, i, &raw)
	}
}

// entry judges one entry of structured answers. The first fault is the one
// that is noted, apart from the values of a choice, which each have their own.
func (r *replyReader) entry(in *reader, i int, raw *rawAnswer) {
	fail := func(key string, code Code, v value, want string) {
		r.violate(answerPath(i, key), code, v.got(), want)
	}
	if raw.self.typ != jsonObject {
		fail("", CodeWrongType, raw.self, fmt.Sprintf(`an object {%q: …, %q: …}`, keyID, keyKind))
		return
	}
	id, code := in.needed(raw.id)
	if code != "" {
		fail(keyID, code, raw.id, "the id of a prompt that was asked")
		return
	}
	n, ok := r.find(answerPath(i, keyID), id)
	if !ok {
		return
	}
	p := &r.e.Prompts[n]
	want := p.Kind()
	kind, code := in.needed(raw.kind)
	switch {
	case code != "":
	case !isKind(Kind(kind)):
		code = CodeUnknownKind
	case Kind(kind) != want:
		code = CodeWrongKind
	}
	if code != "" {
		fail(keyKind, code, raw.kind, fmt.Sprintf("%q", want))
		return
	}
	at := Evidence{Path: answerPath(i, ""), Rule: RuleStructured}
	switch input := p.Input.(type) {
	case *Choice:
		if code := wrongType(raw.values, jsonArray); code != "" {
			fail(keyValues, code, raw.values, "an array of option ids")
			return
		}
		if values := r.values(in, i, r.offer(n, input), raw); values != nil {
			r.take(n, &ChoiceAnswer{Values: values}, at)
		}
	case *Confirm:
		if code := wrongType(raw.confirmed, jsonTrue, jsonFalse); code != "" {
			fail(keyConfirmed, code, raw.confirmed, "true or false")
			return
		}
		r.take(n, &ConfirmAnswer{Confirmed: raw.confirmed.typ == jsonTrue}, at)
	case *Text:
		if code := wrongType(raw.value, jsonString); code != "" {
			fail(keyValue, code, raw.value, "a string")
			return
		}
		text := in.text(raw.value)
		if !p.Optional && trim(text, anySpace) == "" {
			fail(keyValue, CodeBlank, raw.value, "a text that is not blank")
			return
		}
		r.take(n, &TextAnswer{Value: text}, at)
	}
}

// values returns the values of a choice that were offered, each once, or nil
// if none is left or there are two for a single choice.
func (r *replyReader) values(in *reader, i int, o *offer, raw *rawAnswer) (values []string) {
	given := make(map[string]bool)
	some := false
	for j, v := range raw.values.elements() {
		some = true
		const want = "the id of an option that was offered"
		if _, code := in.needed(v); code != "" {
			r.violate(valuePath(i, j), code, v.got(), want)
			continue
		}
		id := in.text(v)
		if given[id] {
			continue
		}
		given[id] = true
		switch n, known := o.ids[id]; {
		case !known:
			r.violate(valuePath(i, j), CodeUnknownOption, v.got(), want)
		case n == ambiguous:
			r.violate(valuePath(i, j), CodeAmbiguousID, v.got(), want+" once: two options have this one")
		default:
			values = append(values, id)
		}
	}
	if !some {
		r.violate(answerPath(i, keyValues), CodeMissing, "no value", "the id of an option")
	}
	if !o.AllowMultiple && len(given) > 1 {
		r.violate(answerPath(i, keyValues), CodeTooMany, plural(len(given), "value"), "1")
		return nil
	}
	return values
}
