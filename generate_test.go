package clarify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// A maker makes values at random. The same seed makes the same values on every run.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 1))} }

// nasty has what some writer, reader or trimmer treats in its own way.
var nasty = []rune("\x00\x01\b\t\n\v\f\r\x1B\x1C\x1F \"\\/<>&'{}[]:,`=\x7F\u0085\u00A0\u00ADéß" +
	"\u0301\u1680\u200B\u200D\u2003\u2028\u2029\u202E\u2066\u3000\uD7FF\uE000\uFEFF\uFFFD\uFFFE\uFFFF你好" +
	"\U00010000\U0001F600\U0001F468\U000E0041\U0010FFFF")

func (g maker) rune() rune {
	switch g.IntN(4) {
	case 0:
		return nasty[g.IntN(len(nasty))]
	case 1:
		return rune(' ' + g.IntN('\x7F'-' '))
	}
	return rune('a' + g.IntN(26))
}

// text returns a string of low to high code points that starts and ends with nothing that either
// side trims; now and then one of exactly high.
func (g maker) text(low, high int) string {
	n := low + g.IntN(min(high-low, 12)+1)
	if g.IntN(20) == 0 {
		n = high
	}
	if n == 0 {
		return ""
	}
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = g.rune()
	}
	if g.IntN(20) == 0 { // every code point of the same size
		for i := range runes {
			runes[i] = '😀'
		}
	}
	for _, i := range []int{0, n - 1} {
		for anySpace(runes[i]) {
			runes[i] = g.rune()
		}
	}
	return string(runes)
}

// id returns an id that is not taken.
func (g maker) id(taken map[string]bool) string {
	const first, other = "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789_.-"
	for {
		n := 1 + g.IntN(3)
		if g.IntN(10) == 0 {
			n = MaxID
		}
		b := []byte{first[g.IntN(len(first))]}
		for len(b) < n {
			b = append(b, other[g.IntN(len(other))])
		}
		if id := string(b); !taken[id] {
			taken[id] = true
			return id
		}
	}
}

func (g maker) flag() bool { return g.IntN(2) == 0 }

// envelope returns a valid envelope as Result would normalise it.
func (g maker) envelope() *Envelope {
	e := &Envelope{}
	if g.flag() {
		e.Title = g.text(0, MaxTitle)
	}
	ids := map[string]bool{}
	for range MinPrompts + g.IntN(MaxPrompts-MinPrompts+1) {
		e.Prompts = append(e.Prompts, g.prompt(ids))
	}
	return e
}

func (g maker) prompt(ids map[string]bool) Prompt {
	p := Prompt{ID: g.id(ids), Question: g.text(1, MaxQuestion), Optional: g.flag()}
	if g.flag() {
		p.Hint = g.text(0, MaxHint)
	}
	switch g.IntN(3) {
	case 0:
		in := &Choice{AllowMultiple: g.flag()}
		ids := map[string]bool{}
		for range MinOptions + g.IntN(MaxOptions-MinOptions+1) {
			o := Option{ID: g.id(ids), Label: g.text(1, MaxLabel)}
			if g.flag() {
				o.Description = g.text(0, MaxDescription)
			}
			in.Options = append(in.Options, o)
		}
		p.Input = in
	case 1:
		in := &Confirm{ConfirmLabel: DefaultConfirmLabel, CancelLabel: DefaultCancelLabel, Danger: g.flag()}
		if g.flag() {
			in.ConfirmLabel = g.text(1, MaxLabel)
		}
		if g.flag() {
			in.CancelLabel = g.text(1, MaxLabel)
		}
		p.Input = in
	case 2:
		in := &Text{Multiline: g.flag()}
		if g.flag() {
			in.Placeholder = g.text(0, MaxPlaceholder)
		}
		if g.flag() {
			in.DefaultValue = g.text(0, MaxDefaultValue)
		}
		p.Input = in
	}
	return p
}

// answers returns answers that ParseAnswers reads back: also to prompts that nobody asked, with ids
// outside the pattern.
func (g maker) answers() Answers {
	var a Answers
	for range 1 + g.IntN(6) {
		answer := Answer{ID: g.id(map[string]bool{})}
		if g.IntN(3) == 0 {
			answer.ID = g.text(1, 20)
		}
		switch g.IntN(3) {
		case 0:
			in := &ChoiceAnswer{Values: []string{}}
			for range g.IntN(4) {
				in.Values = append(in.Values, " "+g.text(1, 20)+"\n")
			}
			answer.Payload = in
		case 1:
			answer.Payload = &ConfirmAnswer{Confirmed: g.flag()}
		case 2:
			answer.Payload = &TextAnswer{Value: padding(g.Rand, spaceOfStrict) + g.text(0, 60) + padding(g.Rand, spaceOfStrict)}
		}
		a.Answers = append(a.Answers, answer)
	}
	return a
}

// generated returns n envelopes, the same ones each time.
func generated(n int) []*Envelope {
	envelopes := make([]*Envelope, n)
	for i := range envelopes {
		envelopes[i] = newMaker(uint64(i)).envelope()
	}
	return envelopes
}

// clone returns a deep copy of e.
func clone(e *Envelope) *Envelope {
	out := &Envelope{Title: e.Title, Skipped: slices.Clone(e.Skipped)}
	for _, p := range e.Prompts {
		switch in := p.Input.(type) {
		case *Choice:
			p.Input = &Choice{Options: slices.Clone(in.Options), AllowMultiple: in.AllowMultiple}
		case *Confirm:
			same := *in
			p.Input = &same
		case *Text:
			same := *in
			p.Input = &same
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out
}

// coverage counts what the generated envelopes had, so that a test of them cannot be one of nothing.
func coverage(envelopes []*Envelope) map[string]int {
	seen := map[string]int{}
	count := func(what string, s string, high int) {
		if s == "" {
			seen[what+" absent"]++
			return
		}
		seen[what]++
		if utf8.RuneCountInString(s) == high {
			seen[what+" of full length"]++
		}
		if strings.ContainsAny(s, "\u2028\x00\"😀") {
			seen[what+" with nasty characters"]++
		}
	}
	for _, e := range envelopes {
		seen[fmt.Sprintf("%d prompts", len(e.Prompts))]++
		count("title", e.Title, MaxTitle)
		for _, p := range e.Prompts {
			count("question", p.Question, MaxQuestion)
			count("hint", p.Hint, MaxHint)
			seen[fmt.Sprintf("optional %v", p.Optional)]++
			switch in := p.Input.(type) {
			case *Choice:
				seen[fmt.Sprintf("%d options, multiple %v", len(in.Options), in.AllowMultiple)]++
				for _, o := range in.Options {
					count("label", o.Label, MaxLabel)
					count("description", o.Description, MaxDescription)
				}
			case *Confirm:
				count("confirmLabel", in.ConfirmLabel, MaxLabel)
				count("cancelLabel", in.CancelLabel, MaxLabel)
				seen[fmt.Sprintf("danger %v", in.Danger)]++
			case *Text:
				count("placeholder", in.Placeholder, MaxPlaceholder)
				count("defaultValue", in.DefaultValue, MaxDefaultValue)
				seen[fmt.Sprintf("multiline %v", in.Multiline)]++
			}
		}
	}
	return seen
}
