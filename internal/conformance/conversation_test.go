package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A conversationModel is what docs/rules.md says about conversations, written down as simply as it
// can be. It keeps everything that was asked, and looks it up again each time.
type conversationModel struct {
	asked   []askedEvent
	pending *askedEvent       // the question that waits
	asking  bool              // a question was asked in this turn
	yes     *clarify.Envelope // the question that the last message confirmed, until it is used
}

type askedEvent struct {
	run, canonical string
	envelope       *clarify.Envelope
}

func newAsked(run string, e *clarify.Envelope) askedEvent {
	b, err := e.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return askedEvent{run, string(b), e}
}

// reference is the documented formula.
func (a askedEvent) reference() string {
	if a.run == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(Of(a.run).Compact() + a.canonical))
	return fmt.Sprintf("%x", sum)[:32]
}

// sameID reports whether two ids fold to the same text. It is enough for the ids of this test.
func sameID(a, b string) bool {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "\u200b", "")) }
	return fold(a) == fold(b)
}

func promptText(p clarify.Prompt) string {
	b, err := p.MarshalJSON()
	if err != nil {
		panic(err)
	}
	return string(b)
}

// meaning is what the id of p, a prompt of e, stands for.
func meaning(e *clarify.Envelope, p clarify.Prompt) string {
	if p.Kind() == clarify.KindConfirm {
		return newAsked("", e).canonical
	}
	return promptText(p)
}

// stoodForAnother reports whether the id of p, a prompt of e, was that of another prompt.
func (m *conversationModel) stoodForAnother(e *clarify.Envelope, p clarify.Prompt) bool {
	for _, a := range m.asked {
		for _, q := range a.envelope.Prompts {
			if sameID(p.ID, q.ID) && meaning(e, p) != meaning(a.envelope, q) {
				return true
			}
		}
	}
	return false
}

func (m *conversationModel) wait(a askedEvent) {
	m.asked = append(m.asked, a)
	m.pending, m.asking, m.yes = &a, true, nil
}

// ask returns why the engine refuses to ask e, which is valid, as "code at path". The run is the one
// of the event.
func (m *conversationModel) ask(run string, e *clarify.Envelope) (refused []string) {
	if m.asking {
		refused = append(refused, "second_question at arguments")
	}
	for i, p := range e.Prompts {
		if m.stoodForAnother(e, p) {
			refused = append(refused, fmt.Sprintf("reused_id at prompts[%d].id", i))
		}
	}
	if refused == nil {
		m.wait(newAsked(run, e))
	}
	return refused
}

func (m *conversationModel) event(ev clarify.Event) {
	if ev.Type != "tool_end" || !strings.EqualFold(strings.TrimSpace(ev.Tool), "clarify") {
		return
	}
	e, err := ev.Envelope()
	if errors.Is(err, clarify.ErrToolFailed) {
		return
	}
	if err != nil { // it may have been a question
		m.pending, m.asking, m.yes = nil, true, nil
		return
	}
	if a := newAsked(ev.RunID, e); !m.before(a) {
		m.wait(a)
	}
}

// before reports whether a was there before, which only one that names its run can be.
func (m *conversationModel) before(a askedEvent) bool {
	return a.run != "" && slices.ContainsFunc(m.asked, func(b askedEvent) bool { return a.run == b.run && a.canonical == b.canonical })
}

// A modelReply is what a test can see of a reply.
type modelReply struct {
	state      clarify.State
	proceed    bool
	answers    []clarify.Answer
	violations []string // code at path
	forModel   string   // compared unless it is blank
}

func seenReply(r *clarify.Reply) modelReply {
	seen := modelReply{state: r.State(), proceed: r.Proceed(), answers: r.Answers().Answers}
	for _, v := range r.Violations() {
		seen.violations = append(seen.violations, fmt.Sprintf("%v at %v", v.Code, v.Path))
	}
	return seen
}

func isStructured(message string) bool {
	var o map[string]json.RawMessage
	var protocol string
	var answers []json.RawMessage
	return json.Unmarshal([]byte(message), &o) == nil && json.Unmarshal(o["protocol"], &protocol) == nil && protocol == clarify.Protocol &&
		json.Unmarshal(o["answers"], &answers) == nil && answers != nil
}

