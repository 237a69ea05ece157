package clarify

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// A Conversation keeps what an engine or a Console has to know from one message of
// the user to the next: which question waits for an answer, what a yes is about, and
// that it acts once. The zero value is an empty conversation.
//
// A turn begins with a message of the user and lasts until the next one. An engine
// calls [Conversation.Message] with each message, [Conversation.Call] when the model
// calls the tool, and [Conversation.Use] before everything that cannot be undone. A
// Console calls Message and [Conversation.Event]. Both then know which question
// waits.
//
// The methods are safe for concurrent use. Do not copy a Conversation; to store it,
// marshal a pointer to it to JSON. What is stored has no word of the user.
type Conversation struct {
	mu    sync.Mutex
	state talk
}

// A talk is what is stored of a conversation.
type talk struct {
	Waits     *waiting          `json:"waits,omitempty"`     // the question that waits for an answer
	Asked     bool              `json:"asked,omitempty"`     // in this turn
	Confirmed string            `json:"confirmed,omitempty"` // the digest of the question that the last message confirmed, until it is used
	Prompts   map[string]string `json:"prompts,omitempty"`   // what each id stood for, by the hash of the id
	Runs      map[string]bool   `json:"runs,omitempty"`      // the references of all questions that named their run
}

// A waiting is a question that waits for an answer, as it was asked.
type waiting struct {
	RunID  string `json:"run_id,omitempty"`
	Output string `json:"output"`

	asked     *Envelope
	reference string
}

// Message takes the user's next message, which may be chat, and begins a new turn. It
// returns the message read against the question that waited, as [Envelope.Read] does.
// If none waited, [Reply.ForModel] is the message itself. No question waits any more,
// with one exception: answers whose [Answers.For] names another question answer
// nothing ([CodeOtherQuestion]), and leave the one that waits open. So do answers where
// no question waits.
//
// Answers without a reference count, unless an id stood for another question before:
// then a confirm with this id stays undecided. If the same question was asked twice, a
// late answer to the first one, or a copy of one that was used, counts for the second
// one, unless it has a reference.
func (c *Conversation) Message(message string) *Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.state.Waits
	c.state.Asked, c.state.Confirmed = false, ""
	in, isAnswers := readAnswers(message)
	hasReference := isAnswers && in.reference != ""
	switch {
	case isAnswers && w == nil, hasReference && in.reference != w.reference:
		return w.question().stale(in)
	case w == nil:
		return (*Envelope)(nil).Read(message)
	}
	c.state.Waits = nil
	r := newReplyReader(w.asked)
	if !hasReference {
		r.isOther = c.state.stoodForTwo
	}
	reply := r.read(message)
	if reply.Proceed() && r.dangers {
		c.state.Confirmed, _ = w.asked.Digest() // "" if it could not be asked here
	}
	return reply
}

// NoAnswer ends the wait for an answer that will not come, because there is no user
// or the time is over, and begins a new turn. It returns a reply that answers
// nothing, whose [Reply.ForModel] says so.
func (c *Conversation) NoAnswer() *Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.state.Waits.question()
	if e == nil {
		e = new(Envelope)
	}
	c.state.Waits, c.state.Asked, c.state.Confirmed = nil, false, ""
	reply := newReplyReader(e).chat("")
	reply.noAnswer = true
	return reply
}

// Call is the tool in a conversation: [ParseCall], and then [Conversation.Ask].
func (c *Conversation) Call(run string, arguments []byte) (Event, error) {
	e, err := ParseCall(arguments)
	if err != nil {
		return toolEnd(run, ErrorResult(err)), err
	}
	return c.Ask(run, e)
}

