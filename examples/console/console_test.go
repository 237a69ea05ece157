package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
	"testing"
	"testing/iotest"
	"time"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The test binary is the program too, for tests that kill it.
func TestMain(m *testing.M) {
	if os.Getenv("CLARIFY_CONSOLE_CHILD") != "" {
		main()
		return
	}
	log.SetOutput(io.Discard) // of what the tests break on purpose
	os.Exit(m.Run())
}

// A site is a Console with an engine, and a browser that has no script.
type site struct {
	*testing.T
	url     string
	folder  string
	console *console
	engine  *engine
	client  *http.Client
}

// newSite runs both halves. If between is not nil, it stands between them.
func newSite(t *testing.T, between func(http.Handler) http.Handler) *site {
	t.Helper()
	s := &site{T: t, folder: t.TempDir()}
	s.engine = testEngine(t, s.folder)
	var h http.Handler = s.engine
	if between != nil {
		h = between(h)
	}
	engine := httptest.NewServer(protect(h, true))
	t.Cleanup(engine.Close)
	s.open(engine.URL)
	return s
}

// newForeignSite runs the Console with another engine, which tells these events
// in every turn.
func newForeignSite(t *testing.T, events ...clarify.Event) *site {
	t.Helper()
	s := &site{T: t, folder: t.TempDir()}
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, ev := range append(slices.Clone(events), clarify.Event{Type: eventTurnEnd}) {
			writeEvent(w, ev)
		}
	}))
	t.Cleanup(engine.Close)
	s.open(engine.URL)
	return s
}

func (s *site) open(engineURL string) {
	s.Helper()
	c, err := newConsole(filepath.Join(s.folder, "console.jsonl"), engineURL)
	if err != nil {
		s.Fatal(err)
	}
	server := httptest.NewServer(protect(c.handler(), true))
	s.Cleanup(func() {
		server.Close()
		if err := c.Close(); err != nil {
			s.Error(err)
		}
	})
	s.console, s.url = c, server.URL
	s.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 500},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.Cleanup(s.client.CloseIdleConnections)
}

