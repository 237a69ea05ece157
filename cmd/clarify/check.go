package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

var check = &command{
	name:  "check",
	usage: "check [-as kind] [-lines] [-json] [file ...]",
	short: "say what each side makes of an input, and every problem of it",
	long: `
Check reads each file, or standard input if there is none or for -, and says what an
engine and a Console make of it, with every problem and where it is.

The kind of an input is one of

	arguments  the arguments of a call of the tool: would an engine ask this?
	envelope   what the tool returned: what would a Console show, and could an
	           engine have emitted it?
	answers    a user's message with answers
	event      an event of the timeline, with an envelope in it

Check tells the kind from the input itself, unless -as says it.

Of a file whose name ends in .jsonl, and of every file with -lines, each line is an
input. An input has at most 8 MiB.

With -json, each input gives a line with one JSON object: file and line, as (the kind),
ok, refusal (why there is nothing to show), problems and warnings (each with path, code,
got and want), skipped (what a Console leaves out: part, path and code).

The exit status is 0 if no input has a problem, 1 if one has, and 2 if a file could not
be read. Warnings are no problems.`,
	run: runCheck,
}

// A finding is what check says about an input.
type finding struct {
	File     string    `json:"file"`
	Line     int       `json:"line,omitempty"`
	As       string    `json:"as"`
	OK       bool      `json:"ok"`
	Refusal  string    `json:"refusal,omitempty"`
	Problems []problem `json:"problems,omitempty"`
	Skipped  []skipped `json:"skipped,omitempty"`
	Warnings []problem `json:"warnings,omitempty"`

	says []string // what the sides make of it
}

type problem struct {
	Path string       `json:"path"`
	Code clarify.Code `json:"code"`
	Got  string       `json:"got"`
	Want string       `json:"want"`
}

type skipped struct {
	Part clarify.Part `json:"part"`
	Path string       `json:"path"`
	Code clarify.Code `json:"code"`
}

func runCheck(c *call) int {
	as := c.flags.String("as", "", "the `kind` of all inputs: arguments, envelope, answers or event")
	lines := c.flags.Bool("lines", false, "each line of a file is an input")
	asJSON := c.flags.Bool("json", false, "print JSON")
	if code, ok := c.parse(0, -1); !ok {
		return code
	}
	if *as != "" && !slices.Contains(kinds, *as) {
		return c.fail(fmt.Errorf("-as %s: want %s", quoteText(*as), strings.Join(kinds, ", ")))
	}
	code := 0
	one := func(file string, line int, data []byte) {
		f := findings(data, *as)
		f.File, f.Line = file, line
		if !f.OK {
			code = max(code, 1)
		}
		if *asJSON {
			c.json(f)
		} else {
			f.print(c)
		}
	}
	if len(c.args) == 0 {
		c.args = []string{"-"}
	}
	for _, name := range c.args {
		var err error
		if *lines || strings.HasSuffix(name, ".jsonl") {
			for n, line := range c.lines(name, &err) {
				one(name, n, line)
			}
		} else {
			var data []byte
			if data, err = c.readFile(name); err == nil {
				one(name, 0, data)
			}
		}
		if err != nil {
			code = c.fail(err)
		}
	}
	return code
}

// findings judges an input, of any kind if as is empty.
func findings(data []byte, as string) *finding {
	f := &finding{As: as}
	if as == "" {
		f.As = kindOf(data)
	}
	switch f.As {
	case asArguments:
		e, err := clarify.ParseCall(data)
		f.emitted(err)
		f.warn(e)
	case asAnswers:
		a, err := clarify.ParseAnswers(string(data))
		if err != nil {
			f.refuse("they are not answers", err)
			break
		}
		f.skip(a.Skipped)
		f.say("%s:", text.Plural(len(a.Answers), "answer"))
		f.says = append(f.says, strings.Split(a.Summary(), "\n")...)
	case asEvent:
		ev, err := clarify.ParseEvent(data)
		if err != nil {
			f.refuse("it is not an event", err)
			break
		}
		e, err := ev.Envelope()
		f.shown(e, err)
	default:
		e, err := clarify.Parse(string(data))
		f.shown(e, err)
	}
	f.OK = f.Refusal == "" && f.Problems == nil && f.Skipped == nil
	if mark := byteOrderMark(data); !f.OK && mark != "" {
		f.say("it begins with a byte order mark of %s, which is not JSON: want UTF-8 without one", mark)
	}
	return f
}

// byteOrderMark returns the encoding whose byte order mark data begins with, or "".
func byteOrderMark(data []byte) string {
	for mark, encoding := range map[string]string{"\ufeff": "UTF-8", "\xff\xfe": "UTF-16", "\xfe\xff": "UTF-16"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return encoding
		}
	}
	return ""
}

func (f *finding) say(format string, args ...any) {
	f.says = append(f.says, fmt.Sprintf(format, args...))
}

func (f *finding) refuse(what string, err error) {
	f.Refusal = strings.TrimPrefix(err.Error(), "clarify: ")
	f.say("%s: %s", what, f.Refusal)
}

// shown says what a Console shows of e, and what an engine would say to it.
func (f *finding) shown(e *clarify.Envelope, err error) {
	var empty *clarify.EmptyError
	if errors.As(err, &empty) {
		f.skip(empty.Skipped)
	}
	if err != nil {
		f.refuse("a Console shows nothing", err)
		return
	}
	f.skip(e.Skipped)
	f.say("a Console shows %s", text.Plural(len(e.Prompts), "prompt"))
	f.emitted(e.Validate())
	f.warn(e)
}

// emitted says what an engine says to a question, and err says why it refuses it.
func (f *finding) emitted(err error) {
	var invalid *clarify.ValidationError
	if !errors.As(err, &invalid) {
		f.say("an engine emits it")
		return
	}
	f.say("an engine does not emit it")
	for _, v := range invalid.Violations {
		f.Problems = append(f.Problems, problem(v))
	}
}

func (f *finding) skip(list []clarify.Skipped) {
	for _, s := range list {
		f.Skipped = append(f.Skipped, skipped(s))
	}
}

func (f *finding) warn(e *clarify.Envelope) {
	for _, v := range e.Lint() {
		f.Warnings = append(f.Warnings, problem(v))
	}
}

func (f *finding) print(c *call) {
	name := f.File
	if f.Line > 0 {
		name = fmt.Sprintf("%s:%d", name, f.Line)
	}
	result := "ok"
	if !f.OK {
		result = "not ok"
	}
	fmt.Fprintf(c.stdout, "%s: %s: %s\n", escape(name), f.As, result)
	for _, s := range f.says {
		fmt.Fprintf(c.stdout, "    %s\n", escape(s))
	}
	for _, s := range f.Skipped {
		fmt.Fprintf(c.stdout, "    %s\n", escape(clarify.Skipped(s).String()))
	}
	for _, p := range f.Problems {
		fmt.Fprintf(c.stdout, "    problem: %s\n", p)
	}
	for _, p := range f.Warnings {
		fmt.Fprintf(c.stdout, "    warning: %s\n", p)
	}
}

// String returns the problem with its code, on one line.
func (p problem) String() string {
	return fmt.Sprintf("%s: %s: got %s, want %s", escape(p.Path), p.Code, escape(p.Got), escape(p.Want))
}

// json prints v as one line.
func (c *call) json(v any) {
	enc := json.NewEncoder(c.stdout)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error of the output is kept for the end
}
