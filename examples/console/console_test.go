package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// long reports whether the load and crash tests run in full.
var long = os.Getenv("CLARIFY_LONG") != ""

// TestMain runs the program itself if a test starts the test binary again.
func TestMain(m *testing.M) {
	if os.Getenv("CLARIFY_CONSOLE_CHILD") != "" {
		if os.Getenv("CLARIFY_CONSOLE_HASTY") != "" {
			stopTimeout = 300 * time.Millisecond
		}
		main()
		return
	}
	log.SetOutput(io.Discard) // the tests break things on purpose
	code := m.Run()
	if testCluster.stop != nil {
		testCluster.stop()
	}
	os.Exit(code)
}

// A site is a Console with an engine, and a client that acts as a browser.
type site struct {
	*testing.T
	url     string
	file    string // the database
	store   *store
	console *console
	engine  *engine
	client  *http.Client
}

// newSite runs both halves. If between is not nil, it wraps the engine.
func newSite(t *testing.T, between func(http.Handler) http.Handler) *site {
	t.Helper()
	s := &site{T: t, file: filepath.Join(t.TempDir(), "console.db")}
	s.store = testStore(t, s.file)
	s.engine = &engine{script, s.store}
	var h http.Handler = s.engine
	if between != nil {
		h = between(h)
	}
	engine := httptest.NewServer(protect(h, true))
	t.Cleanup(engine.Close)
	s.open(engine.URL)
	return s
}

// newForeignSite runs the Console with another engine, which sends these events
// in every turn.
func newForeignSite(t *testing.T, events ...clarify.Event) *site {
	t.Helper()
	return newSiteWith(t, func(w http.ResponseWriter, r *http.Request) {
		for _, ev := range append(slices.Clone(events), clarify.Event{Type: eventTurnEnd}) {
			writeEvent(w, "", string(ev.AppendJSON(nil)))
		}
	})
}

// newSiteWith runs the Console with another engine.
func newSiteWith(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{T: t, store: testStore(t, filepath.Join(t.TempDir(), "console.db"))}
	engine := httptest.NewServer(h)
	t.Cleanup(engine.Close)
	s.open(engine.URL)
	return s
}

func (s *site) open(engineURL string) {
	s.Helper()
	c := newConsole(s.store, engineURL)
	c.patience = time.Minute // so that a page shows the whole turn, also on a busy machine
	server := httptest.NewServer(protect(c.handler(), true))
	s.Cleanup(func() {
		server.Close()
		c.Close()
	})
	s.console, s.url = c, server.URL
	s.client = newClient(s.T)
}

// newClient returns a client that follows no redirect.
func newClient(t *testing.T) *http.Client {
	client := &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 500},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// do sends a request and returns the response with its body.
