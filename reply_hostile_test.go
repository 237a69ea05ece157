package clarify

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestReadOfManyOptions reads a message against a choice whose options no limit
// bounds: the time is that of the message and of the options, not their product.
func TestReadOfManyOptions(t *testing.T) {
	const n = 20_000
	in := &Choice{AllowMultiple: true}
	var all []string
	for i := range n {
		o := Option{ID: fmt.Sprintf("i%05d", i), Label: fmt.Sprintf("z%05d", i)}
		in.Options = append(in.Options, o)
		all = append(all, o.Label)
	}
	e := &Envelope{Prompts: []Prompt{{ID: "c", Question: "?", Input: in}}}
	start := time.Now()
	for name, message := range map[string]string{
		"lines": strings.Repeat("c: z19999\n", n),
		"parts": "c: " + strings.Join(all, ","),
	} {
		if r := e.Read(message); r.Source() != SourceText || len(r.Violations()) != 0 {
			t.Errorf("%s: %d violations", name, len(r.Violations()))
		}
	}
	if took := time.Since(start); took > 20*time.Second { // a product took minutes
		t.Errorf("%v", took)
	}
}

// TestHistoryOfWhatCannotBeShown: the user may mean a newer question that was
// lost on the way, so an older one does not take the answer.
func TestHistoryOfWhatCannotBeShown(t *testing.T) {
	const question = `{"protocol":"appwrite.clarify/v1","prompts":[{"id":"c","kind":"confirm","question":"Delete?"}]}`
	event := func(output string) Event { return Event{Type: EventToolEnd, Tool: ToolName, Output: output} }
	for name, test := range map[string]struct {
		output string
		waits  bool
	}{
		"nothing to show": {strings.Replace(question, `"confirm"`, `"date"`, 1), false},
		"another version": {strings.Replace(question, "/v1", "/v2", 1), false},
		"cut":             {question[:len(question)-2], false},
		"refused":         {ErrorResult(nil), true},
		"another text":    {"done", true},
	} {
		var h History
		if _, err := h.Event(event(question)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Event(event(test.output)); err == nil {
			t.Fatalf("%s is shown", name)
		}
		if waits := h.Pending() != nil; waits != test.waits {
			t.Errorf("%s: the first question waits: %v", name, waits)
		}
		if yes := h.Message("yes").Proceed(); yes != test.waits {
			t.Errorf("%s: proceed is %v", name, yes)
		}
	}
}

func TestErrorResultOfNilErrors(t *testing.T) {
	for _, err := range []error{nil, (*ValidationError)(nil), (*EmptyError)(nil)} {
		checkErrorText(t, ErrorResult(err))
	}
}
