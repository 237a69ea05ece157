package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

const (
	yes = `{"protocol":"appwrite.clarify/v1","answers":[{"id":"confirm_delete","kind":"confirm","confirmed":true}]}`

	three = `{"title":"Clean up","prompts":[
		{"id":"which","kind":"choice","question":"Which?","allowMultiple":true,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"},{"id":"c","label":"C"}]},
		{"id":"sure","kind":"confirm","question":"Delete bucket uploads ?","danger":true},
		{"id":"note","kind":"text","question":"Note?","multiline":true,"required":false}]}`
)

// play runs a turn and returns what it printed.
func play(t *testing.T, arguments, input string) string {
	t.Helper()
	var out bytes.Buffer
	if err := turn(arguments, bufio.NewReader(strings.NewReader(input)), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDeletesOnlyOnAConfirmedAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		deleted bool
	}{
		"confirmed":            {"confirmed\n", true},
		"confirmed, no LF":     {"confirmed", true},
		"confirmed, CRLF":      {"confirmed\r\n", true},
		"after a typing error": {"confirm\nconfirmed\n", true},
		"answers as JSON":      {"/say " + yes + "\n", true},
		"id line":              {"/say confirm_delete: yes\n", true},
		"cancelled":            {"cancelled\n", false},
		"end of input":         {"", false},
		"empty line":           {"\n", false},
		"empty message":        {"/say \n", false},
		"ok":                   {"ok\n", false},
		"Delete":               {"Delete\n", false},
		"yes please":           {"yes please delete it\n", false},
		"said ok":              {"/say ok\n", false},
		"said Delete":          {"/say Delete\n", false},
		"said yes please":      {"/say yes please delete it\n", false},
		"string true":          {"/say " + strings.Replace(yes, "true", `"true"`, 1) + "\n", false},
		"confirmed: \"true\"":  {"/say confirmed: \"true\"\n", false},
		"another id":           {"/say " + strings.Replace(yes, "confirm_delete", "confirm_other", 1) + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			out := play(t, defaultCall, c.input)
			if got := strings.Contains(out, "Deleted bucket avatars."); got != c.deleted {
				t.Errorf("deleted: %v\n%s", got, out)
			}
			if n := strings.Count(out, "Deleted bucket"); n > 1 {
				t.Errorf("deleted %d times", n)
			}
			world := "The agent's world: buckets avatars, uploads\n"
			if c.deleted {
				world = "The agent's world: buckets uploads\n"
			}
			if !strings.HasSuffix(out, world) {
				t.Errorf("the world is not %q\n%s", world, out)
			}
		})
	}
}

// The same answer, sent again after it acted, finds nothing that waits for it.
func TestAnAnswerActsOnce(t *testing.T) {
	g := newEngine()
	if _, err := g.ask([]byte(defaultCall)); err != nil {
		t.Fatal(err)
	}
	if _, did := g.act(yes); did != "Deleted bucket avatars." {
		t.Fatal(did)
	}
	g.buckets["avatars"] = true // somebody made it anew
	if _, did := g.act(yes); did != "No deletion was waiting for an answer." || !g.buckets["avatars"] {
		t.Fatal(did)
	}
}

func TestAllKinds(t *testing.T) {
	out := play(t, three, "3, a\nconfirmed\none\n  sure: cancelled\n.\n")
	for _, want := range []string{
		"which: c, a\nsure: confirmed\nnote: one\n    sure: cancelled\n",
		`{"id":"which","kind":"choice","values":["c","a"]}`,
		"Deleted bucket uploads.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := play(t, three, "3\ncancelled\n"); !strings.Contains(out, `cancelled: "sure"`) || strings.Contains(out, "alone ends it") || strings.Contains(out, "Deleted") {
		t.Errorf("after a cancel:\n%s", out)
	}
	if out := play(t, three, "3\n"); !strings.Contains(out, "The next user message:\n\n") || strings.Contains(out, "Deleted") {
		t.Errorf("at the end of input:\n%s", out)
	}
}

func TestTextMaySayCancelled(t *testing.T) {
	const call = `{"prompts":[{"id":"a","kind":"text","question":"A?"},{"id":"b","kind":"text","question":"B?"}]}`
	if out := play(t, call, "cancelled\nx\n"); !strings.Contains(out, "a: cancelled\nb: x\n") {
		t.Error(out)
	}
}

func TestRefusedCall(t *testing.T) {
	var out bytes.Buffer
	err := turn(`{"prompts":[]}`, bufio.NewReader(strings.NewReader("")), &out)
	if err == nil || !strings.Contains(out.String(), "\nError: invalid clarify prompts — prompts: got 0 prompts, want 1 to 5\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestReadArguments(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("{\n}\n---\nconfirmed\n"))
	got, err := readArguments("-", in)
	if err != nil || got != "{\n}\n" {
		t.Fatalf("%q, %v", got, err)
	}
	if rest, _ := in.ReadString('\n'); rest != "confirmed\n" {
		t.Errorf("%q is left for the answers", rest)
	}
	if got, err := readArguments("delete.json", in); err != nil || got != defaultCall {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := readArguments("missing.json", in); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestHostileQuestionIsShownHarmlessly(t *testing.T) {
	const call = `{"prompts":[{"id":"a","kind":"text","question":"\u001b[2J\u202eA?"}]}`
	out := play(t, call, "x\n")
	if !strings.Contains(out, "\n\uFFFD[2J\uFFFDA?\n") || strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("%q", out)
	}
}
