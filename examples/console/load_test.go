package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// Many users talk at once, and post each form twice at the same time. What was
// acknowledged is stored once and in order, and was done once.
func TestManyConversationsAtOnce(t *testing.T) {
	users, rounds := 16, 3
	if long {
		users, rounds = 200, 6
	}
	s := newSite(t, nil)
	stories := make([][]*story, users)
	var group sync.WaitGroup
	for i := range stories {
		group.Go(func() { stories[i] = s.load(rounds) })
	}
	group.Wait()
	stored, all := storedMessages(t, s.store), slices.Concat(stories...)
	assert.Equal(t, len(all), len(stored), "conversations")
	for _, told := range all {
		assert.Equal(t, told.sent, stored[told.id])
		assert.Equal(t, told.did, s.store.changes(t, told.id))
	}
}

// storedMessages returns the messages in the database, by conversation.
func storedMessages(t *testing.T, s *store) map[string][]string {
	t.Helper()
	stored := make(map[string][]string)
	require.NoError(t, s.query(t.Context(), func(scan func(...any) error) error {
		var id, body string
		require.NoError(t, scan(&id, &body))
		var e entry
		require.NoError(t, json.Unmarshal([]byte(body), &e), body)
		if e.Event == nil {
			stored[id] = append(stored[id], unbound(e.Message))
		}
		return nil
	}, `SELECT conversation, body FROM entry ORDER BY conversation, position`))
	return stored
}

// A story is what was sent in a conversation, and what should have been done.
type story struct {
	id        string
	sent, did []string
}

// load creates a bucket in each round, and deletes it or keeps it. Every second
// round begins a new conversation.
func (s *site) load(rounds int) (stories []*story) {
	for n := range rounds {
		if n%2 == 0 {
			stories = append(stories, &story{id: rand.Text(), sent: []string{opening}})
			s.twice("/", url.Values{"id": {stories[n/2].id}})
		}
		now, name, yes := stories[n/2], fmt.Sprintf("load-%d", n), n%5 != 0
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
			}, message(s.T, write(askName, name), choose(askRegion, "syd")), []string{"create " + name + " syd"}},
			{func(page string) url.Values { return say(page, "delete "+name) }, "delete " + name, nil},
			{func(page string) url.Values { return answer(page, fieldDelete, decision) }, message(s.T, decide(askDelete, yes)), done},
		} {
			path := "/c/" + now.id
			status, page, _, err := s.send("GET", path, nil)
			if !assert.NoError(s, err) || !assert.Equal(s, http.StatusOK, status) || !s.twice(path, step.form(page)) {
				return stories
			}
			now.sent = append(now.sent, step.sent)
			now.did = append(now.did, step.did...)
		}
	}
	return stories
}

// twice posts a form two times at once. Both posts have to be acknowledged.
func (s *site) twice(path string, form url.Values) bool {
	var both sync.WaitGroup
	var ok [2]bool
	for i := range ok {
		both.Go(func() {
			status, body, location, err := s.send("POST", path, form)
			ok[i] = assert.NoError(s, err) && assert.Equal(s, http.StatusSeeOther, status, text(body)) && assert.NotContains(s, location, "refused")
		})
	}
	both.Wait()
	return ok[0] && ok[1]
}
