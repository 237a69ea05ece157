package clarify

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"testing"
)

// formEnvelope has prompts of each kind that are required and that are not.
func formEnvelope() *Envelope {
	options := []Option{{ID: "a", Label: "One"}, {ID: "b", Label: "Two"}, {ID: "c", Label: "Three"}}
	return &Envelope{Prompts: []Prompt{
		{ID: "one", Question: "?", Input: &Choice{Options: options}},
		{ID: "many", Question: "?", Optional: true, Input: &Choice{Options: options, AllowMultiple: true}},
		{ID: "go", Question: "?", Input: &Confirm{Danger: true}},
		{ID: "tell", Question: "?", Optional: true, Input: new(Confirm)},
		{ID: "name", Question: "?", Input: &Text{DefaultValue: "main"}},
		{ID: "note.x", Question: "?", Optional: true, Input: &Text{Multiline: true}},
	}}
}

func TestFormAnswers(t *testing.T) {
	// Each form is this one, with the fields of the test instead.
	base := url.Values{"answer.one": {"b"}, "answer.go": {"confirmed"}, "answer.name": {"main"}}
	one, yes, name := Answer{"one", &ChoiceAnswer{[]string{"b"}}}, Answer{"go", &ConfirmAnswer{true}}, Answer{"name", &TextAnswer{"main"}}
	type fields = map[string][]string
	for _, test := range []struct {
		name    string
		fields  fields
		want    []Answer
		blocked []string // path and code
	}{
		{"required only", nil, []Answer{one, yes, name}, nil},
		{"all", fields{"many": {"c", "a"}, "tell": {"cancelled"}, "note.x": {"x"}},
			[]Answer{one, {"many", &ChoiceAnswer{[]string{"c", "a"}}}, yes, {"tell", &ConfirmAnswer{false}}, name, {"note.x", &TextAnswer{"x"}}}, nil},
		{"third option", fields{"one": {"c"}}, []Answer{{"one", &ChoiceAnswer{[]string{"c"}}}, yes, name}, nil},
		{"option twice", fields{"one": {"b", "b"}}, []Answer{one, yes, name}, nil},
		{"option and an empty field", fields{"one": {"", "b"}}, []Answer{one, yes, name}, nil},
		{"option missing", fields{"one": nil}, []Answer{yes, name}, []string{"answer.one missing"}},
		{"option empty", fields{"one": {""}}, []Answer{yes, name}, []string{"answer.one missing"}},
		{"option that was not offered", fields{"one": {"d"}}, []Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"label", fields{"one": {"Two"}}, []Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"number", fields{"one": {"2"}}, []Answer{yes, name}, []string{"answer.one unknown_option"}},
		{"two options for one", fields{"one": {"a", "b"}}, []Answer{yes, name}, []string{"answer.one too_many"}},
		{"one of two not offered", fields{"many": {"a", "d"}}, []Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"optional option not offered", fields{"many": {"d"}}, []Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"option of several twice", fields{"many": {"c", "a", "c"}}, []Answer{one, {"many", &ChoiceAnswer{[]string{"c", "a"}}}, yes, name}, nil},
		{"values with a comma", fields{"many": {"a,b"}}, []Answer{one, yes, name}, []string{"answer.many unknown_option"}},
		{"confirm missing", fields{"go": nil}, []Answer{one, name}, []string{"answer.go missing"}},
		{"confirm on", fields{"go": {"on"}}, []Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm true", fields{"go": {"true"}}, []Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm in another case", fields{"go": {"Confirmed"}}, []Answer{one, name}, []string{"answer.go unclear"}},
		{"confirm by its label", fields{"go": {"Confirm"}}, []Answer{one, name}, []string{"answer.go unclear"}},
		{"both buttons", fields{"go": {"confirmed", "cancelled"}}, []Answer{one, name}, []string{"answer.go too_many"}},
		{"the same button twice", fields{"go": {"confirmed", "confirmed"}}, []Answer{one, yes, name}, nil},
		{"cancelled", fields{"go": {"cancelled"}, "one": nil, "name": {" "}}, []Answer{{"go", &ConfirmAnswer{false}}}, nil},
		{"cancelled, and a bad value", fields{"go": {"cancelled"}, "one": {"d"}}, []Answer{{"go", &ConfirmAnswer{false}}, name}, []string{"answer.one unknown_option"}},
		{"text trimmed", fields{"name": {"\ufeff \tmain\u0085\r\n"}}, []Answer{one, yes, name}, nil},
		{"text of several lines", fields{"note.x": {"a\r\n\r\n  b\r\n"}}, []Answer{one, yes, name, {"note.x", &TextAnswer{"a\n\n  b"}}}, nil},
		{"text blank", fields{"name": {" \r\n\u00a0"}}, []Answer{one, yes}, []string{"answer.name missing"}},
		{"text missing, and a default", fields{"name": nil}, []Answer{one, yes}, []string{"answer.name missing"}},
		{"text twice", fields{"name": {"a", "b"}}, []Answer{one, yes}, []string{"answer.name too_many"}},
		{"text not UTF-8", fields{"name": {"a\xff"}}, []Answer{one, yes}, []string{"answer.name invalid_utf8"}},
		{"optional text blank", fields{"note.x": {"\n"}}, []Answer{one, yes, name}, nil},
		{"wrong values before what is missing", fields{"one": nil, "go": {"on"}, "name": {"a\xff"}}, nil, []string{"answer.go unclear", "answer.name invalid_utf8", "answer.one missing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			form := url.Values{"other": {"x"}, "answer.": {"x"}, "answer.ONE": {"x"}, "one": {"a"}}
			for k, v := range base {
				form[k] = v
			}
			for k, v := range test.fields {
				form["answer."+k] = v
			}
			e := formEnvelope()
			answers, blocked := e.FormAnswers(form)
			if !reflect.DeepEqual(answers, Answers{Answers: test.want}) {
				t.Errorf("answers %s, want %s", jsonOf(answers.Answers), jsonOf(test.want))
			}
			var got []string
			for _, v := range blocked {
				got = append(got, v.Path+" "+string(v.Code))
				if v.Got == "" || v.Want == "" {
					t.Errorf("%+v says too little", v)
				}
			}
			if !slices.Equal(got, test.blocked) {
				t.Errorf("blocked %v, want %q", blocked, test.blocked)
			}
		})
	}
}

