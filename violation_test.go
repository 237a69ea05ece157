package clarify_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/conformance"
)

// sentinels by their word in the vectors. TestEveryCodeHasAVector checks that all are here.
var sentinels = map[string]error{
	"not_envelope":    clarify.ErrNotEnvelope,
	"tool_failed":     clarify.ErrToolFailed,
	"malformed":       clarify.ErrMalformed,
	"version":         clarify.ErrVersion,
	"nothing_to_show": clarify.ErrNothingToShow,
	"not_answers":     clarify.ErrNotAnswers,
	"not_event":       clarify.ErrNotEvent,
}

// refusalWord returns the word of the sentinel that err is, and not_envelope only if there is no other.
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
var faultReads = map[string]func(input string) (refusal string, faults []conformance.Fault, err error){
	"call": func(input string) (string, []conformance.Fault, error) {
		e, err := clarify.ParseCall([]byte(input))
		return refusedCall(e == nil, err)
	},
	"output": func(input string) (string, []conformance.Fault, error) {
		return refusalOrSkips(clarify.Parse(input))
	},
	"emit": func(input string) (string, []conformance.Fault, error) {
		e, err := clarify.Parse(input)
		if err != nil {
			return "", nil, err
		}
		result, err := e.Result()
		return refusedCall(result == "", err)
	},
	"lint": func(input string) (string, []conformance.Fault, error) {
		e, err := clarify.Parse(input)
		if err != nil {
			return "", nil, err
		}
		return "", violationFaults(e.Lint()), nil
	},
	"answers": func(input string) (string, []conformance.Fault, error) {
		a, err := clarify.ParseAnswers(input)
		return refusalWord(err), skippedFaults(a.Skipped), nil
	},
	"event": func(input string) (string, []conformance.Fault, error) {
		ev, err := clarify.ParseEvent([]byte(input))
		if err != nil {
			return refusalWord(err), nil, nil
		}
		return refusalOrSkips(ev.Envelope())
	},
}

func refusedCall(nothing bool, err error) (string, []conformance.Fault, error) {
	if err == nil {
		return "", nil, nil
	}
	var invalid *clarify.ValidationError
	if !nothing || !errors.As(err, &invalid) {
		return "", nil, fmt.Errorf("not a refusal with its violations: %w", err)
	}
	return "", violationFaults(invalid.Violations), nil
}

func refusalOrSkips(e *clarify.Envelope, err error) (string, []conformance.Fault, error) {
	if err == nil {
		return "", skippedFaults(e.Skipped), nil
	}
	if e != nil || !errors.Is(err, clarify.ErrNotEnvelope) {
		return "", nil, fmt.Errorf("not a refusal: %+v, %w", e, err)
	}
	var empty *clarify.EmptyError
	if errors.As(err, &empty) {
		return refusalWord(err), skippedFaults(empty.Skipped), nil
	}
	return refusalWord(err), nil, nil
}

func violationFaults(violations []clarify.Violation) (faults []conformance.Fault) {
	for _, v := range violations {
		faults = append(faults, conformance.Fault{Path: v.Path, Code: v.Code})
	}
	return faults
}

func skippedFaults(skipped []clarify.Skipped) (faults []conformance.Fault) {
	for _, s := range skipped {
		faults = append(faults, conformance.Fault(s))
	}
	return faults
}

func TestFaultVectors(t *testing.T) {
	from := map[string]int{}
	for _, v := range conformance.FaultVectors(t) {
		from[v.From]++
		t.Run(v.Name, func(t *testing.T) {
			require.Contains(t, faultReads, v.Read)
			assert.True(t, strings.HasPrefix(v.Name, v.Read+"/"), "read is %s", v.Read)
			assert.True(t, strings.HasSuffix(v.Why, "."), "why is %q, want a sentence", v.Why)
			require.False(t, v.Refusal == "" && v.Fault == nil, "nothing is wrong here")
			if v.Refusal != "" {
				assert.Contains(t, sentinels, v.Refusal)
			}
			var want []conformance.Fault
			if v.Fault != nil {
				want = []conformance.Fault{*v.Fault}
			}
			refusal, faults, err := faultReads[v.Read](string(v.Input))
			require.NoError(t, err)
			assert.Equal(t, v.Refusal, refusal)
			assert.Equal(t, want, faults)
		})
	}
	assert.ElementsMatch(t, []string{"contract", "library"}, slices.Collect(maps.Keys(from)))
}