// send sends a request and returns the status, the body and where it leads.
func (s *site) send(method, path string, form url.Values, header ...string) (status int, body, location string, err error) {
	var data io.Reader
	if form != nil {
		data = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequest(method, s.url+path, data)
	if err != nil {
		return 0, "", "", err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, "", "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), resp.Header.Get("Location"), err
}

// get returns a page that has to be there.
func (s *site) get(path string) string {
	s.Helper()
	status, body, _, err := s.send("GET", path, nil)
	if err != nil || status != http.StatusOK {
		s.Fatalf("GET %s: status %d, %v", path, status, err)
	}
	return body
}

// post posts a form and wants the status.
func (s *site) post(path string, form url.Values, want int) string {
	s.Helper()
	status, body, _, err := s.send("POST", path, form)
	if err != nil || status != want {
		s.Fatalf("POST %s %v: status %d, %v, want %d\n%s", path, form, status, err, want, body)
	}
	return body
}

// begin starts a conversation and returns its path.
func (s *site) begin() string {
	s.Helper()
	id := rand.Text()
	s.post("/", url.Values{"id": {id}}, http.StatusSeeOther)
	return "/c/" + id
}

// timeline returns the messages of the conversation, and the types of its events.
func (s *site) timeline(path string) (messages, events []string) {
	conv := s.console.conversation(strings.TrimPrefix(path, "/c/"))
	conv.mu.Lock()
	defer conv.mu.Unlock()
	for _, e := range conv.timeline {
		if e.Event == nil {
			messages = append(messages, e.Message)
		} else {
			events = append(events, e.Event.Type)
		}
	}
	return messages, events
}

func (s *site) did(path string, want ...string) {
	s.Helper()
	if got := s.engine.changes(strings.TrimPrefix(path, "/c/")); !slices.Equal(got, want) {
		s.Fatalf("the engine did %q, want %q", got, want)
	}
}

var tokens = regexp.MustCompile(`name="token" value="([^"]+)"`)

func token(page string) string {
	if m := tokens.FindStringSubmatch(page); m != nil {
		return m[1]
	}
	return ""
}

// answer is a filled form of the page: names and values in turn.
func answer(page string, fields ...string) url.Values {
	return filled(page, doAnswer, fields)
}

func say(page, text string) url.Values {
	return filled(page, doMessage, []string{"message", text})
}

func filled(page, do string, fields []string) url.Values {
	form := url.Values{"do": {do}, "token": {token(page)}}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return form
}

const (
	fieldBuckets = "answer." + askBuckets
	fieldArchive = "answer." + askArchive
	fieldDelete  = "answer." + askDelete
)

// shown are the parts of a page that say what is in it.
var tags = regexp.MustCompile(`<[^>]*>`)

func text(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
}

func (s *site) shows(page string, want ...string) {
	s.Helper()
	for _, w := range want {
		if !strings.Contains(text(page), w) {
			s.Fatalf("the page does not show %q:\n%s", w, text(page))
		}
	}
}

func (s *site) hides(page string, not ...string) {
	s.Helper()
	for _, n := range not {
		if strings.Contains(text(page), n) {
			s.Fatalf("the page shows %q:\n%s", n, text(page))
		}
	}
}

func TestAnAnswerGoesRound(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	s.shows(page, opening, "list_buckets", "Before I delete anything", "Which buckets can go? required", "optional", "Continue")
	s.post(path, answer(page, fieldBuckets, "logs", fieldBuckets, "uploads", fieldBuckets, "thumbnails", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete logs", "delete uploads", "delete thumbnails")
	page = s.get(path)
	s.shows(page, "Which buckets can go? logs thumbnails uploads", // in the order of the options
		"Keep copies of their files in a new bucket? not answered",
		"with every file in them? Delete",
		"You buckets: logs, uploads, thumbnails confirm_delete: confirmed",
		"Done: deleted logs, uploads and thumbnails. 2 buckets left.")
	s.hides(page, "Continue", "list_buckets 5 buckets, 441 files: avatars, backups, logs, thumbnails, uploads Here is what fills the storage. I need your decision before I delete anything. Before I delete anything Which buckets can go? required")
}

func TestACancelDeletesNothing(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	s.post(path, answer(page, fieldDelete, clarify.FormCancelled), http.StatusSeeOther)
	s.did(path)
	s.shows(s.get(path), "with every file in them? Keep everything", "Nothing was deleted.")
	messages, _ := s.timeline(path)
	if want := message(t, decide(askDelete, false)); messages[1] != want {
		t.Errorf("sent %s, want %s", messages[1], want)
	}
}

func TestOneConfirmSendsAtOnce(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, answer(s.get(path), fieldBuckets, guarded, fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	page := s.get(path)
	s.did(path)
	s.hides(page, "Continue")
	buttons := regexp.MustCompile(`<button class="(\w+)"[^>]* name="answer.confirm_backups" value="(\w+)"[^>]*><span[^>]*>([^<]+)`).FindAllStringSubmatch(page, -1)
	var got []string
	for _, b := range buttons {
		got = append(got, strings.Join(b[1:], " "))
	}
	if want := []string{"quiet cancelled Keep everything", "danger confirmed Delete 1 bucket"}; !slices.Equal(got, want) {
		t.Errorf("the buttons are %q, want %q", got, want)
	}
	s.post(path, answer(page, "answer."+askGuarded, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete backups")
}

func TestAnIncompleteAnswerComesBackWithWhatWasEntered(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldArchive, ` "kept" & <b> `), http.StatusUnprocessableEntity)
	s.shows(page, "The answer is not complete yet.", "every file in them? This needs an answer.")
	for _, want := range []string{
		`value="logs" checked`,
		`value=" &#34;kept&#34; &amp; &lt;b&gt; "`,
		`<a href="#q2-0">`,
		`role="alert" tabindex="-1" autofocus>`,
		`aria-describedby="q2-hint q2-error"`,
		`<p class="error" id="q2-error">This needs an answer.</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, `value="uploads" checked`) || strings.Contains(page, `id="q1-error"`) {
		t.Error("the page says more than that")
	}
	if messages, _ := s.timeline(path); len(messages) != 1 {
		t.Errorf("messages: %q", messages)
	}
	s.did(path)
	// The form is still good.
	s.post(path, answer(page, fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	s.did(path, "delete logs")
}

// The first button of a form with a danger is the one that Enter presses in a
// field. It sends nothing.
func TestEnterConfirmsNoDanger(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	page := s.get(path)
	first := regexp.MustCompile(`(?s)<form class="card question".*?<button[^>]*>`).FindString(page)
	if !strings.Contains(first, `name="enter" value="enter" tabindex="-1" aria-hidden="true"`) {
		t.Errorf("the first button is another one: %s", first)
	}
	page = s.post(path, answer(page, "enter", "enter", fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed), http.StatusUnprocessableEntity)
	s.shows(page, "Enter alone does not send this.")
	if !strings.Contains(page, `value="logs" checked`) || !strings.Contains(page, `value="confirmed" checked`) {
		t.Error("what was chosen is lost")
	}
	s.did(path)
	if messages, _ := s.timeline(path); len(messages) != 1 {
		t.Errorf("messages: %q", messages)
	}
	// Where nothing is lost, Enter may send.
	s.post(path, say(page, "create"), http.StatusSeeOther)
	if page := s.get(path); strings.Contains(page, `name="enter"`) || !strings.Contains(page, "Continue") {
		t.Error("Enter does not send a form without a danger")
	}
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
			if status, body, _, err := s.send("POST", path, form); err != nil || status != http.StatusSeeOther {
				t.Errorf("status %d, %v\n%s", status, err, text(body))
			}
		})
	}
	all.Wait()
	s.did(path, "delete logs")
	if messages, _ := s.timeline(path); len(messages) != 2 {
		t.Errorf("messages: %q", messages)
	}
	// And a new conversation that is begun twice is one.
	id := rand.Text()
	for range 2 {
		s.post("/", url.Values{"id": {id}}, http.StatusSeeOther)
	}
	if messages, _ := s.timeline("/c/" + id); len(messages) != 1 {
		t.Errorf("messages: %q", messages)
	}
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
	for _, bad := range []string{"", "x", "-1", "-1-ff", "999-", "9999999999999999999-x", "0" + token(first), token(first) + "0"} {
		wrong.Set("token", bad)
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
	if !strings.Contains(page, ">\nwait</textarea>") {
		t.Error("the message is lost")
	}
	// A page that is new has no question to answer.
	s.post(path, yes(s.get(path)), http.StatusUnprocessableEntity)
	if messages, _ := s.timeline(path); len(messages) != 2 {
		t.Errorf("messages: %q", messages)
	}
	s.did(path)
	s.did(other)
}

// A form is good for the question that it shows, also where another one has
// taken its place in the conversation, as in a file from a backup.
func TestAFormIsBoundToItsQuestion(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	form := answer(s.get(path), fieldBuckets, "logs", fieldDelete, clarify.FormConfirmed)
	conv := s.console.conversation(strings.TrimPrefix(path, "/c/"))
	conv.mu.Lock()
	for i, e := range conv.timeline {
		if e.Event != nil && e.Event.Tool == clarify.ToolName {
			other := *e.Event
			other.Output = strings.Replace(other.Output, "This cannot be undone.", "This can be undone.", 1)
			conv.timeline[i].Event = &other
		}
	}
	conv.mu.Unlock()
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
	if messages, _ := s.timeline(path); len(messages) != 1 {
		t.Errorf("messages: %q", messages)
	}
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
		shows string // "" is nothing
		form  bool
	}{
		{"a call that was refused", tool(clarify.ErrorResult(fmt.Errorf("broken"))), "", false},
		{"a call that failed", failed, "", false},
		{"another tool that failed", clarify.Event{Type: clarify.EventToolEnd, Tool: "delete_bucket", Output: "denied", Failed: true}, "", false},
		{"another type of event", clarify.Event{Type: "token_usage", Output: "12"}, "", false},
		{"not an envelope", tool("hello"), "", false},
		{"a newer prompt beside another", tool(envelope(good + `,{"id":"a","kind":"slider","question":"How much?"}`)), "1 question needs a newer Console. Which name?", true},
		{"two newer prompts", tool(envelope(good + `,{"id":"a","kind":"slider","question":"?"},{"kind":"map"}`)), "2 questions need a newer Console.", true},
		{"a broken prompt", tool(envelope(good + `,{"id":"a","kind":"text"}`)), "1 question could not be read.", true},
		{"only newer prompts", tool(envelope(`{"id":"a","kind":"slider","question":"?"}`)), "1 question needs a newer Console.", false},
		{"a newer protocol", tool(`{"protocol":"appwrite.clarify/v2","prompts":[]}`), "A question needs a newer Console.", false},
		{"a cut envelope", tool(envelope(good)[:60] + "…"), "A question was damaged on its way and cannot be shown.", false},
		{"hidden characters", tool(envelope("{\"id\":\"name\",\"kind\":\"text\",\"question\":\"a\\u202eb\"}")), "hidden characters", true},
		{"the same name twice", tool(envelope(`{"id":"c","kind":"choice","question":"?","options":[{"id":"a","label":"A"},{"id":"b","label":"a"}]}`)), "Two of the choices have the same name.", true},
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
				if got, want := text(page), text(plain.get(plain.begin())); got != want {
					t.Errorf("the page shows something:\n%s\nwant\n%s", got, want)
				}
			} else {
				s.shows(page, tt.shows)
			}
			if got := strings.Contains(page, `class="card question"`); got != tt.form {
				t.Errorf("a form is shown: %t, want %t", got, tt.form)
			}
		})
	}
}

func TestAQuestionThatEveryoneMaySkip(t *testing.T) {
	s := newForeignSite(t, tool(`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"name","kind":"text","question":"Which name?","required":false,"multiline":true,"defaultValue":"\nfirst\nlast"}]}`))
	path := s.begin()
	page := s.get(path)
	if !strings.Contains(page, ">\n\nfirst\nlast</textarea>") { // HTML drops one newline
		t.Error("the text is not pre-filled as it is")
	}
	page = s.post(path, answer(page, "answer.name", ""), http.StatusUnprocessableEntity)
	s.shows(page, "There is nothing to send")
	s.post(path, answer(page, "answer.name", "a\r\nb"), http.StatusSeeOther)
	if messages, _ := s.timeline(path); messages[1] != message(t, write("name", "a\nb")) {
		t.Errorf("sent %q", messages[1])
	}
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
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sentBack is what a form sends back byte for byte: names, and the ids of options.
var sentBack = regexp.MustCompile(` name="answer\.[^"]*"| value="x[^"]*"`)

func TestHostileTextIsOnlyText(t *testing.T) {
	said := clarify.Event{Type: eventSay, Output: hostile}
	called := clarify.Event{Type: clarify.EventToolEnd, Tool: hostile, Output: hostile}
	read := clarify.Event{Type: eventReading, Output: hostile}
	s := newForeignSite(t, said, called, read, tool(hostileEnvelope(t)))
	path := s.begin()
	page := s.get(path)
	check := func(page string) {
		t.Helper()
		page = sentBack.ReplaceAllString(page, "") // nobody sees it
		for _, not := range []string{"<script", "<img src=x", "\u202e", "\u2066", "\u0007", "\u001b", "\u0085", "\u2028", "\u200b", "<!--", "ZgotmplZ"} {
			if strings.Contains(page, not) {
				t.Errorf("the page has %q in it", not)
			}
		}
		s.shows(page, "[U+202E][U+2066][U+0007][U+001B][31m[U+0085][U+2028][U+200B]", "hidden characters")
	}
	check(page)
	check(s.post(path, answer(page), http.StatusUnprocessableEntity))
	check(s.post(path, say(page, " "), http.StatusUnprocessableEntity))
	s.post(path, say(page, hostile), http.StatusSeeOther)
	check(s.get(path))
	// What was entered comes back as it was, but it is still only text.
	page = s.post(path, answer(s.get(path), "answer.x"+hostile+"3", hostile), http.StatusUnprocessableEntity)
	if strings.Contains(page, "<script") {
		t.Error("what was entered became a script")
	}
}

func TestEveryAnswerIsGuardedByHeaders(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	for _, r := range []struct {
		method, path string
		form         url.Values
		header       []string
	}{
		{"GET", "/", nil, nil}, {"GET", path, nil, nil}, {"GET", "/nowhere", nil, nil}, {"GET", "/c/none", nil, nil},
		{"GET", "/static/style.css", nil, nil}, {"GET", "/static/icon.svg", nil, nil},
		{"POST", path, url.Values{}, nil}, {"PUT", path, nil, nil},
		{"POST", path, url.Values{}, []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", path, nil, []string{"Host", "evil.example"}},
	} {
		req, _ := http.NewRequest(r.method, s.url+r.path, strings.NewReader(r.form.Encode()))
		for i := 0; i < len(r.header); i += 2 {
			if req.Header.Set(r.header[i], r.header[i+1]); r.header[i] == "Host" {
				req.Host = r.header[i+1]
			}
		}
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want := map[string]string{
			"Content-Security-Policy":      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		}
		for name, value := range want {
			if got := resp.Header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s %s: %s is %q, want %q", r.method, r.path, name, got, value)
			}
		}
		if ct := resp.Header.Get("Content-Type"); strings.HasPrefix(ct, "text/html") && r.path != "/" && resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: a page may be kept", r.method, r.path)
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
		if err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d", tt.name, status, err, tt.want)
		}
		if tt.want != http.StatusSeeOther {
			s.did(path)
		}
	}
	s.did(path, "delete logs")
	// Nor do they reach the engine.
	body := `{"conversation":"x","timeline":[{"message":"make room"}]}`
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		req, _ := http.NewRequest("POST", s.console.engineURL, strings.NewReader(body))
		req.Header.Set(header[0], header[1])
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusForbidden {
			t.Errorf("the engine took a request with %v: %s", header, resp.Status)
		}
	}
	if got := len(s.engine.project("x").turns); got != 0 {
		t.Errorf("the engine took %d turns", got)
	}
}

func TestOnlyLoopbackNamesLeadToALoopbackAddress(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "127.0.0.1:8080": true, "127.1.2.3": true, "[::1]": true, "[::1]:8080": true,
		"": false, "localhost.evil.example": false, "0.0.0.0:8080": false, "[::]:80": false, "evil.example": false, "127.0.0.1.evil.example": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
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
	if messages, _ := s.timeline(path); len(messages) != 1 {
		t.Errorf("%d messages", len(messages))
	}
	s.post(path, say(page, long[:maxForm-200]), http.StatusSeeOther)

	conv := s.console.conversation(strings.TrimPrefix(path, "/c/"))
	conv.mu.Lock()
	for len(conv.timeline) < maxEntries {
		conv.timeline = append(conv.timeline, entry{Event: &clarify.Event{Type: eventTurnEnd}})
	}
	conv.mu.Unlock()
	s.shows(s.post(path, say(s.get(path), "hello"), http.StatusConflict), "This conversation is full.")

	for len(s.console.conversations) < maxConversations {
		s.console.add(rand.Text())
	}
	s.post("/", url.Values{"id": {rand.Text()}}, http.StatusServiceUnavailable)
	s.post("/", url.Values{"id": {strings.TrimPrefix(path, "/c/")}}, http.StatusSeeOther)

	resp, err := s.client.Post(s.console.engineURL, "application/json", io.MultiReader(
		strings.NewReader(`{"conversation":"x","timeline":[{"message":"`), io.LimitReader(endless{}, maxTurnRequest)))
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("the engine took a request that is too long: %s", resp.Status)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// An engine that does not stop, says too much or nothing at all.
func TestAnEngineWithoutMeasure(t *testing.T) {
	for name, tt := range map[string]struct {
		engine http.HandlerFunc
		events int // what is kept
	}{
		"too many events": {func(w http.ResponseWriter, r *http.Request) {
			for writeEvent(w, clarify.Event{Type: eventSay, Output: "and"}) == nil {
			}
		}, maxTurnEvents},
		"one event without an end": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "data: ")
			io.Copy(w, endless{})
		}, 0},
		"comments without an end": {func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat(": still here\n", 1000)); err != nil {
					return
				}
			}
		}, 0},
		"nothing": {func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, 0},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, 0},
		"an error":        {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }, 0},
		"an empty stream": {func(w http.ResponseWriter, r *http.Request) {}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := httptest.NewServer(tt.engine)
			t.Cleanup(engine.Close)
			s := &site{T: t, folder: t.TempDir()}
			s.open(engine.URL)
			if name == "nothing" {
				s.console.turnTimeout = time.Second
			}
			begun := time.Now()
			path := s.begin()
			if took := time.Since(begun); took > turnTimeout/2 {
				t.Errorf("it took %v", took)
			}
			s.shows(s.get(path), "The agent broke off before its turn was over. What you sent is kept.", "Try again")
			messages, events := s.timeline(path)
			if len(messages) != 1 || len(events) != tt.events {
				t.Errorf("%d messages, %d events, want 1 and %d", len(messages), len(events), tt.events)
			}
		})
	}
}

