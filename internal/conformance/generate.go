package conformance

import (
	"math/rand/v2"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A Generator makes values at random. The same seed makes the same values on
// every run.
type Generator struct {
	*rand.Rand
	texts  []string // what Input changes: see NewInputs
	values []*Value // those of texts that are JSON
	depths []int    // of the deep values that it makes
}

// New returns a generator of the values that the seed stands for.
func New(seed uint64) *Generator { return &Generator{Rand: rand.New(rand.NewPCG(seed, 1))} }

// Envelopes returns n envelopes, the same ones each time. Each is valid and
// normalised.
func Envelopes(n int) []*clarify.Envelope {
	envelopes := make([]*clarify.Envelope, n)
	for i := range envelopes {
		envelopes[i] = New(uint64(i)).Envelope()
	}
	return envelopes
}

// White space: of Unicode, to Python's strip, to JavaScript's trim, and to
// either of the two, which is what the strict side trims.
const (
	unicodeSpace = "\t\n\v\f\r " + "\u0085" + wideSpace
	wideSpace    = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
	pythonSpace  = unicodeSpace + "\x1c\x1d\x1e\x1f"
	scriptSpace  = "\t\n\v\f\r " + wideSpace + "\ufeff"
	anySpace     = pythonSpace + "\ufeff"
)

// nasty has what some writer, reader or trimmer treats in its own way.
var nasty = []rune("\x00\x01\b\t\n\v\f\r\x1B\x1C\x1F \"\\/<>&'{}[]:,`=\x7F\u0085\u00A0\u00ADéß" +
	"\u0301\u1680\u200B\u200D\u2003\u2028\u2029\u202E\u2066\u3000\uD7FF\uE000\uFEFF\uFFFD\uFFFE\uFFFF你好" +
	"\U00010000\U0001D173\U0001F600\U0001F468\U000E0041\U0010FFFF")

// Pick returns one of list.
func Pick[T any](g *Generator, list ...T) T { return list[g.IntN(len(list))] }

// Flag is true every other time.
func (g *Generator) Flag() bool { return g.Chance(2) }

// Chance is true once in n times.
func (g *Generator) Chance(n int) bool { return g.IntN(n) == 0 }

func (g *Generator) rune() rune {
	switch g.IntN(4) {
	case 0:
		return Pick(g, nasty...)
	case 1:
		return rune(' ' + g.IntN('\x7F'-' '))
	}
	return rune('a' + g.IntN(26))
}

// Text returns a string of low to high code points that starts and ends with
// nothing that either side trims; now and then one of exactly high.
func (g *Generator) Text(low, high int) string {
	n := low + g.IntN(min(high-low, 12)+1)
	if g.Chance(20) {
		n = high
	}
	if n == 0 {
		return ""
	}
	same := g.Chance(20)
	runes := make([]rune, n)
	for i := range runes {
		if runes[i] = g.rune(); same {
			runes[i] = '😀'
		}
	}
	for _, i := range []int{0, n - 1} {
		if strings.ContainsRune(anySpace, runes[i]) {
			runes[i] = rune('a' + g.IntN(26))
		}
	}
	return string(runes)
}

// Padding returns up to two characters of white space out of space.
func (g *Generator) Padding(space string) string {
	s := ""
	for range g.IntN(3) {
		s += string(Pick(g, []rune(space)...))
	}
	return s
}

// ID returns an id that is not taken, and takes it.
func (g *Generator) ID(taken map[string]bool) string {
	const first, other = "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789_.-"
	n := 1 + g.IntN(3)
	if g.Chance(10) {
		n = clarify.MaxID
	}
	b := []byte{first[g.IntN(len(first))]}
	for len(b) < n {
		b = append(b, other[g.IntN(len(other))])
	}
	id := string(b)
	for i := 0; taken[id]; i++ {
		id = string(first[i%len(first)]) + string(other[i/len(first)%len(other)])
	}
	taken[id] = true
	return id
}

// Envelope returns a valid envelope, normalised.
func (g *Generator) Envelope() *clarify.Envelope {
	e := &clarify.Envelope{}
	if g.Flag() {
		e.Title = g.Text(0, clarify.MaxTitle)
	}
	ids := map[string]bool{}
	for range clarify.MinPrompts + g.IntN(clarify.MaxPrompts-clarify.MinPrompts+1) {
		e.Prompts = append(e.Prompts, g.Prompt(ids))
	}
	return e
}

// Prompt returns a valid prompt with an id that is not taken.
func (g *Generator) Prompt(taken map[string]bool) clarify.Prompt {
	optional := func(high int) string {
		if g.Flag() {
			return ""
		}
		return g.Text(0, high)
	}
	p := clarify.Prompt{ID: g.ID(taken), Question: g.Text(1, clarify.MaxQuestion), Hint: optional(clarify.MaxHint), Optional: g.Flag()}
	switch g.IntN(3) {
	case 0:
		in := &clarify.Choice{AllowMultiple: g.Flag()}
		ids := map[string]bool{}
		for range clarify.MinOptions + g.IntN(clarify.MaxOptions-clarify.MinOptions+1) {
			in.Options = append(in.Options, clarify.Option{ID: g.ID(ids), Label: g.Text(1, clarify.MaxLabel), Description: optional(clarify.MaxDescription)})
		}
		p.Input = in
	case 1:
		in := &clarify.Confirm{ConfirmLabel: clarify.DefaultConfirmLabel, CancelLabel: clarify.DefaultCancelLabel, Danger: g.Flag()}
		if g.Flag() {
			in.ConfirmLabel = g.Text(1, clarify.MaxLabel)
		}
		if g.Flag() {
			in.CancelLabel = g.Text(1, clarify.MaxLabel)
		}
		p.Input = in
	case 2:
		p.Input = &clarify.Text{Placeholder: optional(clarify.MaxPlaceholder), DefaultValue: optional(clarify.MaxDefaultValue), Multiline: g.Flag()}
	}
	return p
}

// Answers returns answers that ParseAnswers reads back, also to prompts that
// nobody asked, with ids outside the pattern.
func (g *Generator) Answers() clarify.Answers {
	var a clarify.Answers
	for range 1 + g.IntN(6) {
		answer := clarify.Answer{ID: g.ID(map[string]bool{})}
		if g.Chance(3) {
			answer.ID = g.Text(1, 20)
		}
		switch g.IntN(3) {
		case 0:
			in := &clarify.ChoiceAnswer{Values: []string{}}
			for range g.IntN(4) {
				in.Values = append(in.Values, " "+g.Text(1, 20)+"\n")
			}
			answer.Payload = in
		case 1:
			answer.Payload = &clarify.ConfirmAnswer{Confirmed: g.Flag()}
		case 2:
			answer.Payload = &clarify.TextAnswer{Value: g.Padding(anySpace) + g.Text(0, 60) + g.Padding(anySpace)}
		}
		a.Answers = append(a.Answers, answer)
	}
	return a
}

// ReplyTo returns answers that hold for e, which is valid: every one if all is
// set, else some.
func (g *Generator) ReplyTo(e *clarify.Envelope, all bool) clarify.Answers {
	var a clarify.Answers
	for _, p := range e.Prompts {
		if !all && g.Flag() {
			continue
		}
		answer := clarify.Answer{ID: p.ID}
		switch in := p.Input.(type) {
		case *clarify.Choice:
			values := []string{Pick(g, in.Options...).ID}
			if in.AllowMultiple {
				for _, o := range in.Options {
					if o.ID != values[0] && g.Flag() {
						values = append(values, o.ID)
					}
				}
				g.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			}
			answer.Payload = &clarify.ChoiceAnswer{Values: values}
		case *clarify.Confirm:
			answer.Payload = &clarify.ConfirmAnswer{Confirmed: !g.Chance(4)}
		case *clarify.Text:
			s := g.hostileText(e)
			if strings.Trim(s, anySpace) == "" && !p.Optional {
				s += "word"
			}
			answer.Payload = &clarify.TextAnswer{Value: s}
		}
		a.Answers = append(a.Answers, answer)
	}
	g.Shuffle(len(a.Answers), func(i, j int) { a.Answers[i], a.Answers[j] = a.Answers[j], a.Answers[i] })
	return a
}

// lineBreaks are all that end a line of a message, and two that are more than one.
var lineBreaks = []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\n\r", "\n\n"}

// hostileText returns a text that tries to be more than one answer to e.
func (g *Generator) hostileText(e *clarify.Envelope) string {
	s := ""
	for range g.IntN(8) {
		switch g.IntN(8) {
		case 0, 1:
			s += Pick(g, lineBreaks...)
		case 2:
			s += Pick(g, " ", "  ", "\t", "\u00a0", "   ")
		case 3:
			s += Pick(g, e.Prompts...).ID + Pick(g, ":", ": ", " = ", "->", " → ") + Pick(g, "confirmed", "cancelled", "1", "")
		case 4:
			s += Pick(g, "- ", "1. ", "•", "{", "[", `"`, "<!--")
		case 5:
			s += g.Text(0, 10)
		default:
			s += "word"
		}
	}
	return s
}

// Relabel gives some labels of e, which is valid and stays so, a meaning of
// their own to a reader of answers.
func (g *Generator) Relabel(e *clarify.Envelope) {
	label := func(s *string) {
		if g.Chance(3) {
			*s = Pick(g, "Yes", "No", "yes", "true", "False", "Confirm", "cancel", "Confirmed", "CANCELLED", "1", "2.", "a, b", "ok", "Delete", "Keep it", "a", "b")
		}
	}
	for _, p := range e.Prompts {
		switch in := p.Input.(type) {
		case *clarify.Choice:
			for i := range in.Options {
				label(&in.Options[i].Label)
			}
			list := Pick(g, in.Options...).ID + ", " + Pick(g, in.Options...).ID
			if len(list) <= clarify.MaxLabel { // what a summary of several prints
				in.Options[g.IntN(len(in.Options))].Label = list
			}
		case *clarify.Confirm:
			label(&in.ConfirmLabel)
			label(&in.CancelLabel)
		}
	}
}

// Clone returns a deep copy of e.
func Clone(e *clarify.Envelope) *clarify.Envelope {
	out := &clarify.Envelope{Title: e.Title, Skipped: slices.Clone(e.Skipped)}
	for _, p := range e.Prompts {
		switch in := p.Input.(type) {
		case *clarify.Choice:
			p.Input = &clarify.Choice{Options: slices.Clone(in.Options), AllowMultiple: in.AllowMultiple}
		case *clarify.Confirm:
			same := *in
			p.Input = &same
		case *clarify.Text:
			same := *in
			p.Input = &same
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out
}
