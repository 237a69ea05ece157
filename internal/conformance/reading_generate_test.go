package conformance

import (
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What TestReadByTheRules tries: envelopes that are odd, and messages that nearly
// answer them.

// The kinds of messages.
const (
	kindClear      = "clear"      // right answers in plain lines
	kindWords      = "words"      // lines of all sorts
	kindWhole      = "whole"      // one value without an id
	kindStructured = "structured" // answers in JSON, right and wrong
	kindSummary    = "summary"    // of answers that hold
	kindDamaged    = "damaged"    // one of the others, changed
)

var triedKinds = []string{kindClear, kindWords, kindWhole, kindStructured, kindSummary, kindDamaged}

var (
	plainIDs = []string{"a", "b", "sure", "bucket", "note", "delete.x", "x-1", "why"}
	oddIDs   = []string{
		"A", "Sure", "a:b", "a=b", "a->b", "- a", "1. a", "a b", "a.", "a,b", `"a"`, "'sure'", "*a*", "`a`", "**", "-",
		"a\u001d", "\u001da", "a\u0085", "\u0085a", "a\u200b", "a\u3164", "\u3164", "a\u00a0", "a\nb", "a\u2028b", "a\tb", "a\\b",
		"ſure", "K", "k", "İd", "ıd", "id", "ß", "ẞ", "σ", "ς", "Σ", "да", "ДА", "\uac00", "\u1100\u1161", "é", "e\u0301",
		"{a}", "\ufffd", "don’t", "don't", "a：b", "→",
	}
	buttonLabels = []string{
		"", "", "Confirm", "Cancel", "Canceled", "Cancel.", "Cancelled", "cancel\u3164", "Confirm!", "confirm…", "Confirmed", "Yes", "yes?", "No",
		"Don’t delete", "Don't delete", "Do not delete", "dont", "No, keep", "Nothing else, delete", "Yes, keep it", "Yes, delete", "yesterday", "Delete", "Delete.", "Delete?",
		"Keep", "“Keep”", "Keep it", "Abort", "True", "false", "1. No", "'No' again", "…", "\u3164", "Löschen", "Удалить", "УДАЛИТЬ", "Διαγραφής", "ΔΙΑΓΡΑΦΉΣ", "\uc0ad\uc81c", "削除", "取消", "OK",
		"Delete 3 files", " Delete ", "K", "Straße", "(Keep)", "Go, go", "Ne pas",
		`"Delete"`, "**Keep**", "Not confirmed", "Can't", "' No, keep", "' '", "Never mind",
	}
	optionIDs    = []string{"a", "b", "c", "u", "prod", "staging", "x", "y", "z", "A", "1", "b2", "one", "a, b", "a b", "a\u001d", "and", "k", "K", "no", "b and c", "\u3164", "é"}
	optionLabels = []string{
		"Avatars", "Uploads", "Salt and pepper", "Salt", "pepper", "A", "B", "C", "A, B", "A and B", "B and C", "A; B", "a", "b", "c", "u", "prod", "staging", "Staging",
		"3 days", "2 days", "1 day", "Three days", "Two days", "One day", "Second", "someone", "二", "千", "Ⅱ", "x²", "٣", "Frankfurt", "Frankfurt?", "Paris.", "Paris!", "Paris", "Yes", "No", "Cancel", "Other…", "Other...",
		"a: confirmed", "sure: no", "Plan II", "Double",
		"- a", "“A”", "*b*", "& C", "and B", "R&D", "R & D", "Да", "ДА", "Σίγμας", "ΣΊΓΜΑΣ", "\uac00", "\u1100\u1161", "İstanbul", "istanbul", "Straße", "STRAẞE", "K", "K", "ſalt", "\u3164", "a\u200bb", "Don’t know", "don't know", "東京、大阪", "東京", "大阪", "No one", "the  end",
	}
	values = []string{
		"confirmed", "cancelled", "canceled", "cancel", "yes", "no", "true", "false", "Confirm", "Cancel", "yes?", "ok", "okay", "y", "sure", "👍", "maybe", "", "...", "“”", "\u3164", "1", "2", "2.", "3)", "02", "+1", "１", "1, 2", "a, b", "a and b", "A and B", "A, B and C",
		"a, and b", "a,, b", "a & b", "a、b", "and", "a and", ",", "Delete", "Keep", "no, keep", "nope", "don't", "not yet", "confirmed but wait", "ja", "да", "old", "It is empty.", "all", "none",
	}
	marks       = []string{"*", "*", "**", "`", `"`, "'", "“", "”", "«", "»", "„", "‘", "’", "「", "」", "***", "``", `*"`, `"*`}
	markers     = []string{"", "", "", "- ", "* ", "• ", "+ ", "– ", "1. ", "2) ", "12.\t", "-\u001d", "-", "> ", "– \u0085", "1.", "—  "}
	separations = []string{":", ": ", ": ", " : ", "：", "=", " = ", "＝", "->", " -> ", "=>", " => ", "→", "\u0085:\u001d", ":\t", ":\u3000", " ", "::", ": : ", ":=", "-", "->>", " - "}
	indents     = []string{"", "", "", "", " ", "  ", "   ", "\t", "\u00a0\u00a0", "\u3000", " \t", "\u001d", "\ufeff", "\u2002\u2002", "  \t"}
	ends        = []string{"", "", "", ".", "!", "。", "！", "．", " .", "!!!", "?", "…", ",", ";", "...", " ! ", ":", "؟", "\u200b", "\u3164", " ", "\u0301"}
	garbage     = []string{"Thanks!", "wait", "not yet", "see above", "> sure: no", "```", "---", "{", "answer: 3", "su re: no", "http://x", "https://a", "?", ":", "= a", "\u200b"}
	inserted    = []rune("::=,.!?-*\"' \n\n  aAbsSkK1{}[\\\u001d\u0085\u00a0\u2028\u200b\u3164\ufeff\u0301’“”и가ßİ\r\v\x00&、")
)

// oddEnvelope returns an envelope that the lenient side might show, or that
// somebody made in Go.
func (g *Generator) oddEnvelope() *clarify.Envelope {
	e := &clarify.Envelope{}
	if g.Chance(25) {
		e.Skipped = []clarify.Skipped{{Part: clarify.PartOption, Path: "prompts[0].options[0]", Code: clarify.CodeMissing}}
	}
	odd := g.Flag()
	n := Pick(g, 1, 1, 2, 2, 3, 4, 5)
	for len(e.Prompts) < n {
		p := clarify.Prompt{ID: Pick(g, plainIDs...), Question: "Q", Optional: g.Chance(3)}
		switch {
		case odd && g.Chance(3):
			p.ID = Pick(g, oddIDs...)
		case odd && g.Chance(20) && len(e.Prompts) > 0:
			p.ID = Pick(g, e.Prompts...).ID
		case odd && g.Chance(20) && len(e.Prompts) > 0:
			p.ID = g.nearly(Pick(g, e.Prompts...).ID)
		case odd && g.Chance(200):
			p.ID += "\xff"
		}
		if !odd && slices.ContainsFunc(e.Prompts, func(other clarify.Prompt) bool { return other.ID == p.ID }) {
			continue
		}
		p.Input = g.oddInput()
		if odd && g.Chance(200) {
			p.Input = Pick[clarify.Input](g, nil, (*clarify.Confirm)(nil), (*clarify.Choice)(nil), (*clarify.Text)(nil))
		}
		e.Prompts = append(e.Prompts, p)
	}
	return e
}

func (g *Generator) oddInput() clarify.Input {
	switch g.IntN(5) {
	case 0:
		return &clarify.Text{}
	case 1, 2:
		in := &clarify.Confirm{Danger: !g.Chance(3)}
		if g.Flag() {
			in.ConfirmLabel = Pick(g, buttonLabels...)
		}
		if g.Flag() {
			in.CancelLabel = Pick(g, buttonLabels...)
		}
		if g.Chance(6) {
			in.CancelLabel = Pick(g, "", "Not ", "(", "Do not ") + in.ConfirmLabel + Pick(g, "", " later", ")", "-ish")
		}
		if g.Chance(8) {
			in.ConfirmLabel = g.nearly(in.ConfirmLabel)
		}
		return in
	}
	in := &clarify.Choice{AllowMultiple: g.Flag()}
	odd := g.Flag()
	for range Pick(g, 2, 2, 3, 3, 4, 6) {
		o := clarify.Option{ID: Pick(g, optionIDs...), Label: Pick(g, optionLabels...)}
		same := func(other clarify.Option) bool { return other.ID == o.ID || other.Label == o.Label }
		for n := 0; n < 10 && (!odd || !g.Chance(10)) && slices.ContainsFunc(in.Options, same); n++ {
			o = clarify.Option{ID: Pick(g, optionIDs...), Label: Pick(g, optionLabels...)}
		}
		switch {
		case odd && g.Chance(12) && len(in.Options) > 0:
			o.Label = Pick(g, in.Options...).ID
		case odd && g.Chance(12) && len(in.Options) > 0:
			o.Label = g.nearly(Pick(g, in.Options...).Label)
		case odd && g.Chance(12) && len(in.Options) > 0:
			o.Label = Pick(g, in.Options...).Label + Pick(g, ", ", " and ", "; ") + Pick(g, in.Options...).Label
		case odd && g.Chance(300):
			o.ID += "\xff"
		}
		in.Options = append(in.Options, o)
	}
	return in
}

// nearly returns s in another case, with an invisible character in it, or with
// something at its ends.
func (g *Generator) nearly(s string) string {
	switch g.IntN(7) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	case 2:
		return strings.NewReplacer("s", "ſ", "k", "K", "K", "K", "a", "A", "σ", "ς", "'", "’", "\uac00", "\u1100\u1161").Replace(s)
	case 3:
		i := g.IntN(len(s) + 1)
		return s[:i] + Pick(g, "\u200b", "\u3164", " ", "\u00ad", "\ufe0f", "\u2800") + s[i:]
	case 4:
		return s + Pick(g, ends...)
	case 5:
		return Pick(g, indents...) + s + Pick(g, indents...)
	}
	return g.marked(s)
}

