package clarify

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// What is refused, left out or warned of, one fault a vector, and a proof that no code, part, rule
// or sentinel is without one. testdata/vectors/README.md defines the format.

type faultVector struct {
	Name    string       `json:"name"`
	Read    string       `json:"read"`
	From    string       `json:"from"`
	Why     string       `json:"why"`
	Input   vectorInput  `json:"input"`
	Refusal string       `json:"refusal,omitempty"`
	Fault   *vectorFault `json:"fault,omitempty"`
}

type vectorFault struct {
	Part Part   `json:"part,omitempty"`
	Path string `json:"path"`
	Code Code   `json:"code"`
}

// A vectorInput is a text: a string, or pieces of one that are put together.
type vectorInput string

func (in *vectorInput) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*in = vectorInput(text)
		return nil
	}
	var pieces []json.RawMessage
	if err := json.Unmarshal(data, &pieces); err != nil {
		return err
	}
	if len(pieces) == 0 {
		return errors.New("an input of no pieces")
	}
	var whole []byte
	for _, piece := range pieces {
		b, err := vectorPiece(piece)
		if err != nil {
			return fmt.Errorf("piece %s: %w", piece, err)
		}
		whole = append(whole, b...)
	}
	*in = vectorInput(whole)
	return nil
}

func vectorPiece(data []byte) ([]byte, error) {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return []byte(text), nil
	}
	var piece struct {
		Repeat string
		Times  int
		Base64 string
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&piece); err != nil {
		return nil, err
	}
	repeats := piece.Repeat != "" && piece.Times > 0
	switch {
	case repeats == (piece.Base64 != ""):
		return nil, errors.New("neither one generator nor the other")
	case repeats:
		return bytes.Repeat([]byte(piece.Repeat), piece.Times), nil
	}
	return base64.StdEncoding.DecodeString(piece.Base64)
}

func TestVectorInput(t *testing.T) {
	for data, want := range map[string]string{
		`""`:                                    "",
		`"a\u00e9"`:                             "aé",
		`["a"]`:                                 "a",
		`["[",{"repeat":"ab","times":3},"]"]`:   "[ababab]",
		`[{"base64":"/w=="},{"base64":"gA=="}]`: "\xff\x80",
	} {
		var in vectorInput
		if err := json.Unmarshal([]byte(data), &in); err != nil || string(in) != want {
			t.Errorf("%s is %q, %v, want %q", data, in, err, want)
		}
	}
	for _, data := range []string{
		`1`, `{}`, `[]`, `[1]`, `[{}]`, `[["a"]]`, `[{"repeat":"a"}]`, `[{"times":2}]`, `[{"repeat":"a","times":-1}]`,
		`[{"base64":"?"}]`, `[{"base64":"/w==","repeat":"a","times":1}]`, `[{"hex":"ff"}]`,
	} {
		var in vectorInput
		if err := json.Unmarshal([]byte(data), &in); err == nil {
			t.Errorf("%s is read as %q", data, in)
		}
	}
}

// sentinels by their word in the vectors. It has to list all: see TestEveryCodeHasAVector.
var sentinels = map[string]error{
	"not_envelope":    ErrNotEnvelope,
	"tool_failed":     ErrToolFailed,
	"malformed":       ErrMalformed,
	"version":         ErrVersion,
	"nothing_to_show": ErrNothingToShow,
	"not_answers":     ErrNotAnswers,
	"not_event":       ErrNotEvent,
}

// refusalWord names the sentinel that err is. Of the kinds of ErrNotEnvelope it is the kind.
func refusalWord(err error) string {
	word := ""
	for name, sentinel := range sentinels {
		if errors.Is(err, sentinel) && (word == "" || word == "not_envelope") {
			word = name
		}
	}
	return word
}

// faultReads are the ways to read an input, with what each refuses and finds.
var faultReads = map[string]func(input string) (refusal string, faults []vectorFault, err error){
	"call": func(input string) (string, []vectorFault, error) {
		e, err := ParseCall([]byte(input))
		return refusedCall(e == nil, err)
	},
	"output": func(input string) (string, []vectorFault, error) {
		e, err := Parse(input)
		return refusalOrSkips(e, err)
	},
	"emit": func(input string) (string, []vectorFault, error) {
		e, err := Parse(input)
		if err != nil {
			return "", nil, err
		}
		result, err := e.Result()
		return refusedCall(result == "", err)
	},
	"lint": func(input string) (string, []vectorFault, error) {
		e, err := Parse(input)
		if err != nil {
			return "", nil, err
		}
		return "", violationFaults(e.Lint()), nil
	},
	"answers": func(input string) (string, []vectorFault, error) {
		a, err := ParseAnswers(input)
		if err != nil {
			return refusalWord(err), nil, nil
		}
		return "", skippedFaults(a.Skipped), nil
	},
	"event": func(input string) (string, []vectorFault, error) {
		ev, err := ParseEvent([]byte(input))
		if err != nil {
			return refusalWord(err), nil, nil
		}
		e, err := ev.Envelope()
		return refusalOrSkips(e, err)
	},
}

