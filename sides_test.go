package clarify

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// All differences between the strict side, which reads a call, and the lenient side, which reads
// what a tool returned: a row each, as in the table of the package documentation.
//
// What is not here is the same on both sides: keys match byte for byte, of duplicate keys the last
// wins, unknown fields and those of another kind are ignored, null is absent, a lone surrogate is
// U+FFFD, and the bounds on size and depth.

// A sideRow is one difference. Its text is what the table says; the cases prove it.
type sideRow struct {
	what, strict, lenient string
	cases                 []sideCase
}

// A sideCase is a pair of inputs that differ only where the sides do: the arguments of a call and
// what a tool returned.
type sideCase struct {
	arguments, output string
	strict, lenient   side
}

// A side is what one side makes of its input: canonical JSON, or why there is none. faults are the
// violations of the strict side, and what the lenient side notes as skipped.
type side struct {
	json   string
	err    error // of the lenient side
	faults string
}

func accepts(json string) side       { return side{json: json} }
func refuses(faults string) side     { return side{faults: faults} }
func notOurs(err error) side         { return side{err: err} }
func keeps(json, faults string) side { return side{json: json, faults: faults} }

// both are the arguments and the output with the same members.
func both(members string) (arguments, output string) {
	return `{` + members + `}`, `{"protocol":"` + Protocol + `",` + members + `}`
}

func sameInput(members string, strict, lenient side) sideCase {
	arguments, output := both(members)
	return sideCase{arguments, output, strict, lenient}
}

// promptJSON is the canonical JSON of a text prompt, with more members before required.
func promptJSON(id, question, more string) string {
	return fmt.Sprintf(`{"id":%s,"kind":"text","question":%s,%s"required":true,"multiline":false}`, jsonOf(id), jsonOf(question), more)
}

func envelopeJSON(members string) string { return `{"protocol":"` + Protocol + `",` + members + `}` }

