package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What a byte of a text costs: neither memory nor time grows with the text. Memory is asserted,
// garbage included; time, which another program on the machine changes, only shows in benchmarks.

// A shape is a text that could make a careless reader slow or large: its body is repeated until
// the text has the size that is wanted.
type shape struct{ name, head, body, tail string }

func (s shape) text(size int) string {
	return s.head + strings.Repeat(s.body, (size-len(s.head)-len(s.tail))/len(s.body)) + s.tail
}

// growthShapes are the members of an object that could make a careless reader slow or large. Each can be
// read, with what stands beside it, whatever its size.
var growthShapes = []shape{
	{"many prompts", `"prompts":[`, textPrompt + ",", textPrompt + "]"},
	{"many prompts of no use", `"prompts":[`, "7,", textPrompt + "]"},
	{"many prompts in a string", `"prompts":"[`, strings.ReplaceAll(textPrompt, `"`, `\"`) + ",", `7]"`},
	{"many options", growthChoice, growthOption + ",", growthOption + "]}]"},
	{"many options of no use", growthChoice, "7,", growthOption + "," + growthOption + "]}]"},
	{"one long string", growthText, "x", `"}]`},
	{"one long string of CJK", growthText, "好", `"}]`},
	{"many escapes", growthText, `\u00e9`, `"}]`},
	{"many escaped quotes", growthText, `\"`, `"}]`},
	{"many halves of a character", growthText, `\ud83d`, `"}]`},
	{"deep nesting", `"x":[`, strings.Repeat("[", growthDepth) + strings.Repeat("]", growthDepth) + ",", `0],"prompts":[` + textPrompt + "]"},
	{"many answers", `"answers":[`, growthAnswer + ",", growthAnswer + "]"},
	{"many answers of no use", `"answers":[`, "7,", growthAnswer + "]"},
	{"many values", growthValues, `"a",`, `"a"]}]`},
	{"many values of no use", growthValues, "7,", `"a"]}]`},
	{"many duplicate keys", "", `"title":"A",`, `"prompts":[` + textPrompt + "]"},
	{"many duplicate prompts", "", `"prompts":[` + textPrompt + "],", `"prompts":[` + textPrompt + "]"},
	{"many duplicate fields", `"prompts":[{"id":"a","kind":"text",`, `"hint":"A",`, `"question":"A?"}]`},
	{"many unknown keys", "", `"x":1,`, `"prompts":[` + textPrompt + "]"},
	{"much white space", "", " ", `"prompts":[` + textPrompt + "]"},
}

const (
	growthDepth  = 8_000 // of a text of 32 KiB
	textPrompt   = `{"id":"name","kind":"text","question":"Database name"}`
	growthChoice = `"prompts":[{"id":"a","kind":"choice","question":"A?","options":[`
	growthOption = `{"id":"a","label":"A"}`
	growthAnswer = `{"id":"a","kind":"text","value":"b"}`
	growthValues = `"answers":[{"id":"a","kind":"choice","values":[`
	growthText   = `"prompts":[{"id":"a","kind":"text","question":"A?","defaultValue":"`
)

// growthSides read an object of the members. An error that says that the text is not what the shape means it
// to be fails the test: it would be read in no time.
var growthSides = []struct {
	name string
	text func(members string) string
	read func(text string) error
}{
	{"Call", func(members string) string { return "{" + members + "}" }, func(text string) error {
		_, err := clarify.Call([]byte(text))
		var invalid *clarify.ValidationError
		if errors.As(err, &invalid) && invalid.Violations[0].Code != "syntax" && invalid.Violations[0].Code != "too_large" {
			return nil // it has upper limits
		}
		return err
	}},
	{"Parse", wire, func(text string) error {
		_, err := clarify.Parse(text)
		if err == clarify.ErrNotEnvelope {
			return nil // prompts are a string, or not there; what is not JSON, and names the protocol, is ErrMalformed
		}
		return err
	}},
	{"ParseAnswers", wire, func(text string) error {
		if _, err := clarify.ParseAnswers(text); strings.Contains(text, `"answers":[`) {
			return err
		}
		return nil
	}},
}