// A client that sends half a request is not waited for.
func TestAStalledRequestIsCut(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(http.NotFoundHandler())
	go server.Serve(listener)
	defer server.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ")
	conn.SetReadDeadline(time.Now().Add(server.ReadHeaderTimeout + 5*time.Second))
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatalf("the connection is still open: %v", err)
	}
	if server.ReadTimeout == 0 || server.WriteTimeout <= turnTimeout || server.IdleTimeout == 0 || server.MaxHeaderBytes > 64<<10 {
		t.Errorf("a limit is missing: %+v", server)
	}
}

// A turn that broke off is told to its end on request, wherever it was cut, and
// nothing is done twice.
func TestTheEngineDiesInMidStream(t *testing.T) {
	whole := func() (page string) {
		s := newSite(t, nil)
		path := s.begin()
		s.post(path, answer(s.get(path), fieldBuckets, "logs", fieldBuckets, "uploads", fieldArchive, "kept", fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
		return text(s.get(path))
	}()
	for cut := 0; ; cut++ {
		limit := -1 // events until the engine dies; none if negative
		s := newSite(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(&dyingWriter{ResponseWriter: w, left: limit}, r)
			})
		})
		path := s.begin()
		form := answer(s.get(path), fieldBuckets, "logs", fieldBuckets, "uploads", fieldArchive, "kept", fieldDelete, clarify.FormConfirmed)
		limit = cut
		s.post(path, form, http.StatusSeeOther)
		_, events := s.timeline(path)
		page := s.get(path)
		s.did(path, "create kept fra", "copy logs kept", "copy uploads kept", "delete logs", "delete uploads")
		if !strings.Contains(page, "Try again") {
			if cut == 0 || events[len(events)-1] != eventTurnEnd || text(page) != whole {
				t.Fatalf("cut at %d: the page shows a whole turn, with %q", cut, events)
			}
			break
		}
		s.shows(page, "The agent broke off before its turn was over. What you sent is kept.")
		s.post(path, form, http.StatusSeeOther) // the same answer again changes nothing
		s.post(path, say(page, "go on"), http.StatusConflict)
		s.post(path, filled(page, doAgain, nil), http.StatusSeeOther)
		if cut > 0 { // the rest is longer than the limit in the beginning
			limit = -1
			s.post(path, filled(s.get(path), doAgain, nil), http.StatusSeeOther)
		}
		limit = -1
		if page = s.get(path); strings.Contains(page, "Try again") {
			s.post(path, filled(page, doAgain, nil), http.StatusSeeOther)
		}
		if got := text(s.get(path)); got != whole {
			t.Fatalf("cut at %d: got\n%s\nwant\n%s", cut, got, whole)
		}
		s.did(path, "create kept fra", "copy logs kept", "copy uploads kept", "delete logs", "delete uploads")
	}
}