func refusedCall(nothing bool, err error) (string, []vectorFault, error) {
	if err == nil {
		return "", nil, nil
	}
	var invalid *ValidationError
	if !nothing || !errors.As(err, &invalid) {
		return "", nil, fmt.Errorf("not a refusal with its violations: %w", err)
	}
	return "", violationFaults(invalid.Violations), nil
}

func refusalOrSkips(e *Envelope, err error) (string, []vectorFault, error) {
	if err == nil {
		return "", skippedFaults(e.Skipped), nil
	}
	if e != nil || !errors.Is(err, ErrNotEnvelope) {
		return "", nil, fmt.Errorf("not a refusal: %+v, %w", e, err)
	}
	var empty *EmptyError
	if errors.As(err, &empty) {
		return refusalWord(err), skippedFaults(empty.Skipped), nil
	}
	return refusalWord(err), nil, nil
}

func violationFaults(violations []Violation) (faults []vectorFault) {
	for _, v := range violations {
		faults = append(faults, vectorFault{Path: v.Path, Code: v.Code})
	}
	return faults
}

func skippedFaults(skipped []Skipped) (faults []vectorFault) {
	for _, s := range skipped {
		faults = append(faults, vectorFault(s))
	}
	return faults
}

func faultVectors(t *testing.T) []faultVector {
	return readVectors[faultVector](t, "faults.jsonl", 276)
}

func TestFaultVectors(t *testing.T) {
	from := map[string]int{}
	for _, v := range faultVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			read := faultReads[v.Read]
			if read == nil || !strings.HasPrefix(v.Name, v.Read+"/") {
				t.Fatalf("read is %q, which is none or not how the name starts", v.Read)
			}
			if from[v.From]++; v.From != "contract" && v.From != "library" {
				t.Errorf("from is %q", v.From)
			}
			if !strings.HasSuffix(v.Why, ".") {
				t.Errorf("why is %q, want a sentence", v.Why)
			}
			if v.Refusal == "" && v.Fault == nil {
				t.Fatal("nothing is wrong here")
			}
			if _, known := sentinels[v.Refusal]; v.Refusal != "" && !known {
				t.Errorf("%q is no refusal", v.Refusal)
			}
			refusal, faults, err := read(string(v.Input))
			if err != nil {
				t.Fatal(err)
			}
			var want []vectorFault
			if v.Fault != nil {
				want = []vectorFault{*v.Fault}
			}
			if refusal != v.Refusal || !reflect.DeepEqual(faults, want) {
				t.Errorf("got  %q, %+v\nwant %q, %+v", refusal, faults, v.Refusal, want)
			}
		})
	}
	if from["contract"] == 0 || from["library"] == 0 {
		t.Errorf("the rules are from %v, want both", from)
	}
}

// TestEveryFaultHasAVector: whatever any other vector runs into is in faults.jsonl on its own, with
// other indices.
func TestEveryFaultHasAVector(t *testing.T) {
	index := regexp.MustCompile(`\[[0-9]+\]`)
	shape := func(read string, f vectorFault) string {
		return fmt.Sprintf("%s %s %s %s", read, f.Part, index.ReplaceAllString(f.Path, "[]"), f.Code)
	}
	own := map[string]bool{}
	for _, v := range faultVectors(t) {
		if v.Fault != nil {
			own[shape(v.Read, *v.Fault)] = true
		}
	}
	met := map[string]string{}
	meet := func(name, read, input string) {
		_, faults, err := faultReads[read](input)
		if err != nil {
			return // nothing to emit
		}
		for _, f := range faults {
			met[shape(read, f)] = name
		}
	}
	for _, v := range readVectors[engineVector](t, "engine.jsonl", 383) {
		meet(v.Name, "call", string(v.Args))
	}
	for _, v := range readVectors[consoleVector](t, "console.jsonl", 358) {
		meet(v.Name, "output", v.output(t))
	}
	for _, v := range readVectors[answersVector](t, "answers.jsonl", 59) {
		meet(v.Name, "answers", v.Text)
	}
	for _, f := range faults() {
		met[shape("call", vectorFault{Path: f.path, Code: f.code})] = f.name
	}
	if len(met) < 80 {
		t.Errorf("only %d different faults were met", len(met))
	}
	for _, s := range slices.Sorted(maps.Keys(met)) {
		if !own[s] {
			t.Errorf("no line of faults.jsonl has %s, which %s has", s, met[s])
		}
	}
}

