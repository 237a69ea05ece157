package clarifymcp

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Over HTTP: with a session for the older revisions, without one for the
// newest, where question and answer may reach different servers.
func TestHTTP(t *testing.T) {
	options := &Options{Key: make([]byte, minKey)}
	servers := []*rig{newRig(t, options), newRig(t, options)}
	servers[1].answers = servers[0].answers
	for _, test := range []struct {
		name, revision string
		stateless      bool
		said           string
		err            error
	}{
		{"with sessions", revisionTitles, false, "acted", nil},
		{"without", revisionRounds, true, "acted", nil},
		// Here the server has no way to ask.
		{"without, of old", revisionTitles, true, new(Answer).ForModel(), ErrNoForm},
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
			client := mcp.NewClient(program, &mcp.ClientOptions{ElicitationHandler: gives("accept", yes).handler})
			cs, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: test.revision})
			require.NoError(t, err)
			defer cs.Close()
			require.Equal(t, test.revision, cs.InitializeResult().ProtocolVersion)
			got, said := servers[0].call(cs, params(envelope(confirmDelete)))
			assert.Equal(t, test.said, said)
			assert.Equal(t, test.err, got.err)
			assert.Equal(t, test.err == nil, got.answer.Proceed())
		})
	}
}
