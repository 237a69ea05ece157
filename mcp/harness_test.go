package clarifymcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// revisions are those with elicitation, the oldest first. A test that asks runs
// with all of them.
var revisions = []string{"2025-06-18", revisionTitles, revisionRounds}

var (
	program  = &mcp.Implementation{Name: "test", Version: "v1"}
	canShow  = &mcp.ElicitationCapabilities{}
	noRounds = &mcp.MultiRoundTripOptions{Disabled: true}
)

// A person answers a form.
type person func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)

// gives is a person who sends the action and the content, whatever is asked.
func gives(action, content string) person {
	return func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return response(action, content), nil
	}
}

// handler is the person for a client that checks what it sends.
func (p person) handler(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return p(ctx, req.Params)
}

const yes = `{"ok":true}` // to confirmDelete

// response decodes the content as the SDK does; "" is no content.
func response(action, content string) *mcp.ElicitResult {
	r := &mcp.ElicitResult{Action: action}
	if content != "" {
		if err := json.Unmarshal([]byte(content), &r.Content); err != nil {
			panic(err)
		}
	}
	return r
}

// tool returns a tool that takes any arguments.
func tool(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
}

// connect connects a new client to the server, in memory.
func connect(t *testing.T, server *mcp.Server, revision string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectClient(t, server, revision, mcp.NewClient(program, options))
}

func connectClient(t *testing.T, server *mcp.Server, revision string, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	ct, st := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), st, nil)
	require.NoError(t, err)
	cs, err := client.Connect(context.Background(), ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() {
		cs.Close()
		ss.Close()
	})
	require.Equal(t, revision, cs.InitializeResult().ProtocolVersion)
	return cs
}

// A rig is a server with one tool, "act". The tool asks the envelope that its
// argument e holds, and the rig keeps what Ask returned.
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
	r := &rig{t: t, server: mcp.NewServer(program, nil), answers: make(chan outcome, 100)}
	r.asker = NewAsker(r.server, options)
	r.server.AddTool(tool("act"), r.act)
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

// connect returns a client of the revision that sends whatever the person
// gives, unchecked.
func (r *rig) connect(revision string, can *mcp.ElicitationCapabilities, who person) *mcp.ClientSession {
	r.t.Helper()
	client := mcp.NewClient(program, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: can},
		MultiRoundTrip: noRounds,
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.ElicitParams); ok {
				return who(ctx, p)
			}
			return next(ctx, method, req)
		}
	})
	// This makes the rounds as the SDK does, without its checks.
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
				if params.InputResponses[name], err = who(ctx, in.(*mcp.ElicitParams)); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, &mcp.ClientRequest[*mcp.CallToolParams]{Session: req.GetSession().(*mcp.ClientSession), Params: &params})
		}
	})
	return connectClient(r.t, r.server, revision, client)
}

// ask connects, calls the tool, and returns what Ask and the tool returned.
func (r *rig) ask(revision string, who person, e string) (outcome, string) {
	r.t.Helper()
	return r.call(r.connect(revision, canShow, who), params(e))
}

func (r *rig) call(cs *mcp.ClientSession, p *mcp.CallToolParams) (outcome, string) {
	r.t.Helper()
	result, err := cs.CallTool(context.Background(), p)
	require.NoError(r.t, err, "a protocol error")
	require.Len(r.t, r.answers, 1)
	return <-r.answers, said(r.t, result)
}

func params(e string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "act", Arguments: json.RawMessage(`{"e":` + e + `}`)}
}

func said(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, result.Content, 1)
	return result.Content[0].(*mcp.TextContent).Text
}

// silent fails unless the answer answers nothing at all.
func silent(t *testing.T, a Answer) {
	t.Helper()
	assert.False(t, a.Proceed() || a.State() > clarify.StateUnanswered || a.Decision("ok") != clarify.Undecided || answersOf(a.Reply) != "", a.ForModel())
}

func proceeds(t *testing.T, got outcome) {
	t.Helper()
	assert.True(t, got.answer.Proceed(), "%v, %v", got.answer.Outcome, got.err)
}

func refused(t *testing.T, got outcome, want error) {
	t.Helper()
	assert.ErrorIs(t, got.err, want)
	silent(t, got.answer)
}

// envelope writes an envelope around prompts.
func envelope(prompts ...string) string {
	return `{"protocol":"` + clarify.Protocol + `","prompts":[` + strings.Join(prompts, ",") + `]}`
}

func parse(t *testing.T, e string) *clarify.Envelope {
	t.Helper()
	parsed, err := clarify.Parse(e)
	require.NoError(t, err)
	require.NoError(t, parsed.Validate())
	return parsed
}

// answersOf returns the valid answers in canonical bytes; "" is none.
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
