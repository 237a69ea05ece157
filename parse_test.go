package clarify_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// wire returns the text of an object with the protocol and then the given members.
func wire(members string) string { return `{"protocol":"appwrite.clarify/v1",` + members + `}` }

// quoted returns s as a JSON string.
func quoted(s string) string { return conformance.Of(s).Compact() }

var textOutput = wire(`"prompts":[` + textPrompt + `]`)

var refusals = []error{clarify.ErrToolFailed, clarify.ErrMalformed, clarify.ErrVersion, clarify.ErrNothingToShow}

// checkRefusal checks that err is want and no other refusal. A want of nil is ErrNotEnvelope alone.
func checkRefusal(t *testing.T, text string, e *clarify.Envelope, err, want error) {
	t.Helper()
	name := fmt.Sprintf("%.80q", text)
	assert.Nil(t, e, name)
	assert.ErrorIs(t, err, clarify.ErrNotEnvelope, name)
	for _, refusal := range refusals {
		if refusal == want {
			assert.ErrorIs(t, err, refusal, name)
		} else {
			assert.NotErrorIs(t, err, refusal, name)
		}
	}
	var empty *clarify.EmptyError
	assert.Equal(t, want == clarify.ErrNothingToShow, errors.As(err, &empty), name)
}

func TestRefusals(t *testing.T) {
	for _, sentinel := range refusals {
		assert.ErrorIs(t, sentinel, clarify.ErrNotEnvelope)
		assert.ErrorContains(t, sentinel, clarify.ErrNotEnvelope.Error()+": ")
	}
	behind := textOutput[len(`{"protocol":"appwrite.clarify/v1"`):]
	for want, texts := range map[error][]string{
		clarify.ErrToolFailed: {
			"Error:", "Error: invalid clarify prompts — prompts: got nothing", " \uFEFF\u2028\nError: x", "Error:" + textOutput,
			"Error: " + strings.Repeat("x", 2*clarify.MaxSize),
		},
		clarify.ErrMalformed: {
			textOutput[:len(textOutput)-1], textOutput[:40] + "…", textOutput + " x", textOutput + textOutput, textOutput + "\u0085", textOutput + "\x1C",
			strings.Replace(textOutput, "}]", ",}]", 1), strings.Replace(textOutput, "name", "a\nb", 1), strings.Replace(textOutput, "name", `\x`, 1),
			strings.Replace(textOutput, ":[", `:[01,`, 1), strings.Replace(textOutput, "{", "{/* a */", 1), strings.Replace(textOutput, "{", "{\xFF", 1),
			strings.Replace(textOutput[:50], "/", `\/`, 1), `{"a":` + nested("[", "", "]", clarify.MaxDepth) + `,` + textOutput[1:],
			wire(`"prompts":[` + strings.Repeat("[", 100_000)),
		},
		clarify.ErrVersion: {
			`{"protocol":"appwrite.clarify/v2"` + behind, `{"protocol":"appwrite.clarify/v2"}`, `{"protocol":"appwrite.clarify/"` + behind,
			`{"protocol":"appwrite.clarify/v1 "` + behind, `{"protocol":"appwrite.clarify/V1"` + behind, `{"protocol":"appwrite.clarify/v1\u0000"` + behind,
			`{"protocol":"appwrite.clarify/v10","prompts":[]}`, `{"protocol":"\u0061ppwrite.clarify/v2"` + behind, `{"protocol":"appwrite.clarify\/v2"` + behind,
			"{\"protocol\":\"appwrite.clarify/v1\xFF\"" + behind, `{"protocol":"appwrite.clarify/v1","protocol":"appwrite.clarify/v2"` + behind,
		},
		clarify.ErrNothingToShow: {
			wire(`"prompts":[]`), wire(`"prompts":[null]`), wire(`"title":"a","prompts":[{"kind":"slider"}]`), wire(`"prompts":[` + textPrompt + `],"prompts":[]`),
			`{"prompts":[],"protocol":"appwrite.clarify/v1"}`,
		},
		nil: {
			"", " \n\uFEFF", "Deleted the bucket.", "error: x", "ERROR:", "\u0085Error: x", "\x1CError: x", "Errors", "null", "true", "5", `"` + clarify.Protocol + `"`, "[]", "{}",
			"[" + textOutput + "]", "Result: " + textOutput, "```json\n" + textOutput + "\n```", quoted(textOutput), "\u0085" + textOutput, "\x1F" + textOutput,
			`{"protocol":null` + behind, `{"protocol":["appwrite.clarify/v1"]` + behind, `{"protocol":""` + behind, `{"protocol":" appwrite.clarify/v1"` + behind,
			`{"protocol":"Appwrite.clarify/v1"` + behind, `{"protocol":"appwrite.clarify"` + behind, `{"protocol":"appwrite.clarify.v1"` + behind,
			`{"protocol":"appwrite.console/v1"` + behind, `{"protocol":"x","a":"appwrite.clarify/v1"` + behind, `{"Protocol":"appwrite.clarify/v1"` + behind,
			`{"protocol\u0000":"appwrite.clarify/v1"` + behind, `{"a":"appwrite.clarify/v1"` + behind, `{"protocol":{"protocol":"appwrite.clarify/v1"}` + behind,
			`{"protocol":"appwrite.clarify/v1","protocol":"other"` + behind, `{"protocol":"appwrite.clarify/v1","protocol":null` + behind,
			`{"a":"appwrite.clarify","b":1`, `{"protocol":"appwrite.cl`, `{"bucket":"avatars"`, `{"a":"\u0061\u0070"`, `{"a":"\u00`, `{"a":"\u0061"}`,
			wire(`"title":"a"`), wire(`"prompts":null`), wire(`"prompts":"[]"`), wire(`"prompts":` + textPrompt), wire(`"prompts":1`), wire(`"Prompts":[` + textPrompt + `]`),
			wire(`"prompts":[` + textPrompt + `],"prompts":null`), wire(`"prompts":[` + textPrompt + `],"prompts":{}`),
			textOutput + strings.Repeat(" ", clarify.MaxSize+1-len(textOutput)), wire(`"a":"` + strings.Repeat("x", clarify.MaxSize) + `"` + behind),
		},
	} {
		for _, text := range texts {
			e, err := clarify.Parse(text)
			checkRefusal(t, text, e, err, want)
		}
	}
	// An output that was cut anywhere.
	for i := range len(textOutput) {
		want := clarify.ErrMalformed
		if i < strings.Index(textOutput, clarify.Protocol)+len(clarify.Protocol) {
			want = nil
		}
		e, err := clarify.Parse(textOutput[:i])
		checkRefusal(t, textOutput[:i], e, err, want)
	}
}

