package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	clarify "github.com/clarify-protocol/clarify-go"
)

// This file is the engine half: an HTTP endpoint that takes a conversation and
// streams the agent's next turn. The agent is a script (script.go), not a model.
// Everything that a model would need is here: the buckets, the tools that change
// them, the guard around the tools, and the journal. Because of the journal, an
// answer acts only once.

const maxTurnRequest = 8 << 20

// A bucket holds files. Every conversation has its own buckets.
type bucket struct {
	Region string
	Files  []string
}

// A project is what the engine knows about one conversation. It is built from
// the turns in the journal, and from nothing else.
type project struct {
	mu      sync.Mutex
	buckets map[string]bucket
	turns   []turnRecord
}

// A turnRecord is one line of the engine's journal: a complete turn. The engine
// writes it before it sends the first event. So a turn either did not happen, or
// the engine can send exactly the same events again.
type turnRecord struct {
	Conversation string          `json:"conversation"`
	Message      string          `json:"message"` // the message that the turn answers
	Changes      []change        `json:"changes,omitempty"`
	Plan         *plan           `json:"plan,omitempty"` // what the agent will do after the answer
	Events       []clarify.Event `json:"events"`
}

// A change is one thing that was done to the buckets.
type change struct {
	Do     string `json:"do"` // create, copy or delete
	Bucket string `json:"bucket"`
	Region string `json:"region,omitempty"` // where a new bucket is
	To     string `json:"to,omitempty"`     // the bucket that gets the copies
}

const (
	doCreate = "create"
	doCopy   = "copy"
	doDelete = "delete"
)

// apply makes the change, or returns an error that says why it cannot.
func (c change) apply(buckets map[string]bucket) error {
	from, exists := buckets[c.Bucket]
	switch {
	case c.Do == doCreate && !exists:
		buckets[c.Bucket] = bucket{Region: c.Region}
		return nil
	case c.Do == doDelete && exists:
		delete(buckets, c.Bucket)
		return nil
	case c.Do == doCopy && exists:
		to, ok := buckets[c.To]
		if !ok {
			return fmt.Errorf("there is no bucket %s", c.To)
		}
		files := slices.Clone(to.Files)
		for _, name := range from.Files {
			files = append(files, c.Bucket+"/"+name)
		}
		to.Files = files
		buckets[c.To] = to
		return nil
	case exists:
		return fmt.Errorf("there already is a bucket %s", c.Bucket)
	}
	return fmt.Errorf("there is no bucket %s", c.Bucket)
}

type engine struct {
	script  func(*turn) error
	journal *journal

	mu       sync.Mutex
	projects map[string]*project
}

func newEngine(path string) (*engine, error) {
	g := &engine{script: script, projects: make(map[string]*project)}
	var err error
	g.journal, err = openJournal(path, func(line []byte) error {
		var rec turnRecord
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		return g.project(rec.Conversation).add(rec)
	})
	return g, err
}

func (g *engine) Close() error { return g.journal.Close() }

// project returns the project of the conversation. A new one has the first buckets.
func (g *engine) project(conversation string) *project {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.projects[conversation]
	if p == nil {
		p = &project{buckets: firstBuckets()}
		g.projects[conversation] = p
	}
	return p
}

// add applies the turn to the project.
func (p *project) add(rec turnRecord) error {
	for _, c := range rec.Changes {
		if err := c.apply(p.buckets); err != nil {
			return err
		}
	}
	p.turns = append(p.turns, rec)
	return nil
}

// ServeHTTP streams the next turn of the conversation.
func (g *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req turnRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxTurnRequest)).Decode(&req); err != nil {
		http.Error(w, "want a conversation as JSON: "+err.Error(), http.StatusBadRequest)
		return
	}
	rest, err := g.turn(req)
	switch {
	case errors.Is(err, errAnotherConversation):
		http.Error(w, err.Error(), http.StatusConflict)
		return
	case err != nil:
		log.Printf("engine: %v", err)
		http.Error(w, "the turn failed; nothing was changed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for _, ev := range rest {
		if writeEvent(w, ev) != nil {
			return
		}
	}
}

var errAnotherConversation = errors.New("this is not how the conversation went")

