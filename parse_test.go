package clarify

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var refusals = []error{ErrToolFailed, ErrMalformed, ErrVersion, ErrNothingToShow}

// checkRefusal checks that err is want and no other refusal; nil is one that need not be diagnosed.
func checkRefusal(t *testing.T, text string, e *Envelope, err, want error) {
	t.Helper()
	if e != nil || !errors.Is(err, ErrNotEnvelope) {
		t.Errorf("%.80q: got %+v, %v", text, e, err)
	}
	for _, refusal := range refusals {
		if errors.Is(err, refusal) != (refusal == want) {
			t.Errorf("%.80q: the error is %v, want %v", text, err, want)
		}
	}
	var empty *EmptyError
	if errors.As(err, &empty) != (want == ErrNothingToShow) {
		t.Errorf("%.80q: the error is %#v", text, err)
	}
}

// wire returns an envelope's text with the given members behind the protocol.
func wire(members string) string { return `{"protocol":"appwrite.clarify/v1",` + members + `}` }

var textOutput = wire(`"prompts":[` + textPrompt + `]`)

func TestRefusals(t *testing.T) {
	for _, sentinel := range refusals {
		if !errors.Is(sentinel, ErrNotEnvelope) || !strings.HasPrefix(sentinel.Error(), ErrNotEnvelope.Error()+": ") {
			t.Errorf("%v is not an ErrNotEnvelope", sentinel)
		}
	}
	behind := textOutput[len(`{"protocol":"appwrite.clarify/v1"`):]
	for want, texts := range map[error][]string{
		ErrToolFailed: {
			"Error:", "Error: invalid clarify prompts — prompts: got nothing", " \uFEFF\u2028\nError: x", "Error:" + textOutput,
			"Error: " + strings.Repeat("x", 2*MaxSize),
		},
		ErrMalformed: {
			textOutput[:len(textOutput)-1], textOutput[:40] + "…", textOutput + " x", textOutput + textOutput, textOutput + "\u0085", textOutput + "\x1C",
			strings.Replace(textOutput, "}]", ",}]", 1), strings.Replace(textOutput, "name", "a\nb", 1), strings.Replace(textOutput, "name", `\x`, 1),
			strings.Replace(textOutput, ":[", `:[01,`, 1), strings.Replace(textOutput, "{", "{/* a */", 1), strings.Replace(textOutput, "{", "{\xFF", 1),
			strings.Replace(textOutput[:50], "/", `\/`, 1), `{"a":` + nested("[", "", "]", MaxDepth) + `,` + textOutput[1:],
			wire(`"prompts":[` + strings.Repeat("[", 100_000)),
		},
		ErrVersion: {
			`{"protocol":"appwrite.clarify/v2"` + behind, `{"protocol":"appwrite.clarify/v2"}`, `{"protocol":"appwrite.clarify/"` + behind,
			`{"protocol":"appwrite.clarify/v1 "` + behind, `{"protocol":"appwrite.clarify/V1"` + behind, `{"protocol":"appwrite.clarify/v1\u0000"` + behind,
			`{"protocol":"appwrite.clarify/v10","prompts":[]}`, `{"protocol":"\u0061ppwrite.clarify/v2"` + behind, `{"protocol":"appwrite.clarify\/v2"` + behind,
			"{\"protocol\":\"appwrite.clarify/v1\xFF\"" + behind, `{"protocol":"appwrite.clarify/v1","protocol":"appwrite.clarify/v2"` + behind,
		},
		ErrNothingToShow: {
			wire(`"prompts":[]`), wire(`"prompts":[null]`), wire(`"title":"a","prompts":[{"kind":"slider"}]`), wire(`"prompts":[` + textPrompt + `],"prompts":[]`),
			`{"prompts":[],"protocol":"appwrite.clarify/v1"}`,
		},
		nil: {
			"", " \n\uFEFF", "Deleted the bucket.", "error: x", "ERROR:", "\u0085Error: x", "\x1CError: x", "Errors", "null", "true", "5", `"` + Protocol + `"`, "[]", "{}",
			"[" + textOutput + "]", "Result: " + textOutput, "```json\n" + textOutput + "\n```", jsonOf(textOutput), "\u0085" + textOutput, "\x1F" + textOutput,
			`{"protocol":null` + behind, `{"protocol":["appwrite.clarify/v1"]` + behind, `{"protocol":""` + behind, `{"protocol":" appwrite.clarify/v1"` + behind,
			`{"protocol":"Appwrite.clarify/v1"` + behind, `{"protocol":"appwrite.clarify"` + behind, `{"protocol":"appwrite.clarify.v1"` + behind,
			`{"protocol":"appwrite.console/v1"` + behind, `{"protocol":"x","a":"appwrite.clarify/v1"` + behind, `{"Protocol":"appwrite.clarify/v1"` + behind,
			`{"protocol\u0000":"appwrite.clarify/v1"` + behind, `{"a":"appwrite.clarify/v1"` + behind, `{"protocol":{"protocol":"appwrite.clarify/v1"}` + behind,
			`{"protocol":"appwrite.clarify/v1","protocol":"other"` + behind, `{"protocol":"appwrite.clarify/v1","protocol":null` + behind,
			`{"a":"appwrite.clarify","b":1`, `{"protocol":"appwrite.cl`, `{"bucket":"avatars"`, `{"a":"\u0061\u0070"`, `{"a":"\u00`, `{"a":"\u0061"}`,
			wire(`"title":"a"`), wire(`"prompts":null`), wire(`"prompts":"[]"`), wire(`"prompts":` + textPrompt), wire(`"prompts":1`), wire(`"Prompts":[` + textPrompt + `]`),
			wire(`"prompts":[` + textPrompt + `],"prompts":null`), wire(`"prompts":[` + textPrompt + `],"prompts":{}`),
			textOutput + strings.Repeat(" ", MaxSize+1-len(textOutput)), wire(`"a":"` + strings.Repeat("x", MaxSize) + `"` + behind),
		},
	} {
		for _, text := range texts {
			e, err := Parse(text)
			checkRefusal(t, text, e, err, want)
		}
	}
	// An output that was cut anywhere.
	for i := range len(textOutput) {
		want := ErrMalformed
		if i < strings.Index(textOutput, Protocol)+len(Protocol) {
			want = nil
		}
		e, err := Parse(textOutput[:i])
		checkRefusal(t, textOutput[:i], e, err, want)
	}
}

