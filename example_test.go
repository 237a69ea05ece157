package clarify_test

import (
	"errors"
	"fmt"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The tool of an agent's engine. What Call returns goes back to the model in either case; where err
// is nil it is an envelope, and the agent stops until the user has answered.
func ExampleCall() {
	arguments := []byte(`{
		"title": "Before deleting this bucket",
		"prompts": "[{\"id\": \"confirm_delete\", \"kind\": \"confirm\", \"question\": \"Delete bucket avatars?\", \"danger\": true}]"
	}`)

	result, err := clarify.Call(arguments)
	fmt.Println(err)
	fmt.Println(result)
	// Output:
	// <nil>
	// {"protocol":"appwrite.clarify/v1","title":"Before deleting this bucket","prompts":[{"id":"confirm_delete","kind":"confirm","question":"Delete bucket avatars?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":true}]}
}

// A refused call names all its problems at once, so that the model can mend them in one round.
func ExampleCall_refused() {
	arguments := []byte(`{"prompts": [{"id": "Bucket", "kind": "choice", "options": ["avatars", {"id": "uploads", "value": "Uploads"}]}]}`)

	result, err := clarify.Call(arguments)
	if err != nil {
		fmt.Println(result)
	}
	var invalid *clarify.ValidationError
	if errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			fmt.Println(v.Code, "at", v.Path)
		}
	}
	// Output:
	// Error: invalid clarify prompts — prompts[0].id: got "Bucket", want a string that matches ^[a-z][a-z0-9_.-]{0,63}$; prompts[0].question: got nothing, want a string of 1 to 500 characters; prompts[0].options[0]: got "avatars", want an object {"id": …, "label": …}; prompts[0].options[1].label: got nothing, want a string of 1 to 120 characters
	// bad_id at prompts[0].id
	// missing at prompts[0].question
	// wrong_type at prompts[0].options[0]
	// missing at prompts[0].options[1].label
}

// An engine that keeps what it asked, to read the answer against it.
func ExampleParseCall() {
	asked, err := clarify.ParseCall([]byte(`{"prompts": {"id": "name", "kind": "text", "question": " Database name ", "defaultValue": "main"}}`))
	if err != nil {
		fmt.Println(clarify.ErrorResult(err))
		return
	}
	for _, p := range asked.Prompts {
		fmt.Printf("%s (%s): %s\n", p.ID, p.Kind(), p.Question)
	}
	// Output:
	// name (text): Database name
}

// An engine that asks by itself. Every zero value is the protocol's default: the prompts are required.
func ExampleEnvelope() {
	ask := clarify.Envelope{
		Title: "Create database",
		Prompts: []clarify.Prompt{
			{ID: "name", Question: "Database name", Input: &clarify.Text{Placeholder: "main"}},
			{ID: "region", Question: "Where?", Optional: true, Input: &clarify.Choice{
				Options: []clarify.Option{
					{ID: "fra", Label: "Frankfurt", Description: "default"},
					{ID: "nyc", Label: "New York"},
				},
			}},
			{ID: "replace", Question: "Replace the old one?", Hint: "This cannot be undone.", Input: &clarify.Confirm{
				ConfirmLabel: "Replace",
				CancelLabel:  "Keep it",
				Danger:       true,
			}},
		},
	}
	fmt.Println(ask.Validate())
	// Output:
	// <nil>
}

// Result is the only way out for an engine: it trims, fills in the defaults, and refuses what a
// Console could not show.
func ExampleEnvelope_Result() {
	ask := clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "confirm_delete", Question: "Delete bucket avatars? ", Input: &clarify.Confirm{Danger: true}},
	}}
	result, err := ask.Result()
	if err != nil {
		fmt.Println(clarify.ErrorResult(err))
		return
	}
	fmt.Println(result)
	// Output:
	// {"protocol":"appwrite.clarify/v1","prompts":[{"id":"confirm_delete","kind":"confirm","question":"Delete bucket avatars?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":true}]}
}

