package clarify

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"unicode/utf8"
)

// TestStringify: the canonical bytes are what JavaScript's JSON.stringify makes of them.
func TestStringify(t *testing.T) {
	node := findNode(t)
	var lines [][]byte
	add := func(line []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		// A line break, and what decoding as UTF-8 would repair, would hide a difference.
		if !utf8.Valid(line) || bytes.ContainsRune(line, '\n') {
			t.Fatalf("not a line of UTF-8: %q", line)
		}
		lines = append(lines, line)
	}

	accepted := 0
	for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
		if e, err := ParseCall(v.Args); err == nil {
			accepted++
			add(e.AppendJSON(nil))
		}
	}
	for _, v := range readVectors[consoleVector](t, "console.jsonl", 358) {
		if e, err := Parse(v.output(t)); err == nil {
			accepted++
			add(e.AppendJSON(nil))
		}
	}
	for _, v := range readVectors[answersVector](t, "answers.jsonl", 59) {
		if a, err := ParseAnswers(v.Text); err == nil {
			accepted++
			add(a.AppendJSON(nil))
		}
	}
	if accepted < 300 {
		t.Errorf("only %d vectors are accepted", accepted)
	}

	points := []rune{'\u2027', '\u2028', '\u2029', '\u202A', '\uD7FF', '\uE000', '\uFEFF', '\uFFFD', '\uFFFE', '\uFFFF', 0x10000, 0x1F600, 0x2028F, 0x10FFFF}
	for r := rune(0); r < 0x100; r++ {
		points = append(points, r)
	}
	for _, r := range points {
		// As a value that is kept as it is, alone and between others; as an answer; in an event.
		for _, s := range []string{string(r), "a" + string(r) + "b" + string([]rune{r, r})} {
			e := Envelope{Prompts: []Prompt{{ID: "a", Question: "A" + string(r) + "?", Input: &Text{DefaultValue: s}}}}
			add(e.AppendJSON(nil))
			add(Answers{Answers: []Answer{{"a", &TextAnswer{Value: s}}}}.AppendJSON(nil))
			add(Event{Type: EventToolEnd, Output: s}.AppendJSON(nil), nil)
		}
	}
	all := string(points)
	add((&Envelope{Title: all + ".", Prompts: []Prompt{{ID: "a", Question: "A" + all + "?", Input: &Text{DefaultValue: all}}}}).AppendJSON(nil))
	for i, e := range generated(envelopes) {
		add(e.AppendJSON(nil))
		add(newMaker(uint64(i)).answers().AppendJSON(nil))
	}

	cmd := exec.Command(node, "testdata/stringify.mjs")
	cmd.Stdin = bytes.NewReader(append(bytes.Join(lines, []byte("\n")), '\n'))
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Lines   int
		Changed []struct {
			Line  int
			Again string
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatal(err)
	}
	if report.Lines != len(lines) {
		t.Errorf("node read %d lines of %d", report.Lines, len(lines))
	}
	for _, changed := range report.Changed {
		t.Errorf("JSON.stringify writes\n%s, not\n%s", changed.Again, lines[changed.Line])
	}
	if !t.Failed() {
		t.Logf("%d canonical texts", len(lines))
	}
}
