package clarifymcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hand is a client that makes each round by hand.
type hand struct {
	*rig
	cs *mcp.ClientSession
}

func byHand(r *rig) hand {
	r.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	ctx := context.Background()
	ct, st := mcp.NewInMemoryTransports()
	ss, err := r.server.Connect(ctx, st, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	cs, err := client.Connect(ctx, ct, &mcp.ClientSessionOptions{ProtocolVersion: revisionRounds})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cs.Close()
		ss.Close()
	})
	return hand{r, cs}
}

// first makes the first call, and returns the state.
func (h hand) first(e string) string {
	h.t.Helper()
	result, err := h.cs.CallTool(context.Background(), params(e))
	if err != nil {
		h.t.Fatal(err)
	}
	if !result.NeedsInput() || len(result.InputRequests) != 1 || result.InputRequests["clarify"] == nil || len(h.answers) != 0 {
		h.t.Fatalf("no request for input: %+v", result)
	}
	return result.RequestState
}

// second calls again with the state and the responses, and returns what the
// tool got.
func (h hand) second(e, state string, responses mcp.InputResponseMap) outcome {
	h.t.Helper()
	p := params(e)
	p.RequestState, p.InputResponses = state, responses
	if _, err := h.cs.CallTool(context.Background(), p); err != nil {
		h.t.Fatal(err)
	}
	return <-h.answers
}

func yes() mcp.InputResponseMap {
	return mcp.InputResponseMap{"clarify": response("accept", `{"ok":true}`)}
}

func refused(t *testing.T, got outcome, want error) {
	t.Helper()
	if !errors.Is(got.err, want) {
		t.Errorf("error %v, want %v", got.err, want)
	}
	silent(t, got.answer)
}

func TestRound(t *testing.T) {
	h := byHand(newRig(t, nil))
	e := envelope(confirmDelete)
	state := h.first(e)
	if again := h.first(e); again == state {
		t.Error("two questions have the same state")
	}
	//lint:ignore SA1019 a response of another kind is what is wanted here
	roots := &mcp.ListRootsResult{Roots: []*mcp.Root{}}
	for name, responses := range map[string]mcp.InputResponseMap{
		"none":           nil,
		"another name":   {"form": response("accept", `{"ok":true}`)},
		"another kind":   {"clarify": roots},
		"unknown action": {"clarify": response("yes", `{"ok":true}`)},
	} {
		t.Run(name, func(t *testing.T) { refused(t, h.second(e, state, responses), ErrResponse) })
	}
	// None of that has used it up.
	if got := h.second(e, state, yes()); !got.answer.Proceed() {
		t.Errorf("no answer: %v", got.err)
	}
	for range 2 {
		refused(t, h.second(e, state, yes()), ErrState)
	}
	// To decline uses it up too.
	state = h.first(e)
	if got := h.second(e, state, mcp.InputResponseMap{"clarify": response("decline", "")}); got.answer.Outcome != Declined {
		t.Errorf("outcome %v, %v", got.answer.Outcome, got.err)
	}
	refused(t, h.second(e, state, yes()), ErrState)
}

func TestForgedState(t *testing.T) {
	h := byHand(newRig(t, nil))
	e := envelope(confirmDelete)
	state := h.first(e)
	forged := map[string]string{
		"none":            "",
		"not base64":      strings.Repeat("*", len(state)),
		"line breaks":     strings.Repeat("\n", len(state)),
		"cut":             state[:len(state)-2],
		"longer":          state + "AA",
		"padded":          state + "=",
		"of another":      byHand(newRig(t, nil)).first(e),
		"zeros":           base64.RawURLEncoding.EncodeToString(make([]byte, stateSize)),
		"a state of ours": "round=1",
	}
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] ^= 1
		forged["byte "+string(rune('0'+i))] = base64.RawURLEncoding.EncodeToString(raw)
		raw[i] ^= 1
	}
	for name, state := range forged {
		t.Run(name, func(t *testing.T) { refused(t, h.second(e, state, yes()), ErrState) })
	}
	if got := h.second(e, state, yes()); !got.answer.Proceed() {
		t.Errorf("no answer: %v", got.err)
	}
}

