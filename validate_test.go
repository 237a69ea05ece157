package clarify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// TestRefusedVectors: what an engine refuses has violations that hold together.
func TestRefusedVectors(t *testing.T) {
	for _, v := range conformance.EngineVectors(t) {
		require.Equal(t, v.OK, v.Envelope != nil, "%s wants an envelope exactly where ok is true", v.Name)
		violations := violationsOf(t, string(v.Args))
		assert.Equal(t, v.OK, violations == nil, v.Name)
	}
}

// violationsOf checks what holds for a call, accepted or not, and returns its violations.
func violationsOf(t *testing.T, text string) []clarify.Violation {
	t.Helper()
	arguments := []byte(text)
	e, err := clarify.ParseCall(arguments)
	result, callErr := clarify.Call(arguments)
	require.Equal(t, err, callErr)
	if err == nil {
		return nil
	}
	assert.Nil(t, e)
	assert.Equal(t, clarify.ErrorResult(err), result)
	assert.NoError(t, conformance.CheckErrorText(result))
	assert.True(t, string(arguments) == text, "the arguments were changed")
	return violationsIn(t, err)
}

// violationsIn returns the violations of an error of the strict side, and checks that each is whole.
func violationsIn(t *testing.T, err error) []clarify.Violation {
	t.Helper()
	var invalid *clarify.ValidationError
	require.ErrorAs(t, err, &invalid)
	require.NotEmpty(t, invalid.Violations)
	for _, v := range invalid.Violations {
		assert.True(t, v.Path != "" && v.Code != "" && v.Got != "" && v.Want != "", "%+v", v)
		assert.Equal(t, v.Path+": got "+v.Got+", want "+v.Want, v.String())
		assert.NoError(t, conformance.CheckPrintable(v.String()))
		assert.LessOrEqual(t, len(v.String()), 600)
	}
	return invalid.Violations
}

// checkFaults compares violations with faults, by path and code.
func checkFaults(t *testing.T, got []clarify.Violation, want ...fault) {
	t.Helper()
	var gotWords, wantWords []string
	for _, v := range got {
		gotWords = append(gotWords, fmt.Sprintf("%s at %s", v.Code, v.Path))
	}
	for _, f := range want {
		wantWords = append(wantWords, fmt.Sprintf("%s at %s", f.code, f.path))
	}
	require.Equal(t, wantWords, gotWords, "%v\n%+v", got, want)
}

// textPrompt is a valid prompt.
const textPrompt = `{"id":"name","kind":"text","question":"Database name"}`

// nested returns n times open, inside, and n times shut.
func nested(open, inside, shut string, n int) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(shut, n)
}

type argumentFault struct {
	fault
	text string
	want string // what the error text says besides the path
}