// referenceIn returns the reference of structured answers.
func referenceIn(message string) (ref string) {
	var o map[string]json.RawMessage
	if !isStructured(message) || json.Unmarshal([]byte(message), &o) != nil || json.Unmarshal(o["for"], &ref) != nil {
		return ""
	}
	return ref
}

func (m *conversationModel) message(message string) modelReply {
	m.asking, m.yes = false, nil
	ref := referenceIn(message)
	if m.pending == nil {
		reply := modelReply{state: clarify.StateNothingAsked, forModel: message}
		switch {
		case ref != "":
			reply.violations, reply.forModel = []string{"other_question at for"}, ""
		case isStructured(message):
			reply.violations, reply.forModel = []string{"other_question at answers"}, ""
		}
		return reply
	}
	asked := *m.pending
	if ref != "" && ref != asked.reference() {
		return modelReply{state: clarify.StateUnanswered, violations: []string{"other_question at for"}}
	}
	m.pending = nil
	read := asked.envelope.Read(message)
	reply := seenReply(read)
	if ref == "" {
		reply.answers = nil
		for _, ev := range read.Evidence() {
			p, _ := asked.envelope.Prompt(ev.Answer.ID)
			if p.Kind() == clarify.KindConfirm && m.stoodForAnother(asked.envelope, p) {
				reply.violations = append(reply.violations, "other_question at "+ev.Path)
			} else {
				reply.answers = append(reply.answers, ev.Answer)
			}
		}
	}
	reply.judge(asked.envelope)
	if reply.proceed && slices.ContainsFunc(asked.envelope.Prompts, isDanger) {
		m.yes = asked.envelope
	}
	return reply
}

// judge is "What counts" of the rules: it sets the state and proceed.
func (r *modelReply) judge(e *clarify.Envelope) {
	answered, confirmed, cancelled := map[string]bool{}, map[string]bool{}, false
	for _, a := range r.answers {
		answered[a.ID] = true
		if in, ok := a.Payload.(*clarify.ConfirmAnswer); ok {
			confirmed[a.ID] = in.Confirmed
			cancelled = cancelled || !in.Confirmed
		}
	}
	missing, open := false, false
	for _, p := range e.Prompts {
		missing = missing || !p.Optional && !answered[p.ID] && !cancelled
		if in, ok := p.Input.(*clarify.Confirm); ok && !confirmed[p.ID] {
			open = open || !p.Optional || in.Danger
		}
	}
	whole := len(r.answers) > 0 && !missing && len(r.violations) == 0
	r.proceed = whole && !cancelled && !open && len(confirmed) > 0 && len(e.Skipped) == 0
	switch {
	case cancelled:
		r.state = clarify.StateCancelled
	case len(r.answers) == 0:
		r.state = clarify.StateUnanswered
	case !whole || len(e.Skipped) > 0:
		r.state = clarify.StateIncomplete
	case r.proceed:
		r.state = clarify.StateConfirmed
	default:
		r.state = clarify.StateComplete
	}
}

func (m *conversationModel) noAnswer() modelReply {
	waited := m.pending != nil
	m.asking, m.yes, m.pending = false, nil, nil
	if waited {
		return modelReply{state: clarify.StateUnanswered}
	}
	return modelReply{state: clarify.StateNothingAsked}
}

func isDanger(p clarify.Prompt) bool {
	in, ok := p.Input.(*clarify.Confirm)
	return ok && in.Danger
}

// use is given envelopes as they are shown.
func (m *conversationModel) use(e *clarify.Envelope) bool {
	ok := m.yes != nil && !m.asking && reflect.DeepEqual(m.yes, e) && e.Validate() == nil
	if ok {
		m.yes = nil
	}
	return ok
}

// A talkSide is a conversation of the engine or of a Console, and what the test knows about it.
type talkSide struct {
	name    string
	conv    *clarify.Conversation
	model   conversationModel
	history []func(*clarify.Conversation) // all events and messages, to rebuild it
	changed bool                          // by Use, since the last message
	fail    func(format string, args ...any)
	counts  tally

	// What is stored, and its version. A process saves what it loaded only if nobody else did.
	stored  []byte
	version int
	old     struct { // what another process loaded, some steps ago
		stored  []byte
		version int
		yes     *clarify.Envelope
	}

	safety safety
}

