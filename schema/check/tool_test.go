package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// promised lists, for each path, what a tool's schema leaves to its descriptions, so that every
// provider accepts the schema. A call that the schema allows is refused for no other reason.
var promised = map[string][]clarify.Code{
	"title":                           {clarify.CodeTooLong},
	"prompts":                         {clarify.CodeTooFew, clarify.CodeTooMany},
	"prompts[].id":                    {clarify.CodeBlank, clarify.CodeBadID, clarify.CodeDuplicateID},
	"prompts[].question":              {clarify.CodeBlank, clarify.CodeTooLong},
	"prompts[].hint":                  {clarify.CodeTooLong},
	"prompts[].options":               {clarify.CodeMissing, clarify.CodeTooFew, clarify.CodeTooMany},
	"prompts[].options[].id":          {clarify.CodeBlank, clarify.CodeBadID, clarify.CodeDuplicateID},
	"prompts[].options[].label":       {clarify.CodeBlank, clarify.CodeTooLong},
	"prompts[].options[].description": {clarify.CodeTooLong},
	"prompts[].confirmLabel":          {clarify.CodeTooLong},
	"prompts[].cancelLabel":           {clarify.CodeTooLong},
	"prompts[].placeholder":           {clarify.CodeTooLong},
	"prompts[].defaultValue":          {clarify.CodeTooLong},
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// TestTool generates calls from the typed and the strict schema alone. Call refuses them only for what
// is in promised, and everything in promised occurs. Call accepts all calls that follow the descriptions.
func TestTool(t *testing.T) {
	for name, form := range map[string]clarify.ToolForm{"typed": clarify.TypedPrompts, "strict": clarify.StrictPrompts} {
		t.Run(name, func(t *testing.T) {
			var source map[string]any
			require.NoError(t, json.Unmarshal(clarify.ToolSchema(form), &source))
			s := compile(t, clarify.ToolSchema(form))
			envelope := compile(t, clarify.EnvelopeSchema())
			rng := rand.New(rand.NewPCG(3, uint64(form)))
			met := map[string]bool{}
			accepted := 0
			for range 400 {
				call := generate(rng, source)
				text := encode(t, call)
				require.True(t, s.accepts(t, text), "the schema does not allow %.300s", text)
				if _, err := clarify.Call([]byte(text)); err == nil {
					accepted++
				} else {
					var invalid *clarify.ValidationError
					require.ErrorAs(t, err, &invalid)
					for _, v := range invalid.Violations {
						path := index.ReplaceAllString(v.Path, "[]")
						met[path+" "+string(v.Code)] = true
						assert.Contains(t, promised[path], v.Code, "%v: %.300s", v, text)
					}
				}
				keepPromises(rng, source, call.(map[string]any))
				text = encode(t, call)
				require.True(t, s.accepts(t, text), "the schema does not allow %.300s", text)
				result, err := clarify.Call([]byte(text))
				require.NoError(t, err, "%.300s", text)
				assert.True(t, envelope.accepts(t, result), result)
			}
			assert.NotZero(t, accepted)
			for path, codes := range promised {
				for _, code := range codes {
					assert.True(t, met[path+" "+string(code)], "%s at %s never occurs", code, path)
				}
			}
		})
	}
}

// generate returns a random value that a tool's schema allows.
func generate(rng *rand.Rand, s map[string]any) any {
	if enum, ok := s["enum"].([]any); ok {
		return enum[rng.IntN(len(enum))]
	}
	typ := s["type"]
	if list, ok := typ.([]any); ok {
		typ = list[rng.IntN(len(list))]
	}
	switch typ {
	case "null":
		return nil
	case "boolean":
		return rng.IntN(2) == 0
	case "string":
		if rng.IntN(15) == 0 {
			return strings.Repeat("好", 1+rng.IntN(2*clarify.MaxDefaultValue))
		}
		words := []string{"", " \u0085", "a", "b", "name", "Name", " name", "Which one?", "a b", "é", "1", "true", "null", "[]", "\x00", "\ufeff"}
		return words[rng.IntN(len(words))]
	case "array":
		list := make([]any, []int{0, 1, 1, 2, 2, 3, 5, 6, 12, 13}[rng.IntN(10)])
		for i := range list {
			list[i] = generate(rng, s["items"].(map[string]any))
		}
		return list
	case "object":
		o := map[string]any{}
		if s["additionalProperties"] == nil && rng.IntN(4) == 0 {
			o["note"] = []any{1e300, nil}
		}
		required := s["required"].([]any)
		properties := s["properties"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(required, any(key)) || rng.IntN(2) == 0 {
				o[key] = generate(rng, properties[key].(map[string]any))
			}
		}
		return o
	}
	panic(fmt.Sprintf("type %v", typ))
}

// keepPromises changes a call so that it follows the descriptions.
func keepPromises(rng *rand.Rand, source, call map[string]any) {
	element := func(of map[string]any, key string) map[string]any {
		return of["properties"].(map[string]any)[key].(map[string]any)["items"].(map[string]any)
	}
	prompt := element(source, "prompts")
	option := element(prompt, "options")
	fit := func(o map[string]any, key string, low, high int) {
		s, ok := o[key].(string)
		if !ok {
			return
		}
		if r := []rune(s); len(r) > high {
			s = string(r[:high])
		}
		if low > 0 && strings.TrimFunc(s, isSpace) == "" {
			s = "x"
		}
		o[key] = s
	}
	fit(call, "title", 0, clarify.MaxTitle)
	prompts := call["prompts"].([]any)
	for len(prompts) < clarify.MinPrompts {
		prompts = append(prompts, generate(rng, prompt))
	}
	prompts = prompts[:min(len(prompts), clarify.MaxPrompts)]
	call["prompts"] = prompts
	for i, p := range prompts {
		p := p.(map[string]any)
		p["id"] = fmt.Sprintf("p%d", i)
		fit(p, "question", 1, clarify.MaxQuestion)
		fit(p, "hint", 0, clarify.MaxHint)
		fit(p, "confirmLabel", 0, clarify.MaxLabel)
		fit(p, "cancelLabel", 0, clarify.MaxLabel)
		fit(p, "placeholder", 0, clarify.MaxPlaceholder)
		fit(p, "defaultValue", 0, clarify.MaxDefaultValue)
		options, _ := p["options"].([]any)
		for p["kind"] == "choice" && len(options) < clarify.MinOptions {
			options = append(options, generate(rng, option))
		}
		if len(options) > 0 {
			p["options"] = options[:min(len(options), clarify.MaxOptions)]
		}
		for j, o := range options {
			o := o.(map[string]any)
			o["id"] = fmt.Sprintf("o%d", j)
			fit(o, "label", 1, clarify.MaxLabel)
			fit(o, "description", 0, clarify.MaxDescription)
		}
	}
}
