package main

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"log"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/htmlform"
)

// This file makes the pages that show a conversation.

//go:embed templates
var templateFiles embed.FS

//go:embed static
var embedded embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"visible": htmlform.Visible,
	"for":     func() string { return clarify.FormFor },
	"wire":    func(what, text string) wire { return wire{what, text} },
}).ParseFS(templateFiles, "templates/*.html"))

// A wire is JSON that the two halves exchanged. The page shows it to readers of
// this example.
type wire struct{ What, Text string }

// A page shows a conversation, or only a problem.
type page struct {
	ID       string // of the conversation; if empty, the page shows only Problem
	NewID    string // for a new conversation
	Position int    // of the forms in the conversation
	For      string // which question they are for
	Items    []item
	Form     *htmlform.Form // the open question, or nil
	JSON     string         // its tool's result
	Running  bool           // the agent's turn is running
	Cut      bool           // the agent's turn broke off
	Problem  string
	Draft    string // the text of a message that was refused
	Sendable bool   // the user can send a message
	List     *list
}

// A list is a page of the list of conversations.
type list struct {
	Search string
	Found  []listed
	Page   int  // the first is 0, with the newest
	More   bool // there are older ones
}

func (l *list) Newer() int { return l.Page - 1 }
func (l *list) Older() int { return l.Page + 1 }

// titleOf is what the list calls a conversation in which the user wrote the entry last.
// It is empty for an event and for answers.
func titleOf(e entry) string {
	if _, err := clarify.ParseAnswers(e.Message); err == nil {
		return ""
	}
	title := []rune(strings.Join(strings.FieldsFunc(e.Message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " "))
	return string(title[:min(len(title), 80)])
}

// An item is one thing in the conversation.
type item struct {
	Kind   string // user, say, tool, reading, note or past
	Text   string
	Tool   string
	JSON   string        // the answers or the question as JSON
	Past   template.HTML // a question that does not wait
	Latest bool          // the newest turn begins here
}

func (conv *conversation) view() page {
	p := page{ID: conv.id, Running: conv.running != nil, Position: len(conv.timeline)}
	p.Sendable = conv.finished() && !p.Running
	p.Cut = !conv.finished() && !p.Running
	var talk clarify.Conversation
	var form htmlform.Form
	open := -1 // the index of the form's item
	for _, e := range conv.timeline {
		if e.Event == nil {
			asked := talk.Pending()
			reply := talk.Message(e.Message)
			if asked != nil {
				p.Items[open].Past = form.Past(reply)
			}
			p.Items = append(p.Items, userItem(asked, e.Message))
			continue
		}
		asked, err := talk.Event(*e.Event)
		if asked != nil {
			form, open = htmlform.Form{Envelope: asked, Reference: talk.Reference()}, len(p.Items)
			p.Items = append(p.Items, item{Kind: "past", Past: form.Past(nil), JSON: indented(e.Event.Output)})
		} else if it, ok := eventItem(*e.Event, err); ok {
			p.Items = append(p.Items, it)
		}
	}
	p.For = talk.Reference()
	if talk.Pending() != nil && p.Sendable {
		form.Action = "/c/" + conv.id
		form.Hidden = map[string]string{"do": doAnswer, "position": strconv.Itoa(p.Position)}
		p.Form, p.JSON = &form, p.Items[open].JSON
		p.Items = slices.Delete(p.Items, open, open+1)
	}
	for i := len(p.Items) - 1; i >= 0; i-- {
		if p.Items[i].Kind == "user" {
			p.Items[i].Latest = true
			break
		}
	}
	return p
}

// userItem returns the item of a message. If the message answers what was asked, the item
// shows the questions and the labels.
func userItem(asked *clarify.Envelope, message string) item {
	answers, err := clarify.ParseAnswers(message)
	if err != nil {
		return item{Kind: "user", Text: message}
	}
	return item{Kind: "user", Text: asked.Summary(answers), JSON: indented(message)}
}

// eventItem returns the item of an event that shows no question. It returns false for
// an event that is not shown.
func eventItem(ev clarify.Event, err error) (it item, ok bool) {
	var empty *clarify.EmptyError
	switch {
	case errors.As(err, &empty) && len(empty.Skipped) > 0:
		notices := (&htmlform.Form{Envelope: &clarify.Envelope{Skipped: empty.Skipped}}).View().Notices
		return item{Kind: "note", Text: strings.Join(notices, " ")}, true
	case errors.Is(err, clarify.ErrVersion):
		return item{Kind: "note", Text: "A question needs a newer Console."}, true
	case errors.Is(err, clarify.ErrMalformed):
		return item{Kind: "note", Text: "A question was damaged on its way and cannot be shown."}, true
	case ev.Type == eventUnreadable:
		return item{Kind: "note", Text: "A part of the agent's turn could not be read."}, true
	case ev.Type == eventLeft:
		return item{Kind: "note", Text: "The agent broke off here, and you went on without the rest."}, true
	case ev.Type == eventSay:
		return item{Kind: "say", Text: ev.Output}, true
	case ev.Type == eventReading:
		return item{Kind: "reading", Text: ev.Output}, true
	case ev.Type == clarify.EventToolEnd && !ev.Failed && !clarify.IsTool(ev.Tool):
		return item{Kind: "tool", Tool: ev.Tool, Text: ev.Output}, true
	}
	return item{}, false // a failed call, or an event of another type
}

// fill adds the refusal to the page, and what was entered.
func (r *refusal) fill(p *page) {
	if p.Form != nil && r.Form.Get("do") == doAnswer && r.Form.Get(clarify.FormFor) == p.For {
		p.Form.Read(r.Form) // finds again what is wrong
	}
	if p.Form == nil || p.Form.Problem == "" {
		p.Problem = r.Problem
	}
	if r.Form.Get("do") == doMessage {
		p.Draft = r.Form.Get("message")
	}
}

// indented indents JSON, so that people can read it. What is nested deeply would
// become too large, and stays as it is.
func indented(text string) string {
	var b bytes.Buffer
	if strings.Count(text, "[")+strings.Count(text, "{") > 500 || json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  ") != nil {
		return text
	}
	return b.String()
}

// render writes the page. If the page cannot be made, it writes an error instead.
func render(w http.ResponseWriter, status int, p page) {
	p.NewID = rand.Text()
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "page.html", p); err != nil {
		log.Printf("console: %v", err)
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// staticFiles serves the style sheets and the icon.
func staticFiles() http.Handler {
	files := http.FileServerFS(embedded)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		if r.URL.Path == "/static/form.css" {
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			io.WriteString(w, htmlform.Style)
			return
		}
		files.ServeHTTP(w, r)
	})
}