// safety follows what the user saw and said without the model, from the test's own record of what
// each message answers. It judges each action.
type safety struct {
	open     *askedEvent // the last question that was asked, until a message that can be for it
	openedAt int
	last     *said // the last message of the user
	about    *askedEvent
	aboutAt  int
	asked    bool // a question since then
	shown    map[string]bool
	used     map[string]bool // what acted: "reference id" and "number of the arrival id"
	arrivals int
}

// A said is a message of the user and what it was written for.
type said struct {
	text      string
	about     *askedEvent     // the question that the user saw, or nil
	reference string          // in it
	yes       map[string]bool // the prompts that it confirms
	cancels   bool
	at        int // when it was written
}

func (s *safety) question(a askedEvent, now int) {
	if s.shown[a.reference()] && a.run != "" {
		return
	}
	s.shown[a.reference()] = true
	s.open, s.openedAt, s.asked = &a, now, true
}

func (s *safety) message(m *said) {
	s.arrivals++
	s.last, s.about, s.aboutAt, s.asked = m, s.open, s.openedAt, false
	if s.open != nil && m != nil && m.reference != "" && m.reference != s.open.reference() {
		s.about = nil // and it stays open
		return
	}
	s.open = nil
}

// act returns why what e asks about must not be done, or "".
func (s *safety) act(e *clarify.Envelope) string {
	dangers := 0
	for _, p := range e.Prompts {
		if isDanger(p) {
			dangers++
			if why := s.confirms(e, p.ID); why != "" {
				return why
			}
		}
	}
	switch {
	case dangers == 0:
		return "it is no danger"
	case !reflect.DeepEqual(e, s.about.envelope):
		return "another question was confirmed"
	}
	return ""
}

// confirms returns why the last message does not confirm the prompt of e with the id, or "".
func (s *safety) confirms(e *clarify.Envelope, id string) string {
	m, q := s.last, s.about
	switch {
	case m == nil:
		return "no message"
	case q == nil:
		return "no question waited"
	case s.asked:
		return "a question was asked in this turn"
	case m.about == nil || !m.yes[id] || m.cancels:
		return fmt.Sprintf("%q does not confirm it", m.text)
	}
	now, _ := q.envelope.Prompt(id)
	is := meaning(q.envelope, now)
	seen := is // by its reference, and else by what the user saw
	if m.reference == "" {
		p, _ := m.about.envelope.Prompt(id)
		seen = meaning(m.about.envelope, p)
	}
	if seen != is {
		return fmt.Sprintf("%s was confirmed, not %s", seen, is)
	}
	once := []string{fmt.Sprint(s.arrivals, " ", id)}
	if m.reference != "" {
		if m.reference != q.reference() {
			return "the reference is of another question"
		}
		if q.run != "" {
			once = append(once, m.reference+" "+id)
			if m.at < s.aboutAt {
				return "the message is older than the question"
			}
		}
	}
	for _, key := range once {
		if s.used[key] {
			return "it acts twice: " + key
		}
		s.used[key] = true
	}
	return ""
}

func newSide(name string, counts tally, fail func(format string, args ...any)) *talkSide {
	s := &talkSide{name: name, conv: new(clarify.Conversation), fail: fail, counts: counts}
	s.safety.shown, s.safety.used = map[string]bool{}, map[string]bool{}
	s.save()
	return s
}

func (s *talkSide) json() []byte {
	b, err := json.Marshal(s.conv)
	if err != nil {
		s.fail("%s: %v", s.name, err)
	}
	return b
}

func (s *talkSide) save() { s.stored, s.version = s.json(), s.version+1 }

func (s *talkSide) load(data []byte) *clarify.Conversation {
	c := new(clarify.Conversation)
	if err := json.Unmarshal(data, c); err != nil {
		s.fail("%s: %v in %s", s.name, err, data)
	}
	return c
}

