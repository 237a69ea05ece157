package clarify_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// contractEnvelopes are the contract's examples. testdata/contract has each of them as published, in
// NAME.json, and as this library writes it, in NAME.canonical.json.
var contractEnvelopes = map[string]*clarify.Envelope{
	"choice": {
		Title: "Which bucket?",
		Prompts: []clarify.Prompt{{
			ID:       "bucket",
			Question: "Which bucket should I delete?",
			Input: &clarify.Choice{Options: []clarify.Option{
				{ID: "avatars", Label: "avatars", Description: "64 files"},
				{ID: "uploads", Label: "uploads", Description: "12 files"},
			}},
		}},
	},
	"confirm": {
		Prompts: []clarify.Prompt{{
			ID:       "confirm_delete",
			Question: "Delete bucket avatars and all of its files?",
			Hint:     "This cannot be undone.",
			Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
		}},
	},
	"text": {
		Title: "Create database",
		Prompts: []clarify.Prompt{{
			ID:       "name",
			Question: "Database name",
			Input:    &clarify.Text{Placeholder: "main"},
		}, {
			ID:       "id_mode",
			Question: "Database ID",
			Input: &clarify.Choice{Options: []clarify.Option{
				{ID: "unique", Label: "Auto-generate (unique())"},
				{ID: "custom", Label: "I'll provide a custom ID"},
			}},
		}},
	},
}

func TestContractExamples(t *testing.T) {
	for name, want := range contractEnvelopes {
		t.Run(name, func(t *testing.T) {
			published := readFile(t, "testdata/contract", name+".json")
			canonical := readFile(t, "testdata/contract", name+".canonical.json")

			e, err := clarify.Parse(published)
			require.NoError(t, err)
			assert.Equal(t, want, e)
			b, err := e.AppendJSON(nil)
			require.NoError(t, err)
			assert.Equal(t, canonical, string(b))
			// An envelope is a call's arguments too: its protocol is an unknown field there.
			result, err := clarify.Call([]byte(published))
			require.NoError(t, err)
			assert.Equal(t, canonical, result)
			result, err = want.Result()
			require.NoError(t, err)
			assert.Equal(t, canonical, result)
		})
	}
	files, err := filepath.Glob("testdata/contract/*")
	require.NoError(t, err)
	assert.Len(t, contractEnvelopes, 3)
	assert.Len(t, files, 2*3, "a file that no test reads")
}

// held is how a user's own types may hold a T.
type held[T any] struct {
	Value      T
	Pointer    *T
	Slice      []T
	Pointers   []*T
	Map        map[string]T
	PointerMap map[string]*T
	Array      [2]T
	Deep       []struct{ In map[string][]T }
}

func hold[T any](a, b, c T) held[T] {
	return held[T]{
		Value:      a,
		Pointer:    &b,
		Slice:      []T{a, b, c},
		Pointers:   []*T{&c, nil, &a},
		Map:        map[string]T{"a": a, "b": b},
		PointerMap: map[string]*T{"c": &c, "none": nil},
		Array:      [2]T{b, a},
		Deep:       []struct{ In map[string][]T }{{In: map[string][]T{"c": {c, a}}}},
	}
}

// codec is what the JSON methods of all types have.
type codec[T any] interface {
	*T
	json.Unmarshaler
}

