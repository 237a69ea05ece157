package clarify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A nodeInput is one line for testdata/console.mjs: one of the two is set.
type nodeInput struct {
	Output  *string `json:"output,omitempty"`
	Message *string `json:"message,omitempty"`
}

// findNode returns the path of Node. Where CI is set a test fails without it; CI installs it.
func findNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatalf("CI has to compare with a JavaScript engine: %v", err)
	default:
		t.Skipf("without Node there is no JavaScript engine to compare with; CI has one: %v", err)
	}
	return node
}

// TestNode gives the same texts to this library and to a Console in JavaScript: they agree on what
// is an envelope and what are answers, and on every byte of what they make of it.
func TestNode(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	texts := nodeTexts(t, 10_000)
	var input bytes.Buffer
	enc := json.NewEncoder(&input)
	for _, text := range texts {
		for _, in := range []nodeInput{{Output: &text}, {Message: &text}} {
			if err := enc.Encode(in); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command(node, filepath.Join("testdata", "console.mjs"))
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(output), "\n")
	if len(lines) != 2*len(texts)+1 {
		t.Fatalf("%d lines for %d texts", len(lines)-1, len(texts))
	}

	n := tally{}
	for i, text := range texts {
		if got, want := nodeEnvelope(t, text, n), lines[2*i]; got != want {
			t.Errorf("Parse(%s)\n got %s\nNode %s", show(text), got, want)
		}
		if got, want := nodeAnswers(t, text, n), lines[2*i+1]; got != want {
			t.Errorf("ParseAnswers(%s)\n got %s\nNode %s", show(text), got, want)
		}
		if t.Failed() {
			return
		}
	}
	n.require(t, "envelope", "envelope with skipped", "empty envelope", "no envelope", "answers", "answers with skipped", "no answers")
	t.Log(n)
}

// nodeEnvelope returns what console.mjs should write for an output.
func nodeEnvelope(t *testing.T, output string, n tally) string {
	e, err := Parse(output)
	switch {
	case errors.Is(err, ErrNothingToShow):
		n["empty envelope"]++
		// The title is the only thing left of it, and no error has it.
		title := new(oracleLenient).optional(oracleMap(t, output), "", "title")
		return oracleStringify(oracleObject{{"protocol", Protocol}}.with("title", title).with("prompts", []any{}))
	case err != nil:
		n["no envelope"]++
		return "null"
	}
	n["envelope"]++
	if len(e.Skipped) > 0 {
		n["envelope with skipped"]++
	}
	canonical, err := e.AppendJSON(nil)
	if err != nil {
		t.Errorf("no encoding of what was read from %s: %v", show(output), err)
	}
	return string(canonical)
}

func oracleMap(t *testing.T, text string) map[string]any {
	v, ok := oracleDecode(strings.Trim(text, oracleScriptSpace))
	if !ok {
		t.Fatalf("not JSON: %s", show(text))
	}
	return v.(map[string]any)
}

// nodeAnswers returns what console.mjs should write for a message.
func nodeAnswers(t *testing.T, message string, n tally) string {
	a, err := ParseAnswers(message)
	if err != nil {
		n["no answers"]++
		return "null"
	}
	n["answers"]++
	if len(a.Skipped) > 0 {
		n["answers with skipped"]++
	}
	canonical, err := a.AppendJSON(nil)
	if err != nil {
		t.Errorf("no encoding of what was read from %s: %v", show(message), err)
	}
	return string(canonical)
}

// nodeTexts returns count texts: the vectors, what is known to part decoders, and generated ones.
// A JavaScript string has no invalid UTF-8, so they have none.
func nodeTexts(t *testing.T, count int) []string {
	texts := append(outputSeeds(t), messageSeeds(t)...)
	for _, s := range append([]string{
		"\ufeff", "\u0085", "\u001c", "\u001d", "\u001e", "\u001f", "\u00a0", "\u180e", "\u200b", "\u2060", "\u2028", "\u3000", "\x00", "\v",
		`\ufeff`, `\u0085`, `\u001c`, `\u001F`, `\u00a0`, `\u180e`, `\u2028`, `\ud800`, `\udc00`, `\ud83d\ude00`, `\ude00\ud83d`, `\ud800\u0020`, `\/`, `\u002f`,
	}, genStrings...) {
		for _, format := range []string{
			`%[1]s{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"}]}%[1]s`,
			`{%[1]s"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"}]}`,
			`{"protocol":"%[1]sappwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"}]}`,
			`{"protocol":"appwrite.clarify/v1","pro%[1]smpts":[{"id":"a","kind":"text","question":"q"}]}`,
			`{"protocol":"appwrite.clarify/v1","title":"%[1]s","prompts":[{"id":"%[1]sa%[1]s","kind":"text%[1]s","question":"%[1]s?","hint":"%[1]s","defaultValue":"%[1]s"}]}`,
			`{"protocol":"appwrite.clarify/v1","answers":[{"id":"%[1]sa","kind":"choice","values":["%[1]s","b%[1]s"]},{"id":"b","kind":"text","value":"%[1]s"}]}`,
			`%[1]s{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"%[1]sconfirm","confirmed":true,"x":"%[1]s"}]}%[1]s`,
		} {
			texts = append(texts, fmt.Sprintf(format, s))
		}
	}
	for _, whole := range []string{
		`{"\u0070rompts":[{"\u0069d":"a","k\u0069nd":"te\u0078t","question":"q"}],"p\u0072otocol":"\u0061ppwrite.clarify\/v1"}`,
		`{"protocol":"x","protocol":"appwrite.clarify\u002fv1","prompts":1,"prompts":[{"id":"a","id":"b","kind":"confirm","question":"q"}]}`,
		`{"protocol":"appwrite.cl\u0061rify/v1","answers":[1],"answers":[{"id":"a","kind":"confirm","confirmed":false,"confirmed":true}]}`,
	} {
		for i := range len(whole) + 1 {
			texts = append(texts, whole[:i])
		}
	}
	g := newGenerator(t, *firstSeed, 5_000)
	for len(texts) < count {
		texts = append(texts, g.input())
	}
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "\ufffd")
	}
	for _, feature := range []string{
		`\/`, `clarify\/v1`, `\u0070`, "\ufeff", "\u0085", "\u001c", "\u001f", "\u00a0", `\ufeff`, `\ud83d\ude00`, `\ud800`, "1e999", "-1E+400",
		strings.Repeat("[", 5_000) + "0]", "0" + strings.Repeat("}", 5_000), `"__proto__":`,
	} {
		found := 0
		for _, text := range texts {
			if strings.Contains(text, feature) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("no text has %.40q: the generator has lost something", feature)
		}
	}
	return texts
}