// check compares the conversation with the model.
func (s *talkSide) check() {
	var pending *clarify.Envelope
	reference := ""
	if s.model.pending != nil {
		pending, reference = s.model.pending.envelope, s.model.pending.reference()
	}
	if got := s.conv.Pending(); !reflect.DeepEqual(got, pending) {
		s.fail("%s: %+v waits, want %+v", s.name, got, pending)
	}
	if got := s.conv.Reference(); got != reference {
		s.fail("%s: reference %q, want %q", s.name, got, reference)
	}
	if got := s.conv.Asking(); got != s.model.asking {
		s.fail("%s: asking %v, want %v", s.name, got, s.model.asking)
	}
}

func (s *talkSide) checkReply(e *clarify.Envelope, r *clarify.Reply, want modelReply) {
	got := seenReply(r)
	if strings.TrimSpace(want.forModel) != "" && r.ForModel() != want.forModel {
		s.fail("%s: the model reads %q, want %q", s.name, r.ForModel(), want.forModel)
	}
	want.forModel = ""
	// The order of violations follows the message, not the rules above.
	slices.Sort(got.violations)
	slices.Sort(want.violations)
	if len(got.answers)+len(want.answers) == 0 {
		got.answers, want.answers = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		s.fail("%s: reply %+v, want %+v", s.name, got, want)
	}
	if e != nil {
		for _, p := range e.Prompts {
			d := clarify.Undecided
			for _, a := range want.answers {
				if in, ok := a.Payload.(*clarify.ConfirmAnswer); ok && a.ID == p.ID {
					d = clarify.Cancelled
					if in.Confirmed {
						d = clarify.Confirmed
					}
				}
			}
			if r.Decision(p.ID) != d {
				s.fail("%s: decision %v about %q, want %v", s.name, r.Decision(p.ID), p.ID, d)
			}
		}
	}
	s.counts["reply "+want.state.String()]++
	for _, v := range want.violations {
		if v == "other_question at for" {
			s.counts["stale"]++
		}
		code, _, _ := strings.Cut(v, " ")
		s.counts["reply "+code]++
	}
}

// ask returns the event of the call.
func (s *talkSide) ask(g *Generator, run string, e *clarify.Envelope, now int) clarify.Event {
	var ev clarify.Event
	var err error
	if g.Flag() {
		ev, err = s.conv.Ask(run, e)
	} else {
		ev, err = s.conv.Call(run, []byte(Arguments(e).Compact()))
	}
	if again := s.model.before(newAsked(run, e)); (ev.RunID == run) != (run != "" && !again || err != nil) {
		s.fail("%s: the event of run %q, which asked the same before: %v, has the run %q", s.name, run, again, ev.RunID)
	}
	if ev.Type != clarify.EventToolEnd || ev.Tool != clarify.ToolName || ev.Failed || err == nil && s.model.before(newAsked(ev.RunID, e)) {
		s.fail("%s: the event is %+v", s.name, ev)
	}
	want := s.model.ask(ev.RunID, e)
	var invalid *clarify.ValidationError
	var refused []string
	if errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			refused = append(refused, fmt.Sprintf("%v at %v", v.Code, v.Path))
			s.counts["call "+string(v.Code)]++
		}
	}
	if !slices.Equal(refused, want) || (err == nil) != (want == nil) || (want != nil) != strings.HasPrefix(ev.Output, ErrorTextStart) {
		s.fail("%s: the call is refused with %q: %v, want %q", s.name, ev.Output, err, want)
	}
	if err == nil {
		s.counts["asked"]++
		s.history = append(s.history, func(c *clarify.Conversation) { c.Event(ev) })
		s.safety.question(newAsked(ev.RunID, e), now)
		s.changed = false
		if ev.Reference() != s.conv.Reference() {
			s.fail("%s: the reference of the event is %q, not %q", s.name, ev.Reference(), s.conv.Reference())
		}
	}
	s.save()
	s.check()
	return ev
}

func (s *talkSide) event(ev clarify.Event, now int) {
	e, err := s.conv.Event(ev)
	want, wantErr := ev.Envelope()
	if wantErr == nil && s.model.before(newAsked(ev.RunID, want)) {
		want, wantErr = nil, clarify.ErrRepeated
		s.counts["repeated"]++
	}
	if !reflect.DeepEqual(e, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		s.fail("%s: event %+v, %v, want %+v, %v", s.name, e, err, want, wantErr)
	}
	s.history = append(s.history, func(c *clarify.Conversation) { c.Event(ev) })
	s.model.event(ev)
	if err == nil {
		s.safety.question(newAsked(ev.RunID, want), now)
	} else if wantErr != clarify.ErrRepeated && ev.Type == clarify.EventToolEnd && ev.Tool == clarify.ToolName && !ev.Failed && !strings.HasPrefix(ev.Output, "Error:") {
		s.counts["not shown"]++
		s.safety.open, s.safety.asked = nil, true
	}
	s.save()
	s.check()
}

