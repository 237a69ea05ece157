// Package htmlform shows the question of an agent as a form in HTML, and reads what the
// user sends with it. The form needs no JavaScript.
//
// [Form.HTML] returns the form, and [Form.Read] makes the user's next message of what was
// posted. If the form has to be shown again, Read has filled it with what was entered and
// what is wrong. [Form.Past] returns the question without a form, with its answers. The
// example of the package is a whole page.
//
// [Style] is the style sheet. It takes colours and sizes from custom properties, which a
// page can set; they are in its first lines. [Texts] has all texts that are not the
// agent's, for other languages. A page with templates of its own uses [Form.View] instead
// of HTML.
//
// # What the form promises
//
//   - Silence is no answer. Nothing is chosen beforehand, and a default value is an answer
//     only when it is sent.
//   - The Enter key sends no form that can confirm a danger. It presses a button that does
//     nothing; see [View.Guarded].
//   - A form answers the question that it shows: a hidden field has the reference of the
//     question, and Read compares it.
//   - What the agent and the user wrote is text and nothing else. html/template escapes it,
//     and [Visible] shows what the eye would not see. A default value and what was entered
//     go into their fields unchanged.
//   - What cannot be shown or cannot be answered is said, and so are labels that look the
//     same and questions for a secret: what [clarify.Envelope.Lint] warns of.
//   - Errors, hints and dangers are words, and the accessibility tree has them. A field is
//     written from the side from which its question is written.
//
// The server that the form is posted to has to bound the size of the request, to refuse
// what [net/http.Request.ParseForm] refuses, and to refuse posts from other sites:
// [net/http.MaxBytesReader] and [net/http.CrossOriginProtection] do so. The page has to
// keep out of frames of other sites: the policy frame-ancestors does that.
package htmlform

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Style is the style sheet of the form and of past questions.
//
//go:embed style.css
var Style string

//go:embed form.html
var source string

var templates = template.Must(template.New("").Funcs(template.FuncMap{"for": func() string { return clarify.FormFor }}).Parse(source))

// A Form is a question in a page. A page makes a new one for each request.
type Form struct {
	// Envelope is the question: [clarify.Conversation.Pending]. If it is nil, no
	// question waits, and the form is empty.
	Envelope *clarify.Envelope

	// Reference is that of the question: [clarify.Conversation.Reference]. If it is
	// empty, nothing tells the forms of two questions with the same ids apart.
	Reference string

	Action string            // where the form is posted to; "" is the address of the page
	Hidden map[string]string // more hidden fields, by name. Names that are the form's own are left out
	ID     string            // of the form, and how all ids in it begin; "" is "clarify". Two forms on a page need two
	Texts  Texts

	// Entered is what was posted, Blocked is what is wrong with it, and Problem says
	// so at the top of the form. Read sets them.
	Entered map[string][]string
	Blocked []clarify.Violation
	Problem string
}

// ErrOtherQuestion is the error for a form of another question than the one that waits,
// or where none waits.
var ErrOtherQuestion = errors.New("htmlform: the form is for another question")

// ErrIncomplete is the error for a form in which an answer is missing or does not hold.
// [Form.Blocked] has all of them. If it is empty, nothing was answered.
var ErrIncomplete = errors.New("htmlform: the form is not complete")

// Read returns the user's next message: the answers in posted, as canonical JSON.
// [net/url.Values] is such a form. Pass the message to [clarify.Conversation.Message].
//
// If there is an error, show the form again: its Problem says why, and it has what was
// entered, unless the error is [ErrOtherQuestion]. Other errors are [ErrIncomplete] and
// [clarify.ErrCannotEncode], for answers that are too large.
func (f *Form) Read(posted map[string][]string) (message string, err error) {
	t := f.Texts.orEnglish()
	reference := ""
	if values := posted[clarify.FormFor]; len(values) > 0 {
		reference = values[0]
	}
	if f.Envelope == nil || reference != f.Reference {
		f.Problem = t.OtherQuestion
		return "", ErrOtherQuestion
	}
	f.Entered = posted
	answers, blocked := f.Envelope.FormAnswers(posted)
	if f.Blocked = blocked; len(blocked) > 0 {
		f.Problem = t.Incomplete
		return "", ErrIncomplete
	}
	if len(answers.Answers) == 0 {
		f.Problem = t.Nothing
		return "", ErrIncomplete
	}
	b, err := answers.AppendJSON(nil)
	if err != nil {
		f.Problem = t.Unsendable
		return "", err
	}
	return string(b), nil
}

// HTML returns the form, for a page in UTF-8. If no question waits, only the Problem is
// left of it, or nothing.
func (f *Form) HTML() template.HTML { return execute("form", f.View()) }

// Past returns the question without a form: with the answers of the reply or, if reply is
// nil, with none.
func (f *Form) Past(reply *clarify.Reply) template.HTML {
	return execute("past", struct {
		*View
		Reply *clarify.Reply
	}{f.View(), reply})
}

func execute(name string, data any) template.HTML {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates or the views are wrong, whatever the question is
	}
	return template.HTML(b.String())
}

// Visible returns s for people: each character that hides something is replaced by its
// code point, such as [U+202E]. They are those that [clarify.Envelope.Lint] warns of:
// controls, what changes the direction of text, and what is invisible, unless the text
// around it needs it, as emoji and right-to-left text do.
func Visible(s string) string { return text.Reveal(s) }
