package clarify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

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

// checkHeld checks that values survive encoding/json wherever they are held, and that nothing of a
// value that was there before shows through.
func checkHeld[T json.Marshaler, P codec[T]](t *testing.T, values []T) {
	t.Helper()
	if len(values) < 3 {
		t.Fatal("not enough values")
	}
	texts := make([]json.RawMessage, len(values))
	for i, v := range values {
		text, err := v.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	for i := range values {
		pick := func(n int) int { return (i + n) % len(values) }
		a, b, c := pick(0), pick(1), pick(2)
		v := hold(values[a], values[b], values[c])
		want := jsonOf(hold(texts[a], texts[b], texts[c]))
		if got := jsonOf(v); got != want {
			t.Fatalf("by value\n%s, want\n%s", got, want)
		}
		if got := jsonOf(&v); got != want {
			t.Fatalf("by pointer\n%s, want\n%s", got, want)
		}
		if got := jsonOf([]any{values[a], &values[a]}); got != jsonOf([]any{texts[a], texts[a]}) {
			t.Fatalf("in an interface\n%s", got)
		}
		var fresh held[T]
		if err := json.Unmarshal([]byte(want), &fresh); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(fresh, v) {
			t.Fatalf("got\n%+v, want\n%+v", fresh, v)
		}
		// Decode into a copy of other values, whose memory somebody else may still read.
		var used held[T]
		if err := json.Unmarshal([]byte(jsonOf(hold(texts[c], texts[a], texts[b]))), &used); err != nil {
			t.Fatal(err)
		}
		old := used.Value
		if err := json.Unmarshal([]byte(want), &used); err != nil {
			t.Fatal(err)
		}
		delete(used.Map, "none")
		if !reflect.DeepEqual(used, v) {
			t.Fatalf("into a used value\n%+v, want\n%+v", used, v)
		}
		if !reflect.DeepEqual(old, values[c]) {
			t.Fatalf("decoding wrote into the memory of the old value\n%+v, want\n%+v", old, values[c])
		}
		// null does nothing, and a text is not kept.
		data := bytes.Clone(texts[b])
		if err := P(&used.Value).UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] = 'x'
		}
		if err := json.Unmarshal([]byte(`{"Value":null,"Array":[null],"Slice":null}`), &used); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(used.Value, values[b]) || used.Slice != nil {
			t.Fatalf("null changed\n%+v, want\n%+v", used.Value, values[b])
		}
		if err := P(&used.Value).UnmarshalJSON([]byte("null")); err != nil || !reflect.DeepEqual(used.Value, values[b]) {
			t.Fatalf("null changed\n%+v, want\n%+v", used.Value, values[b])
		}
	}
}

func TestJSONMethods(t *testing.T) {
	var envelopes []Envelope
	var prompts []Prompt
	var options []Option
	var answers []Answers
	var single []Answer
	var events []Event
	for i, e := range generated(30) {
		g := newMaker(uint64(i))
		envelopes = append(envelopes, *e)
		prompts = append(prompts, e.Prompts...)
		for _, p := range e.Prompts {
			if in, ok := p.Input.(*Choice); ok {
				options = append(options, in.Options...)
			}
		}
		a := g.answers()
		answers = append(answers, a)
		single = append(single, a.Answers...)
		events = append(events, Event{Type: g.text(0, 9), Agent: g.text(0, 9), Tool: g.text(0, 9), RunID: g.text(0, 9), Output: g.text(0, 99), Failed: g.flag()})
	}
	t.Run("Envelope", func(t *testing.T) { checkHeld[Envelope](t, envelopes) })
	t.Run("Prompt", func(t *testing.T) { checkHeld[Prompt](t, prompts) })
	t.Run("Option", func(t *testing.T) { checkHeld[Option](t, options) })
	t.Run("Answers", func(t *testing.T) { checkHeld[Answers](t, answers) })
	t.Run("Answer", func(t *testing.T) { checkHeld[Answer](t, single) })
	t.Run("Event", func(t *testing.T) { checkHeld[Event](t, events) })
}

