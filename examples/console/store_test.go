package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// readJournal opens the journal and returns it with its lines.
func readJournal(t *testing.T, path string) (*journal, []string, error) {
	t.Helper()
	var lines []string
	j, err := openJournal(path, func(line []byte) error {
		lines = append(lines, strings.TrimSuffix(string(line), "\n"))
		if !json.Valid(line) {
			return fmt.Errorf("not JSON")
		}
		return nil
	})
	return j, lines, err
}

func closeJournal(t *testing.T, j *journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestJournalKeepsAllButATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"first"`, `"sécond"`, `"third"`}
	for _, line := range []string{"first", "sécond", "third"} {
		if err := j.Append(line); err != nil {
			t.Fatal(err)
		}
	}
	closeJournal(t, j)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) + 1 {
		torn := filepath.Join(t.TempDir(), "torn.jsonl")
		if err := os.WriteFile(torn, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := bytes.Count(data[:cut], []byte("\n"))
		j, got, err := readJournal(t, torn)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if !slices.Equal(got, want[:whole]) {
			t.Fatalf("cut at %d: got %q, want %q", cut, got, want[:whole])
		}
		if err := j.Append("after"); err != nil {
			t.Fatal(err)
		}
		closeJournal(t, j)
		j, got, err = readJournal(t, torn)
		if err != nil {
			t.Fatalf("cut at %d, then appended: %v", cut, err)
		}
		closeJournal(t, j)
		if want := append(slices.Clone(want[:whole]), `"after"`); !slices.Equal(got, want) {
			t.Fatalf("cut at %d, then appended: got %q, want %q", cut, got, want)
		}
	}
}

func TestJournalRefusesOtherDamageAndTouchesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	damaged := []byte("1\n{\n3\nto")
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := readJournal(t, path)
	if err == nil || !strings.Contains(err.Error(), "line 2: not JSON") {
		t.Fatalf("got %v, want an error that names line 2", err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, damaged) {
		t.Fatalf("the file is %q now", got)
	}
}

func TestJournalTakesManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	const n = 500
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := j.Append(i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	closeJournal(t, j)
	j, got, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	closeJournal(t, j)
	seen := make(map[string]bool)
	for _, line := range got {
		seen[line] = true
	}
	if len(got) != n || len(seen) != n {
		t.Fatalf("%d lines, %d of them different, want %d", len(got), len(seen), n)
	}
}

func TestJournalAcknowledgesNothingThatItCouldNotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append("kept"); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	writable := j.file
	defer writable.Close()
	j.file = readOnly
	for range 2 {
		if j.Append("lost") == nil {
			t.Fatal("what was not written was acknowledged")
		}
	}
	closeJournal(t, j)
	j, got, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	closeJournal(t, j)
	if want := []string{`"kept"`}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}
