package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/htmlform"
	"github.com/tmaxmax/go-sse"
)

// This file is the Console half. It takes what the user answers or writes, stores
// it, and asks the engine for the agent's turn. The pages are in view.go.

// These are the limits on input from a browser and from an engine.
const (
	maxForm       = 256 << 10 // bytes of a posted form
	maxEntries    = 1000      // in one conversation; a full one takes no more messages
	maxTurn       = 16 << 20
	maxTurnEvents = 200
)

const (
	turnTimeout = 60 * time.Second
	patience    = 2 * time.Second // the longest wait of a browser for the page after a form
	liveTime    = 50 * time.Second
	livePause   = 500 * time.Millisecond
)

type console struct {
	engineURL   string
	turnTimeout time.Duration
	patience    time.Duration
	store       *store
	client      *http.Client

	stopped context.Context // the parent of every turn's context
	stop    context.CancelFunc
	turns   sync.WaitGroup

	mu      sync.Mutex
	running map[string]chan struct{} // closed when the turn ends that runs here, by conversation
}

// A conversation is everything that was said, in order. It only grows. This is how
// it was when it was loaded.
type conversation struct {
	id       string
	timeline []entry
	running  chan struct{} // closed when the running turn ends; nil if no turn runs here
}

func newConsole(s *store, engineURL string) *console {
	c := &console{
		engineURL:   engineURL,
		turnTimeout: turnTimeout,
		patience:    patience,
		store:       s,
		client:      &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		running:     make(map[string]chan struct{}),
	}
	c.stopped, c.stop = context.WithCancel(context.Background())
	return c
}

// Close waits for the running turns. To end them earlier, call c.stop.
func (c *console) Close() { c.turns.Wait() }

// load returns the conversation, or nil if there is none.
func (c *console) load(ctx context.Context, id string) (*conversation, error) {
	c.mu.Lock()
	running := c.running[id] // first, so that its events are in the timeline if it has ended
	c.mu.Unlock()
	timeline, err := c.store.timeline(ctx, id, 0)
	if err != nil || len(timeline) == 0 {
		return nil, err
	}
	return &conversation{id, timeline, running}, nil
}

// find returns the conversation that the request names, or shows why it cannot.
func (c *console) find(w http.ResponseWriter, r *http.Request) *conversation {
	conv, err := c.load(r.Context(), r.PathValue("id"))
	switch {
	case err != nil:
		broken(w, err)
	case conv == nil:
		render(w, http.StatusNotFound, page{Problem: "There is no such conversation."})
	}
	return conv
}

// broken shows that the database could not be read or written.
func broken(w http.ResponseWriter, err error) {
	log.Printf("console: %v", err)
	render(w, http.StatusInternalServerError, page{Problem: notSaved})
}

func (c *console) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.first)
	mux.HandleFunc("POST /{$}", c.begin)
	mux.HandleFunc("GET /all", c.all)
	mux.HandleFunc("GET /c/{id}", c.show)
	mux.HandleFunc("POST /c/{id}", c.post)
	mux.HandleFunc("GET /c/{id}/live", c.live)
	mux.Handle("GET /static/", staticFiles())
	return mux
}

// first redirects to the newest conversation.
func (c *console) first(w http.ResponseWriter, r *http.Request) {
	newest, _, err := c.store.list(r.Context(), "", 0)
	switch {
	case err != nil:
		broken(w, err)
	case len(newest) == 0:
		render(w, http.StatusOK, page{Problem: "There is no conversation yet."})
	default:
		http.Redirect(w, r, "/c/"+newest[0].ID, http.StatusFound)
	}
}

// all lists the conversations, or those that hold a text.
func (c *console) all(w http.ResponseWriter, r *http.Request) {
	search := strings.TrimSpace(r.FormValue("q"))
	number, err := strconv.Atoi(cmp.Or(r.FormValue("page"), "0"))
	if err != nil || number < 0 || number > 1<<30 || len(search) > 200 {
		render(w, http.StatusBadRequest, page{Problem: "There is no such page."})
		return
	}
	found, more, err := c.store.list(r.Context(), search, number)
	if err != nil {
		broken(w, err)
		return
	}
	render(w, http.StatusOK, page{List: &list{search, found, number, more}})
}

