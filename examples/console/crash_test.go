package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A child is the whole program in a process of its own.
type child struct {
	*site
	cmd *exec.Cmd
}

func startChild(t *testing.T, folder string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-data", folder}, args...)...)
	cmd.Env = append(os.Environ(), "CLARIFY_CONSOLE_CHILD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{&site{T: t, folder: folder}, cmd}
	c.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(c.client.CloseIdleConnections)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "Console"); ok {
			c.url = strings.TrimSuffix(strings.TrimSpace(address), "/")
			return c
		}
	}
	cmd.Wait()
	t.Fatalf("the program printed no address: %s", complaints.String())
	return nil
}

// The program is killed while it writes, over and over, and started again. Every
// acknowledged message is there, once and in order, and was done at most once.
func TestKilledWhileWriting(t *testing.T) {
	const users, kills = 12, 6
	folder := t.TempDir()
	type talker struct {
		id    string
		acked []string // messages
		tried string   // the one that was not acknowledged, if any
	}
	talkers := make([]*talker, users)
	for i := range talkers {
		talkers[i] = &talker{id: rand.Text()}
	}
	acknowledged := 0
	for round := range kills + 1 {
		c := startChild(t, folder)
		stored := storedMessages(t, folder)
		for _, k := range talkers {
			got := stored[k.id]
			if k.tried != "" && len(got) == len(k.acked)+1 && got[len(got)-1] == k.tried {
				k.acked = append(k.acked, k.tried) // written, but not told
			}
			k.tried = ""
			if !slices.Equal(got, k.acked) {
				t.Fatalf("round %d, %s: stored %q, acknowledged %q", round, k.id, got, k.acked)
			}
		}
		var all sync.WaitGroup
		var acks atomic.Int64 // in this round
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
					acks.Add(1)
					return true
				}
				if len(k.acked) == 0 && !post("/", url.Values{"id": {k.id}}, opening) {
					return
				}
				path := "/c/" + k.id
				for {
					select {
					case <-stop:
						return
					default:
					}
					status, page, _, err := c.send("GET", path, nil)
					ok := err == nil && status == http.StatusOK
					switch {
					case !ok:
						return
					case strings.Contains(page, "Try again"):
						ok = post(path, filled(page, doAgain, nil), "")
					case strings.Contains(page, fieldBuckets):
						ok = post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed),
							message(t, choose(askBuckets, "logs"), decide(askDelete, true)))
					case strings.Contains(page, "answer."+askName):
						ok = post(path, answer(page, "answer."+askName, "logs", "answer."+askRegion, "nyc"),
							message(t, write(askName, "logs"), choose(askRegion, "nyc")))
					case strings.Contains(lastSaid(page), "deleted logs"):
						ok = post(path, say(page, "create"), "create")
					default:
						ok = post(path, say(page, "make room"), "make room")
					}
					if !ok {
						return
					}
				}
			})
		}
		for end := time.Now().Add(time.Minute); acks.Load() < int64(users+7*round) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if round < kills {
			if err := c.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			all.Wait()
			c.cmd.Wait()
			continue
		}
		close(stop)
		all.Wait()
		for _, k := range talkers { // whatever was cut is told to its end
			page := c.get("/c/" + k.id)
			for strings.Contains(page, "Try again") {
				c.post("/c/"+k.id, filled(page, doAgain, nil), http.StatusSeeOther)
				page = c.get("/c/" + k.id)
			}
		}
		c.cmd.Process.Signal(syscall.SIGTERM)
		if err := c.cmd.Wait(); err != nil {
			t.Fatalf("the program did not stop gracefully: %v", err)
		}
	}
	g := testEngine(t, folder)
	stored := storedMessages(t, folder)
	for _, k := range talkers {
		if !slices.Equal(stored[k.id], k.acked) {
			t.Errorf("%s: stored %q, acknowledged %q", k.id, stored[k.id], k.acked)
		}
		acknowledged += len(k.acked)
		// Each answer did what it says, once: the world says so in its order.
		var want []string
		for _, m := range k.acked {
			switch m {
			case message(t, choose(askBuckets, "logs"), decide(askDelete, true)):
				want = append(want, "delete logs")
			case message(t, write(askName, "logs"), choose(askRegion, "nyc")):
				want = append(want, "create logs nyc")
			}
		}
		if got := g.changes(k.id); !slices.Equal(got, want) {
			t.Errorf("%s: did %q, want %q", k.id, got, want)
		}
	}
	if acknowledged < users*kills {
		t.Errorf("only %d messages were acknowledged: nothing was interrupted", acknowledged)
	}
	t.Logf("%d messages acknowledged, killed %d times", acknowledged, kills)
}

// lastSaid is the end of the page: what the agent said last.
func lastSaid(page string) string {
	return page[max(0, strings.LastIndex(page, `class="item say"`)):]
}

func TestTheProgramStopsWhenAsked(t *testing.T) {
	folder := t.TempDir()
	c := startChild(t, folder)
	if page := c.get(c.first()); !strings.Contains(page, "Which buckets can go?") {
		t.Error("the first page holds no question")
	}
	path := c.first()
	c.post(path, answer(c.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	c.cmd.Process.Signal(os.Interrupt)
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	again := startChild(t, folder)
	if again.first() != path {
		t.Error("the conversation is another one")
	}
	again.shows(again.get(path), "Done: deleted logs.")
	again.cmd.Process.Kill()
	again.cmd.Wait()
}

// first is where the first page leads to.
func (c *child) first() string {
	c.Helper()
	status, _, location, err := c.send("GET", "/", nil)
	if err != nil || status != http.StatusFound {
		c.Fatalf("GET /: status %d, %v", status, err)
	}
	return location
}

func TestArgumentsAreChecked(t *testing.T) {
	taken := newSite(t, nil).url
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || len(out) == 0 {
			t.Errorf("%q: %v, %q", args, err, out)
		}
	}
}

// An engine that hangs does not keep the program from starting, nor from
// stopping.
func TestAHangingEngineHoldsNothingUp(t *testing.T) {
	t.Parallel()
	release := make(chan bool)
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer engine.Close()
	defer close(release)
	c := startChild(t, t.TempDir(), "-engine", engine.URL)
	c.shows(c.get(c.first()), "The agent is at work.")
	begun := time.Now()
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > turnTimeout/2 {
		t.Errorf("it took %v to stop", took)
	}
}