// TestEveryCodeHasAVector reads the constants out of the source, so that a new one cannot be
// forgotten here.
func TestEveryCodeHasAVector(t *testing.T) {
	hit := map[string]bool{}
	for _, file := range []string{"faults.jsonl", "reply.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", "vectors", file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var vector any
			if err := json.Unmarshal(line, &vector); err != nil {
				t.Fatal(err)
			}
			collectWords(hit, vector)
		}
	}
	words := map[string]bool{}
	for _, c := range declaredWords(t) {
		key := c.typ + " " + c.word
		if words[key] {
			t.Errorf("%s has the word of another %s: %q", c.name, c.typ, c.word)
		}
		words[key] = true
		if !hit[key] {
			t.Errorf("%s (%q) is in no vector", c.name, c.word)
		}
		if c.typ != "refusal" {
			continue
		}
		if sentinels[c.word] == nil {
			t.Errorf("sentinels lacks %s", c.name)
		}
	}
	for key := range hit {
		if !words[key] {
			t.Errorf("a vector has the %s, which is not declared", key)
		}
	}
	for word := range sentinels {
		if !words["refusal "+word] {
			t.Errorf("sentinels has %s, which is not declared", word)
		}
	}
}

// TestVectorsReadme: the README of the vectors counts the lines of every file and lists the words that
// there are, each in its own table.
func TestVectorsReadme(t *testing.T) {
	dir := filepath.Join("testdata", "vectors")
	readme := readFile(t, dir, "README.md")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) < 5 {
		t.Fatalf("the vectors are %v, %v", files, err)
	}
	for _, file := range files {
		row := fmt.Sprintf("| `%s` | %d |", filepath.Base(file), strings.Count(readFile(t, file), "\n"))
		if !strings.Contains(readme, row) {
			t.Errorf("the README lacks %q", row)
		}
	}
	words := map[string][]string{"read": slices.Collect(maps.Keys(faultReads))}
	for _, c := range declaredWords(t) {
		words[c.typ] = append(words[c.typ], c.word)
	}
	for typ, want := range words {
		var got []string
		table := readme[max(0, strings.LastIndex(readme, "\n| `"+typ+"` | ")+1):] // a key before it may have the name too
		for i, row := range strings.Split(table, "\n") {
			if i < 2 {
				continue // the head and its line
			}
			if !strings.HasPrefix(row, "|") {
				break
			}
			cell := strings.Split(row, "|")[1]
			for _, word := range regexp.MustCompile("`[a-z_0-9]+`").FindAllString(cell, -1) {
				got = append(got, strings.Trim(word, "`"))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the words in the table of %s are %q\nwant %q", typ, got, want)
		}
	}
}

// collectWords notes the codes, parts, rules and refusals that stand anywhere in a vector.
func collectWords(hit map[string]bool, v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			collectWords(hit, element)
		}
	case map[string]any:
		for key, member := range v {
			word, isWord := member.(string)
			if isWord && slices.Contains([]string{"code", "part", "rule", "refusal"}, key) {
				hit[key+" "+word] = true
			}
			collectWords(hit, member)
		}
	}
}

type declaredWord struct{ name, typ, word string }

// declaredWords returns the constants of the types Code, Part and Rule and the sentinels of the
// package. The word of a sentinel is its name in the vectors' spelling.
func declaredWords(t *testing.T) (all []declaredWord) {
	t.Helper()
	types := map[string]string{"Code": "code", "Part": "part", "Rule": "rule"}
	count := map[string]int{}
	for _, file := range sourceFiles(t) {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				spec, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				if ident, ok := spec.Type.(*ast.Ident); ok && gen.Tok == token.CONST && types[ident.Name] != "" {
					for i, name := range spec.Names {
						word, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
						if err != nil {
							t.Fatal(err)
						}
						all = append(all, declaredWord{name.Name, types[ident.Name], word})
						count[types[ident.Name]]++
					}
				}
				for _, name := range spec.Names {
					if sentinel, ok := strings.CutPrefix(name.Name, "Err"); ok && gen.Tok == token.VAR {
						all = append(all, declaredWord{name.Name, "refusal", snake(sentinel)})
						count["refusal"]++
					}
				}
			}
		}
	}
	if count["code"] < 25 || count["part"] < 5 || count["rule"] < 8 || count["refusal"] < 7 {
		t.Fatalf("the source declares only %v", count)
	}
	return all
}

// snake spells a Go name as the vectors do: NotEnvelope is not_envelope.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// sourceFiles parses the files of the package, without its tests.
func sourceFiles(t *testing.T) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