// A question of a turn that broke off cannot be answered before the turn is
// whole: the rest of it might take the question back.
func TestAQuestionOfACutTurnWaits(t *testing.T) {
	cut := true
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if cut {
				w = &dyingWriter{ResponseWriter: w, left: 3} // all but the end
			}
			h.ServeHTTP(w, r)
		})
	})
	path := s.begin()
	page := s.get(path)
	s.shows(page, "Which buckets can go? not answered", "Try again")
	if strings.Contains(page, `class="card question"`) {
		t.Error("the question can be answered")
	}
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

// While the agent is at work nothing else is taken, and the page says so.
func TestWhileTheAgentIsAtWork(t *testing.T) {
	begun, go_on := make(chan bool), make(chan bool)
	s := newSite(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	s.post(path, say(`name="token" value="`+func() string {
		conv := s.console.conversation(id)
		conv.mu.Lock()
		defer conv.mu.Unlock()
		token, _ := conv.token(len(conv.timeline))
		return token
	}()+`"`, "hurry"), http.StatusConflict)
	go_on <- true
	if status := <-done; status != http.StatusSeeOther {
		t.Errorf("status %d", status)
	}
	if messages, _ := s.timeline(path); len(messages) != 1 {
		t.Errorf("messages: %q", messages)
	}
	s.shows(s.get(path), "Continue")
}

// What the browser does not wait for is answered all the same.
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
	if <-left == nil {
		t.Fatal("the browser did not leave")
	}
	close(go_on)
	s.post(path, form, http.StatusSeeOther) // waits for the turn that runs
	s.did(path, "delete logs")
	s.shows(s.get(path), "Done: deleted logs.")
}

