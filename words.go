package clarify

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file decides what words mean for one prompt: the value of a line, or a
// whole message. The rules are in docs/rules.md; whatever is in doubt means
// nothing.

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
	if f.code != "" {
		return nil, f.violation(wholeMessage)
	}
	return payload, nil
}

func (c *Choice) fromWords(q *question, value string) (Payload, Rule, fault) {
	named := q.offered(c).match(value)
	if named.rule == "" {
		return nil, "", fault{CodeUnknownOption, text.Quote(value), "the id, label or number of an option that was offered"}
	}
	return &ChoiceAnswer{Values: named.ids}, named.rule, fault{}
}

func (c *Confirm) fromWords(q *question, value string) (Payload, Rule, fault) {
	decided, rule := q.pressed(c).match(value)
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

func (noInput) fromWords(_ *question, value string) (Payload, Rule, fault) {
	return nil, "", fault{CodeUnknownKind, text.Quote(value), wantKind}
}

// A phrase is a text in its forms: as it is, without a bullet, and each of the two
// without marks. A form that folds to nothing means nothing, and is not there.
type phrase []form

type form struct {
	text string
	fold string
	key  string // of the fold
	look string
}

func newPhrase(s string) phrase {
	p := unmarked(nil, s)
	if item := withoutBullet(s); item != s {
		p = unmarked(p, item)
	}
	return p
}

// unmarked appends the forms of s: as it is, and without each of its marks. The end of
// a text may stand behind the marks.
func unmarked(p phrase, s string) phrase {
	for range 1 + maxMarks {
		if fold := text.Fold(s); fold != "" {
			p = append(p, form{s, fold, text.Key(fold), text.LookOf(fold)})
		}
		opening, size := utf8.DecodeRuneInString(s)
		if isMark(opening) {
			s = text.Key(s)
		}
		closing, closingSize := utf8.DecodeLastRuneInString(s)
		if len(s) < size+closingSize || !isMark(opening) || !closes(opening, closing) {
			break
		}
		s = text.Trim(s[size:len(s)-closingSize], text.AnySpace)
	}
	return p
}

// number returns the number that the phrase is: 2, 2. or 2). It returns 0 if it is
// none.
func (p phrase) number() int {
	for _, f := range p {
		s := f.text
		if strings.HasSuffix(s, ".") || strings.HasSuffix(s, ")") {
			s = s[:len(s)-1]
		}
		if n, err := strconv.Atoi(s); err == nil && n > 0 && strconv.Itoa(n) == s {
			return n
		}
	}
	return 0
}

// An offer is a choice's options, by what may mean them.
type offer struct {
	several bool
	options []offered
	exact   map[string]int // the index by id; ambiguous where two options bear it
	ids     map[string]int // likewise, by the folded id
	looks   map[string]int // likewise, by the look of the label
	numbers bool           // options go by number: no label and no id has a digit
	joined  bool           // an id has in it what stands between parts: no value is split
}

type offered struct {
	id   string // the answer
	fold string // of the id
	key  string // of the folded label
	look string // of the label
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
	o := &offer{c.AllowMultiple, make([]offered, n), make(map[string]int, n), make(map[string]int, n), make(map[string]int, n), true, false}
	add := func(to map[string]int, key string, i int) {
		if _, taken := to[key]; taken {
			i = ambiguous
		}
		to[key] = i
	}
	for i := range c.Options {
		id, label := c.Options[i].ID, c.Options[i].Label
		o.options[i] = offered{id, text.Fold(id), text.Key(text.Fold(label)), text.Look(label)}
		add(o.exact, id, i)
		add(o.ids, o.options[i].fold, i)
		add(o.looks, o.options[i].look, i)
		if !utf8.ValidString(id) { // it could not be sent
			o.exact[id] = ambiguous
		}
		o.numbers = o.numbers && !hasDigit(id) && !hasDigit(label)
		o.joined = o.joined || strings.ContainsFunc(id, isPartEnd)
	}
	return o
}

// has reports whether one option, and no other, has the id.
func (o *offer) has(id string) bool {
	i, ok := o.exact[id]
	return ok && i != ambiguous
}

// A naming is the options that a text names, and how. The rule is empty if it
// names none for sure; means says that it could mean one all the same.
type naming struct {
	ids   []string
	rule  Rule
	means bool
}

// match returns the options that value names.
func (o *offer) match(value string) naming {
	if !o.several {
		return o.one(value)
	}
	switch isList := strings.ContainsFunc(value, isPartEnd); {
	case isList && o.joined: // one id, or several, as a summary writes both
		return naming{}
	case isList && o.areIDs(value): // a summary reads back
		return o.parts(strings.Split(value, ", "))
	}
	whole := o.one(value)
	parts := slices.DeleteFunc(strings.FieldsFunc(value, isPartEnd), text.IsBlank)
	if whole.rule != "" || whole.means && len(parts) != 1 {
		return whole
	}
	return o.parts(parts)
}

// areIDs reports whether value is ids as a summary joins them.
func (o *offer) areIDs(value string) bool {
	for id := range strings.SplitSeq(value, ", ") {
		if !o.has(id) {
			return false
		}
	}
	return true
}

// parts returns the options that the parts of a value name.
func (o *offer) parts(list []string) naming {
	all := make([]naming, 0, len(list)+1)
	for i, part := range list {
		part = text.Trim(part, text.AnySpace)
		one := o.one(part)
		if i < len(list)-1 || one.means {
			all = append(all, one)
			continue
		}
		if i > 0 {
			part = withoutAnd(part)
			one = o.one(part)
		}
		for range MaxOptions - 1 { // each time the whole is read again
			before, after, ok := cutAnd(part)
			if one.means || !ok {
				break
			}
			all = slices.Insert(all, i, o.one(after))
			part, one = before, o.one(before)
		}
		all = slices.Insert(all, i, one)
	}
	return join(all)
}

// one returns the option that a text names.
func (o *offer) one(s string) naming {
	const none = -2
	option := none
	mean := func(by map[string]int, key string) {
		switch i, ok := by[key]; {
		case !ok:
		case option == none:
			option = i
		case option != i:
			option = ambiguous
		}
	}
	p := newPhrase(s)
	for _, f := range p {
		if _, ok := o.ids[f.fold]; ok {
			mean(o.ids, f.fold)
		} else {
			mean(o.ids, f.key)
		}
		mean(o.looks, f.look)
	}
	var rule Rule
	if option == none && o.numbers {
		if n := p.number(); 0 < n && n <= len(o.options) {
			option, rule = n-1, RuleNumber
		}
	}
	if option < 0 || !o.has(o.options[option].id) {
		return naming{means: option != none}
	}
	is := &o.options[option]
	switch {
	case slices.ContainsFunc(p, func(f form) bool { return f.text == is.id }):
		rule = RuleOptionID
	case slices.ContainsFunc(p, func(f form) bool { return f.key == is.key }):
		rule = RuleLabel
	case slices.ContainsFunc(p, func(f form) bool { return f.fold == is.fold || f.key == is.fold }):
		rule = RuleOptionID
	}
	return naming{[]string{is.id}, rule, true}
}

// byStrength has the rules for an option from the surest on.
var byStrength = []Rule{RuleOptionID, RuleLabel, RuleNumber}

// join returns the options of all, each once. It names none if one of them does
// not.
func join(all []naming) naming {
	var out naming
	weakest := -1
	seen := make(map[string]bool)
	for _, n := range all {
		if n.rule == "" {
			return naming{}
		}
		if id := n.ids[0]; !seen[id] {
			seen[id] = true
			out.ids = append(out.ids, id)
		}
		weakest = max(weakest, slices.Index(byStrength, n.rule))
	}
	if weakest >= 0 {
		out.rule = byStrength[weakest]
	}
	return out
}

// isPartEnd reports whether r stands between two options.
func isPartEnd(r rune) bool { return strings.ContainsRune(",，、;；", r) || text.IsLineBreak(r) }

// withoutAnd removes "and" or "&" from the start of s.
func withoutAnd(s string) string {
	for _, and := range ands {
		if len(s) > len(and) && strings.EqualFold(s[:len(and)], and) {
			return afterMarker(s, s[len(and):])
		}
	}
	return s
}

var ands = [...]string{"and", "&"}

// cutAnd cuts s around its last "and" or "&" that has white space on both sides.
func cutAnd(s string) (before, after string, ok bool) {
	words := strings.FieldsFunc(s, text.AnySpace)
	for i := len(words) - 2; i > 0; i-- {
		if slices.ContainsFunc(ands[:], func(and string) bool { return strings.EqualFold(words[i], and) }) {
			return strings.Join(words[:i], " "), strings.Join(words[i+1:], " "), true
		}
	}
	return "", "", false
}

// hasDigit reports whether s has a digit of any script, a Chinese numeral, an English
// word for a number, or a Roman numeral.
func hasDigit(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsNumber(r) || strings.ContainsRune("〇零一二三四五六七八九十百千两兩", r)
	}) ||
		slices.ContainsFunc(letters(text.Norm(s)), isNumberWord) || slices.ContainsFunc(letters(text.Fold(s)), isNumberWord)
}

