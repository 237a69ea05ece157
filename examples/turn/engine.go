package main

import (
	"maps"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// An engine is the agent's half: it calls the tool, and acts on the answer.
type engine struct {
	buckets map[string]bool
	history clarify.History
	pending *deletion
}

// A deletion waits for its confirmation. The digest binds it to the question.
type deletion struct {
	bucket string
	digest string
}

func newEngine() *engine {
	return &engine{buckets: map[string]bool{"avatars": true, "uploads": true}}
}

func (g *engine) world() string {
	names := slices.Sorted(maps.Keys(g.buckets))
	if len(names) == 0 {
		return "no buckets"
	}
	return "buckets " + strings.Join(names, ", ")
}

// ask runs the clarify tool with the arguments that the model sent. What comes
// back ends the turn: nothing is changed before the user's next message.
func (g *engine) ask(arguments []byte) (clarify.Event, error) {
	result, err := clarify.Call(arguments)
	event := clarify.Event{Type: clarify.EventToolEnd, Agent: "platform", Tool: clarify.ToolName, RunID: "run-1", Output: result}
	if err != nil {
		return event, err
	}
	asked, err := g.history.Event(event)
	if err != nil {
		return event, err
	}
	bucket := g.atStake(asked)
	if bucket == "" {
		return event, nil // a question that nothing but the model waits for
	}
	digest, err := asked.Digest()
	if err != nil {
		return event, err
	}
	g.pending = &deletion{bucket: bucket, digest: digest}
	return event, nil
}

// atStake returns the bucket that a confirm with danger asks about. A real
// engine knows: it holds the call that it wants to have confirmed.
func (g *engine) atStake(asked *clarify.Envelope) string {
	for _, p := range asked.Prompts {
		if in, ok := p.Input.(*clarify.Confirm); ok && in.Danger {
			for _, word := range strings.Fields(p.Question) {
				if g.buckets[word] {
					return word
				}
			}
		}
	}
	return ""
}

// act reads the user's next message and deletes the bucket, or does not.
func (g *engine) act(message string) (*clarify.Reply, string) {
	asked, job := g.history.Pending(), g.pending
	reply := g.history.Message(message)
	g.pending = nil // an answer acts once

	if job == nil {
		return reply, "No deletion was waiting for an answer."
	}
	if digest, err := asked.Digest(); err != nil || digest != job.digest || !reply.Proceed() {
		return reply, "Nothing was deleted."
	}
	delete(g.buckets, job.bucket)
	return reply, "Deleted bucket " + job.bucket + "."
}
