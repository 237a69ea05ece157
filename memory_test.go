package clarify

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// TestKeepsLittle: a small value that was read out of a large text does not keep the text alive.
func TestKeepsLittle(t *testing.T) {
	const size = MaxSize / 2
	large := strings.Repeat("x", size)
	space := strings.Repeat(" ", size)
	escaped := strings.ReplaceAll(textPrompt, `"`, `\"`)
	envelope := wire(`"title":"A title","prompts":[` + textPrompt + `]`)
	answers := wire(`"answers":[{"id":"a","kind":"text","value":"b"}]`)
	fat := func(object string) string { return `{"x":"` + large + `",` + object[1:] }

	parse := func(text string) (any, error) { return Parse(text) }
	parseCall := func(text string) (any, error) { return ParseCall([]byte(text)) }
	parseAnswers := func(text string) (any, error) { return ParseAnswers(text) }
	parseEvent := func(text string) (any, error) { return ParseEvent([]byte(text)) }
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
			e := new(Envelope)
			return e, json.Unmarshal([]byte(text), e)
		}, fat(envelope)},
		"Prompt.UnmarshalJSON": {func(text string) (any, error) {
			p := new(Prompt)
			return p, json.Unmarshal([]byte(text), p)
		}, fat(textPrompt)},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 8
			kept := make([]any, n)
			before := liveBytes()
			for i := range kept {
				v, err := test.read(strings.Clone(test.text))
				if err != nil {
					t.Fatal(err)
				}
				kept[i] = v
			}
			if grown := liveBytes() - before; grown > n*size/4 {
				t.Errorf("%d values of a few bytes keep %d KiB alive", n, grown>>10)
			}
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
