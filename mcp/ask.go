package clarifymcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Why nobody was asked, or nothing was answered. The errors of [Asker.Ask] are
// one of these, the [*clarify.ValidationError] of the envelope, or one of the
// context or the connection.
var (
	// ErrNoForm: the client cannot show a form. Nothing was sent to it.
	ErrNoForm = errors.New("clarifymcp: the client cannot show a form (no elicitation capability)")
	// ErrState: the client answered what this server did not ask it, or not in
	// this call: the state that it sent back is forged, too old, was used
	// before, or belongs to another question, tool, user or arguments.
	ErrState = errors.New("clarifymcp: the answer belongs to no open question of this call")
	// ErrResponse: what the client sent is no response to a form.
	ErrResponse = errors.New("clarifymcp: not a response to the form")
)

// DefaultTimeout is how long [Asker.Ask] waits for a person within a call. Many
// clients give up on a call after 60 seconds.
const DefaultTimeout = 50 * time.Second

// minKey is the least length of a key, in bytes: that of the hash.
const minKey = 32

// progressInterval is how often a client that waits is told that it has to. A
// client may give up if it hears nothing.
const progressInterval = 3 * time.Second

// responseName is the name of the one request for input.
const responseName = clarify.ToolName

// Options are the options of an [Asker].
type Options struct {
	// Timeout is how long Ask waits for a person within a call: 0 is
	// [DefaultTimeout]. A longer one is for clients that wait as long as they
	// are told of progress. It does not matter from 2026-07-28 on.
	Timeout time.Duration

	// Key signs the state that a client of 2026-07-28 keeps between question
	// and answer. Servers that stand in for each other need the same one. It
	// has at least 32 bytes; nil is a random key.
	Key []byte
}

// An Asker asks through the forms of clients. It is safe for concurrent use.
type Asker struct {
	timeout time.Duration
	states  *states
}

// NewAsker returns an asker for the tools of the server; nil is the default
// options. It panics if the key is too short.
func NewAsker(server *mcp.Server, options *Options) *Asker {
	if options == nil {
		options = &Options{}
	}
	a := &Asker{timeout: options.Timeout}
	if a.timeout == 0 {
		a.timeout = DefaultTimeout
	}
	key := options.Key
	switch {
	case key == nil:
		key = make([]byte, minKey)
		rand.Read(key)
	case len(key) < minKey:
		panic(fmt.Sprintf("clarifymcp: a key of %d bytes, want at least %d", len(key), minKey))
	}
	a.states = newStates(key)
	server.AddSendingMiddleware(a.keepContent)
	return a
}

// An Outcome is how asking ended.
type Outcome uint8

const (
	Unanswered Outcome = iota // there is an error, or the client has to ask first: return the Result
	Accepted                  // the form was sent: see the Reply, which may answer little
	Declined                  // the person refused to answer: not even a no
	Cancelled                 // the form was closed: nothing is known
	TimedOut                  // nobody answered in time
)

func (o Outcome) String() string {
	switch o {
	case Accepted:
		return "accepted"
	case Declined:
		return "declined"
	case Cancelled:
		return "cancelled"
	case TimedOut:
		return "timed out"
	}
	return "unanswered"
}

// An Answer is what came of asking. The zero value answers nothing.
type Answer struct {
	// Reply is what was answered, read against what was asked. Unless the
	// outcome is Accepted it is nil, and so answers nothing.
	*clarify.Reply

	Outcome Outcome

	pending *mcp.CallToolResult
}

// Result returns what a tool returns when it does not go on: for a client that
// has to ask first, the request for that; else [Answer.ForModel].
func (a Answer) Result() *mcp.CallToolResult {
	if a.pending != nil {
		return a.pending
	}
	return &mcp.CallToolResult{Content: text(a.ForModel())}
}

// ForModel is [clarify.Reply.ForModel], and says so where there was no reply.
func (a Answer) ForModel() string {
	switch a.Outcome {
	case Accepted:
		return a.Reply.ForModel()
	case Declined:
		return noReply("the user declined to answer")
	case Cancelled:
		return noReply("the user closed the form")
	case TimedOut:
		return noReply("the user did not answer in time, and the form was withdrawn")
	}
	return noReply("nobody has answered yet")
}

func noReply(why string) string {
	return "reply: " + why + ": nothing is answered, confirmed or refused\nproceed: no\n"
}

