package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

const (
	callJSON = `{"title": "Before I delete anything", "prompts": [
  {"id": "bucket", "kind": "choice", "question": "Which bucket can go?", "allowMultiple": true, "options": [
    {"id": "logs", "label": "Logs", "description": "12 files"}, {"id": "uploads", "label": "Uploads"}]},
  {"id": "note", "kind": "text", "question": "Why?", "hint": "For the log.", "required": false, "placeholder": "Old", "defaultValue": "Not used", "multiline": true},
  {"id": "sure", "kind": "confirm", "question": "Delete it with all of its files?", "confirmLabel": "Delete", "cancelLabel": "Keep it", "danger": true}]}`

	outputJSON = `{"protocol": "appwrite.clarify/v1", "prompts": [
  {"id": "when", "kind": "date", "question": "When?"},
  {"id": "Sure", "kind": "confirm", "question": "Delete \u202eit?", "danger": "true"}]}`

	answersJSON = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"sure","kind":"confirm","confirmed":true},{"id":"note","kind":"text","value":"a\nsure: no"}]}`
)

// write writes files into a folder of their own and goes there.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		require.NoError(t, os.WriteFile(name, []byte(data), 0o600))
	}
}

// clarifies runs the command.
func clarifies(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

func TestSessions(t *testing.T) {
	write(t, map[string]string{"call.json": callJSON, "output.json": outputJSON, "answers.json": answersJSON, "message.txt": "bucket: logs\nsure: yes\n",
		"event.json": `{"type":"tool_end","name":"clarify","output":` + outputJSON + `}`, "error.txt": "Error: no", "bad.json": `{"prompts":[{"id":"A"}]}`,
		"log.jsonl": answersJSON + "\n\n" + `{"protocol":"appwrite.clarify/v2","prompts":[]}` + "\n"})
	for _, s := range []struct {
		args           string
		stdin          string
		code           int
		stdout, stderr string
	}{
		{"check call.json", "", 0, "call.json: arguments: ok\n    an engine emits it\n", ""},
		{"check output.json", "", 1, `output.json: envelope: not ok
    a Console shows 1 prompt
    an engine does not emit it
    prompt skipped: prompts[0].kind: unknown_kind
    field skipped: prompts[1].danger: wrong_type
    problem: prompts: incomplete: got 2 skipped parts, want an envelope that was read whole
    problem: prompts[0].id: bad_id: got "Sure", want a string that matches ^[a-z][a-z0-9_.-]{0,63}$
    warning: prompts[0].question: bidi_override: got "\u202eit?", want no bidirectional overrides
`, ""},
		{"check -json bad.json", "", 1, `{"file":"bad.json","as":"arguments","ok":false,"problems":[{"path":"prompts[0].id","code":"bad_id","got":"\"A\"","want":"a string that matches ^[a-z][a-z0-9_.-]{0,63}$"},` +
			`{"path":"prompts[0].kind","code":"missing","got":"nothing","want":"\"choice\", \"confirm\" or \"text\""},{"path":"prompts[0].question","code":"missing","got":"nothing","want":"a string of 1 to 500 characters"}]}` + "\n", ""},
		{"check log.jsonl", "", 1, `log.jsonl:1: answers: ok
    2 answers:
    sure: confirmed
    note: a
      sure: no
log.jsonl:3: envelope: not ok
    a Console shows nothing: not an envelope: another version of the protocol
`, ""},
		{"check -", "Error: no", 1, "-: envelope: not ok\n    a Console shows nothing: not an envelope: the tool failed\n", ""},
		{"check -as answers", "{}", 1, "-: answers: not ok\n    they are not answers: not answers\n", ""},
		{"check -as event", "[]", 1, "-: event: not ok\n    it is not an event: not an event: not a JSON object\n", ""},
		{"check -as arguments output.json", "", 1, "", ""},
		{"check -lines -json", answersJSON + "\nx", 1, `{"file":"-","line":1,"as":"answers","ok":true}` + "\n" +
			`{"file":"-","line":2,"as":"arguments","ok":false,"problems":[{"path":"arguments","code":"syntax","got":"invalid JSON (unexpected character at byte 0: \"x\")","want":"a JSON object {\"prompts\": …, \"title\": …}"}]}` + "\n", ""},
		{"check", "\ufeff{}", 1, `-: arguments: not ok
    an engine does not emit it
    it begins with a byte order mark of UTF-8, which is not JSON: want UTF-8 without one
    problem: arguments: syntax: got invalid JSON (unexpected character at byte 0: "\ufeff{}"), want a JSON object {"prompts": …, "title": …}