func (g *Generator) marked(s string) string {
	for range 1 + g.IntN(3) {
		mark := Pick(g, marks...)
		other := mark
		if g.Chance(4) {
			other = Pick(g, marks...)
		}
		s = mark + s + other
		if g.Flag() {
			break
		}
	}
	return s
}

// messageTo returns a message and its kind.
func (g *Generator) messageTo(e *clarify.Envelope) (kind, message string) {
	if len(e.Prompts) == 0 {
		return kindWords, g.wordLines(e)
	}
	switch kind = Pick(g, triedKinds...); kind {
	case kindClear:
		return kind, g.clearLines(e)
	case kindWords:
		return kind, g.wordLines(e)
	case kindWhole:
		p := Pick(g, e.Prompts...)
		return kind, Pick(g, indents...) + g.value(e, p) + Pick(g, "", "", "\n", "\r\n", " ")
	case kindStructured:
		return kind, g.structured(e)
	case kindSummary:
		return kind, g.rightAnswers(e).Summary()
	}
	_, message = g.messageTo(e)
	for range 1 + g.IntN(3) {
		message = g.damaged(message)
	}
	return kind, message
}

// right returns a value that should answer p, in plain words.
func (g *Generator) right(p clarify.Prompt) string {
	switch in := p.Input.(type) {
	case *clarify.Choice:
		if in == nil {
			return "x"
		}
		one := func() string {
			i := g.IntN(len(in.Options))
			return Pick(g, in.Options[i].ID, in.Options[i].Label, in.Options[i].Label, string(rune('1'+i)))
		}
		s := one()
		for in.AllowMultiple && g.Flag() {
			s += Pick(g, ", ", "; ", "、", ",") + one()
		}
		if in.AllowMultiple && g.Chance(3) {
			s += Pick(g, " and ", " & ", ", and ") + one()
		}
		return s
	case *clarify.Confirm:
		if in == nil {
			return "x"
		}
		if g.Chance(4) {
			return Pick(g, "cancelled", "no", "false", "cancel", in.CancelLabel)
		}
		return Pick(g, "confirmed", "confirmed", "yes", "true", in.ConfirmLabel)
	}
	return Pick(g, "old", "It is empty.", "see above", "x, y and z")
}

