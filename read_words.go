package clarify

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file finds the lines of a message that answer a prompt in words. What a
// value means is in words.go. The rules are in docs/rules.md; whatever is in doubt
// answers nothing.

// wholeMessage is the path of an answer that is the whole message.
const wholeMessage = "message"

// words reads the message in words. It reports whether a prompt was answered, even
// if something else in the message voids the answer.
func (r *replyReader) words(message string) bool {
	body := text.Trim(message, text.AnySpace)
	if len(message) > MaxSize || body == "" || body[0] == '{' || body[0] == '[' {
		return false
	}
	message, body = text.ToUTF8(message), text.ToUTF8(body)
	var open *idLine
	begun, named := false, false
	number, end := 0, 0
	for line := range text.Lines(message) {
		number++
		end += len(line)
		content := strings.TrimRightFunc(line, text.IsLineBreak)
		start := trimLeft(content)
		indented := strings.HasPrefix(content, indent)
		if open != nil && indented {
			open.add(content[len(indent):], message[:end])
			continue
		}
		var l *idLine
		if !indented || !begun { // what is indented belongs to something
			l = r.idLine(start, number, true)
		}
		begun = begun || start != ""
		if open != nil && open.isList && l == nil && start != "" {
			open.add(start, message[:end])
			continue
		}
		r.close(open)
		open = l
		switch {
		case l != nil:
			named = true
			l.start = end - len(line)
			l.source = line
		case start != "":
			r.remainder = append(r.remainder, line...)
		}
	}
	r.close(open)
	r.uncover()
	if !named {
		r.bare(body)
	}
	if len(r.remainder) > 0 {
		r.doubtDangers()
	}
	return r.isWords
}

// indent is what a summary writes before a line that continues a value.
const indent = "  "

func trimLeft(s string) string { return strings.TrimLeftFunc(s, text.AnySpace) }

// An idLine is a line that names a prompt, with the lines that continue its value.
type idLine struct {
	*question        // nil if the ids of several look the same
	several   *alike // those
	number    int
	isList    bool // a choice, whose options are listed in the lines below
	value     []string
	start     int // where its source starts in the message
	source    string
}

func (l *idLine) add(line, messageSoFar string) {
	l.value = append(l.value, line)
	l.source = messageSoFar[l.start:]
}

func linePath(number int) string { return "line " + strconv.Itoa(number) }

// idLine returns the line, which starts with no white space, if it names a prompt.
// If there are two ways to read it, it names none. Then, unless the line is in a value,
// all that is said about what they name is void.
func (r *replyReader) idLine(line string, number int, isLine bool) *idLine {
	heads := []string{line}
	if rest := withoutMarker(line); rest != line {
		heads = append(heads, rest)
	}
	for _, head := range heads { // an id that a summary has to quote
		if id, rest, ok := quotedID(head); ok {
			switch i, known := r.byID[id]; {
			case known && i == ambiguous:
				return newIDLine(nil, r.alike[text.Fold(id)], rest, number)
			case known:
				return newIDLine(&r.questions[i], nil, rest, number)
			}
		}
	}
	if r.names == nil {
		r.names = r.newNames()
	}
	var named []*alike
	value, inDoubt := "", false
	for _, head := range heads {
		for a, rest := range r.names.in(head) {
			if named == nil {
				value = rest
			}
			named = append(named, a)
			inDoubt = inDoubt || named[0] != a || value != rest
		}
	}
	switch {
	case named == nil:
		return nil
	case inDoubt:
		if isLine {
			r.violate(linePath(number), fault{CodeAmbiguousID, text.Quote(line), "a line that can be read in one way"})
			for _, a := range named {
				a.void = true
			}
		}
		return nil
	case len(named[0].questions) > 1:
		return newIDLine(nil, named[0], value, number)
	}
	return newIDLine(named[0].questions[0], nil, value, number)
}

func newIDLine(q *question, a *alike, value string, number int) *idLine {
	l := &idLine{question: q, several: a, number: number, value: []string{value}}
	if q != nil && text.IsBlank(value) {
		_, l.isList = q.in.(*Choice)
	}
	return l
}

// separators stand between an id and a value. A longer one comes before what it
// begins with.
var separators = [...]string{"=>", "->", ":", "：", "=", "＝", "→"}

// cutSeparator returns what follows the separator at the start of s.
func cutSeparator(s string) (after string, ok bool) {
	for _, sep := range separators {
		if after, ok = strings.CutPrefix(s, sep); ok {
			return after, true
		}
	}
	return "", false
}

