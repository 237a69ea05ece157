package htmlform_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/htmlform"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

var update = flag.Bool("update", false, "write the files in testdata")

// A page is HTML as a browser sees it.
type page struct {
	controls []control
	buttons  []control
	checked  int
}

// A control sends its name and value, or is disabled and has no name.
type control struct{ tag, typ, name, value, method string }

var (
	tag       = regexp.MustCompile(`^<(/?)([a-z0-9]+)((?: [a-z-]+(?:="[^"]*")?)*)>`)
	attribute = regexp.MustCompile(`([a-z-]+)(?:="([^"]*)")?`)
	space     = regexp.MustCompile(`\r\n|\r|\n`)
)

// These are all tags and attributes of the package. What stands in a question adds none.
var (
	tags       = strings.Fields("form input button div p h2 ul li a bdi fieldset legend span label textarea code section dl dt dd")
	attributes = strings.Fields("class id method action dir aria-labelledby autocomplete novalidate formmethod tabindex aria-hidden type name value role autofocus href " +
		"aria-required aria-invalid aria-describedby for checked disabled rows placeholder")
)

// parse reads HTML that the package made, and requires that its tags are closed, that its
// ids are unique, and that what it refers to exists.
func parse(t *testing.T, source string) (p page) {
	t.Helper()
	var open, references []string
	ids := map[string]bool{}
	for s := source; s != ""; {
		if s[0] != '<' {
			i := strings.IndexByte(s, '<')
			if i < 0 {
				i = len(s)
			}
			require.NotContains(t, s[:i], ">")
			s = s[i:]
			continue
		}
		m := tag.FindStringSubmatch(s)
		require.NotNil(t, m, "%.100s", s)
		s = s[len(m[0]):]
		require.Contains(t, tags, m[2])
		if m[1] != "" {
			require.NotEmpty(t, open, source)
			require.Equal(t, open[len(open)-1], m[2], source)
			open = open[:len(open)-1]
			continue
		}
		has := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			require.Contains(t, attributes, a[1])
			require.NotContains(t, has, a[1])
			has[a[1]] = html.UnescapeString(a[2])
		}
		if id, ok := has["id"]; ok {
			require.NotContains(t, ids, id, "twice")
			ids[id] = true
		}
		for _, key := range []string{"for", "aria-describedby", "aria-labelledby"} {
			references = append(references, strings.Fields(has[key])...)
		}
		if target, ok := strings.CutPrefix(has["href"], "#"); ok {
			references = append(references, target)
		}
		if m[2] != "input" {
			open = append(open, m[2])
		}
		if _, ok := has["checked"]; ok {
			p.checked++
		}
		c := control{m[2], has["type"], has["name"], has["value"], has["formmethod"]}
		switch _, disabled := has["disabled"]; {
		case m[2] == "textarea":
			c.value, _, _ = strings.Cut(s, "<")
			c.value = strings.TrimPrefix(html.UnescapeString(c.value), "\n")
			p.controls = append(p.controls, c)
		case m[2] == "button":
			p.buttons = append(p.buttons, c)
			if c.name != "" {
				p.controls = append(p.controls, c)
			}
		case m[2] == "input" && !disabled:
			p.controls = append(p.controls, c)
		}
	}
	require.Empty(t, open, source)
	for _, id := range references {
		require.Contains(t, ids, id, "nothing has the id")
	}
	return p
}

// send fills in the page and returns what a browser posts: in each group of controls the
// one with the number, and in each text what stands in it, or x.
func (p page) send(number int) url.Values {
	form := url.Values{}
	for name, group := range p.byName() {
		c := group[number%len(group)]
		if c.tag == "textarea" || c.typ == "text" {
			c.value = strings.TrimSpace(c.value)
			if c.value == "" {
				c.value = "x"
			}
		}
		form[space.ReplaceAllString(name, "\r\n")] = []string{space.ReplaceAllString(c.value, "\r\n")}
	}
	return form
}

func (p page) byName() map[string][]control {
	groups := map[string][]control{}
	for _, c := range p.controls {
		groups[c.name] = append(groups[c.name], c)
	}
	return groups
}