// TestPartsAreCanonical: a part has the bytes that it has in the whole.
func TestPartsAreCanonical(t *testing.T) {
	for _, e := range generated(60) {
		want := `{"protocol":"appwrite.clarify/v1"`
		if e.Title != "" {
			want += `,"title":` + string(appendString(nil, e.Title))
		}
		want += `,"prompts":[`
		for i, p := range e.Prompts {
			b, err := p.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				want += ","
			}
			want += string(b)
			if in, ok := p.Input.(*Choice); ok {
				var options []string
				for _, o := range in.Options {
					b, err := o.MarshalJSON()
					if err != nil {
						t.Fatal(err)
					}
					options = append(options, string(b))
				}
				if in := `"options":[` + strings.Join(options, ",") + `],"allowMultiple":`; !strings.Contains(string(b), in) {
					t.Errorf("%s is not in %s", in, b)
				}
			}
		}
		want += "]}"
		if got, err := e.AppendJSON(nil); err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
		if got, err := e.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
	a := newMaker(1).answers()
	want := `{"protocol":"appwrite.clarify/v1","answers":[`
	for i, answer := range a.Answers {
		if i > 0 {
			want += ","
		}
		b, err := answer.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want += string(b)
	}
	if got, err := a.AppendJSON(nil); err != nil || string(got) != want+"]}" {
		t.Errorf("got  %s, %v\nwant %s]}", got, err, want)
	}
}

// TestCanonicalForms spells the bytes of each kind out.
func TestCanonicalForms(t *testing.T) {
	for _, test := range []struct {
		value json.Marshaler
		want  string
	}{
		{Prompt{ID: "a", Question: "A?", Input: &Text{}},
			`{"id":"a","kind":"text","question":"A?","required":true,"multiline":false}`},
		{Prompt{ID: "a", Question: "A?", Hint: "h", Optional: true, Input: &Text{Placeholder: "p", DefaultValue: " d\n", Multiline: true}},
			`{"id":"a","kind":"text","question":"A?","hint":"h","required":false,"placeholder":"p","defaultValue":" d\n","multiline":true}`},
		{Prompt{ID: "a", Question: "A?", Input: &Confirm{}},
			`{"id":"a","kind":"confirm","question":"A?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":false}`},
		{Prompt{ID: "a", Question: "A?", Input: &Confirm{ConfirmLabel: "Yes", CancelLabel: "No", Danger: true}},
			`{"id":"a","kind":"confirm","question":"A?","required":true,"confirmLabel":"Yes","cancelLabel":"No","danger":true}`},
		{Prompt{ID: "a", Question: "A?", Input: &Choice{AllowMultiple: true, Options: []Option{{ID: "b", Label: "B"}, {ID: "c", Label: "C", Description: "d"}}}},
			`{"id":"a","kind":"choice","question":"A?","required":true,"options":[{"id":"b","label":"B"},{"id":"c","label":"C","description":"d"}],"allowMultiple":true}`},
		{Option{ID: "<&>", Label: "\"\\/\b\f\n\r\t\x00\x1F\x7F\u0085\u2028\u2029\uFEFF😀"},
			`{"id":"<&>","label":"\"\\/\b\f\n\r\t\u0000\u001f` + "\x7F\u0085\u2028\u2029\uFEFF😀" + `"}`},
		{Answer{ID: "a", Payload: &ChoiceAnswer{}}, `{"id":"a","kind":"choice","values":[]}`},
		{Answer{ID: "a", Payload: &ChoiceAnswer{Values: []string{" b", "c"}}}, `{"id":"a","kind":"choice","values":[" b","c"]}`},
		{Answer{ID: "A b", Payload: &ConfirmAnswer{}}, `{"id":"A b","kind":"confirm","confirmed":false}`},
		{Answer{ID: "a", Payload: &ConfirmAnswer{Confirmed: true}}, `{"id":"a","kind":"confirm","confirmed":true}`},
		{Answer{ID: "a", Payload: &TextAnswer{}}, `{"id":"a","kind":"text","value":""}`},
		{Answer{ID: "a", Payload: &TextAnswer{Value: " b\n"}}, `{"id":"a","kind":"text","value":" b\n"}`},
		{Event{}, `{"type":"","output":""}`},
		{Event{Type: EventToolEnd, Agent: "platform", Tool: ToolName, RunID: "r", Output: `{"a":"\u2028"}`, Failed: true},
			`{"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r","output":"{\"a\":\"\\u2028\"}","failed":true}`},
		{Event{Type: "\xFFa", Agent: "\xFF", Tool: "\xFF", RunID: "b\xFF", Output: "a\xFFb"},
			`{"type":"` + "\uFFFDa" + `","agent":"` + "\uFFFD" + `","tool":"` + "\uFFFD" + `","run_id":"` + "b\uFFFD" + `","output":"` + "a\uFFFDb" + `"}`},
	} {
		if got, err := test.value.MarshalJSON(); err != nil || string(got) != test.want {
			t.Errorf("%+v:\ngot  %s, %v\nwant %s", test.value, got, err, test.want)
		}
	}
}

