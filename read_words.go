package clarify

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file reads a message in words. Whatever is in doubt answers nothing. The
// rules are in docs/rules.md.

// Answer returns the answer that the words give to p, by the rules for the value
// of a line "id: words" in a message. It returns nil if the words are blank and p
// is optional. The error is a [Violation], whose Path is "message".
func (p Prompt) Answer(words string) (Payload, error) {
	value := text.Trim(text.ToUTF8(words), text.AnySpace)
	if value == "" && p.Optional {
		return nil, nil
	}
	q := newQuestion(&p)
	payload, _, f := q.in.fromWords(&q, value)
	switch {
	case f.code != "":
		return nil, f.violation(wholeMessage)
	case payload == nil: // no Input
		return nil, fault{CodeUnknownKind, text.Quote(value), wantKind}.violation(wholeMessage)
	}
	return payload, nil
}

// wholeMessage is the path of an answer that is the whole message.
const wholeMessage = "message"

// words reads the message in words. It reports whether a prompt was answered, even
// if another answer contradicts it.
func (r *replyReader) words(message string) bool {
	body := text.Trim(message, text.AnySpace)
	if len(message) > MaxSize || body == "" || body[0] == '{' || body[0] == '[' {
		return false
	}
	message = text.ToUTF8(message)
	var open *idLine
	begun := false
	number, end := 0, 0
	for line := range text.Lines(message) {
		number++
		end += len(line)
		content := strings.TrimRightFunc(line, text.IsLineBreak)
		indented := content != unindent(content)
		if open != nil && indented {
			open.value = append(open.value, unindent(content))
			open.source = message[end-len(line)-len(open.source) : end]
			continue
		}
		r.close(open)
		open = nil
		if text.IsBlank(content) {
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
		r.bare(text.ToUTF8(body))
	}
	if len(r.remainder) > 0 {
		r.doubtDanger()
	}
	return r.isWords
}

// An idLine is a line that begins an answer, with the lines that continue it.
type idLine struct {
	prompt int // its index, or ambiguous
	path   string
	value  []string
	source string
}

// idLine splits a line "id: value" whose id is exactly a prompt's.
func (r *replyReader) idLine(line string) (prompt int, value string, ok bool) {
	found := false
	try := func(id, rest string) {
		if i, known := r.byID[text.Trim(id, text.AnySpace)]; known {
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

// quotedID cuts an id from the start of a line, if it is written as a summary
// writes it: as a JSON string.
func quotedID(line string) (id, rest string, ok bool) {
	if line == "" || line[0] != '"' {
		return "", "", false
	}
	s := jsontext.New(line)
	v := s.Value()
	if s.Failed() {
		return "", "", false
	}
	var a jsontext.Arena
	id = a.Text(v)
	return id, strings.TrimLeftFunc(line[s.Pos():], text.AnySpace), summaryID(id) == line[:s.Pos()]
}

// withoutMarker removes a list marker and the space behind it.
func withoutMarker(line string) string {
	rest := line
	if after := strings.TrimLeft(line, "0123456789"); after != line && strings.HasPrefix(after, ".") {
		rest = after[1:]
	} else if r, size := utf8.DecodeRuneInString(line); r == '-' || r == '*' || r == '•' {
		rest = line[size:]
	}
	item := strings.TrimLeftFunc(rest, text.AnySpace)
	if rest == line || item == rest {
		return line
	}
	return item
}

// unindent removes the indentation of a line that continues a value: at most
// two characters of white space, what a summary puts there.
func unindent(line string) string {
	for range 2 {
		if r, size := utf8.DecodeRuneInString(line); text.AnySpace(r) {
			line = line[size:]
		}
	}
	return line
}

// close judges the answer that l began. What does not answer its prompt is a
// violation and part of the remainder.
func (r *replyReader) close(l *idLine) {
	if l == nil {
		return
	}
	if l.prompt == ambiguous {
		r.isWords = true
		r.violate(l.path, fault{CodeAmbiguousID, text.Quote(l.source), "an id that one prompt has"})
		r.remainder = append(r.remainder, l.source...)
		return
	}
	if !r.match(&r.questions[l.prompt], l.path, text.Trim(strings.Join(l.value, "\n"), text.AnySpace)) {
		r.remainder = append(r.remainder, l.source...)
	}
}

// match takes value as an answer to q, or notes what is wrong with it.
func (r *replyReader) match(q *question, path, value string) bool {
	p, rule, f := q.in.fromWords(q, value)
	if f.code != "" {
		r.violate(path, f)
	}
	if p == nil {
		return false
	}
	r.isWords = true
	r.take(q, p, path, rule)
	return true
}

func (c *Choice) fromWords(q *question, value string) (Payload, Rule, fault) {
	values, rule := q.offered(c).match(value)
	if rule == "" {
		return nil, "", fault{CodeUnknownOption, text.Quote(value), "the id, label or number of an option that was offered"}
	}
	return &ChoiceAnswer{Values: values}, rule, fault{}
}

func (c *Confirm) fromWords(_ *question, value string) (Payload, Rule, fault) {
	decided, rule := c.match(value)
	if decided == Undecided {
		return nil, "", fault{CodeUnclear, text.Quote(value), wordConfirmed + " or " + wordCancelled}
	}
	return &ConfirmAnswer{Confirmed: decided == Confirmed}, rule, fault{}
}

func (*Text) fromWords(q *question, value string) (Payload, Rule, fault) {
	if value == "" && !q.Optional {
		return nil, "", fault{CodeBlank, text.Quote(value), "a text that is not blank"}
	}
	return &TextAnswer{Value: value}, RuleText, fault{}
}

func (noInput) fromWords(*question, string) (Payload, Rule, fault) { return nil, "", fault{} }

// bare reads the whole message as the answer to the only prompt, if that is a
// choice, or a confirm without danger, of an envelope that was read whole.
func (r *replyReader) bare(body string) {
	if len(r.questions) != 1 || len(r.e.Skipped) > 0 {
		return
	}
	q := &r.questions[0]
	if kind := q.in.Kind(); kind != KindChoice && kind != KindConfirm || q.isDanger() {
		return
	}
	if r.match(q, wholeMessage, body) {
		r.remainder = nil
	}
}

// doubtDanger takes back what confirmed a danger: beside it are words that were
// not understood, and they may say anything.
func (r *replyReader) doubtDanger() {
	for _, q := range r.order {
		if q.isDanger() && q.answered() && !isCancel(q.payload) {
			q.void = true
			r.violate(q.evidence.Path, fault{CodeUnclear, wordConfirmed + " beside words that were not understood", "nothing else in the message"})
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

// offered returns what c, the choice of q, offers.
func (q *question) offered(c *Choice) *offer {
	if q.offer == nil {
		q.offer = newOffer(c)
	}
	return q.offer
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
		add(o.labels, text.LowerASCII(text.Trim(label, text.AnySpace)), i)
		add(o.looks, text.Seen(label), i)
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
		id, rule := o.matchOne(text.Trim(part, text.AnySpace))
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
		i, ok = o.labels[text.LowerASCII(s)]
		rule = RuleLabel
		if ok && o.looks[text.Seen(s)] == ambiguous {
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
	confirm, cancel := c.labels()
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
		case text.LowerASCII(w.word) != text.LowerASCII(word):
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
	word, other = text.Seen(word), text.Seen(other)
	begins := strings.HasPrefix(strings.TrimLeftFunc(other, func(r rune) bool { return !unicode.IsLetter(r) }), word)
	return word == other || word == text.Seen(otherDefault) || begins && rule != RuleButton
}

// remainderOf is the remainder of a message of which nothing was understood.
func remainderOf(message string) string {
	if text.IsBlank(message) {
		return ""
	}
	return message
}