func TestNothingToShow(t *testing.T) {
	for text, want := range map[string]struct {
		skipped []Skipped
		text    string
	}{
		wire(`"prompts":[]`): {nil, "clarify: not an envelope: no usable prompt"},
		wire(`"prompts":[null]`): {[]Skipped{{PartPrompt, "prompts[0]", CodeWrongType}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0]: wrong_type)"},
		wire(`"prompts":[{"kind":"slider"},{"kind":"text"},{"kind":"text","id":"a","hint":5}]`): {
			[]Skipped{{PartPrompt, "prompts[0].kind", CodeUnknownKind}, {PartPrompt, "prompts[1].id", CodeMissing}, {PartPrompt, "prompts[2].question", CodeMissing}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0].kind: unknown_kind and 2 more)"},
		wire(`"prompts":[null],"prompts":[{"kind":1}]`): {[]Skipped{{PartPrompt, "prompts[0].kind", CodeWrongType}},
			"clarify: not an envelope: no usable prompt (prompt skipped: prompts[0].kind: wrong_type)"},
	} {
		_, err := Parse(text)
		var empty *EmptyError
		if !errors.As(fmt.Errorf("the tool: %w", err), &empty) || !reflect.DeepEqual(empty.Skipped, want.skipped) || err.Error() != want.text {
			t.Errorf("%s: got %v with %v", text, err, empty)
		}
	}
}

// TestProtocolEscapes: a protocol that is written with escapes is the protocol.
func TestProtocolEscapes(t *testing.T) {
	want, err := Parse(textOutput)
	if err != nil {
		t.Fatal(err)
	}
	behind := textOutput[strings.Index(textOutput, Protocol)+len(Protocol):]
	var all, every string
	for i, r := range Protocol {
		for _, escape := range []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)} {
			name := Protocol[:i] + escape + Protocol[i+1:]
			if e, err := Parse(`{"protocol":"` + name + behind); err != nil || !reflect.DeepEqual(e, want) {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
		all += fmt.Sprintf(`\u%04X`, r)
		every += string(r)
		if i%2 == 0 {
			every = every[:len(every)-1] + fmt.Sprintf(`\u%04x`, r)
		}
	}
	for _, name := range []string{all, every, `appwrite.clarify\/v1`} {
		if e, err := Parse(`{"\u0070rotocol":"` + name + behind); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		// Behind something that looks like an escape and is none, or is another one.
		for _, before := range []string{`{"a":"\\u00",`, `{"a":"u00u00",`, `{"a":"\\\\u0061\u00ff",`, `{"\u0000":"\\u00`, `{"\\u00":"\u2028\u00e9`} {
			if strings.HasSuffix(before, ",") {
				before += `"protocol":"`
			} else {
				before += `","protocol":"`
			}
			if e, err := Parse(before + name + behind); err != nil || !reflect.DeepEqual(e, want) {
				t.Errorf("%s: %+v, %v", before+name, e, err)
			}
		}
	}
}

// A lenientFault is one thing wrong with an output, what is reported and what becomes of the rest.
type lenientFault struct {
	name    string
	apply   func(o *docObject)
	skipped []Skipped
	effect  func(e *Envelope)
}

