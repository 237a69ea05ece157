package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clarify-protocol/clarify-go/clarifytest"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// maxFailures is how many failures are printed whole.
const maxFailures = 20

var test = &command{
	name:  "test",
	usage: "test [-engine command] [-console command] [-reply command] [flags]",
	short: "hold an engine or a Console in any language against the test vectors",
	long: `
Test starts a command that runs an implementation, sends it one request a line, and
compares its answers with the test vectors, which are built in. The format stands in
testdata/vectors/README.md; there are drivers for Python, JavaScript and Go.

	-engine   is held against the suite engine: the tool's call
	-console  against the suites console, answers and summary
	-reply    against the suite reply: a message, read against the question

A command is split at white space; what stands in quotes is one word. It is not run by a
shell. A command that ends, hangs or prints nonsense is started again, and the other
vectors still count; after 5 times in a row it is given up. A line that no request asked
for fails the run.

The file of -known has a known difference in each line: the name as -list prints it, white
space, and the reason. A known difference does not fail the run. One that passes does: take
it out. Lines that are blank or start with # do not count.

The exit status is 0 if every vector passed or is a known difference, 1 if not, and 2 if
the use is wrong, or if a command could not be run: it cannot be started, or it answered
no vector of a suite. The other commands still run.`,
	run: runTest,
}