// argumentFaults are calls that are wrong as a whole, as models send them.
func argumentFaults() []argumentFault {
	const whole = `{"prompts":[` + textPrompt + `]}`
	var all []argumentFault
	add := func(name, text, path string, code clarify.Code, want string) {
		all = append(all, argumentFault{fault{name: name, path: path, code: code}, text, want})
	}
	in := func(name, text string, code clarify.Code, want string) { add(name, text, "arguments", code, want) }

	in("nothing", "", clarify.CodeSyntax, "unexpected end at byte 0")
	in("only white space", " \n\t", clarify.CodeSyntax, "unexpected end at byte 3")
	in("prose", "Which bucket?", clarify.CodeSyntax, `unexpected character at byte 0: "Which bucket?"`)
	in("a code fence", "```json\n"+whole+"\n```", clarify.CodeSyntax, "unexpected character at byte 0")
	in("single quotes", `{'prompts':[]}`, clarify.CodeSyntax, `unexpected character at byte 1: "'prompts'`)
	in("cut", whole[:len(whole)-1], clarify.CodeSyntax, fmt.Sprintf("unexpected end at byte %d", len(whole)-1))
	in("cut in an escape", `{"title":"\u00`, clarify.CodeSyntax, "unexpected end at byte 14")
	in("cut behind a backslash", `{"title":"\`, clarify.CodeSyntax, "unexpected end at byte 11")
	in("cut in a literal", `{"title":nul`, clarify.CodeSyntax, "unexpected end at byte 12")
	in("cut in a number", `{"title":-`, clarify.CodeSyntax, "unexpected end at byte 10")
	in("two values", whole+whole, clarify.CodeSyntax, fmt.Sprintf("unexpected character at byte %d", len(whole)))
	in("a trailing comma", `{"title":"a",}`, clarify.CodeSyntax, "unexpected character at byte 13")
	in("no comma", `{"title":"a" "prompts":[]}`, clarify.CodeSyntax, "unexpected character at byte 13")
	in("no colon", `{"title" "a"}`, clarify.CodeSyntax, "unexpected character at byte 9")
	in("a key without quotes", `{title:"a"}`, clarify.CodeSyntax, "unexpected character at byte 1")
	in("the wrong bracket", `{"title":"a"]`, clarify.CodeSyntax, "unexpected character at byte 12")
	in("a comment", `{"title":"a"/* b */}`, clarify.CodeSyntax, "unexpected character at byte 12")
	in("a byte order mark", "\uFEFF"+whole, clarify.CodeSyntax, "unexpected character at byte 0")
	in("a no-break space", "\u00A0"+whole, clarify.CodeSyntax, "unexpected character at byte 0")
	in("a line break behind a backslash", "{\"title\":\"a\\\nb\"}", clarify.CodeSyntax, "invalid escape in a string at byte 12")
	in("a line break outside of a string", "{\"title\":t\nrue}", clarify.CodeSyntax, "unexpected character at byte 10")
	in("an unknown escape", `{"title":"a\'b"}`, clarify.CodeSyntax, "invalid escape in a string at byte 12")
	in("a bad \\u escape", `{"title":"\u00g0"}`, clarify.CodeSyntax, "invalid escape in a string at byte 14")
	in("a leading zero", `{"a":01}`, clarify.CodeSyntax, "unexpected character at byte 6")
	in("a number without digits", `{"a":1.}`, clarify.CodeSyntax, "unexpected character at byte 7")
	in("an exponent without digits", `{"a":1e+}`, clarify.CodeSyntax, "unexpected character at byte 8")
	in("not a number", `{"a":NaN}`, clarify.CodeSyntax, "unexpected character at byte 5")
	in("a plus", `{"a":+1}`, clarify.CodeSyntax, "unexpected character at byte 5")

	in("null", "null", clarify.CodeWrongType, `got null, want a JSON object {"prompts": …, "title": …}`)
	in("an array", "["+textPrompt+"]", clarify.CodeWrongType, "got an array, want a JSON object")
	in("a string", `"`+strings.Repeat("x", 100)+`"`, clarify.CodeWrongType, `got "`+strings.Repeat("x", 40)+`"…, want a JSON object`)
	in("an encoded call", `"{\"prompts\":[]}"`, clarify.CodeWrongType, `got "{\"prompts\":[]}", want a JSON object`)
	in("a number", "-1.5e3", clarify.CodeWrongType, "got -1.5e3, want a JSON object")
	in("a long number", strings.Repeat("1", 100), clarify.CodeWrongType, "got a number, want a JSON object")
	in("true", "true", clarify.CodeWrongType, "got true, want a JSON object")
	in("false", " false ", clarify.CodeWrongType, "got false, want a JSON object")

	in("invalid UTF-8", `{"title":"`+"a\xFFb\"}", clarify.CodeInvalidUTF8, "got byte 0xff at offset 11, want UTF-8")
	in("invalid UTF-8 at the start", "\x80", clarify.CodeInvalidUTF8, "got byte 0x80 at offset 0")
	in("invalid UTF-8 behind U+FFFD", "{\"\uFFFD\xE4\":1}", clarify.CodeInvalidUTF8, "got byte 0xe4 at offset 5")
	in("an encoded surrogate", "{\"\xED\xA0\x80\":1}", clarify.CodeInvalidUTF8, "got byte 0xed at offset 2")
	in("a cut code point", `{"title":"`+"\xF0\x9F\x98", clarify.CodeInvalidUTF8, "got byte 0xf0 at offset 10")

	in("10 MiB", `{"title":"`+strings.Repeat("x", 10<<20)+`"}`, clarify.CodeTooLarge, "got 10485772 bytes, want at most 1048576")
	in("a byte too many", whole+strings.Repeat(" ", clarify.MaxSize+1-len(whole)), clarify.CodeTooLarge, "got 1048577 bytes, want at most 1048576")
	in("100,000 brackets", nested("[", "", "]", 100_000), clarify.CodeTooDeep, "got nesting too deep at byte 10000, want 10000 levels at most")
	in("100,000 brackets that never close", strings.Repeat("[", 100_000), clarify.CodeTooDeep, "got nesting too deep at byte 10000")
	in("100,000 objects", strings.Repeat(`{"a":`, 100_000), clarify.CodeTooDeep, "got nesting too deep at byte 50000")
	in("a level too many", `{"a":`+nested("[", "", "]", clarify.MaxDepth)+`}`, clarify.CodeTooDeep, "got nesting too deep")

	add("no prompts", `{}`, "prompts", clarify.CodeMissing, "got nothing, want a JSON array of 1 to 5 prompts, or one prompt object")
	add("only a title", `{"title":"a"}`, "prompts", clarify.CodeMissing, "got nothing")
	add("null prompts", `{"prompts":null}`, "prompts", clarify.CodeMissing, "got null")
	add("another key", `{"Prompts":[`+textPrompt+`],"prompts\u0000":[`+textPrompt+`],"questions":[`+textPrompt+`]}`, "prompts", clarify.CodeMissing, "got nothing")
	add("a title of the wrong type", `{"title":{"text":"a"},"prompts":[`+textPrompt+`]}`, "title", clarify.CodeWrongType, "got an object, want a string of at most 120 characters, or none")
	add("a title too long", `{"title":"`+strings.Repeat("好", 121)+`","prompts":[`+textPrompt+`]}`, "title", clarify.CodeTooLong, "got 121 characters, want a string of at most 120 characters")
	add("prompts encoded twice", `{"prompts":"\"[]\""}`, "prompts", clarify.CodeWrongType, `got "[]" in a string, want a JSON array`)
	add("prompts in a fence", "{\"prompts\":\"```json\\n[]\\n```\"}", "prompts", clarify.CodeSyntax, "unexpected character at byte 0: \"```json\\n[]\\n```\"")
	add("prompts cut", `{"prompts":" [{\"id\""}`, "prompts", clarify.CodeSyntax, "unexpected end at byte 6")
	add("prompts a level too deep", `{"prompts":"`+nested("[", "", "]", clarify.MaxDepth+1)+`"}`, "prompts", clarify.CodeTooDeep, "got nesting too deep at byte 10000")
	add("a prompt in a string", `{"prompts":["`+strings.ReplaceAll(textPrompt, `"`, `\"`)+`"]}`, "prompts[0]", clarify.CodeWrongType, `want an object {"id": …, "kind": …, "question": …}`)

	prompt := func(fields string) string {
		return `{"prompts":[{"id":"bucket","kind":"choice","question":"Which?",` + fields + `}]}`
	}
	add("options as strings", prompt(`"options":["avatars",{"id":"b","label":"B"}]`), "prompts[0].options[0]", clarify.CodeWrongType, `got "avatars", want an object {"id": …, "label": …}`)
	add("options in a string", prompt(`"options":"[{\"id\":\"a\"}]"`), "prompts[0].options", clarify.CodeWrongType, `want an array of 2 to 12 options, each an object {"id": …, "label": …}`)
	add("no options", prompt(`"choices":[]`), "prompts[0].options", clarify.CodeMissing, "got nothing, want an array of 2 to 12 options")
	add("value instead of label", prompt(`"options":[{"id":"a","value":"A"},{"id":"b","label":"B"}]`), "prompts[0].options[0].label", clarify.CodeMissing, "got nothing, want a string of 1 to 120 characters")
	add("a blank choice stays a choice", prompt(`"options":[]`), "prompts[0].options", clarify.CodeTooFew, "got 0 options, want 2 to 12")
	add("one option", prompt(`"options":[{"id":"a","label":"A"}]`), "prompts[0].options", clarify.CodeTooFew, "got 1 option, want 2 to 12")
	add("an id by its pattern", strings.Replace(whole, `"name"`, `"Name"`, 1), "prompts[0].id", clarify.CodeBadID, `got "Name", want a string that matches `+clarify.IDPattern)
	add("a kind by its names", strings.Replace(whole, `"text"`, `"select"`, 1), "prompts[0].kind", clarify.CodeUnknownKind, `got "select", want "choice", "confirm" or "text"`)
	add("a question one too long", strings.Replace(whole, "Database name", strings.Repeat("é", 501), 1), "prompts[0].question", clarify.CodeTooLong, "got 501 characters, want a string of 1 to 500 characters")
	add("a word for a flag", strings.Replace(whole, "}", `,"required":"true"}`, 1), "prompts[0].required", clarify.CodeWrongType, `got "true", want true or false`)
	return all
}

func TestHostileArguments(t *testing.T) {
	for _, f := range argumentFaults() {
		t.Run(f.name, func(t *testing.T) {
			violations := violationsOf(t, f.text)
			checkFaults(t, violations, f.fault)
			assert.Contains(t, violations[0].String(), f.want)
		})
	}
}

// TestArgumentsAtTheBounds: a call at a bound is accepted; one level more is refused.
func TestArgumentsAtTheBounds(t *testing.T) {
	const whole = `{"prompts":[` + textPrompt + `]}`
	want := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "name", Question: "Database name", Input: &clarify.Text{}}}}
	fill := func(prefix, suffix string) string {
		return prefix + strings.Repeat(" ", clarify.MaxSize-len(prefix)-len(suffix)) + suffix
	}
	escaped := strings.ReplaceAll(textPrompt, `"`, `\"`)
	deep := nested("[", "", "]", clarify.MaxDepth-1) // in one more
	for name, text := range map[string]string{
		"1 MiB with white space behind":       fill(whole, ""),
		"1 MiB with white space before":       fill("", whole),
		"1 MiB with a large unknown field":    fill(`{"a":"`, `",`+whole[1:]),
		"1 MiB of prompts in a string":        fill(`{"prompts":"`, escaped+`"}`),
		"10,000 levels":                       `{"a":` + deep + `,` + whole[1:],
		"10,000 levels in a prompts array":    `{"prompts":[` + strings.Replace(textPrompt, "{", `{"a":`+nested("[", "", "]", clarify.MaxDepth-3)+`,`, 1) + `]}`,
		"10,000 levels of objects":            `{"a":` + nested(`{"a":`, "1", "}", clarify.MaxDepth-1) + `,` + whole[1:],
		"10,000 levels within prompts string": `{"prompts":"` + strings.Replace(escaped, "{", `{\"a\":`+deep+`,`, 1) + `"}`,
		"10,000 levels both in and around":    `{"a":` + deep + `,"prompts":"` + strings.Replace(escaped, "{", `{\"a\":`+deep+`,`, 1) + `"}`,
	} {
		e, err := clarify.ParseCall([]byte(text))
		assert.NoError(t, err, name)
		assert.Equal(t, want, e, name)
	}
	for name, text := range map[string]string{
		"a level more in a prompts array":    `{"prompts":[` + strings.Replace(textPrompt, "{", `{"a":`+nested("[", "", "]", clarify.MaxDepth-2)+`,`, 1) + `]}`,
		"a level more within prompts string": `{"prompts":"` + strings.Replace(escaped, "{", `{\"a\":[`+deep+`],`, 1) + `"}`,
	} {
		_, err := clarify.ParseCall([]byte(text))
		assert.Equal(t, clarify.CodeTooDeep, violationsIn(t, err)[0].Code, name)
	}
}

