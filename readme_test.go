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
