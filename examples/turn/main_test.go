package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	yes = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"delete.avatars","kind":"confirm","confirmed":true}]}`

	three = `{"title":"Clean up","prompts":[
		{"id":"which","kind":"choice","question":"Which?","allowMultiple":true,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"},{"id":"c","label":"C"}]},
		{"id":"delete.uploads","kind":"confirm","question":"Delete bucket uploads?","danger":true},
		{"id":"note","kind":"text","question":"Note?","multiline":true,"required":false}]}`
)

// play runs a turn and returns what it printed.
func play(t *testing.T, arguments, input string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, turn(arguments, bufio.NewReader(strings.NewReader(input)), &out))
	return out.String()
}

func TestDeletesOnlyOnAConfirmedAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		deleted bool
	}{
		"confirmed":            {"confirmed\n", true},
		"confirmed, no LF":     {"confirmed", true},
		"confirmed, CRLF":      {"confirmed\r\n", true},
		"after a typing error": {"confirm\nconfirmed\n", true},
		"answers as JSON":      {"/say " + yes + "\n", true},
		"id line":              {"/say Delete.avatars: confirmed.\n", true},
		"cancelled":            {"cancelled\n", false},
		"end of input":         {"", false},
		"empty line":           {"\n", false},
		"empty message":        {"/say \n", false},
		"ok":                   {"ok\n", false},
		"Delete":               {"Delete\n", false},
		"yes please":           {"yes please delete it\n", false},
		"id line with yes":     {"/say delete.avatars: yes\n", false},
		"said ok":              {"/say ok\n", false},
		"said Delete":          {"/say Delete\n", false},
		"said yes please":      {"/say yes please delete it\n", false},
		"string true":          {"/say " + strings.Replace(yes, "true", `"true"`, 1) + "\n", false},
		"confirmed: \"true\"":  {"/say confirmed: \"true\"\n", false},
		"another id":           {"/say " + strings.Replace(yes, "delete.avatars", "delete.uploads", 1) + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			out := play(t, defaultCall, c.input)
			deletions, world := 0, "The agent's buckets: avatars, uploads\n"
			if c.deleted {
				deletions, world = 1, "The agent's buckets: uploads\n"
			}
			assert.Equal(t, deletions, strings.Count(out, "Deleted bucket"), out)
			assert.Equal(t, deletions, strings.Count(out, "Deleted bucket avatars."), out)
			assert.True(t, strings.HasSuffix(out, world), out)
		})
	}
}

// An answer that is sent again after it acted does nothing.
func TestAnAnswerActsOnce(t *testing.T) {
	g := newEngine()
	_, err := g.talk.Call("", []byte(defaultCall))
	require.NoError(t, err)
	_, did := g.act(yes)
	require.Equal(t, "Deleted bucket avatars.", did)
	g.buckets["avatars"] = true // somebody made it again
	_, did = g.act(yes)
	require.Equal(t, "Nothing was deleted.", did)
	require.True(t, g.buckets["avatars"])
}

// A yes deletes a bucket only if it answers exactly the engine's question whether to delete
// it, whatever else has been asked in its name.
func TestAYesToAnotherQuestionDeletesNothing(t *testing.T) {
	own := `{"prompts":[{"id":"delete.avatars","kind":"confirm","question":"Delete bucket avatars and all of its files?","hint":"This cannot be undone.","confirmLabel":"Delete","cancelLabel":"Keep it","danger":true}]}`
	for name, call := range map[string]string{
		"harmless":           strings.Replace(own, `"danger":true`, `"danger":false`, 1),
		"harmless, a danger": strings.Replace(own, "Delete bucket avatars and all of its files?", "Would you like to see more?", 1),
		"another bucket":     strings.Replace(own, "bucket avatars", "bucket uploads", 1),
		"keep and delete":    strings.Replace(own, `"Delete","cancelLabel":"Keep it"`, `"Yes, keep it","cancelLabel":"Delete"`, 1),
		"a hint":             strings.Replace(own, "This cannot be undone.", "This only archives it.", 1),
		"a title":            strings.Replace(own, `{"prompts"`, `{"title":"Nothing will be deleted","prompts"`, 1),
		"optional":           strings.Replace(own, `"danger":true`, `"danger":true,"required":false`, 1),
		"a second prompt":    strings.Replace(own, `}]}`, `},{"id":"note","kind":"text","question":"Note?","required":false}]}`, 1),
		"another id":         strings.Replace(own, "delete.avatars", "avatars", 1),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, own, call)
			g := newEngine()
			event, err := g.talk.Call("", []byte(call))
			require.NoError(t, err)
			e, err := event.Envelope()
			require.NoError(t, err)
			told, did := g.act(strings.Replace(yes, "delete.avatars", e.Prompts[0].ID, 1))
			assert.Contains(t, told, "\nproceed: yes")
			assert.Equal(t, "Nothing was deleted.", did)
			assert.Equal(t, "avatars, uploads", g.world())
		})
	}
	g := newEngine()
	_, err := g.talk.Call("", []byte(own))
	require.NoError(t, err)
	_, did := g.act(yes)
	assert.Equal(t, "Deleted bucket avatars.", did)
}

func TestAllKinds(t *testing.T) {
	out := play(t, three, "3, a\nconfirmed\none\n  delete.uploads: cancelled\n.\n")
	for _, want := range []string{
		"which: c, a\ndelete.uploads: confirmed\nnote: one\n    delete.uploads: cancelled\n",
		`{"id":"which","kind":"choice","values":["c","a"]}`,
		"Nothing was deleted.",
	} {
		assert.Contains(t, out, want)
	}
	out = play(t, three, "3\ncancelled\n")
	assert.Contains(t, out, `cancelled: "delete.uploads"`)
	assert.NotContains(t, out, "alone ends it")
	assert.NotContains(t, out, "Deleted")
	out = play(t, three, "3\n") // then the input ends
	assert.Contains(t, out, "The next user message:\n\n")
	assert.NotContains(t, out, "Deleted")
}

func TestTextMaySayCancelled(t *testing.T) {
	const call = `{"prompts":[{"id":"a","kind":"text","question":"A?"},{"id":"b","kind":"text","question":"B?"}]}`
	assert.Contains(t, play(t, call, "cancelled\nx\n"), "a: cancelled\nb: x\n")
}

func TestRefusedCall(t *testing.T) {
	var out bytes.Buffer
	require.Error(t, turn(`{"prompts":[]}`, bufio.NewReader(strings.NewReader("")), &out))
	assert.Contains(t, out.String(), "\nError: invalid clarify prompts — prompts: got 0 prompts, want 1 to 5\n")
}

func TestReadArguments(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("{\n}\n---\nconfirmed\n"))
	got, err := readArguments("-", in)
	require.NoError(t, err)
	require.Equal(t, "{\n}\n", got)
	rest, _ := in.ReadString('\n')
	assert.Equal(t, "confirmed\n", rest)
	got, err = readArguments("delete.json", in)
	assert.NoError(t, err)
	assert.Equal(t, defaultCall, got)
	_, err = readArguments("missing.json", in)
	assert.Error(t, err)
}

func TestHostileQuestionIsShownHarmlessly(t *testing.T) {
	const call = `{"prompts":[{"id":"a","kind":"text","question":"\u001b[2J\u202eA?"}]}`
	out := play(t, call, "x\n")
	assert.Contains(t, out, "\n\uFFFD[2J\uFFFDA?\n")
	assert.False(t, strings.ContainsAny(out, "\x1b\u202e"), "%q", out)
}
