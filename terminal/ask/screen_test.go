package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// helper, set in the environment, makes the test binary run as the command.
const helper = "CLARIFY_ASK_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helper) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	enter = "\r"
	ctrlC = "\x03"
	ctrlD = "\x04"
	ctrlE = "\x05"
	ctrlJ = "\n"
	down  = "\x1b[B"
	space = " "
)

// A result is what the command wrote, and its exit status.
type result struct {
	stdout, stderr string
	status         int // -1 after a signal
}

// isSilent checks that the command sent no message, and its reason.
func (r result) isSilent(t *testing.T, status int, reason string) {
	t.Helper()
	assert.Empty(t, r.stdout)
	assert.Equal(t, status, r.status)
	assert.Contains(t, r.stderr, reason)
}

// holds checks that the message holds exactly the answers, "" for no message,
// and that an engine finds nothing wrong with it. It returns the ids that the
// engine misses.
func (r result) holds(t *testing.T, envelope, answers string, proceed bool) (missing string) {
	t.Helper()
	if answers == "" {
		r.isSilent(t, 1, "nothing was answered")
		return ""
	}
	require.Equal(t, `{"protocol":"appwrite.clarify/v1","answers":[`+answers+"]}\n", r.stdout)
	require.Zero(t, r.status)
	e, err := clarify.Parse(envelope)
	require.NoError(t, err)
	reply := e.Read(r.stdout)
	assert.Empty(t, reply.Violations())
	assert.Equal(t, clarify.SourceStructured, reply.Source())
	assert.Equal(t, proceed, reply.Proceed())
	return strings.Join(reply.Missing(), " ")
}

// command returns the command for the envelope, without a terminal. It is
// killed if it does not end within a minute.
func command(t *testing.T, envelope string, env ...string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "envelope.json")
	require.NoError(t, os.WriteFile(file, []byte(envelope), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], file)
	cmd.Env = append([]string{helper + "=1", "TERM=xterm-256color", "GOCOVERDIR=" + t.TempDir()}, env...)
	return cmd
}

// pipe runs the command without a terminal.
func pipe(t *testing.T, envelope string, input io.Reader) result {
	t.Helper()
	cmd := command(t, envelope)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &stdout, &stderr
	status := statusOf(t, cmd.Run())
	return result{stdout.String(), stderr.String(), status}
}

func statusOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.NotEqual(t, "signal: killed", exit.Error(), "the command did not end")
	return exit.ExitCode()
}

// A session is the command on a pseudo-terminal. A terminal emulator answers
// what the command asks of its terminal, as a real one does.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	stdout bytes.Buffer // not on the terminal
	exited chan error

	mu      sync.Mutex
	changed sync.Cond
	screen  *vt.Emulator
	raw     []byte // everything that the command wrote to the terminal
	closed  bool   // it writes no more
}

// A step is a text to wait for on the screen, and the keys to type then.
type step struct{ sees, types string }

// start runs the command on a terminal of 80 columns and 24 rows.
func start(t *testing.T, envelope string, env ...string) *session {
	t.Helper()
	s := newSession(t, envelope, env...)
	s.run(24, 80)
	return s
}

func newSession(t *testing.T, envelope string, env ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: command(t, envelope, env...), screen: vt.NewEmulator(80, 24), exited: make(chan error, 1)}
	s.changed.L = &s.mu
	s.cmd.Stdout = &s.stdout
	return s
}

// run starts the command. The terminal is each of its streams that is not set.
func (s *session) run(rows, columns uint16) {
	s.t.Helper()
	blocking, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: rows, Cols: columns})
	require.NoError(s.t, err)
	s.pty = nonblocking(s.t, blocking)
	var reading sync.WaitGroup
	reading.Go(func() {
		for b := make([]byte, 4096); !s.closed; {
			n, err := s.pty.Read(b)
			s.mu.Lock()
			s.raw = append(s.raw, b[:n]...)
			s.screen.Write(b[:n])
			s.closed = err != nil // the command has closed its end
			s.changed.Broadcast()
			s.mu.Unlock()
		}
	})
	go io.Copy(s.pty, s.screen)
	go func() {
		err := s.cmd.Wait()
		reading.Wait()
		s.exited <- err
	}()
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("the screen:\n%s", s.show())
		}
		s.pty.Close()
		s.screen.InputPipe().(io.Closer).Close()
	})
}

// nonblocking returns f as a file that can be closed during a read.
func nonblocking(t *testing.T, f *os.File) *os.File {
	t.Helper()
	defer f.Close()
	fd, err := syscall.Dup(int(f.Fd()))
	require.NoError(t, err)
	syscall.CloseOnExec(fd) // or another command keeps the terminal open
	require.NoError(t, syscall.SetNonblock(fd, true))
	return os.NewFile(uintptr(fd), f.Name())
}

// follows waits for the text of each step on the screen, then types its keys.
func (s *session) follows(steps ...step) {
	s.t.Helper()
	for _, step := range steps {
		s.await(step.sees, func() string { return s.screen.String() })
		s.types(step.types)
	}
}

// typesWhenWritten waits until the command has written the text.
func (s *session) typesWhenWritten(text, keys string) {
	s.t.Helper()
	s.await(text, func() string { return string(s.raw) })
	s.types(keys)
}

func (s *session) await(text string, in func() string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(in(), text) {
		require.False(s.t, s.closed, "%q is not in:\n%s", text, in())
		s.changed.Wait()
	}
}

func (s *session) types(keys string) {
	s.t.Helper()
	_, err := s.pty.WriteString(keys)
	require.NoError(s.t, err)
}

// show returns what is on the screen now.
func (s *session) show() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// ends waits for the command.
func (s *session) ends() result {
	s.t.Helper()
	status := statusOf(s.t, <-s.exited)
	return result{s.stdout.String(), string(s.raw), status}
}
