package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// sqlite returns the name of a new database.
func sqlite(t *testing.T) string { return filepath.Join(t.TempDir(), "console.db") }

// A cluster is the Postgres of these tests.
type cluster struct {
	once    sync.Once
	err     error
	stop    func()
	address string
	mu      sync.Mutex
	count   int
}

var testCluster cluster

// postgres returns the address of a new database.
func postgres(t *testing.T) string {
	t.Helper()
	c := &testCluster
	c.once.Do(func() { c.err = c.start() })
	if c.err != nil && os.Getenv("CI") == "" {
		t.Skip("no Postgres (Debian's package postgresql): ", c.err)
	}
	require.NoError(t, c.err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	db, err := sql.Open("pgx", c.address+"postgres")
	require.NoError(t, err)
	defer db.Close()
	name := fmt.Sprint("test", c.count)
	_, err = db.Exec("CREATE DATABASE " + name)
	require.NoError(t, err)
	return c.address + name
}

// start starts Postgres on a free port, in a folder of its own.
func (c *cluster) start() error {
	folder, err := os.MkdirTemp("", "clarify-postgres-")
	if err != nil {
		return err
	}
	c.stop = func() { os.RemoveAll(folder) }
	var as []string // it refuses to run as root
	if os.Getuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, _ := strconv.Atoi(owner.Uid)
		if err := os.Chown(folder, uid, -1); err != nil {
			return err
		}
		as = []string{"runuser", "-u", "postgres", "--"}
	}
	run := func(program string, args ...string) error {
		path, err := exec.LookPath(program)
		if err != nil { // Debian keeps them out of the way
			found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
			if len(found) == 0 {
				return err
			}
			path = found[len(found)-1]
		}
		args = append(append(as[:len(as):len(as)], path), args...)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", program, err, out)
		}
		return nil
	}
	data := filepath.Join(folder, "data")
	if err := run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C"); err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	c.address = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/", port)
	c.stop = func() {
		run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
		os.RemoveAll(folder)
	}
	return run("pg_ctl", "-D", data, "-l", filepath.Join(folder, "log"), "-w", "-o", fmt.Sprintf("-p %d -k %s -h 127.0.0.1 -c max_connections=300", port, folder), "start")
}

// onBoth runs the test with both databases.
func onBoth(t *testing.T, test func(t *testing.T, name string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqlite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres(t)) })
}

func TestAppend(t *testing.T) {
	onBoth(t, func(t *testing.T, name string) {
		s, ctx := testStore(t, name), t.Context()
		first, second := entry{Message: "one \x00 <&> \u2028 'x' \\"}, entry{Event: &clarify.Event{Type: eventSay, Output: "two"}}
		none, err := s.timeline(ctx, "a", 0)
		require.NoError(t, err)
		assert.Empty(t, none)
		assert.Equal(t, errGone, s.append(ctx, "a", 1, second))
		require.NoError(t, s.append(ctx, "a", 0, first))
		assert.Equal(t, errTaken, s.append(ctx, "a", 0, second))
		assert.Equal(t, errTaken, s.append(ctx, "a", 0, first, second), "all or none")
		require.NoError(t, s.append(ctx, "a", 1, second))
		require.NoError(t, s.append(ctx, "b", 0, second))
		got, err := testStore(t, name).timeline(ctx, "a", 0)
		require.NoError(t, err)
		assert.Equal(t, []entry{first, second}, got)

		require.NoError(t, s.forget(ctx, "a"))
		assert.Equal(t, errGone, s.append(ctx, "a", 2, second))
		assert.Equal(t, errGone, s.append(ctx, "a", 0, second), "it begins again")
		for id, want := range map[string]int{"a": 0, "b": 1} {
			got, err := s.timeline(ctx, id, 0)
			require.NoError(t, err)
			assert.Len(t, got, want, id)
		}

		// Of many that append at once, one does.
		var all sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs {
			all.Go(func() { errs[i] = s.append(ctx, "b", 1, entry{Message: fmt.Sprint(i)}) })
		}
		all.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else {
				assert.Equal(t, errTaken, err)
			}
		}
		assert.Equal(t, 1, done)
	})
}

func TestSaveTurn(t *testing.T) {
	onBoth(t, func(t *testing.T, name string) {
		s, ctx := testStore(t, name), t.Context()
		rec := turnRecord{Conversation: "a", Turn: 1, Message: "hello", Talk: []byte("{}")}
		require.NoError(t, s.saveTurn(ctx, rec, 0, firstBuckets()))
		assert.Equal(t, errSaved, s.saveTurn(ctx, rec, 0, nil))
		_, got, err := s.last(ctx, "a")
		require.NoError(t, err)
		assert.Equal(t, firstBuckets(), got, "somebody who came too late changed something")

		// Of many that know the same last turn, one saves the next, whatever its number is.
		var all sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs {
			all.Go(func() {
				rec := turnRecord{Conversation: "a", Turn: 2 + i%3, Talk: []byte("{}"), Changes: []change{{Do: doDelete, Bucket: "logs"}}}
				errs[i] = s.saveTurn(ctx, rec, 1, map[string]bucket{fmt.Sprint(i): {}})
			})
		}
		all.Wait()
		var saved []string
		for i, err := range errs {
			if err == nil {
				saved = append(saved, fmt.Sprint(i))
			} else {
				assert.Equal(t, errSaved, err)
			}
		}
		require.Len(t, saved, 1)
		_, got, err = s.last(ctx, "a")
		require.NoError(t, err)
		assert.Equal(t, map[string]bucket{saved[0]: {}}, got)
	})
}