func TestNothingToShow(t *testing.T) {
	for text, want := range map[string]struct {
		skipped []clarify.Skipped
		text    string
	}{
		wire(`"prompts":[]`): {nil, "clarify: not an envelope: no usable prompt"},
		wire(`"prompts":[null]`): {[]clarify.Skipped{{clarify.PartPrompt, "prompts[0]", clarify.CodeWrongType}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0]: wrong_type)"},
		wire(`"prompts":[{"kind":"slider"},{"kind":"text"},{"kind":"text","id":"a","hint":5}]`): {
			[]clarify.Skipped{{clarify.PartPrompt, "prompts[0].kind", clarify.CodeUnknownKind}, {clarify.PartPrompt, "prompts[1].id", clarify.CodeMissing}, {clarify.PartPrompt, "prompts[2].question", clarify.CodeMissing}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0].kind: unknown_kind and 2 more)"},
		wire(`"prompts":[null],"prompts":[{"kind":1}]`): {[]clarify.Skipped{{clarify.PartPrompt, "prompts[0].kind", clarify.CodeWrongType}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0].kind: wrong_type)"},
	} {
		_, err := clarify.Parse(text)
		var empty *clarify.EmptyError
		require.ErrorAs(t, fmt.Errorf("the tool: %w", err), &empty)
		assert.Equal(t, want.skipped, empty.Skipped)
		assert.EqualError(t, err, want.text)
	}
}

// TestProtocolEscapes: the protocol may be written with escapes.
func TestProtocolEscapes(t *testing.T) {
	want, err := clarify.Parse(textOutput)
	require.NoError(t, err)
	behind := textOutput[strings.Index(textOutput, clarify.Protocol)+len(clarify.Protocol):]
	check := func(before, name string) {
		t.Helper()
		e, err := clarify.Parse(before + name + behind)
		assert.NoError(t, err, before+name)
		assert.Equal(t, want, e, before+name)
	}
	var all, every string
	for i, r := range clarify.Protocol {
		for _, escape := range []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)} {
			check(`{"protocol":"`, clarify.Protocol[:i]+escape+clarify.Protocol[i+1:])
		}
		all += fmt.Sprintf(`\u%04X`, r)
		if i%2 == 0 {
			every += fmt.Sprintf(`\u%04x`, r)
		} else {
			every += string(r)
		}
	}
	for _, name := range []string{all, every, `appwrite.clarify\/v1`} {
		check(`{"\u0070rotocol":"`, name)
		// After something that looks like an escape, or is another one.
		for _, before := range []string{`{"a":"\\u00",`, `{"a":"u00u00",`, `{"a":"\\\\u0061\u00ff",`, `{"\u0000":"\\u00",`, `{"\\u00":"\u2028\u00e9",`} {
			check(before+`"protocol":"`, name)
		}
	}
}

// A lenientFault is one thing wrong with an output, with what is reported and what is still read.
type lenientFault struct {
	name    string
	apply   func(output *conformance.Value)
	skipped []clarify.Skipped
	effect  func(e *clarify.Envelope)
}

