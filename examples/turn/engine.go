package main

import (
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

// deletion is what the agent asks before it deletes a bucket. A yes to a question in
// other words deletes nothing.
func deletion(bucket string) *clarify.Envelope {
	return &clarify.Envelope{Prompts: []clarify.Prompt{{
		ID:       "delete." + bucket,
		Question: "Delete bucket " + bucket + " and all of its files?",
		Hint:     "This cannot be undone.",
		Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
	}}}
}

// act reads the user's next message. It deletes what the message confirms, and
// returns what the model is told, and what was done.
func (g *engine) act(message string) (told, did string) {
	told, did = g.talk.Message(message).ForModel(), "Nothing was deleted."
	for _, bucket := range slices.Sorted(maps.Keys(g.buckets)) {
		if g.talk.Use(deletion(bucket)) {
			delete(g.buckets, bucket)
			did = "Deleted bucket " + bucket + "."
		}
	}
	return told, did
}
