package clarify

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a reply in words is read. Whatever is in doubt answers nothing.

// text reads the message in words. It reports whether a prompt was answered,
// be it in conflict with another answer.
func (r *replyReader) text(message string) bool {
	body := trim(message, anySpace)
	if len(message) > MaxSize || body == "" || body[0] == '{' || body[0] == '[' {
		return false
	}
	message = toUTF8(message)
	var open *idLine
	begun := false
	number, end := 0, 0
	for line := range lines(message) {
		number++
		end += len(line)
		content := strings.TrimRightFunc(line, isLineBreak)
		indented := content != unindent(content)
		if open != nil && indented {
			open.value = append(open.value, unindent(content))
			open.source = message[end-len(line)-len(open.source) : end]
			continue
		}
		r.close(open)
		open = nil
		if trim(content, anySpace) == "" {
			continue
		}
		if i, value, ok := r.idLine(content); ok && !indented {
			begun = true
			open = &idLine{prompt: i, path: "line " + strconv.Itoa(number), value: []string{value}, source: line}
		} else {
			r.remainder = append(r.remainder, line...)
		}
	}
	r.close(open)
	if !begun {
		r.bare(toUTF8(body))
	}
	if len(r.remainder) > 0 {
		r.doubtDanger()
	}
	return r.isText
}

// An idLine is a line that starts an answer, with the lines that continue it.
type idLine struct {
	prompt int // its index, or ambiguous
	path   string
	value  []string
	source string
}

// idLine splits a line "id: value", where id is exactly a prompt's.
func (r *replyReader) idLine(line string) (prompt int, value string, ok bool) {
	found := false
	try := func(id, rest string) {
		if i, known := r.prompts[trim(id, anySpace)]; known {
			ok = !found // two ways to read the line are none
			prompt, value, found = i, rest, true
		}
	}
	for _, head := range []string{line, withoutMarker(line)} {
		if id, rest, quoted := quotedID(head); quoted {
			for _, sep := range separators {
				if after, has := strings.CutPrefix(rest, sep); has {
					try(id, after)
				}
			}
		}
		for _, sep := range separators {
			if before, after, has := strings.Cut(head, sep); has {
				try(before, after)
			}
		}
		if found {
			break
		}
	}
	return prompt, value, ok
}

var separators = [...]string{":", "=", "->", "→"}

// quotedID cuts an id that is written exactly as a summary writes it, as a JSON
// string, from the head of a line.
func quotedID(line string) (id, rest string, ok bool) {
	if line == "" || line[0] != '"' {
		return "", "", false
	}
	s := scanner{src: line}
	v := s.string()
	if s.fault != "" {
		return "", "", false
	}
	var a arena
	id = a.text(v)
	return id, strings.TrimLeftFunc(line[s.pos:], anySpace), summaryID(id) == line[:s.pos]
}

// withoutMarker removes a list marker and the space behind it.
func withoutMarker(line string) string {
	rest := line
	if after := strings.TrimLeft(line, "0123456789"); after != line && strings.HasPrefix(after, ".") {
		rest = after[1:]
	} else if r, size := utf8.DecodeRuneInString(line); r == '-' || r == '*' || r == '•' {
		rest = line[size:]
	}
	item := strings.TrimLeftFunc(rest, anySpace)
	if rest == line || item == rest {
		return line
	}
	return item
}

// unindent removes the indentation of a line that continues a value: at most
// two characters of white space, what a summary puts there.
func unindent(line string) string {
	for range 2 {
		if r, size := utf8.DecodeRuneInString(line); anySpace(r) {
			line = line[size:]
		}
	}
	return line
}

// close judges the answer that l has begun. What does not answer its prompt is
// a violation and part of the remainder.
func (r *replyReader) close(l *idLine) {
	if l == nil {
		return
	}
	value := trim(strings.Join(l.value, "\n"), anySpace)
	if l.prompt == ambiguous {
		r.isText = true
		r.violate(l.path, CodeAmbiguousID, quote(l.source), "an id that one prompt has")
		r.remainder = append(r.remainder, l.source...)
		return
	}
	if p, rule, ok := r.match(l.prompt, l.path, value); ok {
		r.isText = true
		r.take(l.prompt, p, Evidence{Path: l.path, Rule: rule})
		return
	}
	r.remainder = append(r.remainder, l.source...)
}