// Ask asks the user. It returns the event for the Console. Its Output is the tool's
// result, which the model gets: that of [Envelope.Result], or an [ErrorResult] with the
// reason of the error. Beside what Result refuses, Ask refuses a second question in a
// turn ([CodeSecondQuestion]) and an id that stood for another question in this
// conversation ([CodeReusedID]). The same question may be asked again.
//
// The run is the engine's name of the call, which no call of another conversation has.
// If it is empty, or has asked the same before, the event gets another RunID, so that
// every question has a reference of its own.
//
// The question waits for an answer from now on, and nothing must change before the
// user's next message; [Conversation.Asking] and [Conversation.Use] see to it.
func (c *Conversation) Ask(run string, e *Envelope) (Event, error) {
	e, err := e.Normalized()
	if err != nil {
		return toolEnd(run, ErrorResult(err)), err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.state.refusal(e); err != nil {
		return toolEnd(run, ErrorResult(err)), err
	}
	w := newWaiting(run, string(e.append(nil)), e)
	if w.reference == "" || c.state.Runs[w.reference] {
		w = newWaiting(rand.Text(), w.Output, e)
	}
	c.state.ask(w)
	return toolEnd(w.RunID, w.Output), nil
}

// toolEnd is the event of a call that returned output.
func toolEnd(run, output string) Event {
	return Event{Type: EventToolEnd, Tool: ToolName, RunID: text.ToUTF8(run), Output: output}
}

// ErrRepeated is the error for an event that a [Conversation] has had before. It is an
// [ErrNotEnvelope]: there is nothing new to show.
var ErrRepeated = fmt.Errorf("%w: the event was there before", ErrNotEnvelope)

// Event takes the agent's next event and returns what [Event.Envelope] returns. An
// envelope that can be shown waits for an answer from now on, instead of an earlier
// one. Another result of the tool that can not be shown clears the question that
// waits, because the next message could answer either, and counts as a question of
// this turn; a call that failed changes nothing. Nor does an event that was there
// before, with the same run and the same envelope: Event returns [ErrRepeated].
//
// After a restart [Conversation.Pending] has the question to show.
func (c *Conversation) Event(ev Event) (*Envelope, error) {
	e, err := ev.Envelope()
	if ev.Type != EventToolEnd || !IsTool(ev.Tool) || errors.Is(err, ErrToolFailed) {
		return e, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.state.Waits, c.state.Asked = nil, true
		return e, err
	}
	w := newWaiting(ev.RunID, text.ToUTF8(ev.Output), e)
	if w.reference != "" && c.state.Runs[w.reference] {
		return nil, ErrRepeated
	}
	c.state.ask(w)
	return e.clone(), nil
}

// Pending returns the question that waits for an answer, or nil.
func (c *Conversation) Pending() *Envelope {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Waits.question().clone()
}

// Reference returns the reference of the question that waits for an answer, for
// [Answers.For]; see [Event.Reference]. It returns "" if none waits, or if its event
// has no run.
func (c *Conversation) Reference() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Waits == nil {
		return ""
	}
	return c.state.Waits.reference
}

// Asking reports whether a question was asked in this turn. Then nothing must change:
// of the calls in one response of a model, run those of the tool first, and refuse the
// others that would change something.
func (c *Conversation) Asking() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Asked
}

// Use reports whether the user's last message confirmed exactly the question e, each
// danger of it, and [Reply.Proceed] was true. It is true once for a message, and false
// after a question in the same turn. Put it in front of what cannot be undone, with a
// question in the engine's own words that says what that is; if Use is false, ask that
// question:
//
//	if talk.Use(question) {
//		// delete
//	} else {
//		event, err := talk.Ask(callID, question)
//	}
//
// What a model asks in words of its own confirms nothing here, whatever its id is. Use
// is false if e has no confirm with danger, or cannot be asked.
func (c *Conversation) Use(e *Envelope) bool {
	e, err := e.Normalized()
	if err != nil {
		return false
	}
	digest, err := e.Digest()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.state.Asked || c.state.Confirmed != digest {
		return false
	}
	c.state.Confirmed = ""
	return true
}

// newWaiting returns the question e, whose event has the run and the output.
func newWaiting(run, output string, e *Envelope) *waiting {
	return &waiting{RunID: text.ToUTF8(run), Output: output, asked: e, reference: reference(run, e)}
}

// question returns what was asked, or nil if w is nil.
func (w *waiting) question() *Envelope {
	if w == nil {
		return nil
	}
	return w.asked
}

// Reference returns the reference of the question that the event asks: 32 hexadecimal
// digits that depend on RunID and on the canonical bytes of the envelope, and so are
// the same for the engine and the Console. It returns "" if the event has no envelope
// or no RunID: two questions without a run cannot be told apart.
func (ev Event) Reference() string {
	e, err := ev.Envelope()
	if err != nil {
		return ""
	}
	return reference(ev.RunID, e)
}

func reference(run string, e *Envelope) string {
	if run == "" {
		return ""
	}
	sum := sha256.Sum256(e.append(jsontext.AppendString(nil, text.ToUTF8(run))))
	return hex.EncodeToString(sum[:16])
}

// hash is short, because a conversation can have many questions.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// hashOf is the hash of an id. Ids that look the same are the same id.
func hashOf(id string) string { return hash([]byte(text.Fold(id))) }

// identity is the hash of what the id of a prompt stands for: the prompt, and for a
// confirm the whole question, because a yes may be to all of it.
func (e *Envelope) identity(p *Prompt) string {
	if p.Kind() == KindConfirm {
		return hash(e.append(nil))
	}
	return hash(p.append(nil))
}

// maxKept is how many ids are kept, which a hostile tool could send for ever. A further
// one may have stood for anything.
const maxKept = 100_000

