package clarify

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

// growthShapes are the members of an object that could make a careless reader slow or large. Each can be
// read, with what stands beside it, whatever its size.
var growthShapes = []struct {
	name    string
	members func(size int) string
}{
	{"many prompts", repeated(`"prompts":[`, textPrompt+",", textPrompt+"]")},
	{"many prompts of no use", repeated(`"prompts":[`, "7,", textPrompt+"]")},
	{"many prompts in a string", repeated(`"prompts":"[`, strings.ReplaceAll(textPrompt, `"`, `\"`)+",", `7]"`)},
	{"many options", repeated(growthChoice, growthOption+",", growthOption+"]}]")},
	{"many options of no use", repeated(growthChoice, "7,", growthOption+","+growthOption+"]}]")},
	{"one long string", repeated(growthText, "x", `"}]`)},
	{"one long string of CJK", repeated(growthText, "好", `"}]`)},
	{"many escapes", repeated(growthText, `\u00e9`, `"}]`)},
	{"many escaped quotes", repeated(growthText, `\"`, `"}]`)},
	{"many halves of a character", repeated(growthText, `\ud83d`, `"}]`)},
	{"deep nesting", func(size int) string {
		depth := min(size/4, MaxDepth-2)
		return repeated(`"x":[`, strings.Repeat("[", depth)+strings.Repeat("]", depth)+",", `0],"prompts":[`+textPrompt+"]")(size)
	}},
	{"many answers", repeated(`"answers":[`, growthAnswer+",", growthAnswer+"]")},
	{"many answers of no use", repeated(`"answers":[`, "7,", growthAnswer+"]")},
	{"many values", repeated(growthValues, `"a",`, `"a"]}]`)},
	{"many values of no use", repeated(growthValues, "7,", `"a"]}]`)},
	{"many duplicate keys", repeated("", `"title":"A",`, `"prompts":[`+textPrompt+"]")},
	{"many duplicate prompts", repeated("", `"prompts":[`+textPrompt+"],", `"prompts":[`+textPrompt+"]")},
	{"many duplicate fields", repeated(`"prompts":[{"id":"a","kind":"text",`, `"hint":"A",`, `"question":"A?"}]`)},
	{"many unknown keys", repeated("", `"x":1,`, `"prompts":[`+textPrompt+"]")},
	{"much white space", repeated("", " ", `"prompts":[`+textPrompt+"]")},
}

const (
	growthChoice = `"prompts":[{"id":"a","kind":"choice","question":"A?","options":[`
	growthOption = `{"id":"a","label":"A"}`
	growthAnswer = `{"id":"a","kind":"text","value":"b"}`
	growthValues = `"answers":[{"id":"a","kind":"choice","values":[`
	growthText   = `"prompts":[{"id":"a","kind":"text","question":"A?","defaultValue":"`
)

// repeated returns a maker of texts of about size bytes.
func repeated(head, body, tail string) func(size int) string {
	return func(size int) string { return replyShape(head, body, tail, size) }
}

// growthSides read an object of the members. An error that says that the text is not what the shape means it
// to be fails the test: it would be read in no time.
var growthSides = []struct {
	name string
	text func(members string) string
	read func(text string) error
}{
	{"Call", func(members string) string { return "{" + members + "}" }, func(text string) error {
		_, err := Call([]byte(text))
		var invalid *ValidationError
		if errors.As(err, &invalid) && invalid.Violations[0].Code != CodeSyntax && invalid.Violations[0].Code != CodeTooLarge {
			return nil // it has upper limits
		}
		return err
	}},
	{"Parse", wire, func(text string) error {
		_, err := Parse(text)
		if err == ErrNotEnvelope {
			return nil // prompts are a string, or not there; what is not JSON, and names the protocol, is ErrMalformed
		}
		return err
	}},
	{"ParseAnswers", wire, func(text string) error {
		if _, err := ParseAnswers(text); strings.Contains(text, `"answers":[`) {
			return err
		}
		return nil
	}},
}