// marshal returns v as encoding/json writes it.
func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// checkHeld checks that encoding/json writes and reads values wherever they are held, and that nothing
// of an earlier value remains.
func checkHeld[T json.Marshaler, P codec[T]](t *testing.T, values []T) {
	require.GreaterOrEqual(t, len(values), 3)
	texts := make([]json.RawMessage, len(values))
	for i, v := range values {
		text, err := v.MarshalJSON()
		require.NoError(t, err)
		texts[i] = text
	}
	for a := range values {
		b, c := (a+1)%len(values), (a+2)%len(values)
		v := hold(values[a], values[b], values[c])
		want := marshal(t, hold(texts[a], texts[b], texts[c]))
		require.Equal(t, want, marshal(t, v), "by value")
		require.Equal(t, want, marshal(t, &v), "by pointer")
		require.Equal(t, marshal(t, []any{texts[a], texts[a]}), marshal(t, []any{values[a], &values[a]}), "in an interface")
		var fresh held[T]
		require.NoError(t, json.Unmarshal([]byte(want), &fresh))
		require.Equal(t, v, fresh)
		// Decode into other values. Somebody else may still read their memory.
		var used held[T]
		require.NoError(t, json.Unmarshal([]byte(marshal(t, hold(texts[c], texts[a], texts[b]))), &used))
		old := used.Value
		require.NoError(t, json.Unmarshal([]byte(want), &used))
		delete(used.Map, "none")
		require.Equal(t, v, used, "into a used value")
		require.Equal(t, values[c], old, "decoding wrote into the memory of the old value")
		// null does nothing, and UnmarshalJSON does not keep the text.
		data := slices.Clone([]byte(texts[b]))
		require.NoError(t, P(&used.Value).UnmarshalJSON(data))
		clear(data)
		require.NoError(t, json.Unmarshal([]byte(`{"Value":null,"Array":[null],"Slice":null}`), &used))
		require.Nil(t, used.Slice)
		require.NoError(t, P(&used.Value).UnmarshalJSON([]byte("null")))
		require.Equal(t, values[b], used.Value, "null changed it")
	}
}

func TestJSONMethods(t *testing.T) {
	t.Parallel()
	var envelopes []clarify.Envelope
	var prompts []clarify.Prompt
	var options []clarify.Option
	var answers []clarify.Answers
	var single []clarify.Answer
	var events []clarify.Event
	for i, e := range conformance.Envelopes(30) {
		g := conformance.New(uint64(i))
		envelopes = append(envelopes, *e)
		prompts = append(prompts, e.Prompts...)
		for _, p := range e.Prompts {
			if in, ok := p.Input.(*clarify.Choice); ok {
				options = append(options, in.Options...)
			}
		}
		a := g.Answers()
		answers = append(answers, a)
		single = append(single, a.Answers...)
		events = append(events, clarify.Event{Type: g.Text(0, 9), Agent: g.Text(0, 9), Tool: g.Text(0, 9), RunID: g.Text(0, 9), Output: g.Text(0, 99), Failed: g.Flag()})
	}
	t.Run("Envelope", func(t *testing.T) { checkHeld[clarify.Envelope](t, envelopes) })
	t.Run("Prompt", func(t *testing.T) { checkHeld[clarify.Prompt](t, prompts) })
	t.Run("Option", func(t *testing.T) { checkHeld[clarify.Option](t, options) })
	t.Run("Answers", func(t *testing.T) { checkHeld[clarify.Answers](t, answers) })
	t.Run("Answer", func(t *testing.T) { checkHeld[clarify.Answer](t, single) })
	t.Run("Event", func(t *testing.T) { checkHeld[clarify.Event](t, events) })
}

// TestUnmarshalKeepsSkipped: every UnmarshalJSON says what was left out, and says it of this value only.
func TestUnmarshalKeepsSkipped(t *testing.T) {
	output, message := wire(`"title":5,"prompts":[5,`+textPrompt+`]`), wire(`"answers":[5,{"id":"a","kind":"choice","values":["b",5]}]`)
	asked, err := clarify.Parse(output)
	require.NoError(t, err)
	require.Len(t, asked.Skipped, 2)
	answers, err := clarify.ParseAnswers(message)
	require.NoError(t, err)
	require.Len(t, answers.Skipped, 2)
	var got held[struct {
		Asked   clarify.Envelope
		Answers clarify.Answers
	}]
	require.NoError(t, json.Unmarshal([]byte(`{"Value":{"Asked":`+output+`,"Answers":`+message+`}}`), &got))
	assert.Equal(t, *asked, got.Value.Asked)
	assert.Equal(t, answers, got.Value.Answers)
	require.NoError(t, json.Unmarshal([]byte(`{"Value":{"Asked":`+textOutput+`,"Answers":`+strings.ReplaceAll(message, "5,", "")+`}}`), &got))
	assert.Nil(t, got.Value.Asked.Skipped)
	assert.Len(t, got.Value.Answers.Skipped, 1)
}

