package main

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/creack/pty"
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
	notes     = `{"id":"notes","kind":"text","question":"Any notes?","multiline":true}`
)

// A step is what must stand on the screen, and what is typed then.
type step struct{ sees, types string }

// A form is answered by keystrokes; the message, and what it means, is wanted.
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
		{"a second Enter does not answer the next page", []string{choice, optional2, name}, []step{
			{"Which bucket?", enter + enter}, {"Which region?", ""}, {"(2/3)", down}, {"> 2. Paris", enter}, {"What name?", "x" + enter},
		}, `{"id":"bucket","kind":"choice","values":["avatars"]},{"id":"region","kind":"choice","values":["paris"]},{"id":"name","kind":"text","value":"x"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, envelope(tt.prompts...))
			for _, step := range tt.steps {
				s.sees(step.sees)
				s.types(step.types)
			}
			stdout, status := s.ends()
			if tt.answers == "" {
				if stdout != "" || status != 1 || !strings.Contains(s.show(), "nothing was answered") {
					t.Fatalf("got %q, status %d:\n%s", stdout, status, s.show())
				}
				return
			}
			want := `{"protocol":"appwrite.clarify/v1","answers":[` + tt.answers + "]}\n"
			if stdout != want || status != 0 {
				t.Fatalf("status %d\n got %s\nwant %s", status, stdout, want)
			}
			checkReply(t, envelope(tt.prompts...), stdout, tt.proceed)
		})
	}
}

const optional2 = `{"id":"region","kind":"choice","question":"Which region?","options":[{"id":"oslo","label":"Oslo"},{"id":"paris","label":"Paris"}]}`

// checkReply reads the message as an engine does.
func checkReply(t *testing.T, envelope, message string, proceed bool) *clarify.Reply {
	t.Helper()
	e, err := clarify.Parse(envelope)
	if err != nil {
		t.Fatal(err)
	}
	reply := e.Read(message)
	if v := reply.Violations(); len(v) > 0 || reply.Source() != clarify.SourceStructured {
		t.Errorf("%v reply with violations %v", reply.Source(), v)
	}
	if reply.Proceed() != proceed {
		t.Errorf("Proceed() = %v", reply.Proceed())
	}
	return reply
}

// An interrupt sends nothing, whatever was answered before and wherever the
// focus is.
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
			{"SIGINT", func(s *session) { s.signal(syscall.SIGINT) }},
			{"SIGTERM", func(s *session) { s.signal(syscall.SIGTERM) }},
		} {
			t.Run(tt.name+" by "+by.name, func(t *testing.T) {
				t.Parallel()
				s := start(t, envelope(tt.prompts...))
				for _, step := range tt.steps {
					s.sees(step.sees)
					s.types(step.types)
				}
				by.does(s)
				stdout, status := s.ends()
				if stdout != "" || status != 130 || !strings.Contains(s.show(), "interrupted") {
					t.Fatalf("got %q, status %d:\n%s", stdout, status, s.show())
				}
			})
		}
	}
}

// A terminal that goes away has answered nothing.
func TestHangUp(t *testing.T) {
	s := start(t, envelope(deletion))
	s.sees("> Keep it")
	s.types(down)
	s.sees("> Delete")
	s.pty.Close()
	if stdout, status := s.ends(); stdout != "" || status == 0 {
		t.Fatalf("got %q, status %d", stdout, status)
	}
}

// Labels that say the opposite do not hide which is which.
func TestDisguisedButtons(t *testing.T) {
	s := start(t, envelope(`{"id":"sure","kind":"confirm","danger":true,"required":false,"question":"Sure?","confirmLabel":"(no answer)","cancelLabel":"Confirm"}`))
	s.sees("> (no answer)\n")
	s.sees("Confirm (cancels)")
	s.sees("(no answer) (confirms)")
	s.types(enter)
	if stdout, status := s.ends(); stdout != "" || status != 1 {
		t.Fatalf("got %q, status %d", stdout, status)
	}
}

// Options with the same label are told apart.
func TestEqualLabels(t *testing.T) {
	s := start(t, envelope(`{"id":"a","kind":"choice","allowMultiple":true,"question":"Which?","options":[{"id":"one","label":"Same"},{"id":"two","label":"Same"},{"id":"three","label":"Same"}]}`))
	s.sees("Which?")
	s.types(down, down)
	s.sees("> [ ] 3. Same")
	s.types(space)
	s.sees("> [•] 3. Same")
	s.types(enter)
	if stdout, _ := s.ends(); !strings.Contains(stdout, `"values":["three"]`) {
		t.Fatalf("got %s", stdout)
	}
}

// All that a valid envelope may hold is on the screen, or comes there with the
// cursor.
func TestLongest(t *testing.T) {
	word := func(n int) string { return strings.Repeat("word ", n/len("word ")-1) }
	var list []string
	for i := range clarify.MaxOptions {
		list = append(list, fmt.Sprintf(`{"id":"o%d","label":"option","description":"%send%d"}`, i, word(clarify.MaxDescription-1), i))
	}
	for _, kind := range []string{`"allowMultiple":true`, `"allowMultiple":false`} {
		s := start(t, envelope(fmt.Sprintf(`{"id":"a","kind":"choice","question":"%sasked?","hint":"%shinted.",%s,"options":[%s]}`,
			word(clarify.MaxQuestion-1), word(clarify.MaxHint-2), kind, strings.Join(list, ","))))
		s.sees("asked?")
		s.sees("hinted.")
		for i := range clarify.MaxOptions {
			s.sees(fmt.Sprintf("end%d", i))
			s.types(down)
		}
		s.types(ctrlC)
		s.ends()
	}
}

// A terminal that cannot hold the question gets it as plain text, of which
// nothing is lost.
func TestTooSmall(t *testing.T) {
	long := `{"id":"sure","kind":"confirm","danger":true,"question":"Start. ` + strings.Repeat("And more. ", 48) + `End?"}`
	for _, size := range []pty.Winsize{{Rows: 10, Cols: 80}, {Rows: 24, Cols: 20}, {}} {
		s := startSize(t, size, envelope(long))
		s.typesWhenWritten("Type confirmed (Confirm) or cancelled (Cancel): ", "confirmed\n")
		stdout, status := s.ends()
		if status != 0 {
			t.Fatalf("status %d: %s", status, s.written())
		}
		checkReply(t, envelope(long), stdout, true)
		if w := s.written(); !strings.Contains(w, "DANGER: Start. ") || !strings.Contains(w, " End?") || strings.Contains(w, "\x1b") {
			t.Errorf("wrote %q", w)
		}
	}
}

// What a question holds cannot act on the terminal, and is seen.
func TestHostile(t *testing.T) {
	const (
		title    = "\x1b]0;owned\x07"
		clear    = "\x1b[2J\x1b[H"
		color    = "\x1b[42m"
		c1       = "\u009b31m"
		override = "\u202egnp.exe\u2066"
	)
	json := func(s string) string { return strings.Trim(fmt.Sprintf("%+q", s), `"`) }
	escape := strings.NewReplacer(`\x1b`, `\u001b`, `\a`, `\u0007`)
	hostile := escape.Replace(json("Keep it? " + title + clear + color + c1 + override))
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
				s.sees(`\u202egnp.`)
				s.sees("End")
				s.types(ctrlC)
				s.ends()
				for _, bad := range []string{title, "owned\x07", clear, color, c1, "\u009b", "\u202e", "\u2066"} {
					if strings.Contains(s.written(), bad) {
						t.Errorf("wrote %q:\n%q", bad, s.written())
					}
				}
			})
		}
	}
}

