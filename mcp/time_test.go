package clarifymcp

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// slow is a person who takes their time; withdrawn is told when the form is.
func slow(after time.Duration, withdrawn chan<- time.Duration) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		start := time.Now()
		select {
		case <-time.After(after):
		case <-ctx.Done():
			withdrawn <- time.Since(start)
			time.Sleep(after - time.Since(start)) // and answers all the same
		}
		return response("accept", `{"ok":true}`), nil
	}
}

// bubble runs the test on a clock of its own, with a client of a slow person.
func bubble(t *testing.T, options *Options, revision string, after time.Duration, test func(r *rig, cs *mcp.ClientSession, withdrawn <-chan time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		withdrawn := make(chan time.Duration, 1)
		r := newRig(t, options)
		cs := r.connectWith(revision, &mcp.ElicitationCapabilities{}, slow(after, withdrawn))
		test(r, cs, withdrawn)
		time.Sleep(2 * after) // whatever comes late is there now
		if len(r.answers) != 0 {
			t.Error("a late answer")
		}
	})
}

func TestSlowPerson(t *testing.T) {
	for _, revision := range revisions[:2] {
		// In time, if only just.
		bubble(t, nil, revision, DefaultTimeout-time.Second, func(r *rig, cs *mcp.ClientSession, _ <-chan time.Duration) {
			if got, _ := r.ask(cs, envelope(confirmDelete)); !got.answer.Proceed() {
				r.t.Errorf("%v, %v", got.answer.Outcome, got.err)
			}
		})
		// Too late: the model learns it while its client still waits, the form
		// is withdrawn, and what is sent after that is nothing.
		bubble(t, nil, revision, time.Hour, func(r *rig, cs *mcp.ClientSession, withdrawn <-chan time.Duration) {
			start := time.Now()
			got, said := r.ask(cs, envelope(confirmDelete))
			if took := time.Since(start); took != DefaultTimeout {
				r.t.Errorf("took %v", took)
			}
			if got.err != nil || got.answer.Outcome != TimedOut {
				r.t.Errorf("%v, %v", got.answer.Outcome, got.err)
			}
			silent(r.t, got.answer)
			if said != "reply: the user did not answer in time, and the form was withdrawn: nothing is answered, confirmed or refused\nproceed: no\n" {
				r.t.Errorf("said %q", said)
			}
			if at := <-withdrawn; at != DefaultTimeout {
				r.t.Errorf("withdrawn after %v", at)
			}
		})
		// As long as the server is told to wait.
		bubble(t, &Options{Timeout: 2 * time.Hour}, revision, time.Hour, func(r *rig, cs *mcp.ClientSession, _ <-chan time.Duration) {
			if got, _ := r.ask(cs, envelope(confirmDelete)); !got.answer.Proceed() {
				r.t.Errorf("%v, %v", got.answer.Outcome, got.err)
			}
		})
	}
	// With rounds nobody waits.
	bubble(t, nil, revisionRounds, stateLife-time.Minute, func(r *rig, cs *mcp.ClientSession, _ <-chan time.Duration) {
		if got, _ := r.ask(cs, envelope(confirmDelete)); !got.answer.Proceed() {
			r.t.Errorf("%v, %v", got.answer.Outcome, got.err)
		}
	})
	bubble(t, nil, revisionRounds, stateLife+time.Minute, func(r *rig, cs *mcp.ClientSession, _ <-chan time.Duration) {
		got, _ := r.ask(cs, envelope(confirmDelete))
		refused(r.t, got, ErrState)
	})
}

// A client that gives up first gets nothing, and what its person says after
// that is nothing either.
func TestImpatientClient(t *testing.T) {
	bubble(t, nil, revisionTitles, time.Minute, func(r *rig, cs *mcp.ClientSession, withdrawn <-chan time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if _, err := cs.CallTool(ctx, params(envelope(confirmDelete))); !errors.Is(err, context.DeadlineExceeded) {
			r.t.Errorf("error %v", err)
		}
		got := <-r.answers
		silent(r.t, got.answer)
		if !errors.Is(got.err, context.Canceled) || !strings.Contains(got.err.Error(), "gave up") {
			r.t.Errorf("error %v", got.err)
		}
		if at := <-withdrawn; at != 5*time.Second {
			r.t.Errorf("withdrawn after %v", at)
		}
	})
}

// A client that goes away has not answered.
func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		here, there := net.Pipe()
		ss, err := r.server.Connect(context.Background(), &mcp.IOTransport{Reader: there, Writer: there}, nil)
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				here.Close()
				return response("accept", `{"ok":true}`), nil
			},
		})
		cs, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: here, Writer: here}, &mcp.ClientSessionOptions{ProtocolVersion: revisionTitles})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cs.CallTool(context.Background(), params(envelope(confirmDelete))); err == nil {
			t.Error("the client has a result")
		}
		got := <-r.answers
		silent(t, got.answer)
		if got.err == nil || got.answer.Outcome != Unanswered {
			t.Errorf("%v, %v", got.answer.Outcome, got.err)
		}
		ss.Wait()
	})
}

// A client that asks for progress hears of it while it waits, and not after.
func TestProgress(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			var at []time.Duration
			start := time.Now()
			client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, &mcp.ClientOptions{
				ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					time.Sleep(3*progressInterval + time.Second)
					return response("accept", `{"ok":true}`), nil
				},
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
					at = append(at, time.Since(start))
					if p := req.Params; p.ProgressToken != "token" || p.Progress != float64(len(at)) || p.Message == "" {
						t.Errorf("progress %+v", p)
					}
				},
			})
			ct, st := mcp.NewInMemoryTransports()
			ss, err := r.server.Connect(context.Background(), st, nil)
			if err != nil {
				t.Fatal(err)
			}
			cs, err := client.Connect(context.Background(), ct, &mcp.ClientSessionOptions{ProtocolVersion: revisionTitles})
			if err != nil {
				t.Fatal(err)
			}
			p := params(envelope(confirmDelete))
			if wanted {
				p.SetProgressToken("token")
			}
			if _, err := cs.CallTool(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			if got := <-r.answers; !got.answer.Proceed() {
				t.Errorf("%v, %v", got.answer.Outcome, got.err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if wanted && (len(at) != 3 || at[0] != progressInterval || at[2] != 3*progressInterval) || !wanted && len(at) != 0 {
				t.Errorf("progress at %v", at)
			}
			cs.Close()
			ss.Close()
		})
	}
}