// quotedID cuts an id and a separator from the start of a line, if the id is
// written as a summary writes it: as a JSON string.
func quotedID(line string) (id, value string, ok bool) {
	if line == "" || line[0] != '"' {
		return "", "", false
	}
	s := jsontext.New(line)
	v := s.Value()
	if s.Failed() {
		return "", "", false
	}
	var a jsontext.Arena
	if id = a.Text(v); summaryID(id) != line[:s.Pos()] {
		return "", "", false
	}
	value, ok = cutSeparator(trimLeft(line[s.Pos():]))
	return id, value, ok
}

// withoutMarker removes a list marker and the space behind it.
func withoutMarker(line string) string {
	digits := strings.TrimLeft(line, "0123456789")
	if digits != line && (strings.HasPrefix(digits, ".") || strings.HasPrefix(digits, ")")) {
		return afterMarker(line, digits[1:])
	}
	return withoutBullet(line)
}

func withoutBullet(line string) string {
	switch r, size := utf8.DecodeRuneInString(line); r {
	case '-', '–', '*', '•', '+':
		return afterMarker(line, line[size:])
	}
	return line
}

// afterMarker returns rest without the white space that has to be at its start, or
// else the line.
func afterMarker(line, rest string) string {
	if item := trimLeft(rest); item != rest {
		return item
	}
	return line
}

// isMark reports whether r can stand before and after an id or a value.
func isMark(r rune) bool { return r == '*' || r == '`' || unicode.Is(unicode.Quotation_Mark, r) }

// closes reports whether the mark r closes what the mark opening opens.
func closes(opening, r rune) bool {
	return r == opening || unicode.Is(unicode.Quotation_Mark, r) && unicode.Is(unicode.Quotation_Mark, opening)
}

// maxMarks is how many marks may stand one inside the other.
const maxMarks = 3

// names finds the ids of prompts at the start of a line, in any case.
type names []name // sorted by folded, which is unique

type name struct {
	folded string
	*alike
}

func (r *replyReader) newNames() names {
	list := make(names, 0, len(r.questions))
	for i := range r.questions {
		if q := &r.questions[i]; utf8.ValidString(q.ID) {
			list = append(list, name{strings.Map(text.FoldCase, q.ID), q.alike})
		}
	}
	slices.SortFunc(list, func(a, b name) int { return cmp.Compare(a.folded, b.folded) })
	return slices.CompactFunc(list, func(a, b name) bool { return a.folded == b.folded })
}

// in yields each name at the start of the line, in marks or without, that a
// separator follows, and what follows that.
func (list names) in(line string) iter.Seq2[*alike, string] {
	return func(yield func(*alike, string) bool) {
		var marks []rune
		for {
			for a, rest := range list.before(line, marks) {
				if !yield(a, rest) {
					return
				}
			}
			mark, size := utf8.DecodeRuneInString(line)
			if !isMark(mark) || len(marks) == maxMarks {
				return
			}
			marks = append(marks, mark)
			line = line[size:]
		}
	}
}

// before yields the names at the start of the line, where the closing marks and a
// separator follow. It narrows the list, byte by byte, to what begins as the line
// does, so its time is linear in the line.
func (list names) before(line string, marks []rune) iter.Seq2[*alike, string] {
	return func(yield func(*alike, string) bool) {
		length := 0   // of the folded id so far
		spaceEnd := 0 // the end of the white space that was skipped last
		var buf [4]byte
		for pos, r := range line {
			next := buf[:utf8.EncodeRune(buf[:], text.FoldCase(r))]
			list = list[sort.Search(len(list), func(i int) bool { return list[i].folded[length:] >= string(next) }):]
			list = list[:sort.Search(len(list), func(i int) bool { return !strings.HasPrefix(list[i].folded[length:], string(next)) })]
			if len(list) == 0 {
				return
			}
			if length += len(next); len(list[0].folded) > length {
				continue
			}
			end, ok := closeMarks(line, pos+utf8.RuneLen(r), marks)
			if !ok {
				continue
			}
			if end > spaceEnd {
				spaceEnd = len(line) - len(trimLeft(line[end:]))
			}
			if rest, ok := cutSeparator(line[spaceEnd:]); ok && !yield(list[0].alike, rest) {
				return
			}
		}
	}
}

