package clarify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

func toolEnd(output string) clarify.Event {
	return clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: output}
}

func confirm(id, question string, danger bool) clarify.Prompt {
	return clarify.Prompt{ID: id, Question: question, Input: &clarify.Confirm{Danger: danger}}
}

func envelopeOf(prompts ...clarify.Prompt) *clarify.Envelope {
	return &clarify.Envelope{Prompts: prompts}
}

// Two questions of one id: the answer to the first must not act on the second.
var (
	aboutTemporary  = envelopeOf(confirm("approve", "Delete the temporary bucket?", true))
	aboutProduction = envelopeOf(confirm("approve", "Delete production?", true))
)

// resultEvent returns the event of a call of which the result is e.
func resultEvent(t *testing.T, run string, e *clarify.Envelope) clarify.Event {
	t.Helper()
	result, err := e.Result()
	require.NoError(t, err)
	ev := toolEnd(result)
	ev.RunID = run
	return ev
}

// formAnswer returns the message of a form in which the confirm was confirmed.
func formAnswer(t *testing.T, id, reference string) string {
	t.Helper()
	b, err := clarify.Answers{Answers: []clarify.Answer{{ID: id, Payload: &clarify.ConfirmAnswer{Confirmed: true}}}, For: reference}.AppendJSON(nil)
	require.NoError(t, err)
	return string(b)
}

// conversationSides are the two ways in which a conversation gets its questions.
var conversationSides = map[string]func(t *testing.T, c *clarify.Conversation, run string, e *clarify.Envelope){
	"engine": func(t *testing.T, c *clarify.Conversation, run string, e *clarify.Envelope) {
		t.Helper()
		ev, err := c.Ask(run, e)
		require.NoError(t, err)
		want, err := e.Result()
		require.NoError(t, err)
		require.Equal(t, want, ev.Output)
	},
	"Console": func(t *testing.T, c *clarify.Conversation, run string, e *clarify.Envelope) {
		t.Helper()
		_, err := c.Event(resultEvent(t, run, e))
		require.NoError(t, err)
	},
}

type asker func(run string, e *clarify.Envelope)

// onBothSides runs the test as an engine and as a Console. ask asks a question, which must be allowed.
func onBothSides(t *testing.T, test func(t *testing.T, c *clarify.Conversation, ask asker)) {
	for name, ask := range conversationSides {
		t.Run(name, func(t *testing.T) {
			c := new(clarify.Conversation)
			test(t, c, func(run string, e *clarify.Envelope) { t.Helper(); ask(t, c, run, e) })
		})
	}
}

func store(t *testing.T, c *clarify.Conversation) []byte {
	t.Helper()
	b, err := json.Marshal(c)
	require.NoError(t, err)
	return b
}

func load(t *testing.T, data []byte) *clarify.Conversation {
	t.Helper()
	c := new(clarify.Conversation)
	require.NoError(t, json.Unmarshal(data, c), "%s", data)
	return c
}

// checkViolations compares violations as "code at path".
func checkViolations(t *testing.T, got []clarify.Violation, want ...string) {
	t.Helper()
	var list []string
	for _, v := range got {
		list = append(list, fmt.Sprintf("%v at %v", v.Code, v.Path))
	}
	assert.Equal(t, want, list)
}

// TestHistory is lines 10 and 25 of the reports from the field: a question is
// answered once, and a reload does not open it again.
func TestHistory(t *testing.T) {
	yes := formAnswer(t, "confirm_delete", "")
	asked := contractEnvelopes["confirm"]
	result := func(e *clarify.Envelope) string { return resultEvent(t, "", e).Output }
	tool := result(asked)
	type step struct {
		event   *clarify.Event
		message string
		proceed bool
		pending bool // after it
	}
	ask, say := func(output string) step {
		ev := toolEnd(output)
		return step{event: &ev, pending: true}
	}, func(message string, proceed bool) step {
		return step{message: message, proceed: proceed}
	}
	other := func(ev clarify.Event, pending bool) step { return step{event: &ev, pending: pending} }
	for name, steps := range map[string][]step{
		"answered once":                {ask(tool), say(yes, true)},
		"25 answered, and reloaded":    {ask(tool), say(yes, true), say("", false)},
		"10 the same answer again":     {ask(tool), say(yes, true), say(yes, false)},
		"chat closes it":               {ask(tool), say("let's talk first", false), say(yes, false)},
		"silence closes it":            {ask(tool), say("", false), say(yes, false)},
		"an answer that came too soon": {say(yes, false), ask(tool)},
		"asked twice, answered once":   {ask(tool), ask(tool), say(yes, true), say(yes, false)},
		"asked again after chat":       {ask(tool), say("wait", false), ask(tool), say(yes, true)},
		"the last question counts":     {ask(tool), ask(result(turnEnvelope())), say(yes, false)},
		"other events do not count": {ask(tool), other(clarify.Event{Type: "message", Output: tool}, true), other(clarify.Event{Type: clarify.EventToolEnd, Tool: "console", Output: "{}"}, true),
			other(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Failed: true, Output: "{}"}, true), other(toolEnd("Error: no"), true), say(yes, true)},
		"a failed call asks nothing": {other(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Failed: true, Output: tool}, false), say(yes, false)},
	} {
		t.Run(name, func(t *testing.T) {
			var h clarify.Conversation
			for i, s := range steps {
				if s.event != nil {
					e, err := h.Event(*s.event)
					want, wantErr := s.event.Envelope()
					require.Equal(t, want, e, "step %d", i)
					require.Equal(t, wantErr, err, "step %d", i)
					if err == nil {
						require.Equal(t, e, h.Pending(), "step %d", i)
					}
				} else {
					require.Equal(t, s.proceed, h.Message(s.message).Proceed(), "step %d", i)
				}
				require.Equal(t, s.pending, h.Pending() != nil, "step %d", i)
			}
		})
	}
}

