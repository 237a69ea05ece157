package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What holds for every envelope and for all answers, tried on generated ones and on the vectors.

// checkValid checks everything that holds for the result of an accepted call.
func checkValid(t *testing.T, e *clarify.Envelope, result string) {
	t.Helper()
	require.True(t, json.Valid([]byte(result)) && utf8.ValidString(result), "not JSON in UTF-8: %q", result)
	read, err := clarify.Parse(result)
	require.NoError(t, err)
	require.Nil(t, read.Skipped)
	require.Equal(t, e, read)
	checkFixedPoint(t, read, result)
	require.NoError(t, read.Validate())
	again, err := read.Result()
	require.NoError(t, err)
	require.Equal(t, result, again)
	again, err = clarify.Call([]byte(result))
	require.NoError(t, err)
	require.Equal(t, result, again)
}

// checkFixedPoint checks that encoding is stable from the first time on.
func checkFixedPoint(t *testing.T, e *clarify.Envelope, canonical string) {
	t.Helper()
	b, err := e.AppendJSON(nil)
	require.NoError(t, err)
	require.Equal(t, canonical, string(b))
	again, err := clarify.Parse(canonical)
	require.NoError(t, err)
	whole := *e
	whole.Skipped = nil
	require.Equal(t, &whole, again)
}

// checkAnswers checks that answers survive encoding.
func checkAnswers(t *testing.T, a clarify.Answers) {
	t.Helper()
	b, err := a.AppendJSON(nil)
	require.NoError(t, err)
	require.True(t, json.Valid(b), "%q", b)
	again, err := clarify.ParseAnswers(string(b))
	require.NoError(t, err)
	require.Nil(t, again.Skipped)
	require.Equal(t, a.Answers, again.Answers)
	b2, err := again.AppendJSON(nil)
	require.NoError(t, err)
	require.Equal(t, string(b), string(b2))
	require.Equal(t, a.Summary(), again.Summary())
}

// White space that both sides trim, and what the prompts string may have around it: no U+FEFF.
const spaceOfBoth = "\t\n\v\f\r " + wideSpace + "\ufeff"

// pad puts white space around the strings that are trimmed, and writes absent optional fields and
// defaults in the other ways that there are.
func pad(g *Generator, call *Value, space string, padDefaultValue bool) {
	absent := func(o *Value, key string, trimmed bool) {
		if o.Get(key) == nil && g.Flag() {
			blank := ""
			if trimmed {
				blank = g.Padding(space)
			}
			o.With(key, Pick[any](g, nil, "", blank))
		}
	}
	text := func(o *Value, optional bool, keys ...string) {
		for _, key := range keys {
			if v := o.Get(key); v != nil {
				v.text = g.Padding(space) + v.text + g.Padding(space)
			} else if optional {
				absent(o, key, true)
			}
		}
	}
	flag := func(o *Value, key, byDefault string) {
		if o.Get(key).text == byDefault {
			switch g.IntN(3) {
			case 0:
				o.Remove(key)
			case 1:
				o.Set(key, nil)
			}
		}
	}
	text(call, true, "title")
	for _, o := range call.Get("prompts").elems {
		kind := o.Get("kind").text
		text(o, false, "id", "kind", "question")
		text(o, true, "hint")
		flag(o, "required", "true")
		switch clarify.Kind(kind) {
		case clarify.KindChoice:
			flag(o, "allowMultiple", "false")
			for _, option := range o.Get("options").elems {
				text(option, false, "id", "label")
				text(option, true, "description")
			}
		case clarify.KindConfirm:
			flag(o, "danger", "false")
			for key, byDefault := range map[string]string{"confirmLabel": "Confirm", "cancelLabel": "Cancel"} {
				if o.Get(key).text == byDefault {
					o.Remove(key)
					absent(o, key, true)
				} else {
					text(o, false, key)
				}
			}
		case clarify.KindText:
			flag(o, "multiline", "false")
			text(o, true, "placeholder")
			if padDefaultValue {
				text(o, true, "defaultValue")
			} else {
				absent(o, "defaultValue", false)
			}
		}
	}
}

