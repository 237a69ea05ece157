package clarifymcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each row is what a client sends, and how it is read, over the wire of each
// revision.
func TestAccept(t *testing.T) {
	both := envelope(choice, confirmDelete)
	for name, test := range map[string]struct {
		envelope      string
		content       string
		old           string // the content for 2025-06-18, where it differs
		answers       string
		missing       string
		violations    string
		oldViolations string // where they differ
		proceed       bool
	}{
		"choice":                   {envelope: envelope(choice), content: `{"bucket":"uploads"}`, answers: `[{"id":"bucket","kind":"choice","values":["uploads"]}]`},
		"optional choice left out": {envelope: envelope(optional(choice)), content: `{}`},
		"optional choice, null":    {envelope: envelope(optional(choice)), content: `{"bucket":null}`},
		"optional choice, empty":   {envelope: envelope(optional(choice)), content: `{"bucket":""}`},
		"choice not offered":       {envelope: envelope(choice), content: `{"bucket":"backups"}`, missing: "bucket", violations: "answers[0].values[0] unknown_option"},
		"choice by its label":      {envelope: envelope(choice), content: `{"bucket":"Uploads"}`, missing: "bucket", violations: "answers[0].values[0] unknown_option"},
		"choice in a list":         {envelope: envelope(choice), content: `{"bucket":["uploads"]}`, missing: "bucket", violations: "answers[0].values[0] wrong_type"},
		"choice by its number":     {envelope: envelope(choice), content: `{"bucket":1}`, missing: "bucket", violations: "answers[0].values[0] wrong_type"},
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
			old:        `{"regions:fra":true,"regions:nyc":"true"}`,
			missing:    "regions",
			violations: "answers[0].values[1] unknown_option", oldViolations: "answers[0].values[1] wrong_type",
		},
		"choices as a string": {
			envelope: envelope(choices), content: `{"regions":"fra"}`,
			old:     `{"regions:fra":"true"}`,
			missing: "regions", violations: "answers[0].values wrong_type", oldViolations: "answers[0].values[0] wrong_type",
		},
		"no choices":              {envelope: envelope(choices), content: `{"regions":[]}`, old: `{"regions:fra":false,"regions:nyc":false,"regions:syd":false}`, missing: "regions"},
		"optional, no choices":    {envelope: envelope(optional(choices)), content: `{"regions":[]}`, old: `{"regions:fra":false}`},
		"confirm":                 {envelope: envelope(confirmDelete), content: `{"ok":true}`, answers: `[{"id":"ok","kind":"confirm","confirmed":true}]`, proceed: true},
		"confirm, no":             {envelope: envelope(confirmDelete), content: `{"ok":false}`, answers: `[{"id":"ok","kind":"confirm","confirmed":false}]`},
		"confirm without content": {envelope: envelope(confirmDelete), missing: "ok"},
		"confirm left out":        {envelope: envelope(confirmDelete), content: `{}`, missing: "ok"},
		"confirm, null":           {envelope: envelope(confirmDelete), content: `{"ok":null}`, missing: "ok"},
		"confirm, empty":          {envelope: envelope(confirmDelete), content: `{"ok":""}`, missing: "ok"},
		"confirm in words":        {envelope: envelope(confirmDelete), content: `{"ok":"true"}`, missing: "ok", violations: "answers[0].confirmed wrong_type"},
		"confirm as a number":     {envelope: envelope(confirmDelete), content: `{"ok":1}`, missing: "ok", violations: "answers[0].confirmed wrong_type"},
		"confirm in a list":       {envelope: envelope(confirmDelete), content: `{"ok":[true]}`, missing: "ok", violations: "answers[0].confirmed wrong_type"},
		"confirm in an object":    {envelope: envelope(confirmDelete), content: `{"ok":{"confirmed":true}}`, missing: "ok", violations: "answers[0].confirmed wrong_type"},
		"confirm in another case": {envelope: envelope(confirmDelete), content: `{"OK":true}`, missing: "ok", violations: "answers[0].id unknown_id"},
		"confirm with a NUL":      {envelope: envelope(confirmDelete), content: `{"ok\u0000":true}`, missing: "ok", violations: "answers[0].id unknown_id"},
		"confirm with a space":    {envelope: envelope(confirmDelete), content: `{"ok ":true}`, missing: "ok", violations: "answers[0].id unknown_id"},
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
		"one of two": {envelope: both, content: `{"ok":true}`, answers: `[{"id":"ok","kind":"confirm","confirmed":true}]`, missing: "bucket"},
		"both": {
			envelope: both, content: `{"ok":true,"bucket":"avatars"}`,
			answers: `[{"id":"bucket","kind":"choice","values":["avatars"]},{"id":"ok","kind":"confirm","confirmed":true}]`, proceed: true,
		},
		"text":                    {envelope: envelope(textPrompt), content: `{"name":" a\n<b>\u2028"}`, answers: `[{"id":"name","kind":"text","value":" a\n<b>` + "\u2028" + `"}]`},
		"text left out":           {envelope: envelope(textPrompt), content: `{}`, missing: "name"},
		"text without content":    {envelope: envelope(textPrompt), missing: "name"},
		"text, empty":             {envelope: envelope(textPrompt), content: `{"name":""}`, missing: "name"},
		"text, blank":             {envelope: envelope(textPrompt), content: `{"name":" \t"}`, missing: "name", violations: "answers[0].value blank"},
		"text as a number":        {envelope: envelope(textPrompt), content: `{"name":1}`, missing: "name", violations: "answers[0].value wrong_type"},
		"optional text left out":  {envelope: envelope(optional(textPrompt)), content: `{}`},
		"optional text, empty":    {envelope: envelope(optional(textPrompt)), content: `{"name":""}`},
		"optional text, the same": {envelope: envelope(optional(textPrompt)), content: `{"name":"db"}`, answers: `[{"id":"name","kind":"text","value":"db"}]`},
	} {
		for _, revision := range revisions {
			t.Run(name+" "+revision, func(t *testing.T) {
				content, answers, violations := test.content, test.answers, test.violations
				if revision < revisionTitles && test.old != "" {
					content, violations = test.old, cmp.Or(test.oldViolations, violations)
					answers = strings.Replace(answers, `"syd","fra"`, `"nyc","syd"`, 1) // in the order of the options
				}
				got, said := newRig(t, nil).ask(revision, gives("accept", content), test.envelope)
				require.NoError(t, got.err)
				reply := got.answer
				assert.Equal(t, Accepted, reply.Outcome)
				assert.Equal(t, clarify.SourceStructured, reply.Source())
				assert.Equal(t, answers, answersOf(reply.Reply))
				assert.Equal(t, test.missing, strings.Join(reply.Missing(), ","))
				assert.Equal(t, violations, violationsOf(reply.Reply))
				assert.Equal(t, test.proceed, reply.Proceed())
				want := reply.Reply.ForModel()
				if test.proceed {
					want = "acted"
				}
				assert.Equal(t, want, said)
			})
		}
	}
}