// checkLeftAlone checks that what cannot be decoded is an error and changes nothing.
func checkLeftAlone[T json.Marshaler, P codec[T]](t *testing.T, text string, bad []string) {
	t.Helper()
	var want T
	if err := P(&want).UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range append(bad, "", " ", "nul", "[", "{", text[:len(text)-1], text+"x", text+text, "{'a':1}", `{"a":1,}`,
		nested(`{"a":`, "1", "}", MaxDepth+1), strings.Repeat(" ", 8*MaxSize+1)+text) {
		v := want
		if err := P(&v).UnmarshalJSON([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "clarify: ") {
			t.Errorf("%.80q is no error: %v", bad, err)
		}
		if err := json.Unmarshal([]byte(bad), &v); err == nil && strings.TrimSpace(bad) != text {
			t.Errorf("%.80q is no error with encoding/json", bad)
		} else if err != nil && !reflect.DeepEqual(v, want) {
			t.Errorf("%.80q changed the value to %+v", bad, v)
		}
	}
}

func TestDecodingErrors(t *testing.T) {
	types := []string{"true", "false", "5", `"text"`, "[]", "[{}]", "{}"}
	t.Run("Envelope", func(t *testing.T) {
		checkLeftAlone[Envelope](t, readFile(t, contractDir, "text.canonical.json"), append(types,
			`{"protocol":"appwrite.clarify/v2","prompts":[`+textPrompt+`]}`,
			`{"protocol":"appwrite.clarify/v1","prompts":[]}`,
			`{"protocol":"appwrite.clarify/v1","prompts":[{"kind":"text"}]}`))
	})
	t.Run("Prompt", func(t *testing.T) {
		checkLeftAlone[Prompt](t, textPrompt, append(types,
			`{"id":"a","kind":"slider","question":"A?"}`, `{"id":" ","kind":"text","question":"A?"}`,
			`{"id":"a","kind":"choice","question":"A?","options":[{"id":"b","label":"B"}]}`))
	})
	t.Run("Option", func(t *testing.T) {
		checkLeftAlone[Option](t, `{"id":"a","label":"A"}`, append(types, `{"id":"a"}`, `{"id":"a","label":null}`, `{"id":"a","label":" "}`, `{"id":1,"label":"A"}`))
	})
	t.Run("Answers", func(t *testing.T) {
		checkLeftAlone[Answers](t, `{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"confirm","confirmed":true}]}`, append(types,
			`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"confirm","confirmed":"true"}]}`))
	})
	t.Run("Answer", func(t *testing.T) {
		checkLeftAlone[Answer](t, `{"id":"a","kind":"confirm","confirmed":true}`, append(types,
			`{"id":"a","kind":"confirm","confirmed":"true"}`, `{"id":"a","kind":"confirm","confirmed":1}`, `{"id":"a","kind":"confirm"}`,
			`{"id":"a","kind":"yes","confirmed":true}`, `{"kind":"confirm","confirmed":true}`))
	})
	t.Run("Event", func(t *testing.T) {
		checkLeftAlone[Event](t, `{"type":"tool_end","output":"a"}`, slices.DeleteFunc(types, func(s string) bool { return s == "{}" }))
	})
}

// TestDecodingErrorTexts: a part that cannot be decoded says why, with a path as if it were the first.
func TestDecodingErrorTexts(t *testing.T) {
	large := strings.Repeat(" ", MaxSize+1)
	for _, test := range []struct {
		into       json.Unmarshaler
		text, want string
	}{
		{new(Prompt), `{"id":"a","kind":"slider"}`, "clarify: not a prompt: prompt skipped: prompts[0].kind: unknown_kind"},
		{new(Prompt), `{"id":"a","kind":"choice","question":"A?","options":[5,{"id":"b"}]}`, "clarify: not a prompt: prompt skipped: prompts[0].options: too_few"},
		{new(Prompt), `{"id":"a"`, "clarify: invalid JSON: unexpected end at byte 9"},
		{new(Prompt), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(Option), `{"id":"a"}`, "clarify: not an option: option skipped: prompts[0].options[0].label: missing"},
		{new(Option), `5`, "clarify: not an option: option skipped: prompts[0].options[0]: wrong_type"},
		{new(Option), `{"id" "a"}`, "clarify: invalid JSON: unexpected character at byte 6"},
		{new(Option), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(Answer), `{"id":"a","kind":"confirm","confirmed":"true"}`, "clarify: not an answer: answer skipped: answers[0].confirmed: wrong_type"},
		{new(Answer), `{"id":"a\x"}`, "clarify: invalid JSON: invalid escape in a string at byte 9"},
		{new(Answer), large, "clarify: 1048577 bytes, want at most 1048576"},
		{new(Answers), `{}`, "clarify: not answers"},
		{new(Envelope), `{}`, "clarify: not an envelope"},
		{new(Envelope), wire(`"prompts":[5]`), "clarify: not an envelope: no usable prompt (prompt skipped: prompts[0]: wrong_type)"},
	} {
		if err := test.into.UnmarshalJSON([]byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%T, %.80s: %v, want %s", test.into, test.text, err, test.want)
		}
	}
}

// foreignPayload is a Payload only because it embeds one.
type foreignPayload struct{ Payload }

// checkNoEncoding checks that AppendJSON refuses, says where and returns dst as it was.
func checkNoEncoding(t *testing.T, appendJSON func(dst []byte) ([]byte, error), path string) {
	t.Helper()
	for _, dst := range [][]byte{nil, []byte("before"), append(make([]byte, 0, 1<<12), "before"...)} {
		got, err := appendJSON(dst)
		if err == nil || !strings.HasPrefix(err.Error(), "clarify: cannot encode "+path+": ") {
			t.Errorf("error %v, want one that names %s", err, path)
		}
		if !bytes.Equal(got, dst) || cap(got) != cap(dst) || dst != nil && &got[0] != &dst[0] {
			t.Errorf("returned %q, want dst as it was", got)
		}
	}
}

// checkOnePart checks that one of the parts has no encoding, and says so with its path.
func checkOnePart(t *testing.T, parts []json.Marshaler, path string) {
	t.Helper()
	var failed []error
	for _, part := range parts {
		if _, err := part.MarshalJSON(); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) != 1 || !strings.HasPrefix(failed[0].Error(), "clarify: cannot encode "+path+": ") {
		t.Errorf("the errors of the parts are %v, want one that names %s", failed, path)
	}
}

func TestNoEncoding(t *testing.T) {
	type encodeFault struct {
		name, path string
		spoil      func(e *Envelope)
	}
	var all []encodeFault
	add := func(name, path string, spoil func(e *Envelope)) { all = append(all, encodeFault{name, path, spoil}) }
	for i, rule := range textRules {
		bad := []string{"\xFF", "a\xE2\x80", "x\xED\xA0\x80"}
		if !strings.HasSuffix(rule.path, keyDefaultValue) {
			bad = append(bad, " ", "\n\uFEFF", " a", "a\u2028", "\uFEFFa")
		}
		if rule.low > 0 {
			bad = append(bad, "")
		}
		for _, s := range bad {
			add(fmt.Sprintf("%s = %q", rule.path, s), rule.path, func(e *Envelope) { *textFields(e)[i] = s })
		}
	}
	for i, path := range idPaths {
		for _, s := range []string{"", " ", " a", "a\n", "\xFF"} {
			add(fmt.Sprintf("%s = %q", path, s), path, func(e *Envelope) { *idFields(e)[i] = s })
		}
	}
	for name, in := range map[string]Input{
		"nil": nil, "nil *Choice": (*Choice)(nil), "nil *Confirm": (*Confirm)(nil), "nil *Text": (*Text)(nil),
		"foreign": foreignInput{&Text{}}, "foreign of nothing": foreignInput{}, "pointer to foreign": &foreignInput{&Choice{}},
	} {
		for i, path := range inList[:1] {
			add(name, path, func(e *Envelope) { e.Prompts[i].Input = in })
		}
		add(name+" in the last", "prompts[2]", func(e *Envelope) { e.Prompts[2].Input = in })
	}
	for n := range MinOptions {
		add(fmt.Sprintf("%d options", n), "prompts[0].options", func(e *Envelope) { in := e.Prompts[0].Input.(*Choice); in.Options = in.Options[:n] })
	}
	add("no prompts", keyPrompts, func(e *Envelope) { e.Prompts = nil })
	add("empty prompts", keyPrompts, func(e *Envelope) { e.Prompts = []Prompt{} })
	add("too large", "the envelope", func(e *Envelope) { e.Prompts[2].Question = strings.Repeat("x", MaxSize) })
	add("too large by its escapes", "the envelope", func(e *Envelope) { e.Prompts[2].Question = strings.Repeat("\x00", MaxSize/6) + "x" })

	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			e, before := faultless(), faultless()
			f.spoil(e)
			f.spoil(before)
			checkNoEncoding(t, e.AppendJSON, f.path)
			if !reflect.DeepEqual(e, before) {
				t.Error("encoding changed the envelope")
			}
			for _, holder := range []any{e, *e, []Envelope{*e}, map[string]*Envelope{"a": e}, struct{ E Envelope }{*e}} {
				if b, err := json.Marshal(holder); err == nil {
					t.Errorf("%T encodes as %s", holder, b)
				}
			}
			// A part that has no encoding alone says where in itself, as if it were the first.
			var parts []json.Marshaler
			path := f.path
			for _, p := range e.Prompts {
				parts = append(parts, p)
			}
			if strings.HasPrefix(path, "prompts[") {
				path = "prompts[0]" + path[len("prompts[0]"):]
				checkOnePart(t, parts, path)
			}
			if strings.HasPrefix(path, "prompts[0].options[") {
				parts = nil
				for _, o := range e.Prompts[0].Input.(*Choice).Options {
					parts = append(parts, o)
				}
				checkOnePart(t, parts, "prompts[0].options[0]"+path[len("prompts[0].options[0]"):])
			}
		})
	}
	t.Run("a nil envelope", func(t *testing.T) {
		checkNoEncoding(t, (*Envelope)(nil).AppendJSON, "the envelope")
		if s, err := (*Envelope)(nil).Result(); err == nil {
			t.Errorf("Result is %s", s)
		}
	})
}