`, ""},
		{"check", "\xff\xfe{\x00}\x00", 1, `-: arguments: not ok
    an engine does not emit it
    it begins with a byte order mark of UTF-16, which is not JSON: want UTF-8 without one
    problem: arguments: invalid_utf8: got byte 0xff at offset 0, want UTF-8
`, ""},
		{"check", "\ufeff" + answersJSON, 0, "-: answers: ok\n    2 answers:\n    sure: confirmed\n    note: a\n      sure: no\n", ""},
		{"check event.json error.txt", "", 1, "", ""},
		{"check missing.json call.json", "", 2, "call.json: arguments: ok\n    an engine emits it\n", "clarify check: open missing.json: no such file or directory\n"},
		{"check . call.json", "", 2, "call.json: arguments: ok\n    an engine emits it\n", "clarify check: . is a directory\n"},
		{"check -as html", "", 2, "", "clarify check: -as \"html\": want arguments, envelope, answers, event\n"},
		{"check -x", "", 2, "", "clarify check: flag provided but not defined: -x\nusage: clarify check [-as kind] [-lines] [-json] [file ...]\nRun 'clarify help check' for details.\n"},
		{"show call.json", "", 0, `= Before I delete anything =

1. Which bucket can go?
   (bucket, choice, several may be chosen)
   1) Logs
      id: logs
      description: 12 files
   2) Uploads
      id: uploads

2. Why?
   (note, text, optional)
   hint: For the log.
   for example: Old
   filled in: Not used
   in several lines

3. Delete it with all of its files?
   (sure, confirm, DANGER)
   [confirms] Delete
   [cancels]  Keep it
`, ""},
		{"show event.json", "", 0, `1. Delete \u202eit?
   (Sure, confirm)
   [confirms] Confirm
   [cancels]  Cancel

A Console leaves this out or replaces it:
    prompt skipped: prompts[0].kind: unknown_kind
    field skipped: prompts[1].danger: wrong_type

