package clarify

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAPI compares the exported API with testdata/api.txt, a line a symbol, so that a change of it
// is seen in review. With -update it writes the file.
func TestAPI(t *testing.T) {
	got := strings.Join(exportedAPI(t), "\n") + "\n"
	file := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	for line := range strings.Lines(string(want)) {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("gone: %s", line)
		}
	}
	for line := range strings.Lines(got) {
		if !strings.Contains("\n"+string(want), "\n"+line) {
			t.Errorf("new: %s", line)
		}
	}
	t.Errorf("%s is not the exported API: run go test -run TestAPI -update .", file)
}

// exportedAPI returns a sorted line for each exported constant, variable, function, type, method and
// field, with its signature, its value or its type.
func exportedAPI(t *testing.T) []string {
	t.Helper()
	pkg := checkedPackage(t)
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
					}
				}
				if hides := slices.ContainsFunc(slices.Collect(typ.Fields()), func(f *types.Var) bool { return !f.Exported() }); hides {
					add("type %s struct: unexported fields", name)
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

func checkedPackage(t *testing.T) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: importer.Default()}
	pkg, err := config.Check("github.com/clarify-protocol/clarify-go", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