func (s *talkSide) message(m *said) {
	e := s.conv.Pending()
	r := s.conv.Message(m.text)
	s.history = append(s.history, func(c *clarify.Conversation) { c.Message(m.text) })
	s.checkReply(e, r, s.model.message(m.text))
	s.safety.message(m)
	s.changed = false
	s.save()
	s.check()
}

func (s *talkSide) noAnswer() {
	e := s.conv.Pending()
	r := s.conv.NoAnswer()
	s.history = append(s.history, func(c *clarify.Conversation) { c.NoAnswer() })
	s.checkReply(e, r, s.model.noAnswer())
	s.safety.message(nil)
	s.changed = false
	s.save()
	s.check()
}

// act is what is done after a Use that was true and saved.
func (s *talkSide) act(e *clarify.Envelope) {
	s.counts["acted"]++
	s.changed = true
	if s.safety.last != nil && s.safety.last.reference == "" {
		s.counts["acted without a reference"]++
	}
	if why := s.safety.act(e); why != "" {
		s.fail("%s: UNSAFE: %s acted: %s", s.name, Output(e).Compact(), why)
	}
}

func (s *talkSide) use(e *clarify.Envelope) {
	want := s.model.use(e)
	if got := s.conv.Use(Clone(e)); got != want {
		s.fail("%s: Use(%s) is %v, want %v", s.name, Output(e).Compact(), got, want)
	}
	if want {
		s.save()
		s.act(e)
	} else {
		s.counts["not acted"]++
	}
	s.check()
}

// useInTwo loads the same state in two processes, which both want to act.
func (s *talkSide) useInTwo(g *Generator, e *clarify.Envelope) {
	version, want := s.version, s.model.use(e)
	processes := []*clarify.Conversation{s.load(s.stored), s.load(s.stored)}
	g.Shuffle(2, func(i, j int) { processes[i], processes[j] = processes[j], processes[i] })
	for _, c := range processes {
		if c.Use(e) != want {
			s.fail("%s: Use(%s) of what was stored is not %v", s.name, Output(e).Compact(), want)
		}
	}
	for _, c := range processes {
		switch {
		case !want:
		case s.version != version:
			s.counts["not saved"]++
		default:
			s.conv = c
			s.save()
			s.act(e)
		}
	}
	s.check()
}

// useOld lets a process act that loaded the state some steps ago, when a question was confirmed.
func (s *talkSide) useOld() {
	if s.old.stored == nil {
		return
	}
	if !s.load(s.old.stored).Use(s.old.yes) {
		s.fail("%s: Use(%s) of what was stored is false", s.name, Output(s.old.yes).Compact())
	}
	if s.version == s.old.version {
		s.use(s.old.yes)
	} else {
		s.counts["stale process"]++
	}
}

func (s *talkSide) restart() {
	s.conv = s.load(s.json())
	s.check()
}

// rebuild makes the conversation again from all events and messages.
func (s *talkSide) rebuild() {
	c := new(clarify.Conversation)
	for _, step := range s.history {
		step(c)
	}
	b, err := json.Marshal(c)
	if got := s.json(); err != nil || !s.changed && string(b) != string(got) {
		s.fail("%s: rebuilt:\n%s\nwant:\n%s", s.name, b, got)
	}
	s.counts["rebuilt"]++
}

