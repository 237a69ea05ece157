package main

import (
	"context"
	"encoding/json"
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
			event, err := a.talk.Call(c.id, c.arguments) // the Console gets the event
			results[i], asks = result{c.id, event.Output, err != nil}, true
		}
	}
	for i, c := range calls {
		if !clarify.IsTool(c.name) {
			text, isError := a.act(c, asks)
			results[i] = result{c.id, text, isError}
		}
	}
	return results
}

// act runs a tool other than clarify. If asks is true, the model asks a question
// in the same response, and act refuses to change anything.
func (a *agent) act(c call, asks bool) (text string, isError bool) {
	switch c.name {
	case listBuckets:
		return strings.Join(slices.Sorted(maps.Keys(a.buckets)), ", "), false
	case deleteBucket:
		if asks || a.talk.Asking() {
			return "Error: not executed, because the user is asked in the same response: wait for the answer", true
		}
		return a.delete(c)
	}
	return fmt.Sprintf("Error: there is no tool %q", c.name), true
}

// delete deletes a bucket, or asks the user whether it may.
func (a *agent) delete(c call) (text string, isError bool) {
	var in struct{ Bucket string }
	if json.Unmarshal(c.arguments, &in) != nil {
		return "Error: the arguments are not JSON like {\"bucket\": …}", true
	}
	if !a.buckets[in.Bucket] {
		return fmt.Sprintf("Error: there is no bucket %q", in.Bucket), true
	}
	question := deletion(in.Bucket)
	if !a.talk.Use(question) { // true once, after a yes to exactly this question
		event, err := a.talk.Ask(c.id, question) // as above
		return event.Output, err != nil
	}
	delete(a.buckets, in.Bucket)
	return "Deleted bucket " + in.Bucket + ".", false
}

// deletion is what the user is asked before a bucket is deleted, in words of the agent:
// what a model writes above a button need not be what the button does.
func deletion(bucket string) *clarify.Envelope {
	return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "delete." + bucket, Question: "Delete bucket " + bucket + " and all of its files?",
		Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true}}}}
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
		{deleteBucket, "Deletes a bucket with all its files. The first call asks the user, and deletes nothing. If the user confirms it, call this once more.",
			json.RawMessage(`{"type":"object","properties":{"bucket":{"type":"string","description":"The bucket's name."}},"required":["bucket"],"additionalProperties":false}`)},
	}
}

const instructions = "You look after the user's storage buckets. Find out what you can with the tools, and ask the user with " + clarify.ToolName + " instead of guessing."
