package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// All differences between the strict side, which reads a call, and the lenient side, which reads
// what a tool returned: a row each, as in the table of docs/rules.md.
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
	return `{` + members + `}`, wire(members)
}

func sameInput(members string, strict, lenient side) sideCase {
	arguments, output := both(members)
	return sideCase{arguments, output, strict, lenient}
}

// promptJSON is the canonical JSON of a text prompt, with more members before required.
func promptJSON(id, question, more string) string {
	return fmt.Sprintf(`{"id":%s,"kind":"text","question":%s,%s"required":true,"multiline":false}`, Of(id), Of(question), more)
}

var sideRows = func() []sideRow {
	one := `"prompts":[` + promptJSON("a", "A?", "") + `]`
	whole := wire(one)
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
	long := strings.Repeat("é", clarify.MaxHint+1)
	deep := `"x":` + strings.Repeat("[", clarify.MaxDepth) + strings.Repeat("]", clarify.MaxDepth) + `,` + one

	return []sideRow{{
		"the protocol", "not looked at", "exactly Protocol",
		[]sideCase{
			{`{` + one + `}`, `{` + one + `}`, onlyOne, notOurs(clarify.ErrNotEnvelope)},
			{`{"protocol":1,` + one + `}`, `{"protocol":1,` + one + `}`, onlyOne, notOurs(clarify.ErrNotEnvelope)},
			{`{"protocol":"appwrite.clarify/v2",` + one + `}`, `{"protocol":"appwrite.clarify/v2",` + one + `}`, onlyOne, notOurs(clarify.ErrVersion)},
		},
	}, {
		"prompts in a string", "decoded, once", "not an envelope",
		[]sideCase{
			sameInput(`"prompts":`+Of(`[`+promptJSON("a", "A?", "")+`]`).Compact(), onlyOne, notOurs(clarify.ErrNotEnvelope)),
			sameInput(`"prompts":`+Of(Of(`[]`).Compact()).Compact(), refuses("prompts wrong_type"), notOurs(clarify.ErrNotEnvelope)),
		},
	}, {
		"a prompt outside an array", "one prompt", "not an envelope",
		[]sideCase{
			sameInput(`"prompts":`+promptJSON("a", "A?", ""), onlyOne, notOurs(clarify.ErrNotEnvelope)),
		},
	}, {
		"white space around the text", "JSON's", "JavaScript's trim",
		[]sideCase{
			around(" \t\r\n", " \t\r\n", onlyOne, onlyOne),
			around("\uFEFF", "", refuses("arguments syntax"), onlyOne),
			around("", "\u00A0\u2028\v\f", refuses("arguments syntax"), onlyOne),
			around("\u0085", "", refuses("arguments syntax"), notOurs(clarify.ErrNotEnvelope)),
		},
	}, {
		"what is not JSON", "syntax, and where", "ErrMalformed, if ours",
		[]sideCase{
			around("", "}", refuses("arguments syntax"), notOurs(clarify.ErrMalformed)),
			{`{` + one, `{` + one, refuses("arguments syntax"), notOurs(clarify.ErrNotEnvelope)},
			{"Which?", "Which?", refuses("arguments syntax"), notOurs(clarify.ErrNotEnvelope)},
		},
	}, {
		"a control character in a string", "kept, unless prompts is a string", "ErrMalformed, if ours",
		[]sideCase{
			sameInput("\"x\":\"\x00\n\","+one, onlyOne, notOurs(clarify.ErrMalformed)),
			sameInput("\"x\\\n\":1,"+one, refuses("arguments syntax"), notOurs(clarify.ErrMalformed)),
			sameInput(strings.Replace(one, "A?", "A\n?", 1), accepts(strings.Replace(whole, "A?", `A\n?`, 1)), notOurs(clarify.ErrMalformed)),
			sameInput("\"prompts\":\"\n[\t"+strings.ReplaceAll(promptJSON("a", "A?", ""), `"`, `\"`)+"\n]\"", onlyOne, notOurs(clarify.ErrMalformed)),
			sameInput("\"prompts\":\"["+strings.ReplaceAll(promptJSON("a", "A\n?", ""), `"`, `\"`)+"]\"", refuses("prompts syntax"), notOurs(clarify.ErrNotEnvelope)),
		},
	}, {
		`a text "Error: …"`, "syntax", "ErrToolFailed",
		[]sideCase{
			{"Error: no", "Error: no", refuses("arguments syntax"), notOurs(clarify.ErrToolFailed)},
		},
	}, {
		"beyond MaxSize", "too_large", "ErrNotEnvelope",
		[]sideCase{
			around("", strings.Repeat(" ", clarify.MaxSize), refuses("arguments too_large"), notOurs(clarify.ErrNotEnvelope)),
		},
	}, {
		"beyond MaxDepth", "too_deep", "ErrMalformed, if ours",
		[]sideCase{
			sameInput(deep, refuses("arguments too_deep"), notOurs(clarify.ErrMalformed)),
			{`{` + deep + `}`, `{` + deep + `}`, refuses("arguments too_deep"), notOurs(clarify.ErrNotEnvelope)},
		},
	}, {
		"invalid UTF-8", "refused", "U+FFFD",
		[]sideCase{
			sameInput(strings.Replace(one, "A?", "A\xFF", 1), refuses("arguments invalid_utf8"), accepts(strings.Replace(whole, "A?", "A\uFFFD", 1))),
			sameInput("\"x\":\"\xFF\","+one, refuses("arguments invalid_utf8"), onlyOne),
		},
	}, {
		"no usable prompt", "too_few, or the faults found", "ErrNothingToShow",
		[]sideCase{
			sameInput(`"prompts":[]`, refuses("prompts too_few"), notOurs(clarify.ErrNothingToShow)),
			sameInput(`"prompts":[1]`, refuses("prompts[0] wrong_type"), side{err: clarify.ErrNothingToShow, faults: "prompt prompts[0] wrong_type"}),
		},
	}, {
		"a prompt with a fault", "refused", "left out, the others are kept",
		[]sideCase{
			sameInput(two(`"b"`), refuses("prompts[1] wrong_type"), keeps(whole, "prompt prompts[1] wrong_type")),
			sameInput(two(`{"id":"b","kind":"date","question":"B?"}`), refuses("prompts[1].kind unknown_kind"), keeps(whole, "prompt prompts[1].kind unknown_kind")),
			sameInput(two(`{"kind":"text","question":"B?"}`), refuses("prompts[1].id missing"), keeps(whole, "prompt prompts[1].id missing")),
			sameInput(two(`{"id":"b","kind":"text","question":" "}`), refuses("prompts[1].question blank"), keeps(whole, "prompt prompts[1].question blank")),
			sameInput(two(`{"id":"b","kind":"choice","question":"B?"}`), refuses("prompts[1].options missing"), keeps(whole, "prompt prompts[1].options missing")),
		},
	}, {
		"more than one fault in it", "all are named", "the first is named, kind first",
		[]sideCase{
			sameInput(two(`{"kind":1,"question":2,"hint":3}`),
				refuses("prompts[1].id missing, prompts[1].kind wrong_type, prompts[1].question wrong_type, prompts[1].hint wrong_type"),
				keeps(whole, "prompt prompts[1].kind wrong_type")),
		},
	}, {
		"an option with a fault", "refused", "left out, two must remain",
		[]sideCase{
			sameInput(choice(x+`,"z",`+y), refuses("prompts[0].options[1] wrong_type"), keeps(wire(choice(x+`,`+y)), "option prompts[0].options[1] wrong_type")),
			sameInput(choice(x+`,`+y+`,{"id":"z"}`), refuses("prompts[0].options[2].label missing"), keeps(wire(choice(x+`,`+y)), "option prompts[0].options[2].label missing")),
			sameInput(choice(x+`,"z"`), refuses("prompts[0].options[1] wrong_type"), side{err: clarify.ErrNothingToShow, faults: "prompt prompts[0].options too_few"}),
		},
	}, {
		"an optional string of another type", "wrong_type", "absent, noted",
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
			sameInput(prompts(clarify.MaxPrompts), accepts(wire(prompts(clarify.MaxPrompts))), accepts(wire(prompts(clarify.MaxPrompts)))),
			sameInput(prompts(clarify.MaxPrompts+1), refuses("prompts too_many"), accepts(wire(prompts(clarify.MaxPrompts+1)))),
		},
	}, {
		"the number of options", "MinOptions to MaxOptions", "at least MinOptions",
		[]sideCase{
			sameInput(choice(options(clarify.MaxOptions)), accepts(wire(choice(options(clarify.MaxOptions)))), accepts(wire(choice(options(clarify.MaxOptions))))),
			sameInput(choice(options(clarify.MaxOptions+1)), refuses("prompts[0].options too_many"), accepts(wire(choice(options(clarify.MaxOptions+1))))),
		},
	}, {
		"what is beyond the maximum", "not looked at", "read",
		[]sideCase{
			sameInput(strings.TrimSuffix(prompts(clarify.MaxPrompts), "]")+`,1]`, refuses("prompts too_many"), keeps(wire(prompts(clarify.MaxPrompts)), "prompt prompts[5] wrong_type")),
			sameInput(choice(options(clarify.MaxOptions)+`,1`), refuses("prompts[0].options too_many"), keeps(wire(choice(options(clarify.MaxOptions))), "option prompts[0].options[12] wrong_type")),
		},
	}, {
		"the length of a string", "its limit", "none",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("a", "A?", `"hint":"`+long+`",`)+`]`, refuses("prompts[0].hint too_long"), accepts(wire(`"prompts":[`+promptJSON("a", "A?", `"hint":"`+long+`",`)+`]`))),
		},
	}, {
		"an id", "matches IDPattern", "is not blank",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("My id!", "A?", "")+`]`, refuses("prompts[0].id bad_id"), accepts(wire(`"prompts":[`+promptJSON("My id!", "A?", "")+`]`))),
		},
	}, {
		"ids that repeat", "duplicate_id", "kept",
		[]sideCase{
			sameInput(two(promptJSON("a", "B?", "")), refuses("prompts[1].id duplicate_id"), accepts(wire(two(promptJSON("a", "B?", ""))))),
			sameInput(choice(x+`,`+x), refuses("prompts[0].options[1].id duplicate_id"), accepts(wire(choice(x+`,`+x)))),
		},
	}, {
		"white space around a string", "Python's or JavaScript's", "JavaScript's trim",
		[]sideCase{
			sameInput(`"prompts":[`+promptJSON("\u00A0a\uFEFF", " A?\u2003", "")+`]`, onlyOne, onlyOne),
			sameInput(`"prompts":[`+promptJSON("a", "\x1C\x1D\x1E\x1F\u0085A?\u0085", "")+`]`, onlyOne, accepts(wire(`"prompts":[`+promptJSON("a", "\x1C\x1D\x1E\x1F\u0085A?\u0085", "")+`]`))),
			sameInput("\"title\":\"\u0085\","+one, onlyOne, accepts(wire("\"title\":\"\u0085\","+one))),
			sameInput(`"prompts":[`+promptJSON("a", "\u0085", "")+`]`, refuses("prompts[0].question blank"), accepts(wire(`"prompts":[`+promptJSON("a", "\u0085", "")+`]`))),
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
		differ := false
		for i, c := range row.cases {
			strict, lenient := strictSide(t, c.arguments), lenientSide(t, c.output)
			assert.Equal(t, c.strict, strict, "%s, case %d", row.what, i)
			assert.Equal(t, c.lenient, lenient, "%s, case %d", row.what, i)
			differ = differ || !assert.ObjectsAreEqual(strict, lenient)
		}
		assert.True(t, differ, "%s: no case shows that the sides differ", row.what)
	}
}