// TestPartsAreCanonical: a part has the bytes that it has in the whole.
func TestPartsAreCanonical(t *testing.T) {
	bytesOf := func(v json.Marshaler) string {
		b, err := v.MarshalJSON()
		require.NoError(t, err)
		return string(b)
	}
	for i, e := range conformance.Envelopes(60) {
		want := `{"protocol":"appwrite.clarify/v1"`
		if e.Title != "" {
			want += `,"title":` + quoted(e.Title)
		}
		var prompts, answers []string
		for _, p := range e.Prompts {
			prompts = append(prompts, bytesOf(p))
			if in, ok := p.Input.(*clarify.Choice); ok {
				var options []string
				for _, o := range in.Options {
					options = append(options, bytesOf(o))
				}
				assert.Contains(t, bytesOf(p), `"options":[`+strings.Join(options, ",")+`],"allowMultiple":`)
			}
		}
		assert.Equal(t, want+`,"prompts":[`+strings.Join(prompts, ",")+"]}", bytesOf(e))
		a := conformance.New(uint64(i)).Answers()
		for _, answer := range a.Answers {
			answers = append(answers, bytesOf(answer))
		}
		assert.Equal(t, wire(`"answers":[`+strings.Join(answers, ",")+"]"), bytesOf(a))
		for v, appendJSON := range map[json.Marshaler]func(dst []byte) ([]byte, error){e: e.AppendJSON, &a: a.AppendJSON} {
			b, err := appendJSON(nil)
			require.NoError(t, err)
			assert.Equal(t, bytesOf(v), string(b))
		}
	}
}

// TestCanonicalForms compares the bytes of each kind.
func TestCanonicalForms(t *testing.T) {
	for _, test := range []struct {
		value json.Marshaler
		want  string
	}{
		{clarify.Prompt{ID: "a", Question: "A?", Input: &clarify.Text{}},
			`{"id":"a","kind":"text","question":"A?","required":true,"multiline":false}`},
		{clarify.Prompt{ID: "a", Question: "A?", Hint: "h", Optional: true, Input: &clarify.Text{Placeholder: "p", DefaultValue: " d\n", Multiline: true}},
			`{"id":"a","kind":"text","question":"A?","hint":"h","required":false,"placeholder":"p","defaultValue":" d\n","multiline":true}`},
		{clarify.Prompt{ID: "a", Question: "A?", Input: &clarify.Confirm{}},
			`{"id":"a","kind":"confirm","question":"A?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":false}`},
		{clarify.Prompt{ID: "a", Question: "A?", Input: &clarify.Confirm{ConfirmLabel: "Yes", CancelLabel: "No", Danger: true}},
			`{"id":"a","kind":"confirm","question":"A?","required":true,"confirmLabel":"Yes","cancelLabel":"No","danger":true}`},
		{clarify.Prompt{ID: "a", Question: "A?", Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{{ID: "b", Label: "B"}, {ID: "c", Label: "C", Description: "d"}}}},
			`{"id":"a","kind":"choice","question":"A?","required":true,"options":[{"id":"b","label":"B"},{"id":"c","label":"C","description":"d"}],"allowMultiple":true}`},
		{clarify.Option{ID: "<&>", Label: "\"\\/\b\f\n\r\t\x00\x1F\x7F\u0085\u2028\u2029\uFEFF😀"},
			`{"id":"<&>","label":"\"\\/\b\f\n\r\t\u0000\u001f` + "\x7F\u0085\u2028\u2029\uFEFF😀" + `"}`},
		{clarify.Answer{ID: "a", Payload: &clarify.ChoiceAnswer{}}, `{"id":"a","kind":"choice","values":[]}`},
		{clarify.Answer{ID: "a", Payload: &clarify.ChoiceAnswer{Values: []string{" b", "c"}}}, `{"id":"a","kind":"choice","values":[" b","c"]}`},
		{clarify.Answer{ID: "A b", Payload: &clarify.ConfirmAnswer{}}, `{"id":"A b","kind":"confirm","confirmed":false}`},
		{clarify.Answer{ID: "a", Payload: &clarify.ConfirmAnswer{Confirmed: true}}, `{"id":"a","kind":"confirm","confirmed":true}`},
		{clarify.Answer{ID: "a", Payload: &clarify.TextAnswer{}}, `{"id":"a","kind":"text","value":""}`},
		{clarify.Answer{ID: "a", Payload: &clarify.TextAnswer{Value: " b\n"}}, `{"id":"a","kind":"text","value":" b\n"}`},
		{clarify.Event{}, `{"type":"","output":""}`},
		{clarify.Event{Type: clarify.EventToolEnd, Agent: "platform", Tool: clarify.ToolName, RunID: "r", Output: `{"a":"\u2028"}`, Failed: true},
			`{"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r","output":"{\"a\":\"\\u2028\"}","failed":true}`},
		{clarify.Event{Type: "\xFFa", Agent: "\xFF", Tool: "\xFF", RunID: "b\xFF", Output: "a\xFFb"},
			`{"type":"` + "\uFFFDa" + `","agent":"` + "\uFFFD" + `","tool":"` + "\uFFFD" + `","run_id":"` + "b\uFFFD" + `","output":"` + "a\uFFFDb" + `"}`},
	} {
		got, err := test.value.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, test.want, string(got))
	}
}

