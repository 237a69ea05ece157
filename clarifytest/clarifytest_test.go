package clarifytest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clarify-protocol/clarify-go/internal/conformance"
	"github.com/clarify-protocol/clarify-go/testdata/vectors"
)

// TestRules: every group of vectors has a rule, and every rule has vectors.
func TestRules(t *testing.T) {
	rules := map[string]bool{}
	data, err := vectors.Files.ReadFile("rules.jsonl")
	require.NoError(t, err)
	for text := range bytes.Lines(data) {
		var l struct{ File, Group, Rule string }
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&l), "%s", text)
		key := l.File + " " + l.Group
		assert.False(t, rules[key], "%s stands twice", key)
		assert.True(t, strings.HasSuffix(l.Rule, "."), "%s is no sentence: %s", key, l.Rule)
		rules[key] = true
	}
	groups := map[string]bool{}
	counts := map[Suite]int{}
	for _, v := range Vectors() {
		assert.NotEmpty(t, v.Rule, "%s %s", v.Suite, v.Name)
		file := v.Suite
		if file == Summary {
			file = Answers
		}
		groups[string(file)+".jsonl "+group(v.Name)] = true
		counts[v.Suite]++
		if v.Suite == Reply { // a key that is there twice would not show
			assert.NoError(t, conformance.CheckKeys[reply]([]byte(v.want)), v.Name)
		}
	}
	assert.Equal(t, groups, rules)
	for _, s := range Suites {
		assert.GreaterOrEqual(t, counts[s], 25, s)
	}
}

// check returns the names of the vectors that impl fails, and how many it passes.
func check(t *testing.T, impl Implementation) (failed []string, passed int) {
	t.Helper()
	for _, v := range Vectors() {
		f := impl.of(v.Suite)
		if f == nil {
			continue
		}
		if differences := v.Check(f(v.Input)); differences != nil {
			failed = append(failed, string(v.Suite)+"/"+v.Name)
			assert.LessOrEqual(t, len(differences), maxDifferences)
			assert.NotContains(t, differences, "")
		} else {
			passed++
		}
	}
	return failed, passed
}

// TestFaults plants one fault at a time in an implementation. The vectors of the rule that it
// breaks notice it.
func TestFaults(t *testing.T) {
	failed, passed := check(t, Library())
	require.Empty(t, failed)
	require.Greater(t, passed, 1400)

	library := Library()
	change := func(f func(string) string, old, new string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(f(s), old, new) }
	}
	reply := func(old, new string) Implementation {
		return Implementation{Reply: func(o, m string) string { return strings.ReplaceAll(library.Reply(o, m), old, new) }}
	}
	for name, fault := range map[string]struct {
		impl    Implementation
		noticed string // the start of a name
	}{
		"accepts everything":         {Implementation{Engine: change(library.Engine, "Error: ", "OK: ")}, "engine/id/"},
		"refuses everything":         {Implementation{Engine: func(string) string { return "Error: no" }}, "engine/contract/"},
		"an error of two lines":      {Implementation{Engine: change(library.Engine, "Error: ", "Error: \n")}, "engine/kind/"},
		"no defaults":                {Implementation{Engine: change(library.Engine, `,"required":true`, "")}, "engine/required/"},
		"a default of its own":       {Implementation{Console: change(library.Console, `"confirmLabel":"Confirm"`, `"confirmLabel":"OK"`)}, "console/confirmLabel/"},
		"trims the default value":    {Implementation{Console: change(library.Console, `"defaultValue":" `, `"defaultValue":"`)}, "console/defaultValue/"},
		"an envelope of nothing":     {Implementation{Console: change(library.Console, "null", `{"protocol":"appwrite.clarify/v1","prompts":[]}`)}, "console/foreign/"},
		"no JSON":                    {Implementation{Console: func(string) string { return "undefined" }}, "console/plain/"},
		"a string for true":          {Implementation{Answers: change(library.Answers, `"confirmed":true`, `"confirmed":"true"`)}, "answers/one/"},
		"yes for confirmed":          {Implementation{Summary: change(library.Summary, "confirmed", "yes")}, "summary/one/"},
		"confirms what is no answer": {reply(`"undecided"`, `"confirmed"`), "reply/danger/"},
		"always proceeds":            {reply(`"proceed":false`, `"proceed":true`), "reply/not-taken/"},
		"loses what else was said":   {reply(`"remainder":"`, `"remainder":"","x":"`), "reply/remainder/"},
	} {
		t.Run(name, func(t *testing.T) {
			failed, _ := check(t, fault.impl)
			found := false
			for _, name := range failed {
				found = found || strings.HasPrefix(name, fault.noticed)
			}
			assert.True(t, found, "%s: %q", fault.noticed, failed)
		})
	}
}

func TestCheck(t *testing.T) {
	v := func(want string) Vector { return Vector{Suite: Console, want: want} }
	for _, c := range []struct {
		want, got   string
		differences []string
	}{
		{`{"a":1,"b":[true,null]}`, ` {"b": [true, null], "\u0061": 1} `, nil},
		{`{"a":1}`, `{"a":1.0}`, []string{".a: got 1.0, want 1"}},
		{`{"a":"x"}`, `{"a":"y","b":2}`, []string{`.a: got "y", want "x"`, ".b: got 2, want nothing"}},
		{`{"a":"x"}`, `{}`, []string{`.a: got nothing, want "x"`}},
		{`{"a":null}`, `{}`, []string{".a: got nothing, want null"}},
		{`[1,2]`, `[1]`, []string{"the whole: got 1 elements, [1], want 2, [1,2]"}},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":{}}]}`, []string{".a[0].b: got {}, want 1"}},
		{`{"a":1}`, `[]`, []string{`the whole: got [], want {"a":1}`}},
		{`null`, `{}`, []string{"the whole: got {}, want null"}},
		{`{}`, ``, []string{`got "", which is not JSON: EOF; want {}`}},
		{`{}`, `{} {}`, []string{`got "{} {}", which is not JSON: more than one value; want {}`}},
		{`[[],[]]`, `[[],{}]`, []string{"[1]: got {}, want []"}},
	} {
		assert.Equal(t, c.differences, v(c.want).Check(c.got), "%s and %s", c.want, c.got)
	}
	many := v(`[1,2,3,4,5,6,7,8,9,10,11,12]`).Check(`[0,0,0,0,0,0,0,0,0,0,0,0]`)
	assert.Len(t, many, maxDifferences)
	assert.Nil(t, Vector{Suite: Engine}.Check("Error: no"))
	assert.Len(t, Vector{Suite: Engine}.Check("{}"), 1)
	assert.Equal(t, []string{`the call was refused: got "Error: no", want the envelope {}`}, Vector{Suite: Engine, want: "{}"}.Check("Error: no"))
	assert.Nil(t, Vector{Suite: Summary, want: "a: b"}.Check("a: b"))
	assert.Equal(t, []string{`got "a:b", want "a: b"`}, Vector{Suite: Summary, want: "a: b"}.Check("a:b"))
	assert.LessOrEqual(t, len(Input{Message: strings.Repeat("ä", 1<<20)}.String()), 510)
}