// Only the action accept is an answer. The content of any other counts for
// nothing.
func TestOutcomes(t *testing.T) {
	for _, revision := range revisions {
		for _, test := range []struct {
			action, content string
			want            Outcome
			err             error
			why             string
		}{
			{"decline", "", Declined, nil, "the user declined to answer"},
			{"decline", yes, Declined, nil, "the user declined to answer"},
			{"cancel", yes, Cancelled, nil, "the user closed the form"},
			{"", yes, Unanswered, ErrResponse, "nobody has answered yet"},
			{"Accept", yes, Unanswered, ErrResponse, "nobody has answered yet"},
			{"accepted", yes, Unanswered, ErrResponse, "nobody has answered yet"},
			{"approve", yes, Unanswered, ErrResponse, "nobody has answered yet"},
		} {
			t.Run(revision+" "+test.action+test.content, func(t *testing.T) {
				got, said := newRig(t, nil).ask(revision, gives(test.action, test.content), envelope(confirmDelete))
				refused(t, got, test.err)
				assert.Equal(t, test.want, got.answer.Outcome)
				assert.Equal(t, "reply: "+test.why+": nothing is answered, confirmed or refused\nproceed: no, because nothing was answered\n", said)
			})
		}
	}
}

// Content that is too large for a message is refused, not read as chat.
func TestTooLarge(t *testing.T) {
	for _, revision := range revisions {
		got, _ := newRig(t, nil).ask(revision, gives("accept", `{"ok":"`+strings.Repeat("x", clarify.MaxSize)+`"}`), envelope(confirmDelete))
		refused(t, got, ErrResponse)
	}
}