// checkLeftAlone checks that a text that cannot be decoded is an error and changes nothing.
func checkLeftAlone[T json.Marshaler, P codec[T]](t *testing.T, text string, bad []string) {
	t.Helper()
	var want T
	require.NoError(t, P(&want).UnmarshalJSON([]byte(text)))
	for _, bad := range append(bad, "", " ", "nul", "[", "{", text[:len(text)-1], text+"x", text+text, "{'a':1}", `{"a":1,}`,
		nested(`{"a":`, "1", "}", clarify.MaxDepth+1), strings.Repeat(" ", 8*clarify.MaxSize+1)+text) {
		v, name := want, fmt.Sprintf("%.80q", bad)
		assert.ErrorContains(t, P(&v).UnmarshalJSON([]byte(bad)), "clarify: ", name)
		assert.Equal(t, want, v, name)
		if strings.TrimSpace(bad) != text { // encoding/json leaves the white space out
			assert.Error(t, json.Unmarshal([]byte(bad), &v), name)
			assert.Equal(t, want, v, name)
		}
	}
}

func TestDecodingErrors(t *testing.T) {
	types := []string{"true", "false", "5", `"text"`, "[]", "[{}]", "{}"}
	t.Run("Envelope", func(t *testing.T) {
		checkLeftAlone[clarify.Envelope](t, readFile(t, "testdata/contract/text.canonical.json"), append(types,
			`{"protocol":"appwrite.clarify/v2","prompts":[`+textPrompt+`]}`,
			`{"protocol":"appwrite.clarify/v1","prompts":[]}`,
			`{"protocol":"appwrite.clarify/v1","prompts":[{"kind":"text"}]}`))
	})
	t.Run("Prompt", func(t *testing.T) {
		checkLeftAlone[clarify.Prompt](t, textPrompt, append(types,
			`{"id":"a","kind":"slider","question":"A?"}`, `{"id":" ","kind":"text","question":"A?"}`,
			`{"id":"a","kind":"choice","question":"A?","options":[{"id":"b","label":"B"}]}`))
	})
	t.Run("Option", func(t *testing.T) {
		checkLeftAlone[clarify.Option](t, `{"id":"a","label":"A"}`, append(types, `{"id":"a"}`, `{"id":"a","label":null}`, `{"id":"a","label":" "}`, `{"id":1,"label":"A"}`))
	})
	t.Run("Answers", func(t *testing.T) {
		checkLeftAlone[clarify.Answers](t, `{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"confirm","confirmed":true}]}`, append(types,
			`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"confirm","confirmed":"true"}]}`))
	})
	t.Run("Answer", func(t *testing.T) {
		checkLeftAlone[clarify.Answer](t, `{"id":"a","kind":"confirm","confirmed":true}`, append(types,
			`{"id":"a","kind":"confirm","confirmed":"true"}`, `{"id":"a","kind":"confirm","confirmed":1}`, `{"id":"a","kind":"confirm"}`,
			`{"id":"a","kind":"yes","confirmed":true}`, `{"kind":"confirm","confirmed":true}`))
	})
	t.Run("Event", func(t *testing.T) {
		checkLeftAlone[clarify.Event](t, `{"type":"tool_end","output":"a"}`, slices.DeleteFunc(types, func(s string) bool { return s == "{}" }))
	})
}

