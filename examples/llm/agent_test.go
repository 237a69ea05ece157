package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// confirm returns a prompt that asks whether to delete the bucket.
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

	secondQuestion = "Error: invalid clarify prompts — arguments: got a second question in this turn, want one call with all prompts, and then the user's answer"
	notExecuted    = "Error: not executed, because the user is asked in the same response: wait for the answer"
)

var done = said{text: "Done."}

// turn calls a.turn, which must not fail.
func turn(t *testing.T, a *agent, message string) string {
	t.Helper()
	text, err := a.turn(t.Context(), message)
	require.NoError(t, err)
	return text
}

// want checks which buckets the agent has, and whether a question is pending.
func want(t *testing.T, a *agent, buckets string, waits bool) {
	t.Helper()
	assert.Equal(t, buckets, strings.Join(slices.Sorted(maps.Keys(a.buckets)), " "))
	assert.Equal(t, waits, a.talk.Pending() != nil, "a question is pending")
}

// accepted returns the result of the call, which must not be refused.
func accepted(t *testing.T, arguments string) string {
	t.Helper()
	result, err := clarify.Call([]byte(arguments))
	require.NoError(t, err)
	return result
}

// refused returns the text for the model of the call, which must be refused.
func refused(t *testing.T, arguments string) string {
	t.Helper()
	result, err := clarify.Call([]byte(arguments))
	require.Error(t, err)
	return result
}

// wantResults checks the results in the last request.
func wantResults(t *testing.T, s *service, want ...string) {
	t.Helper()
	var got []string
	for _, r := range s.heard[len(s.heard)-1].results {
		got = append(got, r.text)
	}
	assert.Equal(t, want, got)
}

// TestShapes uses the shapes in which models have called the tool. Each asks the
// same.
func TestShapes(t *testing.T) {
	object := confirm("avatars")
	const nulls = `"hint":null,"required":null,"options":null,"allowMultiple":null,"placeholder":null,"defaultValue":null,"multiline":null`
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
				require.Len(t, s.heard[1].results, 1)
				assert.Equal(t, accepted(t, ask(object)), s.heard[1].results[0].text)
				assert.False(t, s.heard[1].results[0].isError)
				wantResults(t, s, "Deleted bucket avatars.")
			})
		})
	}
}

// TestMutationBesideTheQuestion checks that nothing is changed in the turn in
// which the model asks. The order of the calls does not matter, nor that the
// user has confirmed the change before.
func TestMutationBesideTheQuestion(t *testing.T) {
	const names = "avatars, temp, uploads"
	region, deletion, refusal := accepted(t, ask(whichRegion)), accepted(t, ask(confirm("avatars"))), refused(t, `{}`)
	for name, tt := range map[string]struct {
		response said
		asks     bool
		results  []string
	}{
		"before": {calls(deleteBucket, deleteAvatars, clarify.ToolName, ask(whichRegion)), true, []string{notExecuted, region}},
		"after":  {calls(clarify.ToolName, ask(whichRegion), deleteBucket, deleteAvatars), true, []string{region, notExecuted}},
		"between": {calls(clarify.ToolName, ask(whichRegion), deleteBucket, deleteAvatars, clarify.ToolName, ask(whichRegion)), true,
			[]string{region, notExecuted, secondQuestion}},
		"before and after":   {calls(deleteBucket, deleteAvatars, clarify.ToolName, ask(whichRegion), deleteBucket, deleteUploads), true, []string{notExecuted, region, notExecuted}},
		"the one asked for":  {calls(clarify.ToolName, ask(confirm("avatars")), deleteBucket, deleteAvatars), true, []string{deletion, notExecuted}},
		"what only looks":    {calls(listBuckets, `{}`, clarify.ToolName, ask(whichRegion), listBuckets, `{}`), true, []string{names, region, names}},
		"a refused question": {calls(deleteBucket, deleteAvatars, clarify.ToolName, `{}`), false, []string{notExecuted, refusal}},
		"a name in capitals": {calls(deleteBucket, deleteAvatars, "Clarify", ask(whichRegion)), true, []string{notExecuted, region}},
		"a second question": {calls(clarify.ToolName, ask(whichRegion), clarify.ToolName, ask(confirm("avatars"))), true,
			[]string{region, secondQuestion}},
		"a question after a refused one": {calls(clarify.ToolName, `{}`, clarify.ToolName, ask(whichRegion)), true, []string{refusal, region}},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{calls(deleteBucket, deleteAvatars), tt.response, done}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars and the uploads.")
				// The user says yes, but the question is why nothing is deleted.
				turn(t, a, "delete.avatars: confirmed")
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

// TestMutationAlone checks that the same calls are executed without a question
// beside them, so that the test above can fail.
func TestMutationAlone(t *testing.T) {
	script := []said{
		calls(deleteBucket, deleteAvatars, deleteBucket, deleteUploads),
		calls(deleteBucket, deleteAvatars, listBuckets, `{}`, deleteBucket, deleteUploads),
		calls(deleteBucket, deleteUploads),
		done,
	}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars and the uploads.")
		want(t, a, "avatars temp uploads", true)
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "temp uploads", true)
		assert.Equal(t, "Done.", turn(t, a, "delete.uploads: confirmed"))
		want(t, a, "temp", false)
		require.Len(t, s.heard, 4)
		for i, results := range [][]string{nil, {accepted(t, ask(confirm("avatars"))), notExecuted},
			{"Deleted bucket avatars.", "temp, uploads", accepted(t, ask(confirm("uploads")))}, {"Deleted bucket uploads."}} {
			var got []string
			for _, r := range s.heard[i].results {
				got = append(got, r.text)
			}
			assert.Equal(t, results, got)
		}
	})
}