func (s *site) do(method, address, data string, header ...string) (resp *http.Response, body string, err error) {
	req, err := http.NewRequest(method, address, strings.NewReader(data))
	if err != nil {
		return nil, "", err
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err = s.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

// send sends a form, if there is one, and returns where the response leads.
func (s *site) send(method, path string, form url.Values, header ...string) (status int, body, location string, err error) {
	if form != nil {
		header = append(slices.Clip(header), "Content-Type", "application/x-www-form-urlencoded")
	}
	resp, body, err := s.do(method, s.url+path, form.Encode(), header...)
	if err != nil {
		return 0, "", "", err
	}
	return resp.StatusCode, body, resp.Header.Get("Location"), nil
}

// get returns a page and wants status 200.
func (s *site) get(path string) string {
	s.Helper()
	status, body, _, err := s.send("GET", path, nil)
	require.NoError(s, err)
	require.Equal(s, http.StatusOK, status, path)
	return body
}

// post posts a form and wants the status; that of the page with the form, if it was
// refused.
func (s *site) post(path string, form url.Values, want int) string {
	s.Helper()
	status, body, location, err := s.send("POST", path, form)
	require.NoError(s, err)
	if strings.Contains(location, "?refused=") {
		status, body, _, err = s.send("GET", strings.TrimSuffix(location, "#problem"), nil)
		require.NoError(s, err)
	}
	require.Equal(s, want, status, "POST %s %v\n%s", path, form, body)
	return body
}

// begin starts a conversation and returns its path.
func (s *site) begin() string {
	s.Helper()
	id := rand.Text()
	s.post("/", url.Values{"id": {id}}, http.StatusSeeOther)
	return "/c/" + id
}

// timeline returns the messages of the conversation and the types of its events.
func (s *site) timeline(path string) (messages, events []string) {
	timeline, err := s.store.timeline(s.Context(), strings.TrimPrefix(path, "/c/"), 0)
	require.NoError(s, err)
	for _, e := range timeline {
		if e.Event == nil {
			messages = append(messages, unbound(e.Message))
		} else {
			events = append(events, e.Event.Type)
		}
	}
	return messages, events
}

var bound = regexp.MustCompile(`,\s*"for":\s*"[0-9a-f]{32}"|\.[0-9]+("[,:])`)

// unbound returns answers without their reference and the number of their question.
func unbound(message string) string { return bound.ReplaceAllString(message, "$1") }

// messages wants so many messages in the conversation.
func (s *site) messages(path string, want int) {
	s.Helper()
	messages, _ := s.timeline(path)
	assert.Len(s, messages, want)
}

func (s *site) did(path string, want ...string) {
	s.Helper()
	require.Equal(s, want, s.store.changes(s.T, strings.TrimPrefix(path, "/c/")))
}

// position returns which form of the conversation the page has, and for which question.
func position(page string) url.Values {
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(position|for)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		form.Set(m[1], m[2])
	}
	return form
}

// answer returns the form of the page, filled with these names and values.
func answer(page string, fields ...string) url.Values {
	return filled(page, doAnswer, fields)
}

func say(page, text string) url.Values {
	return filled(page, doMessage, []string{"message", text})
}

func filled(page, do string, fields []string) url.Values {
	form := position(page)
	form.Set("do", do)
	for i := 0; i < len(fields); i += 2 {
		name := fields[i]
		if m := regexp.MustCompile(`name="(` + regexp.QuoteMeta(name) + `\.\d+)"`).FindStringSubmatch(page); m != nil {
			name = m[1] // a later question has ids of its own
		}
		form.Add(name, fields[i+1])
	}
	return form
}

const (
	fieldBuckets = "answer." + askBuckets
	fieldArchive = "answer." + askArchive
	fieldDelete  = "answer." + askDelete
)

var tags = regexp.MustCompile(`<[^>]*>`)

// text returns the text of the page, without tags.
func text(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
}

func (s *site) shows(page string, want ...string) {
	s.Helper()
	for _, w := range want {
		require.Contains(s, text(page), w)
	}
}

func (s *site) hides(page string, not ...string) {
	s.Helper()
	for _, n := range not {
		require.NotContains(s, text(page), n)
	}
}

func TestAnAnswerGoesRound(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	s.shows(page, opening, "list_buckets", "Before I delete anything", "Which buckets can go? required", "optional", "Send answers", "Careful: this deletes something, or cannot be undone.")
	s.post(path, answer(page, fieldBuckets, "logs", fieldBuckets, "uploads", fieldBuckets, "thumbnails", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete logs", "delete uploads", "delete thumbnails")
	page = s.get(path)
	s.shows(page, "Which buckets can go? logs thumbnails uploads", // in the order of the options
		"Keep copies of their files in a new bucket? not answered",
		"with every file in them? Delete dangerous",
		"You Which buckets can go? logs, uploads, thumbnails Delete the buckets that you chose, with every file in them? Delete",
		"Done: deleted logs, uploads and thumbnails. 2 buckets left.")
	s.hides(page, "Send answers", "list_buckets 5 buckets, 441 files: avatars, backups, logs, thumbnails, uploads Here is what fills the storage. I need your decision before I delete anything. Before I delete anything Which buckets can go? required")
}

func TestACancelDeletesNothing(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	s.post(path, answer(page, fieldDelete, clarify.FormCancelled), http.StatusSeeOther)
	s.did(path)
	s.shows(s.get(path), "with every file in them? Keep everything", "Nothing was deleted.")
	messages, _ := s.timeline(path)
	assert.Equal(t, []string{opening, message(t, decide(askDelete, false))}, messages)
}

func TestOneConfirmSendsAtOnce(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, answer(s.get(path), fieldBuckets, guarded, fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	page := s.get(path)
	s.did(path)
	s.hides(page, "Send answers")
	buttons := regexp.MustCompile(`<button class="([\w-]+)"[^>]* name="answer.confirm_backups[.]2" value="(\w+)"[^>]*><bdi>([^<]+)`).FindAllStringSubmatch(page, -1)
	var got []string
	for _, b := range buttons {
		got = append(got, strings.Join(b[1:], " "))
	}
	assert.Equal(t, []string{"clarify-quiet cancelled Keep everything", "clarify-danger confirmed Delete 1 bucket"}, got)
	s.post(path, answer(page, "answer."+askGuarded, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete backups")
}

func TestAnIncompleteAnswerComesBackWithWhatWasEntered(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldArchive, ` "kept" & <b> `), http.StatusUnprocessableEntity)
	s.shows(page, "The answers are not complete yet.", "every file in them? This needs an answer.")
	for _, want := range []string{
		`value="logs" checked`,
		`value=" &#34;kept&#34; &amp; &lt;b&gt; "`,
		`<a href="#clarify-2-0">`,
		`role="alert" tabindex="-1" autofocus>`,
		`aria-describedby="clarify-2-hint clarify-2-danger clarify-2-error"`,
		`<p class="clarify-error" id="clarify-2-error"><bdi>This needs an answer.</bdi></p>`,
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, `value="uploads" checked`)
	assert.NotContains(t, page, `id="clarify-1-error"`)
	s.messages(path, 1)
	s.did(path)
	// The form is still good.
	s.post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete logs")
}

// The Enter key in a field presses the first button of the form. If the form has a
// danger, this button does nothing.
func TestEnterConfirmsNoDanger(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	first := regexp.MustCompile(`(?s)<form class="clarify".*?<button[^>]*>`)
	assert.Contains(t, first.FindString(s.get(path)), `<button class="clarify-guard" formmethod="dialog" tabindex="-1" aria-hidden="true">`)
	// Without a danger, Enter may send the form.
	s.post(path, say(s.get(path), "create"), http.StatusSeeOther)
	assert.Contains(t, first.FindString(s.get(path)), `<button class="clarify-send">`)
}

func TestPlainTextInsteadOfTheForm(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, say(s.get(path), "buckets: logs\r\nconfirm_delete: confirmed"), http.StatusSeeOther)
	s.did(path, "delete logs")
	s.shows(s.get(path), "Which buckets can go? logs", "every file in them? Delete")

	path = s.begin()
	s.post(path, say(s.get(path), "let's talk about this first"), http.StatusSeeOther)
	s.did(path)
	s.shows(s.get(path), "Which buckets can go? not answered", "I changed nothing.")

	page := s.get(path)
	page = s.post(path, say(page, " \r\n "), http.StatusUnprocessableEntity)
	s.shows(page, "Write a message first.")
}

func TestTheSameFormPostedAgainIsOnePost(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			status, body, _, err := s.send("POST", path, form)
			assert.NoError(t, err)
			assert.Equal(t, http.StatusSeeOther, status, text(body))
		})
	}
	all.Wait()
	s.did(path, "delete logs")
	s.messages(path, 2)
	// A new conversation that is begun twice is one, too.
	id := rand.Text()
	for range 2 {
		s.post("/", url.Values{"id": {id}}, http.StatusSeeOther)
	}
	s.messages("/c/"+id, 1)
}

