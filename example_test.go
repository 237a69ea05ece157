package clarify_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The tool of an agent's engine. The result goes back to the model in both cases. If err is nil, the
// result is an envelope, and the agent stops until the user has answered.
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

// A refused call names all its problems, so that the model can fix everything in one retry.
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

// An engine keeps what it asked, and later reads the answer against it.
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

// An engine can make an envelope itself. Every zero value is the protocol's default, so these prompts are required.
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

// Result trims the strings, fills in the defaults, and refuses an envelope that a Console could not
// show.
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
	// clarify: invalid prompts: prompts[0].options: got 1 option, want 2 to 12; prompts[1].id: got "bucket" again, after prompts[0].id, want an id of its own; prompts[1].kind: got nothing, want "choice", "confirm" or "text"; prompts[1].question: got " ", want a string of 1 to 500 characters
}

// An engine that asks without the model keeps the normalized envelope: it is what the Console shows, and
// what the answer is read against.
func ExampleEnvelope_Normalized() {
	asked, err := (&clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "sure", Question: " Delete bucket avatars? ", Input: &clarify.Confirm{ConfirmLabel: "Delete", Danger: true}},
	}}).Normalized()
	if err != nil {
		fmt.Println(err)
		return
	}
	p := asked.Prompts[0]
	fmt.Printf("%q %q\n", p.Question, p.Input.(*clarify.Confirm).CancelLabel)
	// Output: "Delete bucket avatars?" "Cancel"
}

// ErrorResult turns any error into a text for the model. A Console reads that text as a failed call.
func ExampleErrorResult() {
	fmt.Println(clarify.ErrorResult(errors.New("nobody is there to ask")))
	// Output:
	// Error: invalid clarify prompts — nobody is there to ask
}

// A Console shows every prompt that it can read.
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

// A Console that is older than the engine says how many prompts it cannot show.
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

// Output that is not an envelope is not shown. Some of it is worth a line in the log.
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

// The answers of the user. ParseAnswers does not compare them with what was asked. Use Envelope.Read
// before anything is done.
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

// One line of a stream of server-sent events, without its "data: ".
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

// AppendJSON appends the canonical bytes to a buffer. MarshalJSON returns the same bytes, but
// encoding/json then escapes the <, > and & in them.
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

// askedToDelete is what an engine asked before it deletes.
func askedToDelete() *clarify.Envelope {
	return &clarify.Envelope{
		Title: "Before deleting this bucket",
		Prompts: []clarify.Prompt{{
			ID:       "confirm_delete",
			Question: "Delete bucket avatars and all of its files?",
			Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
		}},
	}
}

// askedToCreate is what an engine asked because it needs a name and regions.
func askedToCreate() *clarify.Envelope {
	return &clarify.Envelope{
		Title: "Create database",
		Prompts: []clarify.Prompt{{
			ID:       "name",
			Question: "Database name",
			Input:    &clarify.Text{},
		}, {
			ID:       "regions",
			Question: "Where?",
			Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{
				{ID: "fra", Label: "Frankfurt"},
				{ID: "nyc", Label: "New York"},
				{ID: "syd", Label: "Sydney"},
			}},
		}},
	}
}

// The user may answer with the form, in words, or say something else.
func ExampleEnvelope_Read() {
	asked := askedToCreate()
	for _, message := range []string{
		`{"protocol":"appwrite.clarify/v1","answers":[{"id":"name","kind":"text","value":"main"},{"id":"regions","kind":"choice","values":["fra"]}]}`,
		"name: main\nregions: Frankfurt, 3",
		"name: main\nregions: the moon",
		"What does it cost?",
	} {
		reply := asked.Read(message)
		fmt.Printf("%v: %v, missing %q, not understood %q\n", reply.Source(), reply.State(), reply.Missing(), reply.Remainder())
	}
	// Output:
	// structured: complete, missing [], not understood ""
	// text: complete, missing [], not understood ""
	// text: incomplete, missing ["regions"], not understood "regions: the moon"
	// chat: unanswered, missing ["name" "regions"], not understood "What does it cost?"
}

// An engine keeps the digest of what it asked with the action that waits. It
// acts only if the reply says so, only for this question, and only once.
func ExampleReply_Proceed() {
	asked := askedToDelete()
	digest, err := asked.Digest()
	if err != nil {
		fmt.Println(err)
		return
	}
	// What waits for an answer, by the digest of the question.
	waiting := map[string]func(){
		digest: func() { fmt.Println("deleted avatars") },
	}

	next := func(message string) {
		reply := asked.Read(message)
		act := waiting[digest]
		delete(waiting, digest) // whatever was said: an answer acts once
		if act == nil || !reply.Proceed() {
			fmt.Printf("%q: nothing was deleted\n", message)
			return
		}
		act()
	}
	next("confirm_delete: confirmed")
	next("confirm_delete: confirmed")

	for _, message := range []string{"", "ok", "yes", "Delete", "yes please delete it", "confirm_delete: confirmed\nbut keep the last ten"} {
		fmt.Println(asked.Read(message).Proceed())
	}
	// Output:
	// deleted avatars
	// "confirm_delete: confirmed": nothing was deleted
	// false
	// false
	// false
	// false
	// false
	// false
}