// clearLines returns a line with a right value for each prompt.
func (g *Generator) clearLines(e *clarify.Envelope) string {
	s := ""
	for _, i := range g.Perm(len(e.Prompts)) {
		p := e.Prompts[i]
		id := p.ID
		if !idPattern.MatchString(id) {
			id = quoteID(id)
		}
		s += Pick(g, "", "", "- ", "1. ") + id + Pick(g, ": ", ": ", " = ", " -> ", ":") + g.right(p) + Pick(g, "\n", "\n", "\r\n", "\n\n")
	}
	return s
}

// value returns a value for p, right or not.
func (g *Generator) value(e *clarify.Envelope, p clarify.Prompt) string {
	s := g.right(p)
	if g.Chance(4) {
		s = Pick(g, values...)
	}
	if g.Chance(8) {
		s = g.right(Pick(g, e.Prompts...))
	}
	if g.Chance(3) {
		s = g.nearly(s)
	}
	if g.Chance(6) {
		s = Pick(g, "- ", "* ", "•", "+ ", "– ", "1. ") + s
	}
	if g.Chance(5) {
		s = g.marked(s)
	}
	if g.Chance(5) {
		s += Pick(g, ends...)
	}
	return s
}

// namingLine returns a line that names p, or nearly.
func (g *Generator) namingLine(e *clarify.Envelope, p clarify.Prompt) string {
	id := p.ID
	switch g.IntN(8) {
	case 0:
		id = g.nearly(id)
	case 1:
		id = g.marked(id)
	case 2, 3:
		if !idPattern.MatchString(id) || g.Chance(4) {
			id = quoteID(id)
		}
	}
	s := id
	if g.Flag() {
		s = Pick(g, markers...) + s
	}
	separator := ": "
	if g.Flag() {
		separator = Pick(g, separations...)
	}
	s += separator
	if choice, _, _ := inputsOf(p); choice != nil && g.Chance(5) {
		for range g.IntN(4) {
			s += "\n" + Pick(g, indents...) + Pick(g, "- ", "* ", "1. ", "") + g.right(p)
		}
		return s
	}
	s += g.value(e, p)
	for g.Chance(6) {
		s += Pick(g, "\n", "\n", "\r\n", "\u2028") + Pick(g, "  ", "  ", "   ", " ", "\t") + Pick(g, g.right(p), "", Pick(g, e.Prompts...).ID+": "+Pick(g, "no", "confirmed", "x"), Pick(g, garbage...))
	}
	return s
}