func TestTheConversationSurvivesARestart(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, answer(s.get(path), fieldBuckets, guarded, fieldDelete, clarify.FormConfirmed), http.StatusSeeOther)
	before := s.get(path)
	again := &site{T: t, folder: s.folder, engine: s.engine}
	again.open(s.console.engineURL)
	after := again.get(path)
	if text(after) != text(before) || token(after) != token(before) {
		t.Errorf("after a restart the page is\n%s\nwant\n%s", text(after), text(before))
	}
	again.post(path, answer(before, "answer."+askGuarded, clarify.FormConfirmed), http.StatusSeeOther)
	again.did(path, "delete backups")
}

func TestUnknownPages(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/c/none", "/c/"} {
		status, _, _, err := s.send("GET", path, nil)
		if err != nil || status != http.StatusNotFound {
			t.Errorf("GET %s: status %d, %v", path, status, err)
		}
	}
	s.post("/c/none", url.Values{}, http.StatusNotFound)
	s.shows(s.get("/"), "There is no conversation yet.", "Start over")
	path := s.begin()
	if status, _, location, _ := s.send("GET", "/", nil); status != http.StatusFound || location != path {
		t.Errorf("status %d, to %s", status, location)
	}
}

func TestReadEvents(t *testing.T) {
	for _, tt := range []struct {
		stream string
		want   []string
	}{
		{"data: {}\n\n", []string{"{}"}},
		{"data:{}\r\n\r\ndata: 2\r\rdata: 3\n\n", []string{"{}", "2", "3"}},
		{": hello\nevent: x\nid: 1\ndata: {\ndata: }\nretry: 5\n\n", []string{"{\n}"}},
		{"data\n\ndata:\n\n\n\n", []string{"", ""}},
		{"data:  two\n\n", []string{" two"}},
		{"datax: 1\n\n data: 2\n\n", nil},
		{"data: 1\n\ndata: cut", []string{"1"}},
		{"data: 1\n\ndata: cut\n", []string{"1"}},
		{"data: 1\r\n\r", []string{"1"}},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream))} {
			var got []string
			err := readEvents(r, func(data []byte) error {
				got = append(got, string(data))
				return nil
			})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q: got %q, %v, want %q", tt.stream, got, err, tt.want)
			}
		}
	}
}