// TestHistoryOfWhatCannotBeShown: the user may mean a newer question that got
// lost, so an older one does not take the answer.
func TestHistoryOfWhatCannotBeShown(t *testing.T) {
	const question = `{"protocol":"appwrite.clarify/v1","prompts":[{"id":"c","kind":"confirm","question":"Delete?"}]}`
	for name, test := range map[string]struct {
		output string
		waits  bool
	}{
		"nothing to show": {strings.Replace(question, `"confirm"`, `"date"`, 1), false},
		"another version": {strings.Replace(question, "/v1", "/v2", 1), false},
		"cut":             {question[:len(question)-2], false},
		"in an array":     {"[" + question + "]", false},
		"in a code fence": {"```json\n" + question + "\n```", false},
		"another text":    {"done", false},
		"nothing":         {"", false},
		"too large":       {question + strings.Repeat(" ", clarify.MaxSize), false},
		"refused":         {clarify.ErrorResult(nil), true},
	} {
		for _, run := range []string{"", "r1", "r2"} {
			var h clarify.Conversation
			ev := toolEnd(question)
			ev.RunID = "r1"
			_, err := h.Event(ev)
			require.NoError(t, err)
			ev.Output, ev.RunID = test.output, run
			_, err = h.Event(ev)
			require.Error(t, err, "%s is shown", name)
			assert.Equal(t, test.waits, h.Pending() != nil, name)
			assert.Equal(t, test.waits, h.Reference() != "", name)
			assert.True(t, h.Asking(), "%s: it may have been a question", name)
			assert.Equal(t, test.waits, h.Message("yes").Proceed(), name)
		}
	}
}

// TestRepeatedEvent: a copy of an event, of the question that waits or of an older one, shows
// nothing, so that no form of one question can send the reference of another.
func TestRepeatedEvent(t *testing.T) {
	var c clarify.Conversation
	temporary, production := resultEvent(t, "r1", aboutTemporary), resultEvent(t, "r2", aboutProduction)
	for _, ev := range []clarify.Event{temporary, production} {
		e, err := c.Event(ev)
		require.NoError(t, err)
		require.NotNil(t, e)
	}
	for _, ev := range []clarify.Event{temporary, production, temporary} {
		e, err := c.Event(ev)
		assert.ErrorIs(t, err, clarify.ErrRepeated)
		assert.ErrorIs(t, err, clarify.ErrNotEnvelope)
		assert.Nil(t, e)
		assert.Equal(t, "Delete production?", c.Pending().Prompts[0].Question)
		assert.Equal(t, production.Reference(), c.Reference())
	}
	assert.False(t, c.Message(formAnswer(t, "approve", temporary.Reference())).Proceed())
	assert.True(t, c.Message(formAnswer(t, "approve", production.Reference())).Proceed())
	_, err := c.Event(production)
	assert.ErrorIs(t, err, clarify.ErrRepeated)
	assert.Nil(t, c.Pending(), "it was answered")
	assert.False(t, c.Asking())
	assert.True(t, c.Use(aboutProduction), "a copy takes no yes away")

	require.NoError(t, json.Unmarshal(store(t, &c), &c))
	_, err = c.Event(production)
	assert.ErrorIs(t, err, clarify.ErrRepeated, "after a restart")
	production.RunID = "r3"
	_, err = c.Event(production)
	require.NoError(t, err, "another run asks again")
	assert.NotNil(t, c.Pending())
}

// TestCopyOfAnAnswer: the same question is asked, answered, used and asked again, and then
// a copy of the first answer arrives.
func TestCopyOfAnAnswer(t *testing.T) {
	onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
		ask("r1", aboutTemporary)
		withReference, without := formAnswer(t, "approve", c.Reference()), formAnswer(t, "approve", "")
		require.True(t, c.Message(withReference).Proceed())
		require.True(t, c.Use(aboutTemporary))

		r := c.Message(withReference)
		assert.Equal(t, clarify.StateNothingAsked, r.State(), "nothing waits")
		checkViolations(t, r.Violations(), "other_question at for")
		assert.False(t, c.Use(aboutTemporary))

		ask("r2", aboutTemporary)
		reference := c.Reference()
		r = c.Message(withReference)
		assert.Equal(t, clarify.StateUnanswered, r.State())
		assert.Equal(t, clarify.Undecided, r.Decision("approve"))
		checkViolations(t, r.Violations(), "other_question at for")
		assert.Contains(t, r.ForModel(), "proceed: no")
		assert.False(t, c.Use(aboutTemporary))
		assert.Equal(t, reference, c.Reference(), "the new question stays open")
		assert.False(t, c.Asking(), "but a turn began")

		// Without a reference a copy cannot be told from an answer: the question is the same.
		assert.True(t, c.Message(without).Proceed())
		assert.True(t, c.Use(aboutTemporary))
		assert.Nil(t, c.Pending())
	})
}

// refused checks that the engine refuses to ask e, with a text that a model can use.
func refused(t *testing.T, c *clarify.Conversation, run string, e *clarify.Envelope, inText string, want ...string) {
	t.Helper()
	before := store(t, c)
	ev, err := c.Ask(run, e)
	checkViolations(t, violationsIn(t, err), want...)
	assert.Equal(t, clarify.Event{Type: "tool_end", Tool: "clarify", RunID: run, Output: clarify.ErrorResult(err)}, ev)
	assert.Contains(t, ev.Output, inText)
	assert.Equal(t, string(before), string(store(t, c)), "it changed something")
	_, err = ev.Envelope()
	assert.ErrorIs(t, err, clarify.ErrToolFailed, "the Console shows it")
}

func TestSecondQuestion(t *testing.T) {
	go1, go2 := envelopeOf(confirm("go1", "One?", false)), envelopeOf(confirm("go2", "Two?", false))
	const fix = "arguments: got a second question in this turn, want one call with all prompts, and then the user's answer"
	var c clarify.Conversation
	_, err := c.Ask("r1", go1)
	require.NoError(t, err)
	refused(t, &c, "r2", go2, fix, "second_question at arguments")
	refused(t, &c, "r2", go1, fix, "second_question at arguments")
	refused(t, &c, "r1", go1, fix, "second_question at arguments")
	ev, err := c.Call("r2", []byte(`{"prompts":[]}`))
	checkViolations(t, violationsIn(t, err), "too_few at prompts")
	assert.Equal(t, clarify.ErrorResult(err), ev.Output, "what is wrong with the call comes first")
	assert.Equal(t, "r2", ev.RunID)
	assert.True(t, c.Message("yes").Proceed(), "the first question waits")

	_, err = c.Ask("r2", go2)
	require.NoError(t, err, "in the next turn")
	c.NoAnswer()
	_, err = c.Ask("r3", go1)
	require.NoError(t, err, "after no answer")
	c.Message(formAnswer(t, "go2", resultEvent(t, "r2", go2).Reference()))
	require.NotNil(t, c.Pending())
	_, err = c.Ask("r4", go2)
	require.NoError(t, err, "after an answer to another question, instead of the one that waits")
	assert.Equal(t, resultEvent(t, "r4", go2).Reference(), c.Reference())

}

