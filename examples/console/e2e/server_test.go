package e2e

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	_ "modernc.org/sqlite"
)

// A server is a running Console with its own buckets.
type server struct {
	*testing.T
	url      string
	database string
}

func start(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{T: t, database: filepath.Join(t.TempDir(), "console.db")}
	cmd := exec.Command(program, append([]string{"-addr", "127.0.0.1:0", "-db", s.database}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = t.Output()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		assert.NoError(t, cmd.Wait(), "the Console did not stop gracefully")
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "Console"); ok {
			s.url = strings.TrimSpace(address)
			return s
		}
	}
	require.FailNow(t, "the Console printed no address")
	return nil
}

// did wants exactly these changes in the engine's turns, in all conversations
// together.
func (s *server) did(want ...string) {
	s.Helper()
	db, err := sql.Open("sqlite", "file:"+s.database)
	require.NoError(s, err)
	defer db.Close()
	rows, err := db.Query("SELECT record FROM turn ORDER BY rowid")
	require.NoError(s, err)
	defer rows.Close()
	var got []string
	for rows.Next() {
		var line string
		require.NoError(s, rows.Scan(&line))
		var turn struct {
			Changes []struct{ Do, Bucket, Region, To string }
		}
		require.NoError(s, json.Unmarshal([]byte(line), &turn))
		for _, c := range turn.Changes {
			got = append(got, strings.Join(strings.Fields(fmt.Sprint(c.Do, " ", c.Bucket, " ", c.Region, " ", c.To)), " "))
		}
	}
	require.NoError(s, rows.Err())
	require.Equal(s, want, got)
}

// entitle gives every conversation the title. Each begins with the same message.
func (s *server) entitle(title string) {
	s.Helper()
	db, err := sql.Open("sqlite", "file:"+s.database)
	require.NoError(s, err)
	defer db.Close()
	_, err = db.Exec("UPDATE conversation SET title = ?", title)
	require.NoError(s, err)
}

// A foreign engine sends the same events in every turn. It keeps the last message
// that it got.
type foreign struct {
	*httptest.Server
	mu   sync.Mutex
	last string
}

func newForeign(t *testing.T, events ...clarify.Event) *foreign {
	f := new(foreign)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Message string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.mu.Lock()
		f.last = request.Message
		f.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		for _, ev := range append(slices.Clone(events), clarify.Event{Type: "turn_end"}) {
			w.Write(append(ev.AppendJSON([]byte("data: ")), "\n\n"...))
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// message returns the last message; if it holds answers, without their reference.
func (f *foreign) message() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return regexp.MustCompile(`,"for":"[0-9a-f]{32}"`).ReplaceAllString(f.last, "")
}

func tool(t *testing.T, e clarify.Envelope) clarify.Event {
	t.Helper()
	output, err := e.AppendJSON(nil)
	require.NoError(t, err)
	return clarify.Event{Type: clarify.EventToolEnd, Agent: "platform", Tool: clarify.ToolName, RunID: "1", Output: string(output)}
}

func said(t *testing.T, answers ...clarify.Answer) string {
	t.Helper()
	b, err := clarify.Answers{Answers: answers}.AppendJSON(nil)
	require.NoError(t, err)
	return string(b)
}
