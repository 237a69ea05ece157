// Clarify looks at what agents and Consoles say to each other in
// appwrite.clarify/v1, and holds an implementation against the test vectors.
//
// Usage:
//
//	clarify <command> [arguments]
//
// The commands are:
//
//	check   say what each side makes of an input, and every problem of it
//	show    print a question as a person would see it
//	read    say what a message answers to a question, and what the model hears
//	schema  print a JSON Schema
//	tool    print the declaration of the tool for a model
//	test    hold an engine or a Console in any language against the test vectors
//
// Run clarify help <command> for more. The page docs/command.md has a session of
// each.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// A command is one of clarify's commands. Its run returns the exit status: 0 if all is
// well, 1 if an input has a problem, 2 if the use is wrong or a file cannot be read.
type command struct {
	name, usage, short, long string
	run                      func(c *call) int
}

var commands []*command

func init() { commands = []*command{check, show, read, schema, tool, test} }

// A call is one use of a command.
type call struct {
	*command
	flags          *flag.FlagSet
	args           []string // before they are parsed, and after that what is not a flag
	stdin          io.Reader
	stdout, stderr io.Writer
}

func main() {
	out := &output{to: os.Stdout}
	code := run(os.Args[1:], os.Stdin, out, os.Stderr)
	if out.err != nil {
		fmt.Fprintln(os.Stderr, "clarify:", out.err)
		code = 2
	}
	os.Exit(code)
}

// An output keeps the first error, for the end.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	name, rest := args[0], args[1:]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		if len(rest) == 0 {
			usage(stdout)
			return 0
		}
		name, rest = rest[0], []string{"-h"}
	}
	for _, c := range commands {
		if c.name == name {
			return c.run(&call{c, flag.NewFlagSet(name, flag.ContinueOnError), rest, stdin, stdout, stderr})
		}
	}
	fmt.Fprintf(stderr, "clarify: unknown command %s\nRun 'clarify help' for usage.\n", quoteText(name))
	return 2
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Clarify looks at what agents and Consoles say to each other in appwrite.clarify/v1.\n\nUsage:\n\n\tclarify <command> [arguments]\n\nThe commands are:\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t%-8s%s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nUse \"clarify help <command>\" for more about a command.\n")
}

// parse parses the flags. There have to be least to most arguments beside them; most is
// -1 if there may be any number. If ok is false, the command ends with the code.
func (c *call) parse(least, most int) (code int, ok bool) {
	c.flags.SetOutput(io.Discard)
	err := c.flags.Parse(c.args)
	c.args = c.flags.Args()
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(c.stdout)
		return 0, false
	case err != nil:
	case len(c.args) < least:
		err = errors.New("an argument is missing")
	case most >= 0 && len(c.args) > most:
		err = fmt.Errorf("unexpected argument %s", quoteText(c.args[most]))
	default:
		return 0, true
	}
	fmt.Fprintf(c.stderr, "clarify %s: %s\nusage: clarify %s\nRun 'clarify help %s' for details.\n", c.name, escape(err.Error()), c.usage, c.name)
	return 2, false
}

func (c *call) help(w io.Writer) {
	fmt.Fprintf(w, "usage: clarify %s\n\n%s\n", c.usage, strings.TrimSpace(c.long))
	flags := false
	c.flags.VisitAll(func(*flag.Flag) { flags = true })
	if flags {
		fmt.Fprint(w, "\nThe flags are:\n\n")
		c.flags.SetOutput(w)
		c.flags.PrintDefaults()
	}
}

// fail reports an error that is not one of an input, and returns the exit status.
func (c *call) fail(err error) int {
	fmt.Fprintf(c.stderr, "clarify %s: %s\n", c.name, escape(err.Error()))
	return 2
}

// refuse reports why there is no question in a file, and returns the exit status.
func (c *call) refuse(file string, err error) int {
	c.fail(fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "clarify: ")))
	return 1
}