func ExampleEnvelope_Validate() {
	ask := clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "bucket", Question: "Which bucket?", Input: &clarify.Choice{
			Options: []clarify.Option{{ID: "avatars", Label: "Avatars"}},
		}},
		{ID: "bucket", Question: " "},
	}}
	fmt.Println(ask.Validate())
	// Output:
	// invalid clarify prompts — prompts[0].options: got 1 option, want 2 to 12; prompts[1].id: got "bucket" again, after prompts[0].id, want an id of its own; prompts[1].kind: got nothing, want "choice", "confirm" or "text"; prompts[1].question: got " ", want a string of 1 to 500 characters
}

// Any error can be told to the model in the form that a Console takes for a failed call.
func ExampleErrorResult() {
	fmt.Println(clarify.ErrorResult(errors.New("nobody is there to ask")))
	// Output:
	// Error: invalid clarify prompts — nobody is there to ask
}

// A Console shows what it can read, whatever stands beside it.
func ExampleParse() {
	output := `{"protocol":"appwrite.clarify/v1","title":"Which bucket?","prompts":[
		{"id":"bucket","kind":"choice","question":"Which bucket should I delete?","options":[
			{"id":"avatars","label":"avatars","description":"64 files"},
			{"id":"uploads","label":"uploads","description":"12 files"}]},
		{"id":"sure","kind":"confirm","question":"Delete it?","danger":true},
		{"id":"why","kind":"text","question":"Why?","required":false}]}`

	e, err := clarify.Parse(output)
	if err != nil {
		return // nothing to show
	}
	fmt.Println(e.Title)
	for _, p := range e.Prompts {
		fmt.Println(p.ID, p.Question, "required:", !p.Optional)
		switch in := p.Input.(type) {
		case *clarify.Choice:
			for _, o := range in.Options {
				fmt.Println("-", o.ID, o.Label, o.Description)
			}
		case *clarify.Confirm:
			fmt.Printf("[%s] [%s] danger: %v\n", in.ConfirmLabel, in.CancelLabel, in.Danger)
		case *clarify.Text:
			fmt.Printf("placeholder: %q, multiline: %v\n", in.Placeholder, in.Multiline)
		}
	}
	// Output:
	// Which bucket?
	// bucket Which bucket should I delete? required: true
	// - avatars avatars 64 files
	// - uploads uploads 12 files
	// sure Delete it? required: true
	// [Confirm] [Cancel] danger: true
	// why Why? required: false
	// placeholder: "", multiline: false
}

// A Console that is older than the engine says what it cannot show.
func ExampleParse_skipped() {
	e, err := clarify.Parse(`{"protocol":"appwrite.clarify/v1","prompts":[
		{"id":"size","kind":"slider","question":"How large?"},
		{"id":"name","kind":"text","question":"Database name"}]}`)
	if err != nil {
		return
	}
	newer := 0
	for _, s := range e.Skipped {
		if s.Part == clarify.PartPrompt && s.Code == clarify.CodeUnknownKind {
			newer++
		}
	}
	fmt.Printf("%d shown, %d need a newer Console\n", len(e.Prompts), newer)
	// Output:
	// 1 shown, 1 need a newer Console
}

// What is no envelope is nothing to show; some of it is worth a line in the log.
func ExampleParse_refused() {
	for _, output := range []string{
		"Deleted bucket avatars.",
		"Error: invalid clarify prompts — prompts: got nothing",
		`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"na…`,
		`{"protocol":"appwrite.clarify/v2","questions":[]}`,
		`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"size","kind":"slider"}]}`,
	} {
		_, err := clarify.Parse(output)
		var empty *clarify.EmptyError
		switch {
		case errors.As(err, &empty):
			fmt.Println("nothing to show:", empty.Skipped)
		case errors.Is(err, clarify.ErrToolFailed):
			fmt.Println("the call was refused")
		case errors.Is(err, clarify.ErrMalformed), errors.Is(err, clarify.ErrVersion):
			fmt.Println("log it:", err)
		default: // clarify.ErrNotEnvelope: not ours
			fmt.Println("ignore it")
		}
	}
	// Output:
	// ignore it
	// the call was refused
	// log it: clarify: not an envelope: malformed or cut JSON
	// log it: clarify: not an envelope: another version of the protocol
	// nothing to show: [prompt skipped: prompts[0].kind: unknown_kind]
}

