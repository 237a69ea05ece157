package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// askPlain asks e line by line. It returns the answers that it read before the
// input ended.
func askPlain(ctx context.Context, e *clarify.Envelope, in io.Reader, out io.Writer) (answers clarify.Answers, err error) {
	w := &writer{w: out}
	if e.Title != "" {
		w.printf("%s\n", harmless(e.Title))
	}
	for i := 0; i < len(e.Prompts); {
		if err := ctx.Err(); err != nil {
			return clarify.Answers{}, err
		}
		p := e.Prompts[i]
		w.question(p)
		if w.err != nil {
			return clarify.Answers{}, w.err // the question was not shown, so it was not asked
		}
		line, err := readAnswer(p, in)
		if errors.Is(err, io.EOF) {
			w.printf("\n")
			break
		}
		if err != nil {
			return clarify.Answers{}, err
		}
		answer, err := read(p, line)
		if err != nil {
			w.printf("Not an answer: %v.\n", err)
			if isTerminal(in) {
				continue // ask again
			}
		}
		if answer != nil {
			answers.Answers = append(answers.Answers, clarify.Answer{ID: p.ID, Payload: answer})
		}
		if isCancel(answer) {
			break // after a cancel no other answer is required
		}
		i++
	}
	return answers, nil
}

// question writes the question and how to answer it.
func (w *writer) question(p clarify.Prompt) {
	w.printf("\n%s\n", heading(p))
	if p.Hint != "" {
		w.printf("%s\n", harmless(p.Hint))
	}
	switch in := p.Input.(type) {
	case *clarify.Choice:
		for _, line := range optionLines(in) {
			w.printf("  %s\n", line)
		}
		if in.AllowMultiple {
			w.printf("One or more, with commas between: ")
		} else {
			w.printf("One of them: ")
		}
	case *clarify.Confirm:
		w.printf("Type confirmed (%s) or cancelled (%s): ", harmless(in.ConfirmLabel), harmless(in.CancelLabel))
	case *clarify.Text:
		if in.Placeholder != "" {
			w.printf("For example: %s\n", harmless(in.Placeholder))
		}
		if in.DefaultValue != "" {
			w.printf("Suggested, but not filled in: %s\n", harmless(in.DefaultValue))
		}
		if in.Multiline {
			w.printf("End with a line that is only a dot:\n")
		} else {
			w.printf("Text: ")
		}
	}
}

// readAnswer reads one line. If the answer is a text of several lines, it reads
// all lines before the dot.
func readAnswer(p clarify.Prompt, in io.Reader) (string, error) {
	text, isText := p.Input.(*clarify.Text)
	if !isText || !text.Multiline {
		return readLine(in)
	}
	var lines []string
	for {
		line, err := readLine(in)
		if err != nil {
			return "", err
		}
		if line == "." {
			return strings.Join(lines, "\n"), nil
		}
		lines = append(lines, line)
	}
}

// readLine reads byte by byte, so that it leaves the next lines to whoever reads
// next. A line without an end may have been cut, so it is io.EOF.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := in.Read(b)
		switch {
		case n == 1 && b[0] == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case n == 1 && len(line) == clarify.MaxSize:
			return "", fmt.Errorf("terminal: a line of more than %d bytes", clarify.MaxSize)
		case n == 1:
			line = append(line, b[0])
		case err != nil:
			return "", err
		}
	}
}

// read reads line as the answer to p. A text is taken as it is. Other answers
// follow the rules for replies in words.
func read(p clarify.Prompt, line string) (clarify.Payload, error) {
	if _, isText := p.Input.(*clarify.Text); isText || strings.TrimSpace(line) == "" {
		return judge(p, line)
	}
	answer, err := p.Answer(line)
	switch {
	case err == nil:
		return answer, nil
	case p.Kind() == clarify.KindConfirm:
		return nil, errors.New("want confirmed or cancelled")
	}
	return nil, errors.New("want an option by its number or its label")
}

// A writer keeps its first error and writes nothing after it.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format, args...)
	}
}