// TestEveryQuestionHasAReference: whatever run the engine gives, no two questions have the same
// reference, so that an answer to the first one is none to the second one.
func TestEveryQuestionHasAReference(t *testing.T) {
	var engine, console clarify.Conversation
	references := map[string]bool{}
	for i, run := range []string{"r1", "r1", "", "r1", "", "\xff", "\xff"} {
		ev, err := engine.Ask(run, aboutTemporary)
		require.NoError(t, err)
		assert.Equal(t, i == 0 || i == 5, ev.RunID != "" && ev.RunID == strings.ToValidUTF8(run, "\ufffd"), "%d: %q", i, ev.RunID)
		assert.NotEmpty(t, ev.RunID)
		assert.Equal(t, ev.Reference(), engine.Reference())
		references[ev.Reference()] = true
		assert.Len(t, references, i+1)

		sent, err := clarify.ParseEvent(ev.AppendJSON(nil))
		require.NoError(t, err)
		_, err = console.Event(sent)
		require.NoError(t, err)
		assert.Equal(t, engine.Reference(), console.Reference())

		for reference := range references {
			if reference != ev.Reference() {
				assert.False(t, engine.Message(formAnswer(t, "approve", reference)).Proceed())
			}
		}
		assert.True(t, engine.Message(formAnswer(t, "approve", ev.Reference())).Proceed())
		assert.True(t, engine.Use(aboutTemporary))
		console.Message("")
	}
	_, err := engine.Call("r1", []byte(`{"prompts":{"id":"approve","kind":"confirm","question":"Delete the temporary bucket?","danger":true}}`))
	assert.NoError(t, err)
}

// TestWithoutARun: questions of an engine that names no run cannot be told apart, and have no
// reference.
func TestWithoutARun(t *testing.T) {
	var c clarify.Conversation
	ev := resultEvent(t, "", aboutTemporary)
	assert.Empty(t, ev.Reference())
	for range 2 {
		_, err := c.Event(ev)
		require.NoError(t, err, "it may be another question")
		assert.Empty(t, c.Reference())
		assert.False(t, c.Message(formAnswer(t, "approve", resultEvent(t, "r1", aboutTemporary).Reference())).Proceed())
		assert.True(t, c.Message(formAnswer(t, "approve", "")).Proceed())
	}
}

// TestAnswersToNothing: the model is not told the JSON of answers to a question that does not wait.
func TestAnswersToNothing(t *testing.T) {
	var c clarify.Conversation
	r := c.Message(formAnswer(t, "approve", ""))
	checkViolations(t, r.Violations(), "other_question at answers")
	assert.Equal(t, clarify.StateNothingAsked, r.State())
	assert.NotContains(t, r.ForModel(), "true")
	assert.Contains(t, r.ForModel(), "proceed: no")
}

// TestManyIDs: a hostile tool cannot make the state grow for ever, and an id of which the
// conversation does not know any more what it stood for confirms less.
func TestManyIDs(t *testing.T) {
	var c clarify.Conversation
	var sizes []int
	for i := range 7 {
		var prompts []string
		for j := range 18_000 {
			prompts = append(prompts, fmt.Sprintf(`{"id":"a%d.%d","kind":"text","question":"Q"}`, i, j))
		}
		_, err := c.Event(toolEnd(`{"protocol":"appwrite.clarify/v1","prompts":[` + strings.Join(prompts, ",") + `]}`))
		require.NoError(t, err)
		c.Message("")
		sizes = append(sizes, len(store(t, &c)))
	}
	assert.Less(t, sizes[1], sizes[5], "%v", sizes)
	assert.Equal(t, sizes[5], sizes[6], "%v", sizes)

	restored := load(t, store(t, &c))
	refused(t, restored, "r1", aboutTemporary, "which stood for another question", "reused_id at prompts[0].id")
	for _, reference := range []string{"", resultEvent(t, "r1", aboutTemporary).Reference()} {
		c := load(t, store(t, &c))
		_, err := c.Event(resultEvent(t, "r1", aboutTemporary))
		require.NoError(t, err)
		assert.Equal(t, reference != "", c.Message(formAnswer(t, "approve", reference)).Proceed())
		assert.Equal(t, reference != "", c.Use(aboutTemporary))
	}
}