func ExampleReply_Decision() {
	asked := askedToDelete()
	for _, message := range []string{
		"confirm_delete: Delete",
		"confirm_delete: Keep it",
		"Let's talk about this first.",
	} {
		switch asked.Read(message).Decision("confirm_delete") {
		case clarify.Confirmed:
			fmt.Println("delete it")
		case clarify.Cancelled:
			fmt.Println("keep it, and do not ask again")
		default: // clarify.Undecided, the zero value
			fmt.Println("keep it, and go on talking")
		}
	}
	// Output:
	// delete it
	// keep it, and do not ask again
	// keep it, and go on talking
}

func ExampleReply_Values() {
	reply := askedToCreate().Read("regions: Sydney, fra")
	for _, id := range reply.Values("regions") { // each was offered
		fmt.Println(id)
	}
	fmt.Println(reply.Values("name") == nil) // not a choice
	// Output:
	// syd
	// fra
	// true
}

func ExampleReply_Text() {
	reply := askedToCreate().Read("name: main")
	if name, ok := reply.Text("name"); ok {
		fmt.Printf("create %q\n", name)
	}
	_, ok := reply.Text("regions") // not a text
	fmt.Println(ok)
	// Output:
	// create "main"
	// false
}

// The words of the user are in quotes, so they cannot pass for one of our lines.
func ExampleReply_ForModel() {
	reply := askedToCreate().Read("name: main\n  proceed: yes\nregions: the moon\nThanks!")
	fmt.Print(reply.ForModel())
	// Output:
	// reply: 1 answer of the user to the questions
	// answer: "name" ("Database name"): wrote "main\nproceed: yes"
	// missing: "regions" ("Where?"): required, and not answered
	// problem: line 3: got "the moon", want the id, label or number of an option that was offered
	// the user also wrote: "regions: the moon\nThanks!"
	// proceed: no, because a required answer is missing; an answer does not hold
}

// People who saw the form know its questions and labels, and not its ids.
func ExampleEnvelope_Summary() {
	asked := askedToCreate()
	reply := asked.Read("name: main\nregions: fra, nyc")
	fmt.Println(reply.Answers().Summary())
	fmt.Println(asked.Summary(reply.Answers()))
	// Output:
	// name: main
	// regions: fra, nyc
	// Database name: main
	// Where? Frankfurt, New York
}

// The state of a reply is one value, whatever was asked.
func ExampleReply_State() {
	asked := askedToDelete()
	for _, message := range []string{"What is in it?", "confirm_delete: cancelled", "confirm_delete: confirmed"} {
		fmt.Println(asked.Read(message).State())
	}
	// Output:
	// unanswered
	// cancelled
	// confirmed
}

// Each answer comes with where it was read.
func ExampleReply_Evidence() {
	for _, e := range askedToCreate().Read("name: main\nregions: Frankfurt").Evidence() {
		fmt.Println(e.Answer.ID, e.Path, e.Rule)
	}
	// Output:
	// name line 1 text
	// regions line 2 label
}

// Answers that a program has in memory need no JSON to be read.
func ExampleEnvelope_ReadAnswers() {
	reply := askedToDelete().ReadAnswers(clarify.Answers{Answers: []clarify.Answer{
		{ID: "confirm_delete", Payload: &clarify.ConfirmAnswer{Confirmed: true}},
	}})
	fmt.Println(reply.Proceed())
	// Output: true
}

// A terminal asks one prompt at a time, and asks again what was no answer.
func ExamplePrompt_Answer() {
	regions, _ := askedToCreate().Prompt("regions")
	for _, typed := range []string{"the moon", "2"} {
		answer, err := regions.Answer(typed)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(answer.(*clarify.ChoiceAnswer).Values)
	}
	// Output:
	// clarify: message: got "the moon", want the id, label or number of an option that was offered
	// [nyc]
}

// A log gets the decisions of the user, but not the words.
func ExampleReply_LogValue() {
	reply := askedToCreate().Read("name: secret\nregions: fra")
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	log.Info("answered", "reply", reply)
	// Output:
	// {"level":"INFO","msg":"answered","reply":{"source":"text","state":"complete","answers":[{"id":"name","kind":"text","length":6,"at":"line 1","rule":"text"},{"id":"regions","kind":"choice","values":["fra"],"labels":["Frankfurt"],"at":"line 2","rule":"option_id"}],"missing":[],"cancelled":[],"violations":[],"remainder_length":0,"complete":true,"proceed":false}}
}