var sideRows = func() []sideRow {
	one := `"prompts":[` + promptJSON("a", "A?", "") + `]`
	whole := envelopeJSON(one)
	onlyOne := accepts(whole)
	two := func(second string) string { return `"prompts":[` + promptJSON("a", "A?", "") + `,` + second + `]` }
	choice := func(options string) string {
		return `"prompts":[{"id":"c","kind":"choice","question":"C?","required":true,"options":[` + options + `],"allowMultiple":false}]`
	}
	const x, y = `{"id":"x","label":"X"}`, `{"id":"y","label":"Y"}`
	options := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`{"id":"o%d","label":"O"}`, i)
		}
		return strings.Join(all, ",")
	}
	prompts := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = promptJSON(fmt.Sprintf("p%d", i), "P?", "")
		}
		return `"prompts":[` + strings.Join(all, ",") + `]`
	}
	around := func(before, after string, strict, lenient side) sideCase {
		arguments, output := both(one)
		return sideCase{before + arguments + after, before + output + after, strict, lenient}
	}
	long := strings.Repeat("é", MaxHint+1)
	deep := `"x":` + nested("[", "", "]", MaxDepth) + `,` + one

	return []sideRow{{
		"the protocol", "not looked at", "exactly Protocol",
		[]sideCase{
			{`{` + one + `}`, `{` + one + `}`, onlyOne, notOurs(ErrNotEnvelope)},
			{`{"protocol":1,` + one + `}`, `{"protocol":1,` + one + `}`, onlyOne, notOurs(ErrNotEnvelope)},
			{`{"protocol":"appwrite.clarify/v2",` + one + `}`, `{"protocol":"appwrite.clarify/v2",` + one + `}`, onlyOne, notOurs(ErrVersion)},
		},
	}, {
		"prompts in a string", "decoded, once", "not an envelope",
		[]sideCase{
			sameInput(`"prompts":`+jsonOf(`[`+promptJSON("a", "A?", "")+`]`), onlyOne, notOurs(ErrNotEnvelope)),
			sameInput(`"prompts":`+jsonOf(jsonOf(`[]`)), refuses("prompts wrong_type"), notOurs(ErrNotEnvelope)),
		},
	}, {
		"a prompt outside an array", "one prompt", "not an envelope",
		[]sideCase{
			sameInput(`"prompts":`+promptJSON("a", "A?", ""), onlyOne, notOurs(ErrNotEnvelope)),
		},
	}, {
		"white space around the text", "JSON's", "JavaScript's trim",
		[]sideCase{
			around(" \t\r\n", " \t\r\n", onlyOne, onlyOne),
			around("\uFEFF", "", refuses("arguments syntax"), onlyOne),
			around("", "\u00A0\u2028\v\f", refuses("arguments syntax"), onlyOne),
			around("\u0085", "", refuses("arguments syntax"), notOurs(ErrNotEnvelope)),
		},
	}, {
		"what is not JSON", "syntax, and where", "ErrMalformed, if ours",
		[]sideCase{
			around("", "}", refuses("arguments syntax"), notOurs(ErrMalformed)),
			{`{` + one, `{` + one, refuses("arguments syntax"), notOurs(ErrNotEnvelope)},
			{"Which?", "Which?", refuses("arguments syntax"), notOurs(ErrNotEnvelope)},
		},
	}, {
		`a text "Error: …"`, "syntax", "ErrToolFailed",
		[]sideCase{
			{"Error: no", "Error: no", refuses("arguments syntax"), notOurs(ErrToolFailed)},
		},
	}, {
		"beyond MaxSize", "too_large", "ErrNotEnvelope",
		[]sideCase{
			around("", strings.Repeat(" ", MaxSize), refuses("arguments too_large"), notOurs(ErrNotEnvelope)),
		},
	}, {
		"beyond MaxDepth", "too_deep", "ErrMalformed",
		[]sideCase{
			sameInput(deep, refuses("arguments too_deep"), notOurs(ErrMalformed)),
		},
	}, {
		"invalid UTF-8", "refused", "U+FFFD",
		[]sideCase{
			sameInput(strings.Replace(one, "A?", "A\xFF", 1), refuses("arguments invalid_utf8"), accepts(strings.Replace(whole, "A?", "A\uFFFD", 1))),
			sameInput("\"x\":\"\xFF\","+one, refuses("arguments invalid_utf8"), onlyOne),
		},
	}, {
		"no usable prompt", "too_few, or its faults", "ErrNothingToShow",
		[]sideCase{
			sameInput(`"prompts":[]`, refuses("prompts too_few"), notOurs(ErrNothingToShow)),
			sameInput(`"prompts":[1]`, refuses("prompts[0] wrong_type"), side{err: ErrNothingToShow, faults: "prompt prompts[0] wrong_type"}),
		},
	}, {
		"a prompt with a fault", "refused", "left out, the others live",
		[]sideCase{
			sameInput(two(`"b"`), refuses("prompts[1] wrong_type"), keeps(whole, "prompt prompts[1] wrong_type")),
			sameInput(two(`{"id":"b","kind":"date","question":"B?"}`), refuses("prompts[1].kind unknown_kind"), keeps(whole, "prompt prompts[1].kind unknown_kind")),
			sameInput(two(`{"kind":"text","question":"B?"}`), refuses("prompts[1].id missing"), keeps(whole, "prompt prompts[1].id missing")),
			sameInput(two(`{"id":"b","kind":"text","question":" "}`), refuses("prompts[1].question blank"), keeps(whole, "prompt prompts[1].question blank")),
			sameInput(two(`{"id":"b","kind":"choice","question":"B?"}`), refuses("prompts[1].options missing"), keeps(whole, "prompt prompts[1].options missing")),
		},
	}, {
		"more than one fault in it", "all are named", "the first is, kind first",
		[]sideCase{
			sameInput(two(`{"kind":1,"question":2,"hint":3}`),
				refuses("prompts[1].id missing, prompts[1].kind wrong_type, prompts[1].question wrong_type, prompts[1].hint wrong_type"),
				keeps(whole, "prompt prompts[1].kind wrong_type")),
		},
	}, {
		"an option with a fault", "refused", "left out, two have to stay",
		[]sideCase{
			sameInput(choice(x+`,"z",`+y), refuses("prompts[0].options[1] wrong_type"), keeps(envelopeJSON(choice(x+`,`+y)), "option prompts[0].options[1] wrong_type")),
			sameInput(choice(x+`,`+y+`,{"id":"z"}`), refuses("prompts[0].options[2].label missing"), keeps(envelopeJSON(choice(x+`,`+y)), "option prompts[0].options[2].label missing")),
			sameInput(choice(x+`,"z"`), refuses("prompts[0].options[1] wrong_type"), side{err: ErrNothingToShow, faults: "prompt prompts[0].options too_few"}),
		},
	}, {
		"an optional string, not one", "wrong_type", "absent, noted",
		[]sideCase{
			sameInput(`"title":1,`+one, refuses("title wrong_type"), keeps(whole, "field title wrong_type")),
			sameInput(strings.Replace(one, `"required"`, `"hint":[],"required"`, 1), refuses("prompts[0].hint wrong_type"), keeps(whole, "field prompts[0].hint wrong_type")),
		},
	}, {
		"a flag that is not a boolean", "wrong_type", "its default, noted",
		[]sideCase{
			sameInput(strings.Replace(one, `"multiline":false`, `"multiline":"true"`, 1), refuses("prompts[0].multiline wrong_type"), keeps(whole, "field prompts[0].multiline wrong_type")),
			sameInput(strings.Replace(one, `"required":true`, `"required":0`, 1), refuses("prompts[0].required wrong_type"), keeps(whole, "field prompts[0].required wrong_type")),
		},
	}, {
		"the number of prompts", "MinPrompts to MaxPrompts", "at least one",
		[]sideCase{
			sameInput(prompts(MaxPrompts), accepts(envelopeJSON(prompts(MaxPrompts))), accepts(envelopeJSON(prompts(MaxPrompts)))),
			sameInput(prompts(MaxPrompts+1), refuses("prompts too_many"), accepts(envelopeJSON(prompts(MaxPrompts+1)))),
		},
	}, {
		"the number of options", "MinOptions to MaxOptions", "at least MinOptions",
		[]sideCase{
			sameInput(choice(options(MaxOptions)), accepts(envelopeJSON(choice(options(MaxOptions)))), accepts(envelopeJSON(choice(options(MaxOptions))))),
			sameInput(choice(options(MaxOptions+1)), refuses("prompts[0].options too_many"), accepts(envelopeJSON(choice(options(MaxOptions+1))))),
		},
	}, {
		"what is beyond the most", "not looked at", "read",
		[]sideCase{
			sameInput(strings.TrimSuffix(prompts(MaxPrompts), "]")+`,1]`, refuses("prompts too_many"), keeps(envelopeJSON(prompts(MaxPrompts)), "prompt prompts[5] wrong_type")),
			sameInput(choice(options(MaxOptions)+`,1`), refuses("prompts[0].options too_many"), keeps(envelopeJSON(choice(options(MaxOptions))), "option prompts[0].options[12] wrong_type")),
		},
	}, {
		"the length of a string", "its limit", "none",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("a", "A?", `"hint":"`+long+`",`)+`]`, refuses("prompts[0].hint too_long"), accepts(envelopeJSON(`"prompts":[`+promptJSON("a", "A?", `"hint":"`+long+`",`)+`]`))),
		},
	}, {
		"an id", "matches IDPattern", "is not blank",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("My id!", "A?", "")+`]`, refuses("prompts[0].id bad_id"), accepts(envelopeJSON(`"prompts":[`+promptJSON("My id!", "A?", "")+`]`))),
		},
	}, {
		"ids that repeat", "duplicate_id", "kept",
		[]sideCase{
			sameInput(two(promptJSON("a", "B?", "")), refuses("prompts[1].id duplicate_id"), accepts(envelopeJSON(two(promptJSON("a", "B?", ""))))),
			sameInput(choice(x+`,`+x), refuses("prompts[0].options[1].id duplicate_id"), accepts(envelopeJSON(choice(x+`,`+x)))),
		},
	}, {
		"white space of a string", "Python's or JavaScript's", "JavaScript's trim",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("\u00A0a\uFEFF", " A?\u2003", "")+`]`, onlyOne, onlyOne),
			sameInput(`"prompts":[`+promptJSON("a", "\x1C\x1D\x1E\x1F\u0085A?\u0085", "")+`]`, onlyOne, accepts(envelopeJSON(`"prompts":[`+promptJSON("a", "\x1C\x1D\x1E\x1F\u0085A?\u0085", "")+`]`))),
			sameInput("\"title\":\"\u0085\","+one, onlyOne, accepts(envelopeJSON("\"title\":\"\u0085\","+one))),
			sameInput(`"prompts":[`+promptJSON("a", "\u0085", "")+`]`, refuses("prompts[0].question blank"), accepts(envelopeJSON(`"prompts":[`+promptJSON("a", "\u0085", "")+`]`))),
		},
	}, {
		"a default value", "trimmed, blank is absent", "as it is",
		[]sideCase{
			sameInput(`"prompts":[{"id":"a","kind":"text","question":"A?","defaultValue":" v\n"}]`,
				accepts(strings.Replace(whole, `,"multiline"`, `,"defaultValue":"v","multiline"`, 1)),
				accepts(strings.Replace(whole, `,"multiline"`, `,"defaultValue":" v\n","multiline"`, 1))),
			sameInput(`"prompts":[{"id":"a","kind":"text","question":"A?","defaultValue":" "}]`,
				onlyOne,
				accepts(strings.Replace(whole, `,"multiline"`, `,"defaultValue":" ","multiline"`, 1))),
		},
	}}
}()