func TestReusedID(t *testing.T) {
	first := func() *clarify.Envelope {
		return envelopeOf(
			clarify.Prompt{ID: "bucket", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}},
			clarify.Prompt{ID: "note", Question: "Why?", Optional: true, Input: &clarify.Text{}},
			confirm("approve", "Delete it?", true),
		)
	}
	for name, test := range map[string]struct {
		change func(e *clarify.Envelope)
		want   []string
	}{
		"nothing":           {func(*clarify.Envelope) {}, nil},
		"the title":         {func(e *clarify.Envelope) { e.Title = "Clean up" }, []string{"reused_id at prompts[2].id"}}, // a yes is to the whole question
		"the order":         {func(e *clarify.Envelope) { e.Prompts[0], e.Prompts[2] = e.Prompts[2], e.Prompts[0] }, []string{"reused_id at prompts[0].id"}},
		"the confirm alone": {func(e *clarify.Envelope) { e.Prompts = e.Prompts[2:] }, []string{"reused_id at prompts[0].id"}},
		"without it":        {func(e *clarify.Envelope) { e.Prompts = e.Prompts[:2] }, nil},
		"the others alone":  {func(e *clarify.Envelope) { e.Prompts = e.Prompts[1:2] }, nil},
		"the default label": {func(e *clarify.Envelope) {
			e.Prompts[2].Input.(*clarify.Confirm).ConfirmLabel = clarify.DefaultConfirmLabel
		}, nil},
		"the question": {func(e *clarify.Envelope) { e.Prompts[2].Question = "Delete production?" }, []string{"reused_id at prompts[2].id"}},
		"the label":    {func(e *clarify.Envelope) { e.Prompts[2].Input.(*clarify.Confirm).ConfirmLabel = "Delete" }, []string{"reused_id at prompts[2].id"}},
		"the danger":   {func(e *clarify.Envelope) { e.Prompts[2].Input.(*clarify.Confirm).Danger = false }, []string{"reused_id at prompts[2].id"}},
		"the hint":     {func(e *clarify.Envelope) { e.Prompts[2].Hint = "All of it." }, []string{"reused_id at prompts[2].id"}},
		"required":     {func(e *clarify.Envelope) { e.Prompts[1].Optional = false }, []string{"reused_id at prompts[1].id", "reused_id at prompts[2].id"}},
		"an option":    {func(e *clarify.Envelope) { e.Prompts[0].Input.(*clarify.Choice).Options[1].Label = "C" }, []string{"reused_id at prompts[0].id", "reused_id at prompts[2].id"}},
		"the kind":     {func(e *clarify.Envelope) { e.Prompts[1].Input = &clarify.Confirm{} }, []string{"reused_id at prompts[1].id", "reused_id at prompts[2].id"}},
		"two": {func(e *clarify.Envelope) { e.Prompts[0].Question += "?"; e.Prompts[2].Question += "?" },
			[]string{"reused_id at prompts[0].id", "reused_id at prompts[2].id"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := new(clarify.Conversation)
			_, err := c.Ask("r1", first())
			require.NoError(t, err)
			e := first()
			test.change(e)
			if test.want != nil {
				refused(t, c, "r2", e, "which stood for another question, want an id of its own, or the question as it was asked", append([]string{"second_question at arguments"}, test.want...)...)
			}
			c.Message("wait")
			c = load(t, store(t, c))
			if test.want != nil {
				refused(t, c, "r2", e, "which stood for another question, want an id of its own, or the question as it was asked", test.want...)
				return
			}
			_, err = c.Ask("r2", e)
			require.NoError(t, err)
		})
	}
}

// TestAnswerAfterANewQuestion: an answer that was meant for an older question confirms nothing.
func TestAnswerAfterANewQuestion(t *testing.T) {
	onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
		ask("r1", aboutTemporary)
		old := c.Reference()
		c.Message("What is in it?")
		assert.False(t, c.Message(formAnswer(t, "approve", old)).Proceed(), "after a chat nothing waits")
		assert.False(t, c.Message(formAnswer(t, "approve", "")).Proceed())
		assert.Equal(t, "approve: confirmed", c.Message("approve: confirmed").ForModel(), "it is a message like any other")
		assert.False(t, c.Use(aboutTemporary))
	})
}

// TestSameIDForAnotherQuestion: "approve" is about a temporary bucket; the user writes something
// else; then it is about production.
func TestSameIDForAnotherQuestion(t *testing.T) {
	t.Run("engine", func(t *testing.T) {
		var c clarify.Conversation
		_, err := c.Ask("r1", aboutTemporary)
		require.NoError(t, err)
		c.Message("How old is it?")
		refused(t, &c, "r2", aboutProduction, `prompts[0].id: got "approve"`, "reused_id at prompts[0].id")
		r := c.Message("approve: confirmed")
		assert.Equal(t, clarify.StateNothingAsked, r.State())
		assert.False(t, c.Use(aboutProduction))
	})
	console := func(t *testing.T) (c *clarify.Conversation, old string) {
		c = new(clarify.Conversation)
		_, err := c.Event(resultEvent(t, "r1", aboutTemporary))
		require.NoError(t, err)
		old = c.Reference()
		c.Message("How old is it?")
		_, err = c.Event(resultEvent(t, "r2", aboutProduction))
		require.NoError(t, err)
		return load(t, store(t, c)), old
	}
	for message, want := range map[string]string{
		formAnswer(t, "approve", ""): "other_question at answers[0]",
		"approve: confirmed":         "other_question at line 1",
		"approve: cancelled":         "other_question at line 1",
		"no":                         "other_question at message",
	} {
		t.Run("Console without a reference/"+message, func(t *testing.T) {
			c, _ := console(t)
			r := c.Message(message)
			assert.Equal(t, clarify.Undecided, r.Decision("approve"))
			assert.Equal(t, clarify.StateUnanswered, r.State())
			assert.Equal(t, []string{"approve"}, r.Missing())
			checkViolations(t, r.Violations(), want)
			assert.Nil(t, c.Pending())
			assert.False(t, c.Use(aboutProduction))
		})
	}
	t.Run("Console with the old reference", func(t *testing.T) {
		c, old := console(t)
		reference := c.Reference()
		require.NotEqual(t, old, reference)
		r := c.Message(formAnswer(t, "approve", old))
		assert.Equal(t, clarify.StateUnanswered, r.State())
		checkViolations(t, r.Violations(), "other_question at for")
		assert.False(t, c.Use(aboutProduction))
		assert.Equal(t, reference, c.Reference(), "the new question stays open")
		assert.Equal(t, "Delete production?", c.Pending().Prompts[0].Question)
		assert.True(t, c.Message(formAnswer(t, "approve", reference)).Proceed(), "with the right reference it counts")
		assert.True(t, c.Use(aboutProduction))
	})
	t.Run("Console, and an id that only looks the same", func(t *testing.T) {
		c, _ := console(t)
		other := envelopeOf(confirm("APPROVE", "Delete production?", true))
		output, err := other.AppendJSON(nil)
		require.NoError(t, err)
		_, err = c.Event(toolEnd(string(output)))
		require.NoError(t, err)
		checkViolations(t, c.Message("APPROVE: confirmed").Violations(), "other_question at line 1")
	})
	t.Run("a choice and a text are no yes", func(t *testing.T) {
		var c clarify.Conversation
		for i, question := range []string{"Why?", "Who?"} {
			_, err := c.Event(resultEvent(t, fmt.Sprint("r", i), envelopeOf(clarify.Prompt{ID: "note", Question: question, Input: &clarify.Text{}})))
			require.NoError(t, err)
		}
		assert.Equal(t, clarify.StateComplete, c.Message("note: me").State())
	})
}