func strictSide(t *testing.T, arguments string) side {
	t.Helper()
	result, err := clarify.Call([]byte(arguments))
	if err == nil {
		return accepts(result)
	}
	var invalid *clarify.ValidationError
	require.ErrorAs(t, err, &invalid)
	var all []string
	for _, v := range invalid.Violations {
		all = append(all, fmt.Sprintf("%s %s", v.Path, v.Code))
	}
	return refuses(strings.Join(all, ", "))
}

func lenientSide(t *testing.T, output string) side {
	t.Helper()
	words := func(skipped []clarify.Skipped) string {
		var all []string
		for _, s := range skipped {
			all = append(all, fmt.Sprintf("%s %s %s", s.Part, s.Path, s.Code))
		}
		return strings.Join(all, ", ")
	}
	e, err := clarify.Parse(output)
	var empty *clarify.EmptyError
	switch {
	case errors.As(err, &empty):
		return side{err: clarify.ErrNothingToShow, faults: words(empty.Skipped)}
	case err != nil:
		return notOurs(err)
	}
	canonical, err := e.AppendJSON(nil)
	require.NoError(t, err)
	return keeps(string(canonical), words(e.Skipped))
}

// TestSidesOtherwiseAgree gives both sides the prompts of all vectors as an array. What the strict
// side accepts the lenient side reads whole, and as the same once it is normalised. What only the
// lenient side takes as it is breaks a limit or the rules for ids.
func TestSidesOtherwiseAgree(t *testing.T) {
	limits := []clarify.Code{"too_many", "too_long", "bad_id", "duplicate_id"}
	accepted, limited, refused := 0, 0, 0
	compare := func(name, text string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil {
			return
		}
		prompts := string(members["prompts"])
		if text := ""; json.Unmarshal(members["prompts"], &text) == nil {
			prompts = strings.Trim(text, pythonSpace)
		}
		if !json.Valid([]byte(prompts)) {
			return
		}
		if prompts[0] == '{' {
			prompts = "[" + prompts + "]"
		}
		same := `"prompts":` + prompts
		if title := members["title"]; title != nil {
			same = `"title":` + string(title) + `,` + same
		}
		arguments, output := both(same)
		result, refusal := clarify.Call([]byte(arguments))
		e, err := clarify.Parse(output)
		whole := err == nil && e.Skipped == nil
		switch {
		case refusal == nil:
			accepted++
			require.True(t, whole, "%s: only the strict side accepts %s: %v", name, same, err)
			again, err := e.Result()
			assert.NoError(t, err, name)
			assert.Equal(t, result, again, name)
		case whole:
			limited++
			for _, v := range refusal.(*clarify.ValidationError).Violations {
				assert.Contains(t, limits, v.Code, "%s: only the lenient side accepts %s: %v", name, same, v)
			}
		default:
			refused++
		}
	}
	for _, v := range EngineVectors(t) {
		compare(v.Name, string(v.Args))
	}
	for _, v := range ConsoleVectors(t) {
		compare(v.Name, strings.Trim(string(v.Output), scriptSpace))
	}
	assert.GreaterOrEqual(t, accepted, 200, "accepted by both")
	assert.GreaterOrEqual(t, limited, 20, "accepted by the lenient side alone")
	assert.GreaterOrEqual(t, refused, 200, "refused")
}