// TestArgumentEscapes: both sides read the same escapes, and a lone surrogate as U+FFFD.
func TestArgumentEscapes(t *testing.T) {
	for raw, want := range map[string]string{
		`\"\\\/\b\f\n\r\t.`:        "\"\\/\b\f\n\r\t.",
		`\u0041\u00e9\u00E9\u597d`: "Aéé好",
		`\ud83d\uDE00`:             "😀",
		`\udbff\udfff`:             "\U0010FFFF",
		`\ud800\udc00`:             "\U00010000",
		`\ud83d`:                   "\uFFFD",
		`\ude00`:                   "\uFFFD",
		`\ud83dx`:                  "\uFFFDx",
		`\ud83d\n.`:                "\uFFFD\n.",
		`\ud83d\u0041`:             "\uFFFDA",
		`\ud83d\ud83d\ude00`:       "\uFFFD😀",
		`\ude00\ud83d`:             "\uFFFD\uFFFD",
		`\ud83d\ue000`:             "\uFFFD\uE000",
		`\udbff\udbff`:             "\uFFFD\uFFFD",
		`a\u0000b`:                 "a\x00b",
		`\uFFFD` + "\uFFFD":        "\uFFFD\uFFFD",
		"é\x7Fa\u2028b":            "é\x7Fa\u2028b",
	} {
		text := strings.Replace(textPrompt, "Database name", raw, 1)
		strict, err := clarify.ParseCall([]byte(`{"prompts":[` + text + `]}`))
		require.NoError(t, err, raw)
		assert.Equal(t, want, strict.Prompts[0].Question, raw)
		lenient, err := clarify.Parse(wire(`"prompts":[` + text + `]`))
		require.NoError(t, err, raw)
		assert.Equal(t, want, lenient.Prompts[0].Question, raw)
	}
}