func runTest(c *call) int {
	engine := c.flags.String("engine", "", "the `command` of an engine")
	console := c.flags.String("console", "", "the `command` of a Console")
	reply := c.flags.String("reply", "", "the `command` of what reads a message against the question")
	run := c.flags.String("run", "", "run only the vectors whose suite/name matches the `regexp`")
	list := c.flags.Bool("list", false, "print the names of the vectors, and run nothing")
	verbose := c.flags.Bool("v", false, "print each vector")
	asJSON := c.flags.Bool("json", false, "print a JSON object for each vector, and one for the sum")
	known := c.flags.String("known", "", "a `file` with a known difference in each line: suite/name, white space, and the reason")
	timeout := 10 * time.Second
	c.flags.Func("timeout", "the `duration` that the command may take for a vector (default 10s)", func(s string) (err error) {
		if timeout, err = time.ParseDuration(s); err != nil || timeout <= 0 {
			err = errors.New("want a duration of more than 0, such as 5s")
		}
		return err
	})
	if code, ok := c.parse(0, -1); !ok {
		return code
	}
	if len(c.args) > 0 {
		return c.fail(fmt.Errorf("unexpected argument %s: a command of several words stands in quotes, such as -engine 'php driver.php'", quoteText(c.args[0])))
	}
	pattern, err := regexp.Compile(*run)
	if err != nil {
		return c.fail(fmt.Errorf("-run: %w", err))
	}
	commands := map[clarifytest.Suite]string{
		clarifytest.Engine: *engine, clarifytest.Reply: *reply,
		clarifytest.Console: *console, clarifytest.Answers: *console, clarifytest.Summary: *console,
	}
	given := *engine+*console+*reply != ""
	vectors := slices.DeleteFunc(clarifytest.Vectors(), func(v clarifytest.Vector) bool {
		return !pattern.MatchString(nameOf(v)) || given && commands[v.Suite] == ""
	})
	switch {
	case len(vectors) == 0:
		return c.fail(fmt.Errorf("no vector matches -run %s", quoteText(*run)))
	case *list:
		for _, v := range vectors {
			fmt.Fprintln(c.stdout, nameOf(v))
		}
		return 0
	case !given:
		return c.fail(errors.New("nothing to test: want -engine, -console or -reply"))
	}
	t := tester{call: c, verbose: *verbose, asJSON: *asJSON, counts: map[clarifytest.Suite]map[outcome]int{}}
	if t.known, err = c.readKnown(*known); err != nil {
		return c.fail(fmt.Errorf("-known: %w", err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends this process at once

	drivers := map[string]*driver{} // one for a command, whatever it is for
	for _, command := range commands {
		if command == "" {
			continue
		}
		args, err := splitCommand(command)
		if err != nil {
			return c.fail(fmt.Errorf("%s: %w", quoteText(command), err))
		}
		drivers[command] = &driver{ctx: ctx, args: args, timeout: timeout}
	}
	for _, suite := range clarifytest.Suites {
		if d := drivers[commands[suite]]; d != nil {
			t.suite(suite, vectors, d)
		}
	}
	for _, command := range slices.Sorted(maps.Keys(drivers)) {
		d := drivers[command]
		left := d.stop(false)
		switch {
		case ctx.Err() != nil:
		case d.silent != nil:
			t.code = t.fail(fmt.Errorf("%s could not be run for %s: %w", quoteText(command), strings.Join(d.silent, ", "), d.why))
		case left != nil:
			t.fail(fmt.Errorf("%s wrote a line that no request asked for: %s%s", quoteText(command), harmless(left), onlyAnswers))
			t.code = max(t.code, 1)
		}
	}
	if ctx.Err() != nil {
		return c.fail(context.Cause(ctx))
	}
	return t.sum()
}

func nameOf(v clarifytest.Vector) string { return string(v.Suite) + "/" + v.Name }

// readKnown reads the file of known differences.
func (c *call) readKnown(file string) (known map[string]string, err error) {
	known = map[string]string{}
	if file == "" {
		return known, nil
	}
	exists := map[string]bool{}
	for _, v := range clarifytest.Vectors() {
		exists[nameOf(v)] = true
	}
	for n, data := range c.lines(file, &err) {
		line := strings.TrimPrefix(string(data), "\ufeff")
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		switch reason = strings.TrimSpace(reason); {
		case !exists[name]:
			return nil, fmt.Errorf("%s:%d: there is no vector %s", file, n, quoteText(name))
		case reason == "":
			return nil, fmt.Errorf("%s:%d: %s has no reason", file, n, name)
		case known[name] != "":
			return nil, fmt.Errorf("%s:%d: %s is there twice", file, n, name)
		}
		known[name] = reason
	}
	return known, err
}

// An outcome is what became of a vector.
type outcome string

const (
	passed  outcome = "ok"
	failed  outcome = "failed"
	excused outcome = "known" // it failed, as a known difference has to
	fixed   outcome = "fixed" // a known difference that is none: that fails the run
)

var outcomes = []outcome{passed, failed, excused, fixed}

type tester struct {
	*call
	verbose, asJSON bool
	known           map[string]string
	counts          map[clarifytest.Suite]map[outcome]int
	printed         int
	code            int // the exit status that the commands ask for, whatever the vectors say
}

// A verdict is what -json prints for a vector.
type verdict struct {
	Suite       clarifytest.Suite `json:"suite"`
	Name        string            `json:"name"`
	Outcome     outcome           `json:"outcome"`
	Rule        string            `json:"rule"`
	Input       clarifytest.Input `json:"input"`
	Differences []string          `json:"differences,omitempty"`
	Reason      string            `json:"reason,omitempty"` // of a known difference
}

// suite runs the vectors of a suite. The verdicts wait for the first answer: a command that
// answers nothing is reported once, and not for each vector.
func (t *tester) suite(suite clarifytest.Suite, vectors []clarifytest.Vector, d *driver) {
	var waiting []verdict
	before := d.answers
	for _, v := range vectors {
		if v.Suite != suite {
			continue
		}
		waiting = append(waiting, t.test(v, d))
		if d.ctx.Err() != nil {
			return
		}
		if d.answers > before {
			for _, v := range waiting {
				t.report(v)
			}
			waiting = nil
		}
	}
	if waiting != nil {
		d.silent, d.why = append(d.silent, string(suite)), d.last
	}
}

// test runs one vector.
func (t *tester) test(v clarifytest.Vector, d *driver) verdict {
	request := map[string]any{"suite": v.Suite}
	switch v.Suite {
	case clarifytest.Engine:
		request["arguments"] = v.Input.Arguments
	case clarifytest.Reply:
		request["message"] = v.Input.Message
		fallthrough
	case clarifytest.Console:
		request["output"] = v.Input.Output
	default:
		request["message"] = v.Input.Message
	}
	var differences []string
	result, err := d.ask(request)
	got := string(result)
	switch {
	case err != nil:
		differences = []string{err.Error()}
	case v.Suite.IsText() && result[0] != '"':
		differences = []string{"got " + text.Cut(got, 300) + ", want a string"}
	default:
		if v.Suite.IsText() {
			json.Unmarshal(result, &got)
		}
		differences = v.Check(got)
	}
	reason := t.known[nameOf(v)]
	if err != nil {
		reason = "" // a command that breaks is no known difference
	}
	is := passed
	switch {
	case differences != nil && reason != "":
		is = excused
	case differences != nil:
		is = failed
	case reason != "":
		is = fixed
	}
	return verdict{v.Suite, v.Name, is, v.Rule, v.Input, differences, reason}
}

// report counts a verdict and prints it.
func (t *tester) report(v verdict) {
	if t.counts[v.Suite] == nil {
		t.counts[v.Suite] = map[outcome]int{}
	}
	t.counts[v.Suite][v.Outcome]++
	if t.asJSON {
		t.json(v)
		return
	}
	bad := v.Outcome == failed || v.Outcome == fixed
	if bad {
		t.printed++
	}
	if !bad && !t.verbose || bad && t.printed > maxFailures && !t.verbose {
		return
	}
	name := string(v.Suite) + "/" + v.Name
	switch v.Outcome {
	case passed:
		fmt.Fprintln(t.stdout, "ok     "+name)
		return
	case excused:
		fmt.Fprintf(t.stdout, "known  %s: %s\n", name, quoteText(v.Reason))
		return
	case fixed:
		fmt.Fprintf(t.stdout, "FIXED  %s: take it out of the file of known differences\n", name)
		return
	}
	fmt.Fprintf(t.stdout, "FAILED %s\n    rule:  %s\n    input: %s\n", name, v.Rule, escape(v.Input.String()))
	for _, d := range v.Differences {
		fmt.Fprintf(t.stdout, "    %s\n", escape(d))
	}
}

// sum prints the counts and returns the exit status.
func (t *tester) sum() int {
	total := map[outcome]int{}
	for _, suite := range clarifytest.Suites {
		counts := t.counts[suite]
		if counts == nil {
			continue
		}
		var parts []string
		n := 0
		for _, o := range outcomes {
			total[o] += counts[o]
			n += counts[o]
			if counts[o] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
			}
		}
		if !t.asJSON {
			fmt.Fprintf(t.stdout, "%-7s %4d vectors: %s\n", suite, n, strings.Join(parts, ", "))
		}
	}
	code := max(t.code, min(1, total[failed]+total[fixed]))
	if t.asJSON {
		t.json(total)
	} else {
		if more := t.printed - maxFailures; more > 0 && !t.verbose {
			fmt.Fprintf(t.stdout, "%d more failures are not printed: use -v or -run\n", more)
		}
		fmt.Fprintln(t.stdout, map[bool]string{true: "PASS", false: "FAIL"}[code == 0])
	}
	return code
}
