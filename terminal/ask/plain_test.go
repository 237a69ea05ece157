package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Without a terminal each prompt takes one line, in words. The end of the input
// answers nothing.
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
			e := envelope(tt.prompts...)
			got := pipe(t, e, strings.NewReader(tt.input))
			assert.NotContains(t, got.stderr, "\x1b")
			assert.Equal(t, tt.missing, got.holds(t, e, tt.answers, tt.proceed))
		})
	}
}

// Everything that is asked is written, in full and in words.
func TestPlainText(t *testing.T) {
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
	got := pipe(t, envelope(choice, multi, deletion, named, notes), strings.NewReader("1\n1\nconfirmed\nx\n.\n"))
	assert.Zero(t, got.status)
	assert.Equal(t, want, got.stderr)
}

// There is no form unless both sides are terminals.
func TestHalfATerminal(t *testing.T) {
	e := envelope(deletion)
	s := newSession(t, e)
	s.cmd.Stdin = strings.NewReader("confirmed\n")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Ctty: 2} // standard input cannot be the controlling terminal
	s.run(24, 80)
	got := s.ends()
	got.holds(t, e, sure, true)
	assert.NotContains(t, got.stderr, "\x1b")
}

// On a dumb terminal a wrong line is asked again, ctrl-d ends the input and
// ctrl-c interrupts.
func TestDumb(t *testing.T) {
	const dumb = "TERM=dumb"
	const ask = "Type confirmed (Delete) or cancelled (Keep it): "
	e := envelope(deletion)

	s := start(t, e, dumb)
	s.typesWhenWritten(ask, "\n")
	s.typesWhenWritten("want an answer", "sure\n")
	s.typesWhenWritten("want confirmed or cancelled", "confirmed\n")
	got := s.ends()
	got.holds(t, e, sure, true)
	assert.NotContains(t, got.stderr, "\x1b")

	s = start(t, e, dumb)
	s.typesWhenWritten(ask, ctrlD)
	s.ends().isSilent(t, 1, "nothing was answered")

	s = start(t, envelope(choice, deletion), dumb)
	s.typesWhenWritten("One of them: ", "1\n")
	s.typesWhenWritten(ask, "confirmed"+ctrlC)
	got = s.ends()
	assert.Empty(t, got.stdout)
	assert.NotZero(t, got.status)
}

// An envelope that cannot be asked in full is not asked.
func TestNotAsked(t *testing.T) {
	for name, text := range map[string]string{
		"a failed call":      "Error: invalid clarify prompts — prompts: got nothing",
		"a half-read one":    envelope(choice, `{"id":"later","kind":"slider","question":"How much?"}`),
		"ids that repeat":    envelope(deletion, deletion),
		"nothing to show":    envelope(),
		"too long to accept": envelope(strings.Replace(choice, "Which bucket?", strings.Repeat("?", 501), 1)),
	} {
		t.Run(name, func(t *testing.T) {
			got := pipe(t, text, strings.NewReader("confirmed\nconfirmed\n"))
			got.isSilent(t, 1, "ask: ")
			assert.NotContains(t, got.stderr, "DANGER")
		})
	}
}

// An endless input that never answers ends with the last prompt.
func TestEndless(t *testing.T) {
	pipe(t, envelope(choice, deletion, publish), endless{}).isSilent(t, 1, "nothing was answered")
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, "y\n"), nil }