// match reads value as an answer to the prompt, or notes what is wrong with it.
func (r *replyReader) match(prompt int, path, value string) (Payload, Rule, bool) {
	p := &r.e.Prompts[prompt]
	if p.Kind() == "" {
		return nil, "", false
	}
	switch in := p.Input.(type) {
	case *Choice:
		if values, rule := r.offer(prompt, in).match(value); rule != "" {
			return &ChoiceAnswer{Values: values}, rule, true
		}
		r.violate(path, CodeUnknownOption, quote(value), "the id, label or number of an option that was offered")
	case *Confirm:
		if d, rule := in.match(value); d != Undecided {
			return &ConfirmAnswer{Confirmed: d == Confirmed}, rule, true
		}
		r.violate(path, CodeUnclear, quote(value), wordConfirmed+" or "+wordCancelled)
	case *Text:
		if value != "" || p.Optional {
			return &TextAnswer{Value: value}, RuleText, true
		}
		r.violate(path, CodeBlank, quote(value), "a text that is not blank")
	}
	return nil, "", false
}

// bare reads the whole message as the answer to the only prompt: a choice, or a
// confirm without danger, of an envelope that was read whole.
func (r *replyReader) bare(body string) {
	if len(r.e.Prompts) != 1 || len(r.e.Skipped) > 0 {
		return
	}
	switch in := r.e.Prompts[0].Input.(type) {
	case *Choice:
	case *Confirm:
		if in.isDanger() {
			return
		}
	default:
		return
	}
	const path = "message"
	if p, rule, ok := r.match(0, path, body); ok {
		r.isText = true
		r.remainder = nil
		r.take(0, p, Evidence{Path: path, Rule: rule})
	}
}

// doubtDanger takes back what confirmed a danger: there are words beside it
// that were not understood, and they may say anything.
func (r *replyReader) doubtDanger() {
	for _, i := range r.order {
		t := r.takes[i]
		in, ok := t.payload.(*ConfirmAnswer)
		if ok && in.Confirmed && !t.void && r.e.Prompts[i].Input.(*Confirm).Danger {
			t.void = true
			r.violate(t.evidence.Path, CodeUnclear, wordConfirmed+" beside words that were not understood", "nothing else in the message")
		}
	}
}

// An offer is a choice's options, by what may name them.
type offer struct {
	*Choice
	ids     map[string]int // the index; ambiguous where two options bear it
	labels  map[string]int // likewise, by label, ASCII case ignored
	looks   map[string]int // likewise, by what the eye sees of the label
	numbers bool           // options go by number: no label or id could be meant by one
}

// offer returns what the choice of prompt i offers.
func (r *replyReader) offer(i int, c *Choice) *offer {
	if r.offers[i] == nil {
		r.offers[i] = newOffer(c)
	}
	return r.offers[i]
}

func newOffer(c *Choice) *offer {
	n := len(c.Options)
	o := &offer{c, make(map[string]int, n), make(map[string]int, n), make(map[string]int, n), true}
	add := func(to map[string]int, key string, i int) {
		if _, taken := to[key]; taken {
			i = ambiguous
		}
		to[key] = i
	}
	for i := range c.Options {
		id, label := c.Options[i].ID, c.Options[i].Label
		add(o.ids, id, i)
		add(o.labels, lower(trim(label, anySpace)), i)
		add(o.looks, seen(label), i)
		if isNumber(label) || isNumber(id) {
			o.numbers = false
		}
	}
	return o
}

// has reports whether one option, and no other, has the id.
func (o *offer) has(id string) bool {
	i, ok := o.ids[id]
	return ok && i != ambiguous
}

