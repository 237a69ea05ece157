package clarify

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestMustNotCompile builds the programs in testdata/compile. Each names, in a comment of its own,
// a part of the compiler's error that it has to fail with; the one called valid has to compile.
func TestMustNotCompile(t *testing.T) {
	const dir = "testdata/compile"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // the error of each case
	args := []string{"build"}
	for _, entry := range entries {
		name := entry.Name()
		source := readFile(t, dir, name, "main.go")
		_, want[name], _ = strings.Cut(source, "\n// error: ")
		want[name], _, _ = strings.Cut(want[name], "\n")
		args = append(args, "./"+path.Join(dir, name))
	}
	valid, ok := want["valid"]
	if !ok || valid != "" {
		t.Fatal("there is no case that has to compile")
	}
	delete(want, "valid")
	if len(want) < 20 {
		t.Fatalf("only %d cases", len(want))
	}

	output, err := exec.Command("go", args...).CombinedOutput()
	if _, ok := err.(*exec.ExitError); !ok {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	errors := map[string][]string{}
	line := regexp.MustCompile(`(?m)^(?:\./)?` + dir + `/(\w+)/main\.go:\d+:\d+: (.*)$`)
	for _, match := range line.FindAllStringSubmatch(strings.ReplaceAll(string(output), `\`, "/"), -1) {
		errors[match[1]] = append(errors[match[1]], match[2])
	}
	for name, want := range want {
		switch got := errors[name]; {
		case want == "":
			t.Errorf("%s names no error", name)
		case len(got) != 1 || !strings.Contains(got[0], want):
			t.Errorf("%s fails with %q, want one error: %s", name, got, want)
		}
		delete(errors, name)
	}
	if len(errors) > 0 || t.Failed() {
		t.Errorf("%q\n%s", errors, output)
	}
}