var conversationID = regexp.MustCompile(`^[A-Z2-7]{26}$`) // the form of crypto/rand.Text

// begin starts a conversation. The form holds its id, so a form that is posted
// twice starts only one.
func (c *console) begin(w http.ResponseWriter, r *http.Request) {
	form, ok := readForm(w, r)
	if !ok {
		return
	}
	id := form.Get("id")
	if !conversationID.MatchString(id) {
		render(w, http.StatusBadRequest, page{Problem: "This is not a form of ours."})
		return
	}
	switch err := c.open(r.Context(), id); err {
	case nil:
		http.Redirect(w, r, "/c/"+id+"#latest", http.StatusSeeOther)
	case errGone:
		render(w, http.StatusGone, page{Problem: "This conversation was deleted."})
	default:
		broken(w, err)
	}
}

const notSaved = "This could not be saved, so it was not sent. Please try again."

// open starts the conversation with the opening message, if that is not done yet.
func (c *console) open(ctx context.Context, id string) error {
	err := c.store.append(ctx, id, 0, entry{Message: opening})
	if err != nil && err != errTaken {
		return err
	}
	conv, err := c.load(ctx, id)
	if err != nil || conv == nil {
		return err
	}
	if len(conv.timeline) == 1 {
		c.run(conv)
	}
	c.wait(ctx, conv.running)
	return nil
}

func (c *console) show(w http.ResponseWriter, r *http.Request) {
	conv := c.find(w, r)
	if conv == nil {
		return
	}
	refused, err := c.store.refused(r.Context(), conv.id, r.FormValue("refused"))
	switch {
	case err != nil:
		broken(w, err)
	case refused != nil:
		refused.render(w, conv)
	default:
		render(w, http.StatusOK, conv.view())
	}
}

// post takes a form from a conversation's page. It redirects, so that a reload does
// not post the form again, also to a form that was refused.
func (c *console) post(w http.ResponseWriter, r *http.Request) {
	form, ok := readForm(w, r)
	if !ok {
		return
	}
	conv := c.find(w, r)
	if conv == nil {
		return
	}
	if form.Get("do") == doForget {
		if err := c.store.forget(r.Context(), conv.id); err != nil {
			broken(w, err)
			return
		}
		http.Redirect(w, r, "/all", http.StatusSeeOther)
		return
	}
	if refused := c.take(r.Context(), conv, form); refused != nil {
		refused.Form = form
		token, err := c.store.keep(r.Context(), conv.id, refused)
		if err != nil { // a full disk, perhaps, or it was deleted
			log.Printf("console: %s: %v", conv.id, err)
			refused.render(w, conv)
			return
		}
		http.Redirect(w, r, "/c/"+conv.id+"?refused="+token, http.StatusSeeOther)
		return
	}
	c.wait(r.Context(), conv.running)
	http.Redirect(w, r, "/c/"+conv.id+"#latest", http.StatusSeeOther)
}

// wait waits a little for the turn to end. After that the page says that the agent is
// at work.
func (c *console) wait(ctx context.Context, running <-chan struct{}) {
	if running != nil {
		select {
		case <-running:
		case <-time.After(c.patience):
		case <-ctx.Done():
		}
	}
}

// readForm reads a posted form within the limit, or shows why it cannot.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		render(w, http.StatusRequestEntityTooLarge, page{Problem: "That was too long, so it was not sent."})
	case err != nil:
		render(w, http.StatusBadRequest, page{Problem: "This is not a form of ours."})
	default:
		return r.PostForm, true
	}
	return nil, false
}

// These are the values of a form's field "do".
const (
	doAnswer  = "answer"
	doMessage = "message"
	doAgain   = "again"
	doWithout = "without"
	doForget  = "forget"
)

// A refusal says why a form was refused, and holds the form.
type refusal struct {
	Status  int
	Problem string
	Form    url.Values
}