// faultless is a valid call with every field of every kind.
func faultless() *clarify.Envelope {
	return &clarify.Envelope{
		Title: "Before deleting this bucket",
		Prompts: []clarify.Prompt{{
			ID: "bucket", Question: "Which bucket?", Hint: "It is for good.", Optional: true,
			Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{
				{ID: "avatars", Label: "Avatars", Description: "64 files"},
				{ID: "uploads", Label: "Uploads", Description: "12 files"},
				{ID: "backups", Label: "Backups", Description: "1 file"},
			}},
		}, {
			ID: "delete", Question: "Delete it?", Hint: "This cannot be undone.", Optional: true,
			Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
		}, {
			ID: "name", Question: "Name of the new one", Hint: "Anything", Optional: true,
			Input: &clarify.Text{Placeholder: "main", DefaultValue: "main", Multiline: true},
		}},
	}
}

// A field is one field of an envelope, or an element of one of its lists.
type field struct {
	what, path string
	prompt     int     // its index
	text       *string // of an id and of a text
	low, high  int     // of a text
	flag       *bool   // of a flag: false by default
}

// fields returns the fields of e in the order of violations: those of one sort, which is id, text,
// kind, flag, list or element, or for "" all.
func fields(e *clarify.Envelope, what string) (all []field) {
	prompt := 0
	add := func(f field) {
		if f.prompt = prompt; what == "" || f.what == what {
			all = append(all, f)
		}
	}
	id := func(path string, s *string) { add(field{what: "id", path: path, text: s}) }
	text := func(path string, s *string, low, high int) {
		add(field{what: "text", path: path, text: s, low: low, high: high})
	}
	flag := func(path string, is *bool) { add(field{what: "flag", path: path, flag: is}) }
	text("title", &e.Title, 0, clarify.MaxTitle)
	add(field{what: "list", path: "prompts"})
	for prompt = range e.Prompts {
		p, at := &e.Prompts[prompt], fmt.Sprintf("prompts[%d]", prompt)
		add(field{what: "element", path: at})
		id(at+".id", &p.ID)
		add(field{what: "kind", path: at + ".kind"})
		text(at+".question", &p.Question, 1, clarify.MaxQuestion)
		text(at+".hint", &p.Hint, 0, clarify.MaxHint)
		flag(at+".required", &p.Optional)
		switch in := p.Input.(type) {
		case *clarify.Choice:
			add(field{what: "list", path: at + ".options"})
			for j := range in.Options {
				o, at := &in.Options[j], fmt.Sprintf("%s.options[%d]", at, j)
				add(field{what: "element", path: at})
				id(at+".id", &o.ID)
				text(at+".label", &o.Label, 1, clarify.MaxLabel)
				text(at+".description", &o.Description, 0, clarify.MaxDescription)
			}
			flag(at+".allowMultiple", &in.AllowMultiple)
		case *clarify.Confirm:
			text(at+".confirmLabel", &in.ConfirmLabel, 0, clarify.MaxLabel)
			text(at+".cancelLabel", &in.CancelLabel, 0, clarify.MaxLabel)
			flag(at+".danger", &in.Danger)
		case *clarify.Text:
			text(at+".placeholder", &in.Placeholder, 0, clarify.MaxPlaceholder)
			text(at+".defaultValue", &in.DefaultValue, 0, clarify.MaxDefaultValue)
			flag(at+".multiline", &in.Multiline)
		}
	}
	return all
}

// A fault is one thing wrong with a call.
type fault struct {
	name  string
	path  string // where it has to be reported
	code  clarify.Code
	apply func(call *conformance.Value)

	replaces bool     // what stood below path is gone
	hides    []string // paths that are not looked at any more
	needs    []string // paths that have to be without fault for this to be one
}

