package clarifymcp

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests in this file run on the fake clocks of synctest, which stand still
// while anything runs. So a nanosecond more or less decides, and no test
// measures a time.

// bubble runs the test with a client whose person says yes after a while. If
// the form is withdrawn first, the person still says yes, a minute later, and
// that must not count.
func bubble(t *testing.T, options *Options, revision string, after time.Duration, test func(r *rig, cs *mcp.ClientSession, withdrawn <-chan bool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		withdrawn, answered := make(chan bool, 1), make(chan bool)
		r := newRig(t, options)
		cs := r.connect(revision, canShow, func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			defer close(answered)
			select {
			case <-time.After(after):
			case <-ctx.Done():
				withdrawn <- true
				time.Sleep(time.Minute)
			}
			return response("accept", yes), nil
		})
		test(r, cs, withdrawn)
		<-answered
		synctest.Wait()
		assert.Empty(t, r.answers, "a late answer")
	})
}

func TestSlowPerson(t *testing.T) {
	p := params(envelope(confirmDelete))
	inTime := func(r *rig, cs *mcp.ClientSession, _ <-chan bool) {
		got, _ := r.call(cs, p)
		proceeds(r.t, got)
	}
	for _, revision := range revisions[:2] {
		for timeout, options := range map[time.Duration]*Options{DefaultTimeout: nil, 2 * time.Hour: {Timeout: 2 * time.Hour}} {
			bubble(t, options, revision, timeout-1, inTime)
			// Too late: the model learns that while the client still waits.
			bubble(t, options, revision, timeout+1, func(r *rig, cs *mcp.ClientSession, withdrawn <-chan bool) {
				got, said := r.call(cs, p)
				refused(r.t, got, nil)
				assert.Equal(r.t, TimedOut, got.answer.Outcome)
				assert.Equal(r.t, "reply: the user did not answer in time, and the form was withdrawn: nothing is answered, confirmed or refused\nproceed: no, because nothing was answered\n", said)
				<-withdrawn
			})
		}
	}
	// With rounds no call waits for the person.
	bubble(t, nil, revisionRounds, stateLife-time.Minute, inTime)
	bubble(t, nil, revisionRounds, stateLife+time.Minute, func(r *rig, cs *mcp.ClientSession, _ <-chan bool) {
		got, _ := r.call(cs, p)
		refused(r.t, got, ErrState)
	})
}

// A client that gives up first gets no answer.
func TestImpatientClient(t *testing.T) {
	const patience = 5 * time.Second
	bubble(t, nil, revisionTitles, patience+1, func(r *rig, cs *mcp.ClientSession, withdrawn <-chan bool) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := cs.CallTool(ctx, params(envelope(confirmDelete)))
		assert.ErrorIs(r.t, err, context.DeadlineExceeded)
		got := <-r.answers
		refused(r.t, got, context.Canceled)
		assert.ErrorContains(r.t, got.err, "gave up")
		<-withdrawn
	})
}

// A client that goes away has not answered.
func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		here, there := net.Pipe()
		ss, err := r.server.Connect(context.Background(), &mcp.IOTransport{Reader: there, Writer: there}, nil)
		require.NoError(t, err)
		client := mcp.NewClient(program, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				here.Close()
				return response("accept", yes), nil
			},
		})
		cs, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: here, Writer: here}, &mcp.ClientSessionOptions{ProtocolVersion: revisionTitles})
		require.NoError(t, err)
		_, err = cs.CallTool(context.Background(), params(envelope(confirmDelete)))
		assert.Error(t, err)
		got := <-r.answers
		silent(t, got.answer)
		assert.Error(t, got.err)
		assert.Equal(t, Unanswered, got.answer.Outcome)
		ss.Wait()
	})
}

// A client that asks for progress hears of it while it waits, and not after.
func TestProgress(t *testing.T) {
	for _, test := range []struct {
		wanted bool
		after  time.Duration // how long the person takes
		times  int           // how often the client hears of it
	}{
		{true, progressInterval - 1, 0},
		{true, progressInterval + 1, 1},
		{true, 3*progressInterval - 1, 2},
		{true, 3*progressInterval + 1, 3},
		{false, 3*progressInterval + 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			heard := 0
			cs := connect(t, r.server, revisionTitles, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					time.Sleep(test.after)
					return response("accept", yes), nil
				},
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
					heard++
					assert.Equal(t, "token", req.Params.ProgressToken)
					assert.EqualValues(t, heard, req.Params.Progress)
					assert.NotEmpty(t, req.Params.Message)
				},
			})
			p := params(envelope(confirmDelete))
			if test.wanted {
				p.SetProgressToken("token")
			}
			got, _ := r.call(cs, p)
			proceeds(t, got)
			time.Sleep(time.Minute)
			synctest.Wait()
			assert.Equal(t, test.times, heard, "%+v", test)
		})
	}
}