func TestSides(t *testing.T) {
	for _, row := range sideRows {
		if len(row.cases) == 0 {
			t.Errorf("%s: nothing proves it", row.what)
		}
		differ := false
		for i, c := range row.cases {
			t.Run(fmt.Sprintf("%s/%d", row.what, i), func(t *testing.T) {
				strict, lenient := strictSide(t, c.arguments), lenientSide(t, c.output)
				if !reflect.DeepEqual(strict, c.strict) {
					t.Errorf("strict: got  %+v\nwant %+v", strict, c.strict)
				}
				if !reflect.DeepEqual(lenient, c.lenient) {
					t.Errorf("lenient: got  %+v\nwant %+v", lenient, c.lenient)
				}
				differ = differ || !reflect.DeepEqual(strict, lenient)
			})
		}
		if !differ {
			t.Errorf("%s: the sides do not differ", row.what)
		}
	}
}

func strictSide(t *testing.T, arguments string) (got side) {
	t.Helper()
	result, err := Call([]byte(arguments))
	if err == nil {
		return accepts(result)
	}
	var invalid *ValidationError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	var all []string
	for _, v := range invalid.Violations {
		all = append(all, fmt.Sprintf("%s %s", v.Path, v.Code))
	}
	return refuses(strings.Join(all, ", "))
}