func TestWhatIsNotOfThisMomentIsRefused(t *testing.T) {
	s := newSite(t, nil)
	other := s.begin()
	path := s.begin()
	first := s.get(path)
	yes := func(page string) url.Values {
		return answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	}
	page := s.post(path, yes(s.get(other)), http.StatusConflict)
	s.shows(page, "This form belongs to something else, so nothing was sent.")
	wrong := yes(first)
	for _, bad := range []string{"", "x", "-1", "0" + position(first).Get("position"), " 2", "999", "9999999999999999999"} {
		wrong.Set("position", bad)
		s.post(path, wrong, http.StatusConflict)
	}
	wrong = yes(first)
	wrong.Set("do", "else")
	s.post(path, wrong, http.StatusBadRequest)
	s.did(path)

	s.post(path, answer(first, fieldBuckets, "logs", fieldDelete, clarify.FormCancelled), http.StatusSeeOther)
	page = s.post(path, yes(first), http.StatusConflict)
	s.shows(page, movedOn)
	s.post(path, answer(first, fieldBuckets, "logs"), http.StatusConflict)
	page = s.post(path, say(first, "wait"), http.StatusConflict)
	s.shows(page, movedOn)
	assert.Contains(t, page, ">\nwait</textarea>")
	// The new page has no question to answer.
	s.post(path, yes(s.get(path)), http.StatusUnprocessableEntity)
	s.messages(path, 2)
	s.did(path)
	s.did(other)
}

// A form is accepted only for the question that it shows, even if another one has
// taken its place in the conversation, as after a restore from a backup.
func TestAFormIsBoundToItsQuestion(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	_, err := s.store.db.Exec(`UPDATE entry SET body = replace(body, 'This cannot be undone.', 'This can be undone.')`)
	require.NoError(t, err)
	s.shows(s.get(path), "This can be undone.")
	s.shows(s.post(path, form, http.StatusConflict), "This form belongs to something else")
	s.did(path)
}

func TestValuesThatWereNotOfferedAreRefused(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	for name, form := range map[string]url.Values{
		"no such option": answer(page, fieldBuckets, "secrets", fieldDelete, clarify.FormConfirmed),
		"one of two":     answer(page, fieldBuckets, "logs", fieldBuckets, "secrets", fieldDelete, clarify.FormConfirmed),
		"another word":   answer(page, fieldBuckets, "logs", fieldDelete, "true"),
		"yes and no":     answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed, fieldDelete, clarify.FormCancelled),
		"two texts":      answer(page, fieldBuckets, "logs", fieldArchive, "aaa", fieldArchive, "bbb", fieldDelete, clarify.FormConfirmed),
		"not text":       answer(page, fieldBuckets, "logs", fieldArchive, "\xff", fieldDelete, clarify.FormConfirmed),
	} {
		t.Run(name, func(t *testing.T) { s.post(path, form, http.StatusUnprocessableEntity) })
	}
	s.messages(path, 1)
	s.did(path)
}

// tool is an event that carries the output of the clarify tool.
func tool(output string) clarify.Event {
	return clarify.Event{Type: clarify.EventToolEnd, Agent: "platform", Tool: clarify.ToolName, RunID: "r", Output: output}
}

func TestWhatCannotBeShown(t *testing.T) {
	const good = `{"id":"name","kind":"text","question":"Which name?"}`
	envelope := func(prompts string) string {
		return `{"protocol":"appwrite.clarify/v1","prompts":[` + prompts + `]}`
	}
	failed := tool(envelope(good))
	failed.Failed = true
	for _, tt := range []struct {
		name  string
		event clarify.Event
		shows string // if empty, nothing
		form  bool
	}{
		{"a call that was refused", tool(clarify.ErrorResult(fmt.Errorf("broken"))), "", false},
		{"a call that failed", failed, "", false},
		{"another tool that failed", clarify.Event{Type: clarify.EventToolEnd, Tool: "delete_bucket", Output: "denied", Failed: true}, "", false},
		{"another type of event", clarify.Event{Type: "token_usage", Output: "12"}, "", false},
		{"not an envelope", tool("hello"), "", false},
		{"a newer prompt beside another", tool(envelope(good + `,{"id":"a","kind":"slider","question":"How much?"}`)), "Questions that need a newer version of this page: 1 Which name?", true},
		{"two newer prompts", tool(envelope(good + `,{"id":"a","kind":"slider","question":"?"},{"kind":"map"}`)), "Questions that need a newer version of this page: 2", true},
		{"a broken prompt", tool(envelope(good + `,{"id":"a","kind":"text"}`)), "Parts of the question that could not be read: 1", true},
		{"only newer prompts", tool(envelope(`{"id":"a","kind":"slider","question":"?"}`)), "Questions that need a newer version of this page: 1", false},
		{"a newer protocol", tool(`{"protocol":"appwrite.clarify/v2","prompts":[]}`), "A question needs a newer Console.", false},
		{"a cut envelope", tool(envelope(good)[:60] + "…"), "A question was damaged on its way and cannot be shown.", false},
		{"hidden characters", tool(envelope("{\"id\":\"name\",\"kind\":\"text\",\"question\":\"a\\u202eb\"}")), "There are characters here that cannot be seen.", true},
		{"the same name twice", tool(envelope(`{"id":"c","kind":"choice","question":"?","options":[{"id":"a","label":"A"},{"id":"b","label":"a"}]}`)), "Some labels are easy to confuse.", true},
		{"their ids tell them apart", tool(envelope(`{"id":"c","kind":"choice","question":"?","options":[{"id":"id-1","label":"A"},{"id":"id-2","label":"a"}]}`)), "A id-1 a id-2", true},
		{"and the words of a confirm", tool(envelope(`{"id":"c","kind":"confirm","question":"?","confirmLabel":"OK","cancelLabel":"ok"}`)), "ok cancelled OK confirmed", true},
		{"the same id twice", tool(envelope(good + "," + good)), "another one has the same id", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plain := newForeignSite(t, clarify.Event{Type: eventSay, Output: "Hello"})
			s := newForeignSite(t, clarify.Event{Type: eventSay, Output: "Hello"}, tt.event)
			path := s.begin()
			page := s.get(path)
			if tt.shows == "" {
				assert.Equal(t, text(plain.get(plain.begin())), text(page))
			} else {
				s.shows(page, tt.shows)
			}
			assert.Equal(t, tt.form, strings.Contains(page, `<form class="clarify"`), "a form is shown")
		})
	}
}