func lenientFaults() []lenientFault {
	var all []lenientFault
	add := func(name string, apply func(o *docObject), effect func(e *Envelope), skipped ...Skipped) {
		all = append(all, lenientFault{name, apply, skipped, effect})
	}
	set := func(path string, v any, effect func(e *Envelope), skipped ...Skipped) {
		add(fmt.Sprintf("%s = %.40s", path, compact(v)), func(o *docObject) { setAt(o, path, v) }, effect, skipped...)
	}
	remove := func(path string, effect func(e *Envelope), skipped ...Skipped) {
		add("no "+path, func(o *docObject) { removeAt(o, path) }, effect, skipped...)
	}
	nothing := func(*Envelope) {}
	scriptBlanks := []string{"", " ", "\t\n\v\f\r\u00A0\u2028\u3000\uFEFF"}
	notBlank := "\u0085" // for JavaScript's trim, and the same goes for U+001C

	// needed is a string without which part goes.
	needed := func(path string, part Part, gone func(e *Envelope)) {
		remove(path, gone, Skipped{part, path, CodeMissing})
		set(path, nil, gone, Skipped{part, path, CodeMissing})
		for _, v := range notStrings {
			set(path, v, gone, Skipped{part, path, CodeWrongType})
		}
		for _, v := range scriptBlanks {
			set(path, v, gone, Skipped{part, path, CodeBlank})
		}
	}
	for i, p := range faultless().Prompts {
		at := fmt.Sprintf("prompts[%d]", i)
		gone := func(e *Envelope) { e.Prompts = slices.Delete(e.Prompts, i, i+1) }
		for _, v := range notObjects {
			set(at, v, gone, Skipped{PartPrompt, at, CodeWrongType})
		}
		set(at, &docObject{}, gone, Skipped{PartPrompt, at + ".kind", CodeMissing})
		needed(at+".id", PartPrompt, gone)
		needed(at+".kind", PartPrompt, gone)
		needed(at+".question", PartPrompt, gone)
		for _, kind := range []string{"Choice", "select", "\u0085text", "text\x00", notBlank} {
			set(at+".kind", kind, gone, Skipped{PartPrompt, at + ".kind", CodeUnknownKind})
		}
		add(at+" is of a newer kind and has nothing else", func(o *docObject) {
			setAt(o, at, &docObject{{keyKind, "slider"}, {keyHint, docRaw("5")}, {keyRequired, "x"}})
		}, gone, Skipped{PartPrompt, at + ".kind", CodeUnknownKind})
		add(at+" has a flag of a wrong type and no question", func(o *docObject) {
			setAt(o, at+".required", "x")
			setAt(o, at+".hint", docArray{})
			setAt(o, at+".question", " ")
		}, gone, Skipped{PartPrompt, at + ".question", CodeBlank})
		set(at+".id", "Any Thing/\u0085", func(e *Envelope) { e.Prompts[i].ID = "Any Thing/\u0085" })
		set(at+".id", faultless().Prompts[0].ID, func(e *Envelope) { e.Prompts[i].ID = e.Prompts[0].ID })

		in, ok := p.Input.(*Choice)
		if !ok {
			continue
		}
		options := at + ".options"
		remove(options, gone, Skipped{PartPrompt, options, CodeMissing})
		set(options, nil, gone, Skipped{PartPrompt, options, CodeMissing})
		for _, v := range []any{"a,b", `["a","b"]`, docRaw("2"), false, &docObject{}} {
			set(options, v, gone, Skipped{PartPrompt, options, CodeWrongType})
		}
		good := &docObject{{keyID, "b"}, {keyLabel, "B"}}
		for _, v := range []docArray{{}, {good}, {nil, good, "a"}, {&docObject{{keyID, "a"}}, good}} {
			set(options, v, gone, Skipped{PartPrompt, options, CodeTooFew})
		}
		set(options, docArray{good, good}, func(e *Envelope) { // also twice the same
			e.Prompts[i].Input.(*Choice).Options = []Option{{ID: "b", Label: "B"}, {ID: "b", Label: "B"}}
		})
		// There is no upper limit, and what is beyond the strict side's counts like the rest.
		for _, usable := range [][]int{{0, 1}, {11, 12}, {12, 13}, {0, 29}, {20}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 28}} {
			many := make(docArray, 30)
			var left []Option
			var skipped []Skipped
			for j := range many {
				if slices.Contains(usable, j) {
					id := fmt.Sprint("o", j)
					many[j] = &docObject{{keyLabel, " L "}, {keyDescription, "d"}, {keyID, id}}
					left = append(left, Option{ID: id, Label: "L", Description: "d"})
					continue
				}
				skipped = append(skipped, Skipped{PartOption, fmt.Sprintf("%s[%d]", options, j), CodeWrongType})
			}
			if len(usable) < MinOptions {
				set(options, many, gone, Skipped{PartPrompt, options, CodeTooFew})
				continue
			}
			set(options, many, func(e *Envelope) { e.Prompts[i].Input.(*Choice).Options = left }, skipped...)
		}
		for j := range in.Options {
			at := fmt.Sprintf("%s[%d]", options, j)
			gone := func(e *Envelope) {
				in := e.Prompts[i].Input.(*Choice)
				in.Options = slices.Delete(in.Options, j, j+1)
			}
			for _, v := range notObjects {
				set(at, v, gone, Skipped{PartOption, at, CodeWrongType})
			}
			needed(at+".id", PartOption, gone)
			needed(at+".label", PartOption, gone)
			set(at+".id", "Any Thing", func(e *Envelope) { e.Prompts[i].Input.(*Choice).Options[j].ID = "Any Thing" })
		}
	}
	defaults := map[string]string{keyConfirmLabel: DefaultConfirmLabel, keyCancelLabel: DefaultCancelLabel}
	for i, rule := range textRules {
		becomes := func(s string) func(e *Envelope) { return func(e *Envelope) { *textFields(e)[i] = s } }
		long := strings.Repeat("x", rule.high+1)
		set(rule.path, long, becomes(long))
		set(rule.path, "\u0085a\x1C", becomes("\u0085a\x1C"))
		set(rule.path, notBlank, becomes(notBlank))
		if rule.low > 0 {
			continue
		}
		key := rule.path[strings.LastIndex(rule.path, ".")+1:]
		absent := becomes(defaults[key])
		remove(rule.path, absent)
		set(rule.path, nil, absent)
		for _, v := range notStrings {
			set(rule.path, v, absent, Skipped{PartField, rule.path, CodeWrongType})
		}
		for _, v := range scriptBlanks {
			if key == keyDefaultValue {
				set(rule.path, v, becomes(v))
				set(rule.path, "\n a"+v, becomes("\n a"+v))
				continue
			}
			set(rule.path, v, absent)
			set(rule.path, v+" a"+v, becomes("a"))
		}
	}
	for i, path := range flagPaths {
		becomes := func(is bool) func(e *Envelope) { return func(e *Envelope) { *flagFields(e)[i] = is } }
		remove(path, becomes(false))
		set(path, nil, becomes(false))
		for _, v := range notFlags {
			set(path, v, becomes(false), Skipped{PartField, path, CodeWrongType})
		}
		for _, is := range []bool{true, false} {
			set(path, is, becomes(is != strings.HasSuffix(path, keyRequired)))
		}
	}
	for i, p := range faultless().Prompts {
		for _, key := range foreignKeys[p.Kind()] {
			set(fmt.Sprintf("prompts[%d].%s", i, key), docRaw("1"), nothing)
		}
	}
	return all
}

