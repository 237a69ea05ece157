package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What a JavaScript engine makes of the same texts.

// runNode returns what a script of testdata writes for the lines of input. Where CI is set a test
// fails without Node; CI installs it.
func runNode(t *testing.T, script string, input []byte) []byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("without Node there is no JavaScript engine to compare with; CI has one: %v", err)
	}
	require.NoError(t, err, "CI has to compare with a JavaScript engine")
	cmd := exec.Command(node, Path(t, "testdata", script))
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	require.NoError(t, err)
	return output
}

// A nodeInput is one line for testdata/console.mjs: one of the two is set.
type nodeInput struct {
	Output  *string `json:"output,omitempty"`
	Message *string `json:"message,omitempty"`
}

// TestNode gives the same texts to this library and to a Console in JavaScript: they agree on what
// is an envelope and what are answers, and on every byte of what they make of it. It compares 5,000
// texts, or 50,000 in the long run.
func TestNode(t *testing.T) {
	t.Parallel()
	texts := nodeTexts(t, inputs(5_000, 50_000))
	var input bytes.Buffer
	enc := json.NewEncoder(&input)
	for _, text := range texts {
		require.NoError(t, enc.Encode(nodeInput{Output: &text}))
		require.NoError(t, enc.Encode(nodeInput{Message: &text}))
	}
	lines := strings.Split(string(runNode(t, "console.mjs", input.Bytes())), "\n")
	require.Len(t, lines, 2*len(texts)+1)

	n := tally{}
	for i, text := range texts {
		require.Equal(t, lines[2*i], nodeEnvelope(t, text, n), "Parse(%s)", text)
		require.Equal(t, lines[2*i+1], nodeAnswers(t, text, n), "ParseAnswers(%s)", text)
	}
	n.require(t, "envelope", "envelope with skipped", "empty envelope", "no envelope", "answers", "answers with skipped", "no answers")
	t.Log(n)
}

// nodeEnvelope returns what console.mjs should write for an output.
func nodeEnvelope(t *testing.T, output string, n tally) string {
	e, err := clarify.Parse(output)
	switch {
	case errors.Is(err, clarify.ErrNothingToShow):
		n["empty envelope"]++
		// The title is the only thing left of it, and no error has it.
		v, _ := oracleDecode(strings.Trim(output, scriptSpace))
		title := new(lenientOracle).optional(v.(map[string]any), "", "title")
		return Object("protocol", protocol).withText("title", title).With("prompts", Array()).Compact()
	case err != nil:
		n["no envelope"]++
		return "null"
	}
	n["envelope"]++
	if len(e.Skipped) > 0 {
		n["envelope with skipped"]++
	}
	canonical, err := e.AppendJSON(nil)
	assert.NoError(t, err, output)
	return string(canonical)
}

// nodeAnswers returns what console.mjs should write for a message.
func nodeAnswers(t *testing.T, message string, n tally) string {
	a, err := clarify.ParseAnswers(message)
	if err != nil {
		n["no answers"]++
		return "null"
	}
	n["answers"]++
	if len(a.Skipped) > 0 {
		n["answers with skipped"]++
	}
	canonical, err := a.AppendJSON(nil)
	assert.NoError(t, err, message)
	return string(canonical)
}

// nodeTexts returns count texts: the vectors, what is known to part decoders, and generated ones.
// A JavaScript string has no invalid UTF-8, so they have none.
func nodeTexts(t *testing.T, count int) []string {
	texts := append(outputSeeds(t), messageSeeds(t)...)
	for _, s := range append([]string{
		"\ufeff", "\u0085", "\u001c", "\u001d", "\u001e", "\u001f", "\u00a0", "\u180e", "\u200b", "\u2060", "\u2028", "\u3000", "\x00", "\v",
		`\ufeff`, `\u0085`, `\u001c`, `\u001F`, `\u00a0`, `\u180e`, `\u2028`, `\ud800`, `\udc00`, `\ud83d\ude00`, `\ude00\ud83d`, `\ud800\u0020`, `\/`, `\u002f`,
	}, meaningful...) {
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
	for _, level := range [][2]string{{"[", "]"}, {`{"":`, "}"}} {
		texts = append(texts, wire(`"x":`+strings.Repeat(level[0], 5_000)+"0"+strings.Repeat(level[1], 5_000)+`,"prompts":[]`))
	}
	g := NewInputs(*firstSeed, allSeeds(t), 5_000)
	for len(texts) < count {
		texts = append(texts, g.Input())
	}
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "\ufffd")
	}
	for _, feature := range []string{
		`\/`, `clarify\/v1`, `\u0070`, "\ufeff", "\u0085", "\u001c", "\u001f", "\u00a0", `\ufeff`, `\ud83d\ude00`, `\ud800`, "1e999", "-1E+400",
		strings.Repeat("[", 5_000) + "0]", "0" + strings.Repeat("}", 5_000), `"__proto__":`,
	} {
		found := false
		for _, text := range texts {
			found = found || strings.Contains(text, feature)
		}
		assert.True(t, found, "no text has %.40q: the generator has lost something", feature)
	}
	return texts
}

