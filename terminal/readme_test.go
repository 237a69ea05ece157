package terminal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program in README.md does what README.md promises.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, program, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	program, _, _ = strings.Cut(program, "```\n")
	main := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(main, []byte(program), 0o600))
	binary := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command("go", "build", "-o", binary, main).CombinedOutput()
	require.NoError(t, err, "%s", out)

	for input, want := range map[string]string{
		"":             "terminal: nothing was answered\n",
		"\n":           "terminal: nothing was answered\n",
		"Delete":       "terminal: nothing was answered\n",
		"yes please\n": "terminal: nothing was answered\n",
		"Cancel\n":     "false\n",
		"Delete\n":     "true\n",
	} {
		cmd := exec.Command(binary)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		assert.NoError(t, err)
		assert.Equal(t, want, string(out), "%q", input)
	}
}