// flagFields returns the flags of e in the order of flagPaths; each is false by default.
func flagFields(e *Envelope) []*bool {
	var fields []*bool
	for i := range e.Prompts {
		fields = append(fields, &e.Prompts[i].Optional)
		switch in := e.Prompts[i].Input.(type) {
		case *Choice:
			fields = append(fields, &in.AllowMultiple)
		case *Confirm:
			fields = append(fields, &in.Danger)
		case *Text:
			fields = append(fields, &in.Multiline)
		}
	}
	return fields
}

func TestSkipped(t *testing.T) {
	for _, f := range lenientFaults() {
		o, want := output(faultless()), faultless()
		f.apply(o)
		f.effect(want)
		want.Skipped = f.skipped
		e, err := Parse(compact(o))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if !reflect.DeepEqual(e, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", f.name, e, want)
		}
		// What was read is a value like any other, except that a half-read envelope is not emitted.
		canonical, err := e.AppendJSON(nil)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		checkFixedPoint(t, e, string(canonical))
		if len(f.skipped) > 0 {
			if result, err := e.Result(); err == nil {
				t.Errorf("%s: Result is %s", f.name, result)
			}
		}
	}
}

// TestSkippedOrder: the order of the violations, whatever the order on the wire.
func TestSkippedOrder(t *testing.T) {
	o, want := output(faultless()), faultless()
	skip := map[string]Skipped{}
	for i, rule := range textRules {
		if rule.low == 0 {
			setAt(o, rule.path, docRaw("1"))
			*textFields(want)[i] = ""
			skip[rule.path] = Skipped{PartField, rule.path, CodeWrongType}
		}
	}
	for i, path := range flagPaths {
		setAt(o, path, docRaw("1"))
		*flagFields(want)[i] = false
		skip[path] = Skipped{PartField, path, CodeWrongType}
	}
	*want.Prompts[1].Input.(*Confirm) = Confirm{ConfirmLabel: DefaultConfirmLabel, CancelLabel: DefaultCancelLabel}
	setAt(o, "prompts[0].options[1].label", docRaw("1"))
	in := want.Prompts[0].Input.(*Choice)
	in.Options = slices.Delete(in.Options, 1, 2)
	delete(skip, "prompts[0].options[1].description")
	skip["prompts[0].options[1].label"] = Skipped{PartOption, "prompts[0].options[1].label", CodeWrongType}
	appendAt(o, keyPrompts, &docObject{{keyKind, "slider"}})
	for _, path := range append(violationOrder, "prompts[3].kind") {
		if s, ok := skip[path]; ok {
			want.Skipped = append(want.Skipped, s)
		}
	}
	want.Skipped = append(want.Skipped, Skipped{PartPrompt, "prompts[3].kind", CodeUnknownKind})
	for range 2 {
		e, err := Parse(compact(o))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e, want) {
			t.Errorf("got  %+v\nwant %+v", e, want)
		}
		slices.Reverse(*o)
		for _, p := range (*o)[o.index(keyPrompts)].value.(docArray) {
			slices.Reverse(*p.(*docObject))
		}
	}
	if s := (Skipped{PartPrompt, "prompts[3].kind", CodeUnknownKind}).String(); s != "prompt skipped: prompts[3].kind: unknown_kind" {
		t.Errorf("got %q", s)
	}
}

