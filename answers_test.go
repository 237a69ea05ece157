package clarify_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

func TestParseAnswersSkipped(t *testing.T) {
	good := clarify.Answer{ID: "ok", Payload: &clarify.ConfirmAnswer{Confirmed: true}}
	type read struct {
		answer  *clarify.Answer
		skipped []clarify.Skipped
	}
	gone := func(key string, code clarify.Code) read {
		return read{nil, []clarify.Skipped{{clarify.PartAnswer, "answers[1]" + key, code}}}
	}
	kept := func(id string, p clarify.Payload, skipped ...clarify.Skipped) read {
		return read{&clarify.Answer{id, p}, skipped}
	}
	value := func(key string, code clarify.Code) clarify.Skipped {
		return clarify.Skipped{clarify.PartValue, "answers[1].values" + key, code}
	}
	beside := func(code clarify.Code) clarify.Skipped { return clarify.Skipped{clarify.PartField, "answers[1]", code} }
	for entry, want := range map[string]read{
		`null`:    gone("", clarify.CodeWrongType),
		`"yes"`:   gone("", clarify.CodeWrongType),
		`[]`:      gone("", clarify.CodeWrongType),
		`{}`:      gone(".kind", clarify.CodeMissing),
		`{"x":1}`: gone(".kind", clarify.CodeMissing),
		`{"id":"a","kind":null,"confirmed":true}`:                                                gone(".kind", clarify.CodeMissing),
		`{"id":"a","kind":1,"confirmed":true}`:                                                   gone(".kind", clarify.CodeWrongType),
		`{"id":"a","kind":" ","confirmed":true}`:                                                 gone(".kind", clarify.CodeBlank),
		`{"id":"a","kind":"Confirm","confirmed":true}`:                                           gone(".kind", clarify.CodeUnknownKind),
		`{"kind":"confirm","confirmed":true}`:                                                    gone(".id", clarify.CodeMissing),
		`{"id":null,"kind":"confirm","confirmed":true}`:                                          gone(".id", clarify.CodeMissing),
		`{"id":["a"],"kind":"confirm","confirmed":true}`:                                         gone(".id", clarify.CodeWrongType),
		`{"id":"\uFEFF","kind":"confirm","confirmed":true}`:                                      gone(".id", clarify.CodeBlank),
		`{"id":"a","kind":"confirm"}`:                                                            gone(".confirmed", clarify.CodeMissing),
		`{"id":"a","kind":"confirm","confirmed":null}`:                                           gone(".confirmed", clarify.CodeMissing),
		`{"id":"a","kind":"confirm","confirmed":"true"}`:                                         gone(".confirmed", clarify.CodeWrongType),
		`{"id":"a","kind":"confirm","confirmed":"false"}`:                                        gone(".confirmed", clarify.CodeWrongType),
		`{"id":"a","kind":"confirm","confirmed":1}`:                                              gone(".confirmed", clarify.CodeWrongType),
		`{"id":"a","kind":"confirm","confirmed":[true]}`:                                         gone(".confirmed", clarify.CodeWrongType),
		`{"id":"a","kind":"confirm","Confirmed":true}`:                                           gone(".confirmed", clarify.CodeMissing),
		`{"id":"a","kind":"confirm","confirmed\u0000":true}`:                                     gone(".confirmed", clarify.CodeMissing),
		`{"id":"a","kind":"confirm","value":true}`:                                               gone(".confirmed", clarify.CodeMissing),
		`{"id":"a","kind":"confirm","confirmed":true,"confirmed":"yes"}`:                         gone(".confirmed", clarify.CodeWrongType),
		`{"id":"a","kind":"confirm","confirmed":true,"confirmed":false}`:                         kept("a", &clarify.ConfirmAnswer{}, beside(clarify.CodeDuplicateKey)),
		`{"id":"a","kind":"confirm","confirmed":true,"note":"not yet"}`:                          kept("a", &clarify.ConfirmAnswer{true}, beside(clarify.CodeUnknownKey)),
		`{"id":"a","kind":"confirm","confirmed":true,"note":"\n\uFEFF"}`:                         kept("a", &clarify.ConfirmAnswer{true}),
		`{"id":"a","kind":"confirm","confirmed":true,"x":{"y":[1,"z"]},"x":0}`:                   kept("a", &clarify.ConfirmAnswer{true}, beside(clarify.CodeDuplicateKey), beside(clarify.CodeUnknownKey)),
		`{"id":" a\uFEFF","kind":"\tconfirm ","confirmed":true,"value":5,"values":{},"x":1e999}`: kept("a", &clarify.ConfirmAnswer{true}),
		`{"id":"a","kind":"text"}`:                                                               gone(".value", clarify.CodeMissing),
		`{"id":"a","kind":"text","value":null}`:                                                  gone(".value", clarify.CodeMissing),
		`{"id":"a","kind":"text","value":5}`:                                                     gone(".value", clarify.CodeWrongType),
		`{"id":"a","kind":"text","value":true}`:                                                  gone(".value", clarify.CodeWrongType),
		`{"id":"a","kind":"text","value":["a"]}`:                                                 gone(".value", clarify.CodeWrongType),
		`{"id":"a","kind":"text","value":""}`:                                                    kept("a", &clarify.TextAnswer{}),
		`{"id":"A ?","kind":"text","value":" a\n"}`:                                              kept("A ?", &clarify.TextAnswer{" a\n"}),
		`{"id":"a","kind":"choice"}`:                                                             gone(".values", clarify.CodeMissing),
		`{"id":"a","kind":"choice","values":null}`:                                               gone(".values", clarify.CodeMissing),
		`{"id":"a","kind":"choice","values":"b"}`:                                                gone(".values", clarify.CodeWrongType),
		`{"id":"a","kind":"choice","values":{"0":"b"}}`:                                          gone(".values", clarify.CodeWrongType),
		`{"id":"a","kind":"choice","values":["b"],"values":"b"}`:                                 gone(".values", clarify.CodeWrongType),
		`{"id":"a","kind":"choice","values":[1,2],"values":["b"]}`:                               kept("a", &clarify.ChoiceAnswer{[]string{"b"}}, beside(clarify.CodeDuplicateKey)),
		`{"id":"a","kind":"choice","values":[]}`:                                                 kept("a", &clarify.ChoiceAnswer{[]string{}}),
		`{"id":"a","kind":"choice","values":[" b ","b","\u0085"]}`:                               kept("a", &clarify.ChoiceAnswer{[]string{" b ", "b", "\u0085"}}),
		`{"id":"a","kind":"choice","values":[null]}`:                                             kept("a", &clarify.ChoiceAnswer{[]string{}}, value("[0]", clarify.CodeMissing)),
		`{"id":"a","kind":"choice","values":["b",null,5,""," ",true,["c"],{"id":"d"},"\uFEFF","e"]}`: kept("a", &clarify.ChoiceAnswer{[]string{"b", "e"}},
			value("[1]", clarify.CodeMissing), value("[2]", clarify.CodeWrongType), value("[3]", clarify.CodeBlank), value("[4]", clarify.CodeBlank),
			value("[5]", clarify.CodeWrongType), value("[6]", clarify.CodeWrongType), value("[7]", clarify.CodeWrongType), value("[8]", clarify.CodeBlank)),
	} {
		const ok = `{"id":"ok","kind":"confirm","confirmed":true}`
		a, err := clarify.ParseAnswers(wire(`"answers":[` + ok + `,` + entry + `,` + ok + `]`))
		wanted := clarify.Answers{Answers: []clarify.Answer{good, good}, Skipped: want.skipped}
		if want.answer != nil {
			wanted.Answers = []clarify.Answer{good, *want.answer, good}
		}
		require.NoError(t, err, entry)
		assert.Equal(t, wanted, a, entry)
		// Alone it is the same, or nothing.
		a, err = clarify.ParseAnswers(wire(`"answers":[` + entry + `]`))
		if want.answer == nil {
			assert.ErrorIs(t, err, clarify.ErrNotAnswers, entry)
			continue
		}
		require.NoError(t, err, entry)
		assert.Equal(t, []clarify.Answer{*want.answer}, a.Answers, entry)
	}
}