// shown returns all envelopes of the vectors that a Console can show, by name.
func shown(t *testing.T) map[string]*clarify.Envelope {
	all := map[string]*clarify.Envelope{}
	add := func(name, output string) {
		if e, err := clarify.Parse(output); err == nil {
			all[name] = e
		}
	}
	for _, v := range conformance.ConsoleVectors(t) {
		add("console/"+v.Name, string(v.Output))
	}
	for _, v := range conformance.EngineVectors(t) {
		add("engine/"+v.Name, string(v.Envelope))
	}
	for _, v := range conformance.ReplyVectors(t) {
		add("reply/"+v.Name, string(v.Envelope))
	}
	for _, v := range conformance.FaultVectors(t) {
		add("faults/"+v.Name, string(v.Input))
	}
	for i, e := range conformance.Envelopes(300) {
		all[fmt.Sprint("generated/", i)] = e
	}
	require.Greater(t, len(all), 1500)
	return all
}

// TestEveryQuestion shows every question of the vectors, and sends what its form offers.
func TestEveryQuestion(t *testing.T) {
	read := 0
	for name, e := range shown(t) {
		f := htmlform.Form{Envelope: e, Reference: "r"}
		p := parse(t, string(f.HTML()))
		assert.Zero(t, p.checked, "%s: chosen beforehand", name)
		parse(t, string(f.Past(nil)))

		// The names are those of the prompts that the form can answer, and that of the reference.
		all := url.Values{}
		for _, prompt := range e.Prompts {
			switch in := prompt.Input.(type) {
			case *clarify.Choice:
				for _, o := range in.Options {
					if a, _ := prompt.FormAnswer(o.ID); a != nil && !strings.ContainsAny(o.ID, "\x00\r\n") {
						all.Set(prompt.FormName(), o.ID)
					}
				}
			case *clarify.Confirm:
				all.Set(prompt.FormName(), clarify.FormCancelled)
			default:
				all.Set(prompt.FormName(), "x")
			}
		}
		answerable, blocked := e.FormAnswers(all)
		require.Empty(t, blocked, name)
		want := map[string]clarify.Prompt{}
		for _, a := range answerable.Answers {
			prompt, _ := e.Prompt(a.ID)
			want[prompt.FormName()] = prompt
		}
		groups := p.byName()
		require.Equal(t, "r", groups[clarify.FormFor][0].value)
		delete(groups, clarify.FormFor)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(nonzero(groups))), name)

		for number := range 4 {
			form := p.send(number)
			message, err := f.Read(form)
			if len(want) == 0 {
				require.ErrorIs(t, err, htmlform.ErrIncomplete, name)
				continue
			}
			require.NoError(t, err, "%s: %q %v", name, form, f.Blocked)
			answers, err := clarify.ParseAnswers(message)
			require.NoError(t, err)
			require.Len(t, answers.Answers, len(want), name)
			require.Equal(t, "r", answers.For)
			for _, a := range answers.Answers {
				prompt, _ := e.Prompt(a.ID)
				sent := groups[prompt.FormName()]
				value := sent[number%len(sent)].value
				switch got := a.Payload.(type) {
				case *clarify.ChoiceAnswer:
					require.Equal(t, []string{value}, got.Values, name)
				case *clarify.ConfirmAnswer:
					require.Equal(t, value == clarify.FormConfirmed, got.Confirmed, name)
				case *clarify.TextAnswer:
					if d := prompt.Input.(*clarify.Text).DefaultValue; strings.TrimSpace(d) != "" {
						value = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(d)
						require.Equal(t, strings.TrimSpace(value), strings.TrimSpace(got.Value), name)
					}
				}
				read++
			}
			if number == 0 {
				parse(t, string(f.Past(e.Read(message))))
				parse(t, string(f.HTML())) // with what was entered
			}
		}
	}
	assert.Greater(t, read, 5000)
}

func nonzero(groups map[string][]control) map[string][]control {
	maps.DeleteFunc(groups, func(_ string, group []control) bool { return len(group) == 0 })
	return groups
}