func lenientFaults() []lenientFault {
	var all []lenientFault
	add := func(name string, apply func(output *conformance.Value), effect func(e *clarify.Envelope), skipped ...clarify.Skipped) {
		all = append(all, lenientFault{name, apply, skipped, effect})
	}
	set := func(path string, v any, effect func(e *clarify.Envelope), skipped ...clarify.Skipped) {
		add(fmt.Sprintf("%s = %.40s", path, conformance.Of(v)), func(output *conformance.Value) { output.Set(path, v) }, effect, skipped...)
	}
	remove := func(path string, effect func(e *clarify.Envelope), skipped ...clarify.Skipped) {
		add("no "+path, func(output *conformance.Value) { output.Remove(path) }, effect, skipped...)
	}
	nothing := func(*clarify.Envelope) {}
	scriptBlanks := []string{"", " ", "\t\n\v\f\r\u00A0\u2028\u3000\uFEFF"}
	notBlank := "\u0085" // JavaScript's trim keeps it, and U+001C too

	// needed is a string without which part goes.
	needed := func(path string, part clarify.Part, gone func(e *clarify.Envelope)) {
		remove(path, gone, clarify.Skipped{part, path, clarify.CodeMissing})
		set(path, nil, gone, clarify.Skipped{part, path, clarify.CodeMissing})
		for _, v := range notStrings {
			set(path, v, gone, clarify.Skipped{part, path, clarify.CodeWrongType})
		}
		for _, v := range scriptBlanks {
			set(path, v, gone, clarify.Skipped{part, path, clarify.CodeBlank})
		}
	}
	for i, p := range faultless().Prompts {
		at := fmt.Sprintf("prompts[%d]", i)
		gone := func(e *clarify.Envelope) { e.Prompts = slices.Delete(e.Prompts, i, i+1) }
		skip := func(key string, code clarify.Code) clarify.Skipped {
			return clarify.Skipped{clarify.PartPrompt, at + key, code}
		}
		for _, v := range notObjects {
			set(at, v, gone, skip("", clarify.CodeWrongType))
		}
		set(at, conformance.Object(), gone, skip(".kind", clarify.CodeMissing))
		needed(at+".id", clarify.PartPrompt, gone)
		needed(at+".kind", clarify.PartPrompt, gone)
		needed(at+".question", clarify.PartPrompt, gone)
		for _, kind := range []string{"Choice", "select", "\u0085text", "text\x00", notBlank} {
			set(at+".kind", kind, gone, skip(".kind", clarify.CodeUnknownKind))
		}
		add(at+" is of a newer kind and has nothing else", func(output *conformance.Value) {
			output.Set(at, conformance.Object("kind", "slider", "hint", 5, "required", "x"))
		}, gone, skip(".kind", clarify.CodeUnknownKind))
		add(at+" has a flag of a wrong type and no question", func(output *conformance.Value) {
			output.Set(at+".required", "x").Set(at+".hint", []any{}).Set(at+".question", " ")
		}, gone, skip(".question", clarify.CodeBlank))
		set(at+".id", "Any Thing/\u0085", func(e *clarify.Envelope) { e.Prompts[i].ID = "Any Thing/\u0085" })
		set(at+".id", faultless().Prompts[0].ID, func(e *clarify.Envelope) { e.Prompts[i].ID = e.Prompts[0].ID })
		for _, key := range conformance.ForeignKeys(p.Kind()) {
			set(at+"."+key, 1, nothing)
		}

		in, ok := p.Input.(*clarify.Choice)
		if !ok {
			continue
		}
		options := at + ".options"
		becomes := func(options []clarify.Option) func(e *clarify.Envelope) {
			return func(e *clarify.Envelope) { e.Prompts[i].Input.(*clarify.Choice).Options = options }
		}
		remove(options, gone, skip(".options", clarify.CodeMissing))
		set(options, nil, gone, skip(".options", clarify.CodeMissing))
		for _, v := range []any{"a,b", `["a","b"]`, 2, false, conformance.Object()} {
			set(options, v, gone, skip(".options", clarify.CodeWrongType))
		}
		good := optionValue("b")
		for _, v := range [][]any{{}, {good}, {nil, good, "a"}, {conformance.Object("id", "a"), good}} {
			set(options, v, gone, skip(".options", clarify.CodeTooFew))
		}
		set(options, []any{good, good}, becomes([]clarify.Option{{ID: "b", Label: "A"}, {ID: "b", Label: "A"}})) // also twice the same
		// There is no upper limit. The options beyond the strict side's limit count like the others.
		for _, usable := range [][]int{{0, 1}, {11, 12}, {12, 13}, {0, 29}, {20}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 28}} {
			many := make([]any, 30)
			var left []clarify.Option
			var skipped []clarify.Skipped
			for j := range many {
				if slices.Contains(usable, j) {
					o := clarify.Option{ID: fmt.Sprint("o", j), Label: "L", Description: "d"}
					many[j] = conformance.Object("label", " L ", "description", "d", "id", o.ID)
					left = append(left, o)
					continue
				}
				skipped = append(skipped, clarify.Skipped{clarify.PartOption, fmt.Sprintf("%s[%d]", options, j), clarify.CodeWrongType})
			}
			if len(usable) < clarify.MinOptions {
				set(options, many, gone, skip(".options", clarify.CodeTooFew))
				continue
			}
			set(options, many, becomes(left), skipped...)
		}
		for j := range in.Options {
			at := fmt.Sprintf("%s[%d]", options, j)
			gone := func(e *clarify.Envelope) {
				in := e.Prompts[i].Input.(*clarify.Choice)
				in.Options = slices.Delete(in.Options, j, j+1)
			}
			for _, v := range notObjects {
				set(at, v, gone, clarify.Skipped{clarify.PartOption, at, clarify.CodeWrongType})
			}
			needed(at+".id", clarify.PartOption, gone)
			needed(at+".label", clarify.PartOption, gone)
			set(at+".id", "Any Thing", func(e *clarify.Envelope) { e.Prompts[i].Input.(*clarify.Choice).Options[j].ID = "Any Thing" })
		}
	}
	defaults := map[string]string{"confirmLabel": clarify.DefaultConfirmLabel, "cancelLabel": clarify.DefaultCancelLabel}
	for i, f := range fields(faultless(), "text") {
		becomes := func(s string) func(e *clarify.Envelope) {
			return func(e *clarify.Envelope) { *fields(e, "text")[i].text = s }
		}
		for _, s := range []string{strings.Repeat("x", f.high+1), "\u0085a\x1C", notBlank} {
			set(f.path, s, becomes(s))
		}
		if f.low > 0 {
			continue
		}
		key := f.path[strings.LastIndex(f.path, ".")+1:]
		absent := becomes(defaults[key])
		remove(f.path, absent)
		set(f.path, nil, absent)
		for _, v := range notStrings {
			set(f.path, v, absent, clarify.Skipped{clarify.PartField, f.path, clarify.CodeWrongType})
		}
		for _, v := range scriptBlanks {
			if key == "defaultValue" {
				set(f.path, v, becomes(v))
				set(f.path, "\n a"+v, becomes("\n a"+v))
				continue
			}
			set(f.path, v, absent)
			set(f.path, v+" a"+v, becomes("a"))
		}
	}
	for i, f := range fields(faultless(), "flag") {
		becomes := func(is bool) func(e *clarify.Envelope) {
			return func(e *clarify.Envelope) { *fields(e, "flag")[i].flag = is }
		}
		remove(f.path, becomes(false))
		set(f.path, nil, becomes(false))
		for _, v := range notFlags {
			set(f.path, v, becomes(false), clarify.Skipped{clarify.PartField, f.path, clarify.CodeWrongType})
		}
		for _, is := range []bool{true, false} {
			set(f.path, is, becomes(is != strings.HasSuffix(f.path, "required")))
		}
	}
	return all
}