// TestDecodingErrorTexts: the error of a part says why, with the path of the first part of its sort.
func TestDecodingErrorTexts(t *testing.T) {
	large := strings.Repeat(" ", clarify.MaxSize+1)
	for _, test := range []struct {
		into       json.Unmarshaler
		text, want string
	}{
		{new(clarify.Prompt), `{"id":"a","kind":"slider"}`, "clarify: not a prompt: prompt skipped: prompts[0].kind: unknown_kind"},
		{new(clarify.Prompt), `{"id":"a","kind":"choice","question":"A?","options":[5,{"id":"b"}]}`, "clarify: not a prompt: prompt skipped: prompts[0].options: too_few"},
		{new(clarify.Prompt), `{"id":"a"`, "clarify: invalid JSON: unexpected end at byte 9"},
		{new(clarify.Prompt), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(clarify.Option), `{"id":"a"}`, "clarify: not an option: option skipped: prompts[0].options[0].label: missing"},
		{new(clarify.Option), `5`, "clarify: not an option: option skipped: prompts[0].options[0]: wrong_type"},
		{new(clarify.Option), `{"id" "a"}`, "clarify: invalid JSON: unexpected character at byte 6"},
		{new(clarify.Option), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(clarify.Answer), `{"id":"a","kind":"confirm","confirmed":"true"}`, "clarify: not an answer: answer skipped: answers[0].confirmed: wrong_type"},
		{new(clarify.Answer), `{"id":"a\x"}`, "clarify: invalid JSON: invalid escape in a string at byte 9"},
		{new(clarify.Answer), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(clarify.Answers), `{}`, "clarify: not answers"},
		{new(clarify.Envelope), `{}`, "clarify: not an envelope"},
		{new(clarify.Envelope), wire(`"prompts":[5]`), "clarify: not an envelope: no usable prompt (prompt skipped: prompts[0]: wrong_type)"},
	} {
		assert.EqualError(t, test.into.UnmarshalJSON([]byte(test.text)), test.want, "%T, %.80s", test.into, test.text)
	}
}

// foreignPayload is a Payload only because it embeds one.
type foreignPayload struct{ clarify.Payload }

// checkNoEncoding checks that AppendJSON fails, names the path and returns dst unchanged.
func checkNoEncoding(t *testing.T, appendJSON func(dst []byte) ([]byte, error), path string) {
	t.Helper()
	for _, dst := range [][]byte{nil, []byte("before"), append(make([]byte, 0, 1<<12), "before"...)} {
		got, err := appendJSON(dst)
		checkEncodingError(t, err, path)
		assert.Equal(t, dst, got)
		assert.Equal(t, cap(dst), cap(got))
		assert.True(t, dst == nil || &got[0] == &dst[0], "another buffer")
	}
}

func checkEncodingError(t *testing.T, err error, path string) {
	t.Helper()
	require.ErrorIs(t, err, clarify.ErrCannotEncode)
	assert.True(t, strings.HasPrefix(err.Error(), "clarify: cannot encode "+path+": "), "%v does not name %s", err, path)
}