// spoils reports whether f leaves no room for another fault at path.
func (f fault) spoils(path string) bool {
	below := func(root string) bool {
		rest, ok := strings.CutPrefix(path, root)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	return path == f.path || f.replaces && below(f.path) || slices.ContainsFunc(f.hides, below)
}

// excludes reports whether f and g cannot be two faults of one call.
func (f fault) excludes(g fault) bool {
	return f.spoils(g.path) || g.spoils(f.path) || slices.ContainsFunc(f.needs, g.spoils) || slices.ContainsFunc(g.needs, f.spoils)
}

// Values that are wrong for one sort of field.
var (
	notStrings = []any{conformance.Literal("1"), conformance.Literal("-1.5e300"), true, false, []any{}, []any{"x"}, conformance.Object()}
	notFlags   = []any{"true", "false", "", 1, 0, []any{}, conformance.Object()}
	notObjects = []any{nil, "avatars", "", 0, true, []any{}}
	badIDs     = []string{
		"A", "aB", "1a", "_a", ".a", "-a", "a b", "a/b", "a:b", "unique()", "$id", "é", "aé", "a\x00", "a\nb", "\u212A",
		"a" + strings.Repeat("b", clarify.MaxID), strings.Repeat("é", clarify.MaxID/2),
	}
	badKinds = []string{"Choice", "CONFIRM", "texts", "select", "choice\x00", "\u212Aind", "choice,text", `"text"`}
	blanks   = []string{"", " ", "\t\n\v\f\r\x1C\x1F\u0085\u00A0\u2028\u3000\uFEFF"}
)

// promptValue and optionValue return what is valid in a call, with an id.
func promptValue(id string) *conformance.Value {
	return conformance.Object("id", id, "kind", "text", "question", "A?")
}

func optionValue(id string) *conformance.Value { return conformance.Object("id", id, "label", "A") }

// faults lists every fault of the table of rules, at every place where it can be.
func faults() []fault {
	var all []fault
	set := func(path string, code clarify.Code, value any) *fault {
		v := conformance.Of(value)
		all = append(all, fault{
			name: fmt.Sprintf("%s = %.40s", path, v.Compact()),
			path: path, code: code,
			apply: func(call *conformance.Value) { call.Set(path, v.Clone()) },
		})
		return &all[len(all)-1]
	}
	missing := func(path string) {
		set(path, clarify.CodeMissing, nil)
		all = append(all, fault{
			name: "no " + path, path: path, code: clarify.CodeMissing,
			apply: func(call *conformance.Value) { call.Remove(path) },
		})
	}
	prompts := faultless().Prompts
	for _, f := range fields(faultless(), "") {
		first := len(all)
		if f.what == "id" || f.what == "kind" || f.low > 0 {
			missing(f.path)
			for _, blank := range blanks {
				set(f.path, clarify.CodeBlank, blank)
			}
		}
		if f.what == "id" || f.what == "kind" || f.what == "text" {
			for _, v := range notStrings {
				set(f.path, clarify.CodeWrongType, v)
			}
		}
		switch f.what {
		case "text":
			for _, char := range []string{"x", "é", "好", "😀", "\x00"} {
				set(f.path, clarify.CodeTooLong, strings.Repeat(char, f.high+1))
			}
		case "id":
			for _, id := range badIDs {
				set(f.path, clarify.CodeBadID, id)
			}
			list := f.path[:strings.LastIndex(f.path, "[")]
			for _, elder := range fields(faultless(), "id") {
				if elder.path == f.path {
					break
				}
				if elder.path[:strings.LastIndex(elder.path, "[")] != list {
					continue
				}
				for _, id := range []string{*elder.text, " " + *elder.text + "\u2003"} {
					set(f.path, clarify.CodeDuplicateID, id).needs = []string{elder.path}
				}
			}
		case "kind":
			for _, kind := range badKinds {
				set(f.path, clarify.CodeUnknownKind, kind)
			}
			for i := first; i < len(all); i++ {
				for _, key := range conformance.KindKeys[prompts[f.prompt].Kind()] {
					all[i].hides = append(all[i].hides, fmt.Sprintf("prompts[%d].%s", f.prompt, key))
				}
			}
		case "flag":
			for _, v := range notFlags {
				set(f.path, clarify.CodeWrongType, v)
			}
		case "element":
			for _, v := range notObjects {
				set(f.path, clarify.CodeWrongType, v).replaces = true
			}
		}
	}

	const options = "prompts[0].options"
	first := len(all)
	missing(options)
	for _, v := range []any{"avatars,uploads", `[{"id":"a","label":"A"},{"id":"b","label":"B"}]`, "", 2, true, conformance.Object("a", "A", "b", "B")} {
		set(options, clarify.CodeWrongType, v)
	}
	set(options, clarify.CodeTooFew, []any{})
	set(options, clarify.CodeTooFew, []any{optionValue("a")})
	missing("prompts")
	for _, v := range []any{5, true, false, `"name"`, "42", "null", "true"} {
		set("prompts", clarify.CodeWrongType, v)
	}
	for _, v := range []string{"", " ", "\n\x1C\u0085\u3000"} {
		set("prompts", clarify.CodeBlank, v)
	}
	for _, v := range []any{[]any{}, "[]", " [ ] "} {
		set("prompts", clarify.CodeTooFew, v)
	}
	whole := conformance.Arguments(faultless()).Get("prompts").Compact()
	for _, v := range []string{
		"Which bucket?", "[", "{", `[{"id":"a"`, "]", "nul", "'a'", whole[:len(whole)-1], whole + " x", whole + whole, whole + ",", "\uFEFF" + whole,
		strings.Replace(whole, "}]", ",}]", 1), "```json\n" + whole + "\n```", `[{"id":"a","kind":"text","question":"a` + "\n" + `b"}]`, `["\x"]`, "[01]", "[1.]", "[NaN]",
	} {
		set("prompts", clarify.CodeSyntax, v)
	}
	set("prompts", clarify.CodeTooDeep, nested("[", "", "]", clarify.MaxDepth+1))
	set("prompts", clarify.CodeTooDeep, strings.Repeat(`{"a":`, 100_000))
	for i := first; i < len(all); i++ {
		all[i].replaces = true
	}

	tooMany := func(n int, list, name string, value func(id string) *conformance.Value) {
		all = append(all, fault{
			name: fmt.Sprint(n, " ", name), path: list, code: clarify.CodeTooMany,
			apply: func(call *conformance.Value) {
				for i := call.Get(list).Len(); i < n; i++ {
					call.Append(list, value(fmt.Sprint("more", i)))
				}
			},
		})
	}
	tooMany(clarify.MaxPrompts+1, "prompts", "prompts", promptValue)
	tooMany(100, "prompts", "prompts", promptValue)
	tooMany(clarify.MaxOptions+1, options, "options", optionValue)
	tooMany(100, options, "options", optionValue)
	return all
}

// problems returns the violations of a call. They must be the same with the prompts in a string.
func problems(t *testing.T, call *conformance.Value) []clarify.Violation {
	t.Helper()
	violations := violationsOf(t, call.Compact())
	if prompts := call.Get("prompts"); prompts != nil && strings.HasPrefix(prompts.Compact(), "[") {
		inString := call.Clone().Set("prompts", conformance.Embedded(prompts))
		require.Equal(t, violations, violationsOf(t, inString.Compact()), "as an array, and in a string")
	}
	return violations
}

func TestOneFault(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			call := conformance.Arguments(faultless())
			f.apply(call)
			checkFaults(t, problems(t, call), f)

			// A prompt that comes as a single object is prompts[0] too.
			ofPrompts := func(path string) bool { return strings.Count(path, ".") == 1 }
			if !strings.HasPrefix(f.path, "prompts[") || slices.ContainsFunc(f.needs, ofPrompts) {
				return
			}
			one := call.Get(f.path[:len("prompts[0]")])
			if !one.IsObject() {
				return
			}
			f.path = "prompts[0]" + f.path[len("prompts[0]"):]
			checkFaults(t, problems(t, call.Set("prompts", one)), f)
			checkFaults(t, problems(t, call.Set("prompts", conformance.Embedded(one))), f)
		})
	}
}