// A large event takes time in proportion to its size, and one that is too large
// is refused.
func TestReadLargeEvents(t *testing.T) {
	for _, size := range []int{clarify.MaxEventSize - len("data: "), clarify.MaxEventSize} {
		stream := io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless{}, int64(size)), strings.NewReader("\n\n"))
		got := 0
		err := readEvents(stream, func(data []byte) error { got = len(data); return nil })
		if fits := size < clarify.MaxEventSize; (err == nil) != fits || fits != (got == size) {
			t.Errorf("%d bytes: got %d, %v", size, got, err)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ünïcode, 你好, \U0001F468\u200D\U0001F469": "plain, ünïcode, 你好, \U0001F468\u200D\U0001F469",
		"two\n\tlines\r\n":           "two\n\tlines\r\n",
		"\x1b[31mred\x1b[0m\x00\x7f": "[U+001B][31mred[U+001B][0m[U+0000][U+007F]",
		"a\u202eb\u2069c":            "a[U+202E]b[U+2069]c",
		"\u0085\u2028\u2029\ufeff":   "[U+0085][U+2028][U+2029][U+FEFF]",
		"\u200e\u200f\u200b\u2060":   "[U+200E][U+200F][U+200B][U+2060]",
		"flag \U000E0067\U000E007F":  "flag [U+E0067][U+E007F]",
		"\u0601\u0661":               "\u0601\u0661",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// Both journals hold what they should: one line an entry, and one a turn.
func TestTheJournals(t *testing.T) {
	s := newSite(t, nil)
	path := s.begin()
	s.post(path, say(s.get(path), "list"), http.StatusSeeOther)
	count := func(name string) (n int) {
		data, err := os.ReadFile(filepath.Join(s.folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if n++; !json.Valid([]byte(line)) {
				t.Errorf("%s: %s", name, line)
			}
		}
		return n
	}
	messages, events := s.timeline(path)
	if got, want := count("console.jsonl"), len(messages)+len(events); got != want {
		t.Errorf("the Console's journal has %d lines, want %d", got, want)
	}
	if got := count("engine.jsonl"); got != 2 {
		t.Errorf("the engine's journal has %d lines, want 2", got)
	}
}