func refuse(status int, problem string) *refusal { return &refusal{Status: status, Problem: problem} }

// render shows the conversation with the refusal in it.
func (r *refusal) render(w http.ResponseWriter, conv *conversation) {
	p := conv.view()
	r.fill(&p)
	render(w, r.Status, p)
}

// take adds the form's message to the conversation and starts the agent's turn.
func (c *console) take(ctx context.Context, conv *conversation, form url.Values) *refusal {
	position, talk := conv.at(form.Get("position"))
	if talk == nil || form.Get(clarify.FormFor) != talk.Reference() {
		return refuse(http.StatusConflict, "This form belongs to something else, so nothing was sent.")
	}
	current := position == len(conv.timeline) && conv.running == nil
	var message string
	switch form.Get("do") {
	case doAgain:
		if current && !conv.finished() {
			c.run(conv)
		}
		return nil
	case doWithout:
		if !current || conv.finished() {
			return nil
		}
		err := c.store.append(ctx, conv.id, position, entry{Event: &clarify.Event{Type: eventLeft}}, entry{Event: &clarify.Event{Type: eventTurnEnd}})
		if err != nil && err != errTaken { // if it was taken, the turn goes on
			return c.notSaved(conv, err)
		}
		return nil
	case doMessage:
		message = strings.ToValidUTF8(strings.ReplaceAll(form.Get("message"), "\r\n", "\n"), "\uFFFD")
		if strings.TrimSpace(message) == "" {
			return refuse(http.StatusUnprocessableEntity, "Write a message first.")
		}
	case doAnswer:
		f := &htmlform.Form{Envelope: talk.Pending(), Reference: talk.Reference()}
		var err error
		message, err = f.Read(form)
		switch {
		case err == nil:
		case !current:
			return refuse(http.StatusConflict, movedOn)
		default:
			return refuse(http.StatusUnprocessableEntity, f.Problem)
		}
	default:
		return refuse(http.StatusBadRequest, "This is not a form of ours.")
	}
	switch {
	case !current && position < len(conv.timeline) && conv.timeline[position] == (entry{Message: message}):
		return nil // the same form was posted again
	case !current || !conv.finished():
		return refuse(http.StatusConflict, movedOn)
	case len(conv.timeline) >= maxEntries:
		return refuse(http.StatusConflict, "This conversation is full. Start a new one.")
	}
	switch err := c.store.append(ctx, conv.id, position, entry{Message: message}); err {
	case nil:
		conv.timeline = append(conv.timeline, entry{Message: message})
		c.run(conv)
		return nil
	case errTaken: // by somebody else, since the conversation was loaded
		if again, err := c.load(ctx, conv.id); err == nil && again != nil && len(again.timeline) > position {
			*conv = *again
			return c.take(ctx, conv, form)
		}
		return refuse(http.StatusConflict, movedOn)
	case errGone:
		return refuse(http.StatusConflict, movedOn)
	default:
		return c.notSaved(conv, err)
	}
}

func (c *console) notSaved(conv *conversation, err error) *refusal {
	log.Printf("console: %s: %v", conv.id, err)
	return refuse(http.StatusInternalServerError, notSaved)
}

const movedOn = "The conversation has moved on since this page was made, so nothing was sent."

// at returns the position that a form names, and the conversation at this position,
// or nil. A form is accepted only at its position and for the question that waits
// there, so it works once.
func (conv *conversation) at(position string) (int, *clarify.Conversation) {
	n, err := strconv.Atoi(position)
	if err != nil || n < 0 || n > len(conv.timeline) || strconv.Itoa(n) != position {
		return 0, nil
	}
	return n, replay(conv.timeline[:n])
}

// replay tells a conversation what happened, so it knows the question that waits.
func replay(timeline []entry) *clarify.Conversation {
	talk := new(clarify.Conversation)
	for _, e := range timeline {
		if e.Event != nil {
			talk.Event(*e.Event) // an event that is not a question changes nothing
		} else {
			talk.Message(e.Message)
		}
	}
	return talk
}

