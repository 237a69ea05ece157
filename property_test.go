package clarify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"
)

const envelopes = 400 // generated for each property

// TestGeneratorCovers fails if the properties below are tried on less than all of the protocol.
func TestGeneratorCovers(t *testing.T) {
	seen := coverage(generated(envelopes))
	var want []string
	for n := MinPrompts; n <= MaxPrompts; n++ {
		want = append(want, fmt.Sprintf("%d prompts", n))
	}
	for n := MinOptions; n <= MaxOptions; n++ {
		want = append(want, fmt.Sprintf("%d options, multiple true", n), fmt.Sprintf("%d options, multiple false", n))
	}
	for _, flag := range []string{"optional", keyDanger, keyMultiline} {
		want = append(want, flag+" true", flag+" false")
	}
	texts := []string{keyTitle, keyQuestion, keyHint, keyLabel, keyDescription, keyConfirmLabel, keyCancelLabel, keyPlaceholder, keyDefaultValue}
	for _, text := range texts {
		want = append(want, text, text+" of full length", text+" with nasty characters")
	}
	for _, text := range []string{keyTitle, keyHint, keyDescription, keyPlaceholder, keyDefaultValue} {
		want = append(want, text+" absent")
	}
	for _, what := range want {
		if seen[what] == 0 {
			t.Errorf("no generated envelope has: %s", what)
		}
	}
}

// checkValid checks everything that holds for the result of an accepted call.
func checkValid(t *testing.T, e *Envelope, result string) {
	t.Helper()
	if !json.Valid([]byte(result)) || !utf8.ValidString(result) {
		t.Fatalf("not JSON in UTF-8: %q", result)
	}
	read, err := Parse(result)
	if err != nil {
		t.Fatalf("%v: %s", err, result)
	}
	if read.Skipped != nil {
		t.Errorf("Parse skips %v of %s", read.Skipped, result)
	}
	if !reflect.DeepEqual(read, e) {
		t.Errorf("Parse reads\n%+v, want\n%+v", read, e)
	}
	checkFixedPoint(t, read, result)
	if err := read.Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
	if again, err := read.Result(); err != nil || again != result {
		t.Errorf("Result: %s, %v\nwant %s", again, err, result)
	}
	if again, err := Call([]byte(result)); err != nil || again != result {
		t.Errorf("Call with its own result: %s, %v\nwant %s", again, err, result)
	}
}

// checkFixedPoint checks that encoding is stable from the first time on.
func checkFixedPoint(t *testing.T, e *Envelope, canonical string) {
	t.Helper()
	if b, err := e.AppendJSON(nil); err != nil || string(b) != canonical {
		t.Errorf("AppendJSON: %s, %v\nwant %s", b, err, canonical)
	}
	again, err := Parse(canonical)
	if err != nil {
		t.Fatal(err)
	}
	whole := *e
	whole.Skipped = nil
	if !reflect.DeepEqual(again, &whole) {
		t.Errorf("reading back gives\n%+v, want\n%+v", again, &whole)
	}
}

