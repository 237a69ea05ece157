package clarify_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// TestREADME builds and runs the programs in README.md, and compares what they print with what the
// README says that they print.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"confirm_delete","kind":"confirm","question":"Delete bucket avatars?","required":true,"confirmLabel":"Confirm","cancelLabel":"Cancel","danger":true}]}
false undecided
false undecided
true confirmed
`,
		`prompt skipped: prompts[0].kind: unknown_kind
Which bucket? [{avatars Avatars } {uploads Uploads }]
{"protocol":"appwrite.clarify/v1","answers":[{"id":"bucket","kind":"choice","values":["avatars"]}]}
bucket: avatars
`,
	}
	refused, err := clarify.Call([]byte(`{"prompts":[{"id":"when","kind":"date"}]}`))
	if err == nil || !strings.Contains(string(readme), "\n"+refused+"\n") {
		t.Errorf("README.md does not show %s", refused)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	for i := 0; found; i++ {
		var program string
		program, rest, _ = strings.Cut(rest, "```\n")
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", file)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("program %d: %v\n%s", i, err, stderr.Bytes())
		}
		if i >= len(want) || string(out) != want[i] {
			t.Errorf("program %d prints\n%s", i, out)
		}
		if _, rest, found = strings.Cut(rest, "```go\n"); !found && i != len(want)-1 {
			t.Errorf("README.md has %d programs, want %d", i+1, len(want))
		}
	}
}

// TestWireInTheDocumentation reads the JSON that the package documentation shows.
func TestWireInTheDocumentation(t *testing.T) {
	source, err := os.ReadFile("clarify.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(source), "// # The wire\n")
	section, _, _ = strings.Cut(section, "// # ")
	var samples []string
	inside := false
	for line := range strings.Lines(section) {
		text, isSample := strings.CutPrefix(line, "//\t")
		switch {
		case isSample && !inside:
			samples = append(samples, text)
		case isSample:
			samples[len(samples)-1] += text
		}
		inside = isSample
	}
	if len(samples) != 3 {
		t.Fatalf("%d samples, want 3", len(samples))
	}
	e, err := clarify.Parse(samples[0])
	if err != nil || len(e.Prompts) != 3 || e.Skipped != nil || e.Validate() != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	if reply := e.Read(samples[1]); !reply.Proceed() || !reply.Complete() || len(reply.Answers().Answers) != 3 {
		t.Errorf("%s", reply.ForModel())
	}
	if ev, err := clarify.ParseEvent([]byte(samples[2])); err != nil || ev != (clarify.Event{Type: clarify.EventToolEnd, Agent: "…", Tool: clarify.ToolName, RunID: "…", Output: "…"}) {
		t.Errorf("%+v, %v", ev, err)
	}
}
