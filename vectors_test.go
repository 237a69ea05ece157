package clarify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// readVectors decodes every line of a vector file into a T. An empty file and a key that T does not
// have are failures: a vector that nobody reads proves nothing.
func readVectors[T any](t testing.TB, name string, want int) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []T
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s:%d: %v", name, i+1, err)
		}
		vectors = append(vectors, v)
	}
	if len(vectors) != want {
		t.Fatalf("%s has %d vectors, want %d", name, len(vectors), want)
	}
	return vectors
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
	Envelope json.RawMessage `json:"envelope"`
}

func TestEngineVectors(t *testing.T) {
	for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
		t.Run(v.Name, func(t *testing.T) {
			result, err := Call(v.Args)
			if v.OK != (err == nil) {
				t.Fatalf("ok %v, got %s", v.OK, result)
			}
			if v.OK {
				jsonEqual(t, []byte(result), v.Envelope)
			}
		})
	}
}

type consoleVector struct {
	Name     string          `json:"name"`
	Output   json.RawMessage `json:"output"`
	Envelope json.RawMessage `json:"envelope"`
}

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
			if err == nil {
				got, err := e.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				jsonEqual(t, got, v.Envelope)
			}
		})
	}
}

type answersVector struct {
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Answers json.RawMessage `json:"answers"`
	Summary *string         `json:"summary"`
}

func TestAnswersVectors(t *testing.T) {
	for _, v := range readVectors[answersVector](t, "answers.jsonl", 59) {
		t.Run(v.Name, func(t *testing.T) {
			a, err := ParseAnswers(v.Text)
			if isNull(v.Answers) != (err != nil) {
				t.Fatalf("err %v, want answers %s", err, v.Answers)
			}
			if err != nil {
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
