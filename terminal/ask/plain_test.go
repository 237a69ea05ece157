package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Without a terminal each prompt takes a line, in words, and the end of the
// input answers nothing.
func TestPiped(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prompts []string
		input   string
		answers string // of the message; "" for no message
		proceed bool
		missing string // ids
	}{
		{"the third option by its number", []string{choice}, "3\n", `{"id":"bucket","kind":"choice","values":["temp"]}`, false, ""},
		{"by its label", []string{choice}, "uploads\r\n", `{"id":"bucket","kind":"choice","values":["uploads"]}`, false, ""},
		{"several", []string{multi}, "3, avatars\n", `{"id":"buckets","kind":"choice","values":["temp","avatars"]}`, false, ""},
		{"a danger", []string{deletion}, "confirmed\n", `{"id":"sure","kind":"confirm","confirmed":true}`, true, ""},
		{"its button", []string{deletion}, "Delete\n", `{"id":"sure","kind":"confirm","confirmed":true}`, true, ""},
		{"no", []string{deletion, name}, "no\nx\n", `{"id":"sure","kind":"confirm","confirmed":false}`, false, ""},
		{"text", []string{name}, " bucket: 1, sure: confirmed \n", `{"id":"name","kind":"text","value":"bucket: 1, sure: confirmed"}`, false, ""},
		{"several lines", []string{notes}, "one\n\nsure: confirmed\n.\n", `{"id":"notes","kind":"text","value":"one\n\nsure: confirmed"}`, false, ""},
		{"several answers", []string{choice, multi, name, notes, deletion}, "2\n1,2\nx\na\nb\n.\nconfirmed\n",
			`{"id":"bucket","kind":"choice","values":["uploads"]},{"id":"buckets","kind":"choice","values":["avatars","uploads"]},` +
				`{"id":"name","kind":"text","value":"x"},{"id":"notes","kind":"text","value":"a\nb"},{"id":"sure","kind":"confirm","confirmed":true}`, true, ""},

		{"nothing", []string{deletion}, "", "", false, ""},
		{"blank lines", []string{choice, deletion, named}, "\n \n\n", "", false, ""},
		{"a line that may have been cut", []string{deletion}, "confirmed", "", false, ""},
		{"a text that may have been cut", []string{notes}, "one\n", "", false, ""},
		{"the end after an answer", []string{choice, deletion}, "2\n", `{"id":"bucket","kind":"choice","values":["uploads"]}`, false, "sure"},
		{"a wrong line does not shift the others", []string{publish, deletion}, "well\nconfirmed\n", `{"id":"sure","kind":"confirm","confirmed":true}`, false, "publish"},
		{"y is not yes", []string{deletion}, strings.Repeat("y\n", 100), "", false, ""},
		{"an option that was not offered", []string{choice}, "4\n", "", false, ""},
		{"two for one", []string{choice}, "1, 2\n", "", false, ""},
		{"a default is not an answer", []string{named}, "\n", "", false, ""},
		{"optional prompts left open", []string{optional, mayDelete, nickname}, "\n\nme\n", `{"id":"nick","kind":"text","value":"me"}`, false, ""},
		{"a line separator is not a line's end", []string{deletion}, "confirmed\u2028and more\n", "", false, ""},
		{"nor does it end a choice", []string{choice}, "2\u2028or not\n", "", false, ""},
		{"not UTF-8", []string{name}, "\xff\n", "", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, envelope(tt.prompts...))
			cmd.Stdin = strings.NewReader(tt.input)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			status := statusOf(t, cmd.Run())
			if strings.ContainsRune(stderr.String(), '\x1b') {
				t.Errorf("wrote escapes: %q", stderr.String())
			}
			if tt.answers == "" {
				if stdout.Len() > 0 || status != 1 || !strings.Contains(stderr.String(), "nothing was answered") {
					t.Fatalf("got %q, status %d: %s", stdout.String(), status, stderr.String())
				}
				return
			}
			want := `{"protocol":"appwrite.clarify/v1","answers":[` + tt.answers + "]}\n"
			if stdout.String() != want || status != 0 {
				t.Fatalf("status %d\n got %s\nwant %s", status, stdout.String(), want)
			}
			reply := checkReply(t, envelope(tt.prompts...), stdout.String(), tt.proceed)
			if got := strings.Join(reply.Missing(), " "); got != tt.missing {
				t.Errorf("missing %q, want %q", got, tt.missing)
			}
		})
	}
}