// rulesTable returns the rows of the first table under a heading of docs/rules.md, without its head,
// each as its cells.
func rulesTable(t *testing.T, heading string) (rows [][]string) {
	t.Helper()
	_, text, found := strings.Cut(string(ReadFile(t, "docs", "rules.md")), "\n## "+heading+"\n")
	require.True(t, found, "docs/rules.md has no heading %q", heading)
	for line := range strings.Lines(text) {
		line, isRow := strings.CutPrefix(strings.TrimSpace(line), "| ")
		if isRow {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, " |"), " | "))
		} else if rows != nil && !strings.HasPrefix(line, "|--") {
			break
		}
	}
	require.NotEmpty(t, rows, "no table under %q", heading)
	return rows[1:]
}

// TestSidesAreDocumented: the table of the two sides in docs/rules.md has these rows, and no others.
func TestSidesAreDocumented(t *testing.T) {
	var want [][]string
	for _, row := range sideRows {
		want = append(want, []string{row.what, row.strict, row.lenient})
	}
	assert.Equal(t, want, rulesTable(t, "The two sides"))
}

// TestLimitsAreDocumented: the table of limits in docs/rules.md names these constants with their
// values, and no others.
func TestLimitsAreDocumented(t *testing.T) {
	want := map[string]any{
		"MinPrompts": clarify.MinPrompts, "MaxPrompts": clarify.MaxPrompts, "MinOptions": clarify.MinOptions, "MaxOptions": clarify.MaxOptions,
		"MaxID": clarify.MaxID, "MaxTitle": clarify.MaxTitle, "MaxQuestion": clarify.MaxQuestion, "MaxHint": clarify.MaxHint, "MaxLabel": clarify.MaxLabel,
		"MaxDescription": clarify.MaxDescription, "MaxPlaceholder": clarify.MaxPlaceholder, "MaxDefaultValue": clarify.MaxDefaultValue,
		"MaxSize": clarify.MaxSize, "MaxDepth": clarify.MaxDepth, "MaxEventSize": clarify.MaxEventSize, "IDPattern": clarify.IDPattern,
	}
	got := map[string]any{}
	for _, row := range rulesTable(t, "Limits and deviations") {
		names := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[0], -1)
		for i, name := range names {
			if name[1] == "IDPattern" {
				got[name[1]] = strings.Trim(row[1], "`")
				continue
			}
			// The bytes stand behind the MiB, and of a range the first number is the first name's.
			numbers := regexp.MustCompile(`\d+`).FindAllString(strings.ReplaceAll(row[1], ",", ""), -1)
			require.NotEmpty(t, numbers, "%q", row)
			number := numbers[len(numbers)-1]
			if strings.Contains(row[1], " to ") {
				number = numbers[i]
			}
			value, err := strconv.Atoi(number)
			require.NoError(t, err)
			got[name[1]] = value
		}
	}
	assert.Equal(t, want, got)
}

