package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
)

// The Console half: it keeps the conversations, shows them as pages, and takes
// what the user answers or writes. What it shows is in view.go.

// Limits of what is taken from a browser and from an engine.
const (
	maxForm          = 256 << 10 // bytes of a posted form
	maxConversations = 1000
	maxEntries       = 1000 // of one conversation: then it takes no message more
	maxTurn          = 16 << 20
	maxTurnEvents    = 200
)

const turnTimeout = 60 * time.Second

type console struct {
	engineURL   string
	turnTimeout time.Duration
	journal     *journal
	client      *http.Client

	stopped context.Context // of every turn
	stop    context.CancelFunc
	turns   sync.WaitGroup

	mu            sync.Mutex
	conversations map[string]*conversation
	newest        string
}

// A conversation is what was said, in order. It only grows.
type conversation struct {
	id string

	mu       sync.Mutex
	timeline []entry
	running  chan struct{} // closed when the turn that runs has ended; nil if none does
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

// Close waits for the turns that run; c.stop ends them.
func (c *console) Close() error {
	c.turns.Wait()
	return c.journal.Close()
}

func (c *console) conversation(id string) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conversations[id]
}

// add makes a new, empty conversation, or returns the one that has the id.
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

// first leads to the newest conversation.
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

var conversationID = regexp.MustCompile(`^[A-Z2-7]{26}$`) // as crypto/rand.Text makes them

// begin starts a conversation. Its id comes with the form, so that the same form
// posted twice starts one.
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

// open starts the conversation with the opening message, unless it was started.
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

// append adds to the conversation what is on the disk by then. The conversation
// is locked.
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

// post takes a form of a conversation's page. On success the answer is a
// redirect: a reload then posts nothing.
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

// wait waits for the end of a turn, as long as the browser does.
func wait(ctx context.Context, running <-chan struct{}) {
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
}

// readForm reads a posted form within its limit, or says that it cannot.
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

// What a form is for: the value of its field "do".
const (
	doAnswer  = "answer"
	doMessage = "message"
	doAgain   = "again"
)

// A refusal is why a form was not taken, and what to show then.
type refusal struct {
	status  int
	problem string
	blocked []clarify.Violation // of a question's form
}

func refuse(status int, problem string) *refusal { return &refusal{status: status, problem: problem} }

// take takes a form: the message in it becomes a part of the conversation, and
// the agent's turn begins. It returns what to wait for.
func (c *console) take(conv *conversation, form url.Values) (running chan struct{}, refused *refusal) {
	conv.mu.Lock()
	defer conv.mu.Unlock()
	position, asked, ok := conv.position(form.Get("token"))
	if !ok {
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
		if form.Has("enter") && current { // not the button, which is what confirms
			return nil, refuse(http.StatusUnprocessableEntity, "Enter alone does not send this. Look at it once more, then choose Continue.")
		}
		answers, blocked := asked.FormAnswers(form)
		if len(blocked) > 0 {
			if !current {
				return nil, refuse(http.StatusConflict, movedOn)
			}
			return nil, &refusal{http.StatusUnprocessableEntity, "The answer is not complete yet.", blocked}
		}
		if len(answers.Answers) == 0 {
			return nil, &refusal{http.StatusUnprocessableEntity, "There is nothing to send: answer a question, or write a message.", nil}
		}
		text, err := answers.AppendJSON(nil)
		if err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "This answer cannot be sent.")
		}
		message = string(text)
	default:
		return nil, refuse(http.StatusBadRequest, "This is not a form of ours.")
	}
	switch {
	case !current && position < len(conv.timeline) && conv.timeline[position] == (entry{Message: message}):
		return conv.running, nil // the same form, posted again
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

// token names the point in the conversation at which a form is shown, and the
// question that waits there. The form can be taken there and nowhere else, so it
// is good for once.
func (conv *conversation) token(position int) (token string, asked *clarify.Envelope) {
	asked = replay(conv.timeline[:position]).Pending()
	digest := ""
	if asked != nil {
		var err error
		if digest, err = asked.Digest(); err != nil {
			digest = "none" // larger than can be written: then its place alone names it
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", conv.id, position, digest))
	return fmt.Sprintf("%d-%s", position, hex.EncodeToString(sum[:16])), asked
}

// position returns the point that the token names, and the question there.
func (conv *conversation) position(token string) (position int, asked *clarify.Envelope, ok bool) {
	number, _, _ := strings.Cut(token, "-")
	position, err := strconv.Atoi(number)
	if err != nil || position < 0 || position > len(conv.timeline) {
		return 0, nil, false
	}
	want, asked := conv.token(position)
	return position, asked, token == want
}

// finished reports whether the agent's last turn is whole.
func (conv *conversation) finished() bool {
	if len(conv.timeline) == 0 {
		return false
	}
	last := conv.timeline[len(conv.timeline)-1].Event
	return last != nil && last.Type == eventTurnEnd
}

// run lets the agent take its turn, or the rest of it. It goes on when the
// browser has left: a message that was taken is answered. The conversation is
// locked.
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

// turn asks the engine for the turn and adds each event as it comes.
func (c *console) turn(ctx context.Context, conv *conversation, timeline []entry) error {
	body, err := json.Marshal(turnRequest{Conversation: conv.id, Timeline: timeline})
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
		if err != nil || len(ev.AppendJSON(nil)) > clarify.MaxEventSize { // as it is kept
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