// TestRepair checks that the model learns all problems of a refused call and can
// fix it in the same turn.
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
				wantResults(t, s, refused(t, tt.arguments))
				got := s.heard[1].results[0]
				assert.Regexp(t, "^Error: invalid clarify prompts — ", got.text)
				assert.Contains(t, got.text, tt.problem)
				assert.Empty(t, s.heard[1].user)
				// In OpenAI's format only the text says that a call failed.
				assert.Equal(t, strings.Contains(t.Name(), "anthropic"), got.isError)
				turn(t, a, "2")
				assert.Contains(t, s.heard[2].user, "answer: \"region\" (\"Which region?\"): chose \"paris\" (\"Paris\")\n")
			})
		})
	}
}

// TestNotJSON sends arguments that are not JSON, because a stream broke or the
// model forgot a bracket.
func TestNotJSON(t *testing.T) {
	const broken = `{"prompts":[{"id":"region","kind":"choice","question":"Which region?","options":[{"id":"oslo"`
	script := func() []said {
		return []said{calls(deleteBucket, deleteAvatars, clarify.ToolName, broken), calls(clarify.ToolName, ask(whichRegion))}
	}
	for _, stream := range []bool{false, true} {
		on(t, wires[0], stream, clarify.TypedPrompts, script(), func(t *testing.T, a *agent, s *service) {
			turn(t, a, "Make a bucket.")
			want(t, a, "avatars temp uploads", true)
			wantResults(t, s, notExecuted, refused(t, broken))
		})
	}
	// In Anthropic's format arguments are always JSON, except in a stream. The
	// SDK makes an empty object of broken ones.
	on(t, wires[1], true, clarify.TypedPrompts, script(), func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Make a bucket.")
		want(t, a, "avatars temp uploads", true)
		wantResults(t, s, notExecuted, refused(t, `{}`))
	})
}

// TestAnswers checks for each message of the user whether the deletion that the
// model calls next is executed.
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
			script := []said{{text: "Need one answer.", calls: calls(deleteBucket, deleteAvatars).calls}, calls(deleteBucket, deleteAvatars)}
			if tt.deletes {
				script = append(script, done)
			}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				assert.Equal(t, "Need one answer.", turn(t, a, "Delete the avatars."))
				reply := a.talk.Pending().Read(tt.message)
				turn(t, a, tt.message)
				assert.Equal(t, reply.ForModel(), s.heard[1].user)
				if tt.deletes {
					want(t, a, "temp uploads", false)
					wantResults(t, s, "Deleted bucket avatars.")
				} else { // it asks again
					want(t, a, "avatars temp uploads", true)
				}
			})
		})
	}
}