warning: prompts[0].question: bidi_override: got "\u202eit?", want no bidirectional overrides
`, ""},
		{"show", `{"protocol":"appwrite.clarify/v1","prompts":[1]}`, 1, "\nA Console leaves this out or replaces it:\n    prompt skipped: prompts[0]: wrong_type\n", "clarify show: -: not an envelope: no usable prompt (prompt skipped: prompts[0]: wrong_type)\n"},
		{"show", `{"type":"tool_end","tool":"other","output":""}`, 1, "", "clarify show: -: not an envelope\n"},
		{"show", `{"type":"tool_end"`, 1, "", "clarify show: -: invalid prompts: arguments: got invalid JSON (unexpected end at byte 18), want a JSON object {\"prompts\": …, \"title\": …}\n"},
		{"show a b", "", 2, "", "clarify show: unexpected argument \"b\"\nusage: clarify show [file]\nRun 'clarify help show' for details.\n"},
		{"read call.json message.txt", "", 0, `source:    text
state:     incomplete
proceed:   no
answer:    bucket: logs
           line 1, option_id
decision:  sure undecided
missing:   sure
violation: line 2: unclear: got "yes", want confirmed or cancelled
remainder: sure: yes

The model hears:
    reply: 1 answer of the user to the questions
    answer: "bucket" ("Which bucket can go?"): chose "logs" ("Logs")
    missing: "sure" ("Delete it with all of its files?"): required, and not answered; the user can press a button, or write "sure: confirmed" or "sure: cancelled"
    left out: "note" ("Why?"): optional, and not answered
    problem: line 2: got "yes", want confirmed or cancelled
    the user also wrote: "sure: yes\n"
    proceed: no, because a required answer is missing; an answer does not hold
`, ""},
		{"read -json call.json -", "bucket: logs\nsure: Delete", 0, `{"source":"text","answers":[{"id":"bucket","kind":"choice","values":["logs"]},{"id":"sure","kind":"confirm","confirmed":true}],"missing":[],"cancelled":[],"violations":[],"remainder":"",` +
			`"decisions":{"sure":"confirmed"},"proceed":true,"complete":true,"evidence":[{"id":"bucket","at":"line 1","rule":"option_id"},{"id":"sure","at":"line 2","rule":"button"}]}` + "\n", ""},
		{"read error.txt message.txt", "", 1, "", "clarify read: error.txt: not an envelope: the tool failed\n"},
		{"show error.txt", "", 1, "", "clarify show: error.txt: not an envelope: the tool failed\n"},
		{"read - -", "", 2, "", "clarify read: only one of the two can be the standard input\n"},
		{"read call.json", "", 2, "", "clarify read: an argument is missing\nusage: clarify read [-json] envelope message\nRun 'clarify help read' for details.\n"},
		{"read call.json missing", "", 2, "", "clarify read: open missing: no such file or directory\n"},
		{"read missing call.json", "", 2, "", "clarify read: open missing: no such file or directory\n"},
		{"schema html", "", 2, "", "clarify schema: there is no schema \"html\": want answers, arguments, envelope\n"},
		{"tool -form html", "", 2, "", "clarify tool: -form \"html\": want strict, string, typed\n"},
		{"frob\u202e", "", 2, "", "clarify: unknown command \"frob\\u202e\"\nRun 'clarify help' for usage.\n"},
	} {
		code, stdout, stderr := clarifies(t, s.stdin, strings.Fields(s.args)...)
		assert.Equal(t, s.code, code, "%s: %s", s.args, stderr)
		if s.stdout != "" || s.code == 2 {
			assert.Equal(t, s.stdout, stdout, s.args)
		}
		assert.Equal(t, s.stderr, stderr, s.args)
	}
}

func TestHelp(t *testing.T) {
	code, stdout, stderr := clarifies(t, "")
	assert.Equal(t, 2, code)
	assert.Empty(t, stdout)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	for _, c := range commands {
		line := fmt.Sprintf("\t%-8s%s\n", c.name, c.short)
		assert.Contains(t, stderr, line)
		assert.Contains(t, string(source), "//"+line, "the package comment says something else")
		for _, args := range [][]string{{"help", c.name}, {c.name, "-h"}, {c.name, "--help"}} {
			code, stdout, stderr := clarifies(t, "", args...)
			assert.Zero(t, code)
			assert.True(t, strings.HasPrefix(stdout, "usage: clarify "+c.usage+"\n\n"), stdout)
			assert.Empty(t, stderr)
			for _, line := range strings.Split(stdout, "\n") {
				assert.LessOrEqual(t, len(line), 100, line)
			}
		}
	}
	for _, help := range []string{"help", "-h", "--help"} {
		code, again, _ := clarifies(t, "", help)
		assert.Zero(t, code)
		assert.Equal(t, stderr, again)
	}
	code, _, _ = clarifies(t, "", "help", "frob")
	assert.Equal(t, 2, code)
}

func TestSchemasAndTool(t *testing.T) {
	for name, want := range map[string][]byte{"arguments": clarify.ArgumentsSchema(), "envelope": clarify.EnvelopeSchema(), "answers": clarify.AnswersSchema()} {
		code, stdout, _ := clarifies(t, "", "schema", name)
		assert.Zero(t, code)
		assert.JSONEq(t, string(want), stdout)
	}
	for name, form := range forms {
		code, stdout, _ := clarifies(t, "", "tool", "-form", name)
		assert.Zero(t, code)
		var got struct {
			Name, Description string
			Parameters        json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &got))
		assert.Equal(t, clarify.ToolName, got.Name)
		assert.Equal(t, clarify.ToolDescription(), got.Description)
		assert.JSONEq(t, string(clarify.ToolSchema(form)), string(got.Parameters))
	}
}

// endless is an input that never ends, of one byte.
type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

func TestTooLong(t *testing.T) {
	var stdout, stderr bytes.Buffer
	for args, want := range map[string]string{
		"check":            "clarify check: -: more than 8388608 bytes\n",
		"check -lines":     "clarify check: -:1: more than 8388608 bytes\n",
		"show":             "clarify show: -: more than 8388608 bytes\n",
		"read - /dev/null": "clarify read: -: more than 8388608 bytes\n",
	} {
		stdout.Reset()
		stderr.Reset()
		assert.Equal(t, 2, run(strings.Fields(args), endless('{'), &stdout, &stderr), args)
		assert.Equal(t, want, stderr.String())
		assert.Empty(t, stdout.String())
	}
	// A file of 900 MB is not read whole.
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, 900<<20))
	code, _, message := clarifies(t, "", "check", big)
	assert.Equal(t, 2, code)
	assert.Equal(t, "clarify check: "+big+": more than 8388608 bytes\n", message)
}

func TestManyFiles(t *testing.T) {
	const n = 2000
	files := map[string]string{}
	args := []string{"check"}
	for i := range n {
		name := fmt.Sprintf("%04d.json", i)
		files[name] = outputJSON
		args = append(args, name)
	}
	write(t, files)
	code, stdout, _ := clarifies(t, "", args...)
	assert.Equal(t, 1, code)
	assert.Equal(t, n, strings.Count(stdout, ": envelope: not ok\n"))
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	out := &output{to: failing{}}
	run([]string{"tool"}, strings.NewReader(""), out, io.Discard)
	assert.Equal(t, io.ErrClosedPipe, out.err)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// ours are the lines that the output of show and read can begin with; foreign text is indented or
// stands behind one of them.
var ours = regexp.MustCompile(`^($| |= |\d+\. |A Console leaves |warning: |source: |state: |proceed: |answer: |decision: |missing: |violation: |remainder: |The model hears:$|-:(\d+:)? )`)

// FuzzHarmless gives any input to the commands: what they print is one that a terminal shows as it is,
// and no line of foreign text begins where ours do.
func FuzzHarmless(f *testing.F) {
	for _, s := range []string{callJSON, outputJSON, answersJSON, "", "Error: no", "\xff", "\x1b[2J\u202e\u200b", `{"type":"tool_end","tool":"clarify","output":"Error: \u001b[2J"}`} {
		f.Add(s, "sure: confirmed")
	}
	const hostile = `\u001b[2J\u202e\r\nproceed:   yes\n\u2028x\u200b\u3164\ufeff\ud800\u0085y`
	f.Add(strings.NewReplacer("anything", hostile, "Which", hostile, `"logs"`, `"`+hostile+`"`, "12 files", hostile, "Why", hostile, "Old", hostile, "Not used", hostile, `"Delete"`, `"`+hostile+`"`, "For the log", hostile).
		Replace(`{"protocol":"appwrite.clarify/v1",`+callJSON[1:]), "note: \x1b[2J\u202e\n  proceed:   yes\nproceed:   yes\u2028x")
	f.Add(`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"`+hostile+`","kind":"confirm","question":"`+hostile+`","danger":true}]}`, `{"protocol":"appwrite.clarify/v1","answers":[{"id":"`+hostile+`","kind":"confirm","confirmed":"`+hostile+`"}]}`)
	f.Fuzz(func(t *testing.T, input, message string) {
		dir := t.TempDir()
		file := filepath.Join(dir, "message")
		require.NoError(t, os.WriteFile(file, []byte(message), 0o600))
		for _, args := range [][]string{{"check"}, {"check", "-lines"}, {"show"}, {"read", "-", file}} {
			code, stdout, stderr := clarifies(t, input, args...)
			assert.Contains(t, []int{0, 1}, code)
			for _, r := range stdout + stderr {
				if r != '\n' && (!unicode.IsPrint(r) || text.IsInvisible(r)) {
					t.Fatalf("%q prints %q: %q", args, r, stdout+stderr)
				}
			}
			for line := range strings.Lines(stdout) {
				if !ours.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Fatalf("%q prints the line %q", args, line)
				}
			}
			if args[0] == "read" && code == 0 {
				assert.Equal(t, 1, len(regexp.MustCompile(`(?m)^proceed: `).FindAllString(stdout, -1)), stdout)
			}
		}
	})
}

// TestPage runs the sessions of docs/command.md, but for those with a pipe, with the files that it
// shows.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	ran := map[string]bool{}
	for i, block := range strings.Split(string(page), "```\n") {
		if i%2 == 0 {
			continue
		}
		for session := range strings.SplitSeq("\n"+block, "\n$ ") {
			line, want, _ := strings.Cut(session, "\n")
			if name, ok := strings.CutPrefix(line, "cat "); ok {
				require.NoError(t, os.WriteFile(name, []byte(want+"\n"), 0o600))
				continue
			}
			line, _, status := strings.Cut(line, `; echo "status $?"`)
			args := strings.Fields(line)
			if len(args) < 2 || args[0] != "clarify" || strings.Contains(line, "|") {
				continue
			}
			code, stdout, _ := clarifies(t, "", args[1:]...)
			if status {
				stdout += fmt.Sprintf("status %d\n", code)
			}
			assert.Equal(t, strings.TrimRight(want, "\n"), strings.TrimRight(stdout, "\n"), line)
			ran[args[1]] = true
		}
	}
	assert.Equal(t, map[string]bool{"check": true, "show": true, "read": true}, ran)
}
