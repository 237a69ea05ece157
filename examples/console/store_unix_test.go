//go:build unix

package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a full disk, here a limit on the size of a file, half a line is written.
// It does not stay, and what comes when there is room again is kept.
func TestJournalOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, err := readJournal(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append("before"); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	full := limit
	full.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	lost := j.Append(strings.Repeat("x", 2000))
	small := j.Append("there is room for this")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if lost == nil || small != nil {
		t.Fatalf("got %v and %v, want an error and none", lost, small)
	}
	if err := j.Append("after"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "\"before\"\n\"there is room for this\"\n\"after\"\n"; string(data) != want {
		t.Errorf("the file holds %q, want %q", data, want)
	}
	closeJournal(t, j)
}
