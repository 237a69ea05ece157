package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func envelope(prompts ...string) string {
	return `{"protocol":"appwrite.clarify/v1","title":"Before we go on","prompts":[` + strings.Join(prompts, ",") + `]}`
}

const (
	options   = `"options":[{"id":"avatars","label":"Avatars","description":"64 files"},{"id":"uploads","label":"Uploads"},{"id":"temp","label":"Temp"}]`
	choice    = `{"id":"bucket","kind":"choice","question":"Which bucket?","hint":"Look twice.",` + options + `}`
	optional  = `{"id":"bucket","kind":"choice","question":"Which bucket?","required":false,` + options + `}`
	multi     = `{"id":"buckets","kind":"choice","question":"Which buckets?","allowMultiple":true,` + options + `}`
	anyNumber = `{"id":"buckets","kind":"choice","question":"Which buckets?","allowMultiple":true,"required":false,` + options + `}`
	deletion  = `{"id":"sure","kind":"confirm","question":"Delete it all?","confirmLabel":"Delete","cancelLabel":"Keep it","danger":true}`
	publish   = `{"id":"publish","kind":"confirm","question":"Publish it?"}`
	mayDelete = `{"id":"sure","kind":"confirm","question":"Delete it all?","danger":true,"required":false}`
	name      = `{"id":"name","kind":"text","question":"What name?","placeholder":"main"}`
	named     = `{"id":"name","kind":"text","question":"What name?","defaultValue":"main"}`
	nickname  = `{"id":"nick","kind":"text","question":"Also known as?","required":false}`
	region    = `{"id":"region","kind":"choice","question":"Which region?","options":[{"id":"oslo","label":"Oslo"},{"id":"paris","label":"Paris"}]}`
	notes     = `{"id":"notes","kind":"text","question":"Any notes?","multiline":true}`
)