// conversationPrompts are few ids and many questions.
func (g *Generator) conversationPrompt(lenient bool) clarify.Prompt {
	p := clarify.Prompt{ID: Pick(g, "approve", "approve", "go", "note", "env"), Optional: g.Chance(4)}
	if lenient {
		p.ID = Pick(g, p.ID, p.ID, p.ID, "Approve", "appro\u200bve", "GO")
	}
	switch p.ID {
	case "note":
		p.Question, p.Input = Pick(g, "Why?", "Who?"), &clarify.Text{Multiline: g.Chance(4)}
	case "env":
		p.Question = Pick(g, "Where?", "Where to?")
		p.Input = &clarify.Choice{Options: []clarify.Option{{ID: "prod", Label: "Production"}, {ID: "dev", Label: Pick(g, "Development", "Tests")}}}
	default:
		p.Question = Pick(g, "Delete the temporary bucket?", "Delete the temporary bucket?", "Delete the temporary bucket?", "Delete the temporary bucket?", "Delete production?")
		p.Optional = g.Chance(8)
		p.Input = &clarify.Confirm{ConfirmLabel: Pick(g, "Confirm", "Confirm", "Confirm", "Confirm", "Confirm", "Confirm", "Delete"), CancelLabel: "Cancel", Danger: !g.Chance(8)}
	}
	return p
}

func (g *Generator) conversationEnvelope(lenient bool) *clarify.Envelope {
	if g.Chance(30) {
		return g.Envelope()
	}
	e := &clarify.Envelope{Title: Pick(g, "", "", "", "Clean up")}
	for range Pick(g, 1, 1, 1, 2, 3) {
		p := g.conversationPrompt(lenient)
		if !slices.ContainsFunc(e.Prompts, func(q clarify.Prompt) bool { return p.ID == q.ID }) || lenient && g.Chance(3) {
			e.Prompts = append(e.Prompts, p)
		}
	}
	return e
}

// lenientEvent returns an event that an engine of this library would not send.
func (g *Generator) lenientEvent(run string) clarify.Event {
	ev := clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, RunID: run}
	call := Output(g.conversationEnvelope(true))
	switch g.IntN(12) {
	case 0:
		call.Get("prompts").Append("", Object("id", "when", "kind", "date", "question", "When?"))
	case 1:
		call.Set("protocol", "appwrite.clarify/v2")
	case 2:
		call = Array(call)
	case 3:
		call.Set("prompts", Array())
	case 4:
		ev.Failed = true
	case 5:
		ev.Tool = Pick(g, "console", "", "clarify2")
	case 6:
		ev.Type = Pick(g, "tool_start", "message", "")
	case 7:
		ev.Output = Pick(g, "Error: no", "done", "", "{}", "null", call.Compact()[:20])
		return ev
	}
	ev.Output = call.Compact()
	return ev
}

// answerTo returns a message for the question a.
func (g *Generator) answerTo(a *askedEvent, other string, now int) *said {
	m := &said{about: a, yes: map[string]bool{}, at: now}
	answers := clarify.Answers{}
	for _, p := range a.envelope.Prompts {
		if g.Chance(12) || p.Optional && g.Chance(3) {
			continue
		}
		answer := clarify.Answer{ID: p.ID}
		switch in := p.Input.(type) {
		case *clarify.Choice:
			answer.Payload = &clarify.ChoiceAnswer{Values: []string{Pick(g, in.Options...).ID}}
		case *clarify.Confirm:
			yes := !g.Chance(8)
			answer.Payload = &clarify.ConfirmAnswer{Confirmed: yes}
			m.cancels = m.cancels || !yes
			m.yes[p.ID] = yes
		case *clarify.Text:
			answer.Payload = &clarify.TextAnswer{Value: Pick(g, "It is empty.", "Me.", "approve: confirmed", "x\ngo: yes")}
		}
		answers.Answers = append(answers.Answers, answer)
	}
	if len(answers.Answers) > 0 && g.Chance(12) { // the same once more
		answers.Answers = append(answers.Answers, answers.Answers[0])
	}
	if g.Chance(3) {
		m.text = answers.Summary()
		if g.Chance(6) {
			m.text += Pick(g, "\nplease", "\nnot now", "\n\n", "!")
		}
		return m
	}
	m.reference = Pick(g, a.reference(), a.reference(), "", "", other)
	answers.For = m.reference
	b, err := answers.AppendJSON(nil)
	if err != nil {
		m.text = Pick(g, "{}", "?")
		m.reference = ""
		return m
	}
	m.text = string(b)
	if m.reference == "" && g.Chance(10) {
		m.text = strings.TrimSuffix(m.text, "}") + Pick(g, `,"for":""}`, `,"for":null}`, `,"for":7}`, `,"for":{"a":1}}`, `,"For":"x"}`, `,"note":"wait"}`)
	}
	return m
}