func TestTwoFaults(t *testing.T) {
	rank := map[string]int{}
	for i, f := range fields(faultless(), "") {
		rank[f.path] = i
	}
	// One fault of each path and code is enough here.
	var some []fault
	seen := map[string]bool{}
	for _, f := range faults() {
		require.Contains(t, rank, f.path)
		if key := f.path + " " + string(f.code); !seen[key] && f.code != clarify.CodeTooDeep {
			seen[key] = true
			some = append(some, f)
		}
	}
	pairs := 0
	for i, f := range some {
		for _, g := range some[:i] {
			if f.excludes(g) {
				continue
			}
			pairs++
			call := conformance.Arguments(faultless())
			f.apply(call)
			g.apply(call)
			want := []fault{f, g}
			slices.SortFunc(want, func(a, b fault) int { return rank[a.path] - rank[b.path] })
			checkFaults(t, problems(t, call), want...)
		}
	}
	assert.GreaterOrEqual(t, pairs, 3500, "of %d faults", len(some))
}

// TestNoFault tries values that each rule just allows.
func TestNoFault(t *testing.T) {
	ok := func(name string, apply func(call *conformance.Value)) {
		t.Helper()
		call := conformance.Arguments(faultless())
		apply(call)
		assert.Nil(t, problems(t, call), name)
	}
	set := func(path string, values ...any) {
		t.Helper()
		for _, v := range values {
			ok(fmt.Sprintf("%s = %.40s", path, conformance.Of(v)), func(call *conformance.Value) { call.Set(path, v) })
		}
	}
	absent := func(path string) {
		t.Helper()
		set(path, nil)
		ok("no "+path, func(call *conformance.Value) { call.Remove(path) })
	}
	ok("nothing changed", func(*conformance.Value) {})
	for _, f := range fields(faultless(), "") {
		switch f.what {
		case "text":
			for _, char := range []string{"x", "é", "好", "😀", "\x00"} {
				set(f.path, strings.Repeat(char, f.high), "\uFEFF \u0085"+strings.Repeat(char, f.high)+"\n")
			}
			if f.low > 0 {
				set(f.path, strings.Repeat("x", f.low))
				continue
			}
			absent(f.path)
			for _, blank := range blanks {
				set(f.path, blank)
			}
			set(f.path, strings.Repeat(" ", 2*clarify.MaxDefaultValue))
		case "id":
			set(f.path, "a", "z", "a9", "a0", "a_.-", "azz", "\ta\uFEFF", "a"+strings.Repeat("b", clarify.MaxID-1))
		case "flag":
			absent(f.path)
			set(f.path, true, false)
		case "kind":
			// The fields of the former kind are ignored, where it is another one.
			set(f.path, "\u2028"+string(faultless().Prompts[f.prompt].Kind())+"\x1C", "text", "confirm")
		}
	}
	many := func(n int, value func(id string) *conformance.Value) *conformance.Value {
		list := conformance.Array()
		for i := range n {
			list.Append("", value(fmt.Sprint("o", i)))
		}
		return list
	}
	set("prompts[0].options", many(clarify.MinOptions, optionValue), many(clarify.MaxOptions, optionValue))
	set("prompts", many(clarify.MinPrompts, promptValue), many(clarify.MaxPrompts, promptValue))
	ok("the same option id in two prompts, and a prompt with the id of an option", func(call *conformance.Value) {
		call.Append("prompts", call.Get("prompts[0]").Clone().Set("id", "avatars"))
	})
}

