package clarify

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// replyVectors is the number of lines of reply.jsonl.
const replyVectors = 425

type replyVector struct {
	Name     string          `json:"name"`
	Envelope json.RawMessage `json:"envelope"`
	Message  string          `json:"message"`
	Reply    json.RawMessage `json:"reply"`
}

// A vectorReply is what a vector says about a reply. got and want of a
// violation are words for people, and in no vector.
type vectorReply struct {
	Source     string            `json:"source"`
	Answers    json.RawMessage   `json:"answers"`
	Missing    []string          `json:"missing"`
	Cancelled  []string          `json:"cancelled"`
	Violations []vectorViolation `json:"violations"`
	Remainder  string            `json:"remainder"`
	Decisions  map[string]string `json:"decisions"`
	Proceed    bool              `json:"proceed"`
	Complete   bool              `json:"complete"`
	Evidence   []vectorEvidence  `json:"evidence"`
}

type vectorViolation struct {
	Path string `json:"path"`
	Code Code   `json:"code"`
}

type vectorEvidence struct {
	ID   string `json:"id"`
	At   string `json:"at"`
	Rule Rule   `json:"rule"`
}

// inVector is r as a vector would have it.
func inVector(t *testing.T, e *Envelope, r *Reply) []byte {
	t.Helper()
	answers := r.Answers().Answers
	if answers == nil {
		answers = []Answer{}
	}
	got := vectorReply{
		Source:     r.Source().String(),
		Answers:    json.RawMessage(jsonOf(answers)),
		Missing:    append([]string{}, r.Missing()...),
		Cancelled:  append([]string{}, r.Cancelled()...),
		Violations: []vectorViolation{},
		Remainder:  r.Remainder(),
		Decisions:  map[string]string{},
		Proceed:    r.Proceed(),
		Complete:   r.Complete(),
		Evidence:   []vectorEvidence{},
	}
	for _, v := range r.Violations() {
		got.Violations = append(got.Violations, vectorViolation{v.Path, v.Code})
	}
	for _, p := range e.Prompts {
		if p.Kind() == KindConfirm {
			got.Decisions[p.ID] = r.Decision(p.ID).String()
		}
	}
	for _, ev := range r.Evidence() {
		got.Evidence = append(got.Evidence, vectorEvidence{ev.ID, ev.Path, ev.Rule})
	}
	return []byte(jsonOf(got))
}

// parsed is the envelope of v.
func (v replyVector) parsed(t testing.TB) *Envelope {
	t.Helper()
	e, err := Parse(string(v.Envelope))
	if err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	return e
}

func TestReplyVectors(t *testing.T) {
	for _, v := range readVectors[replyVector](t, "reply.jsonl", replyVectors) {
		t.Run(v.Name, func(t *testing.T) {
			if err := checkKeys[vectorReply](v.Reply); err != nil {
				t.Fatal(err)
			}
			e := v.parsed(t)
			if !strings.HasPrefix(v.Name, "lenient/") {
				if canonical, err := e.Result(); err != nil || canonical != string(v.Envelope) {
					t.Fatalf("the envelope is not canonical: %s, %v", canonical, err)
				}
			}
			before := clone(e)
			r := e.Read(v.Message)
			jsonEqual(t, inVector(t, e, r), v.Reply)
			if !reflect.DeepEqual(e, before) {
				t.Error("Read changed the envelope")
			}
			checkReply(t, e, v.Message, r)
		})
	}
}

// TestReplyVectorsCover finds a report from the field that has no vector.
func TestReplyVectorsCover(t *testing.T) {
	n := map[string]int{}
	for _, v := range readVectors[replyVector](t, "reply.jsonl", replyVectors) {
		group, rest, _ := strings.Cut(v.Name, "/")
		n[group]++
		if report, _, ok := strings.Cut(rest, "-"); ok && group == "field" {
			n["field "+report]++
		}
	}
	for _, report := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 20, 21, 22, 23} {
		if n[fmt.Sprintf("field %02d", report)] == 0 {
			t.Errorf("no vector for line %d of the reports", report)
		}
	}
	for _, group := range []string{"source", "structured", "line", "text", "choice", "confirm", "danger", "bare", "duplicate", "remainder", "proceed", "lenient"} {
		if n[group] < 5 {
			t.Errorf("%d vectors in %s", n[group], group)
		}
	}
}
