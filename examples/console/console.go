package main

import (
	"bytes"
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
)

// This file is the Console half. It keeps the conversations, and it takes what
// the user answers or writes. The pages are in view.go.

// These are the limits on input from a browser and from an engine.
const (
	maxForm          = 256 << 10 // bytes of a posted form
	maxConversations = 1000
	maxEntries       = 1000 // in one conversation; a full one takes no more messages
	maxTurn          = 16 << 20
	maxTurnEvents    = 200
)

const turnTimeout = 60 * time.Second

type console struct {
	engineURL   string
	turnTimeout time.Duration
	journal     *journal
	client      *http.Client

	stopped context.Context // the parent of every turn's context
	stop    context.CancelFunc
	turns   sync.WaitGroup

	mu            sync.Mutex
	conversations map[string]*conversation
	newest        string
}

// A conversation is everything that was said, in order. It only grows.
type conversation struct {
	id string

	mu       sync.Mutex
	timeline []entry
	running  chan struct{} // closed when the running turn ends; nil if no turn runs
}

// A record is one line of the Console's journal.
type record struct {
	Conversation string `json:"conversation"`
	entry
}

func newConsole(path, engineURL string) (*console, error) {
	c := &console{
		engineURL:     engineURL,
		turnTimeout:   turnTimeout,
		client:        &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		conversations: make(map[string]*conversation),
	}
	c.stopped, c.stop = context.WithCancel(context.Background())
	var err error
	c.journal, err = openJournal(path, func(line []byte) error {
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		conv := c.conversation(rec.Conversation)
		if conv == nil {
			conv = c.add(rec.Conversation)
		}
		conv.timeline = append(conv.timeline, rec.entry)
		return nil
	})
	return c, err
}

// Close waits for the running turns and closes the journal. To end the turns
// earlier, call c.stop.
func (c *console) Close() error {
	c.turns.Wait()
	return c.journal.Close()
}

func (c *console) conversation(id string) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conversations[id]
}

// add returns the conversation with the id. If there is none, it makes a new one.
func (c *console) add(id string) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv := c.conversations[id]
	if conv == nil {
		conv = &conversation{id: id}
		c.conversations[id], c.newest = conv, id
	}
	return conv
}

func (c *console) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.first)
	mux.HandleFunc("POST /{$}", c.begin)
	mux.HandleFunc("GET /c/{id}", c.show)
	mux.HandleFunc("POST /c/{id}", c.post)
	mux.Handle("GET /static/", staticFiles())
	return mux
}

// first redirects to the newest conversation.
func (c *console) first(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	id := c.newest
	c.mu.Unlock()
	if id == "" {
		render(w, http.StatusOK, page{Problem: "There is no conversation yet."})
		return
	}
	http.Redirect(w, r, "/c/"+id, http.StatusFound)
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
	c.mu.Lock()
	full := len(c.conversations) >= maxConversations && c.conversations[id] == nil
	c.mu.Unlock()
	if full {
		render(w, http.StatusServiceUnavailable, page{Problem: "There are too many conversations."})
		return
	}
	if err := c.open(r.Context(), id); err != nil {
		log.Printf("console: %v", err)
		render(w, http.StatusInternalServerError, page{Problem: notSaved})
		return
	}
	http.Redirect(w, r, "/c/"+id+"#latest", http.StatusSeeOther)
}

const notSaved = "This could not be saved, so it was not sent. Please try again."

// open starts the conversation with the opening message, if that is not done yet.
func (c *console) open(ctx context.Context, id string) error {
	conv := c.add(id)
	conv.mu.Lock()
	if len(conv.timeline) == 0 {
		if err := c.append(conv, entry{Message: opening}); err != nil {
			conv.mu.Unlock()
			return err
		}
		c.run(conv)
	}
	running := conv.running
	conv.mu.Unlock()
	wait(ctx, running)
	return nil
}

// append writes the entry to the disk and then adds it to the conversation. The
// caller holds the conversation's lock.
func (c *console) append(conv *conversation, e entry) error {
	if err := c.journal.Append(record{conv.id, e}); err != nil {
		return err
	}
	conv.timeline = append(conv.timeline, e)
	return nil
}

func (c *console) show(w http.ResponseWriter, r *http.Request) {
	conv := c.conversation(r.PathValue("id"))
	if conv == nil {
		render(w, http.StatusNotFound, page{Problem: "There is no such conversation."})
		return
	}
	render(w, http.StatusOK, conv.view())
}

// post takes a form from a conversation's page. If the form is accepted, post
// redirects, so that a reload does not post the form again.
func (c *console) post(w http.ResponseWriter, r *http.Request) {
	conv := c.conversation(r.PathValue("id"))
	if conv == nil {
		render(w, http.StatusNotFound, page{Problem: "There is no such conversation."})
		return
	}
	form, ok := readForm(w, r)
	if !ok {
		return
	}
	running, refused := c.take(conv, form)
	if refused != nil {
		p := conv.view()
		refused.fill(&p, form)
		render(w, refused.status, p)
		return
	}
	wait(r.Context(), running)
	http.Redirect(w, r, "/c/"+conv.id+"#latest", http.StatusSeeOther)
}