func TestSkipped(t *testing.T) {
	for _, f := range lenientFaults() {
		t.Run(f.name, func(t *testing.T) {
			output, want := conformance.Output(faultless()), faultless()
			f.apply(output)
			f.effect(want)
			want.Skipped = f.skipped
			e, err := clarify.Parse(output.Compact())
			require.NoError(t, err)
			assert.Equal(t, want, e)
			// The envelope can be encoded, but one with a Skipped is not emitted.
			canonical, err := e.AppendJSON(nil)
			require.NoError(t, err)
			again, err := clarify.Parse(string(canonical))
			require.NoError(t, err)
			want.Skipped = nil
			assert.Equal(t, want, again)
			if len(f.skipped) > 0 {
				_, err := e.Result()
				assert.Error(t, err)
			}
		})
	}
}

// TestSkippedOrder: Skipped has the order of the violations, whatever the order of the members.
func TestSkippedOrder(t *testing.T) {
	output, want := conformance.Output(faultless()), faultless()
	in := want.Prompts[0].Input.(*clarify.Choice)
	for _, f := range fields(want, "") {
		switch {
		case strings.HasPrefix(f.path, "prompts[0].options[1]"):
			if f.what == "text" {
				output.Set(f.path, 1)
			}
			if strings.HasSuffix(f.path, "label") {
				want.Skipped = append(want.Skipped, clarify.Skipped{clarify.PartOption, f.path, clarify.CodeWrongType})
			}
			continue
		case f.what == "text" && f.low == 0:
			*f.text = ""
		case f.what == "flag":
			*f.flag = false
		default:
			continue
		}
		output.Set(f.path, 1)
		want.Skipped = append(want.Skipped, clarify.Skipped{clarify.PartField, f.path, clarify.CodeWrongType})
	}
	in.Options = slices.Delete(in.Options, 1, 2)
	*want.Prompts[1].Input.(*clarify.Confirm) = clarify.Confirm{ConfirmLabel: clarify.DefaultConfirmLabel, CancelLabel: clarify.DefaultCancelLabel}
	output.Append("prompts", conformance.Object("kind", "slider"))
	newer := clarify.Skipped{clarify.PartPrompt, "prompts[3].kind", clarify.CodeUnknownKind}
	want.Skipped = append(want.Skipped, newer)
	assert.Equal(t, "prompt skipped: prompts[3].kind: unknown_kind", newer.String())
	for _, text := range []string{output.Compact(), output.Reverse().Compact()} {
		e, err := clarify.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, e)
	}
}

