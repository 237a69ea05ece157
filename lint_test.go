package clarify_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// spotless is a valid envelope with every field of every kind. Lint has no
// warning for it, since other scripts, emoji, line breaks and tabs hide nothing.
func spotless() *clarify.Envelope {
	return &clarify.Envelope{Title: "Räume auf 🧹", Prompts: []clarify.Prompt{
		{ID: "pick", Question: "Welcher?\n\tDer alte?", Hint: "你好", Input: &clarify.Choice{Options: []clarify.Option{
			{ID: "one", Label: "שלום\u200f!", Description: "1\r\n2"}, {ID: "two", Label: "مرحبا"}, {ID: "three", Label: "👩‍👩‍👧 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"}}}},
		{ID: "go", Question: "?", Hint: ".", Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep"}},
		{ID: "name", Question: "Name", Input: &clarify.Text{Placeholder: "main", DefaultValue: "main\nother"}},
	}}
}

func TestLintOfNothing(t *testing.T) {
	for name, e := range map[string]*clarify.Envelope{"nil": nil, "zero": {}, "spotless": spotless(), "turn": turnEnvelope(), "form": formEnvelope(),
		"contract's choice": contractEnvelopes["choice"], "contract's confirm": contractEnvelopes["confirm"], "contract's text": contractEnvelopes["text"],
		"no input": {Prompts: []clarify.Prompt{{ID: "a", Question: "?"}}}, "nil choice": {Prompts: []clarify.Prompt{{ID: "a", Question: "?", Input: (*clarify.Choice)(nil)}}},
		"no labels": {Prompts: []clarify.Prompt{{ID: "a", Question: "?", Input: new(clarify.Confirm)}}}} {
		assert.Nil(t, e.Lint(), name)
	}
}

// TestLintTexts puts each text that Lint warns of into each field.
func TestLintTexts(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		codes []clarify.Code
		got   string // of the first warning
	}{
		"NUL":                    {"a\x00b", []clarify.Code{clarify.CodeControl}, `"\x00b"`},
		"escape":                 {"Keep\x1b[2K\rDelete", []clarify.Code{clarify.CodeControl}, `"\x1b[2K\rDelete"`},
		"backspace":              {"no\b\byes", []clarify.Code{clarify.CodeControl}, `"\b\byes"`},
		"form feed":              {"a\fb", []clarify.Code{clarify.CodeControl}, `"\fb"`},
		"delete":                 {"a\x7f", []clarify.Code{clarify.CodeControl}, `"\x7f"`},
		"C1":                     {"a\u0085b\u009b", []clarify.Code{clarify.CodeControl}, `"\u0085b\u009b"`},
		"right-to-left override": {"delete \u202Eetirw", []clarify.Code{clarify.CodeBidi}, `"\u202eetirw"`},
		"embedding":              {"\u202Ax\u202C", []clarify.Code{clarify.CodeBidi}, `"\u202ax\u202c"`},
		"isolate":                {"x\u2066y\u2069", []clarify.Code{clarify.CodeBidi}, `"\u2066y\u2069"`},
		"both":                   {"\x01\u2068", []clarify.Code{clarify.CodeControl, clarify.CodeBidi, clarify.CodeInvisible}, `"\x01\u2068"`},
		"zero-width spaces":      {"\u200b\u2060\u00ad", []clarify.Code{clarify.CodeInvisible}, `"\u200b\u2060\u00ad"`},
		"Hangul filler":          {"\u3164", []clarify.Code{clarify.CodeInvisible}, "\"\u3164\""},
		"blank Braille":          {"\u2800 \u2800", []clarify.Code{clarify.CodeInvisible}, "\"\u2800 \u2800\""},
		"only marks":             {"\u0301\ufe0f", []clarify.Code{clarify.CodeInvisible}, "\"\u0301\ufe0f\""},
		"spaces":                 {"\u2003 \t", []clarify.Code{clarify.CodeInvisible}, `"\u2003 \t"`},
		"tags":                   {"\U000E0041\U000E0042", []clarify.Code{clarify.CodeInvisible}, `"\U000e0041\U000e0042"`},
		"tags in a text":         {"x\U000E0041", []clarify.Code{clarify.CodeInvisible}, `"\U000e0041"`},
		"a mark of a direction":  {"a\u200fb", []clarify.Code{clarify.CodeInvisible}, `"\u200fb"`},
		"one warning is enough":  {"a\x01\u2060", []clarify.Code{clarify.CodeControl}, `"\x01\u2060"`},
	} {
		for i, f := range fields(spotless(), "text") {
			e := spotless()
			*fields(e, "text")[i].text = test.text
			var codes []clarify.Code
			for _, w := range e.Lint() {
				codes = append(codes, w.Code)
				assert.Equal(t, f.path, w.Path, name)
				assert.NotEmpty(t, w.Want, name)
			}
			assert.Equal(t, test.codes, codes, "%s in %s", name, f.path)
			assert.Equal(t, test.got, e.Lint()[0].Got, "%s in %s", name, f.path)
		}
	}
}