// TestYesToSomethingElse checks that a yes deletes nothing unless it is to exactly the
// agent's own question, whatever the model asks, and that the agent then asks that, if it can.
func TestYesToSomethingElse(t *testing.T) {
	const yes = "delete.avatars: confirmed"
	for name, tt := range map[string]struct {
		arguments, message string
		asks               bool
	}{
		"another id":                  {ask(strings.Replace(confirm("avatars"), "delete.avatars", "sure", 1)), "sure: confirmed", true},
		"another bucket":              {ask(confirm("temp")), "delete.temp: confirmed", true},
		"a title":                     {`{"title":"Nothing is deleted",` + ask(confirm("avatars"))[1:], yes, false},
		"a question beside it":        {ask(confirm("avatars"), whichRegion), yes + "\nregion: 1", false},
		"a text beside it":            {ask(confirm("avatars"), `{"id":"note","kind":"text","question":"Anything else?"}`), yes + "\nnote: only if there is a backup", false},
		"another deletion beside it":  {ask(confirm("avatars"), confirm("uploads")), yes + "\ndelete.uploads: confirmed", false},
		"it does not name the bucket": {ask(strings.Replace(confirm("avatars"), "Delete bucket avatars", "Tidy up the bucket", 1)), yes, false},
		"it names another one":        {ask(strings.Replace(confirm("avatars"), "bucket avatars", "bucket avatars-old", 1)), yes, false},
		"it keeps the bucket":         {ask(strings.Replace(confirm("avatars"), "Delete bucket avatars", "Keep bucket avatars", 1)), yes, false},
		"the labels are exchanged":    {ask(strings.NewReplacer(`"Delete"`, `"Yes, keep it"`, `"Keep it"`, `"Delete"`).Replace(confirm("avatars"))), yes, false},
		"no danger":                   {ask(strings.Replace(confirm("avatars"), `,"danger":true`, "", 1)), yes, false},
		"a hint":                      {ask(strings.Replace(confirm("avatars"), `,"danger":true`, `,"danger":true,"hint":"Nothing is deleted."`, 1)), yes, false},
		"a text":                      {ask(`{"id":"delete.avatars","kind":"text","question":"Delete avatars?"}`), yes, false},
	} {
		t.Run(name, func(t *testing.T) {
			script := []said{calls(clarify.ToolName, tt.arguments), calls(deleteBucket, deleteAvatars)}
			if !tt.asks {
				script = append(script, done)
			}
			onEach(t, script, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				turn(t, a, tt.message)
				if name != "a text" {
					assert.Regexp(t, `proceed: yes, with exactly what was asked about\n\z`, s.heard[1].user)
				}
				want(t, a, "avatars temp uploads", tt.asks)
				if tt.asks {
					assert.Equal(t, deletion("avatars"), a.talk.Pending())
				} else {
					assert.Regexp(t, `^Error: .*got "delete.avatars", which stood for another question`, s.heard[2].results[0].text)
				}
			})
		})
	}
}

// TestYesActsOnce checks that a yes is used once, and only in its own turn. After that
// the agent asks again.
func TestYesActsOnce(t *testing.T) {
	script := []said{calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars), done, calls(deleteBucket, deleteAvatars)}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "temp uploads", false)
		a.buckets["avatars"] = true // somebody creates it again
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", true)
		assert.Equal(t, "delete.avatars: confirmed", s.heard[3].user, "a message that answers nothing")
	})
	script = []said{calls(deleteBucket, deleteAvatars), done, calls(deleteBucket, deleteAvatars)}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		turn(t, a, "delete.avatars: confirmed")
		turn(t, a, "And now?")
		want(t, a, "avatars temp uploads", true)
	})
	script = []said{calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars)}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		a.model = refilling{a.model, a.buckets}
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", true)
		assert.Equal(t, "Deleted bucket avatars.", s.heard[2].results[0].text)
	})
}

// refilling is a model before whose every response somebody creates the bucket
// again.
type refilling struct {
	model
	buckets map[string]bool
}