// refusal returns why e must not be asked now, or nil.
func (t *talk) refusal(e *Envelope) error {
	var list []Violation
	if t.Asked {
		f := fault{CodeSecondQuestion, "a second question in this turn", "one call with all prompts, and then the user's answer"}
		list = append(list, f.violation(keyArguments))
	}
	for i := range e.Prompts {
		p := &e.Prompts[i]
		if before := t.stoodFor(p.ID); before != "" && before != e.identity(p) {
			f := fault{CodeReusedID, text.Quote(p.ID) + ", which stood for another question", "an id of its own, or the question as it was asked"}
			list = append(list, f.violation(place{i, -1}.path(keyID)))
		}
	}
	if list == nil {
		return nil
	}
	return &ValidationError{list}
}

// ask lets w wait for an answer.
func (t *talk) ask(w *waiting) {
	t.Waits, t.Asked, t.Confirmed = w, true, ""
	if t.Prompts == nil {
		t.Prompts = make(map[string]string)
	}
	if t.Runs == nil { // also after a restart, if no question named its run
		t.Runs = make(map[string]bool)
	}
	for i := range w.asked.Prompts {
		p := &w.asked.Prompts[i]
		prompt := w.asked.identity(p)
		if before := t.stoodFor(p.ID); before != "" && before != prompt {
			prompt = two
		}
		if _, kept := t.Prompts[hashOf(p.ID)]; kept || len(t.Prompts) < maxKept {
			t.Prompts[hashOf(p.ID)] = prompt
		}
	}
	if w.reference != "" {
		t.Runs[w.reference] = true
	}
}

// two is what an id stood for that stood for two questions.
const two = "two"

// stoodFor returns the identity of what the id stood for, two, or "".
func (t *talk) stoodFor(id string) string {
	prompt, stood := t.Prompts[hashOf(id)]
	if !stood && len(t.Prompts) >= maxKept {
		return two
	}
	return prompt
}

// stoodForTwo reports whether the id may have stood for two questions.
func (t *talk) stoodForTwo(id string) bool { return t.stoodFor(id) == two }

// stale returns the reply to answers that are for another question than e, which may
// be nil. It keeps what is said beside them.
func (e *Envelope) stale(in *reader) *Reply {
	if e == nil {
		e = new(Envelope)
	}
	r := newReplyReader(e)
	r.structured(in)
	r.voidAll()
	r.violations = nil
	if in.reference == "" {
		r.violate(keyAnswers, fault{CodeOtherQuestion, "answers", "a question that waits for them"})
	} else {
		r.violate(keyFor, fault{CodeOtherQuestion, text.Quote(in.reference), "the reference of the question that waits for an answer"})
	}
	return r.reply()
}

// storedVersion is the version of the JSON of a Conversation.
const storedVersion = 1

// A stored is a conversation in JSON. The sum is the hash of the talk.
type stored struct {
	Version int    `json:"version"`
	Talk    talk   `json:"talk"`
	Sum     string `json:"sum"`
}

// MarshalJSON returns the conversation as JSON, for a database. It grows by about 40
// bytes for each question and each of its prompts.
//
// Two processes that load the same state could both use a yes. So save the state after
// each change, and before you act on a Use that was true, and each time only if nobody
// has saved another one since this one was loaded or saved (compare and swap). If
// somebody has, do not act.
func (c *Conversation) MarshalJSON() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum, err := c.state.sum()
	if err != nil {
		return nil, err
	}
	return json.Marshal(stored{storedVersion, c.state, sum})
}

func (t *talk) sum() (string, error) {
	b, err := json.Marshal(t)
	return hash(b), err
}

// UnmarshalJSON replaces all of c by a conversation that MarshalJSON returned, in any
// formatting. It refuses everything else, and then leaves c alone. The sum in it finds what was
// cut or changed by accident, not what somebody has forged: keep it where only the
// engine writes.
func (c *Conversation) UnmarshalJSON(data []byte) error {
	var in stored
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("clarify: not a stored conversation: %w", err)
	case in.Version != storedVersion:
		return fmt.Errorf("clarify: a stored conversation of version %d, want %d", in.Version, storedVersion)
	}
	if sum, err := in.Talk.sum(); err != nil || sum != in.Sum {
		return errors.New("clarify: not a stored conversation: the sum is another one")
	}
	if w := in.Talk.Waits; w != nil {
		e, err := parse(w.Output, MaxSize*len("\ufffd")) // each byte that is not UTF-8 was one
		if err != nil {
			return fmt.Errorf("clarify: not a stored conversation: its question: %w", err)
		}
		in.Talk.Waits = newWaiting(w.RunID, w.Output, e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = in.Talk
	return nil
}