func TestAQuestionThatEveryoneMaySkip(t *testing.T) {
	s := newForeignSite(t, tool(`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"name","kind":"text","question":"Which name?","required":false,"multiline":true,"defaultValue":"\nfirst\nlast"}]}`))
	path := s.begin()
	page := s.get(path)
	assert.Contains(t, page, ">\n\nfirst\nlast</textarea>") // HTML drops one newline
	page = s.post(path, answer(page, "answer.name", ""), http.StatusUnprocessableEntity)
	s.shows(page, "There is nothing to send")
	s.post(path, answer(page, "answer.name", "a\r\nb"), http.StatusSeeOther)
	messages, _ := s.timeline(path)
	assert.Equal(t, message(t, write("name", "a\nb")), messages[1])
}

// hostile is in every string of a question that these tests show.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\u2066\u0007\u001b[31m\u0085\u2028\u200b` ${x} {{.}} </textarea></title><!--"

func hostileEnvelope(t *testing.T) string {
	t.Helper()
	id := "x" + hostile
	e := clarify.Envelope{
		Title: hostile,
		Prompts: []clarify.Prompt{
			{ID: id + "1", Question: hostile, Hint: hostile, Input: &clarify.Choice{Options: []clarify.Option{
				{ID: id + "a", Label: hostile + "a", Description: hostile}, {ID: id + "b", Label: hostile + "b", Description: hostile}}}},
			{ID: id + "2", Question: hostile, Hint: hostile, Input: &clarify.Confirm{ConfirmLabel: hostile + "y", CancelLabel: hostile + "n", Danger: true}},
			{ID: id + "3", Question: hostile, Hint: hostile, Input: &clarify.Text{Placeholder: hostile, DefaultValue: hostile}},
			{ID: id + "4", Question: hostile, Hint: hostile, Input: &clarify.Text{Placeholder: hostile, DefaultValue: hostile, Multiline: true}},
		},
	}
	b, err := e.AppendJSON(nil)
	require.NoError(t, err)
	return string(b)
}

// sentBack matches what a form sends back byte for byte: names, the ids of options, and
// texts.
var sentBack = regexp.MustCompile(` name="answer\.[^"]*"| value="x[^"]*"|(?s)<textarea[^>]* name="answer\.[^>]*>.*?</textarea>`)

func TestHostileTextIsOnlyText(t *testing.T) {
	said := clarify.Event{Type: eventSay, Output: hostile}
	called := clarify.Event{Type: clarify.EventToolEnd, Tool: hostile, Output: hostile}
	read := clarify.Event{Type: eventReading, Output: hostile}
	s := newForeignSite(t, said, called, read, tool(hostileEnvelope(t)))
	path := s.begin()
	page := s.get(path)
	check := func(page string) {
		t.Helper()
		page = sentBack.ReplaceAllString(page, "") // the user does not see it
		page = strings.Replace(page, `<script src="/static/live.js" defer></script>`, "", 1)
		for _, not := range []string{"<script", "<img src=x", "\u202e", "\u2066", "\u0007", "\u001b", "\u0085", "\u2028", "\u200b", "<!--", "ZgotmplZ"} {
			assert.NotContains(t, page, not)
		}
		s.shows(page, "[U+202E][U+2066][U+0007][U+001B][31m[U+0085][U+2028][U+200B]", "There are characters here that cannot be seen.")
	}
	check(page)
	check(s.post(path, answer(page), http.StatusUnprocessableEntity))
	check(s.post(path, say(page, " "), http.StatusUnprocessableEntity))
	s.post(path, say(page, hostile), http.StatusSeeOther)
	check(s.get(path))
	// What was entered comes back unchanged, but only as text.
	page = s.post(path, answer(s.get(path), "answer.x"+hostile+"3", hostile), http.StatusUnprocessableEntity)
	assert.Equal(t, 1, strings.Count(page, "<script"), "that of the page")
}

