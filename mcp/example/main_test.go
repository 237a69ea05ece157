package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect returns a client of a new server, whose person answers as given.
func connect(t *testing.T, revision, action, content string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			r := &mcp.ElicitResult{Action: action}
			if err := json.Unmarshal([]byte(content), &r.Content); err != nil {
				t.Error(err)
			}
			return r, nil
		},
	})
	ct, st := mcp.NewInMemoryTransports()
	if _, err := newServer(nil).Connect(context.Background(), st, nil); err != nil {
		t.Fatal(err)
	}
	cs, err := client.Connect(context.Background(), ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

func call(t *testing.T, cs *mcp.ClientSession, tool, arguments string) (said string, isError bool) {
	t.Helper()
	result, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Errorf("a protocol error: %v", err)
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
				if said, _ := call(t, cs, "delete_bucket", `{"bucket":"avatars"}`); !strings.Contains(said, want) {
					t.Errorf("%s, %s %s: said %q, want %q", revision, test.action, test.content, said, want)
				}
			}
		}
	}
}

// Of many that confirm at once, one deletes.
func TestDeleteOnce(t *testing.T) {
	for _, revision := range revisions {
		cs := connect(t, revision, "accept", `{"confirm_delete":true}`)
		var deleted atomic.Int32
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				switch said, isError := call(t, cs, "delete_bucket", `{"bucket":"avatars"}`); {
				case said == "deleted avatars":
					deleted.Add(1)
				case !isError || !strings.Contains(said, "there is no bucket"):
					t.Errorf("said %q", said)
				}
			})
		}
		wg.Wait()
		if n := deleted.Load(); n != 1 {
			t.Errorf("%s: deleted %d times", revision, n)
		}
	}
}

func TestAsk(t *testing.T) {
	for _, revision := range revisions {
		cs := connect(t, revision, "accept", `{"name":"main"}`)
		said, isError := call(t, cs, "ask", `{"prompts":[{"id":"name","kind":"text","question":"Name?"}]}`)
		if isError || said != "reply: 1 answer of the user to the questions\nanswer: \"name\": wrote \"main\"\n" {
			t.Errorf("%s: said %q", revision, said)
		}
		said, isError = call(t, cs, "ask", `{"prompts":[]}`)
		if !isError || !strings.HasPrefix(said, "Error: invalid clarify prompts — ") {
			t.Errorf("%s: said %q", revision, said)
		}
		if said, _ := call(t, cs, clarify.ToolName, `{"prompts":[{"id":"name","kind":"text","question":"Name?"}]}`); !strings.HasPrefix(said, `{"protocol":`) {
			t.Errorf("%s: said %q", revision, said)
		}
	}
}
