package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// An engine is the agent's half: it calls the tool and acts on the answer.
type engine struct {
	buckets map[string]bool
	talk    clarify.Conversation
}

func newEngine() *engine {
	return &engine{buckets: map[string]bool{"avatars": true, "uploads": true}}
}

func (g *engine) world() string {
	return strings.Join(slices.Sorted(maps.Keys(g.buckets)), ", ")
}

// ask runs the clarify tool with the arguments that the model sent. The call ends
// the turn: nothing is changed before the user's next message.
func (g *engine) ask(arguments []byte) (clarify.Event, error) {
	event := clarify.Event{Type: clarify.EventToolEnd, Agent: "platform", Tool: clarify.ToolName, RunID: "run-1"}
	asked, err := clarify.ParseCall(arguments)
	if err == nil {
		err = check(asked)
	}
	if err != nil {
		event.Output = clarify.ErrorResult(err)
		return event, err
	}
	event.Output, err = g.talk.Ask(event.RunID, asked)
	return event, err
}

// check makes sure that a yes means for the person what it means for the engine:
// the id of a confirm names a bucket for act, so its question names it too.
func check(asked *clarify.Envelope) error {
	for _, p := range asked.Prompts {
		if bucket, ok := strings.CutPrefix(p.ID, "delete."); ok && !slices.Contains(strings.Fields(p.Question), bucket) {
			return errors.New("the question of " + p.ID + " does not name the bucket " + bucket)
		}
	}
	return nil
}

// act reads the user's next message. It deletes what the message confirms, and
// returns what the model is told, and what was done.
func (g *engine) act(message string) (told, did string) {
	told, did = g.talk.Message(message).ForModel(), "Nothing was deleted."
	for bucket := range g.buckets {
		if g.talk.Use("delete." + bucket) {
			delete(g.buckets, bucket)
			did = "Deleted bucket " + bucket + "."
		}
	}
	return told, did
}
