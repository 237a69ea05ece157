package check

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An input is a text with the name of the vector that it is from.
type input struct{ name, text string }

// vectors returns the field of every line of a vector file that keep takes. It fails if there is
// none.
func vectors(t *testing.T, file, field string, keep func(line map[string]json.RawMessage) bool) (all []input) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	for text := range bytes.Lines(data) {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		if !keep(line) {
			continue
		}
		var name string
		if err := json.Unmarshal(line["name"], &name); err != nil {
			t.Fatal(err)
		}
		all = append(all, input{file + ": " + name, string(line[field])})
	}
	if len(all) == 0 {
		t.Fatalf("%s has no vector to read", file)
	}
	return all
}

func whole(map[string]json.RawMessage) bool { return true }

// faults returns the inputs of faults.jsonl that are read as one of the given.
func faults(t *testing.T, reads ...string) []input {
	t.Helper()
	all := vectors(t, "faults.jsonl", "input", func(line map[string]json.RawMessage) bool {
		for _, read := range reads {
			if string(line["read"]) == `"`+read+`"` {
				return true
			}
		}
		return false
	})
	for i := range all {
		all[i].text = assemble(t, []byte(all[i].text))
	}
	return all
}

// decoded returns the values of inputs that are JSON strings; other values stand for themselves.
func decoded(t *testing.T, all []input) []input {
	t.Helper()
	for i, in := range all {
		if strings.HasPrefix(in.text, `"`) {
			all[i].text = assemble(t, []byte(in.text))
		}
	}
	return all
}

// assemble makes the text of the input of a vector, as the README of the vectors has it.
func assemble(t *testing.T, in json.RawMessage) string {
	t.Helper()
	switch in[0] {
	case '"':
		var text string
		if err := json.Unmarshal(in, &text); err != nil {
			t.Fatal(err)
		}
		return text
	case '[':
		var pieces []json.RawMessage
		if err := json.Unmarshal(in, &pieces); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, piece := range pieces {
			b.WriteString(assemble(t, piece))
		}
		return b.String()
	}
	var piece struct {
		Repeat string
		Times  int
		Base64 string
	}
	if err := json.Unmarshal(in, &piece); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(piece.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Repeat(piece.Repeat, piece.Times) + string(raw)
}
