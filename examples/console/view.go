package main

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
)

// This file makes the pages that show a conversation.

//go:embed templates
var templateFiles embed.FS

//go:embed static
var embedded embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"visible":   visible,
	"confirmed": func() string { return clarify.FormConfirmed },
	"cancelled": func() string { return clarify.FormCancelled },
	"for":       func() string { return clarify.FormFor },
	"wire":      func(what, text string) wire { return wire{what, text} },
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
	Form     *form // the open question, or nil
	Running  bool  // the agent's turn is running
	Cut      bool  // the agent's turn broke off
	Problem  string
	Failed   bool   // the problem is with the question's form
	Draft    string // the text of a message that was refused
	Sendable bool   // the user can send a message
}

// An item is one thing in the conversation.
type item struct {
	Kind   string // user, say, tool, reading, note or past
	Text   string
	Tool   string
	JSON   string // the answers as JSON
	Past   *form
	Latest bool // the newest turn begins here
}

// A form is a question: an open one, or a past one with its answers.
type form struct {
	Title    string
	Fields   []field
	Notices  []string // what is left out or shown in another way
	Single   bool     // there is only one confirm, and its buttons send the form
	Danger   bool     // the Enter key must not send the form
	JSON     string   // the tool's result
	Answered bool
}

// Wrong returns the fields that have an error.
func (f *form) Wrong() (fields []field) {
	for _, f := range f.Fields {
		if f.Error != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// A field is one prompt.
type field struct {
	HTMLID   string
	Name     string
	Question string
	Hint     string
	Optional bool
	Orphan   bool // another prompt has the same id, so the form cannot answer it
	Alike    bool // two labels are the same, so the page also shows what each one sends
	Choice   *clarify.Choice
	Confirm  *clarify.Confirm
	Text     *clarify.Text

	Values []string // what was entered
	Error  string
	Answer []string // in a past form
}

// Holds reports whether the value was entered or chosen.
func (f field) Holds(value string) bool { return slices.Contains(f.Values, value) }

// Value returns the text that was entered.
func (f field) Value() string { return strings.Join(f.Values, "\n") }

// Area reports whether a text needs more than one line.
func (f field) Area() bool { return f.Text.Multiline || strings.ContainsAny(f.Value(), "\r\n") }

// DescribedBy returns the ids of the elements that describe the field.
func (f field) DescribedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.HTMLID+"-hint")
	}
	if f.Error != "" {
		ids = append(ids, f.HTMLID+"-error")
	}
	return strings.Join(ids, " ")
}

// First returns the id of the field's first control.
func (f field) First() string {
	if f.Text != nil {
		return f.HTMLID
	}
	return f.HTMLID + "-0"
}

