package clarifymcp

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program in the package documentation compiles.
func TestDocProgram(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "clarifymcp.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	var programs []string
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		if code, ok := block.(*comment.Code); ok {
			programs = append(programs, code.Text)
		}
	}
	require.Len(t, programs, 1)
	main := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(main, []byte(programs[0]), 0o600))
	output, err := exec.Command("go", "vet", main).CombinedOutput()
	require.NoError(t, err, "%s", output)
}