func TestFormOfNothing(t *testing.T) {
	optional := &Envelope{Prompts: []Prompt{{ID: "a", Optional: true, Input: new(Text)}}}
	twice := &Envelope{Prompts: []Prompt{{ID: "a", Input: new(Text)}, {ID: "a", Input: new(Text)}}}
	for name, e := range map[string]*Envelope{"nil": nil, "zero": {}, "all optional": optional, "an id that two prompts have": twice} {
		for _, form := range []url.Values{nil, {}, {"answer.a": {" "}}} {
			if answers, blocked := e.FormAnswers(form); !reflect.DeepEqual(answers, Answers{}) || blocked != nil {
				t.Errorf("%s: %v, %v", name, answers, blocked)
			}
		}
	}
	if answers, blocked := twice.FormAnswers(url.Values{"answer.a": {"x"}}); answers.Answers != nil || blocked != nil {
		t.Errorf("an id that two prompts have is answered: %v, %v", answers, blocked)
	}
	double := &Envelope{Prompts: []Prompt{{ID: "a", Input: &Choice{Options: []Option{{ID: "x", Label: "One"}, {ID: "x", Label: "Two"}}}}}}
	if answers, blocked := double.FormAnswers(url.Values{"answer.a": {"x"}}); answers.Answers != nil || len(blocked) != 1 || blocked[0].Code != CodeUnknownOption {
		t.Errorf("an id that two options have: %v, %v", answers, blocked)
	}
}

