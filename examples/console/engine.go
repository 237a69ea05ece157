package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// This file is the engine half: an HTTP endpoint that takes a conversation and
// streams the agent's next turn. The agent is a script (script.go), not a model.
// Everything that a model would need is here: the buckets, the tools that change
// them, and the guard around the tools. A turn and its changes are stored together,
// and only by the first who takes it, so an answer acts only once.

const maxTurnRequest = 2 << 20

// A bucket holds files. Every conversation has its own buckets.
type bucket struct {
	Region string
	Files  []string
}

// A turnRecord is a complete turn. The engine stores it, with the buckets after it,
// before it sends the first event. So a turn either did not happen, or the engine
// can send exactly the same events again.
type turnRecord struct {
	Conversation string          `json:"conversation"`
	Turn         int             `json:"turn"`
	Message      string          `json:"message"` // the message that the turn answers
	Changes      []change        `json:"changes,omitempty"`
	Plan         *plan           `json:"plan,omitempty"` // what the agent will do after the answer
	Events       []clarify.Event `json:"events"`
	Talk         json.RawMessage `json:"talk"` // the clarify.Conversation after the turn
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
	to, there := buckets[c.To]
	switch {
	case exists == (c.Do == doCreate), c.Do == doCopy && !there:
		return fmt.Errorf("the buckets are other ones: %+v", c)
	case c.Do == doCreate:
		buckets[c.Bucket] = bucket{Region: c.Region}
	case c.Do == doDelete:
		delete(buckets, c.Bucket)
	default:
		to.Files = slices.Clone(to.Files)
		for _, name := range from.Files {
			to.Files = append(to.Files, c.Bucket+"/"+name)
		}
		buckets[c.To] = to
	}
	return nil
}

type engine struct {
	script func(*turn) error
	store  *store
}

// ServeHTTP streams the next turn of the conversation.
func (g *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req turnRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxTurnRequest)).Decode(&req); err != nil {
		http.Error(w, "want a turn as JSON: "+err.Error(), http.StatusBadRequest)
		return
	}
	rest, err := g.turn(r.Context(), req)
	switch {
	case errors.Is(err, errAnotherConversation):
		http.Error(w, err.Error(), http.StatusConflict)
		return
	case err != nil:
		log.Printf("engine: %q: %v", req.Conversation, err)
		http.Error(w, "the turn failed; nothing was changed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for _, ev := range rest {
		if writeEvent(w, "", string(ev.AppendJSON(nil))) != nil {
			return
		}
	}
}

var errAnotherConversation = errors.New("this is not how the conversation went")

// turn returns the events of the turn that the Console does not have yet. If the
// turn was already taken, turn returns the recorded events. So an answer acts once,
// even if it arrives many times.
func (g *engine) turn(ctx context.Context, req turnRequest) ([]clarify.Event, error) {
	rec, buckets, err := g.store.last(ctx, req.Conversation)
	switch {
	case err != nil:
	case req.Turn < rec.Turn:
		rec, err = g.store.turn(ctx, req.Conversation, req.Turn)
	case req.Turn > rec.Turn && req.Have == 0 && (req.Left || req.Turn == rec.Turn+1):
		after := rec.Turn
		if rec, err = g.take(req, rec, buckets); err == nil {
			err = g.store.saveTurn(ctx, rec, after, buckets)
		}
		if err == errSaved { // what somebody else has saved counts
			return g.turn(ctx, req)
		}
	}
	if err == nil && (rec.Turn == 0 || rec.Turn != req.Turn || rec.Message != req.Message || req.Have < 0 || req.Have > len(rec.Events)) {
		err = errAnotherConversation
	}
	if err != nil {
		return nil, err
	}
	return rec.Events[req.Have:], nil
}

// take lets the agent take the turn after the last one. It stores nothing yet.
func (g *engine) take(req turnRequest, last turnRecord, buckets map[string]bucket) (rec turnRecord, err error) {
	t := &turn{
		record:  turnRecord{Conversation: req.Conversation, Turn: req.Turn, Message: req.Message},
		run:     fmt.Sprintf("%s-%d", req.Conversation, req.Turn),
		plan:    last.Plan,
		buckets: buckets,
	}
	if last.Turn > 0 {
		if err := json.Unmarshal(last.Talk, &t.talk); err != nil {
			return rec, err
		}
	}
	if req.Left { // the user may not have seen the question, or has answered it
		t.talk.NoAnswer()
		t.plan = nil
	}
	t.asked = t.talk.Pending()
	t.reply = t.talk.Message(req.Message)
	if t.talk.Pending() != nil { // the answers were for another question
		t.record.Plan, t.plan = t.plan, nil
	}
	if t.plan != nil {
		t.emit(clarify.Event{Type: eventReading, Output: strings.TrimSuffix(t.reply.ForModel(), "\n")})
	}
	if err := g.script(t); err != nil {
		return rec, err
	}
	t.emit(clarify.Event{Type: eventTurnEnd})
	t.record.Talk, err = json.Marshal(&t.talk)
	return t.record, err
}

// A turn is what the agent can do in one turn. It can look and say something,
// and it can either ask or change something, but not both.
type turn struct {
	talk  clarify.Conversation
	plan  *plan             // what the agent does after a yes; nil if no question was answered
	asked *clarify.Envelope // the question that waited, for which the plan was made
	reply *clarify.Reply    // the user's message, read against it

	record  turnRecord
	run     string            // names the turn, and so the question that it asks
	buckets map[string]bucket // after the changes of this turn
}

// errAsked and errChanged enforce rule 2 of the contract's "agent behavior".
var (
	errAsked   = errors.New("the agent wanted to change something in the turn in which it asked")
	errChanged = errors.New("the agent wanted to ask in a turn in which it changed something")
)

func (t *turn) emit(ev clarify.Event) {
	ev.Agent, ev.RunID = "platform", cmp.Or(ev.RunID, t.run)
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
	event, err := t.talk.Ask(t.run, e)
	if err == nil {
		t.record.Plan = &then
		t.emit(event)
	}
	return err
}

// change changes a bucket.
func (t *turn) change(c change) error {
	if t.talk.Asking() {
		return errAsked
	}
	if err := c.apply(t.buckets); err != nil {
		return err
	}
	t.record.Changes = append(t.record.Changes, c)
	return nil
}