// TestGuard: the first button of a form that can confirm a danger does nothing, unless it
// is that of a lone confirm, which cancels.
func TestGuard(t *testing.T) {
	count := map[string]int{}
	for name, e := range shown(t) {
		danger := false
		v := (&htmlform.Form{Envelope: e}).View()
		for _, f := range v.Fields {
			for _, o := range f.Options {
				danger = danger || o.Danger && f.Unanswerable == ""
			}
		}
		buttons := parse(t, string((&htmlform.Form{Envelope: e}).HTML())).buttons
		switch {
		case len(buttons) == 0:
			assert.False(t, v.CanSend(), name)
		case v.Single:
			count["single"]++
			assert.Equal(t, clarify.FormCancelled, buttons[0].value, name)
			assert.Len(t, buttons, 2)
		case danger:
			count["danger"]++
			assert.Equal(t, control{tag: "button", method: "dialog"}, buttons[0], name)
			assert.Equal(t, control{tag: "button"}, buttons[1], name)
			assert.Len(t, buttons, 2)
		default:
			count["other"]++
			assert.Equal(t, []control{{tag: "button"}}, buttons, name)
		}
	}
	assert.Greater(t, min(count["single"], count["danger"], count["other"]), 50, count)
}

// TestVisibleAgreesWithLint asks both about every character, alone and in texts of both
// directions.
func TestVisibleAgreesWithLint(t *testing.T) {
	seen := 0
	for r := range rune(unicode.MaxRune + 1) {
		for _, s := range []string{string(r), "a" + string(r) + "b", "ש" + string(r), "ก" + string(r) + "ก", "🏴" + string(r) + "\U000e0062\U000e0065\U000e007f"} {
			if warned := (&clarify.Envelope{Title: s}).Lint() != nil; warned != (htmlform.Visible(s) != s) {
				t.Errorf("%+q is shown as %q; the lint warns: %v", s, htmlform.Visible(s), warned)
			} else if warned {
				seen++
			}
		}
	}
	assert.Greater(t, seen, 10_000)
	for _, s := range []string{"", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "👩\u200d👧", "❤\ufe0f", "שלום\u200f!", "e\u0301"} {
		assert.Equal(t, s, htmlform.Visible(s))
	}
	assert.Equal(t, "Delete [U+202E]it", htmlform.Visible("Delete \u202eit"))
}

const payload = `"'><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\u0007\u200b" + ` ${x} {{.}} </textarea></form></title><!--]]>&lt;` + "`"

// hostile returns a question with the payload in every text.
func hostile() *clarify.Envelope {
	return &clarify.Envelope{Title: payload, Prompts: []clarify.Prompt{
		{ID: payload + "1", Question: payload, Hint: payload, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{
			{ID: payload + "a", Label: payload, Description: payload}, {ID: payload + "b", Label: payload, Description: payload}, {ID: "c", Label: "c"}, {ID: "c", Label: "c"}}}},
		{ID: payload + "2", Question: payload, Hint: payload, Input: &clarify.Confirm{ConfirmLabel: payload, CancelLabel: payload, Danger: true}},
		{ID: payload + "3", Question: payload, Hint: payload, Input: &clarify.Text{Placeholder: payload, DefaultValue: payload}},
		{ID: payload + "4", Question: payload, Optional: true, Input: &clarify.Text{DefaultValue: payload, Multiline: true}},
		{ID: payload + "5", Question: payload, Input: new(clarify.Text)}, {ID: payload + "5", Question: payload, Input: new(clarify.Text)},
	}}
}

// TestHostileTextIsOnlyText: parse finds no tag and no attribute that is not ours.
func TestHostileTextIsOnlyText(t *testing.T) {
	e := hostile()
	texts := htmlform.Texts{}
	for i := range reflect.ValueOf(texts).NumField() {
		reflect.ValueOf(&texts).Elem().Field(i).SetString(payload)
	}
	f := htmlform.Form{Envelope: e, Reference: payload, Action: payload, ID: "x", Hidden: map[string]string{payload: payload}, Texts: texts}
	posted := url.Values{clarify.FormFor: {payload}}
	check := func(what string) {
		t.Helper()
		for _, source := range []string{string(f.HTML()), string(f.Past(nil))} {
			parse(t, source)
			assert.NotContains(t, source, "ZgotmplZ")
			assert.True(t, strings.Contains(html.UnescapeString(source), "[U+202E][U+0007][U+200B]"), what)
		}
	}
	check("as it is asked")
	for _, p := range e.Prompts {
		posted[p.FormName()] = []string{payload}
	}
	_, err := f.Read(posted)
	require.ErrorIs(t, err, htmlform.ErrIncomplete)
	check("with what was entered")
	for i, want := range []string{payload + "a", clarify.FormConfirmed, "", payload} {
		posted[e.Prompts[i].FormName()] = []string{want}
	}
	posted[e.Prompts[2].FormName()] = []string{payload + payload}
	message, err := f.Read(posted)
	require.NoError(t, err)
	past := string(f.Past(e.Read(message)))
	parse(t, past)
	assert.Equal(t, 1+6+2+1+2+1, strings.Count(html.UnescapeString(past), "[U+202E]"), "the title, the questions, and the answers")
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x"} {
		assert.NotContains(t, string((&htmlform.Form{Envelope: e, Action: address}).HTML()), address)
	}
}