// TestAYesBesideOtherPrompts: a yes to a question with more in it is no yes to the confirm alone,
// also if a copy of it arrives when that waits.
func TestAYesBesideOtherPrompts(t *testing.T) {
	drill := envelopeOf(clarify.Prompt{ID: "note", Question: "This is a drill. Any notes?", Optional: true, Input: &clarify.Text{}}, aboutTemporary.Prompts[0])
	for _, message := range []string{"approve: confirmed", formAnswer(t, "approve", "")} {
		var engine, console clarify.Conversation
		_, err := engine.Ask("r1", drill)
		require.NoError(t, err)
		require.True(t, engine.Message(message).Proceed())
		assert.False(t, engine.Use(aboutTemporary))
		refused(t, &engine, "r2", aboutTemporary, "want an id of its own, or the question as it was asked", "reused_id at prompts[0].id")

		for i, e := range []*clarify.Envelope{drill, aboutTemporary} {
			_, err := console.Event(resultEvent(t, fmt.Sprint("r", i), e))
			require.NoError(t, err)
		}
		r := console.Message(message)
		assert.Equal(t, clarify.Undecided, r.Decision("approve"))
		assert.False(t, console.Use(aboutTemporary))
	}
}

// TestLoadAtOnce: a state can be loaded while it is used. The race detector sees what goes wrong.
func TestLoadAtOnce(t *testing.T) {
	c := confirmed(t)
	state := store(t, c)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			assert.NoError(t, json.Unmarshal(state, c))
			c.Asking()
			c.Use(aboutTemporary)
		})
	}
	group.Wait()
}

func TestUse(t *testing.T) {
	both := func() *clarify.Envelope {
		return envelopeOf(confirm("delete.a", "A?", true), confirm("delete.b", "B?", true), confirm("go", "Go on?", false))
	}
	const yes = "delete.a: confirmed\ndelete.b: confirmed\ngo: yes"
	onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
		assert.False(t, c.Use(both()), "nothing was asked")
		ask("r1", both())
		assert.False(t, c.Use(both()), "nothing was answered")
		assert.False(t, c.Message(strings.Replace(yes, "go: yes", "go: no", 1)).Proceed())
		assert.False(t, c.Use(both()), "cancelled")

		ask("r2", both())
		c.Message(yes)
		for name, change := range map[string]func(e *clarify.Envelope){
			"a part of it":     func(e *clarify.Envelope) { e.Prompts = e.Prompts[:1] },
			"another order":    func(e *clarify.Envelope) { slices.Reverse(e.Prompts) },
			"a title":          func(e *clarify.Envelope) { e.Title = "Clean up" },
			"another id":       func(e *clarify.Envelope) { e.Prompts[0].ID = "delete.c" },
			"another question": func(e *clarify.Envelope) { e.Prompts[0].Question = "C?" },
			"a hint":           func(e *clarify.Envelope) { e.Prompts[0].Hint = "All of it." },
			"another label":    func(e *clarify.Envelope) { e.Prompts[0].Input.(*clarify.Confirm).ConfirmLabel = "Go on" },
			"no danger":        func(e *clarify.Envelope) { e.Prompts[0].Input = &clarify.Confirm{} },
			"optional":         func(e *clarify.Envelope) { e.Prompts[2].Optional = true },
			"one more":         func(e *clarify.Envelope) { e.Prompts = append(e.Prompts, confirm("more", "More?", false)) },
			"a skipped part":   func(e *clarify.Envelope) { e.Skipped = []clarify.Skipped{{Part: clarify.PartPrompt}} },
			"nothing":          func(e *clarify.Envelope) { *e = clarify.Envelope{} },
		} {
			e := both()
			change(e)
			assert.False(t, c.Use(e), name)
		}
		assert.False(t, c.Use(nil))
		c2 := load(t, store(t, c))
		same := both()
		same.Prompts[0].Question, same.Prompts[0].Input.(*clarify.Confirm).ConfirmLabel = " A? ", clarify.DefaultConfirmLabel
		assert.True(t, c.Use(same), "it is the same as it is shown")
		assert.False(t, c.Use(both()), "once")
		assert.False(t, load(t, store(t, c)).Use(both()), "once, also after a restart")
		assert.True(t, c2.Use(both()), "after a restart")

		ask("r3", both())
		c.Message(yes)
		c.Message("thanks")
		assert.False(t, c.Use(both()), "in the next turn")

		ask("r4", both())
		c.Message(yes)
		ask("r5", envelopeOf(confirm("more", "More?", false)))
		assert.False(t, c.Use(both()), "after a question in the same turn")
		c.Message("more: yes")
		assert.False(t, c.Use(both()), "and in the next one")
		assert.False(t, c.Use(envelopeOf(confirm("more", "More?", false))), "no danger")

		ask("r6", both())
		c.Message(yes)
		c.NoAnswer()
		assert.False(t, c.Use(both()), "after NoAnswer")

		ask("r7", both())
		c.Message(yes + "\nbut wait")
		assert.False(t, c.Use(both()), "proceed is false")
	})
	t.Run("a question that cannot be shown", func(t *testing.T) {
		var c clarify.Conversation
		_, err := c.Event(resultEvent(t, "r1", both()))
		require.NoError(t, err)
		require.True(t, c.Message(yes).Proceed())
		_, err = c.Event(toolEnd("done"))
		require.Error(t, err)
		assert.False(t, c.Use(both()))
	})
	t.Run("a part that was left out", func(t *testing.T) {
		var c clarify.Conversation
		output := strings.Replace(resultEvent(t, "", both()).Output, `"prompts":[`, `"prompts":[{"id":"when","kind":"date","question":"When?"},`, 1)
		_, err := c.Event(toolEnd(output))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(store(t, &c), &c))
		require.NotEmpty(t, c.Pending().Skipped)
		c.Message(yes)
		assert.False(t, c.Use(both()))
	})
	t.Run("a question that cannot be asked here", func(t *testing.T) { // an engine must not write so long a label
		var c clarify.Conversation
		long := confirm("approve", "Delete it?", true)
		long.Input.(*clarify.Confirm).CancelLabel = strings.Repeat("x", clarify.MaxLabel+1)
		output, err := envelopeOf(long).AppendJSON(nil)
		require.NoError(t, err)
		e, err := c.Event(toolEnd(string(output)))
		require.NoError(t, err)
		require.True(t, c.Message("approve: confirmed").Proceed())
		assert.False(t, c.Use(e))
	})
}

