package clarify_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// formValues are the values of a submitted form, by the name of the field.
type formValues = map[string][]string

// formEnvelope has prompts of each kind that are required and that are not.
func formEnvelope() *clarify.Envelope {
	options := []clarify.Option{{ID: "a", Label: "One"}, {ID: "b", Label: "Two"}, {ID: "c", Label: "Three"}}
	return &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "one", Question: "?", Input: &clarify.Choice{Options: options}},
		{ID: "many", Question: "?", Optional: true, Input: &clarify.Choice{Options: options, AllowMultiple: true}},
		{ID: "go", Question: "?", Input: &clarify.Confirm{Danger: true}},
		{ID: "tell", Question: "?", Optional: true, Input: new(clarify.Confirm)},
		{ID: "name", Question: "?", Input: &clarify.Text{DefaultValue: "main"}},
		{ID: "note.x", Question: "?", Optional: true, Input: &clarify.Text{Multiline: true}},
	}}
}

func TestFormAnswers(t *testing.T) {
	// Each form is this one, with the fields of the test instead.
	base := formValues{"answer.one": {"b"}, "answer.go": {"confirmed"}, "answer.name": {"main"}}
	one, yes, name := clarify.Answer{"one", &clarify.ChoiceAnswer{[]string{"b"}}}, clarify.Answer{"go", &clarify.ConfirmAnswer{true}}, clarify.Answer{"name", &clarify.TextAnswer{"main"}}
	for _, test := range []struct {
		name    string
		fields  formValues
		want    []clarify.Answer
		blocked []string // path and code
	}{
		{"required only", nil, []clarify.Answer{one, yes, name}, nil},
		{"all", formValues{"many": {"c", "a"}, "tell": {"cancelled"}, "note.x": {"x"}},
			[]clarify.Answer{one, {"many", &clarify.ChoiceAnswer{[]string{"c", "a"}}}, yes, {"tell", &clarify.ConfirmAnswer{false}}, name, {"note.x", &clarify.TextAnswer{"x"}}}, nil},
		{"third option", formValues{"one": {"c"}}, []clarify.Answer{{"one", &clarify.ChoiceAnswer{[]string{"c"}}}, yes, name}, nil},
		{"option twice", formValues{"one": {"b", "b"}}, []clarify.Answer{one, yes, name}, nil},
		{"option and an empty field", formValues{"one": {"", "b"}}, []clarify.Answer{one, yes, name}, nil},
		{"option missing", formValues{"one": nil}, []clarify.Answer{yes, name}, []string{"answer.one missing"}},
		{"option empty", formValues{"one": {""}}, []clarify.Answer{yes, name}, []string{"answer.one missing"}},
		{"option that was not offered", formValues{"one": {"d"}}, []clarify.Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"label", formValues{"one": {"Two"}}, []clarify.Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"number", formValues{"one": {"2"}}, []clarify.Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"two options for one", formValues{"one": {"a", "b"}}, []clarify.Answer{yes, name}, []string{"answer.one too_many"}},
		{"one of two not offered", formValues{"many": {"a", "d"}}, []clarify.Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"optional option not offered", formValues{"many": {"d"}}, []clarify.Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"option of several twice", formValues{"many": {"c", "a", "c"}}, []clarify.Answer{one, {"many", &clarify.ChoiceAnswer{[]string{"c", "a"}}}, yes, name}, nil},
		{"option with white space", formValues{"one": {"b "}}, []clarify.Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"confirm with white space", formValues{"go": {"confirmed\n"}}, []clarify.Answer{one, name}, []string{"answer.go unclear"}},
		{"values with a comma", formValues{"many": {"a,b"}}, []clarify.Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"confirm missing", formValues{"go": nil}, []clarify.Answer{one, name}, []string{"answer.go missing"}},
		{"confirm on", formValues{"go": {"on"}}, []clarify.Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm true", formValues{"go": {"true"}}, []clarify.Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm in another case", formValues{"go": {"Confirmed"}}, []clarify.Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm by its label", formValues{"go": {"Confirm"}}, []clarify.Answer{one, name}, []string{"answer.go unclear"}},
		{"both buttons", formValues{"go": {"confirmed", "cancelled"}}, []clarify.Answer{one, name}, []string{"answer.go too_many"}},
		{"the same button twice", formValues{"go": {"confirmed", "confirmed"}}, []clarify.Answer{one, yes, name}, nil},
		{"cancelled", formValues{"go": {"cancelled"}, "one": nil, "name": {" "}}, []clarify.Answer{{"go", &clarify.ConfirmAnswer{false}}}, nil},
		{"cancelled, and a bad value", formValues{"go": {"cancelled"}, "one": {"d"}}, []clarify.Answer{{"go", &clarify.ConfirmAnswer{false}}, name}, []string{"answer.one unknown_option"}},
		{"text trimmed", formValues{"name": {"\ufeff \tmain\u0085\r\n"}}, []clarify.Answer{one, yes, name}, nil},
		{"text of several lines", formValues{"note.x": {"a\r\n\r\n  b\r\n"}}, []clarify.Answer{one, yes, name, {"note.x", &clarify.TextAnswer{"a\n\n  b"}}}, nil},
		{"text blank", formValues{"name": {" \r\n\u00a0"}}, []clarify.Answer{one, yes}, []string{"answer.name missing"}},
		{"text missing, and a default", formValues{"name": nil}, []clarify.Answer{one, yes}, []string{"answer.name missing"}},
		{"text twice", formValues{"name": {"a", "b"}}, []clarify.Answer{one, yes}, []string{"answer.name too_many"}},
		{"text not UTF-8", formValues{"name": {"a\xff"}}, []clarify.Answer{one, yes}, []string{"answer.name invalid_utf8"}},
		{"optional text blank", formValues{"note.x": {"\n"}}, []clarify.Answer{one, yes, name}, nil},
		{"wrong values before what is missing", formValues{"one": nil, "go": {"on"}, "name": {"a\xff"}}, nil, []string{"answer.go unclear", "answer.name invalid_utf8", "answer.one missing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			form := formValues{"other": {"x"}, "answer.": {"x"}, `answer."one"`: {"a"}, "answer.ONE": {"x"}, "one": {"a"}}
			maps.Copy(form, base)
			for id, values := range test.fields {
				form["answer."+id] = values
			}
			answers, blocked := formEnvelope().FormAnswers(form)
			assert.Equal(t, clarify.Answers{Answers: test.want}, answers)
			var got []string
			for _, v := range blocked {
				got = append(got, v.Path+" "+string(v.Code))
				assert.True(t, v.Got != "" && v.Want != "", "%+v", v)
			}
			assert.Equal(t, test.blocked, got)
		})
	}
}

// TestFormOfNothing reads forms without answers, and forms with ambiguous ids.
func TestFormOfNothing(t *testing.T) {
	optional := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Optional: true, Input: new(clarify.Text)}}}
	twice := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Input: new(clarify.Text)}, {ID: "a", Input: new(clarify.Text)}}}
	check := func(name string, e *clarify.Envelope, form formValues) {
		answers, blocked := e.FormAnswers(form)
		assert.Zero(t, answers, name)
		assert.Nil(t, blocked, name)
	}
	for name, e := range map[string]*clarify.Envelope{"nil": nil, "zero": {}, "all optional": optional, "an id that two prompts have": twice} {
		for _, form := range []formValues{nil, {}, {"answer.a": {" "}}} {
			check(name, e, form)
		}
	}
	check("an id that two prompts have is not answered", twice, formValues{"answer.a": {"x"}})
	options := []clarify.Option{{ID: "x", Label: "One"}, {ID: "x", Label: "Two"}}
	answers, blocked := (&clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Input: &clarify.Choice{Options: options}}}}).FormAnswers(formValues{"answer.a": {"x"}})
	assert.Nil(t, answers.Answers)
	require.Len(t, blocked, 1)
	assert.Equal(t, clarify.CodeUnknownOption, blocked[0].Code)
}