func TestEveryAnswerIsGuardedByHeaders(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	for _, r := range []struct {
		method, path string
		header       []string
	}{
		{"GET", "/", nil}, {"GET", path, nil}, {"GET", "/nowhere", nil}, {"GET", "/c/none", nil},
		{"GET", "/static/style.css", nil}, {"GET", "/static/icon.svg", nil},
		{"POST", path, nil}, {"PUT", path, nil},
		{"POST", path, []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", path, []string{"Host", "evil.example"}},
	} {
		resp, _, err := s.do(r.method, s.url+r.path, "", r.header...)
		require.NoError(t, err)
		want := map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		}
		for name, value := range want {
			assert.Equal(t, []string{value}, resp.Header.Values(name), "%s %s: %s", r.method, r.path, name)
		}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && r.path != "/" {
			assert.Equal(t, "no-store", resp.Header.Get("Cache-Control"), "%s %s", r.method, r.path)
		}
	}
}

func TestOtherSitesArePostingNothing(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	for _, tt := range []struct {
		name   string
		header []string
		want   int
	}{
		{"another site", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"a site next door", []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{"an old browser", []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"no origin at all", []string{"Origin", "null"}, http.StatusForbidden},
		{"a name that leads here", []string{"Host", "evil.example", "Sec-Fetch-Site", "same-origin"}, http.StatusMisdirectedRequest},
		{"a name with a port", []string{"Host", "evil.example:80", "Sec-Fetch-Site", "same-origin"}, http.StatusMisdirectedRequest},
		{"an address elsewhere", []string{"Host", "192.0.2.1"}, http.StatusMisdirectedRequest},
		{"this page", []string{"Host", "localhost:8080", "Sec-Fetch-Site", "same-origin"}, http.StatusSeeOther},
	} {
		status, _, _, err := s.send("POST", path, form, tt.header...)
		assert.NoError(t, err, tt.name)
		assert.Equal(t, tt.want, status, tt.name)
		if tt.want != http.StatusSeeOther {
			s.did(path)
		}
	}
	s.did(path, "delete logs")
	// They do not reach the engine either.
	body := `{"conversation":"x","turn":1,"message":"make room"}`
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		resp, _, err := s.do("POST", s.console.engineURL, body, header...)
		require.NoError(t, err)
		assert.Equal(t, http.StatusForbidden, resp.StatusCode, header)
	}
	taken, _, err := s.store.last(t.Context(), "x")
	assert.NoError(t, err)
	assert.Zero(t, taken.Turn)
}

func TestOnlyLoopbackNamesLeadToALoopbackAddress(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "127.0.0.1:8080": true, "127.1.2.3": true, "[::1]": true, "[::1]:8080": true,
		"": false, "localhost.evil.example": false, "0.0.0.0:8080": false, "[::]:80": false, "evil.example": false, "127.0.0.1.evil.example": false,
	} {
		assert.Equal(t, want, isLoopback(host), host)
	}
}

func TestSizesAreLimited(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	long := strings.Repeat("x", maxForm)
	s.post(path, say(page, long), http.StatusRequestEntityTooLarge)
	s.post("/", url.Values{"id": {long}}, http.StatusRequestEntityTooLarge)
	s.post("/", url.Values{"id": {"../../etc"}}, http.StatusBadRequest)
	s.messages(path, 1)
	s.post(path, say(page, long[:maxForm-200]), http.StatusSeeOther)

	timeline, err := s.store.timeline(t.Context(), strings.TrimPrefix(path, "/c/"), 0)
	require.NoError(t, err)
	require.NoError(t, s.store.change(t.Context(), func(tx *sql.Tx) error {
		for n := len(timeline); n < maxEntries; n++ {
			if _, err := tx.Exec(`INSERT INTO entry VALUES ($1, $2, $3)`, strings.TrimPrefix(path, "/c/"), n, `{"event":{"type":"turn_end"}}`); err != nil {
				return err
			}
		}
		return nil
	}))
	s.shows(s.post(path, say(s.get(path), "hello"), http.StatusConflict), "This conversation is full.")

	w := httptest.NewRecorder()
	s.engine.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(
		`{"conversation":"x","turn":1,"message":"`+strings.Repeat("x", maxTurnRequest)+`"}`)))
	assert.Equal(t, http.StatusBadRequest, w.Code)
}

// A conversation with many long messages goes on: a turn takes one message.
func TestManyLongMessages(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	long := strings.Repeat("<", maxForm/3-200) // three bytes each in a form, six in escaped JSON
	for range 40 {
		s.post(path, say(s.get(path), long), http.StatusSeeOther)
	}
	s.post(path, say(s.get(path), "list"), http.StatusSeeOther)
	page := s.get(path)
	s.shows(page, "These are your buckets.")
	s.hides(page, "Try again")
	s.messages(path, 42)
}

// An answer that is too long to be offered again as a default does not stop the agent
// from asking again.
func TestALongAnswerIsAskedAgain(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	for range 2 {
		s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldArchive, strings.Repeat("ü", clarify.MaxDefaultValue+1), fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
		s.shows(s.get(path), "the archive needs another name")
	}
	for range 2 { // the agent asks once more, because no archive is named any more
		s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	}
	s.did(path, "delete logs")
}