// closeMarks returns the position behind the marks that close what marks opened.
func closeMarks(line string, pos int, marks []rune) (end int, ok bool) {
	for _, opening := range slices.Backward(marks) {
		r, size := utf8.DecodeRuneInString(line[pos:])
		if size == 0 || !closes(opening, r) {
			return 0, false
		}
		pos += size
	}
	return pos, true
}

// close judges the answer that l began. What does not answer its prompt is a
// violation and part of the remainder, and voids what else was said about it.
func (r *replyReader) close(l *idLine) {
	if l == nil {
		return
	}
	if l.several != nil {
		r.isWords = true
		r.refuseAll(l.several, linePath(l.number), fault{CodeAmbiguousID, text.Quote(l.source), "an id that one prompt has"})
		r.remainder = append(r.remainder, l.source...)
		return
	}
	r.hide(l.value, func(i int) string { return linePath(l.number + i) })
	p, rule, f := l.in.fromWords(l.question, text.Trim(strings.Join(l.value, "\n"), text.AnySpace))
	if f.code != "" {
		r.refuse(l.question, linePath(l.number), f)
		r.remainder = append(r.remainder, l.source...)
		return
	}
	r.isWords = true
	r.take(l.question, p, linePath(l.number), rule)
}

// A hidden is a line of a value that would name the question if it stood alone.
type hidden struct {
	*question
	path, line string
}

// hide notes the lines of a value that name a prompt, and where they are: each prompt
// once.
func (r *replyReader) hide(lines []string, path func(i int) string) {
	if !r.dangers {
		return
	}
	for i, line := range lines {
		line = trimLeft(line)
		r.hideLine(line, path(i))
		if bare := withoutDisguise(line); bare != line {
			r.hideLine(bare, path(i))
		}
	}
}

func (r *replyReader) hideLine(line, path string) {
	l := r.idLine(line, 0, false)
	if l == nil {
		return
	}
	named := []*question{l.question}
	if a := l.several; a != nil {
		if a.isHidden {
			return
		}
		a.isHidden = true
		named = a.questions
	}
	for _, q := range named {
		if !q.isHidden {
			q.isHidden = true
			r.hidden = append(r.hidden, hidden{q, path, line})
		}
	}
}

// withoutDisguise returns a line without what cannot be seen, and without what is no
// letter and no digit at its start, such as a mark of a quotation.
func withoutDisguise(line string) string {
	return strings.TrimLeftFunc(text.Visible(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// uncover voids what was said about a danger that a value hides another answer to.
func (r *replyReader) uncover() {
	for _, h := range r.hidden {
		if h.isDanger() && h.payload != nil {
			r.refuse(h.question, h.path, fault{CodeConflict, text.Quote(h.line), "one answer to a prompt, outside of another one"})
		}
	}
}

// bare reads the whole message as an answer: to the only prompt, if that is a
// choice, or a confirm without danger, of an envelope that was read whole; or as a
// refusal of the only confirm, which is safe.
func (r *replyReader) bare(body string) {
	var only *question
	confirms := 0
	for i := range r.questions {
		if q := &r.questions[i]; q.in.Kind() == KindConfirm {
			only = q
			confirms++
		}
	}
	isOne := len(r.questions) == 1 && len(r.e.Skipped) == 0
	if isOne && r.questions[0].in.Kind() == KindChoice {
		only = &r.questions[0]
	} else if confirms != 1 {
		return
	}
	if r.byID[only.ID] == ambiguous {
		return
	}
	p, rule, f := only.in.fromWords(only, body)
	if f.code != "" || !isCancel(p) && (!isOne || only.isDanger()) || isCancel(p) && r.meansOption(body) {
		return
	}
	r.isWords = true
	r.remainder = nil
	r.take(only, p, wholeMessage, rule)
}

// meansOption reports whether the words mean an option of any choice.
func (r *replyReader) meansOption(words string) bool {
	ids, looks := make(map[string]bool), make(map[string]bool)
	p := newPhrase(words)
	for i := range r.questions {
		if c, ok := r.questions[i].in.(*Choice); ok {
			o := r.questions[i].offered(c)
			if n := p.number(); n > 0 && n <= len(c.Options) && o.numbers {
				return true
			}
			for _, n := range o.options {
				ids[n.fold], looks[n.look] = true, true
			}
		}
	}
	return slices.ContainsFunc(p, func(f form) bool { return ids[f.fold] || ids[f.key] || looks[f.look] })
}