func (g *Generator) chat(now int) *said {
	if g.Chance(12) {
		return &said{at: now, text: wire(`"answers":[],"for":"x"`), reference: "x"}
	}
	return &said{at: now, text: Pick(g, "What is in it?", "yes", "ok", "no", "cancel", "", " \n", "Confirm", "{}", "1", "approve", "approve?", "Error: no",
		wire(`"answers":[]`), wire(`"answers":[{"id":"other","kind":"confirm","confirmed":true}]`))}
}

// A sequence is one run of the test.
type sequence struct {
	*Generator
	now      int
	console  *talkSide
	engine   *talkSide // nil if only a Console is tried
	events   []clarify.Event
	asked    []askedEvent
	messages []*said
	queue    []func() // what the engine has seen and the Console has not
	runs     int
	together bool // the Console sees everything in the order of the engine
}

func (q *sequence) run() string {
	if q.Chance(20) {
		return ""
	}
	if q.Chance(20) && q.runs > 0 {
		return fmt.Sprint("r", 1+q.IntN(q.runs))
	}
	q.runs++
	return fmt.Sprint("r", q.runs)
}

func (q *sequence) reference() string {
	if len(q.asked) == 0 || q.Chance(6) {
		return Pick(q.Generator, "0123456789abcdef0123456789abcdef", "x", " ")
	}
	return Pick(q.Generator, q.asked...).reference()
}

func (q *sequence) say() *said {
	var m *said
	switch {
	case len(q.messages) > 0 && q.Chance(6): // a late copy
		m = Pick(q.Generator, q.messages...)
		q.console.counts["late copy"]++
	case len(q.asked) == 0 || q.Chance(6):
		m = q.chat(q.now)
	default:
		a := q.console.model.pending
		if a == nil || q.Chance(6) {
			a = &q.asked[q.IntN(len(q.asked))]
		}
		m = q.answerTo(a, q.reference(), q.now)
	}
	q.messages = append(q.messages, m)
	return m
}

func (q *sequence) saw(ev clarify.Event) {
	q.events = append(q.events, ev)
	if e, err := ev.Envelope(); err == nil {
		q.asked = append(q.asked, newAsked(ev.RunID, e))
	}
}

// deliver lets the Console see what waits in the queue, all of it or a part.
func (q *sequence) deliver(n int) {
	for ; n > 0 && len(q.queue) > 0; n-- {
		i := 0
		if q.Chance(60) && len(q.queue) > 1 { // out of order
			i, q.together = 1, false
			q.console.counts["out of order"]++
		}
		step := q.queue[i]
		q.queue = slices.Delete(q.queue, i, i+1)
		step()
	}
}

// both does the same on the engine, and then on the Console, sooner or later.
func (q *sequence) both(step func(s *talkSide)) {
	if q.engine != nil {
		step(q.engine)
	}
	q.queue = append(q.queue, func() { step(q.console) })
}