func TestGeneratedCalls(t *testing.T) {
	for i, want := range generated(envelopes) {
		g := newMaker(uint64(i))
		o := arguments(want)
		forms := map[string]string{"array": compact(o)}
		prompts := (*o)[o.index(keyPrompts)].value.(docArray)
		o.set(keyPrompts, compact(prompts))
		forms["string"] = compact(o)
		if len(prompts) == 1 {
			o.set(keyPrompts, prompts[0])
			forms["object"] = compact(o)
			o.set(keyPrompts, compact(prompts[0]))
			forms["object in a string"] = compact(o)
		}
		// The same call, said in another way.
		o = arguments(want)
		pad(g.Rand, o, spaceOfStrict, true)
		addUnknown(g.Rand, o)
		forms["other array"] = string(docWriter{g.Rand}.append(nil, o))
		// Of the members with this key the last one counts.
		for j := range slices.Backward(*o) {
			if m := &(*o)[j]; m.key == keyPrompts {
				m.value = padding(g.Rand, spaceOfPrompt) + string(docWriter{g.Rand}.append(nil, m.value)) + padding(g.Rand, spaceOfPrompt)
				break
			}
		}
		forms["other string"] = string(docWriter{g.Rand}.append(nil, o))
		for form, text := range forms {
			t.Run(fmt.Sprint(i, " ", form), func(t *testing.T) {
				arguments := []byte(text)
				e, err := ParseCall(arguments)
				if err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				if string(arguments) != text {
					t.Fatal("ParseCall changed its arguments")
				}
				for i := range arguments {
					arguments[i] = 'x' // ParseCall does not keep them
				}
				if !reflect.DeepEqual(e, want) {
					t.Fatalf("got\n%+v, want\n%+v", e, want)
				}
				result, err := Call([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				checkValid(t, e, result)
			})
		}
	}
}

// TestGeneratedOutputs puts what the lenient side has to ignore around valid prompts.
func TestGeneratedOutputs(t *testing.T) {
	for i, want := range generated(envelopes) {
		g := newMaker(uint64(i))
		plain := compact(output(want))
		o := output(want)
		pad(g.Rand, o, spaceOfBoth, false)
		addUnknown(g.Rand, o)
		text := padding(g.Rand, spaceOfBoth) + string(docWriter{g.Rand}.append(nil, o)) + padding(g.Rand, spaceOfBoth)
		for _, text := range []string{plain, text} {
			e, err := Parse(text)
			if err != nil {
				t.Fatalf("%v: %q", err, text)
			}
			if !reflect.DeepEqual(e, want) {
				t.Fatalf("got\n%+v, want\n%+v of\n%q", e, want, text)
			}
		}

		// Kinds of a newer protocol between the prompts: skipped, and nothing else changes.
		o = output(want)
		prompts := (*o)[o.index(keyPrompts)].value.(docArray)
		newer := &docObject{{keyID, "n"}, {keyKind, "slider"}, {keyQuestion, "How many?"}, {keyHint, docRaw("5")}, {keyOptions, docArray{}}}
		var skipped []Skipped
		for range 1 + g.IntN(3) {
			prompts = slices.Insert(prompts, g.IntN(len(prompts)+1), any(newer))
		}
		for i, p := range prompts {
			if p == any(newer) {
				skipped = append(skipped, Skipped{PartPrompt, fmt.Sprintf("prompts[%d].kind", i), CodeUnknownKind})
			}
		}
		o.set(keyPrompts, prompts)
		e, err := Parse(compact(o))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e.Skipped, skipped) {
			t.Errorf("skipped %v, want %v", e.Skipped, skipped)
		}
		if e.Skipped = nil; !reflect.DeepEqual(e, want) {
			t.Fatalf("got\n%+v, want\n%+v", e, want)
		}
	}
}

func TestVectorProperties(t *testing.T) {
	t.Run("engine", func(t *testing.T) {
		accepted, refused := 0, 0
		for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
			e, err := ParseCall(v.Args)
			result, callErr := Call(v.Args)
			if err != nil {
				refused++
				if e != nil || !reflect.DeepEqual(err, callErr) {
					t.Errorf("%s: ParseCall gives %v, %v, and Call %v", v.Name, e, err, callErr)
				}
				if _, err := Parse(result); !errors.Is(err, ErrToolFailed) {
					t.Errorf("%s: the Console reads the refusal as %v", v.Name, err)
				}
				continue
			}
			accepted++
			checkValid(t, e, result)
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%d accepted, %d refused", accepted, refused)
		}
	})
	t.Run("console", func(t *testing.T) {
		valid, other := 0, 0
		for _, v := range readVectors[consoleVector](t, "console.jsonl", 358) {
			e, err := Parse(v.output(t))
			if err != nil {
				continue
			}
			canonical, err := e.AppendJSON(nil)
			if err != nil || !json.Valid(canonical) {
				t.Fatalf("%s: %q, %v", v.Name, canonical, err)
			}
			checkFixedPoint(t, e, string(canonical))
			// What the strict side makes of it is the same for the value and for its JSON.
			whole := *e
			whole.Skipped = nil
			result, err := whole.Result()
			called, callErr := Call(canonical)
			if !reflect.DeepEqual(err, callErr) {
				t.Errorf("%s: Result gives %v, Call %v", v.Name, err, callErr)
			}
			if err != nil {
				other++
				continue
			}
			valid++
			if result != called {
				t.Errorf("%s: Result gives %s\nCall %s", v.Name, result, called)
			}
			// Skipped is why a half-read envelope is not emitted.
			if _, err := e.Result(); (err == nil) != (e.Skipped == nil) {
				t.Errorf("%s: Result of an envelope with %d skipped: %v", v.Name, len(e.Skipped), err)
			}
		}
		if valid == 0 || other == 0 {
			t.Errorf("%d pass Validate, %d do not", valid, other)
		}
	})
	t.Run("answers", func(t *testing.T) {
		n := 0
		for _, v := range readVectors[answersVector](t, "answers.jsonl", 59) {
			if a, err := ParseAnswers(v.Text); err == nil {
				n++
				checkAnswers(t, a)
			}
		}
		if n == 0 {
			t.Error("no vector has answers")
		}
	})
}

