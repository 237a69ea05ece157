package main

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connect returns a client of a new server. Its person answers as given.
func connect(t *testing.T, revision, action, content string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			r := &mcp.ElicitResult{Action: action}
			return r, json.Unmarshal([]byte(content), &r.Content)
		},
	})
	ct, st := mcp.NewInMemoryTransports()
	_, err := newServer(nil).Connect(context.Background(), st, nil)
	require.NoError(t, err)
	cs, err := client.Connect(context.Background(), ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() { cs.Close() })
	return cs
}

func call(t *testing.T, cs *mcp.ClientSession, tool, arguments string) (said string, isError bool) {
	t.Helper()
	result, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if !assert.NoError(t, err, "a protocol error") {
		return "", true
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

func TestDeleteBucket(t *testing.T) {
	for _, revision := range revisions {
		for _, test := range []struct{ action, content, want, again string }{
			{"accept", `{"confirm_delete":true}`, "deleted avatars", `there is no bucket "avatars"`},
			{"accept", `{"confirm_delete":false}`, "proceed: no", "proceed: no"},
			{"decline", `null`, "proceed: no", "proceed: no"},
			{"cancel", `null`, "proceed: no", "proceed: no"},
		} {
			cs := connect(t, revision, test.action, test.content)
			for _, want := range []string{test.want, test.again} {
				said, _ := call(t, cs, "delete_bucket", `{"bucket":"avatars"}`)
				assert.Contains(t, said, want, "%s, %s %s", revision, test.action, test.content)
			}
		}
	}
}

// If many calls confirm at once, one of them deletes.
func TestDeleteOnce(t *testing.T) {
	for _, revision := range revisions {
		cs := connect(t, revision, "accept", `{"confirm_delete":true}`)
		var deleted atomic.Int32
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				said, isError := call(t, cs, "delete_bucket", `{"bucket":"avatars"}`)
				if said == "deleted avatars" {
					deleted.Add(1)
					return
				}
				assert.True(t, isError)
				assert.Contains(t, said, "there is no bucket")
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, deleted.Load(), revision)
	}
}

func TestAsk(t *testing.T) {
	const prompts = `{"prompts":[{"id":"name","kind":"text","question":"Name?"}]}`
	for _, revision := range revisions {
		cs := connect(t, revision, "accept", `{"name":"main"}`)
		said, isError := call(t, cs, "ask", prompts)
		assert.False(t, isError, revision)
		assert.Equal(t, "reply: 1 answer of the user to the questions\nanswer: \"name\" (\"Name?\"): wrote \"main\"\n", said, revision)
		said, isError = call(t, cs, "ask", `{"prompts":[]}`)
		assert.True(t, isError, revision)
		assert.Regexp(t, "^Error: invalid clarify prompts — ", said, revision)
		said, _ = call(t, cs, clarify.ToolName, prompts)
		assert.Regexp(t, `^{"protocol":`, said, revision)
	}
}