// finished reports whether the agent's last turn is complete.
func (conv *conversation) finished() bool {
	if len(conv.timeline) == 0 {
		return false
	}
	last := conv.timeline[len(conv.timeline)-1].Event
	return last != nil && last.Type == eventTurnEnd
}

// run starts the agent's turn, or the rest of it, unless it runs already. The turn
// goes on even if the browser leaves, because an accepted message must get its answer.
func (c *console) run(conv *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conv.running = c.running[conv.id]; conv.running != nil {
		return
	}
	done, turn := make(chan struct{}), *conv
	c.running[conv.id], conv.running = done, done
	c.turns.Go(func() {
		ctx, cancel := context.WithTimeout(c.stopped, c.turnTimeout)
		defer cancel()
		if err := c.turn(ctx, &turn); err != nil {
			log.Printf("console: %s: the agent's turn: %v", turn.id, err)
		}
		c.mu.Lock()
		delete(c.running, turn.id)
		c.mu.Unlock()
		close(done)
	})
}

// request returns the request for the last turn.
func (conv *conversation) request() turnRequest {
	req, left := turnRequest{Conversation: conv.id}, false
	for _, e := range conv.timeline {
		switch req.Have++; {
		case e.Event == nil:
			req.Turn, req.Message, req.Have, req.Left, left = req.Turn+1, e.Message, 0, left, false
		case e.Event.Type == eventLeft:
			left = true
		}
	}
	return req
}

// turn asks the engine for the turn and adds each event when it arrives.
func (c *console) turn(ctx context.Context, conv *conversation) error {
	body, err := json.Marshal(conv.request())
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.engineURL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return fmt.Errorf("the engine says %s: %q", resp.Status, text)
	}
	count := 0
	for received, err := range sse.Read(io.LimitReader(resp.Body, maxTurn), &sse.ReadConfig{MaxEventSize: clarify.MaxEventSize}) {
		if count++; err == nil && count > maxTurnEvents {
			err = errors.New("too many events")
		}
		if err != nil {
			return err
		}
		ev, err := clarify.ParseEvent([]byte(received.Data))
		if err != nil || ev.Type == eventLeft || len(ev.AppendJSON(nil)) > clarify.MaxEventSize { // the size in which it is stored
			ev = clarify.Event{Type: eventUnreadable}
		}
		if err := c.store.append(ctx, conv.id, len(conv.timeline), entry{Event: &ev}); err != nil {
			return err
		}
		conv.timeline = append(conv.timeline, entry{Event: &ev})
		if ev.Type == eventTurnEnd {
			return nil
		}
	}
	return io.ErrUnexpectedEOF
}

// live tells a page what the agent says, and that it is old: the conversation has gone
// on, here or in another process, or the turn that was running has ended.
func (c *console) live(w http.ResponseWriter, r *http.Request) {
	position, err := strconv.Atoi(r.FormValue("position"))
	if err != nil || position < 0 {
		http.Error(w, "no such position", http.StatusBadRequest)
		return
	}
	id := r.PathValue("id")
	if there, err := c.store.timeline(r.Context(), id, max(0, position-1)); err != nil || len(there) == 0 {
		http.Error(w, "no such conversation", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for said, end := position, time.Now().Add(liveTime); time.Now().Before(end); {
		c.mu.Lock()
		running := c.running[id]
		c.mu.Unlock()
		more, err := c.store.timeline(r.Context(), id, said)
		if err != nil {
			return
		}
		for _, e := range more {
			if ev := e.Event; ev != nil && ev.Type == eventSay && writeEvent(w, "said", htmlform.Visible(ev.Output)) != nil {
				return
			}
		}
		said += len(more)
		if running == nil && (position < said || r.FormValue("running") != "") {
			writeEvent(w, "moved", "moved")
			return
		}
		select {
		case <-running: // nil, and so never ready, if no turn runs here
		case <-time.After(livePause):
		case <-r.Context().Done():
			return
		case <-c.stopped.Done():
			return
		}
	}
}