// TestSkippedIsBounded: of more than maxNotes faults the first ones are kept, in the same order.
func TestSkippedIsBounded(t *testing.T) {
	const prompt = `{"id":"a","kind":"text","question":"A?"}`
	const answer = `{"id":"a","kind":"text","value":"b"}`
	for name, test := range map[string]struct {
		part             Part
		path             string // of fault %d
		head, body, tail string
	}{
		"prompts":        {PartPrompt, "prompts[%d]", wire(`"prompts":[`), `7,`, prompt + "]}"},
		"nothing usable": {PartPrompt, "prompts[%d]", wire(`"prompts":[`), `7,`, "7]}"},
		"options":        {PartOption, "prompts[0].options[%d].id", wire(`"prompts":[{"id":"a","kind":"choice","question":"A?","options":[`), `{},`, `{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}`},
		"answers":        {PartAnswer, "answers[%d]", wire(`"answers":[`), `7,`, answer + "]}"},
		"values":         {PartValue, "answers[0].values[%d]", wire(`"answers":[{"id":"a","kind":"choice","values":[`), `7,`, `"b"]}]}`},
	} {
		code := CodeWrongType
		if name == "options" {
			code = CodeMissing
		}
		read := func(n int, title string) []Skipped {
			text := strings.TrimSuffix(test.head, "}") + strings.Repeat(test.body, n) + test.tail
			text = text[:1] + title + text[1:]
			if strings.HasPrefix(test.path, "answers") {
				a, err := ParseAnswers(text)
				if err != nil || len(a.Answers) != 1 {
					t.Fatalf("%s, %d: %+v, %v", name, n, a, err)
				}
				return a.Skipped
			}
			e, err := Parse(text)
			var empty *EmptyError
			if name == "nothing usable" && errors.As(err, &empty) {
				return empty.Skipped
			}
			if err != nil || len(e.Prompts) != 1 {
				t.Fatalf("%s, %d: %+v, %v", name, n, e, err)
			}
			return e.Skipped
		}
		for _, n := range []int{maxNotes - 2, maxNotes - 1, maxNotes, maxNotes + 1, 3 * maxNotes} {
			var want []Skipped
			for i := range n {
				want = append(want, Skipped{test.part, fmt.Sprintf(test.path, i), code})
			}
			if name == "nothing usable" {
				want = append(want, Skipped{test.part, fmt.Sprintf(test.path, n), code})
			}
			bounded := func(list []Skipped) []Skipped { return list[:min(len(list), maxNotes)] }
			if got := read(n, ""); !slices.Equal(got, bounded(want)) {
				t.Errorf("%s, %d: %d are kept, from %v on", name, n, len(got), got[0])
			}
			if test.part == PartAnswer || test.part == PartValue {
				continue
			}
			want = slices.Insert(want, 0, Skipped{PartField, keyTitle, CodeWrongType})
			if got := read(n, `"title":7,`); !slices.Equal(got, bounded(want)) {
				t.Errorf("%s behind a title, %d: %d are kept, from %v on", name, n, len(got), got[0])
			}
		}
	}

	// A prompt that is left out takes its options' faults with it, on either side of the bound.
	e, err := Parse(wire(`"prompts":[` + strings.Repeat("7,", maxNotes-2) + `{"id":"a","kind":"choice","question":"A?","options":[7,7,7]},` + prompt + `]`))
	if err != nil || len(e.Skipped) != maxNotes-1 || e.Skipped[maxNotes-2] != (Skipped{PartPrompt, fmt.Sprintf("prompts[%d].options", maxNotes-2), CodeTooFew}) {
		t.Errorf("%v, %d are kept", err, len(e.Skipped))
	}
}