// checkOnePart checks that just one of the parts has no encoding, and that its error names the path.
func checkOnePart[T json.Marshaler](t *testing.T, parts []T, path string) {
	t.Helper()
	var failed []error
	for _, part := range parts {
		if _, err := part.MarshalJSON(); err != nil {
			failed = append(failed, err)
		}
	}
	require.Len(t, failed, 1)
	checkEncodingError(t, failed[0], path)
}

func TestNoEncoding(t *testing.T) {
	t.Parallel()
	type encodeFault struct {
		name, path string
		spoil      func(e *clarify.Envelope)
	}
	var all []encodeFault
	add := func(name, path string, spoil func(e *clarify.Envelope)) {
		all = append(all, encodeFault{name, path, spoil})
	}
	for _, what := range []string{"text", "id"} {
		for i, f := range fields(faultless(), what) {
			bad := []string{"\xFF", "a\xE2\x80", "x\xED\xA0\x80"}
			if !strings.HasSuffix(f.path, "defaultValue") {
				bad = append(bad, " ", "\n\uFEFF", " a", "a\n", "a\u2028", "\uFEFFa")
			}
			if what == "id" || f.low > 0 {
				bad = append(bad, "")
			}
			for _, s := range bad {
				add(fmt.Sprintf("%s = %q", f.path, s), f.path, func(e *clarify.Envelope) { *fields(e, what)[i].text = s })
			}
		}
	}
	for name, in := range map[string]clarify.Input{
		"nil": nil, "nil *Choice": (*clarify.Choice)(nil), "nil *Confirm": (*clarify.Confirm)(nil), "nil *Text": (*clarify.Text)(nil),
		"foreign": foreignInput{&clarify.Text{}}, "foreign of nothing": foreignInput{}, "pointer to foreign": &foreignInput{&clarify.Choice{}},
	} {
		add(name, "prompts[0]", func(e *clarify.Envelope) { e.Prompts[0].Input = in })
		add(name+" in the last", "prompts[2]", func(e *clarify.Envelope) { e.Prompts[2].Input = in })
	}
	for n := range clarify.MinOptions {
		add(fmt.Sprintf("%d options", n), "prompts[0].options", func(e *clarify.Envelope) { in := e.Prompts[0].Input.(*clarify.Choice); in.Options = in.Options[:n] })
	}
	add("no prompts", "prompts", func(e *clarify.Envelope) { e.Prompts = nil })
	add("empty prompts", "prompts", func(e *clarify.Envelope) { e.Prompts = []clarify.Prompt{} })
	add("too large", "the envelope", func(e *clarify.Envelope) { e.Prompts[2].Question = strings.Repeat("x", clarify.MaxSize) })
	add("too large by its escapes", "the envelope", func(e *clarify.Envelope) { e.Prompts[2].Question = strings.Repeat("\x00", clarify.MaxSize/6) + "x" })

	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			e, before := faultless(), faultless()
			f.spoil(e)
			f.spoil(before)
			checkNoEncoding(t, e.AppendJSON, f.path)
			assert.Equal(t, before, e, "encoding changed the envelope")
			for _, holder := range []any{e, *e, []clarify.Envelope{*e}, map[string]*clarify.Envelope{"a": e}, struct{ E clarify.Envelope }{*e}} {
				_, err := json.Marshal(holder)
				assert.Error(t, err, "%T", holder)
			}
			// A part is encoded alone with the path of the first one.
			if inPrompt, ok := strings.CutPrefix(f.path, "prompts["); ok {
				inPrompt = inPrompt[len("0]"):]
				checkOnePart(t, e.Prompts, "prompts[0]"+inPrompt)
				if inOption, ok := strings.CutPrefix(inPrompt, ".options["); ok {
					checkOnePart(t, e.Prompts[0].Input.(*clarify.Choice).Options, "prompts[0].options[0]"+inOption[len("0]"):])
				}
			}
		})
	}
	t.Run("a nil envelope", func(t *testing.T) {
		checkNoEncoding(t, (*clarify.Envelope)(nil).AppendJSON, "the envelope")
		_, err := (*clarify.Envelope)(nil).Result()
		assert.Error(t, err)
	})
}

