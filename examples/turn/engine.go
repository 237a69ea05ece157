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
	history clarify.History
	pending *deletion
}

// A deletion waits for its confirmation. The digest tells which question asked
// for it.
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

// ask runs the clarify tool with the arguments that the model sent. The call ends
// the turn: nothing is changed before the user's next message.
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
		return event, nil // only the model needs the answer
	}
	digest, err := asked.Digest()
	if err != nil {
		return event, err
	}
	g.pending = &deletion{bucket: bucket, digest: digest}
	return event, nil
}

// atStake returns the bucket that a confirm with danger asks about. A real engine
// need not search for it, because it keeps the call that needs the confirmation.
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

// act reads the user's next message. It deletes the bucket if the message allows
// it.
func (g *engine) act(message string) (*clarify.Reply, string) {
	asked, job := g.history.Pending(), g.pending
	reply := g.history.Message(message)
	g.pending = nil // an answer acts only once

	if job == nil {
		return reply, "No deletion was waiting for an answer."
	}
	if digest, err := asked.Digest(); err != nil || digest != job.digest || !reply.Proceed() {
		return reply, "Nothing was deleted."
	}
	delete(g.buckets, job.bucket)
	return reply, "Deleted bucket " + job.bucket + "."
}