// TestLastKeyWins: of duplicate keys the last one counts, whole, on both sides.
func TestLastKeyWins(t *testing.T) {
	const ab, cd = `[{"id":"a","label":"A","description":"d"},{"id":"b","label":"B"},{"id":"x","label":"X"}]`, `[{"id":"c","label":"C"},{"id":"d","label":"D"}]`
	many := "[" + strings.Repeat(`{"id":"z","label":"Z"},`, MaxOptions) + cd[1:]
	prompt := func(fields string) string { return `{"id":"p","kind":"choice","question":"P?",` + fields + `}` }
	want := &Envelope{Prompts: []Prompt{{ID: "p", Question: "P?", Input: &Choice{Options: []Option{{ID: "c", Label: "C"}, {ID: "d", Label: "D"}}}}}}
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
		if e, err := Parse(wire(members)); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("lenient: %s\ngot %+v, %v", members, e, err)
		}
		if e, err := ParseCall([]byte("{" + members + "}")); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("strict: %s\ngot %+v, %v", members, e, err)
		}
	}
	e, err := Parse(wire(`"prompts":[` + prompt(`"options":`+cd+`,"options":`+many) + `]`))
	if in := e.Prompts[0].Input.(*Choice); err != nil || len(in.Options) != MaxOptions+2 || in.Options[0].ID != "z" || in.Options[MaxOptions+1].ID != "d" {
		t.Errorf("many options after two: got %+v, %v", in, err)
	}
	_, err = ParseCall([]byte(`{"prompts":[` + prompt(`"options":`+cd+`,"options":`+many) + `]}`))
	var invalid *ValidationError
	if !errors.As(err, &invalid) || invalid.Violations[0].String() != "prompts[0].options: got 14 options, want 2 to 12" {
		t.Errorf("many options after two: %v", err)
	}
	for members, skipped := range map[string]Skipped{
		`"prompts":[` + prompt(`"options":`+cd+`,"options":null`) + `,` + textPrompt + `]`: {PartPrompt, "prompts[0].options", CodeMissing},
		`"prompts":[` + prompt(`"options":`+cd+`,"options":5`) + `,` + textPrompt + `]`:    {PartPrompt, "prompts[0].options", CodeWrongType},
		`"prompts":[` + prompt(`"options":`+cd+`,"options":[]`) + `,` + textPrompt + `]`:   {PartPrompt, "prompts[0].options", CodeTooFew},
		`"prompts":[` + textPrompt + `],"title":"a","title":5`:                             {PartField, "title", CodeWrongType},
	} {
		e, err := Parse(wire(members))
		if err != nil || !reflect.DeepEqual(e.Skipped, []Skipped{skipped}) || e.Title != "" || len(e.Prompts) != 1 || e.Prompts[0].ID != "name" {
			t.Errorf("%s\ngot %+v, %v", members, e, err)
		}
	}
}

// TestInvalidUTF8: the lenient side reads U+FFFD for each byte that is not UTF-8, and the exact
// keys and the protocol are nothing that this could make.
func TestInvalidUTF8(t *testing.T) {
	for raw, want := range map[string]string{
		"a\xFFb": "a\uFFFDb", "\x80": "\uFFFD", "\xC3": "\uFFFD", "\xE2\x80": "\uFFFD\uFFFD", "\xED\xA0\x80": "\uFFFD\uFFFD\uFFFD",
		"\xF0\x9F\x98": "\uFFFD\uFFFD\uFFFD", "\xC0\xAF.": "\uFFFD\uFFFD.", "\xFF\\n\xFF": "\uFFFD\n\uFFFD", "é\xFF": "é\uFFFD", `\ud800` + "\xFF": "\uFFFD\uFFFD",
	} {
		e, err := Parse(wire(`"title":"` + raw + `","i` + "\xFF" + `d":1,"prompts":[` + strings.Replace(textPrompt, "Database name", raw, 1) + `]`))
		if err != nil || e.Title != want || e.Prompts[0].Question != want || e.Skipped != nil {
			t.Errorf("%q: got %+v, %v, want %q", raw, e, err, want)
		}
		a, err := ParseAnswers(wire(`"answers":[{"id":"a` + raw + `","kind":"text","value":"` + raw + `"}]`))
		if err != nil || a.Answers[0].ID != "a"+want || a.Answers[0].Payload.(*TextAnswer).Value != want {
			t.Errorf("%q: got %+v, %v, want %q", raw, a, err, want)
		}
		ev, err := ParseEvent([]byte(`{"type":"` + raw + `","output":"` + raw + `"}`))
		if err != nil || ev.Type != want || ev.Output != want {
			t.Errorf("%q: got %+v, %v, want %q", raw, ev, err, want)
		}
	}
}

// TestLenientBounds: what is just not too much is read, with one byte or one level more it is not.
func TestLenientBounds(t *testing.T) {
	deep := func(n int) string { return nested("[", "", "]", n-1) } // in one more
	answers := wire(`"answers":[{"id":"a","kind":"confirm","confirmed":true}]`)
	event := `{"type":"tool_end","tool":"clarify","output":` + jsonOf(textOutput) + `}`
	for _, test := range []struct {
		name, text string
		size       int
		read       func(text string) error
	}{
		{"Parse", textOutput, MaxSize, func(text string) error { _, err := Parse(text); return err }},
		{"ParseAnswers", answers, MaxSize, func(text string) error { _, err := ParseAnswers(text); return err }},
		{"ParseEvent", event, MaxEventSize, func(text string) error { _, err := ParseEvent([]byte(text)); return err }},
		{"Prompt", textPrompt, MaxSize, func(text string) error { return new(Prompt).UnmarshalJSON([]byte(text)) }},
	} {
		fill := func(n int) string { return strings.Repeat(" ", n-len(test.text)) }
		for text, ok := range map[string]bool{
			test.text + fill(test.size):                                   true,
			test.text + fill(test.size+1):                                 false,
			fill(test.size) + test.text:                                   true,
			fill(test.size+1) + test.text:                                 false,
			`{"a":"` + fill(test.size-7) + `",` + test.text[1:]:           true,
			`{"a":` + deep(MaxDepth) + `,` + test.text[1:]:                true,
			`{"a":` + deep(MaxDepth+1) + `,` + test.text[1:]:              false,
			`{"a":` + strings.Repeat("[", 100_000) + `,` + test.text[1:]:  false,
			`{"a":` + strings.Repeat(`{"`, 100_000) + `,` + test.text[1:]: false,
		} {
			if err := test.read(text); (err == nil) != ok {
				t.Errorf("%s: %d bytes, %.40q…: %v", test.name, len(text), text, err)
			}
		}
	}
}

