package htmlform_test

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/htmlform"
)

// asked returns a conversation in which a question waits.
func asked() *clarify.Conversation {
	talk := new(clarify.Conversation)
	talk.Event(clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, RunID: "call-7", Output: `{"protocol":"appwrite.clarify/v1","prompts":[
		{"id":"bucket","kind":"choice","question":"Which bucket?","options":[{"id":"avatars","label":"Avatars"},{"id":"uploads","label":"Uploads"}]},
		{"id":"delete","kind":"confirm","question":"Delete it?","confirmLabel":"Delete","cancelLabel":"Keep it","danger":true}]}`})
	return talk
}

// A page shows the question that waits, and takes its answers.
func Example() {
	talk := asked()
	page := func(w http.ResponseWriter, r *http.Request) {
		form := htmlform.Form{Envelope: talk.Pending(), Reference: talk.Reference()}
		if r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, 2<<20)
			if err := r.ParseForm(); err != nil {
				http.Error(w, "not a form of this page", http.StatusBadRequest)
				return
			}
			message, err := form.Read(r.PostForm)
			if err == nil {
				fmt.Println(talk.Message(message).State()) // and send it to the engine
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>A question</title><style>%s</style>\n%s", htmlform.Style, form.HTML())
	}
	server := httptest.NewServer(http.NewCrossOriginProtection().Handler(http.HandlerFunc(page)))
	defer server.Close()

	// A browser would do this.
	server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, form := range []url.Values{
		{clarify.FormFor: {talk.Reference()}, "answer.bucket": {"uploads"}},
		{clarify.FormFor: {talk.Reference()}, "answer.bucket": {"uploads"}, "answer.delete": {clarify.FormConfirmed}},
		{clarify.FormFor: {talk.Reference()}, "answer.bucket": {"avatars"}, "answer.delete": {clarify.FormConfirmed}}, // from another tab
	} {
		resp, err := server.Client().PostForm(server.URL, form)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 422 Unprocessable Entity
	// confirmed
	// 303 See Other
	// 422 Unprocessable Entity
}

var text = regexp.MustCompile(`>([^<>\n]+)<`)

// printText prints the text of a page, without its tags.
func printText(page template.HTML) {
	for _, m := range text.FindAllStringSubmatch(string(page), -1) {
		if strings.TrimSpace(m[1]) != "" {
			fmt.Println(m[1])
		}
	}
}

// The texts in German. One that is left out would be English.
func ExampleTexts() {
	form := htmlform.Form{Envelope: asked().Pending(), Texts: htmlform.Texts{
		Send: "Antworten senden", Required: "nötig", Danger: "Vorsicht: Das löscht etwas oder lässt sich nicht rückgängig machen.",
	}}
	printText(form.HTML())
	// Output:
	// Which bucket?
	// nötig
	// Avatars
	// Uploads
	// Delete it?
	// nötig
	// Vorsicht: Das löscht etwas oder lässt sich nicht rückgängig machen.
	// Keep it
	// Delete
	// Antworten senden
}

// The question with its answers, for the history of the conversation.
func ExampleForm_Past() {
	talk := asked()
	form := htmlform.Form{Envelope: talk.Pending()}
	reply := talk.Message("bucket: uploads\ndelete: Delete")
	fmt.Println(form.Past(reply))
	// Output:
	// <section class="clarify clarify-past" dir="auto">
	// <dl>
	// <div><dt>Which bucket?</dt>
	// <dd><bdi>Uploads</bdi></dd>
	// </div>
	// <div dir="auto"><dt>Delete it?</dt>
	// <dd class="clarify-danger"><bdi>Delete</bdi> <bdi class="clarify-tag">dangerous</bdi></dd>
	// </div>
	// </dl>
	// </section>
}

// A template of the page's own. This one has no texts: its controls are all that is left of
// the form.
func ExampleForm_View() {
	own := template.Must(template.New("form").Parse(`<form method=post>
{{if .Guarded}}<button class=unseen formmethod=dialog></button>
{{end}}<input type=hidden name=for value="{{.Reference}}">
{{range .Fields}}{{if .Unanswerable}}<p>{{.Question}} {{.Unanswerable}}</p>
{{else if eq .Kind "text"}}<textarea name="{{.Name}}">
{{.Value}}</textarea>
{{else}}{{$field := .}}{{range .Options}}<input type={{if $field.Multiple}}checkbox{{else}}radio{{end}} name="{{$field.Name}}" value="{{.Value}}"{{if .Checked}} checked{{end}}> {{.Label}}
{{end}}{{.Danger}}
{{end}}{{end}}<button>{{.Texts.Send}}</button>
</form>`))
	form := htmlform.Form{Envelope: asked().Pending(), Reference: "abc"}
	if err := own.Execute(os.Stdout, form.View()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <form method=post>
	// <button class=unseen formmethod=dialog></button>
	// <input type=hidden name=for value="abc">
	// <input type=radio name="answer.bucket" value="avatars"> Avatars
	// <input type=radio name="answer.bucket" value="uploads"> Uploads
	//
	// <input type=radio name="answer.delete" value="cancelled"> Keep it
	// <input type=radio name="answer.delete" value="confirmed"> Delete
	// Careful: this deletes something, or cannot be undone.
	// <button>Send answers</button>
	// </form>
}

// What the eye would not see is shown by its code.
func ExampleVisible() {
	fmt.Println(htmlform.Visible("Keep\u202e it"), htmlform.Visible("👩\u200d👧 שלום\u200f!") == "👩\u200d👧 שלום\u200f!")
	// Output: Keep[U+202E] it true
}