// TestEntered: what was entered comes back, and a default only as long as nothing was
// posted.
func TestEntered(t *testing.T) {
	text := "\n two\r\nlines \u202e\x01"
	e := &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "a", Question: "?", Input: &clarify.Text{DefaultValue: text}}, {ID: "b", Question: "?", Input: &clarify.Text{DefaultValue: "default"}},
		{ID: "c", Question: "?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "x", Label: "X"}, {ID: "y", Label: "Y"}}}},
		{ID: "d", Question: "?", Optional: true, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{{ID: "x", Label: "X"}, {ID: "y", Label: "Y"}, {ID: "z", Label: "Z"}}}},
	}}
	f := htmlform.Form{Envelope: e}
	field := func(i int) htmlform.Field { return f.View().Fields[i] }
	chosen := func(i int) (list []string) {
		for _, o := range field(i).Options {
			if o.Checked {
				list = append(list, o.Value)
			}
		}
		return list
	}
	assert.Equal(t, []any{text, true, "default", false}, []any{field(0).Value, field(0).Area, field(1).Value, field(1).Area})
	assert.Contains(t, string(f.HTML()), ">\n"+text+"</textarea>")
	for i, tt := range []struct {
		posted  url.Values
		problem string
		errors  []string
	}{
		{url.Values{"answer.b": {" "}, "answer.c": {"y"}, "answer.d": {"z", "x"}}, "The answers are not complete yet.", []string{"This needs an answer.", "This needs an answer.", "", ""}},
		{url.Values{"answer.a": {"\xff"}, "answer.b": {"1", "2"}, "answer.c": {"x", "y"}, "answer.d": {"w"}}, "The answers are not complete yet.",
			[]string{"This cannot be sent as it is.", "Choose only one.", "Choose only one.", "Choose one of what is offered."}},
		{url.Values{"answer.a": {strings.Repeat("x", clarify.MaxSize)}, "answer.b": {"b"}, "answer.c": {"x"}}, "The answers cannot be sent. They may be too long.", make([]string, 4)},
	} {
		message, err := f.Read(tt.posted)
		assert.Empty(t, message)
		if i < 2 {
			assert.ErrorIs(t, err, htmlform.ErrIncomplete)
		} else {
			assert.ErrorIs(t, err, clarify.ErrCannotEncode)
		}
		assert.Equal(t, tt.problem, f.Problem)
		for i, want := range tt.errors {
			assert.Equal(t, want, field(i).Error)
			assert.Equal(t, want == "This needs an answer.", field(i).Missing)
		}
		switch i {
		case 0:
			assert.Equal(t, []any{"", "", []string{"y"}, []string{"x", "z"}}, []any{field(0).Value, field(1).Value, chosen(2), chosen(3)})
		case 1:
			assert.Equal(t, []any{"1\n2", []string(nil), []string(nil)}, []any{field(1).Value, chosen(2), chosen(3)})
		}
	}
	_, err := f.Read(url.Values{clarify.FormFor: {"other"}, "answer.b": {"new"}})
	assert.ErrorIs(t, err, htmlform.ErrOtherQuestion)
	assert.Equal(t, "b", field(1).Value, "what was entered for another question is not taken")
	assert.Contains(t, string(f.HTML()), "The question is another one now, so nothing was sent.")
}

