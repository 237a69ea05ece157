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
		if values, rule := in.match(value); rule != "" {
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

// match returns the options that value names, each once, and how; the rule is
// empty if it names none for sure.
func (c *Choice) match(value string) ([]string, Rule) {
	numbers := c.numbers()
	if !c.AllowMultiple {
		id, rule := c.matchOne(value, numbers)
		return []string{id}, rule
	}
	// What a summary prints reads back, whatever the labels are.
	if ids := strings.Split(value, ", "); !c.areIDs(ids) {
		if id, rule := c.matchOne(value, numbers); rule != "" {
			return []string{id}, rule
		}
	}
	var ids []string
	weakest := RuleOptionID
	for part := range strings.SplitSeq(value, ",") {
		id, rule := c.matchOne(trim(part, anySpace), numbers)
		if rule == "" {
			return nil, ""
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if slices.Index(byStrength, rule) > slices.Index(byStrength, weakest) {
			weakest = rule
		}
	}
	return ids, weakest
}

// byStrength has the rules for an option from the surest on.
var byStrength = []Rule{RuleOptionID, RuleLabel, RuleNumber}

func (c *Choice) areIDs(values []string) bool {
	for _, v := range values {
		if c.count(v) != 1 {
			return false
		}
	}
	return true
}

// matchOne returns the one option that s names by its id, else its label, else,
// where numbers is true, its number.
func (c *Choice) matchOne(s string, numbers bool) (id string, rule Rule) {
	switch c.count(s) {
	case 0:
	case 1:
		return s, RuleOptionID
	default:
		return "", ""
	}
	found := -1
	for i := range c.Options {
		if sameLabel(c.Options[i].Label, s) {
			if found >= 0 {
				return "", ""
			}
			found, rule = i, RuleLabel
		}
	}
	if found < 0 && numbers {
		found, rule = c.number(s), RuleNumber
	}
	if found < 0 || c.count(c.Options[found].ID) != 1 {
		return "", ""
	}
	return c.Options[found].ID, rule
}

// number returns the index of the option whose number, from 1, is s: 2, 2. or
// 2). It is -1 if there is none.
func (c *Choice) number(s string) int {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, ")") {
		s = s[:len(s)-1]
	}
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s || n < 1 || n > len(c.Options) {
		return -1
	}
	return n - 1
}

// numbers reports whether options go by their numbers: not if a label or an id
// could be meant by one.
func (c *Choice) numbers() bool {
	for i := range c.Options {
		if isNumber(c.Options[i].Label) || isNumber(c.Options[i].ID) {
			return false
		}
	}
	return true
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
		case !equalFold(w.word, word):
		case decided == Undecided:
			decided, rule = w.is, w.rule
		case decided != w.is:
			return Undecided, ""
		}
	}
	// A label may say the opposite of the button that it is on, or begin with a
	// word that says it.
	other := map[Decision][2]string{Confirmed: {cancel, DefaultCancelLabel}, Cancelled: {confirm, DefaultConfirmLabel}}[decided]
	if decided != Undecided && (equalFold(other[1], word) || rule == RuleYesNo && startsFold(other[0], word)) {
		return Undecided, ""
	}
	return decided, rule
}

func startsFold(s, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

// equalFold compares without regard to ASCII case, and to no other.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// remainderOf is the remainder of a message of which nothing was understood.
func remainderOf(message string) string {
	if trim(message, anySpace) == "" {
		return ""
	}
	return message
}
