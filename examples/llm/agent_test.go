package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// confirm returns a prompt that asks to delete the bucket.
func confirm(bucket string) string {
	return fmt.Sprintf(`{"id":"delete.%[1]s","kind":"confirm","question":"Delete bucket %[1]s and all of its files?","confirmLabel":"Delete","cancelLabel":"Keep it","danger":true}`, bucket)
}

// ask returns the arguments of a call of the clarify tool, in the contract's form.
func ask(prompts ...string) string {
	return `{"prompts":` + string(marshal("["+strings.Join(prompts, ",")+"]")) + `}`
}

const (
	whichRegion = `{"id":"region","kind":"choice","question":"Which region?","options":[{"id":"oslo","label":"Oslo"},{"id":"paris","label":"Paris"}]}`

	deleteAvatars = `{"bucket":"avatars"}`
	deleteUploads = `{"bucket":"uploads"}`

	notExecuted = "Error: not executed, because you asked the user in the same response: wait for the answer"
)

var done = said{text: "Done."}

func (a *agent) list() string { return strings.Join(slices.Sorted(maps.Keys(a.buckets)), " ") }

// turn is a.turn without an error.
func turn(t *testing.T, a *agent, message string) string {
	t.Helper()
	text, err := a.turn(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// want fails unless the agent has these buckets, and a question waits or not.
func want(t *testing.T, a *agent, buckets string, waits bool) {
	t.Helper()
	if got := a.list(); got != buckets {
		t.Errorf("buckets: %s, want %s", got, buckets)
	}
	if got := a.history.Pending() != nil; got != waits {
		t.Errorf("a question waits: %v", got)
	}
}

// wantResults fails unless the last request had these results.
func wantResults(t *testing.T, s *service, want ...string) {
	t.Helper()
	var got []string
	for _, r := range s.heard[len(s.heard)-1].results {
		got = append(got, r.text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("results:\n got %q\nwant %q", got, want)
	}
}

// How models have called the tool: each asks the same.
func TestShapes(t *testing.T) {
	object := confirm("avatars")
	const nulls = `"hint":null,"required":null,"options":null,"allowMultiple":null,"placeholder":null,"defaultValue":null,"multiline":null`
	e, err := clarify.ParseCall([]byte(ask(object)))
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Result()
	if err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string]string{
		"a string":                    ask(object),
		"a string, pretty":            `{"prompts":` + string(marshal("[\n  "+strings.ReplaceAll(object, ",", ",\n    ")+"\n]\n")) + `}`,
		"a string with one object":    `{"prompts":` + string(marshal(object)) + `}`,
		"an array":                    `{"prompts":[` + object + `]}`,
		"an object":                   `{"prompts":` + object + `}`,
		"a title of null":             `{"title":null,"prompts":[` + object + `]}`,
		"all fields, null if absent":  `{"prompts":[` + strings.TrimSuffix(object, "}") + "," + nulls + `}],"title":null}`,
		"fields that are not ours":    `{"reasoning":"sure?","prompts":[` + strings.TrimSuffix(object, "}") + `,"priority":1e999}]}`,
		"white space around the kind": `{"prompts":[` + strings.Replace(object, `"confirm"`, `" confirm "`, 1) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, []said{calls(clarify.ToolName, arguments), calls(deleteBucket, deleteAvatars), done}, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				want(t, a, "avatars temp uploads", true)
				turn(t, a, "delete.avatars: confirmed")
				want(t, a, "temp uploads", false)
				if got := s.heard[1]; len(got.results) != 1 || got.results[0].text != result || got.results[0].isError {
					t.Errorf("the model got %+v\nwant %s", got.results, result)
				}
				wantResults(t, s, "Deleted bucket avatars.")
			})
		})
	}
}

