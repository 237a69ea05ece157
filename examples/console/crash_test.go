package main

import (
	"bufio"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A child is the whole program in a process of its own.
type child struct {
	*site
	cmd        *exec.Cmd
	complaints *strings.Builder // what it logs; read it only after the end
}

func startChild(t *testing.T, folder string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-data", folder}, args...)...)
	cmd.Env = append(os.Environ(), "CLARIFY_CONSOLE_CHILD=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	c := &child{&site{T: t, folder: folder, client: newClient(t)}, cmd, new(strings.Builder)}
	cmd.Stderr = c.complaints
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "Console"); ok {
			c.url = strings.TrimSuffix(strings.TrimSpace(address), "/")
			return c
		}
	}
	cmd.Wait()
	require.FailNow(t, "the program printed no address", c.complaints)
	return nil
}

// stops asks the program to stop, and waits until it has.
func (c *child) stops(signal os.Signal) {
	c.Helper()
	c.cmd.Process.Signal(signal)
	require.NoError(c, c.cmd.Wait(), "the program did not stop gracefully")
}

// The program is killed many times while it writes, and started again. Every
// acknowledged message is stored once and in order, and was done at most once.
func TestKilledWhileWriting(t *testing.T) {
	users, kills := 6, 2
	if long {
		users, kills = 12, 6
	}
	deleteLogs := message(t, choose(askBuckets, "logs"), decide(askDelete, true))
	createLogs := message(t, write(askName, "logs"), choose(askRegion, "nyc"))
	folder := t.TempDir()
	type talker struct {
		id    string
		acked []string // messages
		tried string   // the message that was not acknowledged, if any
	}
	talkers := make([]*talker, users)
	for i := range talkers {
		talkers[i] = &talker{id: rand.Text()}
	}
	for round := range kills + 1 {
		c := startChild(t, folder)
		stored := storedMessages(t, folder)
		for _, k := range talkers {
			got := stored[k.id]
			if k.tried != "" && len(got) == len(k.acked)+1 && got[len(got)-1] == k.tried {
				k.acked = append(k.acked, k.tried) // stored, but not acknowledged
			}
			k.tried = ""
			require.Equal(t, k.acked, got, "round %d", round)
		}
		var all sync.WaitGroup
		var acks atomic.Int64 // in this round
		enough := int64(users + 7*round)
		stop := make(chan bool)
		for _, k := range talkers {
			all.Go(func() {
				post := func(path string, form url.Values, message string) bool {
					k.tried = message
					status, _, _, err := c.send("POST", path, form)
					if err != nil || status != http.StatusSeeOther {
						return false
					}
					if message != "" {
						k.acked = append(k.acked, message)
					}
					k.tried = ""
					if acks.Add(1) == enough {
						if round < kills {
							c.cmd.Process.Kill() // while the others write
						} else {
							close(stop)
						}
					}
					return true
				}
				if len(k.acked) == 0 && !post("/", url.Values{"id": {k.id}}, opening) {
					return
				}
				path := "/c/" + k.id
				for ok := true; ok; {
					select {
					case <-stop:
						return
					default:
					}
					status, page, _, err := c.send("GET", path, nil)
					switch {
					case err != nil || status != http.StatusOK:
						return
					case strings.Contains(page, "Try again"):
						ok = post(path, filled(page, doAgain, nil), "")
					case strings.Contains(page, fieldBuckets):
						ok = post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), deleteLogs)
					case strings.Contains(page, "answer."+askName):
						ok = post(path, answer(page, "answer."+askName, "logs", "answer."+askRegion, "nyc"), createLogs)
					case strings.Contains(lastSaid(page), "deleted logs"):
						ok = post(path, say(page, "create"), "create")
					default:
						ok = post(path, say(page, "make room"), "make room")
					}
				}
			})
		}
		all.Wait()
		require.GreaterOrEqual(t, acks.Load(), enough, "nothing was interrupted")
		if round < kills {
			c.cmd.Wait()
			continue
		}
		for _, k := range talkers { // complete the turn if it was cut
			page := c.get("/c/" + k.id)
			if strings.Contains(page, "Try again") {
				c.post("/c/"+k.id, filled(page, doAgain, nil), http.StatusSeeOther)
			}
			c.hides(c.get("/c/"+k.id), "Try again")
		}
		c.stops(syscall.SIGTERM)
	}
	g := testEngine(t, folder)
	stored := storedMessages(t, folder)
	for _, k := range talkers {
		assert.Equal(t, k.acked, stored[k.id])
		// Each answer did once what it says, in the order of the messages.
		var want []string
		for _, m := range k.acked {
			switch m {
			case deleteLogs:
				want = append(want, "delete logs")
			case createLogs:
				want = append(want, "create logs nyc")
			}
		}
		assert.Equal(t, want, g.changes(k.id), k.id)
	}
}

// lastSaid returns the end of the page, which holds what the agent said last.
func lastSaid(page string) string {
	return page[max(0, strings.LastIndex(page, `class="item say"`)):]
}

func TestTheProgramStopsWhenAsked(t *testing.T) {
	folder := t.TempDir()
	c := startChild(t, folder)
	path := c.first()
	c.shows(c.get(path), "Which buckets can go?")
	c.post(path, answer(c.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	c.stops(os.Interrupt)
	again := startChild(t, folder)
	assert.Equal(t, path, again.first(), "the conversation is another one")
	again.shows(again.get(path), "Done: deleted logs.")
}

// first returns the path that the first page leads to.
func (c *child) first() string {
	c.Helper()
	status, _, location, err := c.send("GET", "/", nil)
	require.NoError(c, err)
	require.Equal(c, http.StatusFound, status)
	return location
}

func TestArgumentsAreChecked(t *testing.T) {
	taken := newSite(t, nil).url
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, args := range [][]string{
		{"-no-such-flag"},
		{"argument"},
		{"-addr", "nowhere"},
		{"-addr", strings.TrimPrefix(taken, "http://")},
		{"-addr", "127.0.0.1:0", "-data", file},
		{"-addr", "127.0.0.1:0", "-engine", "localhost:8080"},
		{"-addr", "127.0.0.1:0", "-engine", "file:///etc/passwd"},
	} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "CLARIFY_CONSOLE_CHILD=1", "TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		assert.EqualError(t, err, "exit status 1", "%q", args)
		assert.NotEmpty(t, out, "%q", args)
	}
}

// An engine that hangs does not keep the program from starting or stopping.
func TestAHangingEngineHoldsNothingUp(t *testing.T) {
	if !long {
		t.Setenv("CLARIFY_CONSOLE_HASTY", "1")
	}
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(engine.Close)
	c := startChild(t, t.TempDir(), "-engine", engine.URL)
	c.shows(c.get(c.first()), "The agent is at work.")
	c.stops(syscall.SIGTERM)
	// The program ended the turn before the turn reached its own limit.
	assert.Contains(t, c.complaints.String(), "context canceled")
}