func TestGeneratedCalls(t *testing.T) {
	t.Parallel()
	for i, want := range Envelopes(envelopes) {
		g := New(uint64(i))
		call := Arguments(want)
		prompts := call.Get("prompts")
		forms := map[string]string{"array": call.Compact(), "string": call.Clone().Set("prompts", Embedded(prompts)).Compact()}
		if prompts.Len() == 1 {
			forms["object"] = call.Clone().Set("prompts", prompts.Get("[0]")).Compact()
			forms["object in a string"] = call.Clone().Set("prompts", Embedded(prompts.Get("[0]"))).Compact()
		}
		// The same call, said in another way.
		pad(g, call, anySpace, true)
		g.AddUnknown(call)
		forms["other array"] = g.Respell(call)
		call.Set("prompts", g.Padding(pythonSpace)+g.Respell(call.Get("prompts"))+g.Padding(pythonSpace))
		forms["other string"] = g.Respell(call)
		for form, text := range forms {
			arguments := []byte(text)
			e, err := clarify.ParseCall(arguments)
			require.NoError(t, err, "%d, %s: %s", i, form, text)
			require.Equal(t, text, string(arguments), "ParseCall changed its arguments")
			clear(arguments) // ParseCall does not keep them
			require.Equal(t, want, e, text)
			result, err := clarify.Call([]byte(text))
			require.NoError(t, err)
			checkValid(t, e, result)
		}
	}
}

// TestGeneratedOutputs puts what the lenient side has to ignore around valid prompts.
func TestGeneratedOutputs(t *testing.T) {
	for i, want := range Envelopes(envelopes) {
		g := New(uint64(i))
		other := Output(want)
		pad(g, other, spaceOfBoth, false)
		g.AddUnknown(other)
		for _, text := range []string{Output(want).Compact(), g.Padding(spaceOfBoth) + g.Respell(other) + g.Padding(spaceOfBoth)} {
			e, err := clarify.Parse(text)
			require.NoError(t, err, text)
			require.Equal(t, want, e, text)
		}

		// Kinds of a newer protocol between the prompts: skipped, and nothing else changes.
		other = Output(want)
		prompts := other.Get("prompts")
		newer := Object("id", "n", "kind", "slider", "question", "How many?", "hint", 5, "options", Array())
		for range 1 + g.IntN(3) {
			prompts.elems = slices.Insert(prompts.elems, g.IntN(prompts.Len()+1), newer)
		}
		var skipped []clarify.Skipped
		for i, p := range prompts.elems {
			if p == newer {
				skipped = append(skipped, clarify.Skipped{Part: "prompt", Path: fmt.Sprintf("prompts[%d].kind", i), Code: "unknown_kind"})
			}
		}
		e, err := clarify.Parse(other.Compact())
		require.NoError(t, err)
		require.Equal(t, skipped, e.Skipped)
		e.Skipped = nil
		require.Equal(t, want, e)
	}
}

func TestGeneratedAnswers(t *testing.T) {
	for i := range envelopes {
		checkAnswers(t, New(uint64(i)).Answers())
	}
}

func TestVectorProperties(t *testing.T) {
	n := tally{}
	for _, v := range EngineVectors(t) {
		e, err := clarify.ParseCall(v.Args)
		result, callErr := clarify.Call(v.Args)
		if err == nil {
			n["call"]++
			checkValid(t, e, result)
			continue
		}
		n["refused call"]++
		assert.Nil(t, e, v.Name)
		assert.Equal(t, callErr, err, v.Name)
		_, err = clarify.Parse(result)
		assert.ErrorIs(t, err, clarify.ErrToolFailed, v.Name)
	}
	for _, v := range ConsoleVectors(t) {
		e, err := clarify.Parse(string(v.Output))
		if err != nil {
			continue
		}
		canonical, err := e.AppendJSON(nil)
		require.NoError(t, err, v.Name)
		require.True(t, json.Valid(canonical), v.Name)
		checkFixedPoint(t, e, string(canonical))
		// What the strict side makes of it is the same for the value and for its JSON.
		whole := *e
		whole.Skipped = nil
		result, err := whole.Result()
		called, callErr := clarify.Call(canonical)
		assert.Equal(t, callErr, err, v.Name)
		if err != nil {
			n["invalid output"]++
			continue
		}
		n["valid output"]++
		assert.Equal(t, called, result, v.Name)
		// Skipped is why a half-read envelope is not emitted.
		_, err = e.Result()
		assert.Equal(t, e.Skipped == nil, err == nil, v.Name)
	}
	for _, v := range AnswersVectors(t) {
		if a, err := clarify.ParseAnswers(v.Text); err == nil {
			n["answers"]++
			checkAnswers(t, a)
		}
	}
	n.require(t, "call", "refused call", "valid output", "invalid output", "answers")
}

