package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clarify "github.com/clarify-protocol/clarify-go"
)

const (
	loadUsers = 200
	loadTime  = 20 * time.Second // a tenth of it with -short
)

// 200 conversations at once, each form of which is posted twice at the same
// time. What was acknowledged is stored, once and in order, and was done once.
func TestManyConversationsAtOnce(t *testing.T) {
	s := newSite(t, nil)
	end := time.Now().Add(loadTime)
	if testing.Short() {
		end = time.Now().Add(loadTime / 10)
	}
	users := make([]user, loadUsers)
	var all sync.WaitGroup
	for i := range users {
		u := &users[i]
		u.site = s
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				if err := u.round(n, end); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()

	stored := storedMessages(t, s.folder)
	messages, changes := 0, 0
	for _, u := range users {
		for _, told := range u.stories {
			if got := stored[told.id]; !slices.Equal(got, told.sent) {
				t.Errorf("%s: stored %q, sent %q", told.id, got, told.sent)
			}
			if got := s.engine.changes(told.id); !slices.Equal(got, told.did) {
				t.Errorf("%s: did %q, want %q", told.id, got, told.did)
			}
			messages += len(told.sent)
			changes += len(told.did)
			delete(stored, told.id)
		}
	}
	if len(stored) > 0 {
		t.Errorf("%d conversations that nobody began", len(stored))
	}
	if messages < loadUsers || changes == 0 && !testing.Short() {
		t.Errorf("%d messages, %d changes: that is no load", messages, changes)
	}
	t.Logf("%d messages acknowledged, %d changes made", messages, changes)
}

// storedMessages reads the Console's journal: messages by conversation.
func storedMessages(t *testing.T, folder string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "console.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	stored := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		var rec record
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if rec.Event == nil {
			stored[rec.Conversation] = append(stored[rec.Conversation], rec.Message)
		}
	}
	return stored
}

// A user has one conversation at a time and remembers all of them.
type user struct {
	*site
	stories []*story
}

// A story is what was sent in a conversation, and what should have been done.
type story struct {
	id        string
	sent, did []string
}

// round creates a bucket, and deletes it or keeps it, until the end.
func (u *user) round(n int, end time.Time) error {
	if n%20 == 0 {
		now := &story{id: rand.Text(), sent: []string{opening}}
		if err := u.twice("/", url.Values{"id": {now.id}}); err != nil {
			return err
		}
		u.stories = append(u.stories, now)
	}
	now := u.stories[len(u.stories)-1]
	name := fmt.Sprintf("load-%d", n)
	yes := n%5 != 0
	var done []string
	decision := clarify.FormCancelled
	if yes {
		decision, done = clarify.FormConfirmed, []string{"delete " + name}
	}
	for _, step := range []struct {
		form func(page string) url.Values
		sent string
		did  []string
	}{
		{func(page string) url.Values { return say(page, "create a bucket") }, "create a bucket", nil},
		{func(page string) url.Values {
			return answer(page, "answer."+askName, name, "answer."+askRegion, "syd")
		}, message(u.T, write(askName, name), choose(askRegion, "syd")), []string{"create " + name + " syd"}},
		{func(page string) url.Values { return say(page, "delete "+name) }, "delete " + name, nil},
		{func(page string) url.Values { return answer(page, fieldDelete, decision) }, message(u.T, decide(askDelete, yes)), done},
	} {
		if time.Now().After(end) {
			return nil
		}
		path := "/c/" + now.id
		status, page, _, err := u.send("GET", path, nil)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("GET %s: status %d, %w", path, status, err)
		}
		if err := u.twice(path, step.form(page)); err != nil {
			return err
		}
		now.sent = append(now.sent, step.sent)
		now.did = append(now.did, step.did...)
	}
	return nil
}

// twice posts a form two times at once; both have to be acknowledged.
func (u *user) twice(path string, form url.Values) error {
	results := make(chan error, 2)
	for range 2 {
		go func() {
			status, body, _, err := u.send("POST", path, form)
			if err == nil && status != http.StatusSeeOther {
				err = fmt.Errorf("POST %s %v: status %d\n%s", path, form, status, text(body))
			}
			results <- err
		}()
	}
	return errors.Join(<-results, <-results)
}