func isNumberWord(word string) bool { return numberWords[word] }

var numberWords = setOf("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
	"twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half dozen once twice single double triple " +
	"ii iii iv vi vii viii ix xi xii " +
	"first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// letters returns the runs of letters in s.
func letters(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// Buttons are a confirm's two buttons, by what may mean them.
type buttons struct {
	confirm, cancel button
	refuses         bool // what the confirm label does: neither it nor yes confirms
	isOwn           bool // the confirm label of a danger is its own: yes does not confirm
}

type button struct {
	key   string // of the Norm: what cannot be seen counts
	look  string
	fold  string
	start string // the fold, from the first letter on
	words map[string]bool
}

func newButton(label string) button {
	fold := text.Fold(label)
	words := make(map[string]bool)
	for _, word := range letters(fold) {
		words[word] = true
	}
	start := strings.TrimLeftFunc(fold, func(r rune) bool { return !unicode.IsLetter(r) })
	return button{text.Key(text.Norm(label)), text.LookOf(fold), fold, start, words}
}

var (
	defaultConfirm = text.Look(DefaultConfirmLabel)
	defaultCancel  = text.Look(DefaultCancelLabel)
)

// pressed returns the buttons of c, the confirm of q.
func (q *question) pressed(c *Confirm) *buttons {
	if q.buttons == nil {
		confirm, cancel := c.labels()
		q.buttons = &buttons{newButton(confirm), newButton(cancel), refuses(confirm), c.Danger && text.Look(confirm) != defaultConfirm}
	}
	return q.buttons
}

// match returns what the value says, and by which rule. It is Undecided if no rule
// knows the value, or if it could be meant the other way round.
func (b *buttons) match(value string) (decided Decision, rule Rule) {
	p := unmarked(nil, value)
	var words, labels []string
	for _, f := range p {
		words = append(words, text.Key(text.LowerASCII(f.text)))
		labels = append(labels, text.Key(text.Norm(f.text)))
	}
	is := func(word string) bool { return slices.Contains(words, word) }
	for _, says := range [...]struct {
		match bool
		what  Decision
		rule  Rule
	}{
		{is(wordConfirmed), Confirmed, RuleWord},
		{is(wordCancelled), Cancelled, RuleWord},
		{slices.Contains(labels, b.confirm.key), Confirmed, RuleButton},
		{slices.Contains(labels, b.cancel.key), Cancelled, RuleButton},
		{is("canceled") || is("cancel"), Cancelled, RuleWord},
		{is("yes") || is("true"), Confirmed, RuleYesNo},
		{is("no") || is("false"), Cancelled, RuleYesNo},
	} {
		switch {
		case !says.match:
		case decided == Undecided:
			decided, rule = says.what, says.rule
		case decided != says.what:
			return Undecided, ""
		}
	}
	if decided == Confirmed && (b.refuses && rule != RuleWord || b.isOwn && rule == RuleYesNo) {
		return Undecided, ""
	}
	own, other, otherDefault := b.confirm, b.cancel, defaultCancel
	if decided == Cancelled {
		own, other, otherDefault = b.cancel, b.confirm, defaultConfirm
	}
	for i, f := range p {
		if f.look == other.look || f.look == otherDefault || labels[i] != own.key && other.mayBe(f.key) {
			return Undecided, ""
		}
	}
	return decided, rule
}

// takesWords reports whether q is a confirm that the words for it decide. The labels, or an
// id that looks like its own, can make them ambiguous.
func (q *question) takesWords() bool {
	c, ok := q.in.(*Confirm)
	if !ok || len(q.alike.questions) > 1 {
		return false
	}
	yes, _ := q.pressed(c).match(wordConfirmed)
	no, _ := q.pressed(c).match(wordCancelled)
	return yes == Confirmed && no == Cancelled
}

// mayBe reports whether the label has the value as a word, or begins with it.
func (b *button) mayBe(value string) bool {
	return b.words[value] || strings.HasPrefix(b.start, value) || strings.HasPrefix(b.fold, value)
}

// refuses reports whether the first word of a label refuses.
func refuses(label string) bool {
	var words []string
	for _, word := range strings.FieldsFunc(text.Fold(label), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if word = strings.Trim(word, "'"); word != "" {
			words = append(words, word)
		}
	}
	return len(words) > 0 && (refusals[words[0]] || len(words) > 1 && words[0] == "do" && words[1] == "not")
}

var refusals = setOf("no not nope nah never none nothing cancel cancels canceled cancelled canceling cancelling cancelation cancellation " +
	"don't dont doesn't doesnt won't wont can't cant cannot abort aborted decline deny refuse reject dismiss disagree")
