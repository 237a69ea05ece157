package main

import (
	"bytes"
	"errors"
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
	"github.com/creack/pty"
)

// helper in the environment makes the test binary the command.
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

const patience = time.Minute

// A session is the command on a pseudo-terminal, with a terminal emulator that
// answers what the command asks of its terminal, as a real one does.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	stdout bytes.Buffer // not on the terminal
	exited chan error

	mu      sync.Mutex
	changed sync.Cond
	screen  *vt.Emulator
	raw     []byte // all that the command wrote to the terminal
}

// command returns the command for the envelope, without a terminal.
func command(t *testing.T, envelope string, env ...string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "envelope.json")
	if err := os.WriteFile(file, []byte(envelope), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], file)
	cmd.Env = append([]string{helper + "=1", "TERM=xterm-256color", "GOCOVERDIR=" + t.TempDir()}, env...)
	return cmd
}

// start runs the command on a terminal of 80 columns and 24 rows.
func start(t *testing.T, envelope string, env ...string) *session {
	t.Helper()
	return startSize(t, pty.Winsize{Rows: 24, Cols: 80}, envelope, env...)
}

func startSize(t *testing.T, size pty.Winsize, envelope string, env ...string) *session {
	t.Helper()
	s := newSession(t, envelope, env...)
	s.run(size)
	return s
}

func newSession(t *testing.T, envelope string, env ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: command(t, envelope, env...), screen: vt.NewEmulator(80, 24), exited: make(chan error, 1)}
	s.changed.L = &s.mu
	s.cmd.Stdout = &s.stdout
	return s
}

// run starts the command with the terminal wherever it has nothing else.
func (s *session) run(size pty.Winsize) {
	t := s.t
	t.Helper()
	blocking, err := pty.StartWithSize(s.cmd, &size)
	if err != nil {
		t.Fatal(err)
	}
	s.pty = nonblocking(t, blocking)
	var reading sync.WaitGroup
	reading.Go(func() {
		for b := make([]byte, 4096); ; {
			n, err := s.pty.Read(b)
			s.mu.Lock()
			s.raw = append(s.raw, b[:n]...)
			s.screen.Write(b[:n])
			s.changed.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return // the command has closed its end
			}
		}
	})
	go io.Copy(s.pty, s.screen)
	go func() {
		err := s.cmd.Wait()
		reading.Wait()
		s.exited <- err
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.pty.Close()
		s.screen.InputPipe().(io.Closer).Close()
	})
}

// nonblocking returns f as a file that can be closed while it is read.
func nonblocking(t *testing.T, f *os.File) *os.File {
	t.Helper()
	defer f.Close()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd) // or another command keeps the terminal open
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// sees waits until the text stands on the screen.
func (s *session) sees(text string) {
	s.t.Helper()
	s.await(text, func() string { return s.screen.String() })
}

// typesWhenWritten sends keystrokes once the command has written the text.
func (s *session) typesWhenWritten(text, keys string) {
	s.t.Helper()
	s.await(text, func() string { return string(s.raw) })
	s.types(keys)
}

func (s *session) await(text string, in func() string) {
	s.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		s.mu.Lock()
		late = true
		s.changed.Broadcast()
		s.mu.Unlock()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(in(), text) {
		if late {
			s.t.Fatalf("%q is not in:\n%s", text, in())
		}
		s.changed.Wait()
	}
}

// show returns what stands on the screen now.
func (s *session) show() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// types sends keystrokes.
func (s *session) types(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if _, err := s.pty.WriteString(k); err != nil {
			s.t.Fatal(err)
		}
	}
}

// ends waits for the command and returns what it wrote to its standard output
// and its exit status, which is -1 after a signal.
func (s *session) ends() (stdout string, status int) {
	s.t.Helper()
	select {
	case err := <-s.exited:
		return s.stdout.String(), statusOf(s.t, err)
	case <-time.After(patience):
		s.t.Fatalf("the command does not end:\n%s", s.show())
		return "", 0
	}
}

// written returns all that the command wrote to the terminal.
func (s *session) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.raw)
}

func (s *session) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func statusOf(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}
