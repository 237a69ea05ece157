package clarify

import (
	"reflect"
	"slices"
	"testing"
)

// spotless is a valid envelope with every field of every kind, and nothing to
// warn of: other scripts, emoji, line breaks and tabs are no disguise.
func spotless() *Envelope {
	return &Envelope{Title: "Räume auf 🧹", Prompts: []Prompt{
		{ID: "pick", Question: "Welcher?\n\tDer alte?", Hint: "你好", Input: &Choice{Options: []Option{
			{ID: "a", Label: "שלום", Description: "1\r\n2"}, {ID: "b", Label: "مرحبا"}, {ID: "c", Label: "👩‍👩‍👧"}}}},
		{ID: "go", Question: "?", Hint: ".", Input: &Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep"}},
		{ID: "name", Question: "Name", Input: &Text{Placeholder: "main", DefaultValue: "main\nother"}},
	}}
}

// lintFields are the texts of spotless, by path, in the order of warnings.
func lintFields(e *Envelope) (paths []string, fields []*string) {
	add := func(path string, field *string) {
		paths, fields = append(paths, path), append(fields, field)
	}
	add("title", &e.Title)
	pick, confirm, text := e.Prompts[0].Input.(*Choice), e.Prompts[1].Input.(*Confirm), e.Prompts[2].Input.(*Text)
	add("prompts[0].question", &e.Prompts[0].Question)
	add("prompts[0].hint", &e.Prompts[0].Hint)
	add("prompts[0].options[0].label", &pick.Options[0].Label)
	add("prompts[0].options[0].description", &pick.Options[0].Description)
	add("prompts[0].options[2].label", &pick.Options[2].Label)
	add("prompts[1].question", &e.Prompts[1].Question)
	add("prompts[1].hint", &e.Prompts[1].Hint)
	add("prompts[1].confirmLabel", &confirm.ConfirmLabel)
	add("prompts[1].cancelLabel", &confirm.CancelLabel)
	add("prompts[2].question", &e.Prompts[2].Question)
	add("prompts[2].placeholder", &text.Placeholder)
	add("prompts[2].defaultValue", &text.DefaultValue)
	return paths, fields
}

func TestLintOfNothing(t *testing.T) {
	for name, e := range map[string]*Envelope{"nil": nil, "zero": {}, "spotless": spotless(), "turn": turnEnvelope(), "form": formEnvelope(),
		"contract's choice": contractEnvelopes["choice"], "contract's confirm": contractEnvelopes["confirm"], "contract's text": contractEnvelopes["text"],
		"no input": {Prompts: []Prompt{{ID: "a", Question: "?"}}}, "nil choice": {Prompts: []Prompt{{ID: "a", Question: "?", Input: (*Choice)(nil)}}},
		"no labels": {Prompts: []Prompt{{ID: "a", Question: "?", Input: new(Confirm)}}}} {
		if warnings := e.Lint(); warnings != nil {
			t.Errorf("%s: %v", name, warnings)
		}
	}
}

// TestLintTexts puts each thing to warn of into each text.
func TestLintTexts(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		codes []Code
		got   string // of the first warning
	}{
		"NUL":                    {"a\x00b", []Code{CodeControl}, `"\x00b"`},
		"escape":                 {"Keep\x1b[2K\rDelete", []Code{CodeControl}, `"\x1b[2K\rDelete"`},
		"backspace":              {"no\b\byes", []Code{CodeControl}, `"\b\byes"`},
		"form feed":              {"a\fb", []Code{CodeControl}, `"\fb"`},
		"delete":                 {"a\x7f", []Code{CodeControl}, `"\x7f"`},
		"C1":                     {"a\u0085b\u009b", []Code{CodeControl}, `"\u0085b\u009b"`},
		"right-to-left override": {"delete \u202Eetirw", []Code{CodeBidi}, `"\u202eetirw"`},
		"embedding":              {"\u202Ax\u202C", []Code{CodeBidi}, `"\u202ax\u202c"`},
		"isolate":                {"x\u2066y\u2069", []Code{CodeBidi}, `"\u2066y\u2069"`},
		"both":                   {"\x01\u2068", []Code{CodeControl, CodeBidi, CodeInvisible}, `"\x01\u2068"`},
		"zero-width spaces":      {"\u200b\u2060\u00ad", []Code{CodeInvisible}, `"\u200b\u2060\u00ad"`},
		"Hangul filler":          {"\u3164", []Code{CodeInvisible}, "\"\u3164\""},
		"blank Braille":          {"\u2800 \u2800", []Code{CodeInvisible}, "\"\u2800 \u2800\""},
		"only marks":             {"\u0301\ufe0f", []Code{CodeInvisible}, "\"\u0301\ufe0f\""},
		"spaces":                 {"\u2003 \t", []Code{CodeInvisible}, `"\u2003 \t"`},
		"tags":                   {"\U000E0041\U000E0042", []Code{CodeInvisible}, `"\U000e0041\U000e0042"`},
	} {
		paths, _ := lintFields(spotless())
		for i, path := range paths {
			e := spotless()
			_, fields := lintFields(e)
			*fields[i] = test.text
			warnings := e.Lint()
			var codes []Code
			for _, w := range warnings {
				if w.Path != path || w.Want == "" {
					t.Errorf("%s in %s: %+v", name, path, w)
				}
				codes = append(codes, w.Code)
			}
			if !slices.Equal(codes, test.codes) || warnings[0].Got != test.got {
				t.Errorf("%s in %s: %v, want %v, got %s", name, path, warnings, test.codes, test.got)
			}
		}
	}
}