func TestZeroAnswer(t *testing.T) {
	var a Answer
	silent(t, a)
	assert.Equal(t, Unanswered, a.Outcome)
	assert.Equal(t, a.ForModel(), said(t, a.Result()))
	assert.Equal(t, "[unanswered accepted declined cancelled timed out]", fmt.Sprint([]Outcome{0, 1, 2, 3, TimedOut}))
}

// A client that cannot show a form and an envelope that is not valid are
// errors before anything is asked.
func TestNotAsked(t *testing.T) {
	for name, test := range map[string]struct {
		can      *mcp.ElicitationCapabilities
		envelope string
		code     clarify.Code // "" is ErrNoForm
	}{
		"no elicitation": {nil, envelope(confirmDelete), ""},
		"URLs only":      {&mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}, envelope(confirmDelete), ""},
		"a bad id":       {canShow, envelope(strings.Replace(confirmDelete, `"ok"`, `"Not an id"`, 1)), clarify.CodeBadID},
		"not read whole": {canShow, envelope(confirmDelete, `{"id":"x","kind":"slider","question":"?"}`), clarify.CodeIncomplete},
	} {
		for _, revision := range revisions {
			t.Run(name+" "+revision, func(t *testing.T) {
				r := newRig(t, nil)
				got, _ := r.call(r.connect(revision, test.can, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					t.Error("the client was asked")
					return response("cancel", ""), nil
				}), params(test.envelope))
				silent(t, got.answer)
				if test.code == "" {
					assert.ErrorIs(t, got.err, ErrNoForm)
					return
				}
				var invalid *clarify.ValidationError
				require.ErrorAs(t, got.err, &invalid)
				assert.Equal(t, test.code, invalid.Violations[0].Code)
			})
		}
	}
	asker := newRig(t, nil).asker
	t.Run("nil", func(t *testing.T) {
		var invalid *clarify.ValidationError
		_, err := asker.Ask(t.Context(), &mcp.CallToolRequest{}, nil)
		assert.ErrorAs(t, err, &invalid)
	})
	t.Run("no handshake", func(t *testing.T) {
		_, err := asker.Ask(t.Context(), &mcp.CallToolRequest{Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{
			Meta: mcp.Meta{mcp.MetaKeyClientCapabilities: map[string]any{"elicitation": map[string]any{}}},
		}}, parse(t, envelope(confirmDelete)))
		assert.Equal(t, ErrNoForm, err)
	})
	t.Run("both modes", func(t *testing.T) {
		for _, revision := range revisions[1:] {
			r := newRig(t, nil)
			can := &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
			got, _ := r.call(r.connect(revision, can, gives("accept", yes)), params(envelope(confirmDelete)))
			assert.Equal(t, Accepted, got.answer.Outcome, got.err)
		}
	})
}

// The client is shown the trimmed envelope, and its answer is read against the
// same envelope.
func TestNormalised(t *testing.T) {
	for _, revision := range revisions {
		r := newRig(t, nil)
		r.server.AddTool(tool("blanks"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.asker.Ask(ctx, req, &clarify.Envelope{Prompts: []clarify.Prompt{{ID: " ok ", Question: "\tSure? ", Input: &clarify.Confirm{}}}})
			if err == nil && answer.pending == nil {
				assert.Equal(t, clarify.Confirmed, answer.Decision("ok"), answer.ForModel())
			}
			return answer.Result(), err
		})
		var shown []string
		cs := r.connect(revision, canShow, func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			shown = append(shown, p.Message)
			return response("accept", yes), nil
		})
		_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "blanks"})
		assert.NoError(t, err)
		assert.Equal(t, []string{"Sure?"}, shown)
	}
}