// turn returns the events of the last turn that are not in the conversation yet.
// If the turn was already taken, turn returns the recorded events. So an answer
// acts once, even if it arrives many times.
func (g *engine) turn(req turnRequest) ([]clarify.Event, error) {
	number, message, sent := 0, "", []clarify.Event(nil)
	for _, e := range req.Timeline {
		if e.Event != nil {
			sent = append(sent, *e.Event)
		} else {
			number, message, sent = number+1, e.Message, nil
		}
	}
	p := g.project(req.Conversation)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case number == 0 || number > len(p.turns)+1:
		return nil, errAnotherConversation
	case number == len(p.turns)+1:
		if err := g.take(p, req); err != nil {
			return nil, err
		}
	}
	rec := p.turns[number-1]
	if rec.Message != message || len(sent) > len(rec.Events) || !slices.Equal(rec.Events[:len(sent)], sent) {
		return nil, errAnotherConversation
	}
	return rec.Events[len(sent):], nil
}

// take lets the agent take its next turn. Either the whole turn happens, or
// nothing of it.
func (g *engine) take(p *project, req turnRequest) error {
	last := len(req.Timeline) - 1
	if req.Timeline[last].Event != nil {
		return errAnotherConversation
	}
	history := replay(req.Timeline[:last])
	t := &turn{
		record:  turnRecord{Conversation: req.Conversation, Message: req.Timeline[last].Message},
		run:     fmt.Sprintf("%s-%d", req.Conversation, len(p.turns)+1),
		buckets: maps.Clone(p.buckets),
	}
	// A plan counts only if it was kept with exactly this question.
	if pending := history.Pending(); pending != nil && len(p.turns) > 0 {
		if kept := p.turns[len(p.turns)-1].Plan; kept != nil {
			if digest, err := pending.Digest(); err == nil && digest == kept.Digest {
				t.plan = kept
			}
		}
	}
	t.reply = history.Message(t.record.Message)
	if t.plan != nil {
		t.emit(clarify.Event{Type: eventReading, Output: strings.TrimSuffix(t.reply.ForModel(), "\n")})
	}
	if err := g.script(t); err != nil {
		return err
	}
	t.emit(clarify.Event{Type: eventTurnEnd})
	if err := g.journal.Append(t.record); err != nil {
		return err
	}
	return p.add(t.record)
}

// A turn is what the agent can do in one turn. It can look and say something,
// and it can either ask or change something, but not both.
type turn struct {
	plan  *plan          // what the agent does after a yes; nil if the open question is not its own
	reply *clarify.Reply // the user's message, read against the open question

	record  turnRecord
	run     string
	buckets map[string]bucket // after the changes of this turn
}

// errAsked and errChanged enforce rule 2 of the contract's "agent behavior".
var (
	errAsked   = errors.New("the agent wanted to change something in the turn in which it asked")
	errChanged = errors.New("the agent wanted to ask in a turn in which it changed something")
)

func (t *turn) emit(ev clarify.Event) {
	ev.Agent, ev.RunID = "platform", t.run
	t.record.Events = append(t.record.Events, ev)
}

// say tells the user something.
func (t *turn) say(format string, args ...any) {
	t.emit(clarify.Event{Type: eventSay, Output: fmt.Sprintf(format, args...)})
}

// tool records the end of a call of another tool.
func (t *turn) tool(name, output string) {
	t.emit(clarify.Event{Type: clarify.EventToolEnd, Tool: name, Output: output})
}

// ask calls the clarify tool and keeps what to do after the answer.
func (t *turn) ask(e *clarify.Envelope, then plan) error {
	if len(t.record.Changes) > 0 {
		return errChanged
	}
	asked, err := e.Normalized() // the envelope as the Console will see it
	if err != nil {
		return err
	}
	output, err := asked.Result()
	if err != nil {
		return err
	}
	if then.Digest, err = asked.Digest(); err != nil {
		return err
	}
	t.record.Plan = &then
	t.tool(clarify.ToolName, output)
	return nil
}

// change changes a bucket.
func (t *turn) change(c change) error {
	if t.record.Plan != nil {
		return errAsked
	}
	if err := c.apply(t.buckets); err != nil {
		return err
	}
	t.record.Changes = append(t.record.Changes, c)
	return nil
}
