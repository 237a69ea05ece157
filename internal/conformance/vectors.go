package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The vectors, a type for each file. testdata/vectors/README.md says what they
// mean.
type (
	// An EngineVector is a line of engine.jsonl.
	EngineVector struct {
		Name     string          `json:"name"`
		Args     json.RawMessage `json:"args"`
		OK       bool            `json:"ok"`
		Envelope json.RawMessage `json:"envelope,omitempty"`
	}
	// A ConsoleVector is a line of console.jsonl.
	ConsoleVector struct {
		Name     string          `json:"name"`
		Output   OutputText      `json:"output"`
		Envelope json.RawMessage `json:"envelope"` // null if there is none
	}
	// An AnswersVector is a line of answers.jsonl.
	AnswersVector struct {
		Name    string          `json:"name"`
		Text    string          `json:"text"`
		Answers json.RawMessage `json:"answers"` // null if there are none
		Summary *string         `json:"summary,omitempty"`
	}
	// A FaultVector is a line of faults.jsonl.
	FaultVector struct {
		Name    string `json:"name"`
		Read    string `json:"read"`
		From    string `json:"from"`
		Why     string `json:"why"`
		Input   Input  `json:"input"`
		Refusal string `json:"refusal,omitempty"`
		Fault   *Fault `json:"fault,omitempty"`
	}
	// A ReplyVector is a line of reply.jsonl.
	ReplyVector struct {
		Name     string          `json:"name"`
		Envelope json.RawMessage `json:"envelope"`
		Message  string          `json:"message"`
		Reply    json.RawMessage `json:"reply"`
	}
)

// A Fault is what a FaultVector finds.
type Fault struct {
	Part clarify.Part `json:"part,omitempty"`
	Path string       `json:"path"`
	Code clarify.Code `json:"code"`
}

// EngineVectors returns the vectors of engine.jsonl. Like the functions below it
// fails the test unless all are there and each is well formed.
func EngineVectors(tb testing.TB) []EngineVector {
	return readVectors[EngineVector](tb, "engine.jsonl", 383)
}

// ConsoleVectors returns the vectors of console.jsonl.
func ConsoleVectors(tb testing.TB) []ConsoleVector {
	return readVectors[ConsoleVector](tb, "console.jsonl", 358)
}

// AnswersVectors returns the vectors of answers.jsonl.
func AnswersVectors(tb testing.TB) []AnswersVector {
	return readVectors[AnswersVector](tb, "answers.jsonl", 59)
}

// FaultVectors returns the vectors of faults.jsonl.
func FaultVectors(tb testing.TB) []FaultVector {
	return readVectors[FaultVector](tb, "faults.jsonl", 313)
}

// ReplyVectors returns the vectors of reply.jsonl.
func ReplyVectors(tb testing.TB) []ReplyVector {
	return readVectors[ReplyVector](tb, "reply.jsonl", 723)
}

// Path returns the path of a file of the repository, from its root.
func Path(tb testing.TB, elem ...string) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "vectors")); err == nil {
			return filepath.Join(dir, filepath.Join(elem...))
		}
	}
	tb.Fatal("no directory above this one has the vectors")
	return ""
}

// ReadFile returns the bytes of a file of the repository, whose path starts at
// its root.
func ReadFile(tb testing.TB, elem ...string) []byte {
	tb.Helper()
	data, err := os.ReadFile(Path(tb, elem...))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func readVectors[T any](tb testing.TB, name string, want int) []T {
	tb.Helper()
	vectors, err := decodeVectors[T](ReadFile(tb, "testdata", "vectors", name), want)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return vectors
}

// decodeVectors decodes JSON objects, one a line. A vector that nobody reads
// proves nothing, so it refuses another number of lines than want and what
// CheckKeys refuses. A vector's name has to be its own.
func decodeVectors[T any](data []byte, want int) ([]T, error) {
	var vectors []T
	names := map[string]bool{}
	for line := range bytes.Lines(data) {
		var v T
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		err := dec.Decode(&v)
		if err == nil {
			err = CheckKeys[T](line)
		}
		var named struct{ Name string }
		if err == nil {
			err = json.Unmarshal(line, &named)
		}
		if err == nil && (named.Name == "" || names[named.Name]) {
			err = fmt.Errorf("the name %q is blank or taken", named.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(vectors)+1, err)
		}
		names[named.Name] = true
		vectors = append(vectors, v)
	}
	if len(vectors) != want {
		return nil, fmt.Errorf("%d vectors, want %d", len(vectors), want)
	}
	return vectors, nil
}

// CheckKeys compares the keys of a JSON object with the JSON tags of the struct
// T. It refuses a key that T does not have, one that is there twice or only in
// another case, and an object without a key that T has and does not mark
// omitempty.
func CheckKeys[T any](object []byte) error {
	v, err := Parse(string(object))
	if err != nil {
		return err
	}
	got := map[string]int{}
	for _, key := range v.keys {
		got[key]++
	}
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		key, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if n := got[key]; n > 1 || n == 0 && options != "omitempty" {
			return fmt.Errorf("key %q is there %d times", key, n)
		}
		delete(got, key)
	}
	if len(got) > 0 {
		return fmt.Errorf("unknown keys %q", slices.Sorted(maps.Keys(got)))
	}
	return nil
}

// An OutputText is what a tool returned. In a vector it is a string, or any other
// JSON value, which stands for its text.
type OutputText string

// UnmarshalJSON reads an output as a vector has it.
func (out *OutputText) UnmarshalJSON(data []byte) error {
	text, ok := asString(data)
	if !ok {
		text = string(data)
	}
	*out = OutputText(text)
	return nil
}

func asString(data []byte) (s string, ok bool) {
	return s, len(data) > 0 && data[0] == '"' && json.Unmarshal(data, &s) == nil
}

// An Input is the text of a FaultVector: in the vector a string, or pieces of one
// that are put together.
type Input string

// UnmarshalJSON reads an input as a vector has it.
func (in *Input) UnmarshalJSON(data []byte) error {
	if text, ok := asString(data); ok {
		*in = Input(text)
		return nil
	}
	var pieces []json.RawMessage
	if err := json.Unmarshal(data, &pieces); err != nil {
		return err
	}
	if len(pieces) == 0 {
		return errors.New("an input of no pieces")
	}
	var whole []byte
	for _, piece := range pieces {
		b, err := readPiece(piece)
		if err != nil {
			return fmt.Errorf("piece %s: %w", piece, err)
		}
		whole = append(whole, b...)
	}
	*in = Input(whole)
	return nil
}

func readPiece(data []byte) ([]byte, error) {
	if text, ok := asString(data); ok {
		return []byte(text), nil
	}
	var piece struct {
		Repeat string
		Times  int
		Base64 string
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&piece); err != nil {
		return nil, err
	}
	repeats := piece.Repeat != "" && piece.Times > 0
	switch {
	case repeats == (piece.Base64 != ""):
		return nil, errors.New("neither one generator nor the other")
	case repeats:
		return bytes.Repeat([]byte(piece.Repeat), piece.Times), nil
	}
	return base64.StdEncoding.DecodeString(piece.Base64)
}