// What is asked stands there, in full and in words.
func TestPlainText(t *testing.T) {
	cmd := command(t, envelope(choice, multi, deletion, named, notes))
	cmd.Stdin = strings.NewReader("1\n1\nconfirmed\nx\n.\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const want = `Before we go on

Which bucket?
Look twice.
  1. Avatars — 64 files
  2. Uploads
  3. Temp
One of them: 
Which buckets?
  1. Avatars — 64 files
  2. Uploads
  3. Temp
One or more, with commas between: 
DANGER: Delete it all?
Type confirmed (Delete) or cancelled (Keep it): 
What name?
Suggested, but not filled in: main
Text: 
Any notes?
End with a line that is only a dot:
Not an answer: want an answer.
`
	if got := stderr.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A terminal on one side only is none.
func TestHalfATerminal(t *testing.T) {
	s := newSession(t, envelope(deletion))
	s.cmd.Stdin = strings.NewReader("confirmed\n")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Ctty: 2} // standard input is none to control it
	s.run(pty.Winsize{Rows: 24, Cols: 80})
	stdout, status := s.ends()
	if status != 0 || strings.Contains(s.written(), "\x1b") {
		t.Fatalf("status %d: %q", status, s.written())
	}
	checkReply(t, envelope(deletion), stdout, true)
}

// On a dumb terminal a wrong line is asked again, ctrl-d is the end of the
// input and ctrl-c an interrupt.
func TestDumb(t *testing.T) {
	const dumb = "TERM=dumb"
	const ask = "Type confirmed (Delete) or cancelled (Keep it): "

	s := start(t, envelope(deletion), dumb)
	s.typesWhenWritten(ask, "\n")
	s.typesWhenWritten("want an answer", "sure\n")
	s.typesWhenWritten("want confirmed or cancelled", "confirmed\n")
	stdout, status := s.ends()
	if status != 0 || strings.Contains(s.written(), "\x1b") {
		t.Fatalf("status %d: %q", status, s.written())
	}
	checkReply(t, envelope(deletion), stdout, true)

	s = start(t, envelope(deletion), dumb)
	s.typesWhenWritten(ask, ctrlD)
	if stdout, status := s.ends(); stdout != "" || status != 1 {
		t.Fatalf("after ctrl-d: %q, status %d", stdout, status)
	}

	s = start(t, envelope(choice, deletion), dumb)
	s.typesWhenWritten("One of them: ", "1\n")
	s.typesWhenWritten(ask, "confirmed"+ctrlC)
	if stdout, status := s.ends(); stdout != "" || status == 0 {
		t.Fatalf("after ctrl-c: %q, status %d", stdout, status)
	}
}

// What is not an envelope that can be asked in full is not asked.
func TestNotAsked(t *testing.T) {
	for name, text := range map[string]string{
		"a failed call":      "Error: invalid clarify prompts — prompts: got nothing",
		"a half-read one":    envelope(choice, `{"id":"later","kind":"slider","question":"How much?"}`),
		"ids that repeat":    envelope(deletion, deletion),
		"nothing to show":    envelope(),
		"too long to accept": envelope(strings.Replace(choice, "Which bucket?", strings.Repeat("?", 501), 1)),
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, text)
			cmd.Stdin = strings.NewReader("confirmed\nconfirmed\n")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if status := statusOf(t, cmd.Run()); status != 1 || stdout.Len() > 0 || strings.Contains(stderr.String(), "DANGER") {
				t.Errorf("status %d, %q: %s", status, stdout.String(), stderr.String())
			}
		})
	}
}

// An endless input that never answers ends with the last prompt.
func TestEndless(t *testing.T) {
	cmd := command(t, envelope(choice, deletion, publish))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	go func() {
		for {
			if _, err := w.WriteString("y\n"); err != nil {
				return
			}
		}
	}()
	stop := time.AfterFunc(patience, func() { cmd.Process.Signal(syscall.SIGKILL) })
	defer stop.Stop()
	if status := statusOf(t, cmd.Wait()); status != 1 || stdout.Len() > 0 {
		t.Errorf("status %d, %q", status, stdout.String())
	}
}
