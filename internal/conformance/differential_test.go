package conformance

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// compare gives one input to all entry points of the library and to the oracle.
func compare(t testing.TB, input []byte, n tally) {
	t.Helper()
	compareCall(t, input, n)
	compareParse(t, string(input), n)
	compareAnswers(t, string(input), n)
	compareEvent(t, input, n)
}

func compareCall(t testing.TB, arguments []byte, n tally) {
	t.Helper()
	want, faults := oracleCall(arguments)
	got, err := clarify.Call(arguments)
	if faults == nil {
		n["call"]++
		if err != nil || got != want {
			t.Errorf("Call(%s)\n got %s\nwant %s", show(arguments), got, want)
		}
		return
	}
	if err := CheckErrorText(got); err != nil {
		t.Error(err)
	}
	var invalid *clarify.ValidationError
	if !errors.As(err, &invalid) {
		t.Errorf("Call(%s)\n got %s\nwant %v", show(arguments), got, faults)
		return
	}
	same := len(invalid.Violations) == len(faults)
	for i := 0; same && i < len(faults); i++ {
		v, f := invalid.Violations[i], faults[i]
		same = v.Path == f.path && v.Code == f.code
		for _, s := range f.says {
			same = same && regexp.MustCompile(`\b`+regexp.QuoteMeta(s)+`(\W|$)`).MatchString(v.String())
		}
		n["call "+string(f.code)]++
	}
	if !same {
		t.Errorf("Call(%s)\n got %v\nwant %v", show(arguments), invalid.Violations, faults)
	}
}

func compareParse(t testing.TB, output string, n tally) {
	t.Helper()
	want, skipped, refusal := oracleParse(output)
	e, err := clarify.Parse(output)
	if refusal != nil {
		n["parse: "+refusal.Error()]++
		var empty *clarify.EmptyError
		switch {
		case e != nil || !errors.Is(err, clarify.ErrNotEnvelope) || oracleRefusal(err) != refusal:
			t.Errorf("Parse(%s)\n got %+v, %v\nwant %v", show(output), e, err, refusal)
		case errors.As(err, &empty) && !sameSkipped(empty.Skipped, skipped):
			t.Errorf("Parse(%s) leaves out\n got %v\nwant %v", show(output), empty.Skipped, skipped)
		}
		return
	}
	n["parse"]++
	if err != nil {
		t.Errorf("Parse(%s)\n got %v\nwant %s", show(output), err, want)
		return
	}
	for _, s := range skipped {
		n[fmt.Sprintf("parse %s %s", s.Part, s.Code)]++
	}
	if !sameSkipped(e.Skipped, skipped) {
		t.Errorf("Parse(%s) leaves out\n got %v\nwant %v", show(output), e.Skipped, skipped)
	}
	got, err := e.AppendJSON(nil)
	if tooLarge := len(want) > 1024*1024; tooLarge != (err != nil) || !tooLarge && string(got) != want {
		t.Errorf("Parse(%s)\n got %s, %v\nwant %s", show(output), got, err, want)
	}
}

// oracleRefusal returns the sentinel that err is.
func oracleRefusal(err error) error {
	for _, refusal := range []error{clarify.ErrToolFailed, clarify.ErrMalformed, clarify.ErrVersion, clarify.ErrNothingToShow} {
		if errors.Is(err, refusal) {
			return refusal
		}
	}
	return err
}

// sameSkipped compares with all of what the oracle noted, of which the library keeps the first 1,000.
func sameSkipped(got, all []clarify.Skipped) bool {
	return slices.Equal(got, all[:min(len(all), 1000)])
}

func compareAnswers(t testing.TB, message string, n tally) {
	t.Helper()
	want, skipped, ok := oracleAnswers(message)
	a, err := clarify.ParseAnswers(message)
	if !ok {
		if !errors.Is(err, clarify.ErrNotAnswers) || a.Answers != nil {
			t.Errorf("ParseAnswers(%s)\n got %+v, %v\nwant %v", show(message), a, err, clarify.ErrNotAnswers)
		}
		return
	}
	n["answers"]++
	for _, s := range skipped {
		n[fmt.Sprintf("answers %s %s", s.Part, s.Code)]++
	}
	if !sameSkipped(a.Skipped, skipped) {
		t.Errorf("ParseAnswers(%s) leaves out\n got %v\nwant %v", show(message), a.Skipped, skipped)
	}
	got, err := a.AppendJSON(nil)
	if tooLarge := len(want) > 1024*1024; tooLarge != (err != nil) || !tooLarge && string(got) != want {
		t.Errorf("ParseAnswers(%s)\n got %s, %v\nwant %s", show(message), got, err, want)
	}
}