// An engine sends too much, breaks off or sends nothing. After what the Console
// must not read comes the end of a turn, which would complete the turn.
func TestAnEngineWithoutMeasure(t *testing.T) {
	const said, end = "data: {\"type\":\"say\"}\n\n", "data: {\"type\":\"turn_end\"}\n\n"
	sends := func(stream string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, stream) }
	}
	for name, tt := range map[string]struct {
		engine http.HandlerFunc
		events int // what is kept
	}{
		"too many events":    {sends(strings.Repeat(said, maxTurnEvents+1) + end), maxTurnEvents},
		"too large an event": {sends("data: " + strings.Repeat("x", clarify.MaxEventSize) + "\n\n" + end), 0},
		"too many comments":  {sends(strings.Repeat(": still here\n", maxTurn/len(": still here\n")+1) + end), 0},
		"nothing": {func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, 0},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			}
			io.WriteString(w, end)
		}, 0},
		"an error":        {func(w http.ResponseWriter, r *http.Request) { http.Error(w, end, http.StatusInternalServerError) }, 0},
		"an empty stream": {sends(""), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, tt.engine)
			if name == "nothing" {
				s.console.turnTimeout = 50 * time.Millisecond
			}
			path := s.begin()
			s.shows(s.get(path), "The agent broke off before its turn was over. What you sent is kept.", "Try again")
			messages, events := s.timeline(path)
			assert.Len(t, messages, 1)
			assert.Len(t, events, tt.events)
		})
	}
}

// The server cuts the connection of a client that sends half a request.
func TestAStalledRequestIsCut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := newServer(http.NotFoundHandler())
	assert.Positive(t, server.ReadHeaderTimeout)
	assert.Positive(t, server.ReadTimeout)
	assert.Greater(t, server.WriteTimeout, turnTimeout)
	assert.Positive(t, server.IdleTimeout)
	assert.LessOrEqual(t, server.MaxHeaderBytes, 64<<10)
	server.ReadHeaderTimeout = 50 * time.Millisecond // so that the test is short
	go server.Serve(listener)
	defer server.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ")
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, err = io.ReadAll(conn)
	require.NoError(t, err, "the connection is still open")
}

// A turn that broke off is completed on request, at whatever event it was cut, and
// nothing is done twice.
func TestTheEngineDiesInMidStream(t *testing.T) {
	yes := func(page string) url.Values {
		return answer(page, fieldBuckets, "logs", fieldBuckets, "uploads", fieldArchive, "kept", fieldDelete, clarify.FormConfirmed)
	}
	s := newSite(t, nil)
	path := s.begin()
	_, before := s.timeline(path)
	s.post(path, yes(s.get(path)), http.StatusSeeOther)
	_, after := s.timeline(path)
	require.Greater(t, len(after), len(before))
	whole := unbound(text(s.get(path)))
	for cut := range len(after) - len(before) {
		limit := -1 // events until the engine dies; none if negative
		s := newSite(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(&dyingWriter{ResponseWriter: w, left: limit}, r)
			})
		})
		did := func() {
			t.Helper()
			s.did(path, "create kept fra", "copy logs kept", "copy uploads kept", "delete logs", "delete uploads")
		}
		path = s.begin()
		form := yes(s.get(path))
		limit = cut
		s.post(path, form, http.StatusSeeOther)
		page := s.get(path)
		did()
		s.shows(page, "The agent broke off before its turn was over. What you sent is kept.", "Try again")
		s.post(path, form, http.StatusSeeOther) // the same answer again changes nothing
		s.post(path, say(page, "go on"), http.StatusConflict)
		s.post(path, filled(page, doAgain, nil), http.StatusSeeOther) // the rest may be cut again
		limit = -1
		s.post(path, filled(s.get(path), doAgain, nil), http.StatusSeeOther)
		require.Equal(t, whole, unbound(text(s.get(path))), "cut at %d", cut)
		did()
	}
}

// If the agent breaks off again and again, the user can go on without the rest.
func TestTheUserGoesOnWithoutTheRest(t *testing.T) {
	dead := false
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if dead {
				http.Error(w, "broken", http.StatusInternalServerError)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	dead = true
	s.post(path, form, http.StatusSeeOther)
	page := s.get(path)
	s.post(path, filled(page, doAgain, nil), http.StatusSeeOther)
	s.shows(s.get(path), "Go on without the rest")
	for range 2 { // twice is once
		s.post(path, filled(page, doWithout, nil), http.StatusSeeOther)
	}
	page = s.get(path)
	s.shows(page, "you went on without the rest", "Send")
	s.hides(page, "Try again")
	dead = false
	s.post(path, filled(page, doWithout, nil), http.StatusSeeOther) // nothing is cut
	s.post(path, say(s.get(path), "list"), http.StatusSeeOther)
	s.shows(s.get(path), "These are your buckets.")
	s.messages(path, 3)
	s.did(path)
	// The turn without which the user went on is not taken any more.
	messages, _ := s.timeline(path)
	_, err := s.engine.turn(t.Context(), turnRequest{Conversation: strings.TrimPrefix(path, "/c/"), Turn: 2, Message: messages[1]})
	assert.ErrorIs(t, err, errAnotherConversation)
	s.did(path)
}

// After the user went on without the rest of a turn, no question of it waits in the
// engine: the user has answered it, or has not seen it.
func TestNothingWaitsAfterTheUserWentOn(t *testing.T) {
	for message, left := range map[string]int{
		"buckets: logs\nconfirm_delete: confirmed": 0, // the answer did not arrive
		"confirm_backups.2: confirmed":             1, // the question did not arrive
	} {
		t.Run(message, func(t *testing.T) {
			limit := -1
			s := newSite(t, func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if limit == 0 {
						http.Error(w, "broken", http.StatusInternalServerError)
						return
					}
					h.ServeHTTP(&dyingWriter{ResponseWriter: w, left: limit}, r)
				})
			})
			path := s.begin()
			if left == 0 { // the user cancels
				limit = 0
				s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormCancelled), http.StatusSeeOther)
			} else { // the agent asks once more, because of the guarded bucket
				limit = left
				s.post(path, answer(s.get(path), fieldBuckets, guarded, fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
			}
			s.post(path, filled(s.get(path), doWithout, nil), http.StatusSeeOther)
			limit = -1
			s.post(path, say(s.get(path), message), http.StatusSeeOther)
			s.did(path)
		})
	}
}

