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

	history clarify.History // knows which question is pending
	results []result        // not yet sent to the model
	waiting stake           // what the pending question is about
	allowed map[string]bool // the buckets whose deletion the user has just confirmed
}

// A stake lists the buckets that a question asks to delete. The digest binds
// them to that question.
type stake struct {
	digest  string
	buckets []string
}

// maxRounds is how often the model may call tools in one turn. Retries of a
// refused question count too.
const maxRounds = 10

// turn takes the user's next message and lets the model work until it is done
// or asks a question, which is a.history.Pending() then. It returns the text of
// the model's last response.
func (a *agent) turn(ctx context.Context, message string) (string, error) {
	user := a.read(message)
	for range maxRounds {
		response, err := a.model.next(ctx, a.results, user)
		if err != nil {
			return "", err
		}
		a.results, user = a.run(response.calls), ""
		if len(response.calls) == 0 || a.history.Pending() != nil {
			// A question ends the turn, so that nothing is changed after it.
			// The results are sent with the user's next message.
			return response.text, nil
		}
	}
	return "", fmt.Errorf("the model has called tools %d times in a row", maxRounds)
}

// read reads the user's message as the answer to the pending question, if there
// is one. It returns the text for the model.
func (a *agent) read(message string) string {
	asked, at := a.history.Pending(), a.waiting
	reply := a.history.Message(message)
	a.waiting, a.allowed = stake{}, nil // a yes is valid for one turn
	if asked == nil {
		return message
	}
	if digest, err := asked.Digest(); err == nil && digest == at.digest && reply.Proceed() {
		a.allowed = make(map[string]bool)
		for _, bucket := range at.buckets { // every dangerous confirm was confirmed
			a.allowed[bucket] = true
		}
	}
	return reply.ForModel()
}

// run runs the calls of one response, questions first. If there is a question,
// the other calls must not change anything.
func (a *agent) run(calls []call) []result {
	results := make([]result, len(calls))
	asks := false
	for i, c := range calls {
		if clarify.IsTool(c.name) {
			asks = true
			results[i] = a.ask(c)
		}
	}
	for i, c := range calls {
		if clarify.IsTool(c.name) {
			continue
		}
		text, err := a.act(c, asks)
		if err != nil {
			text = "Error: " + err.Error()
		}
		results[i] = result{c.id, text, err != nil}
	}
	return results
}

// ask runs the clarify tool. If the call is refused, the result tells the model
// how to fix it.
func (a *agent) ask(c call) result {
	if a.history.Pending() != nil {
		return result{c.id, "Error: not shown, because the call before was: put all prompts into one call", true}
	}
	output, err := clarify.Call(c.arguments)
	if err != nil {
		return result{c.id, output, true}
	}
	// A Console gets the same event.
	asked, err := a.history.Event(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, RunID: c.id, Output: output})
	if err == nil {
		a.waiting, err = a.stakeOf(asked)
	}
	if err != nil {
		return result{c.id, clarify.ErrorResult(err), true}
	}
	return result{c.id, output, false}
}

// confirmID returns the id of the confirm for deleting the bucket.
func confirmID(bucket string) string { return "delete." + bucket }

// stakeOf finds the deletions that e asks about. The id names the bucket for the
// program. The question has to name it too, for the user.
func (a *agent) stakeOf(e *clarify.Envelope) (stake, error) {
	digest, err := e.Digest()
	s := stake{digest: digest}
	for bucket := range a.buckets {
		p, ok := e.Prompt(confirmID(bucket))
		if in, isConfirm := p.Input.(*clarify.Confirm); ok && isConfirm && in.Danger && strings.Contains(p.Question, bucket) {
			s.buckets = append(s.buckets, bucket)
		}
	}
	return s, err
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
	case !a.allowed[in.Bucket]:
		return "", fmt.Errorf("not executed, because the user has not confirmed it: call %s with a confirm, danger true, id %q, that names the bucket in its question", clarify.ToolName, confirmID(in.Bucket))
	}
	delete(a.allowed, in.Bucket) // a yes is used once
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
		{deleteBucket, fmt.Sprintf("Deletes a bucket with all its files. The user has to confirm it first: call %s with a confirm, danger true, whose id is %q and whose question names the bucket.", clarify.ToolName, confirmID("BUCKET")),
			json.RawMessage(`{"type":"object","properties":{"bucket":{"type":"string","description":"The bucket's name."}},"required":["bucket"],"additionalProperties":false}`)},
	}
}

const instructions = "You look after the user's storage buckets. Find out what you can with the tools, and ask the user with " + clarify.ToolName + " instead of guessing."