// replyShapes are messages that could make a careless reader slow.
var replyShapes = []shape{
	{"one long line", "", "x", ""},
	{"prose", "", "I am not sure that this is what I want to be done. ", ""},
	{"short lines", "", "x\n", ""},
	{"blank lines", "", "\n", "x"},
	{"CRLF and two-byte breaks", "", "x\r\n\u0085", ""},
	{"id lines", "", "note: x\n", ""},
	{"id lines that conflict", "note: y\n", "note: x\n", ""},
	{"id lines that fail", "", "bucket: x\n", ""},
	{"id lines of a danger", "", "confirm_delete: confirmed\n", "x"},
	{"lines of unknown ids", "", "nobody: x\n", ""},
	{"one value of many lines", "note: x\n", "  x\n", ""},
	{"one value of blank lines", "note: x\n", "  \n", "  x"},
	{"separators", "", ":", ""},
	{"id and separators", "note", ":=->", ""},
	{"separators behind spaces", "note", " ", ": x"},
	{"list markers", "", "- ", "note: x"},
	{"a long ordinal", "", "1", ". note: x"},
	{"quotes", "", `"`, ""},
	{"an open quote", `"`, `\"`, ""},
	{"quoted ids", "", "\"note\": x\n", ""},
	{"invalid UTF-8", "", "\xff", ""},
	{"commas", "tags: red", ",", ""},
	{"values", "tags: red", ",red", ""},
	{"labels", "tags: red", ", Blue", ""},
	{"numbers", "tags: 1", ",2", ""},
	{"values, the last unknown", "tags: red", ",red", ",x"},
	{"a long number", "tags: ", "1", ""},
	{"braces", "", "{", ""},
	{"JSON, not ours", `{"a":[`, `1,`, `1]}`},
	{"JSON, cut", `{"protocol":"` + protocol + `","answers":[`, `{"id":"note","kind":"text","value":"x"},`, ""},
	{"entries", `{"protocol":"` + protocol + `","answers":[`, `{"id":"note","kind":"text","value":"x"},`, `{}]}`},
	{"entries that conflict", `{"protocol":"` + protocol + `","answers":[{"id":"note","kind":"text","value":"y"},`, `{"id":"note","kind":"text","value":"x"},`, `{}]}`},
	{"empty entries", `{"protocol":"` + protocol + `","answers":[`, `0,`, `0]}`},
	{"known values", `{"protocol":"` + protocol + `","answers":[{"id":"tags","kind":"choice","values":[`, `"red",`, `"red"]}]}`},
	{"blank values", `{"protocol":"` + protocol + `","answers":[{"id":"tags","kind":"choice","values":[`, `"",`, `"red"]}]}`},
	{"escapes", `{"protocol":"` + protocol + `","answers":[{"id":"note","kind":"text","value":"`, `\u00e4`, `"}]}`},
	{"keys", `{"protocol":"` + protocol + `","answers":[{"id":"note","kind":"text","value":"x"`, `,"x":1`, `}]}`},
}

var benchSizes = []int{1 << 10, 10 << 10, 100 << 10, clarify.MaxSize}

// askedForBench has all that a message can answer.
func askedForBench() *clarify.Envelope {
	options := []clarify.Option{{ID: "red", Label: "Red"}, {ID: "green", Label: "Green"}, {ID: "blue", Label: "Blue"}}
	for i := len(options); i < clarify.MaxOptions; i++ {
		options = append(options, clarify.Option{ID: fmt.Sprint("o", i), Label: strings.Repeat("l", clarify.MaxLabel)})
	}
	return &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "tags", Question: "Which?", Input: &clarify.Choice{AllowMultiple: true, Options: options}},
		{ID: "bucket", Question: "Which?", Input: &clarify.Choice{Options: options}},
		{ID: "note", Question: "What?", Optional: true, Input: &clarify.Text{Multiline: true}},
		{ID: "confirm_delete", Question: "Delete it?", Input: &clarify.Confirm{Danger: true}},
	}}
}