// TestNothing: no question waits, all of it is optional, or nobody can answer it.
func TestNothing(t *testing.T) {
	f := htmlform.Form{}
	assert.Empty(t, f.HTML())
	assert.Empty(t, f.Past(nil))
	_, err := f.Read(url.Values{"answer.a": {"x"}})
	assert.ErrorIs(t, err, htmlform.ErrOtherQuestion)
	assert.Contains(t, f.HTML(), "so nothing was sent")
	parse(t, string(f.HTML()))

	f = htmlform.Form{Envelope: &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: "?", Optional: true, Input: new(clarify.Text)}}}}
	_, err = f.Read(nil)
	assert.ErrorIs(t, err, htmlform.ErrIncomplete)
	assert.Empty(t, f.Blocked)
	assert.Equal(t, "There is nothing to send: answer a question first.", f.Problem)

	for name, p := range map[string]clarify.Prompt{
		"no input": {ID: "a"}, "nil choice": {ID: "a", Input: (*clarify.Choice)(nil)}, "nil confirm": {ID: "a", Input: (*clarify.Confirm)(nil)}, "nil text": {ID: "a", Input: (*clarify.Text)(nil)},
		"embedded": {ID: "a", Input: struct{ clarify.Input }{}}, "no UTF-8": {ID: "a\xff", Input: &clarify.Confirm{Danger: true}}, "no option": {ID: "a", Input: &clarify.Choice{}},
		"options that a browser cannot send": {ID: "a", Input: &clarify.Choice{Options: []clarify.Option{{ID: "x\r"}, {ID: "\n"}, {ID: "\x00"}, {ID: "\xff"}, {ID: " "}}}},
	} {
		f := htmlform.Form{Envelope: &clarify.Envelope{Prompts: []clarify.Prompt{p}}}
		page := parse(t, string(f.HTML()))
		assert.Len(t, page.controls, 1, name)
		assert.Contains(t, f.HTML(), "This cannot be answered here.", name)
		f.Read(nil)
		assert.Empty(t, f.View().Wrong(), name)
		parse(t, string(f.HTML()))
		parse(t, string(f.Past(nil)))
	}
}

// TestOwnFields: a hidden field of the caller's answers nothing, and two forms of a page
// have no id in common.
func TestOwnFields(t *testing.T) {
	e := golden["confirm-danger"].Envelope
	f := htmlform.Form{Envelope: e, Reference: "r", Action: "/answer?to=1", Hidden: map[string]string{"z": "1", "csrf": `"`, clarify.FormFor: "x", e.Prompts[0].FormName(): clarify.FormConfirmed}}
	p := parse(t, string(f.HTML()))
	var hidden []string
	for _, c := range p.controls {
		if c.typ == "hidden" {
			hidden = append(hidden, c.name+"="+c.value)
		}
	}
	assert.Equal(t, []string{"for=r", `csrf="`, "z=1"}, hidden)
	assert.Contains(t, f.HTML(), `action="/answer?to=1"`)
	second := f
	second.ID = "second"
	parse(t, string(f.HTML()+second.HTML()+f.Past(nil)+f.Past(nil)))
}

// TestTexts: each text can be replaced, and an empty one is the English one that its
// comment names.
func TestTexts(t *testing.T) {
	source, err := os.ReadFile("texts.go")
	require.NoError(t, err)
	texts := (&htmlform.Form{}).View().Texts
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) +string // (.+)$`).FindAllStringSubmatch(string(source), -1) {
		assert.Equal(t, m[2], reflect.ValueOf(*texts).FieldByName(m[1]).String())
	}
	var shouted htmlform.Texts
	for i := range reflect.TypeFor[htmlform.Texts]().NumField() {
		reflect.ValueOf(&shouted).Elem().Field(i).SetString("TEXT-" + reflect.TypeFor[htmlform.Texts]().Field(i).Name)
	}
	said := ""
	for _, c := range golden {
		c.Texts, c.Problem = shouted, ""
		said += string(c.HTML())
		_, err := c.Read(url.Values{clarify.FormFor: {c.Reference}, "answer.many": {"a", "nothing"}, "answer.one": {"a", "b"}, "answer.text": {"\xff"}})
		said += string(c.HTML() + c.Past(nil))
		if err == nil {
			continue
		}
		c.Read(url.Values{clarify.FormFor: {"other"}})
		said += string(c.HTML() + c.Past(c.Envelope.Read(`{"protocol":"appwrite.clarify/v1","answers":[{"id":"delete","kind":"confirm","confirmed":true}]}`)))
	}
	f := htmlform.Form{Envelope: &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: "?", Input: new(clarify.Text)}}}, Texts: shouted}
	f.Read(url.Values{"answer.a": {strings.Repeat("x", clarify.MaxSize)}})
	said += string(f.HTML())
	for i := range reflect.TypeFor[htmlform.Texts]().NumField() {
		name := reflect.TypeFor[htmlform.Texts]().Field(i).Name
		assert.True(t, strings.Contains(said, "TEXT-"+name), name)
		assert.False(t, strings.Contains(said, reflect.ValueOf(*texts).Field(i).String()+"</bdi>"), name)
	}
}