func (g *Generator) wordLines(e *clarify.Envelope) string {
	var b strings.Builder
	for range 1 + g.IntN(len(e.Prompts)+2) {
		b.WriteString(Pick(g, indents...))
		if n := g.IntN(16); n == 0 || len(e.Prompts) == 0 {
			b.WriteString(Pick(g, garbage...))
		} else if n > 1 {
			b.WriteString(g.namingLine(e, Pick(g, e.Prompts...)))
		}
		b.WriteString("\n")
		if g.Chance(5) {
			b.WriteString(Pick(g, lineBreaks...))
		}
	}
	return b.String()
}

// rightAnswers returns answers that hold, to some or all prompts.
func (g *Generator) rightAnswers(e *clarify.Envelope) clarify.Answers {
	var a clarify.Answers
	all := g.Flag()
	for _, i := range g.Perm(len(e.Prompts)) {
		p := e.Prompts[i]
		answer := clarify.Answer{ID: p.ID}
		choice, confirm, text := inputsOf(p)
		switch {
		case !all && g.Chance(3):
			continue
		case choice != nil:
			values := []string{Pick(g, choice.Options...).ID}
			for _, o := range choice.Options {
				if choice.AllowMultiple && o.ID != values[0] && g.Chance(3) {
					values = append(values, o.ID)
				}
			}
			answer.Payload = &clarify.ChoiceAnswer{Values: values}
		case confirm != nil:
			answer.Payload = &clarify.ConfirmAnswer{Confirmed: !g.Chance(4)}
		case text != nil && g.Chance(3):
			answer.Payload = &clarify.TextAnswer{Value: g.hostileText(e) + "."}
		default:
			answer.Payload = &clarify.TextAnswer{Value: g.right(p)}
		}
		a.Answers = append(a.Answers, answer)
	}
	return a
}

// structured returns answers in JSON, most of them with something wrong.
func (g *Generator) structured(e *clarify.Envelope) string {
	entries := Array()
	for _, a := range g.rightAnswers(e).Answers {
		entry := Object("id", a.ID, "kind", string(a.Kind()))
		switch payload := a.Payload.(type) {
		case *clarify.ChoiceAnswer:
			entry.With("values", payload.Values)
		case *clarify.ConfirmAnswer:
			entry.With("confirmed", payload.Confirmed)
		case *clarify.TextAnswer:
			entry.With("value", payload.Value)
		}
		entries.Append("", entry)
	}
	message := Object("protocol", clarify.Protocol, "answers", entries)
	for g.Chance(2) {
		g.spoil(e, message)
	}
	if g.Chance(4) {
		message.Reverse()
	}
	if g.Chance(4) {
		return g.Respell(message)
	}
	return Pick(g, "", "", " ", "\ufeff", "\u001d") + message.Compact() + Pick(g, "", "\n")
}