// TestFormOfGoValues shows a form of an envelope that nobody could have sent.
func TestFormOfGoValues(t *testing.T) {
	for name, in := range map[string]Input{"nil": nil, "nil choice": (*Choice)(nil), "nil confirm": (*Confirm)(nil), "nil text": (*Text)(nil), "embedded": struct{ Input }{}} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("panic: %v", x)
				}
			}()
			e := &Envelope{Prompts: []Prompt{{ID: "a", Input: in}}}
			for _, value := range []string{"", "x", "x\xff"} {
				if answers, blocked := e.FormAnswers(url.Values{"answer.a": {value}}); answers.Answers != nil || len(blocked) != 1 || blocked[0].Path != "answer.a" {
					t.Errorf("%q: %v, %v", value, answers.Answers, blocked)
				}
			}
		})
	}
}

func TestFormName(t *testing.T) {
	for id, want := range map[string]string{"confirm_delete": "answer.confirm_delete", "a.b": "answer.a.b", "": "answer."} {
		if got := (Prompt{ID: id}).FormName(); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// TestFormAgreesWithRead fills in forms at random: what the form lets through
// answers all that was asked, in JSON as in words, and what it blocks does not.
func TestFormAgreesWithRead(t *testing.T) {
	sent, blockedForms := 0, 0
	for i := range 5 * envelopes {
		g := newTalker(uint64(i))
		e := g.envelope()
		form := url.Values{}
		a := g.replyTo(e, g.IntN(3) > 0)
		for _, answer := range a.Answers {
			p, _ := e.Prompt(answer.ID)
			switch in := answer.Payload.(type) {
			case *ChoiceAnswer:
				form[p.FormName()] = in.Values
			case *ConfirmAnswer:
				form.Set(p.FormName(), map[bool]string{true: FormConfirmed, false: FormCancelled}[in.Confirmed])
			case *TextAnswer:
				form.Set(p.FormName(), in.Value)
			}
		}
		if g.IntN(3) == 0 {
			p := e.Prompts[g.IntN(len(e.Prompts))]
			form.Add(p.FormName(), g.one([]string{"", "x", "confirmed", "cancelled", "1", "\xff", " "}))
		}
		answers, blocked := e.FormAnswers(form)
		if len(answers.Answers) == 0 {
			continue
		}
		b, err := answers.AppendJSON(nil)
		if err != nil {
			t.Fatalf("%v: %v", form, err)
		}
		r := e.Read(string(b))
		checkReply(t, e, string(b), r)
		if len(r.Violations()) > 0 || !reflect.DeepEqual(r.Answers().Answers, answers.Answers) {
			t.Fatalf("%s reads as %s", b, jsonOf(r))
		}
		if len(blocked) == 0 && !r.Complete() {
			t.Fatalf("sent, and not complete: %s", jsonOf(r))
		}
		for _, id := range r.Missing() {
			if !slices.ContainsFunc(blocked, func(v Violation) bool { return v.Path == (Prompt{ID: id}).FormName() }) {
				t.Fatalf("%q is missing, and %v does not say so", id, blocked)
			}
		}
		if len(blocked) > 0 {
			blockedForms++
		} else {
			sent++
		}
	}
	if sent < envelopes/4 || blockedForms < envelopes/4 {
		t.Errorf("%d forms sent, %d blocked", sent, blockedForms)
	}
}

// BenchmarkFormAnswers shows that a form of many values takes time in
// proportion to it.
func BenchmarkFormAnswers(b *testing.B) {
	e := formEnvelope()
	for _, n := range []int{100, 1000, 10_000} {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint("v", i)
		}
		form := url.Values{"answer.many": values}
		b.Run(fmt.Sprint(n, " values"), func(b *testing.B) {
			for b.Loop() {
				e.FormAnswers(form)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
	}
}
