package clarify_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/clarifytest"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

var update = flag.Bool("update", false, "write the files that tests make: schema/*.json, testdata/api.txt")

// readFile returns the text of a file of the repository.
func readFile(t testing.TB, elem ...string) string {
	t.Helper()
	return string(conformance.ReadFile(t, elem...))
}

// golden compares a file with what it should hold. With -update it writes the file.
func golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	assert.Equal(t, want, readFile(t, file), "%s is old: run go test -run %s -update .", file, t.Name())
}

// TestAPI compares the exported API with testdata/api.txt, one line for each symbol, so that a
// review shows a change of it.
func TestAPI(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/api.txt", strings.Join(exportedAPI(t), "\n")+"\n")
}

// exportedAPI returns a sorted line for each exported constant, variable, function, type, method and
// field, with its signature, its value or its type.
func exportedAPI(t *testing.T) []string {
	const path = "github.com/clarify-protocol/clarify-go"
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", path).Output()
	require.NoError(t, err)
	compiled := map[string]string{}
	for line := range strings.Lines(string(list)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		compiled[name] = file
	}
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(compiled[path])
	}).Import(path)
	require.NoError(t, err)

	local := types.RelativeTo(pkg)
	text := func(typ types.Type) string { return types.TypeString(typ, local) }
	signature := func(f *types.Func) string {
		var b bytes.Buffer
		types.WriteSignature(&b, f.Signature(), local)
		return b.String()
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			add("const %s %s = %s", name, text(object.Type()), object.Val().ExactString())
		case *types.Var:
			add("var %s %s", name, text(object.Type()))
		case *types.Func:
			add("func %s%s", name, signature(object))
		case *types.TypeName:
			switch typ := object.Type().Underlying().(type) {
			case *types.Struct:
				add("type %s struct", name)
				for field := range typ.Fields() {
					if field.Exported() {
						add("type %s struct: %s %s", name, field.Name(), text(field.Type()))
					} else {
						add("type %s struct: unexported fields", name)
					}
				}
			case *types.Interface:
				add("type %s interface", name)
				for method := range typ.Methods() {
					if method.Exported() {
						add("type %s interface: %s%s", name, method.Name(), signature(method))
					} else {
						add("type %s interface: unexported methods", name)
					}
				}
			default:
				add("type %s %s", name, text(typ))
			}
			if named, ok := object.Type().(*types.Named); ok {
				for method := range named.Methods() {
					if method.Exported() {
						add("method (%s) %s%s", text(method.Signature().Recv().Type()), method.Name(), signature(method))
					}
				}
			}
		default:
			t.Errorf("%s is a %T, which has no line yet", name, object)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// TestMustNotCompile builds the programs in testdata/compile. A comment in each has a part of the only
// error that the compiler must report. The program called valid must compile.
func TestMustNotCompile(t *testing.T) {
	t.Parallel()
	const dir = "testdata/compile"
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Greater(t, len(entries), 20)
	want := map[string]string{}
	args := []string{"build"}
	for _, entry := range entries {
		name := entry.Name()
		_, comment, _ := strings.Cut(readFile(t, dir, name, "main.go"), "\n// error: ")
		want[name], _, _ = strings.Cut(comment, "\n")
		assert.Equal(t, name == "valid", want[name] == "", "%s names the error %q", name, want[name])
		args = append(args, "./"+dir+"/"+name)
	}
	require.Contains(t, want, "valid")
	delete(want, "valid")

	output, err := exec.Command("go", args...).CombinedOutput()
	require.IsType(t, new(exec.ExitError), err, "%s", output)
	got := map[string][]string{}
	line := regexp.MustCompile(`(?m)^(?:\./)?` + dir + `/(\w+)/main\.go:\d+:\d+: (.*)$`)
	for _, match := range line.FindAllStringSubmatch(filepath.ToSlash(string(output)), -1) {
		got[match[1]] = append(got[match[1]], match[2])
	}
	for name, want := range want {
		if assert.Len(t, got[name], 1, name) {
			assert.Contains(t, got[name][0], want, name)
		}
	}
	assert.Len(t, got, len(want), "%s", output)
}

// TestVectors: the library passes what it holds other implementations against.
func TestVectors(t *testing.T) { clarifytest.Run(t, clarifytest.Library()) }

// TestREADME runs the programs in README.md and compares what they print with what the README says.
func TestREADME(t *testing.T) {
	t.Parallel()
	readme := readFile(t, "README.md")
	var want []string
	for _, part := range strings.Split(readme, "\nIt prints")[1:] {
		_, block, _ := strings.Cut(part, "```\n")
		block, _, _ = strings.Cut(block, "```\n")
		want = append(want, block)
	}
	require.Len(t, want, 2)
	refused, err := clarify.Call([]byte(`{"prompts":[{"id":"when","kind":"date"}]}`))
	require.Error(t, err)
	assert.Contains(t, readme, "\n"+refused+"\n")
	var got []string
	for i, part := range strings.Split(readme, "```go\n") {
		if i == 0 {
			continue
		}
		program, _, _ := strings.Cut(part, "```\n")
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
		cmd := exec.Command("go", "run", file)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, "program %d: %s", i, &stderr)
		got = append(got, string(out))
	}
	assert.Equal(t, want, got)
}