func TestNoEncodingOfAnswers(t *testing.T) {
	ok := clarify.Answer{ID: "ok", Payload: &clarify.ConfirmAnswer{Confirmed: true}}
	check := func(answer clarify.Answer, key string) {
		t.Helper()
		a := clarify.Answers{Answers: []clarify.Answer{ok, answer}}
		checkNoEncoding(t, a.AppendJSON, "answers[1]"+key)
		checkOnePart(t, a.Answers, "answers[0]"+key)
		for _, holder := range []any{a, &a, []clarify.Answers{a}, answer, []*clarify.Answer{&answer}} {
			_, err := json.Marshal(holder)
			assert.Error(t, err, "%+v", holder)
		}
	}
	for _, id := range []string{"", " ", " a", "a\u3000", "\xFF"} {
		check(clarify.Answer{id, ok.Payload}, ".id")
	}
	for _, p := range []clarify.Payload{
		nil, (*clarify.ChoiceAnswer)(nil), (*clarify.ConfirmAnswer)(nil), (*clarify.TextAnswer)(nil),
		foreignPayload{&clarify.ConfirmAnswer{Confirmed: true}}, foreignPayload{}, &foreignPayload{ok.Payload},
	} {
		check(clarify.Answer{"a", p}, "")
	}
	check(clarify.Answer{"a", &clarify.TextAnswer{Value: "a\xFF"}}, ".value")
	for _, v := range []string{"", " ", "\uFEFF\n", "a\xFF"} {
		check(clarify.Answer{"a", &clarify.ChoiceAnswer{Values: []string{"b", v, "c"}}}, ".values[1]")
	}
	for _, none := range []clarify.Answers{{}, {Answers: []clarify.Answer{}}, {Skipped: []clarify.Skipped{{clarify.PartAnswer, "answers[0].id", clarify.CodeMissing}}}} {
		checkNoEncoding(t, none.AppendJSON, "answers")
	}
}

// TestEncodingBound: an encoding of MaxSize bytes is written and read back, a larger one is refused.
func TestEncodingBound(t *testing.T) {
	// fill returns what makes an encoding of one x as large as it may be.
	fill := func(one []byte, err error) string {
		t.Helper()
		require.NoError(t, err)
		return strings.Repeat("x", clarify.MaxSize-len(one)+1)
	}
	check := func(read func(text string), appendJSON func(dst []byte) ([]byte, error)) {
		t.Helper()
		b, err := appendJSON([]byte("before"))
		require.NoError(t, err)
		require.Len(t, b, clarify.MaxSize+len("before"))
		read(string(b[len("before"):]))
	}
	text := &clarify.Text{DefaultValue: "x"}
	e := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: "A?", Input: text}}}
	text.DefaultValue = fill(e.AppendJSON(nil))
	check(func(text string) {
		read, err := clarify.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, e, read)
	}, e.AppendJSON)
	text.DefaultValue += "x"
	checkNoEncoding(t, e.AppendJSON, "the envelope")

	value := &clarify.TextAnswer{Value: "x"}
	a := clarify.Answers{Answers: []clarify.Answer{{"a", value}}}
	value.Value = fill(a.AppendJSON(nil))
	check(func(text string) {
		read, err := clarify.ParseAnswers(text)
		require.NoError(t, err)
		assert.Equal(t, a, read)
	}, a.AppendJSON)
	value.Value += "x"
	checkNoEncoding(t, a.AppendJSON, "the answers")

	// A part alone: what would not read back has no encoding either.
	for _, part := range []func(s string) json.Marshaler{
		func(s string) json.Marshaler { return clarify.Prompt{ID: "a", Question: s, Input: &clarify.Text{}} },
		func(s string) json.Marshaler { return clarify.Option{ID: "a", Label: s} },
		func(s string) json.Marshaler { return clarify.Answer{ID: "a", Payload: &clarify.TextAnswer{Value: s}} },
	} {
		most := fill(part("x").MarshalJSON())
		b, err := part(most).MarshalJSON()
		require.NoError(t, err)
		assert.Len(t, b, clarify.MaxSize)
		_, err = part(most + "x").MarshalJSON()
		assert.Error(t, err, "%T", part("x"))
	}
}

