// Package terminal asks the questions of a [clarify.Envelope] on a terminal, for
// agents that run on the command line.
//
// [Ask] shows a form, or asks line by line where a form is not possible. It
// returns the user's next message, which [clarify.Envelope.Read] reads.
//
// Silence is no answer. A blank line, a default that was not sent, the end of
// the input, an interrupt and a terminal that is closed all confirm nothing.
// Enter alone never confirms.
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
	// ErrInterrupted means that the user pressed ctrl-c, or that a signal told
	// the program to stop. There is no message: nothing was confirmed and
	// nothing was cancelled.
	ErrInterrupted = errors.New("terminal: interrupted")
	// ErrNoAnswer means that no prompt was answered. The input ended before the
	// first answer, no line was an answer, or all prompts were optional and
	// left open.
	ErrNoAnswer = errors.New("terminal: nothing was answered")
)

// Ask shows e on out, reads the answers from in and returns the user's next
// message: answers as JSON, for [clarify.Envelope.Read]. It returns either a
// message with at least one answer or an error. It does not ask an invalid
// envelope; the error is then the one of [clarify.Envelope.Validate].
//
// If in and out are terminals, the user gets a form. Otherwise Ask writes the
// questions as plain text and reads one line for each. It does the same on a
// dumb terminal and on one that is too small for the questions.
//
// When the input ends, also within a line, the prompts that are left stay
// unanswered. If in is not a terminal, Ask does not repeat a prompt after a wrong
// line, so that the next line still belongs to the next prompt.
//
// When ctx ends, a form stops at once. Plain reading stops before the next
// question, because a read of a line cannot be stopped.
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

// judge reads values as the answer to p. It returns nil if p is optional and the
// values are empty. The error says what would be an answer.
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

// danger is written before the question of a dangerous confirm. It is a word
// because not everybody sees colours.
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

// optionLines returns the options as they are shown. A reply in words may use the
// numbers, and the numbers tell equal labels apart.
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

// harmless returns s as one line that cannot move the cursor, set a colour,
// change the direction of other text or push what follows off the screen.
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

// isHarmful reports whether r is a control character, or embeds, overrides or
// isolates a direction of text.
func isHarmful(r rune) bool {
	return unicode.IsControl(r) || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}
