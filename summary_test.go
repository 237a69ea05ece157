package clarify

import (
	"strings"
	"testing"
)

// lineBreaks are all that end a line for anybody.
var lineBreaks = []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"}

func TestSummary(t *testing.T) {
	text := func(id, value string) Answer { return Answer{id, &TextAnswer{value}} }
	for _, test := range []struct {
		answers []Answer
		want    string
	}{
		{nil, ""},
		{[]Answer{text("name", "main")}, "name: main"},
		{[]Answer{text("name", "")}, "name: "},
		{[]Answer{text("name", "  main ")}, "name:   main "},
		{[]Answer{{"a", &ConfirmAnswer{true}}, {"b", &ConfirmAnswer{false}}}, "a: confirmed\nb: cancelled"},
		{[]Answer{{"a", &ChoiceAnswer{[]string{"x", "y", "z"}}}}, "a: x, y, z"},
		{[]Answer{{"a", &ChoiceAnswer{[]string{"x, y", "z\nb: confirmed"}}}}, "a: x, y, z\n  b: confirmed"},
		{[]Answer{{"a", &ChoiceAnswer{}}, {"b", &ChoiceAnswer{[]string{"x"}}}}, "a: \nb: x"},
		{[]Answer{{"a", nil}, {"b", (*ConfirmAnswer)(nil)}, {"c", (*ChoiceAnswer)(nil)}, {"d", (*TextAnswer)(nil)}, {"e", foreignPayload{}}}, "a: \nb: \nc: \nd: \ne: "},
		{[]Answer{text("name", "a\nb: confirmed\n\n c"), text("b", "x")}, "name: a\n  b: confirmed\n  \n   c\nb: x"},
		{[]Answer{text("name", "a\r\n\r\nb")}, "name: a\r\n  \r\n  b"},
		{[]Answer{text("name", "a\n\rb")}, "name: a\n  \r  b"},
		{[]Answer{text("name", "\na")}, "name: \n  a"},
		{[]Answer{text("name", "a\n"), text("b", "x")}, "name: a\n\nb: x"},
		{[]Answer{text("name", "a\r"), text("b", "x")}, "name: a\r\nb: x"},
		{[]Answer{text("name", "a\xFF\nb\xC2\x85c")}, "name: a\xFF\n  b\u0085  c"},

		{[]Answer{text("a.b_c-1", "x")}, "a.b_c-1: x"},
		{[]Answer{text("", "x")}, `"": x`},
		{[]Answer{text("A", "x")}, `"A": x`},
		{[]Answer{text("a b", "x")}, `"a b": x`},
		{[]Answer{text("a: confirmed", "x")}, `"a: confirmed": x`},
		{[]Answer{text(`a"b\`, "x")}, `"a\"b\\": x`},
		{[]Answer{text("é<😀>", "x")}, `"é<😀>": x`},
		{[]Answer{text("a\nb: confirmed", "x")}, `"a\nb: confirmed": x`},
		{[]Answer{text("a\n\r\v\f\u0085\u2028\u2029b\x00\x1F", "x")}, `"a\n\r\u000b\f\u0085\u2028\u2029b\u0000\u001f": x`},
		{[]Answer{text("a"+strings.Repeat("b", MaxID), "x")}, `"a` + strings.Repeat("b", MaxID) + `": x`},
		{[]Answer{text("a"+strings.Repeat("b", MaxID-1), "x")}, "a" + strings.Repeat("b", MaxID-1) + ": x"},
	} {
		if got := (Answers{Answers: test.answers}).Summary(); got != test.want {
			t.Errorf("%+v:\ngot  %q\nwant %q", test.answers, got, test.want)
		}
	}
	for _, lineBreak := range lineBreaks {
		a := Answers{Answers: []Answer{text("name", "a"+lineBreak+"b: confirmed"+lineBreak), {"c", &ChoiceAnswer{[]string{"x" + lineBreak + "y", "z"}}}}}
		want := "name: a" + lineBreak + "  b: confirmed" + lineBreak + "\nc: x" + lineBreak + "  y, z"
		if got := a.Summary(); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", lineBreak, got, want)
		}
	}
	// Not line breaks.
	for _, other := range []string{"\t", "\x1C", "\x1F", "\u00A0", "\u200B", "\u2027", "\u202A", "\x84"} {
		if got := (Answers{Answers: []Answer{text("name", "a"+other+"b")}}).Summary(); got != "name: a"+other+"b" {
			t.Errorf("%q: got %q", other, got)
		}
	}
	// Skipped is not in it.
	a := Answers{Answers: []Answer{text("name", "main")}, Skipped: []Skipped{{PartAnswer, "answers[1]", CodeWrongType}}}
	if got := a.Summary(); got != "name: main" {
		t.Errorf("got %q", got)
	}
}

// TestSummaryCannotBeSpoofed: wherever a reader breaks lines, each line that is not indented and not
// empty is one answer, in order.
func TestSummaryCannotBeSpoofed(t *testing.T) {
	broken := 0
	for i := range 4 * envelopes {
		g := newMaker(uint64(i))
		a := g.answers()
		// Values that try to look like the answers, and ids that try to be several lines.
		for j := range a.Answers {
			parts := append(lineBreaks, "b: confirmed", "  ", " ", ": ", `"`, a.Answers[g.IntN(len(a.Answers))].ID, "x")
			var s string
			for range g.IntN(9) {
				s += parts[g.IntN(len(parts))]
			}
			switch p := a.Answers[j].Payload.(type) {
			case *TextAnswer:
				p.Value += s
			case *ChoiceAnswer:
				p.Values = append(p.Values, s, s)
			}
			if g.IntN(2) == 0 {
				a.Answers[j].ID += s
			}
		}
		lines := strings.FieldsFunc(a.Summary(), func(r rune) bool {
			return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r)
		})
		var starts []string
		for _, line := range lines {
			if !strings.HasPrefix(line, "  ") {
				starts = append(starts, line)
			}
		}
		broken += len(lines) - len(starts)
		if len(starts) != len(a.Answers) {
			t.Fatalf("%d answers read as %d: %q", len(a.Answers), len(starts), a.Summary())
		}
		for j, start := range starts {
			id := a.Answers[j].ID
			if !validID(id) {
				id = strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(appendString(nil, id)))
			}
			value, ok := strings.CutPrefix(start, id+": ")
			if !ok {
				t.Fatalf("line %d is %q, want the answer of %s", j, start, id)
			}
			if p, ok := a.Answers[j].Payload.(*ConfirmAnswer); ok && value != map[bool]string{true: "confirmed", false: "cancelled"}[p.Confirmed] {
				t.Fatalf("line %d is %q for %+v", j, start, p)
			}
		}
	}
	if broken == 0 {
		t.Error("no value had a line break")
	}
}