// TestFormOfGoValues shows a form of an envelope that nobody could have sent.
func TestFormOfGoValues(t *testing.T) {
	for name, in := range map[string]clarify.Input{"nil": nil, "nil choice": (*clarify.Choice)(nil), "nil confirm": (*clarify.Confirm)(nil), "nil text": (*clarify.Text)(nil), "embedded": struct{ clarify.Input }{}} {
		t.Run(name, func(t *testing.T) {
			e := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Input: in}}}
			for _, value := range []string{"", "x", "x\xff"} {
				answers, blocked := e.FormAnswers(formValues{"answer.a": {value}})
				assert.Nil(t, answers.Answers, value)
				require.Len(t, blocked, 1, value)
				assert.Equal(t, "answer.a", blocked[0].Path, value)
			}
		})
	}
}

// TestFormComparesIDs: the value of a form is compared as it is.
func TestFormComparesIDs(t *testing.T) {
	e := &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "b", Optional: true, Input: new(clarify.Confirm)}, {ID: "b\u001d", Optional: true, Input: new(clarify.Confirm)},
		{ID: "o", Optional: true, Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "One"}, {ID: "a\u0085", Label: "Other"}, {ID: "c\xff", Label: "Third"}}}},
		{ID: "d\xff", Optional: true, Input: new(clarify.Confirm)},
	}}
	answers, blocked := e.FormAnswers(formValues{`answer."b\u001d"`: {"confirmed"}, "answer.o": {"a\u0085"}, "answer.\"d\ufffd\"": {"confirmed"}})
	assert.Empty(t, blocked)
	assert.Equal(t, []clarify.Answer{{"b\u001d", &clarify.ConfirmAnswer{true}}, {"o", &clarify.ChoiceAnswer{[]string{"a\u0085"}}}}, answers.Answers)
	_, blocked = e.FormAnswers(formValues{"answer.o": {"c\xff"}})
	require.Len(t, blocked, 1)
	assert.Equal(t, clarify.CodeUnknownOption, blocked[0].Code)
	blocked[0].Path = "answer." + strings.Repeat("ä", 1000)
	assert.Less(t, len(blocked[0].String()), 400)
}