// confirmed returns a conversation in which the user has just confirmed aboutTemporary.
func confirmed(t *testing.T) *clarify.Conversation {
	t.Helper()
	c := new(clarify.Conversation)
	_, err := c.Ask("r1", aboutTemporary)
	require.NoError(t, err)
	require.True(t, c.Message("approve: confirmed").Proceed())
	return c
}

// TestUseAtOnce: of many that use one yes at the same time, one may act.
func TestUseAtOnce(t *testing.T) {
	for range 100 {
		c := confirmed(t)
		var used atomic.Int32
		var group sync.WaitGroup
		start := make(chan struct{})
		for i := range 16 {
			group.Go(func() {
				<-start
				if c.Use(aboutTemporary) {
					used.Add(1)
				}
				switch i % 4 { // and the rest of the methods
				case 0:
					_, err := json.Marshal(c)
					assert.NoError(t, err)
				case 1:
					c.Pending()
				case 2:
					c.Reference()
				case 3:
					c.Asking()
				}
			})
		}
		close(start)
		group.Wait()
		require.EqualValues(t, 1, used.Load())
	}
	// Together with a message and a question at most one acts.
	for i := range 100 {
		c := confirmed(t)
		var used atomic.Int32
		var group sync.WaitGroup
		for j := range 8 {
			group.Go(func() {
				switch {
				case j == i%8 && i%2 == 0:
					c.Message("approve: confirmed")
				case j == i%8:
					_, err := c.Event(toolEnd("done"))
					assert.Error(t, err)
				case c.Use(aboutTemporary):
					used.Add(1)
				}
			})
		}
		group.Wait()
		require.LessOrEqual(t, used.Load(), int32(1))
		require.False(t, c.Use(aboutTemporary))
	}
}

func TestAsking(t *testing.T) {
	onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
		assert.False(t, c.Asking())
		ask("r1", aboutTemporary)
		assert.True(t, c.Asking())
		assert.True(t, load(t, store(t, c)).Asking(), "after a restart")
		c.Message("")
		assert.False(t, c.Asking())
		ask("r2", aboutTemporary)
		c.NoAnswer()
		assert.False(t, c.Asking())
	})
	var c clarify.Conversation
	_, err := c.Call("r1", []byte(`{}`))
	require.Error(t, err)
	assert.False(t, c.Asking(), "a call that was refused asks nothing")
	for _, ev := range []clarify.Event{{}, {Type: "message"}, {Type: clarify.EventToolEnd, Tool: "console", Output: "done"}, toolEnd("Error: no"), {Type: clarify.EventToolEnd, Tool: clarify.ToolName, Failed: true}} {
		_, err := c.Event(ev)
		require.Error(t, err)
		assert.False(t, c.Asking(), "%+v", ev)
	}
}

func TestNoAnswer(t *testing.T) {
	const first, last = "reply: no answer came, and none will: nothing is answered, confirmed or refused\n", "proceed: no, because nothing was answered\n"
	onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
		r := c.NoAnswer()
		assert.Equal(t, first+last, r.ForModel(), "nothing waited")
		assert.Equal(t, clarify.StateNothingAsked, r.State())
		ask("r1", aboutTemporary)
		reference := c.Reference()
		r = c.NoAnswer()
		assert.True(t, strings.HasPrefix(r.ForModel(), first), r.ForModel())
		assert.True(t, strings.HasSuffix(r.ForModel(), last), r.ForModel())
		assert.Equal(t, clarify.StateUnanswered, r.State())
		assert.Equal(t, []string{"approve"}, r.Missing())
		assert.Empty(t, r.Violations())
		assert.False(t, r.Proceed())
		assert.Nil(t, c.Pending())
		assert.Empty(t, c.Reference())
		assert.False(t, c.Message(formAnswer(t, "approve", reference)).Proceed(), "it comes too late")
		assert.False(t, c.Use(aboutTemporary))
	})
}

// TestConversationKeepsItsOwn: what a caller does to an envelope changes no decision.
func TestConversationKeepsItsOwn(t *testing.T) {
	spoil := func(e *clarify.Envelope) {
		e.Prompts[0].Input.(*clarify.Confirm).Danger = false
		e.Prompts[0].Input.(*clarify.Confirm).ConfirmLabel = "No"
		e.Prompts[0].Question = "Go on?"
		e.Prompts[1].Input.(*clarify.Choice).Options[0].ID = "z"
		e.Prompts[1].Optional = true
		e.Prompts = append(e.Prompts[:1], confirm("x", "X?", true))
	}
	asked := func() *clarify.Envelope {
		return envelopeOf(confirm("approve", "Delete it?", true), clarify.Prompt{ID: "bucket", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}})
	}
	want, err := asked().Normalized()
	require.NoError(t, err)
	for name, ask := range map[string]func(t *testing.T, c *clarify.Conversation) *clarify.Envelope{
		"Ask": func(t *testing.T, c *clarify.Conversation) *clarify.Envelope {
			e := asked()
			_, err := c.Ask("r1", e)
			require.NoError(t, err)
			return e
		},
		"Event": func(t *testing.T, c *clarify.Conversation) *clarify.Envelope {
			e, err := c.Event(resultEvent(t, "r1", asked()))
			require.NoError(t, err)
			return e
		},
		"Pending": func(t *testing.T, c *clarify.Conversation) *clarify.Envelope {
			_, err := c.Ask("r1", asked())
			require.NoError(t, err)
			return c.Pending()
		},
		"Pending after a restart": func(t *testing.T, c *clarify.Conversation) *clarify.Envelope {
			_, err := c.Ask("r1", asked())
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(store(t, c), c))
			return c.Pending()
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := new(clarify.Conversation)
			spoil(ask(t, c))
			assert.Equal(t, want, c.Pending())
			assert.Equal(t, resultEvent(t, "r1", asked()).Reference(), c.Reference())
			r := c.Message("approve: confirmed\nbucket: a")
			assert.True(t, r.Proceed())
			assert.Equal(t, []string{"a"}, r.Values("bucket"))
			assert.True(t, c.Use(want))
		})
	}
}