// maxNotes is the number of entries of Skipped, and of violations of a reply, that are kept.
const maxNotes = 1000

// TestSkippedIsBounded: of more than maxNotes faults the first maxNotes are kept, in the same order.
func TestSkippedIsBounded(t *testing.T) {
	const prompt = `{"id":"a","kind":"text","question":"A?"}`
	const answer = `{"id":"a","kind":"text","value":"b"}`
	for name, test := range map[string]struct {
		part             clarify.Part
		path             string // of fault %d
		head, body, tail string
	}{
		"prompts":        {clarify.PartPrompt, "prompts[%d]", wire(`"prompts":[`), `7,`, prompt + "]}"},
		"nothing usable": {clarify.PartPrompt, "prompts[%d]", wire(`"prompts":[`), `7,`, "7]}"},
		"options":        {clarify.PartOption, "prompts[0].options[%d].id", wire(`"prompts":[{"id":"a","kind":"choice","question":"A?","options":[`), `{},`, `{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}`},
		"answers":        {clarify.PartAnswer, "answers[%d]", wire(`"answers":[`), `7,`, answer + "]}"},
		"values":         {clarify.PartValue, "answers[0].values[%d]", wire(`"answers":[{"id":"a","kind":"choice","values":[`), `7,`, `"b"]}]}`},
	} {
		code := clarify.CodeWrongType
		if name == "options" {
			code = clarify.CodeMissing
		}
		read := func(n int, title string) []clarify.Skipped {
			text := strings.TrimSuffix(test.head, "}") + strings.Repeat(test.body, n) + test.tail
			text = text[:1] + title + text[1:]
			if strings.HasPrefix(test.path, "answers") {
				a, err := clarify.ParseAnswers(text)
				require.NoError(t, err)
				require.Len(t, a.Answers, 1)
				return a.Skipped
			}
			e, err := clarify.Parse(text)
			if name == "nothing usable" {
				var empty *clarify.EmptyError
				require.ErrorAs(t, err, &empty)
				return empty.Skipped
			}
			require.NoError(t, err)
			require.Len(t, e.Prompts, 1)
			return e.Skipped
		}
		for _, n := range []int{maxNotes - 2, maxNotes - 1, maxNotes, maxNotes + 1, 3 * maxNotes} {
			var want []clarify.Skipped
			for i := range n {
				want = append(want, clarify.Skipped{test.part, fmt.Sprintf(test.path, i), code})
			}
			if name == "nothing usable" {
				want = append(want, clarify.Skipped{test.part, fmt.Sprintf(test.path, n), code})
			}
			bounded := func(list []clarify.Skipped) []clarify.Skipped { return list[:min(len(list), maxNotes)] }
			assert.Equal(t, bounded(want), read(n, ""), "%s, %d", name, n)
			if test.part == clarify.PartAnswer || test.part == clarify.PartValue {
				continue
			}
			want = slices.Insert(want, 0, clarify.Skipped{clarify.PartField, "title", clarify.CodeWrongType})
			assert.Equal(t, bounded(want), read(n, `"title":7,`), "%s behind a title, %d", name, n)
		}
	}

	// The faults of the options of a prompt that is left out are not kept, on both sides of the bound.
	e, err := clarify.Parse(wire(`"prompts":[` + strings.Repeat("7,", maxNotes-2) + `{"id":"a","kind":"choice","question":"A?","options":[7,7,7]},` + prompt + `]`))
	require.NoError(t, err)
	require.Len(t, e.Skipped, maxNotes-1)
	assert.Equal(t, clarify.Skipped{clarify.PartPrompt, fmt.Sprintf("prompts[%d].options", maxNotes-2), clarify.CodeTooFew}, e.Skipped[maxNotes-2])
}