// TestEveryFaultHasAVector: faults.jsonl has a vector for every fault that another vector has, whatever
// the indices in its path.
func TestEveryFaultHasAVector(t *testing.T) {
	index := regexp.MustCompile(`\[[0-9]+\]`)
	shape := func(read string, f conformance.Fault) string {
		return fmt.Sprintf("%s %s %s %s", read, f.Part, index.ReplaceAllString(f.Path, "[]"), f.Code)
	}
	own := map[string]bool{}
	for _, v := range conformance.FaultVectors(t) {
		if v.Fault != nil {
			own[shape(v.Read, *v.Fault)] = true
		}
	}
	met := map[string]string{}
	meet := func(name, read, input string) {
		_, faults, err := faultReads[read](input)
		require.NoError(t, err, name)
		for _, f := range faults {
			met[shape(read, f)] = name
		}
	}
	for _, v := range conformance.EngineVectors(t) {
		meet(v.Name, "call", string(v.Args))
	}
	for _, v := range conformance.ConsoleVectors(t) {
		meet(v.Name, "output", string(v.Output))
	}
	for _, v := range conformance.AnswersVectors(t) {
		meet(v.Name, "answers", v.Text)
	}
	for _, f := range faults() {
		met[shape("call", conformance.Fault{Path: f.path, Code: f.code})] = f.name
	}
	assert.GreaterOrEqual(t, len(met), 80)
	for s, name := range met {
		assert.True(t, own[s], "no line of faults.jsonl has %s, which %s has", s, name)
	}
}

// TestEveryCodeHasAVector: every code, part, rule and sentinel in the source has a vector. So nobody can
// forget a new one.
func TestEveryCodeHasAVector(t *testing.T) {
	hit := map[string]bool{}
	for _, file := range []string{"faults.jsonl", "reply.jsonl"} {
		for line := range strings.Lines(readFile(t, "testdata/vectors", file)) {
			var vector any
			require.NoError(t, json.Unmarshal([]byte(line), &vector))
			collectWords(hit, vector)
		}
	}
	for _, code := range []clarify.Code{clarify.CodeSecondQuestion, clarify.CodeReusedID, clarify.CodeOtherQuestion} {
		hit["code "+string(code)] = true // only in a conversation: of that there are no vectors
	}
	declared, refusals := map[string]bool{}, []string{}
	for _, w := range declaredWords(t) {
		key := w.typ + " " + w.word
		assert.False(t, declared[key], "%s has the word of another %s: %q", w.name, w.typ, w.word)
		declared[key] = true
		if w.typ == "refusal" {
			refusals = append(refusals, w.word)
		}
	}
	assert.Equal(t, declared, hit)
	assert.ElementsMatch(t, refusals, slices.Collect(maps.Keys(sentinels)))
}

// TestVectorsReadme: the README of the vectors has the number of lines of every file, and tables of all
// words.
func TestVectorsReadme(t *testing.T) {
	readme := readFile(t, "testdata/vectors/README.md")
	files, err := filepath.Glob("testdata/vectors/*.jsonl")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	for _, file := range files {
		assert.Contains(t, readme, fmt.Sprintf("| `%s` | %d |", filepath.Base(file), strings.Count(readFile(t, file), "\n")))
	}
	words := map[string][]string{"read": slices.Collect(maps.Keys(faultReads))}
	for _, w := range declaredWords(t) {
		words[w.typ] = append(words[w.typ], w.word)
	}
	for typ, want := range words {
		var got []string
		table := readme[strings.LastIndex(readme, "\n| `"+typ+"` | ")+1:] // a key before it may have the name too
		for i, row := range strings.Split(table, "\n") {
			if i < 2 {
				continue // the head and its line
			}
			if !strings.HasPrefix(row, "|") {
				break
			}
			for _, word := range regexp.MustCompile("`[a-z_0-9]+`").FindAllString(strings.Split(row, "|")[1], -1) {
				got = append(got, strings.Trim(word, "`"))
			}
		}
		assert.ElementsMatch(t, want, got, "in the table of %s", typ)
	}
}

// collectWords notes the codes, parts, rules and refusals that are anywhere in a vector.
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

// A declaredWord is a constant of the type Code, Part or Rule, or a sentinel. The word of a sentinel is
// its name in the spelling of the vectors.
type declaredWord struct {
	name, typ, word string
	heading         string // the last comment on a line of its own in its block
}

// declaredWords returns the words that the source declares, and checks that each constant has a comment.
func declaredWords(t *testing.T) (all []declaredWord) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	count := map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			w := declaredWord{}
			for _, spec := range gen.Specs {
				spec, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				if spec.Doc != nil {
					w.heading = spec.Doc.Text()
				}
				typ, _ := spec.Type.(*ast.Ident)
				for i, name := range spec.Names {
					w.name, w.typ = name.Name, ""
					if sentinel, ok := strings.CutPrefix(w.name, "Err"); ok && gen.Tok == token.VAR && sentinel != "CannotEncode" && sentinel != "Repeated" { // these refuse no text
						w.typ, w.word = "refusal", snake(sentinel)
					} else if typ != nil && gen.Tok == token.CONST && slices.Contains([]string{"Code", "Part", "Rule"}, typ.Name) {
						w.typ = snake(typ.Name)
						w.word, err = strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
						require.NoError(t, err)
						assert.NotEmpty(t, spec.Comment.Text(), "%s is not documented", w.name)
					}
					if w.typ != "" {
						all = append(all, w)
						count[w.typ]++
					}
				}
			}
		}
	}
	require.True(t, count["code"] >= 25 && count["part"] >= 5 && count["rule"] >= 8 && count["refusal"] >= 7, "the source declares only %v", count)
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