// wait waits until the turn ends or the browser leaves.
func wait(ctx context.Context, running <-chan struct{}) {
	if running != nil {
		select {
		case <-running:
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
)

// A refusal says why a form was refused.
type refusal struct {
	status  int
	problem string
	form    *htmlform.Form // that of the question, with what is wrong; or nil
}

func refuse(status int, problem string) *refusal { return &refusal{status: status, problem: problem} }

// take adds the form's message to the conversation and starts the agent's turn.
// The channel that it returns is closed when the turn ends.
func (c *console) take(conv *conversation, form url.Values) (running chan struct{}, refused *refusal) {
	conv.mu.Lock()
	defer conv.mu.Unlock()
	position, talk := conv.at(form.Get("position"))
	if talk == nil || form.Get(clarify.FormFor) != talk.Reference() {
		return nil, refuse(http.StatusConflict, "This form belongs to something else, so nothing was sent.")
	}
	current := position == len(conv.timeline) && conv.running == nil
	var message string
	switch form.Get("do") {
	case doAgain:
		if current && !conv.finished() {
			c.run(conv)
		}
		return conv.running, nil
	case doMessage:
		message = strings.ToValidUTF8(strings.ReplaceAll(form.Get("message"), "\r\n", "\n"), "\uFFFD")
		if strings.TrimSpace(message) == "" {
			return nil, refuse(http.StatusUnprocessableEntity, "Write a message first.")
		}
	case doAnswer:
		f := &htmlform.Form{Envelope: talk.Pending(), Reference: talk.Reference()}
		var err error
		message, err = f.Read(form)
		if err != nil && !current {
			return nil, refuse(http.StatusConflict, movedOn)
		}
		if err != nil {
			return nil, &refusal{http.StatusUnprocessableEntity, "", f}
		}
	default:
		return nil, refuse(http.StatusBadRequest, "This is not a form of ours.")
	}
	switch {
	case !current && position < len(conv.timeline) && conv.timeline[position] == (entry{Message: message}):
		return conv.running, nil // the same form was posted again
	case !current || !conv.finished():
		return nil, refuse(http.StatusConflict, movedOn)
	case len(conv.timeline) >= maxEntries:
		return nil, refuse(http.StatusConflict, "This conversation is full. Start a new one.")
	}
	if err := c.append(conv, entry{Message: message}); err != nil {
		log.Printf("console: %v", err)
		return nil, refuse(http.StatusInternalServerError, notSaved)
	}
	c.run(conv)
	return conv.running, nil
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

// run starts the agent's turn, or the rest of it. The turn goes on even if the
// browser leaves, because an accepted message must get its answer. The caller
// holds the conversation's lock.
func (c *console) run(conv *conversation) {
	timeline := conv.timeline[:len(conv.timeline):len(conv.timeline)]
	done := make(chan struct{})
	conv.running = done
	c.turns.Go(func() {
		ctx, cancel := context.WithTimeout(c.stopped, c.turnTimeout)
		defer cancel()
		if err := c.turn(ctx, conv, timeline); err != nil {
			log.Printf("console: the agent's turn: %v", err)
		}
		conv.mu.Lock()
		conv.running = nil
		conv.mu.Unlock()
		close(done)
	})
}

// request returns the request for the last turn of the timeline.
func (conv *conversation) request(timeline []entry) turnRequest {
	req := turnRequest{Conversation: conv.id}
	for _, e := range timeline {
		if req.Have++; e.Event == nil {
			req.Turn, req.Message, req.Have = req.Turn+1, e.Message, 0
		}
	}
	return req
}

// turn asks the engine for the turn and adds each event when it arrives.
func (c *console) turn(ctx context.Context, conv *conversation, timeline []entry) error {
	body, err := json.Marshal(conv.request(timeline))
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
	count, whole := 0, errors.New("whole")
	err = readEvents(io.LimitReader(resp.Body, maxTurn), func(data []byte) error {
		if count++; count > maxTurnEvents {
			return errors.New("too many events")
		}
		ev, err := clarify.ParseEvent(data)
		if err != nil || len(ev.AppendJSON(nil)) > clarify.MaxEventSize { // the size in which it is stored
			ev = clarify.Event{Type: eventUnreadable}
		}
		conv.mu.Lock()
		err = c.append(conv, entry{Event: &ev})
		conv.mu.Unlock()
		if err == nil && ev.Type == eventTurnEnd {
			err = whole
		}
		return err
	})
	switch err {
	case whole:
		return nil
	case nil:
		return io.ErrUnexpectedEOF
	}
	return err
}