func compareEvent(t testing.TB, data []byte, n tally) {
	t.Helper()
	want, ok := oracleEvent(data)
	got, err := clarify.ParseEvent(data)
	if got != want || ok != (err == nil) || !ok && !errors.Is(err, clarify.ErrNotEvent) {
		t.Errorf("ParseEvent(%s)\n got %+v, %v\nwant %+v, %v", show(data), got, err, want, ok)
		return
	}
	if !ok {
		return
	}
	n["event"]++
	refusal := clarify.ErrNotEnvelope
	if want.Type == "tool_end" && oracleIsTool(want.Tool) {
		if refusal = clarify.ErrToolFailed; !want.Failed {
			n["event with output"]++
			_, _, refusal = oracleParse(want.Output)
			compareParse(t, want.Output, n)
		}
	}
	if _, err := got.Envelope(); oracleRefusal(err) != refusal {
		t.Errorf("Envelope of %s\n got %v\nwant %v", show(data), err, refusal)
	}
}

// show quotes an input for a failure.
func show[T ~[]byte | ~string](input T) string {
	if len(input) > 20_000 {
		return fmt.Sprintf("%q … %q (%d bytes)", input[:200], input[len(input)-200:], len(input))
	}
	return fmt.Sprintf("%q", input)
}

// inputs is how many inputs a test generates: full where CLARIFY_LONG is set, as in .ci/long.
func inputs(few, full int) int {
	if os.Getenv("CLARIFY_LONG") != "" {
		return full
	}
	return few
}

var firstSeed = flag.Uint64("seed", 1, "seed of the generated inputs of TestDifferential and TestNode")

// TestDifferential compares the library with the oracle on the vectors, on mutants of them, and on
// generated JSON: 5,000 texts, or 100,000 in the long run.
func TestDifferential(t *testing.T) {
	t.Parallel()
	n := tally{}
	for _, v := range allSeeds(t) {
		compare(t, []byte(v), n)
	}
	g := NewInputs(*firstSeed, allSeeds(t), 100, 9_996, 9_998, 10_000, 10_002)
	for i := 0; i < inputs(5_000, 100_000) && !t.Failed(); i++ {
		compare(t, []byte(g.Input()), n)
	}
	n.require(t, "call", "parse", "answers", "event", "event with output",
		"call too_deep", "call invalid_utf8", "call syntax", "call wrong_type", "call missing", "call blank", "call too_long",
		"call too_few", "call too_many", "call bad_id", "call duplicate_id", "call unknown_kind",
		"parse: "+clarify.ErrNotEnvelope.Error(), "parse: "+clarify.ErrToolFailed.Error(), "parse: "+clarify.ErrMalformed.Error(),
		"parse: "+clarify.ErrVersion.Error(), "parse: "+clarify.ErrNothingToShow.Error(),
		"parse prompt missing", "parse prompt wrong_type", "parse prompt blank", "parse prompt unknown_kind", "parse prompt too_few",
		"parse option missing", "parse option wrong_type", "parse option blank", "parse field wrong_type",
		"answers answer missing", "answers answer wrong_type", "answers answer blank", "answers answer unknown_kind",
		"answers value missing", "answers value wrong_type", "answers value blank")
	t.Log(n)
}