// An answer counts for the question that it was given to, in the same call.
func TestBinding(t *testing.T) {
	h := byHand(newRig(t, nil))
	e := envelope(confirmDelete)
	other := envelope(strings.Replace(confirmDelete, "avatars", "uploads", 1))
	state := h.first(e)

	refused(t, h.second(other, state, yes()), ErrState)

	// The same question about other arguments.
	p := params(e)
	p.Arguments = json.RawMessage(`{"force":true,"e":` + e + `}`)
	p.RequestState, p.InputResponses = state, yes()
	if _, err := h.cs.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	refused(t, <-h.answers, ErrState)

	// The same question of another tool.
	h.server.AddTool(&mcp.Tool{Name: "act2", InputSchema: json.RawMessage(`{"type":"object"}`)}, h.act)
	p = params(e)
	p.Name = "act2"
	p.RequestState, p.InputResponses = state, yes()
	if _, err := h.cs.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	refused(t, <-h.answers, ErrState)

	// Of another user.
	as := func(user string) string {
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "act"}, Extra: &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{UserID: user}}}
		return string(binding(req, "question"))
	}
	if as("alice") == as("bob") || as("") == as("alice") {
		t.Error("states are not bound to the user")
	}
	// What one part lacks, the next does not lend.
	joined := func(name, args string) string {
		return string(binding(&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: json.RawMessage(args)}}, "question"))
	}
	if joined("ac", "t1") == joined("act", "1") {
		t.Error("the parts run into each other")
	}
}

func TestKey(t *testing.T) {
	key := []byte(strings.Repeat("k", minKey))
	e := envelope(confirmDelete)
	state := byHand(newRig(t, &Options{Key: key})).first(e)
	if got := byHand(newRig(t, &Options{Key: key})).second(e, state, yes()); !got.answer.Proceed() {
		t.Errorf("a server with the same key: %v", got.err)
	}
	refused(t, byHand(newRig(t, nil)).second(e, state, yes()), ErrState)

	defer func() {
		if recover() == nil {
			t.Error("a short key does not panic")
		}
	}()
	newRig(t, &Options{Key: key[1:]})
}

// Of many that use the same answer at once, one does.
func TestOnce(t *testing.T) {
	r := newRig(t, nil)
	h := byHand(r)
	e := envelope(confirmDelete)
	state := h.first(e)
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			p := params(e)
			p.RequestState, p.InputResponses = state, yes()
			if _, err := h.cs.CallTool(context.Background(), p); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	proceeds := 0
	for range n {
		if got := <-r.answers; got.answer.Proceed() {
			proceeds++
		} else {
			refused(t, got, ErrState)
		}
	}
	if proceeds != 1 {
		t.Errorf("%d acted, want 1", proceeds)
	}
}

// A person has a day. What was used is known for as long, and then forgotten.
func TestStateLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		about := []byte("about")
		s := newStates([]byte("key"))
		state := s.issue(about)
		time.Sleep(stateLife - time.Second)
		if !s.verify(state, about) {
			t.Error("expired too early")
		}
		time.Sleep(time.Second)
		if s.verify(state, about) {
			t.Error("did not expire")
		}

		// What was used stays used to the end of its life, whatever else is
		// used meanwhile.
		issued := map[string]time.Time{}
		for range 50 {
			state := s.issue(about)
			if !s.use(state) {
				t.Fatal("used at first")
			}
			issued[state] = time.Now()
			for state, at := range issued {
				if time.Since(at) < stateLife && s.use(state) {
					t.Errorf("unknown %v after it was used", time.Since(at))
				}
			}
			time.Sleep(stateLife / 7)
		}
		for range 3 {
			time.Sleep(stateLife + time.Second)
			s.use(s.issue(about))
		}
		if n := len(s.used) + len(s.before); n != 2 {
			t.Errorf("%d states are remembered, want 2", n)
		}
	})
}
