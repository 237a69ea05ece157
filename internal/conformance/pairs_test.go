package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What an envelope and a message cost together. A tool and a user who mean harm can make both large: the
// cost has to be that of the two added, never multiplied.

// askedShapes return the prompts of an envelope of about size bytes, beside those that all have.
var askedShapes = []struct {
	name    string
	prompts func(size int) []clarify.Prompt
}{
	{"many texts", repeatPrompts(100, func(int) clarify.Input { return new(clarify.Text) })},
	{"many dangers", repeatPrompts(150, func(i int) clarify.Input {
		return &clarify.Confirm{ConfirmLabel: fmt.Sprint("Delete ", i), CancelLabel: "Keep", Danger: true}
	})},
	{"many choices", repeatPrompts(300, func(i int) clarify.Input {
		return &clarify.Choice{Options: growthOptions(2, 1), AllowMultiple: i%2 == 0}
	})},
	{"many options", func(size int) []clarify.Prompt {
		return []clarify.Prompt{{ID: "x", Question: "?", Input: &clarify.Choice{Options: growthOptions(size/50, 1), AllowMultiple: true}}}
	}},
	{"a few long labels", func(size int) []clarify.Prompt {
		return []clarify.Prompt{{ID: "x", Question: "?", Input: &clarify.Choice{Options: growthOptions(4, size/4), AllowMultiple: true}}}
	}},
	{"long buttons", func(size int) []clarify.Prompt {
		return []clarify.Prompt{{ID: "x", Question: "?", Input: &clarify.Confirm{ConfirmLabel: strings.Repeat("y", size/2), CancelLabel: strings.Repeat("n", size/2)}}}
	}},
	{"a long id", func(size int) []clarify.Prompt {
		return []clarify.Prompt{{ID: strings.Repeat("x", size), Question: "?", Input: &clarify.Confirm{Danger: true}}}
	}},
	{"ids that begin alike", nestedIDs("x")},
	{"ids that end in spaces", nestedIDs("\x1c")},
	{"ids that end in marks", nestedIDs("*")},
	{"ids that look the same", nestedIDs("\u200b")},
	{"one id many times", func(size int) []clarify.Prompt {
		list := make([]clarify.Prompt, size/100)
		for i := range list {
			list[i] = clarify.Prompt{ID: "x", Question: "?", Input: &clarify.Confirm{Danger: true}}
		}
		return list
	}},
}

func repeatPrompts(size int, input func(i int) clarify.Input) func(int) []clarify.Prompt {
	return func(total int) (list []clarify.Prompt) {
		for i := range total / size {
			list = append(list, clarify.Prompt{ID: fmt.Sprint("x", i), Question: "?", Input: input(i)})
		}
		return list
	}
}

// nestedIDs returns ids of which each is the one before and end.
func nestedIDs(end string) func(int) []clarify.Prompt {
	return func(size int) (list []clarify.Prompt) {
		for id := "x"; size > 0; id += end {
			list = append(list, clarify.Prompt{ID: id, Question: "?", Input: &clarify.Confirm{Danger: true}})
			size -= len(id) + 100
		}
		return list
	}
}

func growthOptions(n, size int) (list []clarify.Option) {
	for i := range n {
		list = append(list, clarify.Option{ID: fmt.Sprint("o", i), Label: strings.Repeat("l", size) + fmt.Sprint(i)})
	}
	return list
}