// Every form passes the checks of the SDK, on both sides.
func TestFormsPass(t *testing.T) {
	prompts := []string{choice, choices, confirmDelete, textPrompt}
	for _, p := range slices.Clone(prompts) {
		prompts = append(prompts, strings.Replace(optional(p), `"id":"`, `"id":"o.`, 1))
	}
	for _, revision := range revisions[1:] {
		for page := range slices.Chunk(prompts, clarify.MaxPrompts) {
			r := newRig(t, nil)
			got, _ := r.call(connect(t, r.server, revision, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					result := response("accept", `{"bucket":"avatars","regions":["fra"],"ok":true,"name":"x"}`)
					required, _ := req.Params.RequestedSchema.(map[string]any)["required"].([]any)
					maps.DeleteFunc(result.Content, func(name string, _ any) bool { return !slices.Contains(required, any(name)) })
					return result, nil
				},
			}), params(envelope(page...)))
			require.NoError(t, got.err)
			assert.Empty(t, got.answer.Missing())
			assert.Empty(t, got.answer.Violations())
			assert.Equal(t, page[0] == choice, answersOf(got.answer.Reply) != "", "what was left out is answered")
		}
	}
}

// The longest answers to the most texts fit into a message. A larger one is
// refused, not read as chat.
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
	require.NoError(t, err)
	require.Equal(t, clarify.StateComplete, reply.State())
	text, _ := reply.Text("t4")
	assert.True(t, text == content["t4"])
	content["t0"] = strings.Repeat("x", clarify.MaxSize)
	_, err = f.read(content)
	assert.ErrorIs(t, err, ErrResponse)
	assert.True(t, len(content) == clarify.MaxPrompts, "read changes the content")
	_, err = f.read(map[string]any{"t0": func() {}})
	assert.ErrorIs(t, err, ErrResponse)
}

// Each of many people at once gets the answer to their own question.
func TestConcurrent(t *testing.T) {
	const clients, calls = 8, 10
	for _, revision := range revisions {
		r := newRig(t, nil)
		var wg sync.WaitGroup
		for i := range clients {
			cs := r.connect(revision, canShow, func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				var schema struct{ Required []string }
				b, _ := json.Marshal(p.RequestedSchema)
				assert.NoError(t, json.Unmarshal(b, &schema))
				return response("accept", fmt.Sprintf(`{%q:%q}`, schema.Required[0], p.Message)), nil
			})
			for j := range calls {
				wg.Go(func() {
					id := fmt.Sprintf("q%d.%d", i, j)
					result, err := cs.CallTool(t.Context(), params(envelope(fmt.Sprintf(`{"id":%q,"kind":"text","question":"Who is %s?"}`, id, id))))
					if assert.NoError(t, err) {
						want := fmt.Sprintf("reply: 1 answer of the user to the questions\nanswer: %q (\"Who is %s?\"): wrote \"Who is %s?\"\n", id, id, id)
						assert.Equal(t, text(want), result.Content)
					}
				})
			}
		}
		wg.Wait()
		assert.Len(t, r.answers, clients*calls)
	}
}

func TestOtherServer(t *testing.T) {
	r := newRig(t, nil)
	r.asker = newRig(t, nil).asker
	got, _ := r.ask(revisionTitles, gives("accept", yes), envelope(confirmDelete))
	silent(t, got.answer)
	assert.ErrorContains(t, got.err, "another server")
}

func TestTwoAskers(t *testing.T) {
	for _, revision := range revisions {
		r := newRig(t, nil)
		NewAsker(r.server, nil)
		got, _ := r.ask(revision, gives("accept", yes), envelope(confirmDelete))
		proceeds(t, got)
	}
}

// The asker leaves other forms of the server alone.
func TestOtherElicitation(t *testing.T) {
	r := newRig(t, nil)
	r.server.AddTool(tool("other"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		response, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: text(fmt.Sprint(response.Content))}, nil
	})
	result, err := r.connect(revisionTitles, canShow, gives("accept", `{"a":"b"}`)).CallTool(t.Context(), &mcp.CallToolParams{Name: "other"})
	require.NoError(t, err)
	assert.Equal(t, "map[a:b]", said(t, result))
}

// The client's error is an error of the call, and not an answer.
func TestClientError(t *testing.T) {
	got, _ := newRig(t, nil).ask(revisionTitles, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return nil, errors.New("no screen")
	}, envelope(confirmDelete))
	silent(t, got.answer)
	assert.ErrorContains(t, got.err, "no screen")
}