func TestParseAnswersSkipped(t *testing.T) {
	good := Answer{ID: "ok", Payload: &ConfirmAnswer{Confirmed: true}}
	for entry, want := range map[string]struct {
		answer  *Answer
		skipped []Skipped
	}{
		`null`:    {nil, []Skipped{{PartAnswer, "answers[1]", CodeWrongType}}},
		`"yes"`:   {nil, []Skipped{{PartAnswer, "answers[1]", CodeWrongType}}},
		`[]`:      {nil, []Skipped{{PartAnswer, "answers[1]", CodeWrongType}}},
		`{}`:      {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeMissing}}},
		`{"x":1}`: {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeMissing}}},
		`{"id":"a","kind":null,"confirmed":true}`:                                                {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeMissing}}},
		`{"id":"a","kind":1,"confirmed":true}`:                                                   {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeWrongType}}},
		`{"id":"a","kind":" ","confirmed":true}`:                                                 {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeBlank}}},
		`{"id":"a","kind":"Confirm","confirmed":true}`:                                           {nil, []Skipped{{PartAnswer, "answers[1].kind", CodeUnknownKind}}},
		`{"kind":"confirm","confirmed":true}`:                                                    {nil, []Skipped{{PartAnswer, "answers[1].id", CodeMissing}}},
		`{"id":null,"kind":"confirm","confirmed":true}`:                                          {nil, []Skipped{{PartAnswer, "answers[1].id", CodeMissing}}},
		`{"id":["a"],"kind":"confirm","confirmed":true}`:                                         {nil, []Skipped{{PartAnswer, "answers[1].id", CodeWrongType}}},
		`{"id":"\uFEFF","kind":"confirm","confirmed":true}`:                                      {nil, []Skipped{{PartAnswer, "answers[1].id", CodeBlank}}},
		`{"id":"a","kind":"confirm"}`:                                                            {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeMissing}}},
		`{"id":"a","kind":"confirm","confirmed":null}`:                                           {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeMissing}}},
		`{"id":"a","kind":"confirm","confirmed":"true"}`:                                         {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeWrongType}}},
		`{"id":"a","kind":"confirm","confirmed":"false"}`:                                        {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeWrongType}}},
		`{"id":"a","kind":"confirm","confirmed":1}`:                                              {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeWrongType}}},
		`{"id":"a","kind":"confirm","confirmed":[true]}`:                                         {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeWrongType}}},
		`{"id":"a","kind":"confirm","Confirmed":true}`:                                           {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeMissing}}},
		`{"id":"a","kind":"confirm","confirmed\u0000":true}`:                                     {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeMissing}}},
		`{"id":"a","kind":"confirm","value":true}`:                                               {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeMissing}}},
		`{"id":"a","kind":"confirm","confirmed":true,"confirmed":"yes"}`:                         {nil, []Skipped{{PartAnswer, "answers[1].confirmed", CodeWrongType}}},
		`{"id":"a","kind":"confirm","confirmed":true,"confirmed":false}`:                         {&Answer{"a", &ConfirmAnswer{}}, nil},
		`{"id":" a\uFEFF","kind":"\tconfirm ","confirmed":true,"value":5,"values":{},"x":1e999}`: {&Answer{"a", &ConfirmAnswer{true}}, nil},
		`{"id":"a","kind":"text"}`:                                                               {nil, []Skipped{{PartAnswer, "answers[1].value", CodeMissing}}},
		`{"id":"a","kind":"text","value":null}`:                                                  {nil, []Skipped{{PartAnswer, "answers[1].value", CodeMissing}}},
		`{"id":"a","kind":"text","value":5}`:                                                     {nil, []Skipped{{PartAnswer, "answers[1].value", CodeWrongType}}},
		`{"id":"a","kind":"text","value":true}`:                                                  {nil, []Skipped{{PartAnswer, "answers[1].value", CodeWrongType}}},
		`{"id":"a","kind":"text","value":["a"]}`:                                                 {nil, []Skipped{{PartAnswer, "answers[1].value", CodeWrongType}}},
		`{"id":"a","kind":"text","value":""}`:                                                    {&Answer{"a", &TextAnswer{}}, nil},
		`{"id":"A ?","kind":"text","value":" a\n"}`:                                              {&Answer{"A ?", &TextAnswer{" a\n"}}, nil},
		`{"id":"a","kind":"choice"}`:                                                             {nil, []Skipped{{PartAnswer, "answers[1].values", CodeMissing}}},
		`{"id":"a","kind":"choice","values":null}`:                                               {nil, []Skipped{{PartAnswer, "answers[1].values", CodeMissing}}},
		`{"id":"a","kind":"choice","values":"b"}`:                                                {nil, []Skipped{{PartAnswer, "answers[1].values", CodeWrongType}}},
		`{"id":"a","kind":"choice","values":{"0":"b"}}`:                                          {nil, []Skipped{{PartAnswer, "answers[1].values", CodeWrongType}}},
		`{"id":"a","kind":"choice","values":["b"],"values":"b"}`:                                 {nil, []Skipped{{PartAnswer, "answers[1].values", CodeWrongType}}},
		`{"id":"a","kind":"choice","values":[1,2],"values":["b"]}`:                               {&Answer{"a", &ChoiceAnswer{[]string{"b"}}}, nil},
		`{"id":"a","kind":"choice","values":[]}`:                                                 {&Answer{"a", &ChoiceAnswer{[]string{}}}, nil},
		`{"id":"a","kind":"choice","values":[" b ","b","\u0085"]}`:                               {&Answer{"a", &ChoiceAnswer{[]string{" b ", "b", "\u0085"}}}, nil},
		`{"id":"a","kind":"choice","values":["b",null,5,""," ",true,["c"],{"id":"d"},"\uFEFF","e"]}`: {&Answer{"a", &ChoiceAnswer{[]string{"b", "e"}}}, []Skipped{
			{PartValue, "answers[1].values[1]", CodeMissing}, {PartValue, "answers[1].values[2]", CodeWrongType}, {PartValue, "answers[1].values[3]", CodeBlank},
			{PartValue, "answers[1].values[4]", CodeBlank}, {PartValue, "answers[1].values[5]", CodeWrongType}, {PartValue, "answers[1].values[6]", CodeWrongType},
			{PartValue, "answers[1].values[7]", CodeWrongType}, {PartValue, "answers[1].values[8]", CodeBlank}}},
		`{"id":"a","kind":"choice","values":[null]}`: {&Answer{"a", &ChoiceAnswer{[]string{}}}, []Skipped{{PartValue, "answers[1].values[0]", CodeMissing}}},
	} {
		const ok = `{"id":"ok","kind":"confirm","confirmed":true}`
		a, err := ParseAnswers(wire(`"answers":[` + ok + `,` + entry + `,` + ok + `]`))
		wanted := Answers{Answers: []Answer{good, good}, Skipped: want.skipped}
		if want.answer != nil {
			wanted.Answers = []Answer{good, *want.answer, good}
		}
		if err != nil || !reflect.DeepEqual(a, wanted) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", entry, a, err, wanted)
		}
		// Alone it is the same, or nothing.
		a, err = ParseAnswers(wire(`"answers":[` + entry + `]`))
		if (err == nil) != (want.answer != nil) || err == nil && !reflect.DeepEqual(a.Answers, []Answer{*want.answer}) {
			t.Errorf("%s alone: %+v, %v", entry, a, err)
		}
	}
}