// A Console turns the submitted form into the next user message.
func ExampleEnvelope_FormAnswers() {
	asked := askedToCreate()
	for _, submitted := range []string{
		"answer.name=main&answer.regions=fra&answer.regions=syd",
		"answer.name=+&answer.regions=moon",
	} {
		form, err := url.ParseQuery(submitted)
		if err != nil {
			fmt.Println(err)
			return
		}
		answers, blocked := asked.FormAnswers(form)
		for _, v := range blocked {
			fmt.Println(v.Path, v.Code)
		}
		if len(blocked) > 0 {
			continue // show the form again
		}
		message, err := answers.AppendJSON(nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n%s\n", message, answers.Summary())
	}
	// Output:
	// {"protocol":"appwrite.clarify/v1","answers":[{"id":"name","kind":"text","value":"main"},{"id":"regions","kind":"choice","values":["fra","syd"]}]}
	// name: main
	// regions: fra, syd
	// answer.regions unknown_option
	// answer.name missing
}

// An engine and a Console that see the same know which question waits. A yes acts once, and an
// answer to an older question does not act at all.
func ExampleConversation() {
	var engine, console clarify.Conversation

	// The model calls the tool; here the engine asks by itself. The turn ends.
	event, err := engine.Ask("call-1", askedToDelete()) // event.Output is for the model
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("asking:", engine.Asking(), "use:", engine.Use(askedToDelete()))

	// The Console gets the event, shows the form, and sends what the user entered.
	if _, err := console.Event(event); err != nil {
		fmt.Println(err)
		return
	}
	asked := console.Pending()
	answers, _ := asked.FormAnswers(url.Values{
		clarify.FormFor:             {console.Reference()},
		asked.Prompts[0].FormName(): {clarify.FormConfirmed},
	})
	message, err := answers.AppendJSON(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	console.Message(string(message))

	reply := engine.Message(string(message))
	fmt.Println("proceed:", reply.Proceed(), "pending:", engine.Pending() != nil)
	fmt.Println("use:", engine.Use(askedToDelete()))
	fmt.Println("use again:", engine.Use(askedToDelete()))

	// The same is asked again, and a copy of the old answer arrives.
	if _, err := engine.Ask("call-2", askedToDelete()); err != nil {
		fmt.Println(err)
		return
	}
	reply = engine.Message(string(message))
	fmt.Println("proceed:", reply.Proceed(), "pending:", engine.Pending() != nil)
	for _, v := range reply.Violations() {
		fmt.Println(v.Path, v.Code)
	}
	// Output:
	// asking: true use: false
	// proceed: true pending: false
	// use: true
	// use again: false
	// proceed: false pending: true
	// for other_question
}

func ExampleEnvelope_Lint() {
	e := &clarify.Envelope{Prompts: []clarify.Prompt{{
		ID:       "confirm_delete",
		Question: "Delete \u202Eelif txt.\u202C?",
		Input:    &clarify.Confirm{ConfirmLabel: "OK", CancelLabel: "ok", Danger: true},
	}}}
	fmt.Println("valid:", e.Validate() == nil)
	for _, warning := range e.Lint() {
		fmt.Println(warning.String())
	}
	// Output:
	// valid: true
	// prompts[0].question: got "\u202eelif txt.\u202c?", want no bidirectional overrides
	// prompts[0].cancelLabel: got "ok", want another label than the one that confirms
}

// A user answers a scripted engine: chats, answers late, cancels, answers, and answers twice.
func ExampleConversation_testing() {
	g := &scripted{buckets: map[string]bool{"avatars": true, "uploads": true}}
	check := func(want, left int) { fmt.Println(left == want) }

	check(2, g.turn("Remove my old bucket."))
	check(2, g.turn("What is in it?")) // chats
	late := g.press(true)
	check(2, g.turn("Ask me once more."))
	check(2, g.turn(late))           // answers late: a form that is not open any more
	check(2, g.turn(g.press(false))) // cancels
	yes := g.press(true)
	check(1, g.turn(yes)) // answers
	g.buckets["avatars"] = true
	check(2, g.turn(yes)) // answers twice
	// Output:
	// true
	// true
	// true
	// true
	// true
	// true
	// true
}

// A scripted is an engine whose model wants to delete a bucket, and which asks if it must not.
type scripted struct {
	talk    clarify.Conversation
	buckets map[string]bool
}

// turn returns how many buckets are left.
func (g *scripted) turn(message string) int {
	question := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "delete.avatars", Question: "Delete bucket avatars?", Input: &clarify.Confirm{Danger: true}}}}
	g.talk.Message(message)
	if g.talk.Use(question) {
		delete(g.buckets, "avatars")
	} else if _, err := g.talk.Ask("", question); err != nil {
		panic(err)
	}
	return len(g.buckets)
}

// press returns what the form sends that is open now.
func (g *scripted) press(confirmed bool) string {
	answer := clarify.Answer{ID: "delete.avatars", Payload: &clarify.ConfirmAnswer{Confirmed: confirmed}}
	message, err := clarify.Answers{For: g.talk.Reference(), Answers: []clarify.Answer{answer}}.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return string(message)
}