// Nothing is changed in the turn in which the model asks, in whatever order it
// calls, and even if the user has confirmed the change before.
func TestMutationBesideTheQuestion(t *testing.T) {
	const names = "avatars, temp, uploads"
	shown := func(prompts ...string) string {
		result, err := clarify.Call([]byte(ask(prompts...)))
		if err != nil {
			panic(err)
		}
		return result
	}
	refused, err := clarify.Call([]byte(`{}`))
	if err == nil {
		t.Fatal("a call without prompts is accepted")
	}
	for name, tt := range map[string]struct {
		response said
		asks     bool
		results  []string
	}{
		"before":             {calls(deleteBucket, deleteAvatars, clarify.ToolName, ask(whichRegion)), true, []string{notExecuted, shown(whichRegion)}},
		"after":              {calls(clarify.ToolName, ask(whichRegion), deleteBucket, deleteAvatars), true, []string{shown(whichRegion), notExecuted}},
		"before and after":   {calls(deleteBucket, deleteAvatars, clarify.ToolName, ask(whichRegion), deleteBucket, deleteUploads), true, []string{notExecuted, shown(whichRegion), notExecuted}},
		"the one asked for":  {calls(clarify.ToolName, ask(confirm("avatars")), deleteBucket, deleteAvatars), true, []string{shown(confirm("avatars")), notExecuted}},
		"what only looks":    {calls(listBuckets, `{}`, clarify.ToolName, ask(whichRegion), listBuckets, `{}`), true, []string{names, shown(whichRegion), names}},
		"a refused question": {calls(deleteBucket, deleteAvatars, clarify.ToolName, `{}`), false, []string{notExecuted, refused}},
		"a name in capitals": {calls(deleteBucket, deleteAvatars, "Clarify", ask(whichRegion)), true, []string{notExecuted, shown(whichRegion)}},
		"a second question": {calls(clarify.ToolName, ask(whichRegion), clarify.ToolName, ask(confirm("avatars"))), true,
			[]string{shown(whichRegion), "Error: not shown, because the call before was: put all prompts into one call"}},
		"a question after a refused one": {calls(clarify.ToolName, `{}`, clarify.ToolName, ask(whichRegion)), true, []string{refused, shown(whichRegion)}},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{calls(clarify.ToolName, ask(confirm("avatars"), confirm("uploads"))), tt.response, done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars and the uploads.")
				// The yes that is refused here because of the question.
				turn(t, a, "delete.avatars: confirmed\ndelete.uploads: confirmed")
				want(t, a, "avatars temp uploads", tt.asks)
				if tt.asks {
					turn(t, a, "Never mind.")
				}
				want(t, a, "avatars temp uploads", false)
				wantResults(t, s, tt.results...)
			})
		})
	}
}

// Without the question beside it the same call is carried out: the tests above
// can fail.
func TestMutationAlone(t *testing.T) {
	script := []said{
		calls(clarify.ToolName, ask(confirm("avatars"), confirm("uploads"))),
		calls(deleteBucket, deleteAvatars, listBuckets, `{}`, deleteBucket, deleteUploads),
		done,
	}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars and the uploads.")
		if got := turn(t, a, "delete.avatars: confirmed\ndelete.uploads: confirmed"); got != "Done." {
			t.Errorf("said %q", got)
		}
		want(t, a, "temp", false)
		wantResults(t, s, "Deleted bucket avatars.", "temp, uploads", "Deleted bucket uploads.")
	})
}

// A refused call goes back to the model with all its problems, and the model
// mends it, in the same turn.
func TestRepair(t *testing.T) {
	for name, tt := range map[string]struct{ arguments, problem string }{
		"no prompts":     {`{}`, "prompts: got nothing"},
		"a label":        {`{"prompts":[{"id":"Region","kind":"choice","question":"Which?","options":["Oslo","Paris"]}]}`, `prompts[0].options[1]: got "Paris", want an object`},
		"an empty array": {`{"prompts":[]}`, "prompts: got 0 prompts"},
		"a code fence":   {`{"prompts":"` + "```json\\n[]\\n```" + `"}`, "prompts: got invalid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{calls(clarify.ToolName, tt.arguments), calls(clarify.ToolName, ask(whichRegion)), done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Make a bucket.")
				want(t, a, "avatars temp uploads", true)
				wire, _ := clarify.Call([]byte(tt.arguments))
				wantResults(t, s, wire)
				if got := s.heard[1]; !strings.HasPrefix(got.results[0].text, "Error: invalid clarify prompts — ") || !strings.Contains(got.results[0].text, tt.problem) || got.user != "" {
					t.Errorf("the model got %+v", got)
				}
				// OpenAI's format has only the text to say that a call failed.
				if got, want := s.heard[1].results[0].isError, strings.Contains(t.Name(), "anthropic"); got != want {
					t.Errorf("is_error: %v", got)
				}
				turn(t, a, "2")
				if got, want := s.heard[2].user, "answer: \"region\": chose \"paris\"\n"; !strings.Contains(got, want) {
					t.Errorf("the model got %q", got)
				}
			})
		})
	}
}

