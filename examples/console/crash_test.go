package main

import (
	"bufio"
	"crypto/rand"
	"io"
	mathrand "math/rand/v2"
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
	"time"

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

func startChild(t *testing.T, database string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-db", database}, args...)...)
	cmd.Env = append(os.Environ(), "CLARIFY_CONSOLE_CHILD=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	c := &child{&site{T: t, client: newClient(t)}, cmd, new(strings.Builder)}
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

// Several processes use one database, and are killed while they write, and started
// again. Every acknowledged message is stored once and in order, and was done once,
// although every form is posted twice, and once more until it is acknowledged.
func TestProcessesThatAreKilled(t *testing.T) {
	for name, tt := range map[string]struct {
		database  func(t *testing.T) string
		processes int
	}{
		"sqlite":   {sqlite, 2},
		"postgres": {postgres, 4},
	} {
		t.Run(name, func(t *testing.T) {
			users, messages, kills, pause := 8, 6, 8, 100*time.Millisecond
			if long {
				tt.processes, users, messages, kills, pause = tt.processes+2, 200, 20, 60, time.Second
			}
			database := tt.database(t)
			processes := make([]atomic.Pointer[child], tt.processes)
			for i := range processes {
				processes[i].Store(startChild(t, database))
			}
			talkers := make([]*talker, users)
			var all sync.WaitGroup
			clients := make(chan bool, 50)
			for i := range talkers {
				k := &talker{T: t, id: rand.Text(), random: mathrand.New(mathrand.NewPCG(1, uint64(i))), processes: processes}
				talkers[i] = k
				all.Go(func() {
					for len(k.acked) < messages && !t.Failed() {
						clients <- true
						k.step()
						<-clients
					}
				})
			}
			for i := range kills {
				time.Sleep(pause)
				victim := &processes[i%len(processes)]
				victim.Load().cmd.Process.Kill()
				victim.Load().cmd.Wait()
				victim.Store(startChild(t, database))
			}
			all.Wait()
			for _, k := range talkers {
				k.settle()
			}
			for i := range processes {
				processes[i].Load().stops(syscall.SIGTERM)
			}
			s := testStore(t, database)
			stored, failed := storedMessages(t, s), 0
			for _, k := range talkers {
				assert.Equal(t, k.acked, stored[k.id])
				assert.Equal(t, k.did, s.changes(t, k.id), k.id)
				failed += k.failed
			}
			t.Logf("%d messages, %d posts that failed", users*messages, failed)
			assert.Positive(t, failed, "nothing was interrupted")
		})
	}
}

// A talker is a user, whose browser may reach any of the processes.
type talker struct {
	*testing.T
	id         string
	random     *mathrand.Rand
	processes  []atomic.Pointer[child]
	acked, did []string // the messages, and what they do
	failed     int      // posts
}

// send sends a form to one of the processes.
func (k *talker) send(method, path string, form url.Values) (status int, page, location string, err error) {
	return k.processes[k.random.IntN(len(k.processes))].Load().send(method, path, form)
}

// post posts a form until it is acknowledged, two times at least.
func (k *talker) post(path string, form url.Values, message string, did ...string) {
	for acks, tries := 0, 0; acks < 2; tries++ {
		status, _, location, err := k.send("POST", path, form)
		switch {
		case err != nil || status == http.StatusInternalServerError:
			k.failed++
			time.Sleep(10 * time.Millisecond) // a process that was killed needs a moment
		case !assert.Equal(k, http.StatusSeeOther, status) || !assert.NotContains(k, location, "refused", message) || !assert.Less(k, tries, 10_000):
			return
		default:
			acks++
		}
	}
	if message != "" {
		k.acked, k.did = append(k.acked, message), append(k.did, did...)
	}
}

// settle waits for the last turn, and completes it if it was cut.
func (k *talker) settle() {
	for range 6000 {
		_, page, _, err := k.send("GET", "/c/"+k.id, nil)
		require.NoError(k, err)
		switch {
		case strings.Contains(page, "Try again"):
			k.post("/c/"+k.id, filled(page, doAgain, nil), "")
		case strings.Contains(page, "data-running"):
			time.Sleep(10 * time.Millisecond)
		default:
			return
		}
	}
	require.Fail(k, "the turn does not end")
}

// step sends the next message, or completes a turn that was cut.
func (k *talker) step() {
	path := "/c/" + k.id
	if len(k.acked) == 0 {
		k.post("/", url.Values{"id": {k.id}}, opening)
		return
	}
	status, page, _, err := k.send("GET", path, nil)
	switch {
	case err != nil || status != http.StatusOK || strings.Contains(page, "data-running"):
		time.Sleep(10 * time.Millisecond)
	case strings.Contains(page, "Try again"):
		k.post(path, filled(page, doAgain, nil), "")
	case strings.Contains(page, fieldBuckets):
		k.post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), message(k.T, choose(askBuckets, "logs"), decide(askDelete, true)), "delete logs")
	case strings.Contains(page, "answer."+askName):
		k.post(path, answer(page, "answer."+askName, "logs", "answer."+askRegion, "nyc"), message(k.T, write(askName, "logs"), choose(askRegion, "nyc")), "create logs nyc")
	case strings.Contains(lastSaid(page), "deleted logs"):
		k.post(path, say(page, "create"), "create")
	default:
		k.post(path, say(page, "make room"), "make room")
	}
}

// lastSaid returns the end of the page, which holds what the agent said last.
func lastSaid(page string) string {
	return page[max(0, strings.LastIndex(page, `class="item say"`)):]
}

func TestTheProgramStopsWhenAsked(t *testing.T) {
	database := filepath.Join(t.TempDir(), "console.db")
	c := startChild(t, database)
	path := c.first()
	c.shows(c.get(path), "Which buckets can go?")
	c.post(path, answer(c.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	c.stops(os.Interrupt)
	again := startChild(t, database)
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
	taken, cache := newSite(t, nil).url, t.TempDir()
	for _, args := range [][]string{
		{"-no-such-flag"},
		{"argument"},
		{"-addr", "nowhere"},
		{"-addr", strings.TrimPrefix(taken, "http://")},
		{"-addr", "127.0.0.1:0", "-db", t.TempDir()},
		{"-addr", "127.0.0.1:0", "-engine", "localhost:8080"},
		{"-addr", "127.0.0.1:0", "-engine", "file:///etc/passwd"},
	} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "CLARIFY_CONSOLE_CHILD=1", "XDG_CACHE_HOME="+cache)
		out, err := cmd.CombinedOutput()
		assert.EqualError(t, err, "exit status 1", "%q", args)
		assert.NotEmpty(t, out, "%q", args)
	}
	left, err := os.ReadDir(cache)
	require.NoError(t, err)
	assert.Empty(t, left, "the program made something before it looked at its arguments")
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
	c := startChild(t, filepath.Join(t.TempDir(), "console.db"), "-engine", engine.URL)
	c.shows(c.get(c.first()), "The agent is at work.")
	c.stops(syscall.SIGTERM)
	// The program ended the turn before the turn reached its own limit.
	assert.Contains(t, c.complaints.String(), "context canceled")
}
