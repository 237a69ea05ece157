package clarify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// readVectors decodes every line of a vector file into a T. A vector that nobody reads proves
// nothing: a missing file, a wrong number of lines and whatever decodeVectors refuses are failures.
func readVectors[T any](t testing.TB, name string, want int) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := decodeVectors[T](data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(vectors) != want {
		t.Fatalf("%s has %d vectors, want %d", name, len(vectors), want)
	}
	return vectors
}

// decodeVectors decodes lines of JSON objects. It refuses no lines at all, a key that T does not
// have, a key that is there twice or only in another case, and a line without a key that T has and
// does not mark omitempty. A vector's name has to be its own.
func decodeVectors[T any](data []byte) ([]T, error) {
	var vectors []T
	names := map[string]bool{}
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var v T
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d: more than one JSON value", i+1)
		}
		if err := checkKeys[T](line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		var named struct{ Name string }
		if err := json.Unmarshal(line, &named); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if named.Name == "" || names[named.Name] {
			return nil, fmt.Errorf("line %d: the name %q is blank or taken", i+1, named.Name)
		}
		names[named.Name] = true
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// checkKeys compares the keys of one line with the JSON tags of T.
func checkKeys[T any](line []byte) error {
	got := map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(line))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		got[key.(string)]++
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err
		}
	}
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		key, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		switch n := got[key]; {
		case n > 1:
			return fmt.Errorf("key %q is there %d times", key, n)
		case n == 0 && options != "omitempty":
			return fmt.Errorf("no key %q", key)
		}
		delete(got, key)
	}
	for key := range got {
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

func TestVectorHarness(t *testing.T) {
	const good = `{"name":"a","args":{},"ok":false}`
	if v, err := decodeVectors[engineVector]([]byte(good + "\n")); err != nil || len(v) != 1 || v[0].Name != "a" {
		t.Fatalf("a good line: %v, %v", v, err)
	}
	for name, data := range map[string]string{
		"no bytes":                "",
		"only a newline":          "\n",
		"a blank line":            good + "\n\n" + strings.Replace(good, `"a"`, `"b"`, 1),
		"not JSON":                `{"name":"a"`,
		"two values on a line":    good + " {}",
		"an unknown key":          `{"name":"a","args":{},"ok":false,"okay":true}`,
		"a key in another case":   `{"name":"a","args":{},"OK":true,"ok":false}`,
		"only in another case":    `{"name":"a","args":{},"OK":true}`,
		"a key twice":             `{"name":"a","args":{},"ok":true,"ok":false}`,
		"a key that is not there": `{"name":"a","args":{}}`,
		"a blank name":            `{"name":"","args":{},"ok":false}`,
		"a name twice":            good + "\n" + good,
	} {
		if v, err := decodeVectors[engineVector]([]byte(data)); err == nil {
			t.Errorf("%s is accepted: %+v", name, v)
		}
	}
}

// jsonEqual compares as JSON values: the vectors were written by other implementations.
func jsonEqual(t *testing.T, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type engineVector struct {
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	OK       bool            `json:"ok"`
	Envelope json.RawMessage `json:"envelope,omitempty"`
}

func TestEngineVectors(t *testing.T) {
	for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
		t.Run(v.Name, func(t *testing.T) {
			if v.OK != (v.Envelope != nil) {
				t.Fatal("the vector wants an envelope exactly where ok is true")
			}
			result, err := Call(v.Args)
			if v.OK != (err == nil) {
				t.Fatalf("ok %v, got %s", v.OK, result)
			}
			if v.OK {
				jsonEqual(t, []byte(result), v.Envelope)
				return
			}
			var invalid *ValidationError
			if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
				t.Errorf("the error is %#v, want a *ValidationError with violations", err)
			}
			if result != ErrorResult(err) {
				t.Errorf("result %q, want %q", result, ErrorResult(err))
			}
			checkErrorText(t, result)
		})
	}
}

type consoleVector struct {
	Name     string          `json:"name"`
	Output   json.RawMessage `json:"output"`
	Envelope json.RawMessage `json:"envelope"`
}

// output is what the tool returned: a JSON value other than a string stands for itself.
func (v consoleVector) output(t testing.TB) string {
	if v.Output[0] != '"' {
		return string(v.Output)
	}
	var s string
	if err := json.Unmarshal(v.Output, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConsoleVectors(t *testing.T) {
	for _, v := range readVectors[consoleVector](t, "console.jsonl", 358) {
		t.Run(v.Name, func(t *testing.T) {
			e, err := Parse(v.output(t))
			if isNull(v.Envelope) != (err != nil) {
				t.Fatalf("err %v, want envelope %s", err, v.Envelope)
			}
			if err != nil {
				if e != nil || !errors.Is(err, ErrNotEnvelope) {
					t.Errorf("got %+v, %v, want nil and an ErrNotEnvelope", e, err)
				}
				return
			}
			got, err := e.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			jsonEqual(t, got, v.Envelope)
		})
	}
}

type answersVector struct {
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Answers json.RawMessage `json:"answers"`
	Summary *string         `json:"summary,omitempty"`
}

func TestAnswersVectors(t *testing.T) {
	for _, v := range readVectors[answersVector](t, "answers.jsonl", 59) {
		t.Run(v.Name, func(t *testing.T) {
			a, err := ParseAnswers(v.Text)
			if isNull(v.Answers) != (err != nil) {
				t.Fatalf("err %v, want answers %s", err, v.Answers)
			}
			if err != nil {
				if !reflect.DeepEqual(a, Answers{}) || !errors.Is(err, ErrNotAnswers) {
					t.Errorf("got %+v, %v, want nothing and ErrNotAnswers", a, err)
				}
				return
			}
			got, err := a.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			jsonEqual(t, got, v.Answers)
			if v.Summary != nil && a.Summary() != *v.Summary {
				t.Errorf("summary %q, want %q", a.Summary(), *v.Summary)
			}
		})
	}
}
