package htmlform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// A View is what a template needs to show a form. Every text of the agent is [Visible],
// except for the values that the form sends and the default of a text.
//
// A template of your own has to keep some promises itself: see [View.Guarded],
// [Option.Danger] and [Field.Unanswerable]. Read takes what it posts, if the form has a
// hidden field [clarify.FormFor] with the Reference, and each field has its Name.
type View struct {
	ID        string
	Action    string
	Reference string
	Hidden    []Hidden // more hidden fields, ordered by name
	Title     string   // or ""
	Problem   string   // or ""
	Notices   []string // what the reader should know about the whole question
	Fields    []Field
	Texts     *Texts // none is empty

	// Single says that the only prompt is a confirm. Its two options are buttons that
	// send the form; there is no other one.
	Single bool

	// Guarded says that the form can confirm a danger, and that the Enter key in a field
	// must not send it. Enter presses the first button that sends a form. So the first
	// button in the form has the attribute formmethod="dialog": it does nothing. Hide it
	// with clip-path, not with display: some browsers pass over what is not displayed.
	Guarded bool
}

// A Hidden is a hidden field.
type Hidden struct{ Name, Value string }

// A Field is one prompt.
type Field struct {
	ID       string // of its element; those of its parts begin with it
	Name     string // of its controls
	Kind     clarify.Kind
	Question string
	Hint     string // or ""
	Required bool
	Notes    []string // what the reader should know about it
	Danger   string   // the warning of a danger, or ""
	Error    string   // what is wrong with what was entered, or ""
	Missing  bool     // the Error is that nothing was entered

	// Unanswerable says why the form cannot answer the prompt, or is "". Such a field has
	// no control.
	Unanswerable string

	Options  []Option // of a choice; of a confirm: the one that cancels, then the one that confirms
	Multiple bool     // several options may be chosen
	Wide     bool     // the options need a line each

	// Value is the text of the control: what was entered, or the default as it is.
	// Placeholder is not empty, so that CSS can see whether there is a text. Area says
	// that the text needs more than one line.
	Value       string
	Placeholder string
	Area        bool

	inherits bool // the field determines the side on which the card begins
	hides    bool // there are characters in its texts that nobody sees
	id       string
}

// An Option is an option of a choice, or a button of a confirm.
type Option struct {
	ID          string // of its control
	Value       string // what is sent; a template has to leave it as it is
	Label       string
	Code        string // shown after the label, because another label is easy to confuse with it; or ""
	Description string // or ""
	Checked     bool   // the user chose it before
	Danger      bool   // it confirms a danger: say so in words

	// Unanswerable says why the option cannot be chosen, or is "".
	Unanswerable string
}

// An Answer is what was answered in a field.
type Answer struct {
	Label  string // the label of the option or button, or the text that was entered
	Code   string // as in the Option
	Danger bool   // a danger was confirmed
}