func (r refilling) next(ctx context.Context, results []result, user string) (response, error) {
	r.buckets["avatars"] = true
	return r.model.next(ctx, results, user)
}

// TestAnotherQuestionWaits checks that a yes in words does not count if its id
// stood for another question before.
func TestAnotherQuestionWaits(t *testing.T) {
	script := []said{calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars), done}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		other := accepted(t, ask(strings.Replace(confirm("avatars"), "all of its files", "nothing else", 1)))
		_, err := a.talk.Event(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: other})
		require.NoError(t, err)
		turn(t, a, "delete.avatars: confirmed")
		want(t, a, "avatars temp uploads", false)
	})
}

// TestCut checks that a response that was cut off changes nothing: the missing
// part may be a question.
func TestCut(t *testing.T) {
	cut, torn := calls(deleteBucket, deleteAvatars), calls(deleteBucket, deleteAvatars)
	cut.cut, torn.torn = true, true
	for name, response := range map[string]said{"by the limit": cut, "by the network": torn} {
		t.Run(name, func(t *testing.T) {
			onEach(t, []said{calls(deleteBucket, deleteAvatars), response}, func(t *testing.T, a *agent, s *service) {
				turn(t, a, "Delete the avatars.")
				said, err := a.turn(t.Context(), "delete.avatars: confirmed")
				assert.Error(t, err)
				assert.Empty(t, said)
				want(t, a, "avatars temp uploads", false)
			})
		})
	}
}

// TestServiceError checks that the caller gets the service's error.
func TestServiceError(t *testing.T) {
	overloaded := calls(deleteBucket, deleteAvatars)
	overloaded.fails = true
	onEach(t, []said{calls(deleteBucket, deleteAvatars), overloaded}, func(t *testing.T, a *agent, s *service) {
		turn(t, a, "Delete the avatars.")
		says := "503"
		if s.stream {
			says = "Overloaded"
		}
		_, err := a.turn(t.Context(), "delete.avatars: confirmed")
		assert.ErrorContains(t, err, says)
		want(t, a, "avatars temp uploads", false)
	})
}

// TestEndless checks that a turn ends if all questions of the model are invalid.
func TestEndless(t *testing.T) {
	script := slices.Repeat([]said{calls(clarify.ToolName, `{"prompts":"?"}`)}, maxRounds)
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		_, err := a.turn(t.Context(), "Delete the avatars.")
		assert.ErrorContains(t, err, "10 times")
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

// TestServiceFails checks that a turn without a service fails and changes nothing.
func TestServiceFails(t *testing.T) {
	for _, w := range wires {
		for _, stream := range []bool{false, true} {
			a := newAgent(w.model("http://127.0.0.1:1", clarify.StringPrompts, stream))
			_, err := a.turn(t.Context(), "Hello")
			assert.Error(t, err, "%s, stream %v", w.name, stream)
			want(t, a, "avatars temp uploads", false)
		}
	}
}

// TestTalk runs the command on what a person types, from the first message to
// the deletion.
func TestTalk(t *testing.T) {
	const hostile = `{"id":"why","kind":"text","question":"Why?\u001b[2J\u202e","required":false}`
	script := []said{
		{text: "I need an answer.", calls: calls(clarify.ToolName, ask(hostile, whichRegion)).calls},
		calls(deleteBucket, deleteAvatars),
		calls(deleteBucket, deleteAvatars),
		done,
	}
	onEach(t, script, func(t *testing.T, a *agent, s *service) {
		var out strings.Builder
		in := strings.NewReader("Delete the avatars.\n\nregion: 2\n\ndelete.avatars: confirmed\n\n")
		require.NoError(t, talk(t.Context(), a, in, &out))
		const shown = `
You: Agent: I need an answer.

A question:
  why: Why?\x1b[2J\u202e 
  region: Which region? 
    1. Oslo 
    2. Paris 

You: Agent: 

A question:
  delete.avatars: Delete bucket avatars and all of its files? 
    confirmed (Delete) or cancelled (Keep it)
    DANGER

You: Agent: Done.

You: `
		assert.Equal(t, shown, out.String())
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
		assert.Equal(t, tt.want, got, "%+v", tt)
	}
}