// TestBeyondTheCount: too many prompts or options are one problem, and the rest is not looked at.
func TestBeyondTheCount(t *testing.T) {
	call := conformance.Arguments(faultless())
	for i := range 20 {
		call.Append("prompts", promptValue(fmt.Sprint("more", i)))
		call.Append("prompts[0].options", optionValue(fmt.Sprint("more", i)))
	}
	for i := clarify.MaxPrompts; i < 23; i++ {
		call.Set(fmt.Sprintf("prompts[%d]", i), []any{})
	}
	for i := clarify.MaxOptions; i < 23; i++ {
		call.Set(fmt.Sprintf("prompts[0].options[%d]", i), nil)
	}
	var got []string
	for _, v := range problems(t, call) {
		got = append(got, string(v.Code)+" "+v.String())
	}
	assert.Equal(t, []string{"too_many prompts: got 23 prompts, want 1 to 5", "too_many prompts[0].options: got 23 options, want 2 to 12"}, got)
	// The last one within the limit is looked at.
	call.Set("prompts[4].question", nil)
	call.Set("prompts[0].options[11].label", nil)
	checkFaults(t, problems(t, call),
		fault{path: "prompts", code: clarify.CodeTooMany}, fault{path: "prompts[0].options", code: clarify.CodeTooMany},
		fault{path: "prompts[0].options[11].label", code: clarify.CodeMissing}, fault{path: "prompts[4].question", code: clarify.CodeMissing})
}

// TestWithoutKind: only the fields that all kinds share are looked at.
func TestWithoutKind(t *testing.T) {
	for i, p := range faultless().Prompts {
		at := fmt.Sprintf("prompts[%d].", i)
		call := conformance.Arguments(faultless()).Set(at+"kind", "slider").Set(at+"required", "no")
		for _, key := range conformance.KindKeys[p.Kind()] {
			call.Set(at+key, 1)
		}
		checkFaults(t, problems(t, call),
			fault{path: at + "kind", code: clarify.CodeUnknownKind}, fault{path: at + "required", code: clarify.CodeWrongType})
	}
}

// TestElder: a duplicate names the place of the first, also after siblings without an id.
func TestElder(t *testing.T) {
	for path, siblings := range map[string][]any{
		"prompts":            {nil, conformance.Object("kind", "text", "question", "A?"), 1},
		"prompts[0].options": {nil, conformance.Object("label", "A"), 1},
	} {
		twin := promptValue("twin").Set("label", "A")
		for _, sibling := range siblings {
			call := conformance.Arguments(faultless()).Set(path, []any{sibling, twin, twin, twin})
			violations := problems(t, call)
			require.Len(t, violations, 3, conformance.Of(sibling))
			for i, v := range violations[1:] {
				assert.Equal(t, clarify.Violation{
					Path: fmt.Sprintf("%s[%d].id", path, i+2), Code: clarify.CodeDuplicateID,
					Got: fmt.Sprintf(`"twin" again, after %s[1].id`, path), Want: "an id of its own",
				}, v)
			}
		}
	}
}

// TestSameViolations: a hundred runs find the same violations in the same order.
func TestSameViolations(t *testing.T) {
	call := conformance.Arguments(faultless()).Set("title", []any{})
	flags, ids := fields(faultless(), "flag"), fields(faultless(), "id")
	for _, f := range append(flags, ids...) {
		call.Set(f.path, "the same")
	}
	_, first := clarify.ParseCall([]byte(call.Compact()))
	require.Len(t, violationsIn(t, first), 1+len(flags)+len(ids))
	for range 100 {
		_, err := clarify.ParseCall([]byte(call.Compact()))
		require.Equal(t, first, err)
		require.EqualError(t, err, first.Error())
	}
}

// foreignInput is an Input only because it embeds one.
type foreignInput struct{ clarify.Input }

// A goFault is a fault that only an envelope made in Go can have.
type goFault struct {
	fault
	spoil func(e *clarify.Envelope)
}