func TestNotAnswers(t *testing.T) {
	const entries = `"answers":[{"id":"a","kind":"confirm","confirmed":true}]`
	for _, text := range []string{
		"", " ", "yes", "a: confirmed", "Error: x", "null", "[]", "true", "{}", jsonOf(wire(entries)), "[" + wire(entries) + "]", "\u0085" + wire(entries), "x" + wire(entries),
		wire(entries) + "x", wire(entries) + wire(entries), wire(entries)[:40], wire(`"answers":[]`), wire(`"answers":null`), wire(`"answers":{}`), wire(`"answers":"[]"`),
		wire(`"a":1`), wire(`"Answers":[]`), wire(entries + `,"answers":null`), wire(entries + `,"answers":[]`), "{" + entries + "}", textOutput,
		`{"protocol":"appwrite.clarify/v2",` + entries + `}`, `{"protocol":"appwrite.clarify/v1 ",` + entries + `}`, `{"protocol":1,` + entries + `}`,
		wire(entries + `,"protocol":"x"`), `{"Protocol":"appwrite.clarify/v1",` + entries + `}`,
	} {
		if a, err := ParseAnswers(text); !errors.Is(err, ErrNotAnswers) || !reflect.DeepEqual(a, Answers{}) {
			t.Errorf("%q: got %+v, %v", text, a, err)
		}
	}
	want := Answers{Answers: []Answer{{"a", &ConfirmAnswer{true}}}}
	for _, text := range []string{
		wire(entries), " \uFEFF\u2028" + wire(entries) + "\v\n", `{"\u0070rotocol":"\u0061ppwrite.clarify\/v1",` + entries + `}`, wire(`"answers":null,` + entries),
		`{` + entries + `,"protocol":1,"protocol":"appwrite.clarify/v1"}`, wire(entries + `,"prompts":[]`),
	} {
		if a, err := ParseAnswers(text); err != nil || !reflect.DeepEqual(a, want) {
			t.Errorf("%q: got %+v, %v", text, a, err)
		}
	}
}

func TestIsTool(t *testing.T) {
	for name, want := range map[string]bool{
		"clarify": true, "Clarify": true, "CLARIFY": true, " clarify\n": true, "\uFEFFclarify\u3000": true,
		"": false, "clarif": false, "clarify2": false, "console": false, "cla rify": false, "\u0085clarify": false, "clarıfy": false, "clarify\x00": false, "mcp.clarify": false,
	} {
		if got := IsTool(name); got != want {
			t.Errorf("IsTool(%q) is %v", name, got)
		}
	}
}