func TestNotAnswers(t *testing.T) {
	const entries = `"answers":[{"id":"a","kind":"confirm","confirmed":true}]`
	for _, text := range []string{
		"", " ", "yes", "a: confirmed", "Error: x", "null", "[]", "true", "{}", quoted(wire(entries)), "[" + wire(entries) + "]", "\u0085" + wire(entries), "x" + wire(entries),
		wire(entries) + "x", wire(entries) + wire(entries), wire(entries)[:40], wire(`"answers":[]`), wire(`"answers":null`), wire(`"answers":{}`), wire(`"answers":"[]"`),
		wire(`"a":1`), wire(`"Answers":[]`), wire(entries + `,"answers":null`), wire(entries + `,"answers":[]`), "{" + entries + "}", textOutput,
		`{"protocol":"appwrite.clarify/v2",` + entries + `}`, `{"protocol":"appwrite.clarify/v1 ",` + entries + `}`, `{"protocol":1,` + entries + `}`,
		wire(entries + `,"protocol":"x"`), `{"Protocol":"appwrite.clarify/v1",` + entries + `}`,
	} {
		a, err := clarify.ParseAnswers(text)
		assert.ErrorIs(t, err, clarify.ErrNotAnswers, text)
		assert.Zero(t, a, text)
	}
	want := clarify.Answers{Answers: []clarify.Answer{{"a", &clarify.ConfirmAnswer{true}}}}
	for _, text := range []string{
		wire(entries), " \uFEFF\u2028" + wire(entries) + "\v\n", `{"\u0070rotocol":"\u0061ppwrite.clarify\/v1",` + entries + `}`, wire(entries + `,"prompts":[]`),
	} {
		a, err := clarify.ParseAnswers(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, a, text)
	}
	for text, code := range map[string]clarify.Code{
		wire(`"answers":null,` + entries):                                 clarify.CodeDuplicateKey,
		`{` + entries + `,"protocol":1,"protocol":"appwrite.clarify/v1"}`: clarify.CodeDuplicateKey,
		wire(entries + `,"note":["not yet"]`):                             clarify.CodeUnknownKey,
	} {
		a, err := clarify.ParseAnswers(text)
		assert.NoError(t, err, text)
		want.Skipped = []clarify.Skipped{{clarify.PartField, "answers", code}}
		assert.Equal(t, want, a, text)
	}
}