// anyMember returns a value that a member should not have, or should.
func (g *Generator) anyMember() any {
	return Pick[any](g, nil, true, false, "true", "no", "", " \u0085", "\u200b", 3, Array(), Array("a"), Array("a", "b"), Array(nil, 1, "", "a", "a"), Array(1, Array(" ")),
		Object("no", "\t"), Object("x", Array("stop", 1)), Object("x", Object("y", "z")), "a", "confirm", " text\u00a0", "choice\u0085", "Choice", "x\ny")
}

// spoil changes one thing in structured answers.
func (g *Generator) spoil(e *clarify.Envelope, message *Value) {
	entries := message.elems[1]
	if len(entries.elems) == 0 || g.Chance(12) {
		entries.Append("", Object("id", Pick(g, e.Prompts...).ID, "kind", Pick(g, "confirm", "choice", "text", "x"), Pick(g, "confirmed", "values", "value"), g.anyMember()))
		return
	}
	entry := entries.elems[g.IntN(len(entries.elems))]
	if !entry.IsObject() || entry.Len() == 0 {
		return
	}
	switch g.IntN(9) {
	case 0:
		entry.Set(Pick(g, "id", "kind", "values", "confirmed", "value"), g.anyMember())
	case 1:
		entry.With(Pick(g, "id", "kind", "values", "confirmed", "value", "comment"), g.anyMember())
	case 2:
		entry.With(Pick(g, "comment", "note", "Confirmed", "reason", "value", "x"), g.anyMember())
	case 3:
		message.With(Pick(g, "comment", "title", "Answers", "x", "x"), g.anyMember())
	case 4:
		entry.Set("id", g.nearly(Pick(g, e.Prompts...).ID))
	case 5:
		entries.Append("", entry.Clone())
		if g.Flag() {
			again := entries.elems[entries.Len()-1]
			again.Set(again.keys[len(again.keys)-1], g.anyMember())
		}
	case 6:
		entry.With("id", Pick(g, e.Prompts...).ID)
	case 7:
		if values := entry.Get("values"); values != nil && values.typ == typeArray {
			values.Append("", Pick[any](g, nil, 1, "", " ", "a", "A", "b", "zz", Array("a"), g.nearly("a")))
			return
		}
		entry.Remove(Pick(g, entry.keys...))
	case 8:
		entries.Append("", g.anyMember())
	}
}

// damaged returns the message with one thing changed.
func (g *Generator) damaged(message string) string {
	runes := []rune(message)
	i, j := g.IntN(len(runes)+1), g.IntN(len(runes)+1)
	i, j = min(i, j), min(max(i, j), i+8)
	j = min(j, len(runes))
	switch g.IntN(8) {
	case 0:
		return string(runes[:i]) + string(Pick(g, inserted...)) + string(runes[i:])
	case 1:
		return string(runes[:i]) + string(runes[min(i+1, len(runes)):])
	case 2:
		return string(runes[:j]) + string(runes[i:])
	case 3:
		if i+1 < len(runes) {
			runes[i], runes[i+1] = runes[i+1], runes[i]
		}
		return string(runes)
	case 4:
		if i < len(runes) {
			runes[i] = Pick(g, inserted...)
		}
		return string(runes)
	case 5:
		return string(runes[:i]) + Pick(g, garbage...) + string(runes[i:])
	}
	lines := splitLines(message)
	if len(lines) == 0 {
		return Pick(g, garbage...)
	}
	i, j = g.IntN(len(lines)), g.IntN(len(lines))
	switch g.IntN(4) {
	case 0:
		lines[i], lines[j] = lines[j], lines[i]
	case 1:
		lines = slices.Insert(lines, i, lines[j])
	case 2:
		lines = slices.Delete(lines, i, i+1)
	case 3:
		lines[i] = Pick(g, indents...) + lines[i]
	}
	if g.Chance(100) && len(lines) > 0 {
		lines[0] = "\xff" + lines[0]
	}
	return strings.Join(lines, "")
}
