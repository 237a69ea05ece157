package clarifymcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hand is a client that makes each round by hand.
type hand struct {
	*rig
	cs *mcp.ClientSession
}

func byHand(t *testing.T, options *Options) hand {
	t.Helper()
	r := newRig(t, options)
	return hand{r, connect(t, r.server, revisionRounds, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: canShow},
		MultiRoundTrip: noRounds,
	})}
}

// first makes the first call, and returns the state.
func (h hand) first(e string) string {
	h.t.Helper()
	result, err := h.cs.CallTool(h.t.Context(), params(e))
	require.NoError(h.t, err)
	require.True(h.t, result.NeedsInput())
	require.Len(h.t, result.InputRequests, 1)
	require.NotNil(h.t, result.InputRequests["clarify"])
	require.Empty(h.t, h.answers)
	return result.RequestState
}

// second calls again with the state and the responses, and returns what Ask
// returned.
func (h hand) second(p *mcp.CallToolParams, state string, responses mcp.InputResponseMap) outcome {
	h.t.Helper()
	p.RequestState, p.InputResponses = state, responses
	got, _ := h.call(h.cs, p)
	return got
}

func saysYes() mcp.InputResponseMap { return mcp.InputResponseMap{"clarify": response("accept", yes)} }

func TestRound(t *testing.T) {
	h := byHand(t, nil)
	e := envelope(confirmDelete)
	state := h.first(e)
	assert.NotEqual(t, state, h.first(e), "two questions have the same state")
	//lint:ignore SA1019 the test needs a response of another kind
	roots := &mcp.ListRootsResult{Roots: []*mcp.Root{}}
	for name, responses := range map[string]mcp.InputResponseMap{
		"none":           nil,
		"another name":   {"form": response("accept", yes)},
		"another kind":   {"clarify": roots},
		"unknown action": {"clarify": response("yes", yes)},
	} {
		t.Run(name, func(t *testing.T) { refused(t, h.second(params(e), state, responses), ErrResponse) })
	}
	// None of these used the state.
	proceeds(t, h.second(params(e), state, saysYes()))
	for range 2 {
		refused(t, h.second(params(e), state, saysYes()), ErrState)
	}
	// Declining uses it too.
	state = h.first(e)
	got := h.second(params(e), state, mcp.InputResponseMap{"clarify": response("decline", "")})
	assert.Equal(t, Declined, got.answer.Outcome, got.err)
	refused(t, h.second(params(e), state, saysYes()), ErrState)
}

func TestForgedState(t *testing.T) {
	h := byHand(t, nil)
	e := envelope(confirmDelete)
	state := h.first(e)
	forged := map[string]string{
		"none":            "",
		"points":          strings.Repeat(".", len(state)),
		"a line break":    state + "\n",
		"cut":             state[:len(state)-2],
		"longer":          state + "AA",
		"another sign":    strings.Replace(state, ".", ".+", 1),
		"another zero":    strings.Replace(state, ".", ".0", 1),
		"no signature":    state[:strings.LastIndex(state, ".")+1],
		"of another":      byHand(t, nil).first(e),
		"a state of ours": "round=1",
	}
	for i := range state {
		forged[fmt.Sprint("byte ", i)] = state[:i] + string(state[i]^1) + state[i+1:]
	}
	for name, state := range forged {
		t.Run(name, func(t *testing.T) { refused(t, h.second(params(e), state, saysYes()), ErrState) })
	}
	proceeds(t, h.second(params(e), state, saysYes()))
}

// An answer counts only for the question and the call that it was given to.
func TestBinding(t *testing.T) {
	h := byHand(t, nil)
	h.server.AddTool(tool("act2"), h.act)
	e := envelope(confirmDelete)
	state := h.first(e)
	otherArguments, otherTool := params(e), params(e)
	otherArguments.Arguments = json.RawMessage(`{"force":true,"e":` + e + `}`)
	otherTool.Name = "act2"
	otherQuestion := params(envelope(strings.Replace(confirmDelete, "avatars", "uploads", 1)))
	for _, p := range []*mcp.CallToolParams{otherQuestion, otherArguments, otherTool} {
		refused(t, h.second(p, state, saysYes()), ErrState)
	}

	about := func(question, name, args, user string) string {
		return newStates([]byte("key")).state("1", 1, binding(&mcp.CallToolRequest{
			Params: &mcp.CallToolParamsRaw{Name: name, Arguments: json.RawMessage(args)},
			Extra:  &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{UserID: user}},
		}, question))
	}
	for _, other := range []string{about("?", "act", "", "bob"), about("?", "act", "", ""), about("!", "act", "", "alice")} {
		assert.NotEqual(t, about("?", "act", "", "alice"), other)
	}
	assert.NotEqual(t, about("?", "ac", "t1", ""), about("?", "act", "1", ""), "the parts run into each other")
}

func TestKey(t *testing.T) {
	key := []byte(strings.Repeat("k", minKey))
	e := envelope(confirmDelete)
	state := byHand(t, &Options{Key: key}).first(e)
	proceeds(t, byHand(t, &Options{Key: key}).second(params(e), state, saysYes()))
	refused(t, byHand(t, nil).second(params(e), state, saysYes()), ErrState)
	assert.Panics(t, func() { newRig(t, &Options{Key: key[1:]}) }, "a short key")
}

// If many calls use the same answer at once, one of them proceeds.
func TestOnce(t *testing.T) {
	h := byHand(t, nil)
	e := envelope(confirmDelete)
	state := h.first(e)
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			p := params(e)
			p.RequestState, p.InputResponses = state, saysYes()
			_, err := h.cs.CallTool(t.Context(), p)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.Len(t, h.answers, n)
	acted := 0
	for range n {
		if got := <-h.answers; got.answer.Proceed() {
			acted++
		} else {
			refused(t, got, ErrState)
		}
	}
	assert.Equal(t, 1, acted)
}

// A person has a day. A used state is remembered for as long, then forgotten.
func TestStateLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		about := []string{"about"}
		s := newStates([]byte("key"))
		state := s.issue(about)
		time.Sleep(stateLife - time.Second)
		assert.True(t, s.verify(state, about), "expired too early")
		time.Sleep(time.Second)
		assert.False(t, s.verify(state, about), "did not expire")

		// A used state stays used until it expires, whatever else is used.
		var issued []string
		for range 50 {
			issued = append(issued, s.issue(about))
			require.True(t, s.use(issued[len(issued)-1]))
			for _, state := range issued[max(0, len(issued)-8):] { // the oldest is a nanosecond younger than stateLife
				assert.False(t, s.use(state), "forgotten too early")
			}
			time.Sleep(stateLife / 7)
		}
		for range 3 {
			time.Sleep(stateLife + time.Second)
			s.use(s.issue(about))
		}
		assert.Equal(t, 2, len(s.used)+len(s.before), "states are remembered too long")
	})
}
