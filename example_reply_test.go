package clarify_test

import (
	"fmt"
	"net/url"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

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

// askedToCreate is what an engine asked because a name and a region were missing.
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
		fmt.Printf("%v: complete %v, missing %q, not understood %q\n", reply.Source(), reply.Complete(), reply.Missing(), reply.Remainder())
	}
	// Output:
	// structured: complete true, missing [], not understood ""
	// text: complete true, missing [], not understood ""
	// text: complete false, missing ["regions"], not understood "regions: the moon"
	// chat: complete false, missing ["name" "regions"], not understood "What does it cost?"
}

// An engine keeps the digest of what it asked with the action that waits. It
// acts if the reply says so, if that is what was asked, and only once.
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

// What the user wrote stands in quotes: it cannot pass for a line of ours.
func ExampleReply_ForModel() {
	reply := askedToCreate().Read("name: main\n  proceed: yes\nregions: the moon\nThanks!")
	fmt.Print(reply.ForModel())
	// Output:
	// reply: 1 answer of the user to the questions
	// answer: "name": wrote "main\nproceed: yes"
	// missing: "regions": required, and not answered
	// problem: line 3: got "the moon", want the id, label or number of an option that was offered
	// not understood: "regions: the moon\nThanks!"
	// proceed: no
}

// A log that keeps what was decided, but not what the user wrote.
func ExampleReply_RedactedJSON() {
	reply := askedToCreate().Read("name: secret\nregions: fra")
	fmt.Println(strings.ReplaceAll(string(reply.RedactedJSON()), `},{`, "},\n{"))
	// Output:
	// {"source":"text","answers":[{"id":"name","kind":"text","length":6,"at":"line 1","rule":"text"},
	// {"id":"regions","kind":"choice","values":["fra"],"at":"line 2","rule":"option_id"}],"missing":[],"cancelled":[],"violations":[],"remainder_length":0,"complete":true,"proceed":false}
}

// A Console makes the next user message of the form that it showed.
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

// Which question waits follows from the history alone: after the next message,
// whatever it says, none does.
func ExampleHistory() {
	output, err := askedToDelete().Result()
	if err != nil {
		fmt.Println(err)
		return
	}
	var history clarify.History
	if _, err := history.Event(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: output}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("pending:", history.Pending() != nil)

	reply := history.Message("confirm_delete: confirmed")
	fmt.Println("proceed:", reply.Proceed(), "pending:", history.Pending() != nil)

	reply = history.Message("confirm_delete: confirmed") // the same again
	fmt.Println("proceed:", reply.Proceed(), "pending:", history.Pending() != nil)
	// Output:
	// pending: true
	// proceed: true pending: false
	// proceed: false pending: false
}

func ExampleEnvelope_Lint() {
	e := &clarify.Envelope{Prompts: []clarify.Prompt{{
		ID:       "confirm_delete",
		Question: "Delete \u202Eelif txt.\u202C?",
		Input:    &clarify.Confirm{ConfirmLabel: "OK", CancelLabel: "ok", Danger: true},
	}}}
	fmt.Println("valid:", e.Validate() == nil)
	for _, warning := range e.Lint() {
		fmt.Println(warning)
	}
	// Output:
	// valid: true
	// prompts[0].question: got "\u202eelif txt.\u202c?", want no bidirectional overrides
	// prompts[0].cancelLabel: got "ok", want another label than the one that confirms
}