// TestClasses: the style sheet and the templates have the same classes.
func TestClasses(t *testing.T) {
	source, err := os.ReadFile("form.html")
	require.NoError(t, err)
	classes := func(s string) []string {
		found := regexp.MustCompile(`clarify-[a-z]+`).FindAllString(s, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	sheet := regexp.MustCompile(`--clarify-[a-z-]+`).ReplaceAllString(htmlform.Style, "")
	assert.Equal(t, classes(sheet), classes(string(source)))
}

// confirmed is a reply that confirms the danger of the form.
const confirmed = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"many","kind":"choice","values":["c","a"]},{"id":"delete","kind":"confirm","confirmed":true},{"id":"text","kind":"text","value":"two\nlines"}]}`

var golden = func() map[string]htmlform.Form {
	one := clarify.Prompt{ID: "one", Question: "Which region?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "Frankfurt"}, {ID: "b", Label: "Sydney", Description: "Far from most of your users, but the only one with the new disks"}}}}
	many := clarify.Prompt{ID: "many", Question: "Which buckets?", Hint: "Any number.", Optional: true, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{{ID: "a", Label: "avatars"}, {ID: "b", Label: "backups", Description: "41 files"}, {ID: "c", Label: "cache"}}}}
	danger := clarify.Prompt{ID: "delete", Question: "Delete them?", Hint: "With all of their files.", Input: &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep", Danger: true}}
	confirm := clarify.Prompt{ID: "go", Question: "Go on?", Optional: true, Input: new(clarify.Confirm)}
	text := clarify.Prompt{ID: "text", Question: "Why?", Input: &clarify.Text{Placeholder: "In a sentence"}}
	form := func(title string, prompts ...clarify.Prompt) htmlform.Form {
		return htmlform.Form{Envelope: &clarify.Envelope{Title: title, Prompts: prompts}, Reference: "r"}
	}
	posted := form("Before I delete anything", many, danger, one, text)
	posted.Read(url.Values{clarify.FormFor: {"r"}, "answer.many": {"a", "c"}, "answer.one": {"b"}, "answer.text": {" "}})
	parts := form("", text)
	parts.Envelope.Skipped = []clarify.Skipped{{Part: clarify.PartPrompt, Code: clarify.CodeUnknownKind}, {Part: clarify.PartPrompt, Code: clarify.CodeMissing}, {Part: clarify.PartField, Code: clarify.CodeWrongType}}
	area := func(id, value string) clarify.Prompt {
		return clarify.Prompt{ID: id, Question: "A text", Optional: true, Input: &clarify.Text{DefaultValue: value}}
	}
	german := form("", many, danger)
	german.Texts = htmlform.Texts{Send: "Antworten senden", Required: "nötig", Optional: "freiwillig", Danger: "Vorsicht: Das löscht etwas oder lässt sich nicht rückgängig machen."}
	return map[string]htmlform.Form{
		"choice": form("", one), "choices": form("A title", many), "confirm": form("", confirm), "confirm-danger": form("", danger), "text": form("", text),
		"all": form("Before I delete anything", many, danger, one, text, confirm), "posted": posted, "parts": parts, "german": german,
		"texts": form("", area("short", "one line"), area("long", strings.Repeat("long ", 12)), area("lines", "two\nlines"), area("hidden", "a\u202eb")),
		"right-to-left": form("", clarify.Prompt{ID: "delete", Question: "מחק את \u200fהדלי?", Hint: "An English hint", Input: &clarify.Confirm{ConfirmLabel: "מחק", CancelLabel: "השאר", Danger: true}},
			clarify.Prompt{ID: "name", Question: "ما الاسم؟", Input: new(clarify.Text)}),
		"lint": form("a\u202eb", clarify.Prompt{ID: "a", Question: "Which\x07?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "x", Label: "One"}, {ID: "y", Label: "one\u200b"}}}},
			clarify.Prompt{ID: "b", Question: "Sure?", Input: &clarify.Confirm{ConfirmLabel: "No", CancelLabel: "Yes"}}, clarify.Prompt{ID: "c", Question: "Your password?", Input: new(clarify.Text)}),
		"same-ids": form("", text, text, clarify.Prompt{ID: "c", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "x", Label: "One"}, {ID: "x", Label: "Two", Description: "Again"}, {ID: "y\n", Label: "Three"}, {ID: "z", Label: "Four"}}}},
			clarify.Prompt{ID: "d", Question: "None of them?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "x", Label: "One"}, {ID: "x", Label: "Two"}}}}),
		"hostile": {Envelope: hostile(), Reference: payload},
	}
}()

// TestGolden compares the HTML with the files in testdata; -update writes them.
func TestGolden(t *testing.T) {
	html := map[string]string{}
	for name, f := range golden {
		html[name] = string(f.HTML())
		html[name+"-past"] = string(f.Past(f.Envelope.Read(confirmed)))
	}
	all := golden["all"]
	html["all-unanswered"] = string(all.Past(nil))
	html["all-cancelled"] = string(all.Past(all.Envelope.Read("delete: cancelled\none: b")))
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		for name, got := range html {
			require.NoError(t, os.WriteFile(filepath.Join("testdata", name+".html"), []byte(got), 0o644))
		}
	}
	files, err := filepath.Glob("testdata/*.html")
	require.NoError(t, err)
	require.Len(t, files, len(html))
	for name, got := range html {
		parse(t, got)
		want, err := os.ReadFile(filepath.Join("testdata", name+".html"))
		require.NoError(t, err)
		assert.Equal(t, string(want), got, name)
	}
}

// TestViewIsData: a template of the caller's, or a front end, gets all that the HTML has.
func TestViewIsData(t *testing.T) {
	f := golden["all"]
	data, err := json.Marshal(f.View())
	require.NoError(t, err)
	for _, want := range []string{"Before I delete anything", "Which buckets?", "Any number.", "41 files", "Delete", "Careful", "In a sentence", "Send answers", `"Reference":"r"`} {
		assert.Contains(t, string(data), want)
	}
}

// TestCost: a form has at most so many bytes for each byte of the question, whatever that repeats.
func TestCost(t *testing.T) {
	const n = 1 << 16
	list := func(item func(i int) string, size int) string {
		var items []string
		for i := range size {
			items = append(items, item(i))
		}
		return strings.Join(items, ",")
	}
	option := func(i int) string { return fmt.Sprintf(`{"id":"o%d","label":"L%d"}`, i, i) }
	for name, prompts := range map[string]string{
		"many prompts": list(func(i int) string {
			return fmt.Sprintf(`{"id":"p%d","kind":"confirm","question":"Q","danger":true}`, i)
		}, n/60),
		"many options":             `{"id":"c","kind":"choice","question":"Q","options":[` + list(option, n/28) + `]}`,
		"many options, a long id":  `{"id":"c` + strings.Repeat("!", n/2) + `","kind":"choice","question":"Q","options":[` + list(option, n/56) + `]}`,
		"many prompts, one id":     list(func(int) string { return `{"id":"p","kind":"text","question":"Q"}` }, n/40),
		"many that are left out":   list(func(int) string { return `{}` }, n/3) + `,{"id":"p","kind":"text","question":"Q"}`,
		"what is hidden":           `{"id":"p","kind":"text","question":"Q` + strings.Repeat("\u202e", n/3) + `"}`,
		"what is escaped":          `{"id":"p","kind":"text","question":"Q` + strings.Repeat("'", n) + `","defaultValue":"` + strings.Repeat("'", n) + `"}`,
		"options that are hidden":  `{"id":"c","kind":"choice","question":"Q","options":[` + list(func(i int) string { return fmt.Sprintf(`{"id":"\u202e%d","label":"\u202e"}`, i) }, n/30) + `]}`,
		"options that look alike":  `{"id":"c","kind":"choice","question":"Q","options":[` + list(func(i int) string { return fmt.Sprintf(`{"id":"%d","label":"L"}`, i) }, n/24) + `]}`,
		"a long id that is quoted": `{"id":"` + strings.Repeat("\u0085", n/2) + `","kind":"confirm","question":"Q"}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := clarify.Parse(`{"protocol":"appwrite.clarify/v1","prompts":[` + prompts + `]}`)
			require.NoError(t, err)
			form := htmlform.Form{Envelope: e, Reference: "r"}
			assert.Less(t, len(form.HTML()), 60*len(prompts))
			assert.Less(t, len(form.Past(nil)), 60*len(prompts))
		})
	}
}