// TestLintOrder warns of all texts at once, in the order of a ValidationError.
func TestLintOrder(t *testing.T) {
	e := spotless()
	paths, fields := lintFields(e)
	for _, field := range fields {
		*field += "\x00" + *field
	}
	var got []string
	for _, w := range e.Lint() {
		got = append(got, w.Path)
	}
	if !slices.Equal(got, paths) {
		t.Errorf("%q\nwant %q", got, paths)
	}
}

func TestLintAbsent(t *testing.T) {
	e := spotless()
	paths, fields := lintFields(e)
	for _, field := range fields {
		*field = ""
	}
	var want []Violation
	for i := range paths {
		switch paths[i] { // only what the contract requires
		case "prompts[0].question", "prompts[0].options[0].label", "prompts[0].options[2].label", "prompts[1].question", "prompts[2].question":
			want = append(want, Violation{paths[i], CodeInvisible, `""`, "something to see"})
			if paths[i] == "prompts[0].options[2].label" {
				want = append(want, Violation{paths[i], CodeDuplicateLabel, `"" again, after prompts[0].options[0].label`, "a label of its own"})
			}
		}
	}
	if got := e.Lint(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

func TestLintLabels(t *testing.T) {
	options := func(labels ...string) *Envelope {
		in := new(Choice)
		for _, label := range labels {
			in.Options = append(in.Options, Option{ID: "a", Label: label})
		}
		return &Envelope{Prompts: []Prompt{{ID: "x", Question: "?", Input: in}}}
	}
	buttons := func(confirm, cancel string) *Envelope {
		return &Envelope{Prompts: []Prompt{{ID: "x", Question: "?", Input: &Confirm{ConfirmLabel: confirm, CancelLabel: cancel}}}}
	}
	duplicate := func(i int, label string, first string) Violation {
		return Violation{place{0, i}.path(keyLabel), CodeDuplicateLabel, label + " again, after " + first, "a label of its own"}
	}
	same := func(label string) []Violation {
		return []Violation{{"prompts[0].cancelLabel", CodeSameLabels, label, "another label than the one that confirms"}}
	}
	for name, test := range map[string]struct {
		e    *Envelope
		want []Violation
	}{
		"different":                   {options("One", "Two", "One more"), nil},
		"the same":                    {options("One", "Two", "One"), []Violation{duplicate(2, `"One"`, "prompts[0].options[0].label")}},
		"the same in another case":    {options("One", "ONE"), []Violation{duplicate(1, `"ONE"`, "prompts[0].options[0].label")}},
		"the same in padding":         {options("One", " One\u00a0"), []Violation{duplicate(1, `" One\u00a0"`, "prompts[0].options[0].label")}},
		"three times":                 {options("One", "one", "oNe"), []Violation{duplicate(1, `"one"`, "prompts[0].options[0].label"), duplicate(2, `"oNe"`, "prompts[0].options[0].label")}},
		"case beyond ASCII":           {options("Ä", "ä"), []Violation{duplicate(1, `"ä"`, "prompts[0].options[0].label")}},
		"a character without ink":     {options("One", "One\u200b"), []Violation{duplicate(1, `"One\u200b"`, "prompts[0].options[0].label")}},
		"two spaces":                  {options("a b", "A  b"), []Violation{duplicate(1, `"A  b"`, "prompts[0].options[0].label")}},
		"buttons without ink":         {buttons("Delete", "Delete\u200b"), same(`"Delete\u200b"`)},
		"buttons the same":            {buttons("OK", "OK"), same(`"OK"`)},
		"buttons in another case":     {buttons("Ok", "oK "), same(`"oK"`)},
		"cancel is the default":       {buttons("Cancel", ""), same(`"Cancel"`)},
		"confirm is the default":      {buttons("", "confirm"), same(`"confirm"`)},
		"buttons the other way round": {buttons("Cancel", "Confirm"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.e.Lint(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v\nwant %v", got, test.want)
			}
		})
	}
}

// TestLintChangesNothing lints envelopes of all kinds: they stay as they are,
// and as valid as they are.
func TestLintChangesNothing(t *testing.T) {
	warned := map[Code]int{}
	for i, e := range generated(envelopes) {
		newTalker(uint64(i)).relabel(e)
		before, err := clone(e), e.Validate()
		for _, w := range e.Lint() {
			warned[w.Code]++
		}
		if !reflect.DeepEqual(e, before) || !reflect.DeepEqual(e.Validate(), err) {
			t.Fatal("Lint changed the envelope")
		}
	}
	for _, code := range []Code{CodeControl, CodeBidi, CodeInvisible, CodeDuplicateLabel, CodeSameLabels} {
		if warned[code] == 0 {
			t.Errorf("no warning %s", code)
		}
	}
}