// Text that is nested deeply does not become a page of any size.
func TestDeepJSON(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	s.post(path, say(s.get(path), `{"protocol":"appwrite.clarify/v1","answers":[{"id":"archive","kind":"text","value":"x"}],"x":`+deep+`}`), http.StatusSeeOther)
	assert.Less(t, len(s.get(path)), 200_000)
}

// A question cannot be answered before its turn is complete, because the rest of
// the turn could withdraw the question.
func TestAQuestionOfACutTurnWaits(t *testing.T) {
	cut := true
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if cut {
				w = &dyingWriter{ResponseWriter: w, left: 3} // all events but the last
			}
			h.ServeHTTP(w, r)
		})
	})
	path := s.begin()
	page := s.get(path)
	s.shows(page, "Which buckets can go? not answered", "Try again")
	assert.NotContains(t, page, `<form class="clarify"`)
	s.post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusConflict)
	s.did(path)
	cut = false
	s.post(path, filled(page, doAgain, nil), http.StatusSeeOther)
	s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete logs")
}

// A dyingWriter breaks the connection in the middle of an event.
type dyingWriter struct {
	http.ResponseWriter
	left int
}

func (w *dyingWriter) Write(p []byte) (int, error) {
	if w.left == 0 {
		w.ResponseWriter.Write(p[:len(p)/2])
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	w.left--
	return w.ResponseWriter.Write(p)
}

func (w *dyingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// While the agent is at work no message is accepted, and the page says so.
func TestWhileTheAgentIsAtWork(t *testing.T) {
	begun, go_on := make(chan bool), make(chan bool)
	var turns atomic.Int32
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if turns.Add(1) > 1 {
				return
			}
			begun <- true
			<-go_on
			h.ServeHTTP(w, r)
		})
	})
	id := rand.Text()
	path := "/c/" + id
	done := make(chan int)
	go func() {
		status, _, _, _ := s.send("POST", "/", url.Values{"id": {id}})
		done <- status
	}()
	<-begun
	page := s.get(path)
	s.shows(page, "The agent is at work.")
	s.hides(page, "Try again", "Send")
	s.post(path, url.Values{"do": {doMessage}, "position": {"1"}, "message": {"hurry"}}, http.StatusConflict)
	again := make(chan int)
	go func() {
		status, _, _, _ := s.send("POST", path, url.Values{"do": {doAgain}, "position": {"1"}})
		again <- status
	}()
	go_on <- true
	assert.Equal(t, http.StatusSeeOther, <-again)
	assert.Equal(t, http.StatusSeeOther, <-done)
	s.messages(path, 1)
	assert.EqualValues(t, 1, turns.Load())
	s.shows(s.get(path), "Send answers")
}

// A page is told what the agent says, and that it is old.
func TestLive(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	_, events := s.timeline(path)
	const moved = "event: moved\ndata: moved\n\n"
	assert.Equal(t, "event: said\ndata: Here is what fills the storage. I need your decision before I delete anything.\n\n"+moved, s.get(path+"/live?position=1"))
	assert.Equal(t, moved, s.get(path+fmt.Sprint("/live?position=", len(events))))
	assert.Equal(t, moved, s.get(path+fmt.Sprint("/live?position=", 1+len(events), "&running=1")), "the turn that the page waits for has ended, perhaps without an event")
	for _, position := range []string{"", "-1", "x"} {
		status, _, _, err := s.send("GET", path+"/live?position="+position, nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, status, position)
	}
	for _, bad := range []string{"/c/none/live?position=1", path + "/live?position=99"} {
		status, _, _, err := s.send("GET", bad, nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, status, bad)
	}
}

// A message is answered even if the browser does not wait for the answer.
func TestABrowserThatLeavesLosesNothing(t *testing.T) {
	begun, go_on := make(chan bool, 1), make(chan bool)
	slow := false
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slow {
				begun <- true
				<-go_on
			}
			h.ServeHTTP(w, r)
		})
	})
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	slow = true
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", s.url+path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	left := make(chan error)
	go func() {
		_, err := s.client.Do(req)
		left <- err
	}()
	<-begun
	leave()
	require.Error(t, <-left, "the browser did not leave")
	close(go_on)
	s.post(path, form, http.StatusSeeOther) // waits for the running turn
	s.did(path, "delete logs")
	s.shows(s.get(path), "Done: deleted logs.")
}