func (q *sequence) step() {
	q.now++
	now := q.now // a question was asked now, whenever the Console sees it
	acting := q.console
	if q.engine != nil && !q.Chance(4) {
		acting = q.engine
	}
	e := q.conversationEnvelope(true)
	if len(q.asked) > 0 && !q.Chance(3) {
		e = Clone(Pick(q.Generator, q.asked...).envelope)
	}
	if acting.model.yes != nil && !q.Chance(5) {
		e = Clone(acting.model.yes)
	}
	if q.Chance(8) { // a question that is like it
		for i := range e.Prompts {
			e.Prompts[i].Hint += Pick(q.Generator, "", "!")
		}
	}
	n := q.IntN(20)
	switch { // most often what goes on
	case q.Flag():
	case acting.model.yes != nil:
		n = 15 + 2*q.IntN(2)
	case acting.model.pending != nil:
		n = 12
	default:
		n = 0
	}
	switch {
	case n < 5 && q.engine != nil:
		run, e := q.run(), q.conversationEnvelope(false)
		if len(q.asked) > 0 && q.Chance(3) { // the same question again
			e = Clone(Pick(q.Generator, q.asked...).envelope)
		}
		ev := q.engine.ask(q.Generator, run, e, now)
		q.saw(ev)
		q.queue = append(q.queue, func() { q.console.event(ev, now) })
	case n < 5:
		ev := q.lenientEvent(q.run())
		if len(q.asked) > 0 && q.Chance(4) {
			ev.Output = Output(Pick(q.Generator, q.asked...).envelope).Compact()
		}
		q.saw(ev)
		q.queue = append(q.queue, func() { q.console.event(ev, now) })
	case n < 7 && len(q.events) > 0: // the Console sees an event again
		ev := Pick(q.Generator, q.events...)
		if ev.RunID == "" {
			q.together = false // it counts as another question
		}
		q.console.counts["event again"]++
		q.queue = append(q.queue, func() { q.console.event(ev, now) })
	case n < 13:
		m := q.say()
		q.both(func(s *talkSide) { s.message(m) })
	case n == 13:
		q.both(func(s *talkSide) { s.noAnswer() })
	case n == 14:
		acting.restart()
	case n == 15:
		acting.useInTwo(q.Generator, e)
	case n == 17 && q.Chance(4):
		acting.useOld()
	case n == 16:
		acting.rebuild()
	default:
		acting.use(e)
	}
	if yes := acting.model.yes; yes != nil && yes.Validate() == nil {
		acting.old.stored, acting.old.version, acting.old.yes = acting.stored, acting.version, yes
	}
	if q.Chance(8) {
		q.deliver(q.IntN(3))
	} else {
		q.deliver(len(q.queue))
	}
	if q.engine == nil || len(q.queue) > 0 || !q.together {
		return
	}
	q.console.counts["compared"]++
	if a, b := q.engine.conv.Reference(), q.console.conv.Reference(); a != b || !reflect.DeepEqual(q.engine.conv.Pending(), q.console.conv.Pending()) {
		q.engine.fail("the engine waits for %q and the Console for %q", a, b)
	}
}

// TestConversation compares a Conversation with the model above, on sequences of everything that can
// happen to it, and follows each action back to what the user has seen and said.
func TestConversation(t *testing.T) {
	t.Parallel()
	n := inputs(3_000, 1_000_000)
	var mu sync.Mutex
	total := tally{}
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			counts := tally{}
			for i := worker; i < n && !t.Failed(); i += workers {
				conversationSequence(t, *firstSeed<<32+uint64(i), counts)
			}
			mu.Lock()
			defer mu.Unlock()
			for outcome, count := range counts {
				total[outcome] += count
			}
		})
	}
	group.Wait()
	for _, outcome := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%8d %s", total[outcome], outcome)
	}
	for outcome, percent := range conversationOutcomes {
		assert.GreaterOrEqual(t, total[outcome], n*percent/100, "the generator has lost something: %s", outcome)
	}
}

// conversationOutcomes are in how many of 100 sequences an outcome is seen at least.
var conversationOutcomes = map[string]int{
	"sequences":        100,
	"sequences: acted": 30, "sequences: not acted": 40, "sequences: not saved": 15, "sequences: stale": 40, "sequences: stale process": 3,
	"sequences: not shown": 10, "sequences: compared": 60, "sequences: call reused_id": 30, "sequences: call second_question": 20, "sequences: reply cancelled": 20,
}

func conversationSequence(t *testing.T, seed uint64, counts tally) {
	q := &sequence{Generator: New(seed), together: true}
	fail := func(format string, args ...any) {
		t.Errorf("seed %d, step %d: "+format, append([]any{seed, q.now}, args...)...)
	}
	q.console = newSide("Console", counts, fail)
	if !q.Chance(3) {
		q.engine = newSide("engine", counts, fail)
	}
	before := maps.Clone(counts)
	for range 10 + q.IntN(21) {
		if q.step(); t.Failed() {
			return
		}
	}
	for _, s := range []*talkSide{q.console, q.engine} {
		if s != nil {
			s.rebuild()
		}
	}
	counts["sequences"]++
	for _, outcome := range []string{"acted", "not acted", "not saved", "stale", "stale process", "not shown", "compared", "call reused_id", "call second_question", "reply cancelled"} {
		if counts[outcome] > before[outcome] {
			counts["sequences: "+outcome]++
		}
	}
}
