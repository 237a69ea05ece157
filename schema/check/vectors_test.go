package check

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An input is a text and the name of its vector.
type input struct{ name, text string }

// vectors reads a vector file and returns the named field of every line that keep accepts. It fails if
// there is none.
func vectors(t *testing.T, file, field string, keep func(line map[string]json.RawMessage) bool) (all []input) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", file))
	require.NoError(t, err)
	for text := range bytes.Lines(data) {
		var line map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &line))
		if !keep(line) {
			continue
		}
		var name string
		require.NoError(t, json.Unmarshal(line["name"], &name))
		all = append(all, input{file + ": " + name, string(line[field])})
	}
	require.NotEmpty(t, all, file)
	return all
}

func whole(map[string]json.RawMessage) bool { return true }

// faults returns the inputs of faults.jsonl whose member read is one of reads.
func faults(t *testing.T, reads ...string) []input {
	t.Helper()
	all := vectors(t, "faults.jsonl", "input", func(line map[string]json.RawMessage) bool {
		return slices.Contains(reads, strings.Trim(string(line["read"]), `"`))
	})
	for i := range all {
		all[i].text = assemble(t, []byte(all[i].text))
	}
	return all
}

// decoded returns all with every text that is a JSON string replaced by its value.
func decoded(t *testing.T, all []input) []input {
	t.Helper()
	for i, in := range all {
		if strings.HasPrefix(in.text, `"`) {
			all[i].text = assemble(t, []byte(in.text))
		}
	}
	return all
}

// assemble returns the text of the input of a vector; the README of the vectors describes it.
func assemble(t *testing.T, in json.RawMessage) string {
	t.Helper()
	switch in[0] {
	case '"':
		var text string
		require.NoError(t, json.Unmarshal(in, &text))
		return text
	case '[':
		var pieces []json.RawMessage
		require.NoError(t, json.Unmarshal(in, &pieces))
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
	require.NoError(t, json.Unmarshal(in, &piece))
	raw, err := base64.StdEncoding.DecodeString(piece.Base64)
	require.NoError(t, err)
	return strings.Repeat(piece.Repeat, piece.Times) + string(raw)
}