// match returns the options that value names, each once, and how; the rule is
// empty if it names none for sure.
func (o *offer) match(value string) ([]string, Rule) {
	if !o.AllowMultiple {
		id, rule := o.matchOne(value)
		return []string{id}, rule
	}
	// What a summary prints reads back, whatever the labels are.
	if !o.areIDs(value) {
		if id, rule := o.matchOne(value); rule != "" {
			return []string{id}, rule
		}
	}
	var ids []string
	named := make(map[string]bool)
	weakest := 0
	for part := range strings.SplitSeq(value, ",") {
		id, rule := o.matchOne(trim(part, anySpace))
		if rule == "" {
			return nil, ""
		}
		if !named[id] {
			named[id] = true
			ids = append(ids, id)
		}
		weakest = max(weakest, slices.Index(byStrength, rule))
	}
	return ids, byStrength[weakest]
}

// byStrength has the rules for an option from the surest on.
var byStrength = []Rule{RuleOptionID, RuleLabel, RuleNumber}

// areIDs reports whether value is ids as a summary joins them.
func (o *offer) areIDs(value string) bool {
	for id := range strings.SplitSeq(value, ", ") {
		if !o.has(id) {
			return false
		}
	}
	return true
}

// matchOne returns the one option that s names by its id, else its label, else,
// where that is sure, its number.
func (o *offer) matchOne(s string) (id string, rule Rule) {
	i, ok := o.ids[s]
	rule = RuleOptionID
	if !ok {
		i, ok = o.labels[lower(s)]
		rule = RuleLabel
		if ok && o.looks[seen(s)] == ambiguous {
			i = ambiguous // the eye would not tell which
		}
	}
	if !ok && o.numbers {
		i, ok = o.number(s)
		rule = RuleNumber
	}
	if !ok || i == ambiguous || !o.has(o.Options[i].ID) {
		return "", ""
	}
	return o.Options[i].ID, rule
}

// number returns the index of the option whose number, from 1, is s: 2, 2. or
// 2).
func (o *offer) number(s string) (int, bool) {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, ")") {
		s = s[:len(s)-1]
	}
	n, err := strconv.Atoi(s)
	return n - 1, err == nil && strconv.Itoa(n) == s && 1 <= n && n <= len(o.Options)
}

// isNumber reports whether s reads as a number: digits, and no letters.
func isNumber(s string) bool {
	return strings.ContainsFunc(s, unicode.IsNumber) && !strings.ContainsFunc(s, unicode.IsLetter)
}

// match returns what the word says, and by which rule. It is Undecided if no
// rule knows the word, or if it could be meant the other way round.
func (c *Confirm) match(word string) (decided Decision, rule Rule) {
	confirm, cancel := c.confirmLabel(), c.cancelLabel()
	for _, w := range [...]struct {
		word string
		is   Decision
		rule Rule
	}{
		{wordConfirmed, Confirmed, RuleWord},
		{wordCancelled, Cancelled, RuleWord},
		{confirm, Confirmed, RuleButton},
		{cancel, Cancelled, RuleButton},
		{"yes", Confirmed, RuleYesNo},
		{"true", Confirmed, RuleYesNo},
		{"no", Cancelled, RuleYesNo},
		{"false", Cancelled, RuleYesNo},
	} {
		switch {
		case lower(w.word) != lower(word):
		case decided == Undecided:
			decided, rule = w.is, w.rule
		case decided != w.is:
			return Undecided, ""
		}
	}
	other, otherDefault := cancel, DefaultCancelLabel
	if decided == Cancelled {
		other, otherDefault = confirm, DefaultConfirmLabel
	}
	if decided != Undecided && isDoubtful(word, rule, other, otherDefault) {
		return Undecided, ""
	}
	return decided, rule
}

// isDoubtful reports whether the word could be meant for the other button: it
// looks like its label, or like the default one; or it is not a label itself,
// and the other label begins with it.
func isDoubtful(word string, rule Rule, other, otherDefault string) bool {
	word, other = seen(word), seen(other)
	begins := strings.HasPrefix(strings.TrimLeftFunc(other, func(r rune) bool { return !unicode.IsLetter(r) }), word)
	return word == other || word == seen(otherDefault) || begins && rule != RuleButton
}

// lower makes ASCII letters lower-case, and no others.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// remainderOf is the remainder of a message of which nothing was understood.
func remainderOf(message string) string {
	if trim(message, anySpace) == "" {
		return ""
	}
	return message
}