// TestAppend: AppendJSON keeps dst, uses its spare memory, and does not change what it encodes.
func TestAppend(t *testing.T) {
	check := func(name string, appendJSON func(dst []byte) ([]byte, error)) {
		t.Helper()
		canonical, err := appendJSON(nil)
		require.NoError(t, err)
		buf := make([]byte, 0, 1<<20)
		for _, dst := range [][]byte{[]byte("data: "), append(buf, "data: "...)} {
			got, err := appendJSON(dst)
			require.NoError(t, err)
			assert.Equal(t, "data: "+string(canonical), string(got), name)
		}
		assert.Equal(t, "data: "+string(canonical[:4]), string(buf[:10]), "%s: the spare memory of dst was not used", name)
		assert.Zero(t, testing.AllocsPerRun(20, func() { appendJSON(buf) }), "%s: allocations", name)
	}
	for i, e := range conformance.Envelopes(30) {
		before := conformance.Clone(e)
		check("Envelope", e.AppendJSON)
		assert.Equal(t, before, e, "encoding changed the envelope")
		check("Answers", conformance.New(uint64(i)).Answers().AppendJSON)
		event := clarify.Event{Type: clarify.EventToolEnd, Agent: e.Title, Tool: clarify.ToolName, RunID: "r", Output: e.Prompts[0].Question}
		check("Event", func(dst []byte) ([]byte, error) { return event.AppendJSON(dst), nil })
	}
	// Skipped is not encoded.
	e := faultless()
	want := marshal(t, e)
	e.Skipped = []clarify.Skipped{{clarify.PartPrompt, "prompts[0]", clarify.CodeWrongType}}
	assert.Equal(t, want, marshal(t, e))
}

// TestZeroAnswers: a struct of a user's with no answers in it can be marshaled and read back.
func TestZeroAnswers(t *testing.T) {
	type record struct {
		Answers clarify.Answers
		Omitted clarify.Answers `json:",omitzero"`
	}
	for _, empty := range []record{{}, {Answers: clarify.Answers{Answers: []clarify.Answer{}}}} {
		b, err := json.Marshal(empty)
		require.NoError(t, err)
		assert.Equal(t, `{"Answers":null}`, string(b))
		var back record
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Zero(t, back)
		_, err = empty.Answers.AppendJSON(nil)
		assert.ErrorIs(t, err, clarify.ErrCannotEncode, "null is no message")
	}
}

// TestNormalized: the normalized envelope is what the Console reads, and normalizing it again changes nothing.
func TestNormalized(t *testing.T) {
	e := &clarify.Envelope{Title: " \u0085 ", Prompts: []clarify.Prompt{
		{ID: " sure ", Question: "Delete?\u001c", Hint: "\ufeff", Input: &clarify.Confirm{CancelLabel: " Keep "}},
		{ID: "note", Question: "Why?", Input: &clarify.Text{DefaultValue: " old "}},
	}}
	before := conformance.Clone(e)
	got, err := e.Normalized()
	require.NoError(t, err)
	assert.Equal(t, &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "sure", Question: "Delete?", Input: &clarify.Confirm{ConfirmLabel: "Confirm", CancelLabel: "Keep"}},
		{ID: "note", Question: "Why?", Input: &clarify.Text{DefaultValue: "old"}},
	}}, got)
	assert.Equal(t, before, e)
	for i := range uint64(300) {
		e := conformance.New(i).Envelope()
		got, err := e.Normalized()
		require.NoError(t, err)
		result, err := e.Result()
		require.NoError(t, err)
		read, err := clarify.Parse(result)
		require.NoError(t, err)
		require.Equal(t, read, got)
		again, err := got.Normalized()
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
	_, err = new(clarify.Envelope).Normalized()
	assert.ErrorAs(t, err, new(*clarify.ValidationError))
}