func TestNoEncodingOfAnswers(t *testing.T) {
	ok := Answer{ID: "ok", Payload: &ConfirmAnswer{Confirmed: true}}
	type encodeFault struct {
		answer Answer
		key    string
	}
	var all []encodeFault
	for _, id := range []string{"", " ", " a", "a\u3000", "\xFF"} {
		all = append(all, encodeFault{Answer{id, ok.Payload}, ".id"})
	}
	for _, p := range []Payload{
		nil, (*ChoiceAnswer)(nil), (*ConfirmAnswer)(nil), (*TextAnswer)(nil),
		foreignPayload{&ConfirmAnswer{Confirmed: true}}, foreignPayload{}, &foreignPayload{ok.Payload},
	} {
		all = append(all, encodeFault{Answer{"a", p}, ""})
	}
	all = append(all, encodeFault{Answer{"a", &TextAnswer{Value: "a\xFF"}}, ".value"})
	for _, v := range []string{"", " ", "\uFEFF\n", "a\xFF"} {
		all = append(all, encodeFault{Answer{"a", &ChoiceAnswer{Values: []string{"b", v, "c"}}}, ".values[1]"})
	}
	for _, f := range all {
		a := Answers{Answers: []Answer{ok, f.answer}}
		checkNoEncoding(t, a.AppendJSON, "answers[1]"+f.key)
		checkOnePart(t, []json.Marshaler{ok, f.answer}, "answers[0]"+f.key)
		for _, holder := range []any{a, &a, []Answers{a}, f.answer, []*Answer{&f.answer}} {
			if b, err := json.Marshal(holder); err == nil {
				t.Errorf("%+v encodes as %s", holder, b)
			}
		}
	}
	for _, none := range []Answers{{}, {Answers: []Answer{}}, {Skipped: []Skipped{{PartAnswer, "answers[0].id", CodeMissing}}}} {
		checkNoEncoding(t, none.AppendJSON, "answers")
	}
	checkNoEncoding(t, Answers{Answers: []Answer{ok, {"a", &TextAnswer{Value: strings.Repeat("x", MaxSize)}}}}.AppendJSON, "the answers")
}

