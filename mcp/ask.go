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

// Errors of [Asker.Ask]. Any other error is the [*clarify.ValidationError] of the
// envelope, or comes from the context or the connection.
var (
	// ErrNoForm means that the client cannot show a form. Nothing was sent to it.
	ErrNoForm = errors.New("clarifymcp: the client cannot show a form (no elicitation capability)")
	// ErrState means that the client answered a question that this server did
	// not ask in this call. The state that the client sent back is forged, has
	// expired, was used before, or belongs to another question, tool, user or
	// arguments.
	ErrState = errors.New("clarifymcp: the answer belongs to no open question of this call")
	// ErrResponse means that the client did not send a valid response to a form.
	ErrResponse = errors.New("clarifymcp: not a response to the form")
)

// DefaultTimeout is how long [Asker.Ask] waits for an answer within a call. Many
// clients give up on a call after 60 seconds.
const DefaultTimeout = 50 * time.Second

// minKey is the shortest key, in bytes. It is as long as the hash.
const minKey = 32

// progressInterval is how often a waiting client is told of progress. A client
// may give up if it hears nothing.
const progressInterval = 3 * time.Second

// responseName is the name of the request for input.
const responseName = clarify.ToolName

// Options are the options of an [Asker].
type Options struct {
	// Timeout is how long Ask waits for an answer within a call. 0 means
	// [DefaultTimeout]. Use a longer one if the clients wait for as long as they
	// hear of progress. It has no effect on clients that speak revision
	// 2026-07-28 or later.
	Timeout time.Duration

	// Key signs the state that a client of revision 2026-07-28 keeps between
	// question and answer. If question and answer can reach different servers,
	// these need the same key. It has at least 32 bytes. nil means a random key.
	Key []byte
}

// An Asker asks through the client's form. It is safe for concurrent use.
type Asker struct {
	timeout time.Duration
	states  *states
}

// NewAsker returns an Asker for the tools of the server. nil means the default
// options. NewAsker panics if the key is too short.
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
	Unanswered Outcome = iota // there is an error, or the client asks first: return the Result
	Accepted                  // the form was sent; the Reply says what was answered
	Declined                  // the person refused to answer, which does not count as no
	Cancelled                 // the person closed the form
	TimedOut                  // nobody answered in time
)

// String returns the outcome as a word, or two.
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

// An Answer is the result of asking. The zero value answers nothing.
type Answer struct {
	// Reply is what the form answered. It is nil, which answers nothing, unless
	// the outcome is Accepted.
	*clarify.Reply

	// Outcome says how asking ended.
	Outcome Outcome

	pending *mcp.CallToolResult
}

// Result returns the result of a tool that does not go on. If the client has to
// ask first, it is the request for input. Otherwise it is [Answer.ForModel].
func (a Answer) Result() *mcp.CallToolResult {
	if a.pending != nil {
		return a.pending
	}
	return &mcp.CallToolResult{Content: text(a.ForModel())}
}

// ForModel returns [clarify.Reply.ForModel] or, if there is no reply, a text that
// says why.
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
	return "reply: " + why + ": nothing is answered, confirmed or refused\nproceed: no, because nothing was answered\n"
}

// Ask asks the questions of e in the client's form, during a call of a tool. The
// tool goes on if [clarify.Reply.Proceed] is true or, if no confirm was asked, if
// [clarify.Reply.State] is complete. Otherwise it returns [Answer.Result]:
//
//	answer, err := asker.Ask(ctx, req, envelope)
//	if err != nil || !answer.Proceed() {
//		return answer.Result(), err
//	}
//
// From revision 2026-07-28 on, the client calls the tool twice. In the first call
// Ask has no answer yet, and Result makes the client ask. In the second call Ask
// returns the answer. So a tool must call Ask at most once, must change nothing
// before that, and must ask the same questions in both calls. If the questions
// differ, Ask returns [ErrState] in the second call. An answer can be used once,
// within 24 hours. If several servers have the same key, it can be used once on
// each of them.
//
// Ask returns an error, and asks nothing, if e is not valid or if the client
// cannot show a form.
func (a *Asker) Ask(ctx context.Context, req *mcp.CallToolRequest, e *clarify.Envelope) (Answer, error) {
	asked, err := e.Normalized()
	if err != nil {
		return Answer{}, err
	}
	result, err := asked.Result()
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

// showsForms reports whether the client can show a form. A client that names no
// mode can, because forms were the only mode at first.
func showsForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// round returns the question as the result of the first call, and reads the
// answer in the second.
func (a *Asker) round(req *mcp.CallToolRequest, f form, about []string) (Answer, error) {
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

// wait asks and waits for the answer within the call.
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

// judge turns a response into an answer.
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

// A keptKey is the context key of an asker's keptContent. A server can have
// several askers.
type keptKey struct{ *Asker }

// keepContent takes the content out of a response before the SDK sees it. The
// SDK would fill in defaults for what was not answered, and refuse all of it for
// one bad value. The library keeps the good answers.
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

// reportProgress reports progress, if the client asked for it, until ctx is done.
// stop waits for the last report.
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
			// If the report fails and the client gives up, ctx is cancelled.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      n,
				Message:       "Waiting for the user to answer.",
			})
		}
	}()
	return func() { <-done }
}