// lineBreaks are all line breaks that any reader knows.
var lineBreaks = []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"}

func TestSummary(t *testing.T) {
	text := func(id, value string) clarify.Answer { return clarify.Answer{id, &clarify.TextAnswer{value}} }
	for _, test := range []struct {
		answers []clarify.Answer
		want    string
	}{
		{nil, ""},
		{[]clarify.Answer{text("name", "main")}, "name: main"},
		{[]clarify.Answer{text("name", "")}, "name: "},
		{[]clarify.Answer{text("name", "  main ")}, "name:   main "},
		{[]clarify.Answer{{"a", &clarify.ConfirmAnswer{true}}, {"b", &clarify.ConfirmAnswer{false}}}, "a: confirmed\nb: cancelled"},
		{[]clarify.Answer{{"a", &clarify.ChoiceAnswer{[]string{"x", "y", "z"}}}}, "a: x, y, z"},
		{[]clarify.Answer{{"a", &clarify.ChoiceAnswer{[]string{"x, y", "z\nb: confirmed"}}}}, "a: x, y, z\n  b: confirmed"},
		{[]clarify.Answer{{"a", &clarify.ChoiceAnswer{}}, {"b", &clarify.ChoiceAnswer{[]string{"x"}}}}, "a: \nb: x"},
		{[]clarify.Answer{{"a", nil}, {"b", (*clarify.ConfirmAnswer)(nil)}, {"c", (*clarify.ChoiceAnswer)(nil)}, {"d", (*clarify.TextAnswer)(nil)}, {"e", foreignPayload{}}}, "a: \nb: \nc: \nd: \ne: "},
		{[]clarify.Answer{text("name", "a\nb: confirmed\n\n c"), text("b", "x")}, "name: a\n  b: confirmed\n  \n   c\nb: x"},
		{[]clarify.Answer{text("name", "a\r\n\r\nb")}, "name: a\r\n  \r\n  b"},
		{[]clarify.Answer{text("name", "a\n\rb")}, "name: a\n  \r  b"},
		{[]clarify.Answer{text("name", "\na")}, "name: \n  a"},
		{[]clarify.Answer{text("name", "a\n"), text("b", "x")}, "name: a\n\nb: x"},
		{[]clarify.Answer{text("name", "a\r"), text("b", "x")}, "name: a\r\nb: x"},
		{[]clarify.Answer{text("name", "a\xFF\nb\xC2\x85c")}, "name: a\xFF\n  b\u0085  c"},

		{[]clarify.Answer{text("a.b_c-1", "x")}, "a.b_c-1: x"},
		{[]clarify.Answer{text("", "x")}, `"": x`},
		{[]clarify.Answer{text("A", "x")}, `"A": x`},
		{[]clarify.Answer{text("a b", "x")}, `"a b": x`},
		{[]clarify.Answer{text("a: confirmed", "x")}, `"a: confirmed": x`},
		{[]clarify.Answer{text(`a"b\`, "x")}, `"a\"b\\": x`},
		{[]clarify.Answer{text("é<😀>", "x")}, `"é<😀>": x`},
		{[]clarify.Answer{text("a\nb: confirmed", "x")}, `"a\nb: confirmed": x`},
		{[]clarify.Answer{text("a\n\r\v\f\u0085\u2028\u2029b\x00\x1F", "x")}, `"a\n\r\u000b\f\u0085\u2028\u2029b\u0000\u001f": x`},
		{[]clarify.Answer{text("a"+strings.Repeat("b", clarify.MaxID), "x")}, `"a` + strings.Repeat("b", clarify.MaxID) + `": x`},
		{[]clarify.Answer{text("a"+strings.Repeat("b", clarify.MaxID-1), "x")}, "a" + strings.Repeat("b", clarify.MaxID-1) + ": x"},
	} {
		assert.Equal(t, test.want, clarify.Answers{Answers: test.answers}.Summary(), "%+v", test.answers)
	}
	for _, lineBreak := range lineBreaks {
		a := clarify.Answers{Answers: []clarify.Answer{text("name", "a"+lineBreak+"b: confirmed"+lineBreak), {"c", &clarify.ChoiceAnswer{[]string{"x" + lineBreak + "y", "z"}}}}}
		want := "name: a" + lineBreak + "  b: confirmed" + lineBreak + "\nc: x" + lineBreak + "  y, z"
		assert.Equal(t, want, a.Summary())
	}
	// Not line breaks.
	for _, other := range []string{"\t", "\x1C", "\x1F", "\u00A0", "\u200B", "\u2027", "\u202A", "\x84"} {
		assert.Equal(t, "name: a"+other+"b", clarify.Answers{Answers: []clarify.Answer{text("name", "a"+other+"b")}}.Summary())
	}
	// Skipped is not in it.
	a := clarify.Answers{Answers: []clarify.Answer{text("name", "main")}, Skipped: []clarify.Skipped{{clarify.PartAnswer, "answers[1]", clarify.CodeWrongType}}}
	assert.Equal(t, "name: main", a.Summary())
}

// TestSummaryCannotBeSpoofed: for every way to break lines, each line that is not indented and not empty
// is one answer, in order.
func TestSummaryCannotBeSpoofed(t *testing.T) {
	escapes := strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`)
	validID := regexp.MustCompile(clarify.IDPattern)
	broken := 0
	for i := range uint64(1600) {
		g := conformance.New(i)
		a := g.Answers()
		// Values that try to look like the answers, and ids that try to be several lines.
		for j := range a.Answers {
			parts := append(lineBreaks, "b: confirmed", "  ", " ", ": ", `"`, conformance.Pick(g, a.Answers...).ID, "x")
			s := ""
			for range g.IntN(9) {
				s += conformance.Pick(g, parts...)
			}
			switch p := a.Answers[j].Payload.(type) {
			case *clarify.TextAnswer:
				p.Value += s
			case *clarify.ChoiceAnswer:
				p.Values = append(p.Values, s, s)
			}
			if g.Flag() {
				a.Answers[j].ID += s
			}
		}
		lines := strings.FieldsFunc(a.Summary(), func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) })
		var starts []string
		for _, line := range lines {
			if !strings.HasPrefix(line, "  ") {
				starts = append(starts, line)
			}
		}
		broken += len(lines) - len(starts)
		require.Len(t, starts, len(a.Answers), "%q", a.Summary())
		for j, start := range starts {
			id := a.Answers[j].ID
			if !validID.MatchString(id) {
				id = escapes.Replace(quoted(id))
			}
			value, ok := strings.CutPrefix(start, id+": ")
			require.True(t, ok, "line %d is %q, want the answer of %s", j, start, id)
			if p, ok := a.Answers[j].Payload.(*clarify.ConfirmAnswer); ok {
				require.Equal(t, map[bool]string{true: "confirmed", false: "cancelled"}[p.Confirmed], value)
			}
		}
	}
	assert.NotZero(t, broken, "values with a line break")
}
