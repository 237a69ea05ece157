package clarifymcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisions are those with elicitation, the oldest first. A test that asks runs
// with all of them.
var revisions = []string{"2025-06-18", revisionTitles, revisionRounds}

// A person answers a form, as a client that does not check what it sends.
type person func(*mcp.ElicitParams) *mcp.ElicitResult

// gives is a person who sends the action and the content, whatever is asked.
func gives(action, content string) person {
	return func(*mcp.ElicitParams) *mcp.ElicitResult { return response(action, content) }
}

// response decodes the content as the SDK does: "" is none.
func response(action, content string) *mcp.ElicitResult {
	r := &mcp.ElicitResult{Action: action}
	if content != "" {
		if err := json.Unmarshal([]byte(content), &r.Content); err != nil {
			panic(err)
		}
	}
	return r
}

// nobody fails the test if it is asked.
func nobody(t *testing.T) person {
	return func(*mcp.ElicitParams) *mcp.ElicitResult {
		t.Error("the client was asked")
		return response("cancel", "")
	}
}

// A rig is a server with one tool, "act", that asks what its argument e says,
// and keeps what came of it.
type rig struct {
	t       *testing.T
	server  *mcp.Server
	asker   *Asker
	answers chan outcome
}

type outcome struct {
	answer Answer
	err    error
}

func newRig(t *testing.T, options *Options) *rig {
	r := &rig{t: t, answers: make(chan outcome, 100)}
	r.server = mcp.NewServer(&mcp.Implementation{Name: "server", Version: "v1"}, nil)
	r.asker = NewAsker(r.server, options)
	r.server.AddTool(&mcp.Tool{Name: "act", InputSchema: json.RawMessage(`{"type":"object"}`)}, r.act)
	return r
}

func (r *rig) act(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ E *clarify.Envelope }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	answer, err := r.asker.Ask(ctx, req, in.E)
	if answer.pending == nil {
		r.answers <- outcome{answer, err}
	}
	if err != nil || !answer.Proceed() {
		result := answer.Result()
		result.IsError = err != nil
		return result, nil
	}
	return &mcp.CallToolResult{Content: text("acted")}, nil
}

// connect returns a client of the revision. It is one that sends whatever the
// person gives: nothing in it checks.
func (r *rig) connect(revision string, who person) *mcp.ClientSession {
	return r.connectWith(revision, &mcp.ElicitationCapabilities{}, func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return who(p), nil
	})
}

func (r *rig) connectWith(revision string, can *mcp.ElicitationCapabilities, handle func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *mcp.ClientSession {
	r.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: can},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.ElicitParams); ok {
				return handle(ctx, p)
			}
			return next(ctx, method, req)
		}
	})
	// The rounds by hand, as the SDK would do them, without its checks.
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			call, ok := result.(*mcp.CallToolResult)
			if err != nil || !ok || !call.NeedsInput() {
				return result, err
			}
			params := *req.GetParams().(*mcp.CallToolParams)
			params.RequestState = call.RequestState
			params.InputResponses = mcp.InputResponseMap{}
			for name, in := range call.InputRequests {
				if params.InputResponses[name], err = handle(ctx, in.(*mcp.ElicitParams)); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, &mcp.ClientRequest[*mcp.CallToolParams]{Session: req.GetSession().(*mcp.ClientSession), Params: &params})
		}
	})
	ctx := context.Background()
	ct, st := mcp.NewInMemoryTransports()
	ss, err := r.server.Connect(ctx, st, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	cs, err := client.Connect(ctx, ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cs.Close()
		ss.Close()
	})
	if got := cs.InitializeResult().ProtocolVersion; got != revision {
		r.t.Fatalf("the client speaks %s, want %s", got, revision)
	}
	return cs
}

// ask calls the tool, and returns what it got and what it said.
func (r *rig) ask(cs *mcp.ClientSession, e string) (outcome, string) {
	r.t.Helper()
	result, err := cs.CallTool(context.Background(), params(e))
	if err != nil {
		r.t.Fatalf("a protocol error: %v", err)
	}
	if len(r.answers) != 1 {
		r.t.Fatalf("the tool had %d answers, want 1", len(r.answers))
	}
	return <-r.answers, said(r.t, result)
}

func params(e string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "act", Arguments: json.RawMessage(`{"e":` + e + `}`)}
}

func said(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d contents, want 1", len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// envelope writes an envelope around prompts.
func envelope(prompts ...string) string {
	return `{"protocol":"` + clarify.Protocol + `","prompts":[` + strings.Join(prompts, ",") + `]}`
}

func parse(t testing.TB, e string) *clarify.Envelope {
	t.Helper()
	parsed, err := clarify.Parse(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Validate(); err != nil {
		t.Fatal(err)
	}
	return parsed
}

// answersOf returns the answers that hold, in canonical bytes: "" is none.
func answersOf(r *clarify.Reply) string {
	b, err := r.Answers().AppendJSON(nil)
	if err != nil {
		return ""
	}
	var out struct{ Answers json.RawMessage }
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}
	return string(out.Answers)
}

func violationsOf(r *clarify.Reply) string {
	var list []string
	for _, v := range r.Violations() {
		list = append(list, v.Path+" "+string(v.Code))
	}
	return strings.Join(list, ", ")
}

const (
	confirmDelete = `{"id":"ok","kind":"confirm","question":"Delete bucket avatars?","confirmLabel":"Delete","cancelLabel":"Keep it","danger":true,"hint":"Think twice."}`
	choice        = `{"id":"bucket","kind":"choice","question":"Which bucket?","hint":"To delete.","options":[{"id":"avatars","label":"Avatars","description":"64 files"},{"id":"uploads","label":"Uploads"}]}`
	choices       = `{"id":"regions","kind":"choice","question":"Which regions?","allowMultiple":true,"options":[{"id":"fra","label":"Frankfurt"},{"id":"nyc","label":"New York"},{"id":"syd","label":"Sydney"}]}`
	textPrompt    = `{"id":"name","kind":"text","question":"Database name","placeholder":"main","defaultValue":"db","multiline":true}`
)

// optional returns the prompt as one that may be left out.
func optional(prompt string) string {
	return strings.TrimSuffix(prompt, "}") + `,"required":false}`
}
