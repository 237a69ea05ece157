// Package terminal asks an envelope on a terminal, for agents that run on the
// command line: as a form, or line by line where there is no terminal.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/term"
	clarify "github.com/clarify-protocol/clarify-go"
)

var (
	// ErrInterrupted: the user pressed ctrl-c, or the program was told to stop.
	// It is a cancel of its own: nothing is sent, nothing is confirmed.
	ErrInterrupted = errors.New("terminal: interrupted")
	// ErrNoAnswer: the input ended before the first answer, or every prompt was
	// optional and left open.
	ErrNoAnswer = errors.New("terminal: nothing was answered")
)

// Ask shows e on out, reads the answers from in and returns the user's next
// message, which is ClarifyAnswers for [clarify.Envelope.Read]. It returns a
// message with at least one answer or an error, never both. An envelope that
// is not valid is not asked; the error is that of [clarify.Envelope.Validate].
//
// If in and out are terminals, the user gets a form. Otherwise, and on a
// terminal that is dumb or too small for the questions, Ask writes them as
// plain text and reads a line for each. Input that ends, be it within a line,
// answers nothing: the prompts that are left are missing in the reply. Of input
// that is no terminal each prompt takes one line, and a wrong one is not asked
// again, so that the next line stays the next prompt's.
//
// A line is read in one go: when ctx ends, the form stops at once, plain
// reading only before the next question.
func Ask(ctx context.Context, e *clarify.Envelope, in io.Reader, out io.Writer) (message string, err error) {
	e, err = e.Normalized()
	if err != nil {
		return "", err
	}
	var answers clarify.Answers
	if isTerminal(in) && isTerminal(out) && os.Getenv("TERM") != "dumb" && fits(e, out) {
		answers, err = askForm(ctx, e, in, out)
	} else {
		answers, err = askPlain(ctx, e, in, out)
	}
	if err != nil {
		return "", err
	}
	if len(answers.Answers) == 0 {
		return "", ErrNoAnswer
	}
	b, err := answers.AppendJSON(nil)
	return string(b), err
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// judge returns the answer to p that the values are, or nil if p is optional and
// they are empty. The error says what an answer would be.
func judge(p clarify.Prompt, values ...string) (clarify.Payload, error) {
	answer, err := p.FormAnswer(values...)
	var wrong clarify.Violation
	if errors.As(err, &wrong) {
		return nil, errors.New("want " + wrong.Want)
	}
	return answer, err
}

// isCancel reports whether a confirm was cancelled.
func isCancel(answer clarify.Payload) bool {
	confirm, ok := answer.(*clarify.ConfirmAnswer)
	return ok && !confirm.Confirmed
}

// danger stands before the question of a confirm that deletes, or cannot be
// undone. It is a word, for those who see no colours.
const danger = "DANGER: "

func isDanger(p clarify.Prompt) bool {
	in, ok := p.Input.(*clarify.Confirm)
	return ok && in.Danger
}

// heading returns the question as it is shown.
func heading(p clarify.Prompt) string {
	question := harmless(p.Question)
	if isDanger(p) {
		question = danger + question
	}
	if p.Optional {
		question += " (optional)"
	}
	return question
}

// optionLines returns the options as they are shown. The numbers are those that
// a reply in words may give, and they keep equal labels apart.
func optionLines(in *clarify.Choice) []string {
	lines := make([]string, len(in.Options))
	for i, o := range in.Options {
		lines[i] = fmt.Sprintf("%d. %s", i+1, harmless(o.Label))
		if o.Description != "" {
			lines[i] += " — " + harmless(o.Description)
		}
	}
	return lines
}

// harmless returns foreign text as one line that cannot move the cursor, set a
// colour, turn the direction of the text or push what follows off the screen.
func harmless(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if isHarmful(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHarmful reports whether r is a control character or embeds, overrides or
// isolates a direction.
func isHarmful(r rune) bool {
	return unicode.IsControl(r) || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}