// BenchmarkGrowth shows what a byte costs in each reader.
func BenchmarkGrowth(b *testing.B) {
	for _, side := range growthSides {
		for _, shape := range growthShapes {
			for _, size := range benchSizes {
				benchmark(b, side.name+"/"+shape.name, side.text(shape.text(size-len(wire("")))), func(text string) {
					if err := side.read(text); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// BenchmarkRead shows what a byte of a message costs.
func BenchmarkRead(b *testing.B) {
	e := askedForBench()
	read := func(text string) { e.Read(text) }
	for _, size := range benchSizes {
		for _, s := range replyShapes {
			benchmark(b, s.name, s.text(size), read)
		}
		var all strings.Builder // values that are all different
		all.WriteString(`{"protocol":"appwrite.clarify/v1","answers":[{"id":"tags","kind":"choice","values":["red"`)
		for i := 0; all.Len() < size-16; i++ {
			fmt.Fprintf(&all, `,"v%d"`, i)
		}
		benchmark(b, "different values", all.String()+"]}]}", read)
	}
}

// BenchmarkReadManyOptions shows what a byte costs of a message to a choice with options that no
// limit bounds: as much as of a message to a few, and not a product of the two.
func BenchmarkReadManyOptions(b *testing.B) {
	for _, n := range []int{200, 2_000, 20_000} {
		e, messages := manyOptions(n)
		for name, message := range messages {
			benchmark(b, fmt.Sprintf("%d options, %s", n, name), message, func(text string) { e.Read(text) })
		}
	}
}

func benchmark(b *testing.B, name, text string, read func(text string)) {
	b.Run(fmt.Sprintf("%s/%dKiB", strings.ReplaceAll(name, " ", "_"), len(text)>>10), func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		before := allocatedBytes()
		for b.Loop() {
			read(text)
		}
		bytes := float64(b.N) * float64(len(text))
		b.ReportMetric(float64(allocatedBytes()-before)/bytes, "B/byte")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/bytes, "ns/byte")
	})
}

// TestGrowth fails if a byte of a large text allocates much more than a byte of a small one.
func TestGrowth(t *testing.T) {
	const most = 60 // bytes that are allocated for one: for a value of no use, of two bytes, its path
	cost := func(text string, read func(text string) error) float64 {
		before := allocatedBytes()
		require.NoError(t, read(text))
		return float64(allocatedBytes()-before) / float64(len(text))
	}
	for _, side := range growthSides {
		for _, shape := range growthShapes {
			small := side.text(shape.text(32<<10 - len(wire(""))))
			large := side.text(shape.text(clarify.MaxSize - len(wire(""))))
			few, many := cost(small, side.read), cost(large, side.read)
			for range 3 { // something else may run meanwhile
				if many <= min(most, 2*few+1) {
					break
				}
				few, many = cost(small, side.read), cost(large, side.read)
			}
			assert.LessOrEqual(t, many, min(most, 2*few+1), "%s, %s: bytes for one of a large text; of a small one %.1f", side.name, shape.name, few)
		}
	}
}

// TestConstantMemory: what is too large or too deep is refused without more memory than a copy of MaxSize.
func TestConstantMemory(t *testing.T) {
	textOutput := wire(`"prompts":[` + textPrompt + `]`)
	sized := func(size int) string { return textOutput + strings.Repeat(" ", size-len(textOutput)) }
	for name, test := range map[string]struct {
		text string
		code clarify.Code
		why  error
		most int
	}{
		"a byte too large":   {sized(clarify.MaxSize + 1), "too_large", clarify.ErrNotEnvelope, 8 << 10},
		"16 times too large": {sized(16 * clarify.MaxSize), "too_large", clarify.ErrNotEnvelope, 8 << 10},
		"a level too deep":   {wire(`"x":` + strings.Repeat("[", clarify.MaxDepth+1)), "too_deep", clarify.ErrMalformed, clarify.MaxSize + 64<<10},
		"as deep as can be":  {wire(`"x":` + strings.Repeat(`{"":`, (clarify.MaxSize-100)/4)), "too_deep", clarify.ErrMalformed, clarify.MaxSize + 64<<10},
	} {
		arguments := []byte(test.text)
		before := allocatedBytes()
		_, err := clarify.Call(arguments)
		assert.LessOrEqual(t, int(allocatedBytes()-before), test.most, "Call, %s", name)
		var invalid *clarify.ValidationError
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, test.code, invalid.Violations[0].Code, name)
		before = allocatedBytes()
		_, err = clarify.Parse(test.text)
		assert.LessOrEqual(t, int(allocatedBytes()-before), test.most, "Parse, %s", name)
		assert.Equal(t, test.why, err, name)
	}
}

// allocatedBytes is what was allocated so far, garbage included: more than any peak.
func allocatedBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// TestReplyIsBounded fails if a message can become a flood of problems for the model.
func TestReplyIsBounded(t *testing.T) {
	const size = clarify.MaxSize / 16
	for _, s := range replyShapes {
		r := askedForBench().Read(s.text(size))
		assert.LessOrEqual(t, len(r.ForModel()), 6*size+100_000, "%s, of %d violations", s.name, len(r.Violations())) // each byte as an escape, and our words
	}
}

// manyOptions returns a choice of n options, and messages that name many of them.
func manyOptions(n int) (*clarify.Envelope, map[string]string) {
	in := &clarify.Choice{AllowMultiple: true}
	var all []string
	for i := range n {
		o := clarify.Option{ID: fmt.Sprintf("i%05d", i), Label: fmt.Sprintf("z%05d", i)}
		in.Options = append(in.Options, o)
		all = append(all, o.Label)
	}
	return &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "c", Question: "?", Input: in}}}, map[string]string{
		"lines": strings.Repeat("c: "+all[n-1]+"\n", n),
		"parts": "c: " + strings.Join(all, ","),
	}
}