// Arguments that are not even JSON: what is left of them after a stream broke,
// or a model that cannot count brackets.
func TestNotJSON(t *testing.T) {
	const broken = `{"prompts":[{"id":"region","kind":"choice","question":"Which region?","options":[{"id":"oslo"`
	script := func() []said {
		return []said{calls(deleteBucket, deleteAvatars, clarify.ToolName, broken), calls(clarify.ToolName, ask(whichRegion))}
	}
	for _, stream := range []bool{false, true} {
		on(t, wires[0], stream, clarify.TypedPrompts, script(), func(t *testing.T, a *agent, s *service) {
			turn(t, a, "Make a bucket.")
			want(t, a, "avatars temp uploads", true)
			wire, _ := clarify.Call([]byte(broken))
			wantResults(t, s, notExecuted, wire)
		})
	}
	// Anthropic's arguments are JSON by the format. Only a stream can break
	// them, and then the SDK has an empty object.
	on(t, wires[1], true, clarify.TypedPrompts, script(), func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Make a bucket.")
		want(t, a, "avatars temp uploads", true)
		wire, _ := clarify.Call([]byte(`{}`))
		wantResults(t, s, notExecuted, wire)
	})
}

// What the user says next, and whether the deletion that the model then calls
// is carried out.
func TestAnswers(t *testing.T) {
	yes := `{"protocol":"appwrite.clarify/v1","answers":[{"id":"delete.avatars","kind":"confirm","confirmed":true}]}`
	for name, tt := range map[string]struct {
		message string
		deletes bool
	}{
		"structured":            {yes, true},
		"in words":              {"delete.avatars: confirmed", true},
		"its button":            {"delete.avatars: Delete", true},
		"cancelled":             {"delete.avatars: cancelled", false},
		"structured no":         {strings.Replace(yes, "true", "false", 1), false},
		"a string":              {strings.Replace(yes, "true", `"true"`, 1), false},
		"yes, for a danger":     {"yes", false},
		"chat":                  {"What is in it?", false},
		"a yes with a doubt":    {"delete.avatars: confirmed\nOr rather not?", false},
		"a yes and a no":        {"delete.avatars: confirmed\ndelete.avatars: no", false},
		"a yes to another one":  {strings.Replace(yes, "avatars", "uploads", 1), false},
		"nothing":               {"", false},
		"another version's yes": {strings.Replace(yes, "/v1", "/v2", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{{text: "Need one answer.", calls: calls(clarify.ToolName, ask(confirm("avatars"))).calls}, calls(deleteBucket, deleteAvatars), done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				if got := turn(t, a, "Delete the avatars."); got != "Need one answer." {
					t.Errorf("said %q", got)
				}
				reply := a.history.Pending().Read(tt.message)
				turn(t, a, tt.message)
				if got := s.heard[1].user; got != reply.ForModel() {
					t.Errorf("the model got %q\nwant %q", got, reply.ForModel())
				}
				left, result := "avatars temp uploads", `Error: not executed, because the user has not confirmed it: call clarify with a confirm, danger true, id "delete.avatars", that names the bucket in its question`
				if tt.deletes {
					left, result = "temp uploads", "Deleted bucket avatars."
				}
				want(t, a, left, false)
				wantResults(t, s, result)
			})
		})
	}
}