// Ask asks the person in front of the client what e asks, within a call of a
// tool. A tool goes on if [clarify.Reply.Proceed] is true or, where nothing was
// to be confirmed, [clarify.Reply.Complete]; else it returns [Answer.Result]:
//
//	answer, err := asker.Ask(ctx, req, envelope)
//	if err != nil || !answer.Proceed() {
//		return answer.Result(), err
//	}
//
// From 2026-07-28 on the tool is called twice: first Ask has no answer yet, and
// what Result returns makes the client ask; then it calls again, and Ask has
// the answer. So Ask once in a call, nothing is to be done before it, and the
// same call has to ask the same: an answer to anything else is [ErrState]. An
// answer is good for a day, and once; once for each server, if several have
// the same key.
//
// If e is not valid or the client cannot show a form, that is an error before
// anything is asked.
func (a *Asker) Ask(ctx context.Context, req *mcp.CallToolRequest, e *clarify.Envelope) (Answer, error) {
	result, err := e.Result()
	if err != nil {
		return Answer{}, err
	}
	asked, err := clarify.Parse(result)
	if err != nil {
		return Answer{}, err
	}
	client := req.Session.InitializeParams()
	if client == nil || !showsForms(req.ClientCapabilities()) {
		return Answer{}, ErrNoForm
	}
	f := form{envelope: asked, revision: client.ProtocolVersion}
	if f.revision < revisionRounds {
		return a.wait(ctx, req, f)
	}
	return a.round(req, f, binding(req, result))
}

// showsForms reports whether the client can show a form. One that names no mode
// can: there was no other at first.
func showsForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// round asks by way of the result, or reads the answer if this is the second
// call.
func (a *Asker) round(req *mcp.CallToolRequest, f form, about []byte) (Answer, error) {
	if req.Params.RequestState == "" && len(req.Params.InputResponses) == 0 {
		return Answer{pending: &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{responseName: f.params()},
			RequestState:  a.states.issue(about),
		}}, nil
	}
	if !a.states.verify(req.Params.RequestState, about) {
		return Answer{}, ErrState
	}
	response, ok := req.Params.InputResponses[responseName].(*mcp.ElicitResult)
	if !ok {
		return Answer{}, fmt.Errorf("%w: it has none", ErrResponse)
	}
	answer, err := f.judge(response.Action, response.Content)
	if err != nil {
		return Answer{}, err
	}
	if !a.states.use(req.Params.RequestState) {
		return Answer{}, ErrState
	}
	return answer, nil
}

// wait asks within the call.
func (a *Asker) wait(ctx context.Context, req *mcp.CallToolRequest, f form) (Answer, error) {
	var kept keptContent
	waiting, cancel := context.WithTimeout(context.WithValue(ctx, keptKey{a}, &kept), a.timeout)
	stop := reportProgress(waiting, req)
	response, err := req.Session.Elicit(waiting, f.params())
	tooLate := waiting.Err() != nil
	cancel()
	stop()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return Answer{}, fmt.Errorf("clarifymcp: the client gave up before the user answered: %w", ctx.Err())
	case tooLate:
		return Answer{Outcome: TimedOut}, nil
	default:
		return Answer{}, fmt.Errorf("clarifymcp: asking: %w", err)
	}
	if !kept.ok {
		return Answer{}, errors.New("clarifymcp: the asker was made for another server")
	}
	return f.judge(response.Action, kept.content)
}

// judge makes an answer of a response.
func (f form) judge(action string, content map[string]any) (Answer, error) {
	switch action {
	case "accept":
		reply, err := f.read(content)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Reply: reply, Outcome: Accepted}, nil
	case "decline":
		return Answer{Outcome: Declined}, nil
	case "cancel":
		return Answer{Outcome: Cancelled}, nil
	}
	return Answer{}, fmt.Errorf("%w: unknown action %.40q", ErrResponse, action)
}

// keptContent is the content of a response as the client sent it.
type keptContent struct {
	content map[string]any
	ok      bool
}

// A keptKey is where an asker looks for it: there may be another asker.
type keptKey struct{ *Asker }

// keepContent takes the content out of a response before the SDK sees it. The
// SDK would put in defaults for what was not answered, and refuse the whole of
// it for one bad value; the library can do better.
func (a *Asker) keepContent(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		kept, ours := ctx.Value(keptKey{a}).(*keptContent)
		response, ok := result.(*mcp.ElicitResult)
		if err != nil || !ours || !ok {
			return result, err
		}
		*kept = keptContent{content: response.Content, ok: true}
		return &mcp.ElicitResult{Action: response.Action}, nil
	}
}

// reportProgress tells a client that wants to know, until stop is called, that
// its call is waiting for a person.
func reportProgress(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			// If it does not arrive, the client may give up: ctx will tell.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      n,
				Message:       "Waiting for the user to answer.",
			})
		}
	}()
	return func() { <-done }
}