// TestLastKeyWins: of duplicate keys only the last one counts, on both sides.
func TestLastKeyWins(t *testing.T) {
	const ab, cd = `[{"id":"a","label":"A","description":"d"},{"id":"b","label":"B"},{"id":"x","label":"X"}]`, `[{"id":"c","label":"C"},{"id":"d","label":"D"}]`
	many := "[" + strings.Repeat(`{"id":"z","label":"Z"},`, clarify.MaxOptions) + cd[1:]
	prompt := func(fields string) string { return `{"id":"p","kind":"choice","question":"P?",` + fields + `}` }
	want := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "p", Question: "P?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "c", Label: "C"}, {ID: "d", Label: "D"}}}}}}
	for _, members := range []string{
		`"prompts":[` + prompt(`"options":`+ab+`,"options":`+cd) + `]`,
		`"prompts":[` + prompt(`"options":`+many+`,"options":`+cd) + `]`,
		`"prompts":[` + prompt(`"options":`+many+`,"options":5,"options":`+cd) + `]`,
		`"prompts":[` + prompt(`"options":5,"options":`+cd) + `]`,
		`"prompts":[` + prompt(`"options":[null,{"id":1}],"options":`+cd) + `]`,
		`"prompts":[` + prompt(`"hint":"h","options":`+cd+`,"hint":null`) + `]`,
		`"prompts":[` + prompt(`"id":"q","options":`+cd+`,"\u0069d":"p"`) + `]`,
		`"prompts":[` + prompt(`"required":"x","kind":"text","options":`+cd+`,"required":true,"kind":"choice"`) + `]`,
		`"prompts":[` + prompt(`"options":[{"id":"z","label":"C","id":"c"},{"id":"d","label":"D"}]`) + `]`,
		`"prompts":[` + prompt(`"options":`+ab) + `,null,5],"title":"a","prompts":[` + prompt(`"options":`+cd) + `],"title":null`,
		`"prompts":5,"title":5,"prompts":[` + prompt(`"options":`+cd) + `],"title":" "`,
	} {
		lenient, err := clarify.Parse(wire(members))
		require.NoError(t, err, members)
		assert.Equal(t, want, lenient, members)
		strict, err := clarify.ParseCall([]byte("{" + members + "}"))
		require.NoError(t, err, members)
		assert.Equal(t, want, strict, members)
	}
	e, err := clarify.Parse(wire(`"prompts":[` + prompt(`"options":`+cd+`,"options":`+many) + `]`))
	require.NoError(t, err)
	options := e.Prompts[0].Input.(*clarify.Choice).Options
	require.Len(t, options, clarify.MaxOptions+2)
	assert.Equal(t, []string{"z", "d"}, []string{options[0].ID, options[clarify.MaxOptions+1].ID})
	violations := violationsOf(t, `{"prompts":[`+prompt(`"options":`+cd+`,"options":`+many)+`]}`)
	require.NotEmpty(t, violations)
	assert.Equal(t, "prompts[0].options: got 14 options, want 2 to 12", violations[0].String())
	for members, skipped := range map[string]clarify.Skipped{
		`"prompts":[` + prompt(`"options":`+cd+`,"options":null`) + `,` + textPrompt + `]`: {clarify.PartPrompt, "prompts[0].options", clarify.CodeMissing},
		`"prompts":[` + prompt(`"options":`+cd+`,"options":5`) + `,` + textPrompt + `]`:    {clarify.PartPrompt, "prompts[0].options", clarify.CodeWrongType},
		`"prompts":[` + prompt(`"options":`+cd+`,"options":[]`) + `,` + textPrompt + `]`:   {clarify.PartPrompt, "prompts[0].options", clarify.CodeTooFew},
		`"prompts":[` + textPrompt + `],"title":"a","title":5`:                             {clarify.PartField, "title", clarify.CodeWrongType},
	} {
		e, err := clarify.Parse(wire(members))
		require.NoError(t, err, members)
		name := clarify.Prompt{ID: "name", Question: "Database name", Input: &clarify.Text{}}
		assert.Equal(t, &clarify.Envelope{Prompts: []clarify.Prompt{name}, Skipped: []clarify.Skipped{skipped}}, e, members)
	}
}

// TestInvalidUTF8: the lenient side reads U+FFFD for each byte that is not UTF-8. No key and no protocol
// can be made in this way.
func TestInvalidUTF8(t *testing.T) {
	for raw, want := range map[string]string{
		"a\xFFb": "a\uFFFDb", "\x80": "\uFFFD", "\xC3": "\uFFFD", "\xE2\x80": "\uFFFD\uFFFD", "\xED\xA0\x80": "\uFFFD\uFFFD\uFFFD",
		"\xF0\x9F\x98": "\uFFFD\uFFFD\uFFFD", "\xC0\xAF.": "\uFFFD\uFFFD.", "\xFF\\n\xFF": "\uFFFD\n\uFFFD", "é\xFF": "é\uFFFD", `\ud800` + "\xFF": "\uFFFD\uFFFD",
	} {
		e, err := clarify.Parse(wire(`"title":"` + raw + `","i` + "\xFF" + `d":1,"prompts":[` + strings.Replace(textPrompt, "Database name", raw, 1) + `]`))
		require.NoError(t, err, "%q", raw)
		assert.Equal(t, &clarify.Envelope{Title: want, Prompts: []clarify.Prompt{{ID: "name", Question: want, Input: &clarify.Text{}}}}, e)
		a, err := clarify.ParseAnswers(wire(`"answers":[{"id":"a` + raw + `","kind":"text","value":"` + raw + `"}]`))
		require.NoError(t, err, "%q", raw)
		assert.Equal(t, []clarify.Answer{{"a" + want, &clarify.TextAnswer{want}}}, a.Answers)
		ev, err := clarify.ParseEvent([]byte(`{"type":"` + raw + `","output":"` + raw + `"}`))
		require.NoError(t, err, "%q", raw)
		assert.Equal(t, clarify.Event{Type: want, Output: want}, ev)
	}
}