// TestLintOrder: the warnings have the order of the problems of a ValidationError.
func TestLintOrder(t *testing.T) {
	e := spotless()
	var want, got []string
	for _, f := range fields(e, "text") {
		want = append(want, f.path)
		*f.text += "\x00" + f.path
	}
	for _, w := range e.Lint() {
		got = append(got, w.Path)
	}
	assert.Equal(t, want, got)
}

// TestLintAbsent: only the texts that the contract requires must not be empty.
func TestLintAbsent(t *testing.T) {
	e := spotless()
	var want []clarify.Violation
	warn := func(path string, code clarify.Code, got, wanted string) {
		want = append(want, clarify.Violation{path, code, got, wanted})
	}
	for _, f := range fields(e, "text") {
		*f.text = ""
		if f.low > 0 {
			warn(f.path, clarify.CodeInvisible, `""`, "something to see")
		}
		if f.path == "prompts[0].options[1].label" || f.path == "prompts[0].options[2].label" {
			warn(f.path, clarify.CodeDuplicateLabel, `"" again, after prompts[0].options[0].label`, "a label of its own")
		}
	}
	assert.Equal(t, want, e.Lint())
}

func TestLintLabels(t *testing.T) {
	options := func(labels ...string) *clarify.Envelope {
		in := new(clarify.Choice)
		for _, label := range labels {
			in.Options = append(in.Options, clarify.Option{ID: "a", Label: label})
		}
		return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "x", Question: "?", Input: in}}}
	}
	buttons := func(confirm, cancel string) *clarify.Envelope {
		return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "x", Question: "?", Input: &clarify.Confirm{ConfirmLabel: confirm, CancelLabel: cancel}}}}
	}
	duplicate := func(i int, label string, first string) clarify.Violation {
		return clarify.Violation{fmt.Sprintf("prompts[0].options[%d].label", i), clarify.CodeDuplicateLabel, label + " again, after " + first, "a label of its own"}
	}
	ids := func(pairs ...string) *clarify.Envelope {
		in := new(clarify.Choice)
		for pair := range slices.Chunk(pairs, 2) {
			in.Options = append(in.Options, clarify.Option{ID: pair[0], Label: pair[1]})
		}
		return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "x", Question: "?", Input: in}}}
	}
	ask := func(question, hint, placeholder string) *clarify.Envelope {
		return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "x", Question: question, Hint: hint, Input: &clarify.Text{Placeholder: placeholder}}}}
	}
	isID := func(i int, label string) clarify.Violation {
		return clarify.Violation{fmt.Sprintf("prompts[0].options[%d].label", i), clarify.CodeLabelIsID, strconv.Quote(label) + ", the id of another option", "a label that is no other option's id"}
	}
	refuses := func(label string) []clarify.Violation {
		return []clarify.Violation{{"prompts[0].confirmLabel", clarify.CodeOppositeLabel, strconv.Quote(label), "a label that does not begin with a refusal"}}
	}
	agrees := func(label string) []clarify.Violation {
		return []clarify.Violation{{"prompts[0].cancelLabel", clarify.CodeOppositeLabel, strconv.Quote(label), "a label that does not agree"}}
	}
	secret := func(key, text string) []clarify.Violation {
		return []clarify.Violation{{"prompts[0]." + key, clarify.CodeSecret, strconv.Quote(text), "no question for a password, a key, a token, a card number or a PIN"}}
	}
	same := func(label string) []clarify.Violation {
		return []clarify.Violation{{"prompts[0].cancelLabel", clarify.CodeSameLabels, label, "another label than the one that confirms"}}
	}
	for name, test := range map[string]struct {
		e    *clarify.Envelope
		want []clarify.Violation
	}{
		"different":                   {options("One", "Two", "One more"), nil},
		"the same":                    {options("One", "Two", "One"), []clarify.Violation{duplicate(2, `"One"`, "prompts[0].options[0].label")}},
		"the same in another case":    {options("One", "ONE"), []clarify.Violation{duplicate(1, `"ONE"`, "prompts[0].options[0].label")}},
		"the same in padding":         {options("One", " One\u00a0"), []clarify.Violation{duplicate(1, `" One\u00a0"`, "prompts[0].options[0].label")}},
		"three times":                 {options("One", "one", "oNe"), []clarify.Violation{duplicate(1, `"one"`, "prompts[0].options[0].label"), duplicate(2, `"oNe"`, "prompts[0].options[0].label")}},
		"case beyond ASCII":           {options("Ä", "ä"), []clarify.Violation{duplicate(1, `"ä"`, "prompts[0].options[0].label")}},
		"a character without ink":     {options("One", "One\u200b"), []clarify.Violation{duplicate(1, `"One\u200b"`, "prompts[0].options[0].label")}},
		"two spaces":                  {options("a b", "A  b"), []clarify.Violation{duplicate(1, `"A  b"`, "prompts[0].options[0].label")}},
		"buttons without ink":         {buttons("Delete", "Delete\u200b"), same(`"Delete\u200b"`)},
		"buttons the same":            {buttons("OK", "OK"), same(`"OK"`)},
		"buttons in another case":     {buttons("Ok", "oK "), same(`"oK"`)},
		"cancel is the default":       {buttons("Cancel", ""), append(refuses("Cancel"), same(`"Cancel"`)...)},
		"confirm is the default":      {buttons("", "confirm"), append(same(`"confirm"`), agrees("confirm")...)},
		"buttons the other way round": {buttons("Cancel", "Confirm"), append(refuses("Cancel"), agrees("Confirm")...)},
		"no, and more":                {buttons("No, keep it", "Delete"), refuses("No, keep it")},
		"a curly apostrophe":          {buttons("“Don’t” delete", "Delete"), refuses("“Don’t” delete")},
		"do not":                      {buttons("Do\u00a0NOT delete", "Delete"), refuses("Do\u00a0NOT delete")},
		"do, and no refusal":          {buttons("Do it", "Leave"), nil},
		"part of a word":              {buttons("Note it", "Leave"), nil},
		"a refusal that cancels":      {buttons("Delete", "No, keep it"), nil},
		"yes that cancels":            {buttons("Delete", "Yes!"), agrees("Yes!")},
		"label of another's id":       {ids("red", "Green", "green", "Blue"), []clarify.Violation{isID(0, "Green")}},
		"labels swapped":              {ids("prod", "Staging", "staging", "Prod?"), []clarify.Violation{isID(0, "Staging"), isID(1, "Prod?")}},
		"label of its own id":         {ids("red", "Red", "green", "Green"), nil},
		"secret in a question":        {ask("What is your e-mail PASSWORD?", "", ""), secret("question", "What is your e-mail PASSWORD?")},
		"secret in a hint":            {ask("Who are you?", "The API key", ""), secret("hint", "The API key")},
		"secret in a placeholder":     {ask("Who are you?", "", "Card  number"), secret("placeholder", "Card  number")},
		"a PIN":                       {ask("PIN?", "", ""), secret("question", "PIN?")},
		"words that are none":         {ask("Which monkey types on the keyboard of the postcard?", "Number of the card: keyless pinned tokenizer", ""), nil},
		"a choice among keys":         {&clarify.Envelope{Prompts: []clarify.Prompt{{ID: "x", Question: "Which key should be revoked?", Input: &clarify.Choice{}}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, test.e.Lint())
		})
	}
}

// TestLintChangesNothing: Lint changes neither an envelope nor its validity.
func TestLintChangesNothing(t *testing.T) {
	warned := map[clarify.Code]bool{}
	for i, e := range conformance.Envelopes(400) {
		conformance.New(uint64(i)).Relabel(e)
		before, err := conformance.Clone(e), e.Validate()
		for _, w := range e.Lint() {
			warned[w.Code] = true
		}
		assert.Equal(t, before, e)
		assert.Equal(t, err, e.Validate())
	}
	for _, code := range []clarify.Code{clarify.CodeControl, clarify.CodeBidi, clarify.CodeInvisible, clarify.CodeDuplicateLabel, clarify.CodeSameLabels, clarify.CodeLabelIsID, clarify.CodeOppositeLabel} {
		assert.True(t, warned[code], "no warning %s", code)
	}
}
