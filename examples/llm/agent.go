package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A model is one conversation with a provider.
type model interface {
	// next sends the results of the tools that the model called, and what the
	// user said. It returns what the model does then.
	next(ctx context.Context, results []result, user string) (response, error)
}

type response struct {
	text  string
	calls []call
}

// A call is one call of a tool, with its arguments as the model wrote them.
type call struct {
	id, name  string
	arguments []byte
}

// A result is the answer to the call with the same id.
type result struct {
	id, text string
	isError  bool
}

// An agent lets a model work for a user, in a world of buckets.
type agent struct {
	model   model
	buckets map[string]bool

	talk    clarify.Conversation
	results []result // not yet sent to the model
}

// maxRounds is how often the model may call tools in one turn. Retries of a
// refused question count too.
const maxRounds = 10

// turn takes the user's next message and lets the model work until it is done
// or asks a question, which is a.talk.Pending() then. It returns the text of
// the model's last response.
func (a *agent) turn(ctx context.Context, message string) (string, error) {
	user := a.talk.Message(message).ForModel() // the message itself if no question waited
	for range maxRounds {
		response, err := a.model.next(ctx, a.results, user)
		if err != nil {
			return "", err
		}
		a.results, user = a.run(response.calls), ""
		if len(response.calls) == 0 || a.talk.Asking() {
			// A question ends the turn, so that nothing is changed after it.
			// The results are sent with the user's next message.
			return response.text, nil
		}
	}
	return "", fmt.Errorf("the model has called tools %d times in a row", maxRounds)
}

// run runs the calls of one response, questions first: beside a question, also one
// that is refused, the other calls must not change anything.
func (a *agent) run(calls []call) []result {
	results, asks := make([]result, len(calls)), false
	for i, c := range calls {
		if clarify.IsTool(c.name) {
			event, err := a.ask(c)
			results[i], asks = result{c.id, event.Output, err != nil}, true
		}
	}
	for i, c := range calls {
		if !clarify.IsTool(c.name) {
			text, err := a.act(c, asks)
			if err != nil {
				text = "Error: " + err.Error()
			}
			results[i] = result{c.id, text, err != nil}
		}
	}
	return results
}

// ask runs the clarify tool. The Console gets the event; its output is for the model,
// and tells it how to fix a call that is refused.
func (a *agent) ask(c call) (clarify.Event, error) { return a.talk.Call(c.id, c.arguments, word) }

// confirmID returns the id of the confirm for deleting the bucket.
func confirmID(bucket string) string { return confirmPrefix + bucket }

const confirmPrefix = "delete."

// word sees to it that a yes means for the user what it means for delete: the agent
// words each question about a deletion, whatever the model wrote.
func word(asked *clarify.Envelope) error {
	for i, p := range asked.Prompts {
		if bucket, ok := strings.CutPrefix(p.ID, confirmPrefix); ok {
			asked.Title = ""
			asked.Prompts[i] = clarify.Prompt{ID: p.ID, Question: "Delete bucket " + bucket + " and all of its files?",
				Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true}}
		}
	}
	return nil
}

// act runs a tool other than clarify. If asks is true, the model asks a question
// in the same response, and act refuses to change anything.
func (a *agent) act(c call, asks bool) (string, error) {
	switch c.name {
	case listBuckets:
		return strings.Join(slices.Sorted(maps.Keys(a.buckets)), ", "), nil
	case deleteBucket:
		if asks {
			return "", errors.New("not executed, because you asked the user in the same response: wait for the answer")
		}
		return a.delete(c.arguments)
	}
	return "", fmt.Errorf("there is no tool %q", c.name)
}

func (a *agent) delete(arguments []byte) (string, error) {
	var in struct{ Bucket string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return "", errors.New("the arguments are not JSON like {\"bucket\": …}")
	}
	switch {
	case !a.buckets[in.Bucket]:
		return "", fmt.Errorf("there is no bucket %q", in.Bucket)
	case !a.talk.Use(confirmID(in.Bucket)): // true once after a yes
		return "", fmt.Errorf("not executed, because the user has not confirmed it: call %s with a confirm with the id %q", clarify.ToolName, confirmID(in.Bucket))
	}
	delete(a.buckets, in.Bucket)
	return "Deleted bucket " + in.Bucket + ".", nil
}

const (
	listBuckets  = "list_buckets"
	deleteBucket = "delete_bucket"
)

// A tool is what the model is told about a tool. The schema is the JSON Schema
// of its arguments.
type tool struct {
	name, description string
	schema            json.RawMessage
}

// tools returns the agent's tools. Their schemas are valid in strict mode; that
// of clarify only if form is clarify.StrictPrompts.
func tools(form clarify.ToolForm) []tool {
	return []tool{
		{clarify.ToolName, clarify.ToolDescription(), clarify.ToolSchema(form)},
		{listBuckets, "Lists the user's buckets.", json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)},
		{deleteBucket, fmt.Sprintf("Deletes a bucket with all its files. The user has to confirm it first: call %s with a confirm whose id is %q. It is shown in words of our own.", clarify.ToolName, confirmID("BUCKET")),
			json.RawMessage(`{"type":"object","properties":{"bucket":{"type":"string","description":"The bucket's name."}},"required":["bucket"],"additionalProperties":false}`)},
	}
}

const instructions = "You look after the user's storage buckets. Find out what you can with the tools, and ask the user with " + clarify.ToolName + " instead of guessing."
