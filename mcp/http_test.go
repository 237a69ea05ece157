package clarifymcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Over HTTP: with a session for the older revisions, without one for the
// newest, where question and answer may reach different servers.
func TestHTTP(t *testing.T) {
	key := make([]byte, minKey)
	servers := []*rig{newRig(t, &Options{Key: key}), newRig(t, &Options{Key: key})}
	for _, test := range []struct {
		name, revision string
		stateless      bool
		proceed        bool
		err            error
	}{
		{"with sessions", revisionTitles, false, true, nil},
		{"without", revisionRounds, true, true, nil},
		// There the server has no way to ask.
		{"without, of old", revisionTitles, true, false, ErrNoForm},
	} {
		t.Run(test.name, func(t *testing.T) {
			var posts atomic.Int32
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
				if test.stateless {
					return servers[posts.Add(1)%2].server
				}
				return servers[0].server
			}, &mcp.StreamableHTTPOptions{Stateless: test.stateless})
			web := httptest.NewServer(handler)
			defer web.Close()
			client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return response("accept", `{"ok":true}`), nil
				},
			})
			cs, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: test.revision})
			if err != nil {
				t.Fatal(err)
			}
			defer cs.Close()
			if got := cs.InitializeResult().ProtocolVersion; got != test.revision {
				t.Fatalf("the client speaks %s", got)
			}
			result, err := cs.CallTool(t.Context(), params(envelope(confirmDelete)))
			if err != nil {
				t.Fatal(err)
			}
			want := "acted"
			if test.err != nil {
				want = new(Answer).ForModel()
			}
			if got := said(t, result); got != want {
				t.Errorf("said %q, want %q", got, want)
			}
			answers := 0
			for _, r := range servers {
				for ; len(r.answers) > 0; answers++ {
					if got := <-r.answers; got.err != test.err || got.answer.Proceed() != test.proceed {
						t.Errorf("%v, %v", got.answer.Outcome, got.err)
					}
				}
			}
			if answers != 1 {
				t.Errorf("%d answers, want 1", answers)
			}
		})
	}
}