// TestLenientBounds: a text at a bound is read; one byte or one level more is refused.
func TestLenientBounds(t *testing.T) {
	deep := func(n int) string { return nested("[", "", "]", n-1) } // in one more
	answers := wire(`"answers":[{"id":"a","kind":"confirm","confirmed":true}]`)
	event := `{"type":"tool_end","tool":"clarify","output":` + quoted(textOutput) + `}`
	for _, test := range []struct {
		name, text string
		size       int
		read       func(text string) error
	}{
		{"Parse", textOutput, clarify.MaxSize, func(text string) error { _, err := clarify.Parse(text); return err }},
		{"ParseAnswers", answers, clarify.MaxSize, func(text string) error { _, err := clarify.ParseAnswers(text); return err }},
		{"ParseEvent", event, clarify.MaxEventSize, func(text string) error { _, err := clarify.ParseEvent([]byte(text)); return err }},
		{"Prompt", textPrompt, clarify.MaxSize, func(text string) error { return new(clarify.Prompt).UnmarshalJSON([]byte(text)) }},
	} {
		fill := func(n int) string { return strings.Repeat(" ", n-len(test.text)) }
		for text, ok := range map[string]bool{
			test.text + fill(test.size):                                   true,
			test.text + fill(test.size+1):                                 false,
			fill(test.size) + test.text:                                   true,
			fill(test.size+1) + test.text:                                 false,
			`{"a":"` + fill(test.size-7) + `",` + test.text[1:]:           true,
			`{"a":` + deep(clarify.MaxDepth) + `,` + test.text[1:]:        true,
			`{"a":` + deep(clarify.MaxDepth+1) + `,` + test.text[1:]:      false,
			`{"a":` + strings.Repeat("[", 100_000) + `,` + test.text[1:]:  false,
			`{"a":` + strings.Repeat(`{"`, 100_000) + `,` + test.text[1:]: false,
		} {
			err := test.read(text)
			assert.Equal(t, ok, err == nil, "%s: %d bytes, %.40q…: %v", test.name, len(text), text, err)
		}
	}
}

func TestIsTool(t *testing.T) {
	for name, want := range map[string]bool{
		"clarify": true, "Clarify": true, "CLARIFY": true, " clarify\n": true, "\uFEFFclarify\u3000": true,
		"": false, "clarif": false, "clarify2": false, "console": false, "cla rify": false, "\u0085clarify": false, "clarıfy": false, "clarify\x00": false, "mcp.clarify": false,
	} {
		assert.Equal(t, want, clarify.IsTool(name), "%q", name)
	}
}

func TestParseEvent(t *testing.T) {
	for text, want := range map[string]clarify.Event{
		`{}`: {},
		` {"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r1","output":"o","failed":true} ` + "\r\n": {"tool_end", "platform", "clarify", "r1", "o", true},
		`{"type":"message","text":"hi","delta":[1,{"type":"x"}]}`:                                                     {Type: "message"},
		`{"Type":"tool_end","type\u0000":"x","runId":"r","OUTPUT":"o","Failed":true}`:                                 {},
		`{"\u0074ype":"tool\u005fend","\u006futput":"\u00e9\ud83d\ude00\ud83d"}`:                                      {Type: "tool_end", Output: "é😀\uFFFD"},
		`{"type":null,"agent":1,"tool":["clarify"],"run_id":{"a":"b"},"failed":null,"output":null}`:                   {},
		`{"type":"a","type":"b","output":{"a":1},"output":"o","failed":true,"failed":false}`:                          {Type: "b", Output: "o"},
		`{"output":"o","output":null}`: {},

		`{"output":""}`:                              {},
		`{"output":" {\"a\": 1}\n"}`:                 {Output: " {\"a\": 1}\n"},
		`{"output": {"a" : [ 1e999, "\u0061\/" ]} }`: {Output: `{"a" : [ 1e999, "\u0061\/" ]}`},
		`{"output":[]}`:                              {Output: "[]"},
		`{"output":5}`:                               {Output: "5"},
		`{"output":false}`:                           {Output: "false"},
		`{"output":{"a":"` + "é\xFF" + `"}}`:         {Output: `{"a":"` + "é\xFF" + `"}`},

		`{"failed":true}`:   {Failed: true},
		`{"failed":false}`:  {},
		`{"failed":"true"}`: {},
		`{"failed":1}`:      {},
		`{"failed":[true]}`: {},
	} {
		data := []byte(text)
		ev, err := clarify.ParseEvent(data)
		require.NoError(t, err, text)
		require.Equal(t, text, string(data), "the data was changed")
		clear(data) // ParseEvent does not keep it
		assert.Equal(t, want, ev, text)
		// Written and read again it is the same, with U+FFFD for what is not UTF-8.
		again, err := clarify.ParseEvent(ev.AppendJSON(nil))
		require.NoError(t, err, text)
		want.Output = strings.ReplaceAll(want.Output, "\xFF", "\uFFFD")
		assert.Equal(t, want, again, text)
	}
}