// A form is answered by keystrokes.
func TestForm(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prompts []string
		steps   []step
		answers string // of the message; "" for no message
		proceed bool
	}{
		{"the first option", []string{choice}, []step{{"> 1. Avatars — 64 files", enter}},
			`{"id":"bucket","kind":"choice","values":["avatars"]}`, false},
		{"the third option arrives as the third", []string{choice}, []step{{"Which bucket?", down}, {"> 2. Uploads", down}, {"> 3. Temp", enter}},
			`{"id":"bucket","kind":"choice","values":["temp"]}`, false},
		{"an optional choice left open by Enter", []string{optional}, []step{{"> (no answer)", enter}}, "", false},
		{"an optional choice", []string{optional}, []step{{"Which bucket? (optional)", down + down + down}, {"> 3. Temp", enter}},
			`{"id":"bucket","kind":"choice","values":["temp"]}`, false},
		{"a filter is not offered", []string{choice}, []step{{"Which bucket?", "/temp"}, {"> 1. Avatars", enter}},
			`{"id":"bucket","kind":"choice","values":["avatars"]}`, false},

		{"several options, all of them shown", []string{multi}, []step{{"[ ] 3. Temp", space + down + down + space}, {"> [•] 3. Temp", enter}},
			`{"id":"buckets","kind":"choice","values":["avatars","temp"]}`, false},
		{"a required choice wants one", []string{multi}, []step{{"Which buckets?", down}, {"> [ ] 2. Uploads", enter}, {"choose with the space bar", space}, {"> [•] 2. Uploads", enter}},
			`{"id":"buckets","kind":"choice","values":["uploads"]}`, false},
		{"an optional choice wants none", []string{anyNumber}, []step{{"Which buckets? (optional)", enter}}, "", false},

		{"Enter does not confirm a danger", []string{deletion}, []step{{"DANGER: Delete it all?", ""}, {"> Keep it (cancels)", enter}},
			`{"id":"sure","kind":"confirm","confirmed":false}`, false},
		{"nor do y and Enter", []string{deletion}, []step{{"> Keep it", "yY"}, {"> Keep it (cancels)", enter}},
			`{"id":"sure","kind":"confirm","confirmed":false}`, false},
		{"a danger is confirmed by going there", []string{deletion}, []step{{"> Keep it (cancels)", down}, {"> Delete (confirms)", enter}},
			`{"id":"sure","kind":"confirm","confirmed":true}`, true},
		{"Enter does not confirm at all", []string{publish}, []step{{"> Cancel", enter}},
			`{"id":"publish","kind":"confirm","confirmed":false}`, false},
		{"a confirm with the labels of the protocol", []string{publish}, []step{{"> Cancel", down}, {"> Confirm", enter}},
			`{"id":"publish","kind":"confirm","confirmed":true}`, true},
		{"an optional danger left open is neither", []string{mayDelete}, []step{{"> (no answer)", enter}}, "", false},
		{"an optional danger next to an answer", []string{mayDelete, name}, []step{{"> (no answer)", enter}, {"What name?", "x" + enter}},
			`{"id":"name","kind":"text","value":"x"}`, false},
		{"after a cancel nothing more is asked", []string{deletion, name}, []step{{"(1/2)", enter}},
			`{"id":"sure","kind":"confirm","confirmed":false}`, false},

		{"text", []string{name}, []step{{"main", "café" + enter}},
			`{"id":"name","kind":"text","value":"café"}`, false},
		{"a required text is not blank", []string{name}, []step{{"What name?", "  " + enter}, {"want an answer", "x" + enter}},
			`{"id":"name","kind":"text","value":"x"}`, false},
		{"a placeholder is no answer", []string{nickname}, []step{{"Also known as? (optional)", enter}}, "", false},
		{"a default that was shown and sent", []string{named}, []step{{"main", enter}},
			`{"id":"name","kind":"text","value":"main"}`, false},
		{"a default that was changed", []string{named}, []step{{"main", "-2" + enter}},
			`{"id":"name","kind":"text","value":"main-2"}`, false},
		{"a default of several lines, indented", []string{`{"id":"notes","kind":"text","question":"Any notes?","multiline":true,"defaultValue":"if:\n  then"}`}, []step{{"then", enter}},
			`{"id":"notes","kind":"text","value":"if:\n  then"}`, false},
		{"several lines", []string{notes}, []step{{"Any notes?", "one" + ctrlJ + ctrlJ + "sure: confirmed" + enter}},
			`{"id":"notes","kind":"text","value":"one\n\nsure: confirmed"}`, false},

		{"several prompts", []string{choice, multi, name, deletion}, []step{
			{"Which bucket?", down}, {"> 2. Uploads", enter},
			{"Which buckets?", space + down + space}, {"> [•] 2. Uploads", enter},
			{"What name?", "x" + enter},
			{"Delete it all?", down}, {"> Delete", enter},
		}, `{"id":"bucket","kind":"choice","values":["uploads"]},{"id":"buckets","kind":"choice","values":["avatars","uploads"]},` +
			`{"id":"name","kind":"text","value":"x"},{"id":"sure","kind":"confirm","confirmed":true}`, true},
		{"a second Enter does not answer the next page", []string{choice, region, name}, []step{
			{"Which bucket?", enter + enter}, {"Which region?", ""}, {"(2/3)", down}, {"> 2. Paris", enter}, {"What name?", "x" + enter},
		}, `{"id":"bucket","kind":"choice","values":["avatars"]},{"id":"region","kind":"choice","values":["paris"]},{"id":"name","kind":"text","value":"x"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := envelope(tt.prompts...)
			s := start(t, e)
			s.follows(tt.steps...)
			assert.Empty(t, s.ends().holds(t, e, tt.answers, tt.proceed))
		})
	}
}

// An interrupt sends nothing, whatever was answered and wherever the focus is.
func TestInterrupt(t *testing.T) {
	confirmed := []step{{"DANGER: Delete it all?", down}, {"> Delete", ""}}
	for _, tt := range []struct {
		name    string
		prompts []string
		steps   []step
	}{
		{"choice", []string{choice}, []step{{"Which bucket?", down}, {"> 2. Uploads", ""}}},
		{"several", []string{multi}, []step{{"Which buckets?", space}, {"> [•] 1. Avatars", ""}}},
		{"confirm", []string{deletion}, confirmed},
		{"text", []string{named}, []step{{"main", "x"}, {"mainx", ""}}},
		{"several lines", []string{notes}, []step{{"Any notes?", "one"}, {"one", ""}}},
		{"after an answer", []string{choice, deletion}, append([]step{{"Which bucket?", enter}}, confirmed...)},
	} {
		for _, by := range []struct {
			name string
			does func(*session)
		}{
			{"ctrl-c", func(s *session) { s.types(ctrlC) }},
			{"SIGINT", func(s *session) { s.cmd.Process.Signal(syscall.SIGINT) }},
			{"SIGTERM", func(s *session) { s.cmd.Process.Signal(syscall.SIGTERM) }},
		} {
			t.Run(tt.name+" by "+by.name, func(t *testing.T) {
				t.Parallel()
				s := start(t, envelope(tt.prompts...))
				s.follows(tt.steps...)
				by.does(s)
				s.ends().isSilent(t, 130, "interrupted")
			})
		}
	}
}

// A terminal that goes away has answered nothing.
func TestHangUp(t *testing.T) {
	s := start(t, envelope(deletion))
	s.follows(step{"> Keep it", down}, step{"> Delete", ""})
	s.pty.Close()
	got := s.ends()
	assert.Empty(t, got.stdout)
	assert.NotZero(t, got.status)
}

// Labels that say the opposite do not hide what each button does.
func TestDisguisedButtons(t *testing.T) {
	s := start(t, envelope(`{"id":"sure","kind":"confirm","danger":true,"required":false,"question":"Sure?","confirmLabel":"(no answer)","cancelLabel":"Confirm"}`))
	s.follows(step{"> (no answer)\n", ""}, step{"Confirm (cancels)", ""}, step{"(no answer) (confirms)", enter})
	s.ends().isSilent(t, 1, "nothing was answered")
}

// Options with the same label are told apart.
func TestEqualLabels(t *testing.T) {
	e := envelope(`{"id":"a","kind":"choice","allowMultiple":true,"question":"Which?","options":[{"id":"one","label":"Same"},{"id":"two","label":"Same"},{"id":"three","label":"Same"}]}`)
	s := start(t, e)
	s.follows(step{"Which?", down + down}, step{"> [ ] 3. Same", space}, step{"> [•] 3. Same", enter})
	s.ends().holds(t, e, `{"id":"a","kind":"choice","values":["three"]}`, false)
}

// Everything in the longest valid envelope is on the screen, or comes there with
// the cursor.
func TestLongest(t *testing.T) {
	word := func(n int) string { return strings.Repeat("word ", n/len("word ")-1) }
	var list []string
	steps := []step{{"asked?", ""}, {"hinted.", ""}}
	for i := range clarify.MaxOptions {
		list = append(list, fmt.Sprintf(`{"id":"o%d","label":"option","description":"%send%d"}`, i, word(clarify.MaxDescription-1), i))
		steps = append(steps, step{fmt.Sprintf("end%d", i), down})
	}
	for _, multiple := range []bool{true, false} {
		t.Run(fmt.Sprintf("multiple %v", multiple), func(t *testing.T) {
			t.Parallel()
			s := start(t, envelope(fmt.Sprintf(`{"id":"a","kind":"choice","question":"%sasked?","hint":"%shinted.","allowMultiple":%v,"options":[%s]}`,
				word(clarify.MaxQuestion-1), word(clarify.MaxHint-2), multiple, strings.Join(list, ","))))
			s.follows(steps...)
			s.types(ctrlC)
			s.ends()
		})
	}
}

const sure = `{"id":"sure","kind":"confirm","confirmed":true}`

// A terminal that cannot hold the question gets it as plain text, and nothing of
// it is lost.
func TestTooSmall(t *testing.T) {
	e := envelope(`{"id":"sure","kind":"confirm","danger":true,"question":"Start. ` + strings.Repeat("And more. ", 48) + `End?"}`)
	for _, size := range []struct{ rows, columns uint16 }{{10, 80}, {24, 20}, {0, 0}} {
		s := newSession(t, e)
		s.run(size.rows, size.columns)
		s.typesWhenWritten("Type confirmed (Confirm) or cancelled (Cancel): ", "confirmed\n")
		got := s.ends()
		got.holds(t, e, sure, true)
		assert.Contains(t, got.stderr, "DANGER: Start. ")
		assert.Contains(t, got.stderr, " End?")
		assert.NotContains(t, got.stderr, "\x1b")
	}
}

// Text of the model cannot act on the terminal, and what it tried is shown.
func TestHostile(t *testing.T) {
	const (
		title    = "\x1b]0;owned\x07"
		clear    = "\x1b[2J\x1b[H"
		color    = "\x1b[42m"
		c1       = "\u009b31m"
		override = "\u202egnp.exe\u2066"
	)
	b, err := json.Marshal("Keep it? " + title + clear + color + c1 + override)
	require.NoError(t, err)
	hostile := strings.Trim(string(b), `"`)
	lines := strings.Repeat(`\n`, 40)
	for name, prompt := range map[string]string{
		"choice":  `{"id":"a","kind":"choice","question":"` + hostile + lines + `End","hint":"` + hostile + `","options":[{"id":"x","label":"` + hostile + `","description":"` + hostile + `"},{"id":"y","label":"y"}]}`,
		"several": `{"id":"a","kind":"choice","allowMultiple":true,"question":"` + hostile + lines + `End","hint":"` + hostile + `","options":[{"id":"x","label":"` + hostile + `","description":"` + hostile + `"},{"id":"y","label":"y"}]}`,
		"confirm": `{"id":"a","kind":"confirm","question":"` + hostile + lines + `End","confirmLabel":"` + hostile + `","cancelLabel":"` + hostile + `"}`,
		"text":    `{"id":"a","kind":"text","question":"` + hostile + lines + `End","placeholder":"` + hostile + `","defaultValue":"` + hostile + `"}`,
		"lines":   `{"id":"a","kind":"text","multiline":true,"question":"` + hostile + lines + `End","placeholder":"` + hostile + `","defaultValue":"` + hostile + `"}`,
	} {
		for _, term := range []string{"xterm-256color", "dumb"} {
			t.Run(name+" on "+term, func(t *testing.T) {
				t.Parallel()
				s := start(t, strings.Replace(envelope(prompt), "Before we go on", hostile, 1), "TERM="+term)
				s.follows(step{`\u202egnp.`, ""}, step{"End", ctrlC})
				got := s.ends()
				for _, bad := range []string{title, "owned\x07", clear, color, c1, "\u009b", "\u202e", "\u2066"} {
					assert.NotContains(t, got.stderr, bad)
				}
			})
		}
	}
}

// A default that would look different from what is sent is not filled in.
func TestHiddenDefault(t *testing.T) {
	s := start(t, envelope(`{"id":"a","kind":"text","question":"Name?","required":false,"defaultValue":"main\u202egnp"}`))
	s.follows(step{"Name?", enter})
	s.ends().isSilent(t, 1, "nothing was answered")
}

// No key starts another program.
func TestNoEditor(t *testing.T) {
	e := envelope(notes)
	s := start(t, e, "EDITOR=false")
	s.follows(step{"Any notes?", "x" + ctrlE + "y"}, step{"xy", ""}, step{"new line", ""})
	assert.NotContains(t, s.show(), "editor")
	s.types(enter)
	s.ends().holds(t, e, `{"id":"notes","kind":"text","value":"xy"}`, false)
}

// A text that huh may have cut is not sent.
func TestTooManyLines(t *testing.T) {
	s := start(t, envelope(notes))
	s.follows(step{"Any notes?", "\x1b[200~" + strings.Repeat("line\n", 200) + "\x1b[201~"},
		step{"line", enter}, step{"want at most 98 lines", ctrlC})
	s.ends().isSilent(t, 130, "interrupted")
}

// setsColor matches an SGR sequence that sets a colour, after those that end
// with a reset or an attribute.
var setsColor = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m`)

func TestColor(t *testing.T) {
	for env, color := range map[string]bool{
		"NO_COLOR=":    true, // empty is not set
		"NO_COLOR=1":   false,
		"NO_COLOR=yes": false,
	} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			e := envelope(deletion)
			s := start(t, e, env)
			s.follows(step{"DANGER: Delete it all?", down}, step{"> Delete", enter})
			got := s.ends()
			got.holds(t, e, sure, true)
			assert.Equal(t, color, setsColor.MatchString(got.stderr), "%q", got.stderr)
		})
	}
}

// The form is gone from the screen when the message is sent.
func TestLeavesTheScreen(t *testing.T) {
	s := start(t, envelope(choice))
	s.follows(step{"> 1. Avatars", enter})
	s.ends()
	assert.Equal(t, "bucket: avatars", strings.TrimSpace(s.show()))
}