// BenchmarkGrowth shows what a byte costs, in time and in memory, garbage included; neither must grow with
// the text.
func BenchmarkGrowth(b *testing.B) {
	for _, side := range growthSides {
		for _, shape := range growthShapes {
			for _, size := range benchSizes {
				text := side.text(shape.members(size - len(wire(""))))
				b.Run(fmt.Sprintf("%s/%s/%dKiB", side.name, strings.ReplaceAll(shape.name, " ", "_"), size>>10), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					before := allocatedBytes()
					for b.Loop() {
						if err := side.read(text); err != nil {
							b.Fatal(err)
						}
					}
					bytes := float64(b.N) * float64(len(text))
					b.ReportMetric(float64(allocatedBytes()-before)/bytes, "B/byte")
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/bytes, "ns/byte")
				})
			}
		}
	}
}

// TestGrowth fails if a byte of a large text costs much more than a byte of a small one.
func TestGrowth(t *testing.T) {
	const small, most = 32 << 10, 60 // most are the bytes that are allocated for one: for a value of no use, of two bytes, its path
	for _, side := range growthSides {
		for _, shape := range growthShapes {
			cost := func(size int) (memory, seconds float64) {
				text := side.text(shape.members(size - len(wire(""))))
				memory, seconds = math.Inf(1), math.Inf(1)
				for range 3 { // the least: something else may run meanwhile
					before, start := allocatedBytes(), time.Now()
					err := side.read(text)
					seconds = min(seconds, time.Since(start).Seconds()/float64(len(text)))
					memory = min(memory, float64(allocatedBytes()-before)/float64(len(text)))
					if err != nil {
						t.Fatalf("%s, %s: %v", side.name, shape.name, err)
					}
				}
				return memory, seconds
			}
			memory, seconds := cost(small)
			moreMemory, moreSeconds := cost(MaxSize)
			if moreMemory > most || moreMemory > 2*memory+1 {
				t.Errorf("%s, %s: %.1f bytes for one, %.1f of a small text", side.name, shape.name, moreMemory, memory)
			}
			if ratio := moreSeconds / seconds; ratio > MaxSize/small/4 { // of a square it is MaxSize/small
				t.Errorf("%s, %s: the time for a byte is that of a small text times %.1f", side.name, shape.name, ratio)
			}
		}
	}
}

// TestConstantMemory: what is too large or too deep is refused without more memory than a copy of MaxSize.
func TestConstantMemory(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1)
	sized := func(size int) string { return textOutput + strings.Repeat(" ", size-len(textOutput)) }
	for name, test := range map[string]struct {
		text string
		code Code
		why  error
		most uint64
	}{
		"a byte too large":   {sized(MaxSize + 1), CodeTooLarge, ErrNotEnvelope, 8 << 10},
		"64 times too large": {sized(64 * MaxSize), CodeTooLarge, ErrNotEnvelope, 8 << 10},
		"a level too deep":   {wire(`"x":` + deep), CodeTooDeep, ErrMalformed, MaxSize + 64<<10},
		"as deep as can be":  {wire(`"x":` + strings.Repeat(`{"":`, (MaxSize-100)/4)), CodeTooDeep, ErrMalformed, MaxSize + 64<<10},
	} {
		arguments := []byte(test.text)
		before := allocatedBytes()
		_, err := Call(arguments)
		grown := allocatedBytes() - before
		var invalid *ValidationError
		if !errors.As(err, &invalid) || invalid.Violations[0].Code != test.code || grown > test.most {
			t.Errorf("Call, %s: %d bytes, %v", name, grown, err)
		}
		before = allocatedBytes()
		_, err = Parse(test.text)
		if grown = allocatedBytes() - before; err != test.why || grown > test.most {
			t.Errorf("Parse, %s: %d bytes, %v", name, grown, err)
		}
	}
}

// allocatedBytes is what was allocated so far, garbage included: more than any peak.
func allocatedBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}