// A default that would look different from what is sent is not filled in.
func TestHiddenDefault(t *testing.T) {
	s := start(t, envelope(`{"id":"a","kind":"text","question":"Name?","required":false,"defaultValue":"main\u202egnp"}`))
	s.sees("Name?")
	s.types(enter)
	if stdout, status := s.ends(); stdout != "" || status != 1 {
		t.Fatalf("got %q, status %d", stdout, status)
	}
}

// No key starts another program.
func TestNoEditor(t *testing.T) {
	s := start(t, envelope(notes), "EDITOR=false")
	s.sees("Any notes?")
	s.types("x", ctrlE, "y")
	s.sees("xy")
	if s.sees("new line"); strings.Contains(s.show(), "editor") {
		t.Errorf("offers an editor:\n%s", s.show())
	}
	s.types(enter)
	if stdout, _ := s.ends(); !strings.Contains(stdout, `"value":"xy"`) {
		t.Errorf("got %s", stdout)
	}
}

// A text that huh may have cut is not sent.
func TestTooManyLines(t *testing.T) {
	s := start(t, envelope(notes))
	s.sees("Any notes?")
	s.types("\x1b[200~" + strings.Repeat("line\n", 200) + "\x1b[201~")
	s.sees("line")
	s.types(enter)
	s.sees("want at most 98 lines")
	s.types(ctrlC)
	if stdout, _ := s.ends(); stdout != "" {
		t.Fatalf("got %q", stdout)
	}
}

// setsColor matches an SGR sequence that sets a colour, after those that end
// with a reset or an attribute.
var setsColor = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m`)

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		env   string
		color bool
	}{
		{"NO_COLOR=", true}, // empty is not set
		{"NO_COLOR=1", false},
		{"NO_COLOR=yes", false},
	} {
		s := start(t, envelope(deletion), tt.env)
		s.sees("DANGER: Delete it all?")
		s.types(down)
		s.sees("> Delete")
		s.types(enter)
		stdout, _ := s.ends()
		checkReply(t, envelope(deletion), stdout, true)
		if got := setsColor.FindString(s.written()); (got != "") != tt.color {
			t.Errorf("%s: wrote the colour %q", tt.env, got)
		}
	}
}

// The message is all that is on standard output, and the form is gone from the
// screen when it is sent.
func TestLeavesTheScreen(t *testing.T) {
	s := start(t, envelope(choice))
	s.sees("> 1. Avatars")
	s.types(enter)
	s.ends()
	if got, want := strings.TrimSpace(s.show()), "bucket: avatars"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}