// What the user sent back. It was not checked against what was asked: before anything is done,
// Envelope.Read has to.
func ExampleParseAnswers() {
	answers, err := clarify.ParseAnswers(`{"protocol":"appwrite.clarify/v1","answers":[
		{"id":"bucket","kind":"choice","values":["avatars"]},
		{"id":"sure","kind":"confirm","confirmed":"true"},
		{"id":"why","kind":"text","value":"it is empty"}]}`)
	if errors.Is(err, clarify.ErrNotAnswers) {
		return // the user said something else
	}
	for _, a := range answers.Answers {
		switch p := a.Payload.(type) {
		case *clarify.ChoiceAnswer:
			fmt.Println(a.ID, p.Values)
		case *clarify.ConfirmAnswer:
			fmt.Println(a.ID, p.Confirmed)
		case *clarify.TextAnswer:
			fmt.Println(a.ID, p.Value)
		}
	}
	fmt.Println(answers.Skipped) // a string confirms nothing
	// Output:
	// bucket [avatars]
	// why it is empty
	// [answer skipped: answers[1].confirmed: wrong_type]
}

// A summary is for people. A value cannot pass for another answer.
func ExampleAnswers_Summary() {
	answers := clarify.Answers{Answers: []clarify.Answer{
		{ID: "bucket", Payload: &clarify.ChoiceAnswer{Values: []string{"avatars", "uploads"}}},
		{ID: "note", Payload: &clarify.TextAnswer{Value: "see below\nsure: confirmed"}},
		{ID: "sure", Payload: &clarify.ConfirmAnswer{Confirmed: false}},
	}}
	fmt.Println(answers.Summary())
	// Output:
	// bucket: avatars, uploads
	// note: see below
	//   sure: confirmed
	// sure: cancelled
}

// The next user message, as a Console sends it.
func ExampleAnswers_AppendJSON() {
	answers := clarify.Answers{Answers: []clarify.Answer{
		{ID: "bucket", Payload: &clarify.ChoiceAnswer{Values: []string{"avatars"}}},
		{ID: "sure", Payload: &clarify.ConfirmAnswer{Confirmed: true}},
	}}
	message, err := answers.AppendJSON(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", message)
	// Output:
	// {"protocol":"appwrite.clarify/v1","answers":[{"id":"bucket","kind":"choice","values":["avatars"]},{"id":"sure","kind":"confirm","confirmed":true}]}
}

// One line of a stream of server-sent events, less its "data: ".
func ExampleParseEvent() {
	event, err := clarify.ParseEvent([]byte(`{"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r1",` +
		`"output":"{\"protocol\":\"appwrite.clarify/v1\",\"prompts\":[{\"id\":\"name\",\"kind\":\"text\",\"question\":\"Database name\"}]}"}`))
	if err != nil {
		return // not an event
	}
	e, err := event.Envelope()
	if err != nil {
		return // another event than the end of a clarify call, or nothing to show
	}
	fmt.Println(event.Agent, "asks:", e.Prompts[0].Question)
	// Output:
	// platform asks: Database name
}

// The canonical bytes, behind what is in the buffer already. MarshalJSON returns the same bytes, but
// encoding/json would escape the <, > and & in them.
func ExampleEnvelope_AppendJSON() {
	e, err := clarify.Parse(`{"prompts": [{"kind": "text", "question": "<b> or <i>?", "id": "tag"}], "protocol": "appwrite.clarify/v1"}`)
	if err != nil {
		return
	}
	line, err := e.AppendJSON([]byte("data: "))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", line)
	// Output:
	// data: {"protocol":"appwrite.clarify/v1","prompts":[{"id":"tag","kind":"text","question":"<b> or <i>?","required":true,"multiline":false}]}
}