// TestReadManyOptions reads 20,000 answers to a choice of 20,000 options.
func TestReadManyOptions(t *testing.T) {
	e, messages := manyOptions(20_000)
	for name, message := range messages {
		r := e.Read(message)
		assert.Equal(t, clarify.SourceText, r.Source(), name)
		assert.Empty(t, r.Violations(), name)
	}
}

// TestKeepsLittle: a small value that was read out of a large text does not keep the text alive.
func TestKeepsLittle(t *testing.T) {
	const size = clarify.MaxSize / 2
	large := strings.Repeat("x", size)
	space := strings.Repeat(" ", size)
	escaped := strings.ReplaceAll(textPrompt, `"`, `\"`)
	envelope := wire(`"title":"A title","prompts":[` + textPrompt + `]`)
	answers := wire(`"answers":[{"id":"a","kind":"text","value":"b"}]`)
	fat := func(object string) string { return `{"x":"` + large + `",` + object[1:] }

	parse := func(text string) (any, error) { return clarify.Parse(text) }
	parseCall := func(text string) (any, error) { return clarify.ParseCall([]byte(text)) }
	parseAnswers := func(text string) (any, error) { return clarify.ParseAnswers(text) }
	parseEvent := func(text string) (any, error) { return clarify.ParseEvent([]byte(text)) }
	for name, test := range map[string]struct {
		read func(text string) (any, error)
		text string
	}{
		"Parse, a large unknown field":                        {parse, fat(envelope)},
		"Parse, white space around":                           {parse, space + envelope},
		"Parse, a large prompt that is left out":              {parse, strings.Replace(envelope, "[", `[{"kind":"`+large+`"},`, 1)},
		"Parse, many prompts that are left out":               {parse, strings.Replace(envelope, "[", "["+strings.Repeat("0,", size/2), 1)},
		"ParseCall, a large unknown field":                    {parseCall, fat(envelope)},
		"ParseCall, white space around":                       {parseCall, space + envelope},
		"ParseCall, a large field beside prompts in a string": {parseCall, `{"x":"` + large + `","title":"A title","prompts":"[` + escaped + `]"}`},
		"ParseCall, a large field in prompts in a string":     {parseCall, `{"title":"A title","prompts":"[` + strings.Replace(escaped, "{", `{\"x\":\"`+large+`\",`, 1) + `]"}`},
		"ParseCall, white space in prompts in a string":       {parseCall, `{"title":"A title","prompts":"` + space + `[` + escaped + `]"}`},
		"ParseAnswers, a large unknown field":                 {parseAnswers, fat(answers)},
		"ParseAnswers, white space around":                    {parseAnswers, space + answers},
		"ParseAnswers, many answers that are left out":        {parseAnswers, strings.Replace(answers, "[", "["+strings.Repeat("0,", size/2), 1)},
		"ParseEvent, a large unknown field":                   {parseEvent, fat(`{"type":"tool_end","output":{"a":1}}`)},
		"Envelope.UnmarshalJSON": {func(text string) (any, error) {
			e := new(clarify.Envelope)
			return e, json.Unmarshal([]byte(text), e)
		}, fat(envelope)},
		"Prompt.UnmarshalJSON": {func(text string) (any, error) {
			p := new(clarify.Prompt)
			return p, json.Unmarshal([]byte(text), p)
		}, fat(textPrompt)},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 8
			kept := make([]any, n)
			before := liveBytes()
			for i := range kept {
				v, err := test.read(strings.Clone(test.text))
				require.NoError(t, err)
				kept[i] = v
			}
			assert.LessOrEqual(t, liveBytes()-before, int64(n*size/4), "%d values of a few bytes keep that much alive", n)
			runtime.KeepAlive(kept)
		})
	}
}

func liveBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
