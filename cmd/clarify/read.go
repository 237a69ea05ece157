package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/clarifytest"
)

var read = &command{
	name:  "read",
	usage: "read [-json] envelope message",
	short: "say what a message answers to a question, and what the model hears",
	long: `
Read reads a question from the first file (an envelope, an event or the arguments of a
call) and the user's next message from the second one, and says what the message
answers. One of them may be -, the standard input. The message is the whole file, with a
line break at its end if there is one.

With -json, it prints the reply as testdata/vectors/reply.jsonl has it.

The exit status is 1 if the question cannot be shown.`,
	run: runRead,
}

func runRead(c *call) int {
	asJSON := c.flags.Bool("json", false, "print JSON")
	if code, ok := c.parse(2, 2); !ok {
		return code
	}
	if c.args[0] == "-" && c.args[1] == "-" {
		return c.fail(errors.New("only one of the two can be the standard input"))
	}
	data, err := c.readFile(c.args[0])
	if err != nil {
		return c.fail(err)
	}
	message, err := c.readFile(c.args[1])
	if err != nil {
		return c.fail(err)
	}
	e, err := question(data)
	if err != nil {
		return c.refuse(c.args[0], err)
	}
	r := e.Read(string(message))
	if *asJSON {
		fmt.Fprintln(c.stdout, clarifytest.ReplyJSON(e, r))
		return 0
	}
	yes := map[bool]string{true: "yes", false: "no"}
	fmt.Fprintf(c.stdout, "source:    %s\nstate:     %s\nproceed:   %s\n", r.Source(), r.State(), yes[r.Proceed()])
	for _, ev := range r.Evidence() {
		answer := clarify.Answers{Answers: []clarify.Answer{ev.Answer}}
		c.text("", "answer:    %s", answer.Summary())
		c.text("           ", "%s, "+string(ev.Rule), ev.Path)
	}
	for _, p := range e.Prompts {
		if p.Kind() == clarify.KindConfirm {
			c.text("", "decision:  %s "+r.Decision(p.ID).String(), p.ID)
		}
	}
	for _, id := range r.Missing() {
		c.text("", "missing:   %s", id)
	}
	for _, v := range r.Violations() {
		fmt.Fprintf(c.stdout, "violation: %s\n", problem(v))
	}
	if s := r.Remainder(); s != "" {
		c.text("", "remainder: %s", s)
	}
	fmt.Fprint(c.stdout, "\nThe model hears:\n")
	for line := range strings.Lines(r.ForModel()) {
		io.WriteString(c.stdout, "    "+escape(strings.TrimSuffix(line, "\n"))+"\n")
	}
	return 0
}