func TestConversationJSON(t *testing.T) {
	const zero = `{"version":1,"talk":{},"sum":"RBNvo1WzZ4oRRq0W"}`
	var c clarify.Conversation
	assert.Equal(t, zero, string(store(t, &c)))
	empty := load(t, []byte(zero))
	assert.Nil(t, empty.Pending())
	assert.False(t, empty.Asking())

	// Every state, and back.
	states := [][]byte{[]byte(zero)}
	keep := func() {
		t.Helper()
		b := store(t, &c)
		again := load(t, b)
		assert.Equal(t, string(b), string(store(t, again)))
		assert.Equal(t, c.Pending(), again.Pending())
		assert.Equal(t, c.Reference(), again.Reference())
		assert.Equal(t, c.Asking(), again.Asking())
		states = append(states, b)
	}
	const secret = "xyzzy"
	_, err := c.Event(resultEvent(t, "", envelopeOf(confirm("go", "Go <on> & on?", false))))
	require.NoError(t, err)
	keep()
	c.Message(secret)
	keep()
	require.NoError(t, json.Unmarshal(states[len(states)-1], &c)) // the next question is the first one with a run
	_, err = c.Ask("r1\u2028<>", aboutTemporary)
	require.NoError(t, err)
	keep()
	c.Message(formAnswer(t, "approve", secret))
	keep()
	c.Message("approve: confirmed")
	keep()
	require.True(t, c.Use(aboutTemporary))
	keep()
	_, err = c.Ask("r2", envelopeOf(clarify.Prompt{ID: "note", Question: "Why?", Input: &clarify.Text{}}))
	require.NoError(t, err)
	c.Message("note: " + secret)
	keep()
	for i, b := range states {
		assert.NotContains(t, string(b), secret, "state %d has a word of the user", i)
		for j := range i {
			assert.NotEqual(t, string(states[j]), string(b), "state %d is state %d", i, j)
		}
		// A database may write the JSON in another way.
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, b, "", "  "))
		assert.Equal(t, string(b), string(store(t, load(t, indented.Bytes()))))
	}

	// Everything else is refused, and leaves the receiver alone.
	full := states[3] // a question waits
	require.Contains(t, string(full), `"waits"`)
	text := string(full)
	bad := map[string]string{
		"nothing": "", "null": "null", "an empty object": "{}", "an array": "[]", "a string": `"x"`, "the talk alone": text[strings.Index(text, `"talk":`)+len(`"talk":`) : strings.Index(text, `,"sum"`)],
		"no version":                   strings.Replace(text, `"version":1,`, "", 1),
		"version 0":                    strings.Replace(text, `"version":1`, `"version":0`, 1),
		"version 2":                    strings.Replace(text, `"version":1`, `"version":2`, 1),
		"an unknown field":             strings.Replace(text, `"version":1`, `"version":1,"x":1`, 1),
		"an unknown field in the talk": strings.Replace(text, `"talk":{`, `"talk":{"x":1,`, 1),
		"no sum":                       text[:strings.Index(text, `,"sum"`)] + "}",
		"another sum":                  strings.Replace(zero, `"sum":"`, `"sum":"x`, 1),
		"the sum of another":           strings.Replace(text, text[strings.Index(text, `"sum"`):], zero[strings.Index(zero, `"sum"`):], 1),
		"no talk":                      `{"version":1}`,
		"two values":                   text + text,
		"something behind":             text + "x",
		"another run":                  strings.Replace(text, `"run_id":"r1`, `"run_id":"r2`, 1),
		"another question":             strings.Replace(text, "temporary bucket", "production", 1),
		"not asked":                    strings.Replace(text, `"asked":true,`, ``, 1),
		"confirmed":                    strings.Replace(text, `"asked":true,`, `"asked":true,"confirmed":["approve"],`, 1),
	}
	for i := range full {
		bad[fmt.Sprint("cut at ", i)] = text[:i]
	}
	for i, b := range full {
		if 'a' <= b && b <= 'y' || '0' <= b && b <= '8' { // in a string or a number; in a key it is unknown
			bad[fmt.Sprint("changed at ", i)] = text[:i] + string(b+1) + text[i+1:]
		}
	}
	var receiver clarify.Conversation
	_, err = receiver.Ask("r9", aboutProduction)
	require.NoError(t, err)
	before := string(store(t, &receiver))
	for name, data := range bad {
		require.NotEqual(t, text, data, name)
		assert.Error(t, receiver.UnmarshalJSON([]byte(data)), name)
		assert.Equal(t, before, string(store(t, &receiver)), name)
		assert.Error(t, json.Unmarshal([]byte(data), new(clarify.Conversation)), name)
	}
	require.ErrorContains(t, receiver.UnmarshalJSON([]byte(bad["version 2"])), "of version 2, want 1")
	require.NoError(t, receiver.UnmarshalJSON(full), "it replaces all")
	assert.Equal(t, text, string(store(t, &receiver)))
}

// TestConversationOfWhatIsNotUTF8: what came with such bytes can be stored and loaded.
func TestConversationOfWhatIsNotUTF8(t *testing.T) {
	var c clarify.Conversation
	ev := resultEvent(t, "r\xff", aboutTemporary)
	ev.Output = strings.Replace(ev.Output, "bucket", "b\xffcket", 1)
	_, err := c.Event(ev)
	require.NoError(t, err)
	again := load(t, store(t, &c))
	assert.Equal(t, c.Pending(), again.Pending())
	assert.Equal(t, ev.Reference(), again.Reference())
	// With U+FFFD in it, it is longer than MaxSize.
	ev.Output = strings.Replace(ev.Output, "b\xff", strings.Repeat("\xff", clarify.MaxSize/2), 1)
	_, err = c.Event(ev)
	require.NoError(t, err)
	assert.Equal(t, c.Pending(), load(t, store(t, &c)).Pending())
}

// TestConversationSize: a state can be loaded and saved with each message.
func TestConversationSize(t *testing.T) {
	const n = 10_000
	var c clarify.Conversation
	for i := range n {
		_, err := c.Ask(fmt.Sprintf("run-%d-%s", i, strings.Repeat("x", 30)), envelopeOf(confirm(fmt.Sprintf("delete.%d-%s", i, strings.Repeat("x", 40)), strings.Repeat("Delete it? ", 30)+"Yes?", true)))
		require.NoError(t, err)
		c.Message(strings.Repeat("What is in it? ", 30))
	}
	b := store(t, &c)
	assert.Less(t, len(b), 150*n)
	t.Logf("%d bytes for each question", len(b)/n)
	assert.Equal(t, string(b), string(store(t, load(t, b))))
}

