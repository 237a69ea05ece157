//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() { badDrivers["clarify"] = main }

// TestSignal: a signal ends the command that runs, and what that command started, too. All of them
// hold the same pipe, which ends with the last one.
func TestSignal(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		require.NoError(t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
		var stderr bytes.Buffer
		c := exec.Command(program, "test", "-timeout", "1h", "-engine", `sh -c "trap '' INT TERM; sleep 60 & echo ready >&3; wait"`)
		c.Env = append(os.Environ(), driverVariable+"=clarify")
		c.ExtraFiles = []*os.File{w}
		c.Stderr = &stderr
		require.NoError(t, c.Start())
		w.Close()
		out := bufio.NewReader(r)
		_, err = out.ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, c.Process.Signal(sig))
		_, err = io.ReadAll(out)
		assert.NoError(t, err, "something still runs")
		c.Wait()
		assert.Equal(t, 2, c.ProcessState.ExitCode())
		assert.Equal(t, "clarify test: "+sig.String()+" signal received\n", stderr.String())
	}
}
