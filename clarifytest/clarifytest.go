// Package clarifytest holds an implementation of appwrite.clarify/v1 against the test
// vectors of clarify-go, whole or the half that it has.
//
// An implementation in Go is given as functions:
//
//	func TestVectors(t *testing.T) {
//		clarifytest.Run(t, clarifytest.Implementation{Engine: myengine.Call})
//	}
//
// One in another language is a program: see the command clarify test. What the vectors
// mean stands in
// https://github.com/clarify-protocol/clarify-go/blob/main/testdata/vectors/README.md.
package clarifytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/clarify-protocol/clarify-go/testdata/vectors"
)

// A Suite is one of the things that an implementation does.
type Suite string

const (
	Engine  Suite = "engine"  // the arguments of a call → the tool's result
	Console Suite = "console" // the tool's result → the envelope that is shown
	Answers Suite = "answers" // a message → the answers in it
	Summary Suite = "summary" // a message with answers → the answers for people
	Reply   Suite = "reply"   // what was asked, and a message → what it says
)

// Suites are all suites.
var Suites = []Suite{Engine, Console, Answers, Summary, Reply}

// An Implementation has a function for each suite that it takes part in. JSON goes in
// and out as text.
type Implementation struct {
	// Engine returns what the tool returns: an envelope as JSON, or a text that
	// starts with "Error:".
	Engine func(arguments string) (result string)
	// Console returns the envelope that is shown, with every default, or null.
	Console func(output string) (envelope string)
	// Answers returns the answers that are in the message, or null.
	Answers func(message string) (answers string)
	// Summary returns the answers that are in the message, for people.
	Summary func(message string) (summary string)
	// Reply returns what the message says about the envelope in output, in the
	// form that reply.jsonl has.
	Reply func(output, message string) (reply string)
}

// Run runs the suites for which impl has a function, each vector as a subtest.
func Run(t *testing.T, impl Implementation) {
	n := 0
	for _, v := range Vectors() {
		f := impl.of(v.Suite)
		if f == nil {
			continue
		}
		n++
		t.Run(string(v.Suite)+"/"+v.Name, func(t *testing.T) {
			if differences := v.Check(f(v.Input)); differences != nil {
				t.Errorf("rule: %s\ninput: %s\n%s", v.Rule, v.Input, strings.Join(differences, "\n"))
			}
		})
	}
	if n == 0 {
		t.Error("the implementation has no function")
	}
}

// of returns the function for a suite, or nil.
func (impl Implementation) of(s Suite) func(Input) string {
	one := func(f func(string) string, part func(Input) string) func(Input) string {
		if f == nil {
			return nil
		}
		return func(in Input) string { return f(part(in)) }
	}
	message := func(in Input) string { return in.Message }
	switch s {
	case Engine:
		return one(impl.Engine, func(in Input) string { return in.Arguments })
	case Console:
		return one(impl.Console, func(in Input) string { return in.Output })
	case Answers:
		return one(impl.Answers, message)
	case Summary:
		return one(impl.Summary, message)
	case Reply:
		if impl.Reply != nil {
			return func(in Input) string { return impl.Reply(in.Output, in.Message) }
		}
	}
	return nil
}

// A Vector is an input, and what an implementation has to make of it.
type Vector struct {
	Suite Suite
	Name  string // unique in its suite
	Rule  string // what it holds an implementation against, in a sentence
	Input Input
	want  string // of Engine, "" for a refusal
}

// An Input has what the vectors of a suite have; the other fields are empty.
type Input struct {
	Arguments string `json:"arguments,omitempty"` // Engine
	Output    string `json:"output,omitempty"`    // Console, Reply
	Message   string `json:"message,omitempty"`   // Answers, Summary, Reply
}

// String returns the input as JSON, cut after 500 bytes.
func (in Input) String() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(in) // three strings
	return cut(strings.TrimSpace(b.String()), 500)
}

// Vectors returns all vectors, suite by suite.
func Vectors() []Vector {
	rules := make(map[string]string)
	each("rules.jsonl", func(l line) { rules[l.File+" "+l.Group] = l.Rule })
	var engine, console, answers, summary, reply []Vector
	add := func(to *[]Vector, s Suite, file string, l line, in Input, want string) {
		*to = append(*to, Vector{s, l.Name, rules[file+" "+group(l.Name)], in, want})
	}
	each("engine.jsonl", func(l line) {
		add(&engine, Engine, "engine.jsonl", l, Input{Arguments: string(l.Args)}, string(l.Envelope))
	})
	each("console.jsonl", func(l line) {
		add(&console, Console, "console.jsonl", l, Input{Output: asText(l.Output)}, string(l.Envelope))
	})
	each("answers.jsonl", func(l line) {
		add(&answers, Answers, "answers.jsonl", l, Input{Message: l.Text}, string(l.Answers))
		if l.Summary != nil {
			add(&summary, Summary, "answers.jsonl", l, Input{Message: l.Text}, *l.Summary)
		}
	})
	each("reply.jsonl", func(l line) {
		add(&reply, Reply, "reply.jsonl", l, Input{Output: string(l.Envelope), Message: l.Message}, string(l.Reply))
	})
	return append(append(append(append(engine, console...), answers...), summary...), reply...)
}

// A line is one of any of the files.
type line struct {
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Output   json.RawMessage `json:"output"`
	Envelope json.RawMessage `json:"envelope"`
	Text     string          `json:"text"`
	Answers  json.RawMessage `json:"answers"`
	Summary  *string         `json:"summary"`
	Message  string          `json:"message"`
	Reply    json.RawMessage `json:"reply"`

	File  string `json:"file"`
	Group string `json:"group"`
	Rule  string `json:"rule"`
}

// each calls f with each line of a file, which is embedded: it is well formed.
func each(file string, f func(line)) {
	data, err := vectors.Files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	for text := range bytes.Lines(data) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			panic(fmt.Errorf("%s: %w", file, err))
		}
		f(l)
	}
}

// group returns the group of a vector: its name up to the first slash, or up to the
// second one of three parts that begin with lenient.
func group(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	if second, _, ok := strings.Cut(rest, "/"); ok && first == "lenient" {
		return first + "/" + second
	}
	return first
}

// asText returns the text that an output stands for: a string, or a JSON value as it
// is in the line.
func asText(output json.RawMessage) string {
	var s string
	if output[0] == '"' && json.Unmarshal(output, &s) == nil {
		return s
	}
	return string(output)
}