// TestRecipe: the recipe in docs/integrations.md is a part of an example, and has at most ten lines.
func TestRecipe(t *testing.T) {
	_, section, _ := strings.Cut(readFile(t, "docs/integrations.md"), "\n## Testing your agent\n")
	_, recipe, _ := strings.Cut(section, "~~~go\n")
	recipe, _, _ = strings.Cut(recipe, "~~~\n")
	require.NotEmpty(t, recipe)
	assert.LessOrEqual(t, strings.Count(recipe, "\n"), 10)
	assert.Contains(t, strings.ReplaceAll(readFile(t, "example_test.go"), "\n\t", "\n"), "\n"+recipe)
}

// TestWireInTheDocumentation reads the JSON that the documentation shows.
func TestWireInTheDocumentation(t *testing.T) {
	shown := map[string]int{}
	var asked *clarify.Envelope
	for _, sample := range documentedJSON(t) {
		v, err := conformance.Parse(sample)
		require.NoError(t, err, sample)
		switch {
		case v.Get("prompts") != nil:
			shown["envelope"]++
			asked, err = clarify.Parse(sample)
			require.NoError(t, err, sample)
			assert.Len(t, asked.Prompts, 3)
			assert.Nil(t, asked.Skipped)
			assert.NoError(t, asked.Validate())
		case v.Get("answers") != nil:
			shown["answers"]++
			reply := asked.Read(sample)
			assert.True(t, reply.Proceed(), reply.ForModel())
			assert.Len(t, reply.Answers().Answers, 3)
		default:
			shown["event"]++
			ev, err := clarify.ParseEvent([]byte(sample))
			assert.NoError(t, err)
			assert.Equal(t, clarify.Event{Type: clarify.EventToolEnd, Agent: "…", Tool: clarify.ToolName, RunID: "…", Output: "…"}, ev)
		}
	}
	for _, what := range []string{"envelope", "answers", "event"} {
		assert.Positive(t, shown[what], what)
	}
}

// documentedJSON returns the samples of the protocol's JSON in the package documentation and in
// docs/rules.md, in this order.
func documentedJSON(t *testing.T) []string {
	text := strings.ReplaceAll(readFile(t, "clarify.go"), "\n//\t", "\n")
	files, err := filepath.Glob("docs/rules.md")
	require.NoError(t, err)
	for _, file := range files {
		text += readFile(t, file)
	}
	sample := regexp.MustCompile(`(?m)^\{"(?:protocol|type)": .*(?:\n  .*)*\}$`)
	return sample.FindAllString(text, -1)
}

// TestKinds: a prompt or an answer has no kind if what it holds is nil, though a nil pointer has one.
func TestKinds(t *testing.T) {
	for want, prompts := range map[clarify.Kind][]clarify.Prompt{
		clarify.KindChoice: {{Input: &clarify.Choice{}}}, clarify.KindConfirm: {{Input: &clarify.Confirm{}}}, clarify.KindText: {{Input: &clarify.Text{}}},
		"": {{}, {Input: (*clarify.Choice)(nil)}, {Input: (*clarify.Confirm)(nil)}, {Input: (*clarify.Text)(nil)}},
	} {
		for _, p := range prompts {
			assert.Equal(t, want, p.Kind(), "%#v", p.Input)
		}
	}
	for want, answers := range map[clarify.Kind][]clarify.Answer{
		clarify.KindChoice: {{Payload: &clarify.ChoiceAnswer{}}}, clarify.KindConfirm: {{Payload: &clarify.ConfirmAnswer{}}}, clarify.KindText: {{Payload: &clarify.TextAnswer{}}},
		"": {{}, {Payload: (*clarify.ChoiceAnswer)(nil)}, {Payload: (*clarify.ConfirmAnswer)(nil)}, {Payload: (*clarify.TextAnswer)(nil)}},
	} {
		for _, a := range answers {
			assert.Equal(t, want, a.Kind(), "%#v", a.Payload)
		}
	}
	for want, union := range map[clarify.Kind][]interface{ Kind() clarify.Kind }{
		clarify.KindChoice:  {(*clarify.Choice)(nil), (*clarify.ChoiceAnswer)(nil)},
		clarify.KindConfirm: {(*clarify.Confirm)(nil), (*clarify.ConfirmAnswer)(nil)},
		clarify.KindText:    {(*clarify.Text)(nil), (*clarify.TextAnswer)(nil)},
	} {
		for _, v := range union {
			assert.Equal(t, want, v.Kind(), "%T", v)
		}
	}
}

func TestPromptByID(t *testing.T) {
	e := faultless()
	e.Prompts = append(e.Prompts, clarify.Prompt{ID: "name", Question: "Another"}, clarify.Prompt{ID: "last"})
	for id, want := range map[string]clarify.Prompt{"bucket": e.Prompts[0], "name": e.Prompts[2], "last": {ID: "last"}} {
		p, ok := e.Prompt(id)
		assert.True(t, ok, id)
		assert.Equal(t, want, p)
	}
	for _, id := range []string{"", "Name", "name ", "other"} {
		p, ok := e.Prompt(id)
		assert.False(t, ok, id)
		assert.Zero(t, p)
	}
	_, ok := (*clarify.Envelope)(nil).Prompt("name")
	assert.False(t, ok)
}