// A yes beside an answer that is missing, or a no, is not a go.
func TestYesAndMore(t *testing.T) {
	for name, tt := range map[string]struct{ other, message string }{
		"a required answer is missing": {whichRegion, "delete.avatars: confirmed"},
		"an answer does not hold":      {whichRegion, `{"protocol":"appwrite.clarify/v1","answers":[{"id":"delete.avatars","kind":"confirm","confirmed":true},{"id":"region","kind":"choice","values":["rome"]}]}`},
		"the other one is cancelled":   {confirm("uploads"), "delete.avatars: confirmed\ndelete.uploads: cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{calls(clarify.ToolName, ask(confirm("avatars"), tt.other)), calls(deleteBucket, deleteAvatars), done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				turn(t, a, tt.message)
				want(t, a, "avatars temp uploads", false)
				if got := s.heard[1].user; !strings.Contains(got, "answer: \"delete.avatars\": confirmed\n") || !strings.HasSuffix(got, "proceed: no\n") {
					t.Errorf("the model got %q", got)
				}
			})
		})
	}
	// An optional deletion that was left open is not confirmed by the others.
	open := strings.TrimSuffix(confirm("uploads"), `,"danger":true}`) + `,"danger":true,"required":false}`
	script := []said{calls(clarify.ToolName, ask(confirm("avatars"), open)), calls(deleteBucket, deleteUploads), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", false)
	})
}

// A yes is for what was asked, in the words that the user saw.
func TestYesToSomethingElse(t *testing.T) {
	for name, prompt := range map[string]string{
		"a question that does not name it": strings.Replace(confirm("avatars"), "Delete bucket avatars", "Tidy up the bucket", 1),
		"no danger":                        strings.Replace(confirm("avatars"), `,"danger":true`, "", 1),
		"another id":                       strings.Replace(confirm("avatars"), "delete.avatars", "sure", 1),
		"another bucket":                   confirm("temp"),
	} {
		t.Run(name, func(t *testing.T) {
			id := strings.Split(prompt, `"`)[3]
			script := []said{calls(clarify.ToolName, ask(prompt)), calls(deleteBucket, deleteAvatars), done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				turn(t, a, id+": confirmed")
				if got := s.heard[1].user; !strings.HasSuffix(got, "proceed: yes, with exactly what was asked about\n") {
					t.Errorf("the model got %q", got)
				}
				want(t, a, "avatars temp uploads", false)
			})
		})
	}
}

// A yes acts once, and only in the turn that it begins.
func TestYesActsOnce(t *testing.T) {
	script := []said{calls(clarify.ToolName, ask(confirm("avatars"))), calls(deleteBucket, deleteAvatars), done, calls(deleteBucket, deleteAvatars), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		turn(t, a, "delete.avatars: confirmed")
		a.buckets["avatars"] = true // somebody makes it again
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", false)
		if got := s.heard[3].user; got != "delete.avatars: confirmed" {
			t.Errorf("a message that answers nothing reached the model as %q", got)
		}
	})
	script = []said{calls(clarify.ToolName, ask(confirm("avatars"))), done, calls(deleteBucket, deleteAvatars), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		turn(t, a, "delete.avatars: confirmed")
		turn(t, a, "And now?")
		want(t, a, "avatars temp uploads", false)
	})
	script = []said{calls(clarify.ToolName, ask(confirm("avatars"))), calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		a.model = refilling{a.model, a.buckets}
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", false)
		first, second := s.heard[2].results[0].text, s.heard[3].results[0].text
		if first != "Deleted bucket avatars." || !strings.HasPrefix(second, "Error: not executed, because the user has not confirmed it") {
			t.Errorf("the first call: %q\nthe second: %q", first, second)
		}
	})
}

// refilling is a model in a world where somebody makes the bucket again before
// each response.
type refilling struct {
	model
	buckets map[string]bool
}

func (r refilling) next(ctx context.Context, results []result, user string) (response, error) {
	r.buckets["avatars"] = true
	return r.model.next(ctx, results, user)
}

// The yes is bound to the question by its digest: if another one waits, it is
// worth nothing.
func TestDigest(t *testing.T) {
	script := []said{calls(clarify.ToolName, ask(confirm("avatars"))), calls(deleteBucket, deleteAvatars), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		other, err := clarify.Call([]byte(ask(strings.Replace(confirm("avatars"), "all of its files", "nothing else", 1))))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.history.Event(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: other}); err != nil {
			t.Fatal(err)
		}
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", false)
	})
}