func TestTheConversationSurvivesARestart(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, answer(s.get(path), fieldBuckets, guarded, fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	before := s.get(path)
	again := &site{T: t, store: testStore(t, s.file), engine: s.engine}
	again.open(s.console.engineURL)
	after := again.get(path)
	assert.Equal(t, text(before), text(after))
	assert.Equal(t, position(before), position(after))
	again.post(path, answer(before, "answer."+askGuarded, clarify.FormConfirmed), http.StatusSeeOther)
	again.did(path, "delete backups")
}

func TestUnknownPages(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/c/none", "/c/"} {
		status, _, _, err := s.send("GET", path, nil)
		assert.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
	s.post("/c/none", url.Values{}, http.StatusNotFound)
	s.shows(s.get("/"), "There is no conversation yet.", "New conversation")
	path := s.begin()
	status, _, location, _ := s.send("GET", "/", nil)
	assert.Equal(t, http.StatusFound, status)
	assert.Equal(t, path, location)
}

// A large event is read whole. TestAnEngineWithoutMeasure sends one that is too large.
func TestALargeEvent(t *testing.T) {
	large := clarify.Event{Type: eventSay, Output: strings.Repeat("x", clarify.MaxEventSize-100)}
	s := newForeignSite(t, large)
	timeline, err := s.store.timeline(t.Context(), strings.TrimPrefix(s.begin(), "/c/"), 0)
	require.NoError(t, err)
	require.Len(t, timeline, 3)
	assert.Equal(t, large, *timeline[1].Event)
}

func TestTheListOfConversations(t *testing.T) {
	s := newSite(t, nil)
	var paths []string
	for range pageSize + 1 {
		paths = append(paths, s.begin())
	}
	page := s.get("/all")
	assert.Equal(t, pageSize, strings.Count(page, `<a href="/c/`))
	assert.NotContains(t, page, "Newer")
	older := html.UnescapeString(regexp.MustCompile(`<a href="([^"]*)" rel="next">`).FindStringSubmatch(page)[1])
	page = s.get(older)
	assert.Equal(t, 1, strings.Count(page, `<a href="/c/`))
	assert.Contains(t, page, paths[0])
	s.shows(page, "Newer")

	s.post(paths[3], say(s.get(paths[3]), "A <b>strange</b> word"), http.StatusSeeOther)
	page = s.get("/all?" + url.Values{"q": {`<b>STRANGE</b>`}}.Encode())
	assert.Equal(t, 1, strings.Count(page, `<a href="/c/`))
	assert.Contains(t, page, paths[3])
	assert.Contains(t, page, `value="&lt;b&gt;STRANGE&lt;/b&gt;"`)
	s.shows(page, "A <b>strange</b> word") // what the user wrote last is the title
	s.shows(s.get("/all?q=zebra"), "No conversation holds this.")
	for _, query := range []string{"page=-1", "page=x", "page=99999999999999999999", "q=" + strings.Repeat("x", 201)} {
		status, _, _, err := s.send("GET", "/all?"+query, nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, status, query)
	}
	s.shows(s.get("/all?page=9"), "There is no conversation")

	id := strings.TrimPrefix(paths[3], "/c/")
	s.post(paths[3], url.Values{"do": {doForget}}, http.StatusSeeOther)
	status, _, _, err := s.send("GET", paths[3], nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, status)
	for _, table := range []string{"conversation WHERE id", "entry WHERE conversation", "turn WHERE conversation", "state WHERE conversation", "refused WHERE conversation"} {
		var left int
		require.NoError(t, s.store.db.QueryRow(`SELECT count(*) FROM `+table+` = $1`, id).Scan(&left))
		assert.Zero(t, left, table)
	}
	s.shows(s.get(paths[4]), "Which buckets can go?")

	// Nothing brings it back: not an old form, nor a turn that the engine still takes.
	s.post("/", url.Values{"id": {id}}, http.StatusGone)
	_, err = s.engine.turn(t.Context(), turnRequest{Conversation: id, Turn: 1, Message: opening})
	assert.ErrorIs(t, err, errGone)
	_, err = s.store.keep(t.Context(), id, refuse(http.StatusConflict, "no"))
	assert.ErrorIs(t, err, errGone)
	for _, table := range []string{"turn", "refused"} {
		var left int
		require.NoError(t, s.store.db.QueryRow(`SELECT count(*) FROM `+table+` WHERE conversation = $1`, id).Scan(&left))
		assert.Zero(t, left, table)
	}

	// Of the forms that were refused, the newest is kept.
	for range 3 {
		s.post(paths[4], say(s.get(paths[4]), " "), http.StatusUnprocessableEntity)
	}
	var kept int
	require.NoError(t, s.store.db.QueryRow(`SELECT count(*) FROM refused`).Scan(&kept))
	assert.Equal(t, 1, kept)
}

// A copy of an older event does not open its question again: what the page shows is what its
// answer is for.
func TestACopyOfAnOlderEventOpensNothing(t *testing.T) {
	question := func(run string, questions ...string) clarify.Event {
		e := &clarify.Envelope{}
		for i, q := range questions {
			e.Prompts = append(e.Prompts, clarify.Prompt{ID: []string{"approve", "a", "b"}[i], Question: q, Input: &clarify.Confirm{Danger: true}})
		}
		output, err := e.Result()
		require.NoError(t, err)
		return clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, RunID: run, Output: output}
	}
	first, second := question("r1", "Delete the temporary bucket?", "A?", "B?"), question("r2", "Delete production?")
	for name, again := range map[string]clarify.Event{"of the question before": first, "of the question that waits": second} {
		t.Run(name, func(t *testing.T) {
			turns := [][]clarify.Event{{first}, {second, again}, nil}
			s := newSiteWith(t, func(w http.ResponseWriter, r *http.Request) {
				for _, ev := range turns[0] {
					writeEvent(w, "", string(ev.AppendJSON(nil)))
				}
				turns = turns[1:]
				writeEvent(w, "", `{"type":"turn_end"}`)
			})
			path := s.begin()
			s.post(path, say(s.get(path), "wait"), http.StatusSeeOther)
			page := s.get(path)
			_, form, found := strings.Cut(page, `<input type="hidden" name="for" value="`+second.Reference())
			require.True(t, found, page)
			assert.Contains(t, form, "Delete production?")
			assert.NotContains(t, form, "Delete the temporary bucket?")
			s.post(path, say(page, "wait once more"), http.StatusSeeOther)
			assert.NotContains(t, s.get(path), `name="answer.approve"`)
		})
	}
}
