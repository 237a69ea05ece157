package conformance

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What the library takes for JSON is what encoding/json takes for it.

// jsonReaders read a text depth levels deep in another, each with a loop that looks for other
// fields. valid is whether the library found the whole to be JSON.
var jsonReaders = []struct {
	name, head, tail string
	depth            int
	valid            func(whole string) bool
}{
	{"event", `{"x":`, `}`, 1, validEvent},
	{"envelope", `{"protocol":"appwrite.clarify/v1","x":`, `}`, 1, validOutput},
	{"prompt", `{"protocol":"appwrite.clarify/v1","prompts":[`, `]}`, 2, validOutput},
	{"option", `{"protocol":"appwrite.clarify/v1","prompts":[{"options":[`, `]}]}`, 4, validOutput},
	{"answer", `{"protocol":"appwrite.clarify/v1","answers":[`, `,{"id":"a","kind":"text","value":""}]}`, 2, validMessage},
	{"value", `{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"choice","values":[`, `]}]}`, 4, validMessage},
}

func validEvent(text string) bool {
	_, err := clarify.ParseEvent([]byte(text))
	return err == nil
}

func validOutput(text string) bool {
	_, err := clarify.Parse(text)
	return !errors.Is(err, clarify.ErrMalformed)
}

func validMessage(text string) bool {
	_, err := clarify.ParseAnswers(text)
	return err == nil
}

// compareValid compares all verdicts on a text with encoding/json's.
func compareValid(t testing.TB, text string) {
	t.Helper()
	isObject := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
	if want := isObject && json.Valid([]byte(text)); validEvent(text) != want {
		t.Errorf("valid JSON as an event: got %v, want %v for %s", !want, want, show(text))
	}
	for i := range jsonReaders {
		compareValidAs(t, i, text)
	}
}

// compareValidAs compares the verdict of one reader.
func compareValidAs(t testing.TB, reader int, text string) {
	t.Helper()
	r := jsonReaders[reader]
	whole := r.head + text + r.tail
	want := json.Valid([]byte(whole))
	if len(whole) > clarify.MaxSize || strings.Contains(r.head, "answers") && want != json.Valid([]byte(text)) {
		return // as answers: the text ends what stands around it, and there may be none
	}
	if r.valid(whole) != want {
		t.Errorf("valid JSON as %s: got %v, want %v for %s", r.name, !want, want, show(text))
	}
}

// compareValidInside is the cheap part of compareValid.
func compareValidInside(t testing.TB, text string) {
	t.Helper()
	whole := `{"x":` + text + `}`
	if want := json.Valid([]byte(whole)); validEvent(whole) != want {
		t.Errorf("valid JSON: got %v, want %v for %q", !want, want, whole)
	}
}

// TestValidJSON has every text of a few of JSON's characters, bare and inside of each kind of
// value, texts around the bound on depth, and mutants.
func TestValidJSON(t *testing.T) {
	t.Parallel()
	const alphabet = "{}[]\",:\\/u019-+.eEnultrafs \n\t\x00\x1f\x7f\x80\xff"
	var extend func(text string, n int)
	extend = func(text string, n int) {
		for _, wrap := range []string{"%s", "[%s]", `{"options":%s}`, `{%s}`, `"%s"`, `[-1.5e%s]`, `["\u00%s"]`, `{"values":[%s`, "[null%s]"} {
			compareValidInside(t, strings.Replace(wrap, "%s", text, 1))
		}
		if n > 0 {
			for i := range len(alphabet) {
				extend(text+alphabet[i:i+1], n-1)
			}
		}
	}
	extend("", inputs(2, 3)) // two characters at most, three in the long run
	for a := range 256 {     // every byte, and every two, bare and in a string
		x := string([]byte{byte(a)})
		compareValidInside(t, `"x`+x+`"`)
		compareValidInside(t, "[0"+x+"]")
		for b := range 256 {
			pair := x + string([]byte{byte(b)})
			compareValidInside(t, pair)
			compareValidInside(t, `"`+pair+`"`)
		}
	}

	for i, r := range jsonReaders {
		for depth := 10_000 - r.depth; depth <= 10_001-r.depth; depth++ {
			for _, level := range []struct {
				open, shut string
				depth      int
			}{
				{"[", "]", 1}, {`{"":`, "}", 1}, {` [ [],{}, `, ` ,{}] `, 1}, {`[0,{"a":1,"options":`, `}]`, 2},
			} {
				n, rest := depth/level.depth, depth%level.depth
				open := strings.Repeat("[", rest) + strings.Repeat(level.open, n)
				shut := strings.Repeat(level.shut, n) + strings.Repeat("]", rest)
				for _, text := range []string{open + "null" + shut, open + "[]" + shut, open + "[1,]" + shut, open + "null"} {
					compareValidAs(t, i, text)
				}
			}
		}
	}

	g := NewInputs(*firstSeed, allSeeds(t), 100)
	for range inputs(4_000, 20_000) {
		compareValid(t, g.Input())
	}
}

func FuzzValidJSON(f *testing.F) {
	for _, v := range allSeeds(f) {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareValid(t, string(data)) })
}