// A response that was cut is not acted on: what was cut off may be a question.
func TestCut(t *testing.T) {
	cut, torn := calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars)
	cut.cut, torn.torn = true, true
	for name, response := range map[string]said{"by the limit": cut, "by the network": torn} {
		t.Run(name, func(t *testing.T) {
			onEach(t, []said{calls(clarify.ToolName, ask(confirm("avatars"))), response}, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				if said, err := a.turn(t.Context(), "delete.avatars: confirmed"); err == nil || said != "" {
					t.Errorf("said %q, %v", said, err)
				}
				want(t, a, "avatars temp uploads", false)
			})
		})
	}
}

// What the service says about its failure reaches the caller.
func TestServiceError(t *testing.T) {
	overloaded := calls(deleteBucket, deleteAvatars)
	overloaded.fails = true
	onEach(t, []said{calls(clarify.ToolName, ask(confirm("avatars"))), overloaded}, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		says := "503"
		if s.stream {
			says = "Overloaded"
		}
		if _, err := a.turn(t.Context(), "delete.avatars: confirmed"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v", err)
		}
		want(t, a, "avatars temp uploads", false)
	})
}

// A model that never asks right does not go on for ever.
func TestEndless(t *testing.T) {
	script := slices.Repeat([]said{calls(clarify.ToolName, `{"prompts":"?"}`)}, maxRounds)
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		if _, err := a.turn(t.Context(), "Delete the avatars."); err == nil || !strings.Contains(err.Error(), "10 times") {
			t.Errorf("got %v", err)
		}
		want(t, a, "avatars temp uploads", false)
	})
}

func TestOtherCalls(t *testing.T) {
	script := []said{calls("format_disk", `{}`, deleteBucket, `{"bucket":5}`, deleteBucket, `{"bucket":"none"}`), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Do something.")
		wantResults(t, s, `Error: there is no tool "format_disk"`, `Error: the arguments are not JSON like {"bucket": …}`, `Error: there is no bucket "none"`)
	})
}

// A service that fails ends the turn with an error, and changes nothing.
func TestServiceFails(t *testing.T) {
	for _, w := range wires {
		for _, stream := range []bool{false, true} {
			a := newAgent(w.model("http://127.0.0.1:1", clarify.StringPrompts, stream))
			if _, err := a.turn(t.Context(), "Hello"); err == nil {
				t.Errorf("%s, stream %v: no error", w.name, stream)
			}
			want(t, a, "avatars temp uploads", false)
		}
	}
}

// The command, from a first message to the deletion, as a person types it.
func TestTalk(t *testing.T) {
	const hostile = `{"id":"why","kind":"text","question":"Why?\u001b[2J\u202e","required":false}`
	script := []said{
		{text: "I need an answer.", calls: calls(clarify.ToolName, ask(confirm("avatars"), hostile, whichRegion)).calls},
		calls(deleteBucket, deleteAvatars),
		done,
	}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		var out strings.Builder
		in := strings.NewReader("Delete the avatars.\n\ndelete.avatars: confirmed\nregion: 2\n\n")
		if err := talk(t.Context(), a, in, &out); err != nil {
			t.Fatal(err)
		}
		const shown = `
You: Agent: I need an answer.

A question:
  delete.avatars: Delete bucket avatars and all of its files? 
    confirmed (Delete) or cancelled (Keep it)
    DANGER
  why: Why?\x1b[2J\u202e 
  region: Which region? 
    1. Oslo 
    2. Paris 

You: Agent: Done.

You: `
		if out.String() != shown {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), shown)
		}
		want(t, a, "temp uploads", false)
	})
}

func TestNewModel(t *testing.T) {
	for _, tt := range []struct {
		openAI, anthropic, name, form string
		want                          string
	}{
		{"k", "", "m", "typed", "*main.openAI"},
		{"", "k", "m", "strict", "*main.claude"},
		{"k", "k", "m", "string", "*main.openAI"},
		{"", "", "m", "typed", "set OPENAI_API_KEY or ANTHROPIC_API_KEY"},
		{"k", "", "", "typed", "name a model with -model"},
		{"k", "", "m", "loose", `there is no form "loose"`},
	} {
		t.Setenv("OPENAI_API_KEY", tt.openAI)
		t.Setenv("ANTHROPIC_API_KEY", tt.anthropic)
		m, err := newModel(tt.name, tt.form, false)
		got := fmt.Sprintf("%T", m)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: got %s", tt, got)
		}
	}
}
