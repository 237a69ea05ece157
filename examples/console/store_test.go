package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readJournal opens the journal and returns it with its lines.
func readJournal(path string) (*journal, []string, error) {
	lines := []string{}
	j, err := openJournal(path, func(line []byte) error {
		lines = append(lines, strings.TrimSuffix(string(line), "\n"))
		if !json.Valid(line) {
			return errors.New("not JSON")
		}
		return nil
	})
	return j, lines, err
}

// holds wants these lines in the journal, and leaves it open.
func holds(t *testing.T, path string, want ...string) *journal {
	t.Helper()
	j, got, err := readJournal(path)
	require.NoError(t, err)
	require.Equal(t, append([]string{}, want...), got)
	return j
}

func TestJournalKeepsAllButATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j := holds(t, path)
	want := []string{`"first"`, `"sécond"`, `"third"`}
	for _, line := range []string{"first", "sécond", "third"} {
		require.NoError(t, j.Append(line))
	}
	require.NoError(t, j.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range len(data) + 1 {
		require.NoError(t, os.WriteFile(path, data[:cut], 0o600))
		whole := slices.Clip(want[:bytes.Count(data[:cut], []byte("\n"))])
		j := holds(t, path, whole...)
		require.NoError(t, j.Append("after"))
		require.NoError(t, j.Close())
		require.NoError(t, holds(t, path, append(whole, `"after"`)...).Close())
	}
}

func TestJournalRefusesOtherDamageAndTouchesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	const damaged = "1\n{\n3\nto"
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
	_, _, err := readJournal(path)
	require.ErrorContains(t, err, "line 2: not JSON")
	got, _ := os.ReadFile(path)
	require.Equal(t, damaged, string(got))
}

func TestJournalTakesManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j := holds(t, path)
	const n = 500
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { assert.NoError(t, j.Append(i)) })
	}
	all.Wait()
	require.NoError(t, j.Close())
	j, got, err := readJournal(path)
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.Len(t, got, n)
	slices.Sort(got)
	require.Len(t, slices.Compact(got), n, "lines are there twice")
}

func TestJournalAcknowledgesNothingThatItCouldNotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j := holds(t, path)
	require.NoError(t, j.Append("kept"))
	readOnly, err := os.Open(path)
	require.NoError(t, err)
	defer j.file.Close()
	j.file = readOnly
	for range 2 {
		require.Error(t, j.Append("lost"))
	}
	require.NoError(t, j.Close())
	require.NoError(t, holds(t, path, `"kept"`).Close())
}