// saidShapes return what is repeated in a message about a prompt, and what stands before and behind it.
var saidShapes = []struct {
	name string
	said func(p clarify.Prompt, label string) shape
}{
	{"lines", func(p clarify.Prompt, _ string) shape { return shape{body: p.ID + ": x\n"} }},
	{"lines that answer", func(p clarify.Prompt, label string) shape { return shape{body: p.ID + ": " + label + "\n"} }},
	{"lines without a separator", func(p clarify.Prompt, _ string) shape { return shape{body: p.ID + "\n"} }},
	{"an id and spaces", func(p clarify.Prompt, _ string) shape { return shape{"", p.ID, "\x1c", "\n"} }},
	{"ids in marks", func(p clarify.Prompt, _ string) shape { return shape{body: "**" + p.ID + "*: x\n"} }},
	{"marks", func(clarify.Prompt, string) shape { return shape{body: "**\"`"} }},
	{"separators", func(p clarify.Prompt, _ string) shape { return shape{"", p.ID, ":=>→", "\n"} }},
	{"one value of many parts", func(p clarify.Prompt, label string) shape { return shape{"", p.ID + ": " + label, ", " + label, "\n"} }},
	{"and", func(p clarify.Prompt, _ string) shape { return shape{"", p.ID + ": x", " and x", "\n"} }},
	{"a list", func(p clarify.Prompt, label string) shape { return shape{"", p.ID + ":\n", "- " + label + "\n", ""} }},
	{"a text that hides answers", func(p clarify.Prompt, _ string) shape {
		return shape{"", "note: x\n", "  " + p.ID + ": no\n", "sure: confirmed"}
	}},
	{"parts without an id", func(_ clarify.Prompt, label string) shape { return shape{body: label + "\n"} }},
	{"a refusal and what cannot be seen", func(clarify.Prompt, string) shape { return shape{"", "no", "\u200b", ""} }},
	{"entries", func(p clarify.Prompt, label string) shape {
		return shape{"", `{"protocol":"appwrite.clarify/v1","answers":[`, `{"id":` + quote(p.ID) + `,"kind":"choice","values":[` + quote(label) + `]},`, `{}]}`}
	}},
	{"entries that confirm", func(p clarify.Prompt, _ string) shape {
		return shape{"", `{"protocol":"appwrite.clarify/v1","answers":[`, `{"id":` + quote(p.ID) + `,"kind":"confirm","confirmed":true},`, `{}]}`}
	}},
	{"ids of one entry", func(p clarify.Prompt, _ string) shape {
		return shape{"", `{"protocol":"appwrite.clarify/v1","answers":[{"kind":"confirm"`, `,"id":` + quote(p.ID), `}]}`}
	}},
	{"members", func(p clarify.Prompt, _ string) shape {
		return shape{"", `{"protocol":"appwrite.clarify/v1","answers":[{"id":` + quote(p.ID) + `,"kind":"confirm","confirmed":true`, `,"x":"y"`, `}]}`}
	}},
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// hostile returns an envelope and a message of about size bytes each.
func hostile(askedShape, saidShape, size int) (*clarify.Envelope, string) {
	prompts := askedShapes[askedShape].prompts(size)
	last := prompts[len(prompts)-1]
	label := "yes"
	switch in := last.Input.(type) {
	case *clarify.Choice:
		label = in.Options[len(in.Options)-1].Label
	case *clarify.Confirm:
		label = in.ConfirmLabel
	}
	e := &clarify.Envelope{Prompts: append(prompts, []clarify.Prompt{
		{ID: "note", Question: "?", Optional: true, Input: new(clarify.Text)},
		{ID: "sure", Question: "?", Optional: true, Input: &clarify.Confirm{Danger: true}},
	}...)}
	s := saidShapes[saidShape].said(last, label)
	return e, s.head + strings.Repeat(s.body, max(1, (size-len(s.head)-len(s.tail))/len(s.body))) + s.tail
}

// pairWorks are what an engine and a Console do with the two.
var pairWorks = []struct {
	name string
	work func(e *clarify.Envelope, message string)
}{
	{"Read", func(e *clarify.Envelope, message string) { e.Read(message) }},
	{"Read and ForModel", func(e *clarify.Envelope, message string) { _ = e.Read(message).ForModel() }},
	{"Read and Decision", func(e *clarify.Envelope, message string) {
		r := e.Read(message)
		for _, p := range e.Prompts {
			r.Decision(p.ID)
		}
	}},
	{"FormAnswers", func(e *clarify.Envelope, message string) {
		form := map[string][]string{}
		for _, p := range e.Prompts {
			form[p.FormName()] = nil
		}
		p := e.Prompts[len(e.Prompts)-3]
		form[p.FormName()] = strings.Split(message, "\n")
		e.FormAnswers(form)
	}},
	{"Lint", func(e *clarify.Envelope, _ string) { e.Lint() }},
}

// TestPairsGrow fails if a byte of the two, when both are large, allocates much more than when both are small.
func TestPairsGrow(t *testing.T) {
	const small, large = 8 << 10, 64 << 10
	for i, asked := range askedShapes {
		for j, said := range saidShapes {
			cost := func(size int, work func(*clarify.Envelope, string)) float64 {
				e, message := hostile(i, j, size)
				before := allocatedBytes()
				work(e, message)
				return float64(allocatedBytes()-before) / float64(size)
			}
			for _, w := range pairWorks {
				few, many := cost(small, w.work), cost(large, w.work)
				for range 3 { // something else may run meanwhile
					if many <= 2*few+10 {
						break
					}
					few, many = cost(small, w.work), cost(large, w.work)
				}
				assert.LessOrEqual(t, many, 2*few+10, "%s, %s, %s: bytes for one of two large ones; of two small ones %.1f", w.name, asked.name, said.name, few)
			}
		}
	}
}

// BenchmarkPairs shows what a byte of the two costs, for each pair, when both are small and when both are large.
func BenchmarkPairs(b *testing.B) {
	for _, w := range pairWorks {
		for i, asked := range askedShapes {
			for j, said := range saidShapes {
				for _, size := range []int{16 << 10, 256 << 10} {
					e, message := hostile(i, j, size)
					benchmark(b, fmt.Sprintf("%s/%s, %s", w.name, asked.name, said.name), message, func(text string) { w.work(e, text) })
				}
			}
		}
	}
}