func TestReference(t *testing.T) {
	const canonical = `{"protocol":"appwrite.clarify/v1","prompts":[{"id":"approve","kind":"confirm","question":"Delete the temporary bucket?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":true}]}`
	formula := func(run string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(run+canonical)))[:32] }
	for run, inJSON := range map[string]string{"r1": `"r1"`, "a\"b\n<é>\u2028": `"a\"b\n<é>` + "\u2028\"", "\xff": "\"\ufffd\""} {
		want := formula(inJSON)
		ev := resultEvent(t, run, aboutTemporary)
		assert.Equal(t, want, ev.Reference())
		onBothSides(t, func(t *testing.T, c *clarify.Conversation, ask asker) {
			assert.Empty(t, c.Reference())
			ask(run, aboutTemporary)
			assert.Equal(t, want, c.Reference())
			assert.Equal(t, want, load(t, store(t, c)).Reference())
		})
		// However the output was written.
		ev.Output = " " + strings.ReplaceAll(ev.Output, `":`, "\": ")
		assert.Equal(t, want, ev.Reference())
		var c clarify.Conversation
		_, err := c.Event(ev)
		require.NoError(t, err)
		assert.Equal(t, want, c.Reference())
	}
	// Known bytes, so that it cannot change together with the formula.
	assert.Equal(t, "04a3794d371608499532dc56d5320450", resultEvent(t, "r1", aboutTemporary).Reference())
	assert.NotEqual(t, formula(`"r1"`), resultEvent(t, "r1", aboutProduction).Reference())
	for _, ev := range []clarify.Event{{}, toolEnd("done"), toolEnd(canonical), {Type: clarify.EventToolEnd, Tool: clarify.ToolName, RunID: "r1", Failed: true, Output: canonical}, {Type: "message", Tool: clarify.ToolName, RunID: "r1", Output: canonical}} {
		assert.Empty(t, ev.Reference(), "%+v", ev)
	}
}

// TestAnswersFor: the reference is in the JSON of answers, and nowhere else.
func TestAnswersFor(t *testing.T) {
	const plain = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"approve","kind":"confirm","confirmed":true}]}`
	const withFor = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"approve","kind":"confirm","confirmed":true}],"for":"r\"1"}`
	a, err := clarify.ParseAnswers(withFor)
	require.NoError(t, err)
	assert.Equal(t, `r"1`, a.For)
	assert.Empty(t, a.Skipped, "it is not text beside the answers")
	b, err := a.AppendJSON(nil)
	require.NoError(t, err)
	assert.Equal(t, withFor, string(b), "it is the last member")
	assert.Equal(t, withFor, marshal(t, a))
	var again clarify.Answers
	require.NoError(t, json.Unmarshal(b, &again))
	assert.Equal(t, a, again)
	assert.Equal(t, "approve: confirmed", a.Summary())
	a.For = ""
	b, err = a.AppendJSON(nil)
	require.NoError(t, err)
	assert.Equal(t, plain, string(b))

	for text, want := range map[string]string{`"x"`: "x", `"\u0078"`: "x", `""`: "", "null": "", "7": "", "[]": "", "{}": ""} {
		message := strings.TrimSuffix(plain, "}") + `,"for":` + text + "}"
		a, err := clarify.ParseAnswers(message)
		require.NoError(t, err, message)
		assert.Equal(t, want, a.For, message)
		assert.Empty(t, a.Skipped, message)
		// An envelope by itself does not look at it.
		r := aboutTemporary.Read(message)
		assert.True(t, r.Proceed(), message)
		assert.Empty(t, r.Remainder(), message)
	}
	flag := strings.TrimSuffix(plain, "}") + `,"for":true}`
	a, err = clarify.ParseAnswers(flag)
	require.NoError(t, err)
	assert.Empty(t, a.For)
	assert.Equal(t, []clarify.Skipped{{Part: clarify.PartField, Path: "answers", Code: clarify.CodeUnknownKey}}, a.Skipped)
	assert.False(t, aboutTemporary.Read(flag).Proceed())
	assert.Equal(t, "for: true", aboutTemporary.Read(flag).Remainder())
	// What could be a word of the user is beside the answers; so is a key that only looks like it.
	for _, member := range []string{`"for":["wait"]`, `"for":{"a":"wait"}`, `"For":"wait"`, `"for ":"wait"`} {
		message := strings.TrimSuffix(plain, "}") + "," + member + "}"
		var c clarify.Conversation
		_, err := c.Ask("r1", aboutTemporary)
		require.NoError(t, err)
		r := c.Message(message)
		assert.False(t, r.Proceed(), message)
		assert.Contains(t, r.Remainder(), "wait", message)
		assert.False(t, c.Use(aboutTemporary), message)
	}
	// Twice it says nothing.
	var c clarify.Conversation
	_, err = c.Ask("r1", aboutTemporary)
	require.NoError(t, err)
	reference := quoted(c.Reference())
	r := c.Message(strings.TrimSuffix(plain, "}") + `,"for":"x","for":` + reference + "}")
	assert.False(t, r.Proceed())
	checkViolations(t, r.Violations(), "duplicate_key at answers")
	assert.False(t, c.Use(aboutTemporary))
}

// TestFormFor: a page sends the reference in a hidden field.
func TestFormFor(t *testing.T) {
	assert.Equal(t, "for", clarify.FormFor)
	var c clarify.Conversation
	_, err := c.Event(resultEvent(t, "r1", aboutTemporary))
	require.NoError(t, err)
	form := map[string][]string{clarify.FormFor: {c.Reference()}, c.Pending().Prompts[0].FormName(): {clarify.FormConfirmed}}
	answers, blocked := c.Pending().FormAnswers(form)
	require.Empty(t, blocked)
	assert.Equal(t, c.Reference(), answers.For)
	message, err := answers.AppendJSON(nil)
	require.NoError(t, err)
	assert.True(t, c.Message(string(message)).Proceed())
	for _, values := range [][]string{nil, {}, {""}} {
		form[clarify.FormFor] = values
		answers, blocked = aboutTemporary.FormAnswers(form)
		assert.Empty(t, blocked)
		assert.Empty(t, answers.For)
	}
	// No prompt can have the name of this field.
	assert.NotEqual(t, clarify.FormFor, confirm("for", "?", false).FormName())
}
