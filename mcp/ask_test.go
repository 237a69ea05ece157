package clarifymcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a client sends, and what comes of it, over the wire of each revision.
func TestAccept(t *testing.T) {
	both := envelope(choice, confirmDelete)
	for name, test := range map[string]struct {
		envelope   string
		content    string
		old        string // the content for 2025-06-18, where it differs
		answers    string
		missing    string
		violations string
		proceed    bool
	}{
		"choice": {
			envelope: envelope(choice), content: `{"bucket":"uploads"}`,
			answers: `[{"id":"bucket","kind":"choice","values":["uploads"]}]`,
		},
		"optional choice left out": {
			envelope: envelope(optional(choice)), content: `{}`,
		},
		"optional choice, null":  {envelope: envelope(optional(choice)), content: `{"bucket":null}`},
		"optional choice, empty": {envelope: envelope(optional(choice)), content: `{"bucket":""}`},
		"choice not offered": {
			envelope: envelope(choice), content: `{"bucket":"backups"}`,
			missing: "bucket", violations: "answers[0].values[0] unknown_option",
		},
		"choice by its label": {
			envelope: envelope(choice), content: `{"bucket":"Uploads"}`,
			missing: "bucket", violations: "answers[0].values[0] unknown_option",
		},
		"choice in a list": {
			envelope: envelope(choice), content: `{"bucket":["uploads"]}`,
			missing: "bucket", violations: "answers[0].values[0] wrong_type",
		},
		"choice by its number": {
			envelope: envelope(choice), content: `{"bucket":1}`,
			missing: "bucket", violations: "answers[0].values[0] wrong_type",
		},
		"choices": {
			envelope: envelope(choices), content: `{"regions":["syd","fra"]}`,
			old:     `{"regions:fra":false,"regions:nyc":true,"regions:syd":true}`,
			answers: `[{"id":"regions","kind":"choice","values":["syd","fra"]}]`,
		},
		"choices, one twice": {
			envelope: envelope(choices), content: `{"regions":["fra","nyc","fra"]}`,
			old:     `{"regions:fra":true,"regions:nyc":true,"regions:syd":null}`,
			answers: `[{"id":"regions","kind":"choice","values":["fra","nyc"]}]`,
		},
		"choices, one not offered": {
			envelope: envelope(choices), content: `{"regions":["fra","mars"]}`,
			old:     `{"regions:fra":true,"regions:nyc":"true"}`,
			answers: `[{"id":"regions","kind":"choice","values":["fra"]}]`, violations: "answers[0].values[1] !",
		},
		"choices as a string": {
			envelope: envelope(choices), content: `{"regions":"fra"}`,
			old:     `{"regions:fra":"true"}`,
			missing: "regions", violations: "!",
		},
		"no choices": {
			envelope: envelope(choices), content: `{"regions":[]}`,
			old: `{"regions:fra":false,"regions:nyc":false,"regions:syd":false}`, missing: "regions",
		},
		"optional, no choices": {
			envelope: envelope(optional(choices)), content: `{"regions":[]}`,
			old: `{"regions:fra":false}`,
		},
		"confirm": {
			envelope: envelope(confirmDelete), content: `{"ok":true}`,
			answers: `[{"id":"ok","kind":"confirm","confirmed":true}]`, proceed: true,
		},
		"confirm, no": {
			envelope: envelope(confirmDelete), content: `{"ok":false}`,
			answers: `[{"id":"ok","kind":"confirm","confirmed":false}]`,
		},
		"confirm without content": {envelope: envelope(confirmDelete), missing: "ok"},
		"confirm left out":        {envelope: envelope(confirmDelete), content: `{}`, missing: "ok"},
		"confirm, null":           {envelope: envelope(confirmDelete), content: `{"ok":null}`, missing: "ok"},
		"confirm, empty":          {envelope: envelope(confirmDelete), content: `{"ok":""}`, missing: "ok"},
		"confirm in words": {
			envelope: envelope(confirmDelete), content: `{"ok":"true"}`,
			missing: "ok", violations: "answers[0].confirmed wrong_type",
		},
		"confirm as a number": {
			envelope: envelope(confirmDelete), content: `{"ok":1}`,
			missing: "ok", violations: "answers[0].confirmed wrong_type",
		},
		"confirm in a list": {
			envelope: envelope(confirmDelete), content: `{"ok":[true]}`,
			missing: "ok", violations: "answers[0].confirmed wrong_type",
		},
		"confirm in an object": {
			envelope: envelope(confirmDelete), content: `{"ok":{"confirmed":true}}`,
			missing: "ok", violations: "answers[0].confirmed wrong_type",
		},
		"confirm in another case": {
			envelope: envelope(confirmDelete), content: `{"OK":true}`,
			missing: "ok", violations: "answers[0].id unknown_id",
		},
		"confirm with a NUL": {
			envelope: envelope(confirmDelete), content: `{"ok\u0000":true}`,
			missing: "ok", violations: "answers[0].id unknown_id",
		},
		"confirm with a space": {
			envelope: envelope(confirmDelete), content: `{"ok ":true}`,
			missing: "ok", violations: "answers[0].kind missing",
		},
		"confirm, and a key more": {
			envelope: envelope(confirmDelete), content: `{"ok":true,"also":true}`,
			answers: `[{"id":"ok","kind":"confirm","confirmed":true}]`, violations: "answers[1].id unknown_id",
		},
		"keys more": {
			envelope: envelope(confirmDelete), content: `{"z":1,"ok":true,"":2,"a":3}`,
			answers:    `[{"id":"ok","kind":"confirm","confirmed":true}]`,
			violations: "answers[1].id blank, answers[2].id unknown_id, answers[3].id unknown_id",
		},
		"optional danger left out": {envelope: envelope(optional(confirmDelete)), content: `{}`},
		"a good answer and a bad one": {
			envelope: both, content: `{"bucket":"avatars","ok":"yes"}`,
			answers: `[{"id":"bucket","kind":"choice","values":["avatars"]}]`,
			missing: "ok", violations: "answers[1].confirmed wrong_type",
		},
		"one of two": {
			envelope: both, content: `{"ok":true}`,
			answers: `[{"id":"ok","kind":"confirm","confirmed":true}]`, missing: "bucket",
		},
		"both": {
			envelope: both, content: `{"ok":true,"bucket":"avatars"}`,
			answers: `[{"id":"bucket","kind":"choice","values":["avatars"]},{"id":"ok","kind":"confirm","confirmed":true}]`, proceed: true,
		},
		"text": {
			envelope: envelope(textPrompt), content: `{"name":" a\n<b>\u2028"}`,
			answers: `[{"id":"name","kind":"text","value":" a\n<b>` + "\u2028" + `"}]`,
		},
		"text left out":           {envelope: envelope(textPrompt), content: `{}`, missing: "name"},
		"text without content":    {envelope: envelope(textPrompt), missing: "name"},
		"text, empty":             {envelope: envelope(textPrompt), content: `{"name":""}`, missing: "name"},
		"text, blank":             {envelope: envelope(textPrompt), content: `{"name":" \t"}`, missing: "name", violations: "answers[0].value blank"},
		"text as a number":        {envelope: envelope(textPrompt), content: `{"name":1}`, missing: "name", violations: "answers[0].value wrong_type"},
		"optional text left out":  {envelope: envelope(optional(textPrompt)), content: `{}`},
		"optional text, empty":    {envelope: envelope(optional(textPrompt)), content: `{"name":""}`},
		"optional text, the same": {envelope: envelope(optional(textPrompt)), content: `{"name":"db"}`, answers: `[{"id":"name","kind":"text","value":"db"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, revision := range revisions {
				content := test.content
				answers := test.answers
				if revision < revisionTitles && test.old != "" {
					content = test.old
					answers = strings.Replace(answers, `"syd","fra"`, `"nyc","syd"`, 1) // in the order of the options
				}
				r := newRig(t, nil)
				got, said := r.ask(r.connect(revision, gives("accept", content)), test.envelope)
				if got.err != nil {
					t.Fatalf("%s: %v", revision, got.err)
				}
				reply := got.answer
				if reply.Outcome != Accepted {
					t.Errorf("%s: %v", revision, reply.Outcome)
				}
				if reply.Source() != clarify.SourceStructured {
					t.Errorf("%s: read as %v", revision, reply.Source())
				}
				if got := answersOf(reply.Reply); got != answers {
					t.Errorf("%s: answers %s, want %s", revision, got, answers)
				}
				if got := strings.Join(reply.Missing(), ","); got != test.missing {
					t.Errorf("%s: missing %q, want %q", revision, got, test.missing)
				}
				// Where revisions differ, "!" says that there is one.
				where, any := strings.CutSuffix(test.violations, "!")
				if got := violationsOf(reply.Reply); any && (len(reply.Violations()) != 1 || !strings.HasPrefix(got, where)) || !any && got != test.violations {
					t.Errorf("%s: violations %q, want %q", revision, got, test.violations)
				}
				if reply.Proceed() != test.proceed {
					t.Errorf("%s: proceed is %v", revision, reply.Proceed())
				}
				want := reply.Reply.ForModel()
				if test.proceed {
					want = "acted"
				}
				if said != want {
					t.Errorf("%s: the tool said %q, want %q", revision, said, want)
				}
			}
		})
	}
}

// No action but accept is an answer, and what comes with it counts for nothing.
func TestOutcomes(t *testing.T) {
	const yes = `{"ok":true}`
	for _, revision := range revisions {
		for _, test := range []struct {
			action, content string
			want            Outcome
			err             error
			said            string
		}{
			{"decline", "", Declined, nil, "reply: the user declined to answer: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"decline", yes, Declined, nil, "reply: the user declined to answer: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"cancel", "", Cancelled, nil, "reply: the user closed the form: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"cancel", yes, Cancelled, nil, "reply: the user closed the form: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"", yes, Unanswered, ErrResponse, "reply: nobody has answered yet: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"Accept", yes, Unanswered, ErrResponse, "reply: nobody has answered yet: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"accepted", yes, Unanswered, ErrResponse, "reply: nobody has answered yet: nothing is answered, confirmed or refused\nproceed: no\n"},
			{"approve", yes, Unanswered, ErrResponse, "reply: nobody has answered yet: nothing is answered, confirmed or refused\nproceed: no\n"},
		} {
			t.Run(revision+" "+test.action+test.content, func(t *testing.T) {
				r := newRig(t, nil)
				got, said := r.ask(r.connect(revision, gives(test.action, test.content)), envelope(confirmDelete))
				if !errors.Is(got.err, test.err) || got.answer.Outcome != test.want {
					t.Errorf("got %v, %v, want %v, %v", got.answer.Outcome, got.err, test.want, test.err)
				}
				if said != test.said {
					t.Errorf("said %q", said)
				}
				silent(t, got.answer)
			})
		}
	}
}

// What is too large for a message is refused, not read as chat.
func TestTooLarge(t *testing.T) {
	for _, revision := range revisions {
		r := newRig(t, nil)
		got, _ := r.ask(r.connect(revision, gives("accept", `{"ok":"`+strings.Repeat("x", clarify.MaxSize)+`"}`)), envelope(confirmDelete))
		if !errors.Is(got.err, ErrResponse) {
			t.Errorf("%s: error %v", revision, got.err)
		}
		silent(t, got.answer)
	}
}

// silent fails unless the answer answers nothing at all.
func silent(t *testing.T, a Answer) {
	t.Helper()
	if a.Proceed() || a.Complete() || a.Decision("ok") != clarify.Undecided || answersOf(a.Reply) != "" {
		t.Errorf("an answer: %s", a.ForModel())
	}
}

func TestZeroAnswer(t *testing.T) {
	var a Answer
	silent(t, a)
	if a.Outcome != Unanswered {
		t.Errorf("outcome %v", a.Outcome)
	}
	if got, want := said(t, a.Result()), a.ForModel(); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	var names []string
	for o := range TimedOut + 1 {
		names = append(names, o.String())
	}
	if got := strings.Join(names, ", "); got != "unanswered, accepted, declined, cancelled, timed out" {
		t.Error(got)
	}
}

// The client that cannot show a form, and the envelope that is not valid, are
// errors before anything is asked.
func TestNotAsked(t *testing.T) {
	invalid := envelope(strings.Replace(confirmDelete, `"ok"`, `"Not an id"`, 1))
	yes := &mcp.ElicitationCapabilities{}
	for name, test := range map[string]struct {
		can      *mcp.ElicitationCapabilities
		envelope string
		err      error
		code     clarify.Code
	}{
		"no elicitation": {nil, envelope(confirmDelete), ErrNoForm, ""},
		"URLs only":      {&mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}, envelope(confirmDelete), ErrNoForm, ""},
		"a bad id":       {yes, invalid, nil, clarify.CodeBadID},
		"not read whole": {yes, envelope(confirmDelete, `{"id":"x","kind":"slider","question":"?"}`), nil, clarify.CodeIncomplete},
	} {
		for _, revision := range revisions {
			t.Run(name+" "+revision, func(t *testing.T) {
				r := newRig(t, nil)
				who := nobody(t)
				cs := r.connectWith(revision, test.can, func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) { return who(p), nil })
				got, _ := r.ask(cs, test.envelope)
				silent(t, got.answer)
				if test.err != nil && !errors.Is(got.err, test.err) {
					t.Errorf("error %v, want %v", got.err, test.err)
				}
				var invalid *clarify.ValidationError
				if test.code != "" && (!errors.As(got.err, &invalid) || invalid.Violations[0].Code != test.code) {
					t.Errorf("error %v, want %v", got.err, test.code)
				}
			})
		}
	}
	t.Run("nil", func(t *testing.T) {
		var invalid *clarify.ValidationError
		if _, err := newRig(t, nil).asker.Ask(context.Background(), &mcp.CallToolRequest{}, nil); !errors.As(err, &invalid) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no handshake", func(t *testing.T) {
		req := &mcp.CallToolRequest{Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{
			Meta: mcp.Meta{mcp.MetaKeyClientCapabilities: map[string]any{"elicitation": map[string]any{}}},
		}}
		if _, err := newRig(t, nil).asker.Ask(context.Background(), req, parse(t, envelope(confirmDelete))); err != ErrNoForm {
			t.Errorf("error %v", err)
		}
	})
	t.Run("both modes", func(t *testing.T) {
		for _, revision := range revisions[1:] {
			r := newRig(t, nil)
			can := &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
			got, _ := r.ask(r.connectWith(revision, can, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return response("accept", `{"ok":true}`), nil
			}), envelope(confirmDelete))
			if got.answer.Outcome != Accepted {
				t.Errorf("%s: %v, %v", revision, got.answer.Outcome, got.err)
			}
		}
	})
}

// What the client is shown is what the envelope means once it is trimmed, and
// what it chose is judged against the same.
func TestNormalised(t *testing.T) {
	for _, revision := range revisions {
		r := newRig(t, nil)
		r.server.AddTool(&mcp.Tool{Name: "blanks", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.asker.Ask(ctx, req, &clarify.Envelope{Prompts: []clarify.Prompt{{ID: " ok ", Question: "\tSure? ", Input: &clarify.Confirm{}}}})
			if err == nil && answer.pending == nil && answer.Decision("ok") != clarify.Confirmed {
				t.Errorf("%s: %v", revision, answer.ForModel())
			}
			return answer.Result(), err
		})
		asked := 0
		cs := r.connect(revision, func(p *mcp.ElicitParams) *mcp.ElicitResult {
			asked++
			if p.Message != "Sure?" {
				t.Errorf("message %q", p.Message)
			}
			return response("accept", `{"ok":true}`)
		})
		if _, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "blanks"}); err != nil {
			t.Error(err)
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	}
}

// Each form that is sent passes the checks of the SDK, on either side.
func TestFormsPass(t *testing.T) {
	prompts := []string{choice, choices, confirmDelete, textPrompt}
	content := `{"bucket":"avatars","regions":["fra"],"ok":true,"name":"x"}`
	for _, p := range slices.Clone(prompts) {
		prompts = append(prompts, strings.Replace(optional(p), `"id":"`, `"id":"o.`, 1))
	}
	for _, revision := range revisions[1:] {
		for from := 0; from < len(prompts); from += clarify.MaxPrompts {
			e := parse(t, envelope(prompts[from:min(from+clarify.MaxPrompts, len(prompts))]...))
			server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "v1"}, nil)
			asker := NewAsker(server, nil)
			server.AddTool(&mcp.Tool{Name: "act", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				answer, err := asker.Ask(ctx, req, e)
				return answer.Result(), err
			})
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "v1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					all := response("accept", content).Content
					required := req.Params.RequestedSchema.(map[string]any)["required"]
					for name := range all {
						if list, _ := required.([]any); !slices.Contains(list, any(name)) {
							delete(all, name)
						}
					}
					return &mcp.ElicitResult{Action: "accept", Content: all}, nil
				},
			})
			ctx := context.Background()
			ct, st := mcp.NewInMemoryTransports()
			if _, err := server.Connect(ctx, st, nil); err != nil {
				t.Fatal(err)
			}
			cs, err := client.Connect(ctx, ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			result, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "act"})
			if err != nil {
				t.Fatalf("%s: %v", revision, err)
			}
			if s := said(t, result); strings.Contains(s, "missing") || strings.Contains(s, "problem") {
				t.Errorf("%s: %s", revision, s)
			} else if from > 0 && strings.Contains(s, "answer: ") {
				t.Errorf("%s: what was left out is answered: %s", revision, s)
			}
			cs.Close()
		}
	}
}

// As many texts as there can be, as long as they can be, fit into a message;
// what does not is refused, not read as chat.
func TestLongTexts(t *testing.T) {
	var prompts []string
	content := map[string]any{}
	for i := range clarify.MaxPrompts {
		id := fmt.Sprintf("t%d", i)
		prompts = append(prompts, fmt.Sprintf(`{"id":%q,"kind":"text","question":"?"}`, id))
		content[id] = strings.Repeat("\x01", maxText)
	}
	f := form{parse(t, envelope(prompts...)), revisionRounds}
	reply, err := f.read(content)
	if err != nil || !reply.Complete() {
		t.Fatalf("%v", err)
	}
	if text, _ := reply.Text("t4"); text != content["t4"] {
		t.Error("another text")
	}
	content["t0"] = strings.Repeat("x", clarify.MaxSize)
	if _, err := f.read(content); !errors.Is(err, ErrResponse) {
		t.Errorf("error %v", err)
	}
	if len(content) != clarify.MaxPrompts {
		t.Error("read changes the content")
	}
	if _, err := f.read(map[string]any{"t0": func() {}}); !errors.Is(err, ErrResponse) {
		t.Errorf("error %v", err)
	}
}

// Many people at once, each of whom gets the answer to their own question.
func TestConcurrent(t *testing.T) {
	const clients, calls = 8, 10
	r := newRig(t, nil)
	r.answers = make(chan outcome, clients*calls)
	for _, revision := range revisions {
		var wg sync.WaitGroup
		for i := range clients {
			cs := r.connect(revision, func(p *mcp.ElicitParams) *mcp.ElicitResult {
				var schema struct{ Required []string }
				b, _ := json.Marshal(p.RequestedSchema)
				if err := json.Unmarshal(b, &schema); err != nil {
					t.Error(err)
				}
				return response("accept", fmt.Sprintf(`{%q:%q}`, schema.Required[0], p.Message))
			})
			for j := range calls {
				wg.Go(func() {
					id := fmt.Sprintf("q%d.%d", i, j)
					result, err := cs.CallTool(context.Background(), params(envelope(fmt.Sprintf(`{"id":%q,"kind":"text","question":"Who is %s?"}`, id, id))))
					if err != nil {
						t.Error(err)
						return
					}
					want := fmt.Sprintf("reply: 1 answer of the user to the questions\nanswer: %q: wrote \"Who is %s?\"\n", id, id)
					if got := result.Content[0].(*mcp.TextContent).Text; got != want {
						t.Errorf("%s: said %q, want %q", revision, got, want)
					}
				})
			}
		}
		wg.Wait()
		if len(r.answers) != clients*calls {
			t.Errorf("%s: %d answers", revision, len(r.answers))
		}
		for len(r.answers) > 0 {
			<-r.answers
		}
	}
}

func TestOtherServer(t *testing.T) {
	r := newRig(t, nil)
	r.asker = newRig(t, nil).asker
	got, _ := r.ask(r.connect(revisionTitles, gives("accept", `{"ok":true}`)), envelope(confirmDelete))
	silent(t, got.answer)
	if got.err == nil || !strings.Contains(got.err.Error(), "another server") {
		t.Errorf("error %v", got.err)
	}
}

func TestTwoAskers(t *testing.T) {
	for _, revision := range revisions {
		r := newRig(t, nil)
		NewAsker(r.server, nil)
		if got, _ := r.ask(r.connect(revision, gives("accept", `{"ok":true}`)), envelope(confirmDelete)); !got.answer.Proceed() {
			t.Errorf("%s: %s", revision, got.answer.ForModel())
		}
	}
}

// What else the server asks is not touched.
func TestOtherElicitation(t *testing.T) {
	r := newRig(t, nil)
	r.server.AddTool(&mcp.Tool{Name: "other", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		response, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: text(fmt.Sprint(response.Content))}, nil
	})
	result, err := r.connect(revisionTitles, gives("accept", `{"a":"b"}`)).CallTool(context.Background(), &mcp.CallToolParams{Name: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(t, result); got != "map[a:b]" {
		t.Error(got)
	}
}

// The client's error is an error of the call, and not an answer.
func TestClientError(t *testing.T) {
	r := newRig(t, nil)
	cs := r.connectWith(revisionTitles, &mcp.ElicitationCapabilities{}, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return nil, errors.New("no screen")
	})
	got, _ := r.ask(cs, envelope(confirmDelete))
	silent(t, got.answer)
	if got.err == nil || !strings.Contains(got.err.Error(), "no screen") {
		t.Errorf("error %v", got.err)
	}
}