// TestConcurrentUse lets the race detector look at what is said to be safe.
func TestConcurrentUse(t *testing.T) {
	e := New(1).Envelope()
	canonical, err := e.Result()
	require.NoError(t, err)
	answers := New(1).Answers()
	message, err := answers.AppendJSON(nil)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				result, err := e.Result()
				assert.NoError(t, err)
				assert.Equal(t, canonical, result)
				b, err := e.AppendJSON(nil)
				assert.NoError(t, err)
				assert.Equal(t, canonical, string(b))
				read, err := clarify.Parse(canonical)
				assert.NoError(t, err)
				assert.Equal(t, e, read)
				result, err = clarify.Call([]byte(canonical))
				assert.NoError(t, err)
				assert.Equal(t, canonical, result)
				again, err := clarify.ParseAnswers(string(message))
				assert.NoError(t, err)
				assert.Equal(t, answers.Summary(), again.Summary())
			}
		})
	}
	group.Wait()
}

// spoil changes an envelope such that it may not be valid any more.
func spoil(g *Generator, e *clarify.Envelope) {
	text := func(s *string) {
		*s = Pick(g, "", " \u0085\uFEFF", "\t"+*s+"\u2028", *s+g.Text(clarify.MaxDefaultValue, clarify.MaxDefaultValue), *s)
	}
	id := func(s *string, other string) {
		*s = Pick(g, "", " ", *s, " "+*s+"\n", other, "A", "1a", "_", *s+"\x00", "a b", "unique()", "ä")
	}
	for range 1 + g.IntN(3) {
		p := &e.Prompts[g.IntN(len(e.Prompts))]
		switch g.IntN(8) {
		case 0:
			text(&e.Title)
		case 1:
			id(&p.ID, e.Prompts[0].ID)
		case 2:
			text(&p.Question)
		case 3:
			text(&p.Hint)
		case 4:
			p.Input = nil
		case 5:
			for range g.IntN(7) {
				e.Prompts = append(e.Prompts, g.Prompt(map[string]bool{}))
			}
		default:
			switch in := p.Input.(type) {
			case *clarify.Choice:
				switch n := len(in.Options); g.IntN(3) {
				case 0:
					in.Options = in.Options[:g.IntN(n+1)]
				case 1:
					for n > 0 && len(in.Options) <= clarify.MaxOptions {
						in.Options = append(in.Options, in.Options[0])
					}
				case 2:
					if n > 0 {
						o := &in.Options[g.IntN(n)]
						id(&o.ID, in.Options[0].ID)
						text(&o.Label)
						text(&o.Description)
					}
				}
			case *clarify.Confirm:
				text(&in.ConfirmLabel)
				text(&in.CancelLabel)
			case *clarify.Text:
				text(&in.Placeholder)
				text(&in.DefaultValue)
			}
		}
	}
}

// TestGoValuesAgreeWithJSON spoils envelopes in Go and compares the verdict on the value with the
// verdict on its JSON.
func TestGoValuesAgreeWithJSON(t *testing.T) {
	n := tally{}
	for i, e := range Envelopes(2 * envelopes) {
		spoil(New(uint64(i)), e)
		before := Clone(e)
		text := Arguments(e).Compact()
		validateErr := e.Validate()
		result, err := e.Result()
		require.Equal(t, before, e, "Validate or Result changed the envelope")
		called, callErr := clarify.Call([]byte(text))
		require.Equal(t, callErr, validateErr, text)
		require.Equal(t, callErr, err, text)
		if err != nil {
			n["invalid"]++
			require.Empty(t, result)
			continue
		}
		n["valid"]++
		require.Equal(t, called, result)
		read, err := clarify.Parse(result)
		require.NoError(t, err)
		checkValid(t, read, result)
	}
	n.require(t, "valid", "invalid")
}

// A tally counts what came of the inputs, so that a test can tell that it has seen everything.
type tally map[string]int

func (n tally) require(t *testing.T, outcomes ...string) {
	t.Helper()
	for _, o := range outcomes {
		assert.NotZero(t, n[o], "no input was %q: the generator has lost something", o)
	}
}