func TestList(t *testing.T) {
	onBoth(t, func(t *testing.T, name string) {
		s, ctx := testStore(t, name), t.Context()
		for i := range pageSize + 5 {
			require.NoError(t, s.append(ctx, fmt.Sprintf("c%02d", i), 0, entry{Message: fmt.Sprintf("message\n%02d", i)}))
			_, err := s.db.Exec(`UPDATE conversation SET latest = $1 WHERE id = $2`, i, fmt.Sprintf("c%02d", i))
			require.NoError(t, err)
		}
		page, more, err := s.list(ctx, "", 0)
		require.NoError(t, err)
		assert.True(t, more)
		assert.Len(t, page, pageSize)
		assert.Equal(t, "message 24", page[0].Title)
		page, more, err = s.list(ctx, "", 1)
		require.NoError(t, err)
		assert.False(t, more)
		assert.Len(t, page, 5)
		assert.Equal(t, "c00", page[4].ID)

		require.NoError(t, s.append(ctx, "c00", 1, entry{Event: &clarify.Event{Type: eventSay, Output: `50% of "logs" are_gone \ Fin, Ärger`}}))
		for search, found := range map[string]int{"50%": 1, "0%": 1, "%": 1, "_": 1, `\`: 1, `"LOGS"`: 1, "MESSAGE": 25, "age%2": 0, "nothing": 0, "Ärger": 1, "logs": 1, "": 20} {
			page, _, err := s.list(ctx, search, 0)
			require.NoError(t, err)
			assert.Len(t, page, min(found, pageSize), search)
		}
	})
}

// Processes that start together make the tables once.
func TestMigrations(t *testing.T) {
	onBoth(t, func(t *testing.T, name string) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				s, err := openStore(context.Background(), name)
				if assert.NoError(t, err) {
					assert.NoError(t, s.Close())
				}
			})
		}
		all.Wait()
		s := testStore(t, name)
		_, err := s.db.Exec(`INSERT INTO migration (number) VALUES ($1)`, len(migrations)+1)
		require.NoError(t, err)
		_, err = openStore(t.Context(), name)
		assert.ErrorContains(t, err, "a newer version")
	})
}

// The database cannot be opened, and nothing is left behind.
func TestOpenStore(t *testing.T) {
	for name, bad := range map[string]string{
		"a folder":       t.TempDir(),
		"no such folder": filepath.Join(t.TempDir(), "no", "console.db"),
		"no server":      "postgres://127.0.0.1:1/x",
		"no database":    filepath.Join("store_test.go"),
	} {
		_, err := openStore(t.Context(), bad)
		assert.Error(t, err, name)
	}
	name := filepath.Join(t.TempDir(), "100% a?b#c.db")
	testStore(t, name)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode(), "others can read it")
}

// If nothing can be stored, on a full disk or on one that cannot be written, nothing is
// lost, and nothing is claimed.
func TestWhatCannotBeStored(t *testing.T) {
	for name, pragma := range map[string][2]string{
		"a full disk":      {"max_page_count = 1", "max_page_count = 1000000"},
		"a read-only disk": {"query_only = 1", "query_only = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, nil)
			path := s.begin()
			page := s.get(path)
			_, err := s.store.db.Exec("PRAGMA " + pragma[0])
			require.NoError(t, err)
			long := strings.Repeat("x", 100_000)
			shown := s.post(path, answer(page, fieldBuckets, "logs", fieldArchive, long, fieldDelete, clarify.FormConfirmed), http.StatusInternalServerError)
			s.shows(shown, notSaved)
			assert.Contains(t, shown, `value="logs" checked`, "what was entered is lost")
			assert.Contains(t, shown, long)
			assert.Contains(t, s.post(path, say(page, long), http.StatusInternalServerError), long, "what was written is lost")
			if name == "a read-only disk" { // there is room for a little on the other one
				s.post("/", url.Values{"id": {rand.Text()}}, http.StatusInternalServerError)
			}
			s.messages(path, 1)
			s.did(path)

			_, err = s.store.db.Exec("PRAGMA " + pragma[1])
			require.NoError(t, err)
			s.post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
			s.did(path, "delete logs")
		})
	}
}