// TestEncodingBound: what is just not too large is written and read back.
func TestEncodingBound(t *testing.T) {
	text := &Text{}
	e := &Envelope{Prompts: []Prompt{{ID: "a", Question: "A?", Input: text}}}
	text.DefaultValue = "x"
	b, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	text.DefaultValue = strings.Repeat("x", MaxSize-len(b)+1)
	if b, err = e.AppendJSON([]byte("before")); err != nil || len(b) != MaxSize+len("before") {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if read, err := Parse(string(b[len("before"):])); err != nil || !reflect.DeepEqual(read, e) {
		t.Errorf("reading back: %v", err)
	}
	text.DefaultValue += "x"
	checkNoEncoding(t, e.AppendJSON, "the envelope")

	value := &TextAnswer{Value: "x"}
	a := Answers{Answers: []Answer{{"a", value}}}
	if b, err = a.AppendJSON(nil); err != nil {
		t.Fatal(err)
	}
	value.Value = strings.Repeat("x", MaxSize-len(b)+1)
	if b, err = a.AppendJSON([]byte("before")); err != nil || len(b) != MaxSize+len("before") {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if read, err := ParseAnswers(string(b[len("before"):])); err != nil || !reflect.DeepEqual(read, a) {
		t.Errorf("reading back: %v", err)
	}
	value.Value += "x"
	checkNoEncoding(t, a.AppendJSON, "the answers")

	// A part alone: what would not read back has no encoding either.
	for _, part := range []func(s string) json.Marshaler{
		func(s string) json.Marshaler { return Prompt{ID: "a", Question: s, Input: &Text{}} },
		func(s string) json.Marshaler { return Option{ID: "a", Label: s} },
		func(s string) json.Marshaler { return Answer{ID: "a", Payload: &TextAnswer{Value: s}} },
	} {
		b, err := part("x").MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		room := MaxSize - len(b) + 1
		if b, err := part(strings.Repeat("x", room)).MarshalJSON(); err != nil || len(b) != MaxSize {
			t.Errorf("%T: %d bytes, %v", part("x"), len(b), err)
		}
		if _, err := part(strings.Repeat("x", room+1)).MarshalJSON(); err == nil {
			t.Errorf("%T of %d bytes is encoded", part("x"), MaxSize+1)
		}
	}
}

// TestAppend: dst is kept, its spare memory is used, and what is encoded is not changed.
func TestAppend(t *testing.T) {
	check := func(name string, appendJSON func(dst []byte) ([]byte, error)) {
		t.Helper()
		canonical, err := appendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 0, 1<<20)
		for _, dst := range [][]byte{[]byte("data: "), append(buf, "data: "...)} {
			got, err := appendJSON(dst)
			if err != nil || string(got) != "data: "+string(canonical) {
				t.Errorf("%s: got %s, %v", name, got, err)
			}
		}
		if string(buf[:10]) != "data: "+string(canonical[:4]) {
			t.Errorf("%s: the spare memory of dst was not used", name)
		}
		if n := testing.AllocsPerRun(20, func() {
			if _, err := appendJSON(buf); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
	for i, e := range generated(30) {
		before := clone(e)
		check("Envelope", e.AppendJSON)
		if !reflect.DeepEqual(e, before) {
			t.Fatal("encoding changed the envelope")
		}
		check("Answers", newMaker(uint64(i)).answers().AppendJSON)
		event := Event{Type: EventToolEnd, Agent: e.Title, Tool: ToolName, RunID: "r", Output: e.Prompts[0].Question}
		check("Event", func(dst []byte) ([]byte, error) { return event.AppendJSON(dst), nil })
	}
	// Skipped is not encoded.
	e := faultless()
	want, _ := e.AppendJSON(nil)
	e.Skipped = []Skipped{{PartPrompt, "prompts[0]", CodeWrongType}}
	if got, err := e.AppendJSON(nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with Skipped: %s, %v", got, err)
	}
}

func TestKinds(t *testing.T) {
	for want, prompts := range map[Kind][]Prompt{
		KindChoice: {{Input: &Choice{}}}, KindConfirm: {{Input: &Confirm{}}}, KindText: {{Input: &Text{}}},
		"": {{}, {Input: (*Choice)(nil)}, {Input: (*Confirm)(nil)}, {Input: (*Text)(nil)}},
	} {
		for _, p := range prompts {
			if got := p.Kind(); got != want {
				t.Errorf("the kind of %#v is %q, want %q", p.Input, got, want)
			}
		}
	}
	for want, answers := range map[Kind][]Answer{
		KindChoice: {{Payload: &ChoiceAnswer{}}}, KindConfirm: {{Payload: &ConfirmAnswer{}}}, KindText: {{Payload: &TextAnswer{}}},
		"": {{}, {Payload: (*ChoiceAnswer)(nil)}, {Payload: (*ConfirmAnswer)(nil)}, {Payload: (*TextAnswer)(nil)}},
	} {
		for _, a := range answers {
			if got := a.Kind(); got != want {
				t.Errorf("the kind of %#v is %q, want %q", a.Payload, got, want)
			}
		}
	}
}

func TestPromptByID(t *testing.T) {
	e := faultless()
	e.Prompts = append(e.Prompts, Prompt{ID: "name", Question: "Another"}, Prompt{ID: "last"})
	for id, want := range map[string]string{"bucket": "Which bucket?", "name": "Name of the new one", "last": ""} {
		if p, ok := e.Prompt(id); !ok || p.ID != id || p.Question != want {
			t.Errorf("%s: got %+v, %v", id, p, ok)
		}
	}
	for _, id := range []string{"", "Name", "name ", "other"} {
		if p, ok := e.Prompt(id); ok || !reflect.DeepEqual(p, Prompt{}) {
			t.Errorf("%q: got %+v", id, p)
		}
	}
	if _, ok := (*Envelope)(nil).Prompt("name"); ok {
		t.Error("a nil envelope has a prompt")
	}
}