// TestStringify: the canonical bytes are what JavaScript's JSON.stringify makes of them.
func TestStringify(t *testing.T) {
	t.Parallel()
	var lines [][]byte
	add := func(line []byte, err error) {
		t.Helper()
		require.NoError(t, err)
		// A line break, and what decoding as UTF-8 would repair, would hide a difference.
		require.True(t, utf8.Valid(line) && !bytes.ContainsRune(line, '\n'), "not a line of UTF-8: %q", line)
		lines = append(lines, line)
	}

	for _, v := range EngineVectors(t) {
		if e, err := clarify.ParseCall(v.Args); err == nil {
			add(e.AppendJSON(nil))
		}
	}
	for _, v := range ConsoleVectors(t) {
		if e, err := clarify.Parse(string(v.Output)); err == nil {
			add(e.AppendJSON(nil))
		}
	}
	for _, v := range AnswersVectors(t) {
		if a, err := clarify.ParseAnswers(v.Text); err == nil {
			add(a.AppendJSON(nil))
		}
	}
	require.GreaterOrEqual(t, len(lines), 300, "only a few vectors are accepted")

	points := []rune{'\u2027', '\u2028', '\u2029', '\u202A', '\uD7FF', '\uE000', '\uFEFF', '\uFFFD', '\uFFFE', '\uFFFF', 0x10000, 0x1F600, 0x2028F, 0x10FFFF}
	for r := rune(0); r < 0x100; r++ {
		points = append(points, r)
	}
	asked := func(question, value string) *clarify.Envelope {
		return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: question, Input: &clarify.Text{DefaultValue: value}}}}
	}
	for _, r := range points {
		// As a value that is kept as it is, alone and between others; as an answer; in an event.
		for _, s := range []string{string(r), "a" + string(r) + "b" + string([]rune{r, r})} {
			add(asked("A"+string(r)+"?", s).AppendJSON(nil))
			add(clarify.Answers{Answers: []clarify.Answer{{ID: "a", Payload: &clarify.TextAnswer{Value: s}}}}.AppendJSON(nil))
			add(clarify.Event{Type: clarify.EventToolEnd, Output: s}.AppendJSON(nil), nil)
		}
	}
	all := asked("A"+string(points)+"?", string(points))
	all.Title = string(points) + "."
	add(all.AppendJSON(nil))
	for i, e := range Envelopes(envelopes) {
		add(e.AppendJSON(nil))
		add(New(uint64(i)).Answers().AppendJSON(nil))
	}

	var report struct {
		Lines   int
		Changed []struct {
			Line  int
			Again string
		}
	}
	require.NoError(t, json.Unmarshal(runNode(t, "stringify.mjs", append(bytes.Join(lines, []byte("\n")), '\n')), &report))
	assert.Equal(t, len(lines), report.Lines)
	for _, changed := range report.Changed {
		t.Errorf("JSON.stringify writes\n%s, not\n%s", changed.Again, lines[changed.Line])
	}
}

// TestReferenceIsIgnored: a Console in JavaScript, and the results of the existing one in the vectors, do not
// change by the reference of answers, which only this library knows.
func TestReferenceIsIgnored(t *testing.T) {
	t.Parallel()
	var input bytes.Buffer
	enc := json.NewEncoder(&input)
	n := 0
	for _, v := range AnswersVectors(t) {
		head, rest, ok := strings.Cut(v.Text, "{")
		if !ok || string(v.Answers) == "null" {
			continue
		}
		more := head + `{"for":"0123456789abcdef",` + rest
		want, err := clarify.ParseAnswers(v.Text)
		require.NoError(t, err, v.Name)
		want.For = "0123456789abcdef"
		got, err := clarify.ParseAnswers(more)
		require.NoError(t, err, v.Name)
		assert.Equal(t, want, got, v.Name)
		want.For = ""
		canonical, err := want.AppendJSON(nil)
		require.NoError(t, err, v.Name)
		assert.JSONEq(t, string(v.Answers), string(canonical), v.Name)
		for _, text := range []string{v.Text, more} {
			require.NoError(t, enc.Encode(nodeInput{Message: &text}))
		}
		n++
	}
	require.GreaterOrEqual(t, n, 20)
	lines := strings.Split(string(runNode(t, "console.mjs", input.Bytes())), "\n")
	require.Len(t, lines, 2*n+1)
	for i := range n {
		assert.Equal(t, lines[2*i], lines[2*i+1])
	}
}