func lenientSide(t *testing.T, output string) side {
	t.Helper()
	words := func(skipped []Skipped) string {
		var all []string
		for _, s := range skipped {
			all = append(all, fmt.Sprintf("%s %s %s", s.Part, s.Path, s.Code))
		}
		return strings.Join(all, ", ")
	}
	e, err := Parse(output)
	var empty *EmptyError
	switch {
	case errors.As(err, &empty):
		return side{err: ErrNothingToShow, faults: words(empty.Skipped)}
	case err != nil:
		return notOurs(err)
	}
	canonical, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return keeps(string(canonical), words(e.Skipped))
}

// TestSidesOtherwiseAgree gives both sides the prompts of all vectors as an array. What the strict
// side accepts the lenient side reads whole, and as the same once it is normalised. What only the
// lenient side takes as it is breaks a limit or the rules for ids.
func TestSidesOtherwiseAgree(t *testing.T) {
	limits := map[Code]bool{CodeTooMany: true, CodeTooLong: true, CodeBadID: true, CodeDuplicateID: true}
	accepted, limited, refused := 0, 0, 0
	compare := func(name, text string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil {
			return
		}
		prompts := string(members[keyPrompts])
		if text := ""; json.Unmarshal(members[keyPrompts], &text) == nil {
			prompts = trim(text, pythonSpace)
		}
		switch {
		case !json.Valid([]byte(prompts)):
			return
		case prompts[0] == '{':
			prompts = "[" + prompts + "]"
		}
		same := `"prompts":` + prompts
		if title := members[keyTitle]; title != nil {
			same = `"title":` + string(title) + `,` + same
		}
		arguments, output := both(same)
		result, refusal := Call([]byte(arguments))
		e, err := Parse(output)
		whole := err == nil && e.Skipped == nil
		switch {
		case refusal == nil && !whole:
			t.Errorf("%s: only the strict side accepts %s: %v", name, same, err)
		case refusal == nil:
			accepted++
			if again, err := e.Result(); err != nil || again != result {
				t.Errorf("%s: the sides read %s as\n%s\n%s, %v", name, same, result, again, err)
			}
		case whole:
			limited++
			for _, v := range refusal.(*ValidationError).Violations {
				if !limits[v.Code] {
					t.Errorf("%s: only the lenient side accepts %s: %v", name, same, v)
				}
			}
		default:
			refused++
		}
	}
	for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
		compare(v.Name, string(v.Args))
	}
	for _, v := range readVectors[consoleVector](t, "console.jsonl", 358) {
		compare(v.Name, trim(v.output(t), scriptSpace))
	}
	if accepted < 200 || limited < 20 || refused < 200 {
		t.Errorf("%d accepted by both, %d by the lenient side alone, %d refused: too few to compare", accepted, limited, refused)
	}
}

// sideTable is the table for the package documentation.
func sideTable() string {
	var b strings.Builder
	line := func(what, strict, lenient string) {
		fmt.Fprintf(&b, "\t%-29s  %-24s  %s\n", what, strict, lenient)
	}
	line("", "strict: Call", "lenient: Parse")
	for _, row := range sideRows {
		line(row.what, row.strict, row.lenient)
	}
	return b.String()
}

// TestSidesAreDocumented: the package documentation has the table as it is here.
func TestSidesAreDocumented(t *testing.T) {
	doc := ""
	for _, file := range sourceFiles(t) {
		doc += file.Doc.Text()
	}
	if !strings.Contains(doc, sideTable()) {
		t.Errorf("the package documentation lacks this table:\n%s", sideTable())
	}
}