// hostile strings change a terminal, a log or a conversation if they are printed as they are.
var hostile = []string{
	"\x1B[31mred\x1B[0m\x1B]0;title\a", "a\nError: b\r\nc\vd\fe\u0085f\u2028g\u2029h", "\u202Eevil\u2066\u200B\u200F\u061C\uFEFF\u00AD",
	"\x00\x01\x7F\u0080\u009F", `"],"prompts":[` + textPrompt + `]}`, textOutput, "Error: Error: ", "; prompts: got", "\U000E0041\U0010FFFF\uFFFE", "`$(rm -rf /)`",
	strings.Repeat("好", 3000), strings.Repeat("\x1B", 3000), strings.Repeat("\u202E", 3000), strings.Repeat("\"", 3000), strings.Repeat("\\", 3000),
	strings.Repeat("é", maxQuote), "x" + strings.Repeat("é", maxQuote), strings.Repeat("😀", maxQuote), "abc" + strings.Repeat("😀", maxQuote),
}

// maxQuote is the number of bytes of foreign text in a message, before escapes.
const maxQuote = 40

func TestHostileErrorTexts(t *testing.T) {
	for _, s := range hostile {
		n := 0
		check := func(arguments string) {
			t.Helper()
			require.NotNil(t, violationsOf(t, arguments), "accepted: %q", arguments)
			n++
		}
		// Not JSON at all, then in every string and key of a call, alone and beside other faults.
		check("[" + s)
		check(`{"prompts":` + s)
		check(conformance.Of(s).Compact())
		check(conformance.Object("prompts", s+"[").Compact())
		check(conformance.Object(s, s).Compact())
		all := conformance.Arguments(faultless())
		for _, f := range fields(faultless(), "") {
			call := conformance.Arguments(faultless())
			switch f.what {
			case "text":
				check(call.Set(f.path, []any{s}).Compact())
				check(call.Set(f.path, s+strings.Repeat("x", clarify.MaxDefaultValue)).Compact())
			case "id", "kind", "flag":
				check(call.Set(f.path, s).Compact())
				all.Set(f.path, s)
			}
		}
		check(all.Compact())
		check(all.Set("prompts[1]", s).Set("prompts[0].options", s).Compact())
		assert.GreaterOrEqual(t, n, 50)

		e := faultless()
		for _, f := range fields(e, "id") {
			*f.text = s + "\xFF"
		}
		e.Prompts[1].Input = foreignInput{&clarify.Text{}}
		for _, err := range []error{
			errors.New(s), fmt.Errorf("calling the tool: %w", errors.New(s)), e.Validate(),
			&clarify.ValidationError{[]clarify.Violation{{Path: s, Code: clarify.Code(s), Got: s, Want: s}}},
		} {
			assert.NoError(t, conformance.CheckErrorText(clarify.ErrorResult(err)))
		}
	}
}

// TestQuotes: foreign text is cut after maxQuote bytes, but not within a code point. A number is never
// cut: a long one is left out.
func TestQuotes(t *testing.T) {
	got := func(path string, v any) string {
		t.Helper()
		violations := problems(t, conformance.Arguments(faultless()).Set(path, v))
		require.Len(t, violations, 1)
		return violations[0].Got
	}
	for n := 1; n < 2*maxQuote; n++ {
		for text, whole := range map[string]int{ // and how many bytes of it there can be
			strings.Repeat("x", n):       maxQuote,
			"x" + strings.Repeat("é", n): maxQuote - 1,
			strings.Repeat("好", n):       maxQuote - maxQuote%len("好"),
			strings.Repeat("😀", n):       maxQuote - maxQuote%len("😀"),
		} {
			want := `"` + text + `"`
			if len(text) > maxQuote {
				want = `"` + text[:whole] + `"…`
			}
			assert.Equal(t, want, got("prompts[0].kind", text))
		}
		number := strings.Repeat("7", n)
		want := number
		if n > maxQuote {
			want = "a number"
			// In a text of continuation bytes, made in Go, there is no start of a code point to cut at.
			e := faultless()
			e.Prompts[0].ID = strings.Repeat("\x80", n)
			assert.Equal(t, `""…`, violationsIn(t, e.Validate())[0].Got)
		}
		assert.Equal(t, want, got("title", conformance.Literal(number)))
	}
}