func goFaults() []goFault {
	var all []goFault
	add := func(name, path string, code clarify.Code, spoil func(e *clarify.Envelope)) {
		all = append(all, goFault{fault{name: name, path: path, code: code}, spoil})
	}
	input := func(name string, code clarify.Code, in clarify.Input) {
		add(name, "prompts[1].kind", code, func(e *clarify.Envelope) { e.Prompts[1].Input = in })
	}
	add("skipped", "prompts", clarify.CodeIncomplete, func(e *clarify.Envelope) {
		e.Skipped = []clarify.Skipped{{clarify.PartPrompt, "prompts[3].kind", clarify.CodeUnknownKind}}
	})
	add("no prompts", "prompts", clarify.CodeTooFew, func(e *clarify.Envelope) { e.Prompts = nil })
	input("no input", clarify.CodeMissing, nil)
	input("nil *Choice", clarify.CodeMissing, (*clarify.Choice)(nil))
	input("nil *Confirm", clarify.CodeMissing, (*clarify.Confirm)(nil))
	input("nil *Text", clarify.CodeMissing, (*clarify.Text)(nil))
	input("a foreign input", clarify.CodeUnknownKind, foreignInput{&clarify.Text{}})
	input("a foreign input of nothing", clarify.CodeUnknownKind, foreignInput{})
	input("a pointer to a foreign input", clarify.CodeUnknownKind, &foreignInput{&clarify.Confirm{}})
	for what, code := range map[string]clarify.Code{"text": clarify.CodeInvalidUTF8, "id": clarify.CodeBadID} {
		for i, f := range fields(faultless(), what) {
			for _, s := range []string{"\xFF", "a\xC3", "a\xED\xA0\x80b"} {
				add(fmt.Sprintf("%s = %q", f.path, s), f.path, code, func(e *clarify.Envelope) { *fields(e, what)[i].text = s })
			}
		}
	}
	return all
}

func TestOneGoFault(t *testing.T) {
	require.NoError(t, faultless().Validate())
	for _, f := range goFaults() {
		t.Run(f.name, func(t *testing.T) {
			e := faultless()
			f.spoil(e)
			result, err := e.Result()
			assert.Empty(t, result)
			checkFaults(t, violationsIn(t, err), f.fault)
			assert.Equal(t, err, e.Validate())
		})
	}
	t.Run("a nil envelope", func(t *testing.T) {
		checkFaults(t, violationsIn(t, (*clarify.Envelope)(nil).Validate()), fault{path: "prompts", code: clarify.CodeMissing})
	})
}

// TestEveryStrictCode: the faults have every code of the strict side, and no other code.
func TestEveryStrictCode(t *testing.T) {
	hit := map[clarify.Code]bool{}
	for _, f := range faults() {
		hit[f.code] = true
	}
	for _, f := range goFaults() {
		hit[f.code] = true
	}
	for _, f := range argumentFaults() {
		hit[f.code] = true
	}
	strict := map[clarify.Code]bool{}
	for _, w := range declaredWords(t) {
		if w.typ == "code" && w.heading == "" { // the codes of replies and warnings have a heading
			strict[clarify.Code(w.word)] = true
		}
	}
	assert.Equal(t, strict, hit)
}

// TestManyProblems: the text has as many problems as fit, and the number of the others.
func TestManyProblems(t *testing.T) {
	call := conformance.Object("prompts", []any{})
	for range clarify.MaxPrompts {
		options := conformance.Array()
		for range clarify.MaxOptions {
			options.Append("", conformance.Object("id", strings.Repeat("\x00", 100), "label", ""))
		}
		call.Append("prompts", conformance.Object("id", "A", "kind", "choice", "options", options))
	}
	violations := violationsOf(t, call.Compact())
	require.Len(t, violations, clarify.MaxPrompts*(2+2*clarify.MaxOptions))
	_, err := clarify.ParseCall([]byte(call.Compact()))
	text := clarify.ErrorResult(err)
	assert.True(t, strings.HasPrefix(err.Error(), "clarify: invalid prompts: "+violations[0].String()+"; "), err)
	assert.NoError(t, conformance.CheckPrintable(err.Error()))
	var all []error
	for _, v := range violations {
		all = append(all, v)
	}
	assert.Equal(t, all, err.(interface{ Unwrap() []error }).Unwrap())
	var first clarify.Violation
	require.ErrorAs(t, err, &first)
	assert.Equal(t, violations[0], first)
	assert.EqualError(t, first, "clarify: "+first.String())
	lines := strings.Split(strings.TrimPrefix(text, conformance.ErrorTextStart), "; ")
	last := len(lines) - 1
	for i, line := range lines[:last] {
		require.Equal(t, violations[i].String(), line)
	}
	assert.Equal(t, fmt.Sprintf("and %d more", len(violations)-last), lines[last])
	assert.GreaterOrEqual(t, len(text), 3600)

	// Byte by byte across the limit: the last problem fits, or it does not.
	previous := 0
	for n := range 400 {
		few := &clarify.ValidationError{}
		whole := conformance.ErrorTextStart
		for range 8 {
			few.Violations = append(few.Violations, clarify.Violation{"a", clarify.CodeSyntax, strings.Repeat("g", 390), strings.Repeat("w", n/10)})
			whole += few.Violations[0].String() + "; "
		}
		few.Violations = append(few.Violations, clarify.Violation{"last", clarify.CodeSyntax, strings.Repeat("g", 400-n/10*8+n), "w"})
		whole += few.Violations[8].String()
		text := clarify.ErrorResult(few)
		require.NoError(t, conformance.CheckErrorText(text))
		if n > 0 {
			require.Equal(t, previous+1, len(whole))
		}
		previous = len(whole)
		if len(whole) <= 4000-len("; and 1 more") {
			assert.Equal(t, whole, text)
		} else {
			assert.NotEqual(t, whole, text)
			assert.True(t, strings.HasSuffix(text, " more"), text)
		}
	}
	assert.GreaterOrEqual(t, previous, 4000, "bytes were tried")
}