func TestNotEvent(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "clarify: not an event: not a JSON object",
		" \n":                        "clarify: not an event: not a JSON object",
		"[]":                         "clarify: not an event: not a JSON object",
		"null":                       "clarify: not an event: not a JSON object",
		`"tool_end"`:                 "clarify: not an event: not a JSON object",
		"data: {}":                   "clarify: not an event: not a JSON object",
		"\uFEFF{}":                   "clarify: not an event: not a JSON object",
		`{"type":"tool_end"`:         "clarify: not an event: invalid JSON: unexpected end at byte 18",
		`{"type":"tool_end"}{}`:      "clarify: not an event: invalid JSON: unexpected character at byte 19",
		`{"type":"` + "a\nb" + `"}`:  "clarify: not an event: invalid JSON: control character in a string at byte 10",
		strings.Repeat(" ", 8<<20+1): "clarify: not an event: 8388609 bytes, want at most 8388608",
		`{"a":` + strings.Repeat("[", clarify.MaxDepth): "clarify: not an event: invalid JSON: nesting too deep at byte 10004",
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		assert.ErrorIs(t, err, clarify.ErrNotEvent)
		assert.EqualError(t, err, want)
		assert.Zero(t, ev)
	}
}

func TestEventEnvelope(t *testing.T) {
	want, err := clarify.Parse(textOutput)
	require.NoError(t, err)
	inString := `"output":` + quoted(textOutput)
	inObject := `"output":` + textOutput
	for _, text := range []string{
		`{"type":"tool_end","tool":"clarify",` + inString + `}`,
		`{"type":"tool_end","tool":"clarify",` + inObject + `}`,
		`{"type":"tool_end","tool":" CLARIFY\n",` + inString + `,"failed":false}`,
		`{"type":"tool_end","name":"clarify",` + inString + `}`,
		`{"type":"tool_end","tool":null,"name":"Clarify",` + inString + `}`,
		`{"type":"tool_end","tool":{},"name":"clarify",` + inString + `}`,
		`{"type":"tool_end","tool":"Clarify","failed":"true",` + inString + `}`, // not a boolean: false
		`{"type":"tool_end","tool":"clarify","output":` + quoted(" \uFEFF"+textOutput+"\n") + `}`,
		`{"type":"tool_end","tool":"clarify","output":` + strings.ReplaceAll(textOutput, ",", " ,\n\t") + `}`,
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		require.NoError(t, err, text)
		e, err := ev.Envelope()
		assert.NoError(t, err, text)
		assert.Equal(t, want, e, text)
	}
	for text, want := range map[string]error{
		`{"type":"tool_start","tool":"clarify",` + inString + `}`:                                                       nil,
		`{"type":"Tool_end","tool":"clarify",` + inString + `}`:                                                         nil,
		`{"type":" tool_end","tool":"clarify",` + inString + `}`:                                                        nil,
		`{"type":"tool_end","tool":"console",` + inString + `}`:                                                         nil,
		`{"type":"tool_end","tool":"console","failed":true,` + inString + `}`:                                           nil,
		`{"type":"tool_end",` + inString + `}`:                                                                          nil,
		`{"type":"tool_end","tool":"","name":"clarify",` + inString + `}`:                                               nil,
		`{"type":"tool_end","tool":"console","name":"clarify",` + inString + `}`:                                        nil,
		`{"type":"tool_end","name":["clarify"],` + inString + `}`:                                                       nil,
		`{"tool":"clarify",` + inString + `}`:                                                                           nil,
		`{"type":"tool_end","tool":"clarify"}`:                                                                          nil,
		`{"type":"tool_end","tool":"clarify","output":null}`:                                                            nil,
		`{"type":"tool_end","tool":"clarify","output":[` + textOutput + `]}`:                                            nil,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(quoted(textOutput)) + `}`:                              nil,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inString + `}`:                                           clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inObject + `}`:                                           clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":"Error: invalid clarify prompts — prompts"}`:                      clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(textOutput[:60]+"…") + `}`:                             clarify.ErrMalformed,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v2","prompts":[]}}`:                 clarify.ErrVersion,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v1","prompts":[]}}`:                 clarify.ErrNothingToShow,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(textOutput+strings.Repeat(" ", clarify.MaxSize)) + `}`: nil,
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		require.NoError(t, err, text)
		e, err := ev.Envelope()
		checkRefusal(t, text, e, err, want)
	}
}
