//go:build unix

package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// On a full disk, half a line is written. It is cut off, and a line that comes
// when there is room again is kept. The disk here is a limit on the file's size.
func TestJournalOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j := holds(t, path)
	require.NoError(t, j.Append("before"))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	full := limit
	full.Cur = 1000
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	lost := j.Append(strings.Repeat("x", 2000))
	small := j.Append("there is room for this")
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.Error(t, lost)
	require.NoError(t, small)
	require.NoError(t, j.Append("after"))
	require.NoError(t, j.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "\"before\"\n\"there is room for this\"\n\"after\"\n", string(data))
}