func TestFormName(t *testing.T) {
	for id, want := range map[string]string{"confirm_delete": "answer.confirm_delete", "a.b": "answer.a.b", "": `answer.""`, "b\u001d": `answer."b\u001d"`, "B\u200b\n": `answer."B\u200b\n"`, "é": `answer."é"`} {
		assert.Equal(t, want, clarify.Prompt{ID: id}.FormName())
	}
}

// TestFormAnswer: one field is read as in a form with no other prompts.
func TestFormAnswer(t *testing.T) {
	for _, p := range formEnvelope().Prompts {
		alone := &clarify.Envelope{Prompts: []clarify.Prompt{p}}
		for _, values := range [][]string{nil, {""}, {" "}, {"a"}, {" c ", "c"}, {"a", "b"}, {"x"}, {"confirmed"}, {"cancelled"}, {"Confirmed"}, {"yes"}, {"true"}, {"two\r\nlines"}, {"\xff"}} {
			got, err := p.FormAnswer(values...)
			answers, blocked := alone.FormAnswers(formValues{p.FormName(): values})
			if len(blocked) > 0 {
				assert.Nil(t, got, "%s %q", p.ID, values)
				assert.Equal(t, blocked[0], err, "%s %q", p.ID, values)
				continue
			}
			require.NoError(t, err, "%s %q", p.ID, values)
			if len(answers.Answers) == 0 {
				assert.Nil(t, got, "%s %q", p.ID, values)
				continue
			}
			assert.Equal(t, answers.Answers[0].Payload, got, "%s %q", p.ID, values)
		}
	}
}

// TestFormAgreesWithRead fills in forms at random. The answers of a form that
// is not blocked are complete, and what is missing blocks the form.
func TestFormAgreesWithRead(t *testing.T) {
	sent, blockedForms := 0, 0
	for i := range uint64(2000) {
		g := conformance.New(i)
		e := g.Envelope()
		form := formValues{}
		for _, answer := range g.ReplyTo(e, g.IntN(3) > 0).Answers {
			name := clarify.Prompt{ID: answer.ID}.FormName()
			switch in := answer.Payload.(type) {
			case *clarify.ChoiceAnswer:
				form[name] = in.Values
			case *clarify.ConfirmAnswer:
				form[name] = []string{map[bool]string{true: clarify.FormConfirmed, false: clarify.FormCancelled}[in.Confirmed]}
			case *clarify.TextAnswer:
				form[name] = []string{in.Value}
			}
		}
		if g.Chance(3) {
			name := conformance.Pick(g, e.Prompts...).FormName()
			form[name] = append(form[name], conformance.Pick(g, "", "x", "confirmed", "cancelled", "1", "\xff", " "))
		}
		answers, blocked := e.FormAnswers(form)
		if len(answers.Answers) == 0 {
			continue
		}
		b, err := answers.AppendJSON(nil)
		require.NoError(t, err, form)
		r := e.Read(string(b))
		require.NoError(t, conformance.CheckReply(e, string(b), r))
		require.Empty(t, r.Violations())
		require.Equal(t, answers, r.Answers())
		require.True(t, r.State() >= clarify.StateCancelled || len(blocked) > 0, "sent, and not complete: %s", b)
		paths := map[string]bool{}
		for _, v := range blocked {
			paths[v.Path] = true
		}
		for _, id := range r.Missing() {
			require.Contains(t, paths, clarify.Prompt{ID: id}.FormName())
		}
		if len(blocked) > 0 {
			blockedForms++
		} else {
			sent++
		}
	}
	assert.GreaterOrEqual(t, min(sent, blockedForms), 100, "%d forms sent, %d blocked", sent, blockedForms)
}

// BenchmarkFormAnswers shows that the time for a value does not grow with the
// number of values.
func BenchmarkFormAnswers(b *testing.B) {
	e := formEnvelope()
	for _, n := range []int{100, 1000, 10_000} {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint("v", i)
		}
		form := formValues{"answer.many": values}
		b.Run(fmt.Sprint(n, " values"), func(b *testing.B) {
			for b.Loop() {
				e.FormAnswers(form)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
	}
}