// Wrong returns the fields that have an Error.
func (v *View) Wrong() (fields []Field) {
	for _, f := range v.Fields {
		if f.Error != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// CanSend reports whether there is a field that the form can answer.
func (v *View) CanSend() bool {
	return slices.ContainsFunc(v.Fields, func(f Field) bool { return f.Unanswerable == "" })
}

// Dir returns the attribute dir of the field's element: "auto", or "" for the first field
// of a question without a title, whose text determines the direction of the whole card.
func (f Field) Dir() string {
	if f.inherits {
		return ""
	}
	return "auto"
}

// DescribedBy returns the ids of the elements that describe the field: -hint, -danger,
// -note-0 and so on, and -error.
func (f Field) DescribedBy() string {
	var ids []string
	add := func(is bool, part string) {
		if is {
			ids = append(ids, f.ID+"-"+part)
		}
	}
	add(f.Hint != "", "hint")
	add(f.Danger != "", "danger")
	for i := range f.Notes {
		add(true, fmt.Sprint("note-", i))
	}
	add(f.Error != "", "error")
	return strings.Join(ids, " ")
}

// Answers returns what the reply answers in the field, in the order of the options. It
// returns nil if nothing was answered.
func (f Field) Answers(reply *clarify.Reply) (answers []Answer) {
	if s, ok := reply.Text(f.id); ok && !text.IsBlank(s) {
		return []Answer{{Label: Visible(s)}}
	}
	values := reply.Values(f.id)
	switch reply.Decision(f.id) {
	case clarify.Confirmed:
		values = []string{clarify.FormConfirmed}
	case clarify.Cancelled:
		values = []string{clarify.FormCancelled}
	}
	slices.Sort(values)
	for _, o := range f.Options {
		if _, chosen := slices.BinarySearch(values, o.Value); chosen {
			answers = append(answers, Answer{o.Label, o.Code, o.Danger})
		}
	}
	return answers
}

// View returns what [Form.HTML] shows.
func (f *Form) View() *View {
	v := &View{
		ID: cmp.Or(f.ID, "clarify"), Action: f.Action, Reference: f.Reference, Problem: f.Problem, Texts: f.Texts.orEnglish(),
	}
	if f.Envelope == nil {
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(f.Hidden)) {
		if name != clarify.FormFor && !strings.HasPrefix(name, "answer.") {
			v.Hidden = append(v.Hidden, Hidden{name, f.Hidden[name]})
		}
	}
	v.Title = Visible(f.Envelope.Title)
	v.notices(f.Envelope)
	errors := make(map[string]clarify.Code, len(f.Blocked))
	for _, b := range f.Blocked {
		errors[b.Path] = b.Code
	}
	ids := make(map[string]int, len(f.Envelope.Prompts))
	for _, p := range f.Envelope.Prompts {
		ids[p.ID]++
	}
	for i, p := range f.Envelope.Prompts {
		next := v.field(fmt.Sprint(v.ID, "-", i), p, ids[p.ID] > 1, f.Entered)
		if next.Unanswerable == "" {
			next.fail(errors[next.Name], v.Texts)
		}
		next.inherits = i == 0 && v.Title == ""
		v.Fields = append(v.Fields, next)
	}
	v.Single = len(v.Fields) == 1 && v.Fields[0].Kind == clarify.KindConfirm
	v.Guarded = !v.Single && slices.ContainsFunc(v.Fields, func(f Field) bool { return f.Danger != "" })
	return v
}

// notices says what is not shown, and whether the title hides something.
func (v *View) notices(e *clarify.Envelope) {
	newer, unreadable := 0, 0
	for _, s := range e.Skipped {
		if s.Part == clarify.PartPrompt && s.Code == clarify.CodeUnknownKind {
			newer++
		} else {
			unreadable++
		}
	}
	if newer > 0 {
		v.Notices = append(v.Notices, fmt.Sprint(v.Texts.Newer, " ", newer))
	}
	if unreadable > 0 {
		v.Notices = append(v.Notices, fmt.Sprint(v.Texts.Unreadable, " ", unreadable))
	}
	if v.Title != e.Title {
		v.Notices = append(v.Notices, v.Texts.Hidden)
	}
}

func (v *View) field(id string, p clarify.Prompt, shared bool, entered map[string][]string) Field {
	f := Field{ID: id, Name: p.FormName(), Kind: p.Kind(), Required: !p.Optional, id: p.ID}
	f.Question, f.Hint = f.show(p.Question), f.show(p.Hint)
	var alike, secret bool
	for _, w := range (&clarify.Envelope{Prompts: []clarify.Prompt{p}}).Lint() {
		switch w.Code {
		case clarify.CodeDuplicateLabel, clarify.CodeLabelIsID, clarify.CodeSameLabels, clarify.CodeOppositeLabel:
			alike = true
		case clarify.CodeSecret:
			secret = true
		}
	}
	switch in := p.Input.(type) {
	case *clarify.Choice:
		f.choice(in, v.Texts)
	case *clarify.Confirm:
		f.confirm(in, v.Texts)
	case *clarify.Text:
		f.text(in, entered)
	}
	switch {
	case shared:
		f.Unanswerable = v.Texts.SameID
	case f.Kind == "", !utf8.ValidString(p.ID), len(p.ID) > longID:
		f.Unanswerable = v.Texts.Unanswerable
	case f.Kind == clarify.KindChoice && !slices.ContainsFunc(f.Options, func(o Option) bool { return o.Unanswerable == "" }):
		f.Unanswerable = v.Texts.Unanswerable
	}
	chosen := slices.Compact(slices.Sorted(slices.Values(entered[f.Name])))
	if !f.Multiple && len(chosen) > 1 { // which one was meant is not known
		chosen = nil
	}
	for i := range f.Options {
		o := &f.Options[i]
		o.ID = fmt.Sprint(id, "-", i)
		_, o.Checked = slices.BinarySearch(chosen, o.Value)
		if alike {
			o.Code = f.show(o.Value)
		}
	}
	if f.Unanswerable != "" {
		f.Danger = ""
	}
	f.note(f.hides, v.Texts.Hidden)
	f.note(Visible(f.Value) != f.Value, v.Texts.HiddenText)
	f.note(alike, v.Texts.Alike)
	f.note(secret, v.Texts.Secret)
	return f
}

// show returns what is Visible of s, and notes whether s hides something.
func (f *Field) show(s string) string {
	shown := Visible(s)
	f.hides = f.hides || shown != s
	return shown
}

func (f *Field) note(is bool, note string) {
	if is {
		f.Notes = append(f.Notes, note)
	}
}

// longID is how many bytes of an id are repeated in every control. Those of the contract
// have at most [clarify.MaxID].
const longID = 1024

// wide is from how many characters a description needs a line of its own.
const wide = 60

func (f *Field) choice(c *clarify.Choice, t *Texts) {
	if c == nil {
		return
	}
	f.Multiple = c.AllowMultiple
	ids := make(map[string]int, len(c.Options))
	for _, o := range c.Options {
		ids[o.ID]++
	}
	for _, o := range c.Options {
		next := Option{Value: o.ID, Label: f.show(o.Label), Description: f.show(o.Description)}
		switch {
		case ids[o.ID] > 1:
			next.Unanswerable = t.SameID
		case !utf8.ValidString(o.ID), text.IsBlank(o.ID), strings.ContainsAny(o.ID, "\x00\r\n"): // a browser sends another one
			next.Unanswerable = t.Unanswerable
		}
		f.Options = append(f.Options, next)
		f.Wide = f.Wide || utf8.RuneCountInString(o.Description) >= wide
	}
}

func (f *Field) confirm(c *clarify.Confirm, t *Texts) {
	if c == nil {
		return
	}
	f.Options = []Option{
		{Value: clarify.FormCancelled, Label: f.show(labelOr(c.CancelLabel, clarify.DefaultCancelLabel))},
		{Value: clarify.FormConfirmed, Label: f.show(labelOr(c.ConfirmLabel, clarify.DefaultConfirmLabel)), Danger: c.Danger},
	}
	if c.Danger {
		f.Danger = t.Danger
	}
}

func labelOr(label, other string) string { return cmp.Or(text.Trim(label, text.AnySpace), other) }

// long is from how many characters a text needs more than one line.
const long = 60

func (f *Field) text(in *clarify.Text, entered map[string][]string) {
	if in == nil {
		return
	}
	f.Placeholder, f.Value = cmp.Or(f.show(in.Placeholder), " "), in.DefaultValue
	if entered != nil {
		f.Value = strings.Join(entered[f.Name], "\n")
		if text.IsBlank(f.Value) {
			f.Value = ""
		}
	}
	f.Area = in.Multiline || utf8.RuneCountInString(f.Value) >= long || strings.ContainsAny(f.Value, "\r\n")
}

// fail sets the Error of the field.
func (f *Field) fail(code clarify.Code, t *Texts) {
	switch code {
	case "":
	case clarify.CodeMissing:
		f.Error, f.Missing = t.Missing, true
	case clarify.CodeTooMany:
		f.Error = t.OnlyOne
	case clarify.CodeUnknownOption, clarify.CodeUnclear:
		f.Error = t.NotOffered
	default:
		f.Error = t.NotText
	}
}
