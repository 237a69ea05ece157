package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
)

// show is the Console's half. It reads the event, asks the person and returns the
// next user message. If the input ends first, the message is empty.
func show(event []byte, in *bufio.Reader, out io.Writer) (string, error) {
	ev, err := clarify.ParseEvent(event)
	if err != nil {
		return "", err
	}
	var talk clarify.Conversation // of a Console; it has only the events and the messages
	envelope, err := talk.Event(ev)
	if err != nil {
		return "", err
	}
	if envelope.Title != "" {
		fmt.Fprintf(out, "== %s ==\n", safe(envelope.Title))
	}
	form := map[string][]string{clarify.FormFor: {talk.Reference()}} // in a web page: a hidden field
	for i := 0; i < len(envelope.Prompts); i++ {
		p := envelope.Prompts[i]
		values, err := ask(p, in, out)
		var say sayError
		switch {
		case errors.Is(err, io.EOF):
			return "", nil // silence is not an answer
		case errors.As(err, &say):
			return string(say), nil
		case err != nil:
			return "", err
		}
		form[p.FormName()] = values
		if _, err := p.FormAnswer(values...); err != nil {
			fmt.Fprintf(out, "  Please try again: %s\n", safe(err.Error()))
			i--
		}
		if p.Kind() == clarify.KindConfirm && values[0] == clarify.FormCancelled {
			break // after a cancel the other prompts need no answer
		}
	}
	answers, blocked := envelope.FormAnswers(form)
	if len(blocked) > 0 || len(answers.Answers) == 0 {
		return "", nil
	}
	message, err := answers.AppendJSON(nil)
	fmt.Fprintf(out, "\nYou answered:\n%s\n", safe(answers.Summary()))
	return string(message), err
}

// A sayError is a message that the person wrote instead of an answer.
type sayError string

func (e sayError) Error() string { return "the person said something else" }

// ask shows one prompt and returns the values of its form field.
func ask(p clarify.Prompt, in *bufio.Reader, out io.Writer) ([]string, error) {
	fmt.Fprintf(out, "%s", safe(p.Question))
	if p.Optional {
		fmt.Fprint(out, " (optional: Enter skips)")
	}
	fmt.Fprintln(out)
	if p.Hint != "" {
		fmt.Fprintf(out, "  %s\n", safe(p.Hint))
	}
	switch input := p.Input.(type) {
	case *clarify.Choice:
		return askChoice(input, in, out)
	case *clarify.Confirm:
		return askConfirm(input, in, out)
	case *clarify.Text:
		return askText(input, in, out)
	}
	return nil, fmt.Errorf("a prompt of kind %q", p.Kind())
}

func askChoice(c *clarify.Choice, in *bufio.Reader, out io.Writer) ([]string, error) {
	for i, o := range c.Options {
		fmt.Fprintf(out, "  %d) %s", i+1, safe(o.Label))
		if o.Description != "" {
			fmt.Fprintf(out, ": %s", safe(o.Description))
		}
		fmt.Fprintf(out, " [%s]\n", safe(o.ID))
	}
	how := "number or id"
	if c.AllowMultiple {
		how = "numbers or ids, with commas between them"
	}
	line, err := readLine(how, in, out)
	if err != nil || line == "" {
		return nil, err
	}
	parts := []string{line}
	if c.AllowMultiple {
		parts = strings.Split(line, ",")
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if n, err := strconv.Atoi(part); err == nil && 1 <= n && n <= len(c.Options) {
			part = c.Options[n-1].ID
		}
		parts[i] = part
	}
	return parts, nil
}

func askConfirm(c *clarify.Confirm, in *bufio.Reader, out io.Writer) ([]string, error) {
	confirm, cancel := cmp.Or(c.ConfirmLabel, clarify.DefaultConfirmLabel), cmp.Or(c.CancelLabel, clarify.DefaultCancelLabel)
	if c.Danger {
		fmt.Fprintln(out, "  !! DANGER: read it twice !!")
	}
	fmt.Fprintf(out, "  %s [type confirmed] or %s [type cancelled]\n", safe(confirm), safe(cancel))
	line, err := readLine(clarify.FormConfirmed+" or "+clarify.FormCancelled, in, out)
	return []string{line}, err
}

func askText(t *clarify.Text, in *bufio.Reader, out io.Writer) ([]string, error) {
	if t.Placeholder != "" {
		fmt.Fprintf(out, "  for example: %s\n", safe(t.Placeholder))
	}
	if t.DefaultValue != "" {
		fmt.Fprintf(out, "  suggested, type it to take it: %s\n", safe(t.DefaultValue))
	}
	if !t.Multiline {
		line, err := readLine("text", in, out)
		return []string{line}, err
	}
	var lines []string
	for {
		line, err := readLine(`text, "." alone ends it`, in, out)
		if err != nil {
			return nil, err
		}
		if line == "." {
			return []string{strings.Join(lines, "\n")}, nil
		}
		lines = append(lines, line)
	}
}

// readLine reads one line. The last line need not end with a line break. At the
// end of the input, the error is io.EOF.
func readLine(want string, in *bufio.Reader, out io.Writer) (string, error) {
	fmt.Fprintf(out, "  %s> ", want)
	line, err := in.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if words, ok := strings.CutPrefix(line, "/say "); ok {
		return "", sayError(words)
	}
	return line, nil
}

// safe makes foreign text harmless in a terminal. It replaces characters that are
// not printable with U+FFFD.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