// checkAnswers checks that answers survive encoding.
func checkAnswers(t *testing.T, a Answers) {
	t.Helper()
	b, err := a.AppendJSON(nil)
	if err != nil || !json.Valid(b) {
		t.Fatalf("AppendJSON: %q, %v", b, err)
	}
	again, err := ParseAnswers(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if again.Skipped != nil || !reflect.DeepEqual(again.Answers, a.Answers) {
		t.Errorf("reading back gives %+v, want %+v", again, a)
	}
	if b2, err := again.AppendJSON(nil); err != nil || !bytes.Equal(b, b2) {
		t.Errorf("encoding again gives %s, %v\nwant %s", b2, err, b)
	}
	if again.Summary() != a.Summary() {
		t.Errorf("summary %q, want %q", again.Summary(), a.Summary())
	}
}

// TestConcurrentUse lets the race detector look at what is said to be safe.
func TestConcurrentUse(t *testing.T) {
	e := faultless()
	canonical, err := e.Result()
	if err != nil {
		t.Fatal(err)
	}
	answers := newMaker(1).answers()
	summary := answers.Summary()
	message, err := answers.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if result, err := e.Result(); err != nil || result != canonical {
					t.Errorf("Result: %s, %v", result, err)
				}
				if b, err := e.AppendJSON(nil); err != nil || string(b) != canonical {
					t.Errorf("AppendJSON: %s, %v", b, err)
				}
				if read, err := Parse(canonical); err != nil || !reflect.DeepEqual(read, e) {
					t.Errorf("Parse: %+v, %v", read, err)
				}
				if result, err := Call([]byte(canonical)); err != nil || result != canonical {
					t.Errorf("Call: %s, %v", result, err)
				}
				if read, err := ParseAnswers(string(message)); err != nil || read.Summary() != summary {
					t.Errorf("ParseAnswers: %+v, %v", read, err)
				}
			}
		})
	}
	group.Wait()
}

func TestGeneratedAnswers(t *testing.T) {
	for i := range envelopes {
		checkAnswers(t, newMaker(uint64(i)).answers())
	}
}

// TestGoValuesAgreeWithJSON spoils envelopes in Go and compares the verdict on the value with the
// verdict on its JSON.
func TestGoValuesAgreeWithJSON(t *testing.T) {
	spoil := func(g maker, e *Envelope) {
		texts := []func(s string) string{
			func(string) string { return "" },
			func(string) string { return " \u0085\uFEFF" },
			func(s string) string { return "\t" + s + "\u2028" },
			func(s string) string { return s + g.text(MaxDefaultValue, MaxDefaultValue) },
			func(s string) string { return s },
		}
		text := func(s *string) { *s = texts[g.IntN(len(texts))](*s) }
		id := func(s *string, other string) {
			ids := []string{"", " ", *s, " " + *s + "\n", other, "A", "1a", "_", *s + "\x00", "a b", "unique()", "ä"}
			*s = ids[g.IntN(len(ids))]
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
					e.Prompts = append(e.Prompts, g.prompt(map[string]bool{}))
				}
			default:
				switch in := p.Input.(type) {
				case *Choice:
					switch g.IntN(3) {
					case 0:
						in.Options = in.Options[:g.IntN(len(in.Options)+1)]
					case 1:
						for len(in.Options) > 0 && len(in.Options) <= MaxOptions {
							in.Options = append(in.Options, in.Options[0])
						}
					case 2:
						if len(in.Options) > 0 {
							o := &in.Options[g.IntN(len(in.Options))]
							id(&o.ID, in.Options[0].ID)
							text(&o.Label)
							text(&o.Description)
						}
					}
				case *Confirm:
					text(&in.ConfirmLabel)
					text(&in.CancelLabel)
				case *Text:
					text(&in.Placeholder)
					text(&in.DefaultValue)
				}
			}
		}
	}
	valid, invalid := 0, 0
	for i, e := range generated(2 * envelopes) {
		spoil(newMaker(uint64(i)), e)
		before := clone(e)
		text := compact(arguments(e))
		validateErr := e.Validate()
		result, err := e.Result()
		if !reflect.DeepEqual(e, before) {
			t.Fatal("Validate or Result changed the envelope")
		}
		called, callErr := Call([]byte(text))
		if !reflect.DeepEqual(validateErr, callErr) || !reflect.DeepEqual(err, callErr) {
			t.Errorf("Validate: %v\nResult:   %v\nCall:     %v\nof %s", validateErr, err, callErr, text)
		}
		if err != nil {
			invalid++
			if result != "" {
				t.Errorf("a result beside an error: %s", result)
			}
			continue
		}
		valid++
		if result != called {
			t.Errorf("Result: %s\nCall:   %s", result, called)
		}
		read, err := Parse(result)
		if err != nil {
			t.Fatal(err)
		}
		checkValid(t, read, result)
	}
	if valid == 0 || invalid == 0 {
		t.Errorf("%d valid, %d invalid", valid, invalid)
	}
}
