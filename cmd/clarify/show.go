package main

import (
	"errors"
	"fmt"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

var show = &command{
	name:  "show",
	usage: "show [file]",
	short: "print a question as a person would see it",
	long: `
Show reads an envelope, an event or the arguments of a call from the file, or from
standard input, and prints the question as a Console would show it, and what it would
leave out. What cannot be seen, or changes how other text is seen, is printed as an escape.

The exit status is 1 if there is nothing to show.`,
	run: runShow,
}

func runShow(c *call) int {
	if code, ok := c.parse(0, 1); !ok {
		return code
	}
	file := append(c.args, "-")[0]
	data, err := c.readFile(file)
	if err != nil {
		return c.fail(err)
	}
	e, err := question(data)
	var empty *clarify.EmptyError
	if errors.As(err, &empty) {
		c.left(empty.Skipped)
	}
	if err != nil {
		return c.refuse(file, err)
	}
	if e.Title != "" {
		c.text("", "= %s =", e.Title)
	}
	for i, p := range e.Prompts {
		if i > 0 || e.Title != "" {
			fmt.Fprintln(c.stdout)
		}
		c.prompt(i+1, p)
	}
	c.left(e.Skipped)
	for _, v := range e.Lint() {
		c.text("", "\nwarning: %s", problem(v).String())
	}
	return 0
}

// text prints foreign text in a line of ours, which a line break in it cannot leave.
func (c *call) text(indent, format, foreign string) {
	fmt.Fprintf(c.stdout, indent+format+"\n", indented(foreign, indent+"    "))
}

func (c *call) prompt(number int, p clarify.Prompt) {
	c.text("", fmt.Sprintf("%d. %%s", number), p.Question)
	about := []string{string(p.Kind())}
	if p.Optional {
		about = append(about, "optional")
	}
	switch in := p.Input.(type) {
	case *clarify.Choice:
		if in.AllowMultiple {
			about = append(about, "several may be chosen")
		}
	case *clarify.Confirm:
		if in.Danger {
			about = append(about, "DANGER")
		}
	}
	c.text("   ", "(%s, "+strings.Join(about, ", ")+")", p.ID)
	if p.Hint != "" {
		c.text("   ", "hint: %s", p.Hint)
	}
	switch in := p.Input.(type) {
	case *clarify.Choice:
		for i, o := range in.Options {
			c.text("   ", fmt.Sprintf("%d) %%s", i+1), o.Label)
			c.text("      ", "id: %s", o.ID)
			if o.Description != "" {
				c.text("      ", "description: %s", o.Description)
			}
		}
	case *clarify.Confirm:
		c.text("   ", "[confirms] %s", in.ConfirmLabel)
		c.text("   ", "[cancels]  %s", in.CancelLabel)
	case *clarify.Text:
		if in.Placeholder != "" {
			c.text("   ", "for example: %s", in.Placeholder)
		}
		if in.DefaultValue != "" {
			c.text("   ", "filled in: %s", in.DefaultValue)
		}
		if in.Multiline {
			fmt.Fprintln(c.stdout, "   in several lines")
		}
	}
}

// left prints what a Console leaves out.
func (c *call) left(list []clarify.Skipped) {
	for i, s := range list {
		if i == 0 {
			fmt.Fprint(c.stdout, "\nA Console leaves this out or replaces it:\n")
		}
		fmt.Fprintf(c.stdout, "    %s\n", escape(s.String()))
	}
}