// TestDeviations: each difference to the existing implementations that docs/rules.md lists is there,
// and there are no others in the list.
func TestDeviations(t *testing.T) {
	confirm := func(id, more string) string {
		return fmt.Sprintf(`{"id":%q,"kind":"confirm","question":"Q?"%s}`, id, more)
	}
	text := `{"id":"a","kind":"text","question":"A?"}`
	faults := func(arguments string) string { return strictSide(t, arguments).faults }
	show := func(members string) *clarify.Envelope {
		e, err := clarify.Parse(wire(members))
		require.NoError(t, err, members)
		return e
	}
	checks := map[string]func(){
		"A refused call names all its problems": func() {
			assert.Equal(t, "title wrong_type, prompts[0].id missing, prompts[0].question missing", faults(`{"title":1,"prompts":{"kind":"text"}}`))
		},
		"U+FEFF is white space on the strict side.": func() {
			assert.Equal(t, "prompts[0].question blank", faults(`{"prompts":{"id":"a","kind":"text","question":"\ufeff"}}`))
		},
		"A lone surrogate becomes U+FFFD": func() {
			result, err := clarify.Call([]byte(`{"prompts":{"id":"a","kind":"text","question":"\ud800"}}`))
			require.NoError(t, err)
			assert.Contains(t, result, "\"question\":\"\ufffd\"")
			assert.Equal(t, "\ufffd", show(`"prompts":[{"id":"a","kind":"text","question":"\udfff"}]`).Prompts[0].Question)
		},
		"`title` comes before `prompts` in the bytes": func() {
			result, err := clarify.Call([]byte(`{"prompts":` + text + `,"title":"T"}`))
			require.NoError(t, err)
			assert.Less(t, strings.Index(result, `"title"`), strings.Index(result, `"prompts"`))
		},
		"A summary indents the further lines of a value and quotes an id outside `IDPattern`": func() {
			a := clarify.Answers{Answers: []clarify.Answer{{ID: "A", Payload: &clarify.TextAnswer{Value: "x\nb: y"}}}}
			assert.Equal(t, "\"A\": x\n  b: y", a.Summary())
		},
		"Size and depth are limited": func() {
			assert.Equal(t, "arguments too_large", faults(`{"prompts":`+text+strings.Repeat(" ", clarify.MaxSize)+`}`))
			assert.Equal(t, "arguments too_deep", faults(`{"x":`+strings.Repeat("[", clarify.MaxDepth)))
		},
		"`NaN`, `Infinity` and `-Infinity` are not JSON here": func() {
			for _, number := range []string{"NaN", "Infinity", "-Infinity"} {
				assert.Equal(t, "arguments syntax", faults(`{"x":`+number+`,"prompts":`+text+`}`))
			}
		},
		"A `title` is a string.": func() {
			for _, title := range []string{"0", "false", "{}"} {
				assert.Equal(t, "title wrong_type", faults(`{"title":`+title+`,"prompts":`+text+`}`))
			}
		},
		"Deep and long is taken up to the limits.": func() {
			deep := strings.Repeat("[", clarify.MaxDepth-1) + strings.Repeat("]", clarify.MaxDepth-1)
			assert.Empty(t, faults(`{"x":`+deep+`,"y":`+strings.Repeat("9", 100_000)+`,"prompts":`+text+`}`))
		},
		"A tool that failed has asked nothing.": func() {
			ev := clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: wire(`"prompts":[` + text + `]`)}
			_, err := ev.Envelope()
			assert.NoError(t, err)
			ev.Failed = true
			_, err = ev.Envelope()
			assert.ErrorIs(t, err, clarify.ErrToolFailed)
		},
		"After a cancel nothing is missing.": func() {
			e := show(`"prompts":[` + confirm("sure", "") + `,` + text + `]`)
			a, violations := e.FormAnswers(map[string][]string{e.Prompts[0].FormName(): {clarify.FormCancelled}})
			assert.Empty(t, violations)
			assert.Len(t, a.Answers, 1)
			assert.Empty(t, e.Read("sure: cancelled").Missing())
		},
		"A text of U+0085 or U+001C to U+001F alone is blank.": func() {
			for _, blank := range []string{"\u0085", "\u001c", "\u001d", "\u001e", "\u001f"} {
				e := show(`"prompts":[` + text + `]`)
				reply := e.Read(wire(`"answers":[{"id":"a","kind":"text","value":` + Of(blank).Compact() + `}]`))
				assert.Equal(t, []string{"a"}, reply.Missing())
			}
		},
		"The last question waits, whoever asked.": func() {
			var c clarify.Conversation
			for _, agent := range []string{"one", "two"} {
				_, err := c.Event(clarify.Event{Type: clarify.EventToolEnd, Agent: agent, Tool: clarify.ToolName, Output: wire(`"prompts":[` + confirm(agent, `,"danger":true`) + `]`)})
				require.NoError(t, err)
			}
			assert.Equal(t, "two", c.Pending().Prompts[0].ID)
			assert.False(t, c.Message("one: confirmed").Proceed())
		},
	}
	_, list, found := strings.Cut(string(ReadFile(t, "docs", "rules.md")), "\nThe library agrees with the existing engine and the existing Console, except here:\n")
	require.True(t, found)
	var listed []string
	for _, bold := range regexp.MustCompile(`(?m)^- \*\*(.+?)\*\*`).FindAllStringSubmatch(list, -1) {
		listed = append(listed, bold[1])
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(checks)), listed)
	for _, check := range checks {
		check()
	}
}