func (conv *conversation) view() page {
	conv.mu.Lock()
	defer conv.mu.Unlock()
	p := page{ID: conv.id, Running: conv.running != nil, Position: len(conv.timeline)}
	p.Sendable = conv.finished() && !p.Running
	p.Cut = !conv.finished() && !p.Running
	var talk clarify.Conversation
	open := -1 // the index of the open question's item
	for _, e := range conv.timeline {
		if e.Event == nil {
			asked := talk.Pending()
			reply := talk.Message(e.Message)
			if asked != nil {
				p.Items[open].Past.answer(asked, reply)
			}
			p.Items = append(p.Items, userItem(e.Message))
			continue
		}
		asked, err := talk.Event(*e.Event)
		if it, ok := eventItem(*e.Event, asked, err); ok {
			if asked != nil {
				open = len(p.Items)
			}
			p.Items = append(p.Items, it)
		}
	}
	p.For = talk.Reference()
	if talk.Pending() != nil && p.Sendable {
		p.Form = p.Items[open].Past
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

// userItem returns the item of a message. If the message holds answers, the item
// shows their summary.
func userItem(message string) item {
	answers, err := clarify.ParseAnswers(message)
	if err != nil {
		return item{Kind: "user", Text: message}
	}
	return item{Kind: "user", Text: answers.Summary(), JSON: indented(message)}
}

// eventItem returns the item of an event. It returns false for an event that is
// not shown.
func eventItem(ev clarify.Event, asked *clarify.Envelope, err error) (it item, ok bool) {
	var empty *clarify.EmptyError
	switch {
	case asked != nil:
		return item{Kind: "past", Past: newForm(asked, ev.Output)}, true
	case errors.As(err, &empty) && len(empty.Skipped) > 0:
		return item{Kind: "note", Text: strings.Join(skippedNotices(empty.Skipped), " ")}, true
	case errors.Is(err, clarify.ErrVersion):
		return item{Kind: "note", Text: "A question needs a newer Console."}, true
	case errors.Is(err, clarify.ErrMalformed):
		return item{Kind: "note", Text: "A question was damaged on its way and cannot be shown."}, true
	case ev.Type == eventUnreadable:
		return item{Kind: "note", Text: "A part of the agent's turn could not be read."}, true
	case ev.Type == eventSay:
		return item{Kind: "say", Text: ev.Output}, true
	case ev.Type == eventReading:
		return item{Kind: "reading", Text: ev.Output}, true
	case ev.Type == clarify.EventToolEnd && !ev.Failed && !clarify.IsTool(ev.Tool):
		return item{Kind: "tool", Tool: ev.Tool, Text: ev.Output}, true
	}
	return item{}, false // a failed call, or an event of another type
}

func newForm(e *clarify.Envelope, output string) *form {
	f := &form{Title: e.Title, JSON: indented(output), Notices: skippedNotices(e.Skipped)}
	if f.Title == "" {
		f.Title = "A question"
	}
	warnings := e.Lint()
	f.Notices = append(f.Notices, lintNotices(warnings)...)
	count, alike := make(map[string]int), make(map[string]bool)
	for _, p := range e.Prompts {
		count[p.ID]++
	}
	for _, w := range warnings {
		if prompt, _, ok := strings.Cut(w.Path, "."); ok && isAlike(w.Code) {
			alike[prompt] = true
		}
	}
	for i, p := range e.Prompts {
		next := field{
			HTMLID:   fmt.Sprintf("q%d", i),
			Name:     p.FormName(),
			Question: p.Question,
			Hint:     p.Hint,
			Optional: p.Optional,
			Orphan:   count[p.ID] > 1,
			Alike:    alike[fmt.Sprintf("prompts[%d]", i)],
		}
		switch in := p.Input.(type) {
		case *clarify.Choice:
			next.Choice = in
		case *clarify.Confirm:
			next.Confirm = in
			f.Danger = f.Danger || in.Danger
		case *clarify.Text:
			next.Text = in
			if in.DefaultValue != "" {
				next.Values = []string{visible(in.DefaultValue)}
			}
		}
		f.Fields = append(f.Fields, next)
	}
	f.Single = len(f.Fields) == 1 && f.Fields[0].Confirm != nil
	return f
}

// answer fills in what was answered.
func (f *form) answer(e *clarify.Envelope, reply *clarify.Reply) {
	for i := range f.Fields {
		id, next := e.Prompts[i].ID, &f.Fields[i]
		switch {
		case next.Choice != nil:
			chosen := reply.Values(id)
			for _, o := range next.Choice.Options {
				if slices.Contains(chosen, o.ID) {
					next.Answer = append(next.Answer, o.Label)
				}
			}
		case next.Confirm != nil:
			switch reply.Decision(id) {
			case clarify.Confirmed:
				next.Answer = []string{next.Confirm.ConfirmLabel}
			case clarify.Cancelled:
				next.Answer = []string{next.Confirm.CancelLabel}
			}
		case next.Text != nil:
			if text, ok := reply.Text(id); ok {
				next.Answer = []string{text}
			}
		}
		f.Answered = f.Answered || next.Answer != nil
	}
}

// skippedNotices says how many prompts are not shown, and why.
func skippedNotices(skipped []clarify.Skipped) (notices []string) {
	newer, broken := 0, 0
	for _, s := range skipped {
		switch {
		case s.Part == clarify.PartPrompt && s.Code == clarify.CodeUnknownKind:
			newer++
		case s.Part == clarify.PartPrompt:
			broken++
		}
	}
	if newer == 1 {
		notices = append(notices, "1 question needs a newer Console.")
	} else if newer > 1 {
		notices = append(notices, fmt.Sprintf("%d questions need a newer Console.", newer))
	}
	if broken > 0 {
		notices = append(notices, plural(broken, "question")+" could not be read.")
	}
	return notices
}

// lintNotices warns about text that could mislead the user.
func lintNotices(warnings []clarify.Violation) (notices []string) {
	var hidden, alike bool
	for _, w := range warnings {
		alike = alike || isAlike(w.Code)
		hidden = hidden || !isAlike(w.Code)
	}
	if hidden {
		notices = append(notices, "This question has hidden characters in it. Each is shown by its code, such as [U+202E].")
	}
	if alike {
		notices = append(notices, "Two of the choices have the same name. The code after each one shows what it sends.")
	}
	return notices
}

func isAlike(code clarify.Code) bool {
	return code == clarify.CodeDuplicateLabel || code == clarify.CodeSameLabels
}

// fill adds the refusal to the page, and what was entered.
func (r *refusal) fill(p *page, entered url.Values) {
	p.Problem = r.problem
	if entered.Get("do") == doMessage {
		p.Draft = entered.Get("message")
		return
	}
	if p.Form == nil || r.status != http.StatusUnprocessableEntity {
		return
	}
	p.Failed = true
	for i := range p.Form.Fields {
		f := &p.Form.Fields[i]
		f.Values = entered[f.Name]
		for _, v := range r.blocked {
			if v.Path == f.Name {
				f.Error = errorText(v.Code)
			}
		}
	}
}

func errorText(code clarify.Code) string {
	switch code {
	case clarify.CodeMissing:
		return "This needs an answer."
	case clarify.CodeTooMany:
		return "Choose only one."
	case clarify.CodeUnknownOption, clarify.CodeUnclear:
		return "Choose one of what is offered."
	}
	return "This cannot be sent as it is."
}

// visible replaces characters that are invisible, move the cursor or change the
// direction of the text by their code points.
func visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool {
	switch r {
	case '\n', '\r', '\t':
		return false
	case '\u200C', '\u200D', '\u00AD': // some scripts and emoji need these, and they hide nothing
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// indented indents JSON, so that people can read it.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  ") != nil {
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

// staticFiles serves the style sheet and the icon.
func staticFiles() http.Handler {
	files := http.FileServerFS(embedded)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
}
