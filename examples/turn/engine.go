package main

import (
	"cmp"
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
	return g.talk.Call("", arguments, word)
}

// word sees to it that a yes means for the person what it means for act: the engine
// words each question about a deletion, whatever the model wrote.
func word(asked *clarify.Envelope) error {
	for i, p := range asked.Prompts {
		if bucket, ok := strings.CutPrefix(p.ID, "delete."); ok {
			asked.Title = ""
			asked.Prompts[i] = clarify.Prompt{ID: p.ID, Question: "Delete bucket " + bucket + " and all of its files?",
				Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true}}
		}
	}
	return nil
}

// act reads the user's next message. It deletes what the message confirms, and
// returns what the model is told, and what was done.
func (g *engine) act(message string) (told, did string) {
	told = g.talk.Message(message).ForModel()
	for _, bucket := range slices.Sorted(maps.Keys(g.buckets)) {
		if g.talk.Use("delete." + bucket) {
			delete(g.buckets, bucket)
			did += "Deleted bucket " + bucket + ". "
		}
	}
	return told, cmp.Or(strings.TrimSpace(did), "Nothing was deleted.")
}