// TestDifferentialBounds compares them where size and depth are at their bounds, which a random
// input meets too seldom.
func TestDifferentialBounds(t *testing.T) {
	t.Parallel()
	for _, wrap := range []struct {
		format string
		depth  int // of what stands around %s
	}{
		{`%s`, 0},
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}],"x":%s}`, 1},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q","x":%s}]}`, 3},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"},%s]}`, 2},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"q","x":%s}]}`, 3},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"choice","values":["q",%s]}]}`, 4},
		{`{"type":"tool_end","tool":"clarify","output":%s}`, 1},
		{`{"prompts":"[{\"id\":\"a\",\"kind\":\"text\",\"question\":\"q\",\"x\":%s}]"}`, 2},
	} {
		for depth := 10_000 - wrap.depth; depth <= 10_001-wrap.depth; depth++ {
			for _, deep := range []string{
				strings.Repeat("[", depth) + strings.Repeat("]", depth),
				strings.Repeat(`[{}, [`, depth/2) + strings.Repeat("]]", depth/2),
				strings.Repeat("[", depth),
			} {
				compare(t, []byte(fmt.Sprintf(wrap.format, deep)), tally{})
			}
		}
	}
	for _, wrap := range []struct{ head, tail string }{
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}],"x":"`, `"}`},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q","defaultValue":"`, `"}]}`},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"`, `"}]}`},
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}]`, `}`},
		{"Error: ", ""},
	} {
		for _, size := range []int{1 << 20, 1<<20 + 1} {
			for _, fill := range []string{"x", "\xff"} {
				n := size - len(wrap.head) - len(wrap.tail)
				compare(t, []byte(wrap.head+strings.Repeat(fill, n)+wrap.tail), tally{})
			}
		}
	}
	for _, size := range []int{8 << 20, 8<<20 + 1} {
		const head, tail = `{"type":"`, `"}`
		compareEvent(t, []byte(head+strings.Repeat("x", size-len(head)-len(tail))+tail), tally{})
	}
}

// TestDifferentialSpace compares them on everything that somebody takes for white space or nearly
// does, and on all of the first code points, at both ends of everything that is trimmed.
func TestDifferentialSpace(t *testing.T) {
	t.Parallel()
	points := []rune{0x1680, 0x180e, 0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff, 0xfffd}
	for r := range rune(0x100) {
		points = append(points, r)
	}
	for r := rune(0x2000); r < 0x2010; r++ {
		points = append(points, r)
	}
	n := tally{}
	for _, r := range points {
		bare := string(r)
		quoted := Of(bare).Compact()
		escaped := fmt.Sprintf(`\u%04x`, r)
		for _, s := range []string{bare, quoted[1 : len(quoted)-1], escaped} {
			for _, format := range []string{
				`{"prompts":"%[1]s[{\"id\":\"a\",\"kind\":\"text\",\"question\":\"q\"}]%[1]s"}`,
				`{"prompts":"%[1]s"}`,
				`{"title":"%[1]s","prompts":[{"id":"%[1]sa%[1]s","kind":"%[1]stext%[1]s","question":"%[1]sq%[1]s","hint":"%[1]sh%[1]s","defaultValue":"%[1]sd%[1]s"}],"protocol":"appwrite.clarify/v1"}`,
				`{"prompts":[{"id":"%[1]s","kind":"%[1]s","question":"%[1]s","hint":"%[1]s"}],"protocol":"appwrite.clarify/v1"}`,
				`{"protocol":"appwrite.clarify/v1%[1]s","prompts":[],"answers":[]}`,
				`{"protocol":"appwrite.clarify/v1","answers":[{"id":"%[1]s","kind":"text","value":"x"},{"id":"%[1]sa","kind":"%[1]schoice%[1]s","values":["%[1]s","%[1]sv"]}]}`,
				`{"type":"tool_end%[1]s","tool":"%[1]sclarify%[1]s","output":"Error: no"}`,
				`{"type":"tool_end","tool":"%[1]sclarify%[1]s","output":"Error: no"}`,
				`{"type":"tool_end","tool":null,"name":"%[1]sclarify%[1]s","output":"Error: no"}`,
			} {
				compare(t, []byte(fmt.Sprintf(format, s)), n)
			}
		}
		for _, text := range []string{
			`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"}]}`,
			`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"q"}]}`,
			"Error: no",
		} {
			compare(t, []byte(bare+text), n)
			compare(t, []byte(text+bare), n)
		}
	}
	n.require(t, "call", "parse", "answers", "event with output")
}

// FuzzDifferential compares the library with the oracle on what the fuzzer finds, and on a mutant
// of it that keeps the structure.
func FuzzDifferential(f *testing.F) {
	for i, v := range allSeeds(f) {
		f.Add([]byte(v), uint64(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		compare(t, input, tally{})
		if json.Valid(input) && len(input) < 1<<14 {
			compare(t, []byte(NewInputs(seed, nil, 100).Mutant(mustParse(string(input)))), tally{})
		}
	})
}
