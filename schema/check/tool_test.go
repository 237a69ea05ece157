package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// promised is the rest: what a tool's schema leaves to its descriptions, so that every provider takes
// it. A call that the schema allows is refused for nothing else.
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

// TestTool generates calls from the typed and the strict schema alone. Call takes them, apart from
// the rest, and all of the rest occurs. Calls that keep what the descriptions say it takes all.
func TestTool(t *testing.T) {
	for name, form := range map[string]clarify.ToolForm{"typed": clarify.TypedPrompts, "strict": clarify.StrictPrompts} {
		t.Run(name, func(t *testing.T) {
			var source map[string]any
			if err := json.Unmarshal(clarify.ToolSchema(form), &source); err != nil {
				t.Fatal(err)
			}
			s := compile(t, clarify.ToolSchema(form))
			envelope := compile(t, clarify.EnvelopeSchema())
			rng := rand.New(rand.NewPCG(3, uint64(form)))
			met := map[string]bool{}
			accepted := 0
			for range 400 {
				call := generate(rng, source)
				text := encode(t, call)
				if !s.accepts(t, text) {
					t.Fatalf("not what the schema allows: %.300s", text)
				}
				_, err := clarify.Call([]byte(text))
				var invalid *clarify.ValidationError
				switch {
				case err == nil:
					accepted++
				case !errors.As(err, &invalid):
					t.Fatal(err)
				default:
					for _, v := range invalid.Violations {
						path := index.ReplaceAllString(v.Path, "[]")
						if met[path+" "+string(v.Code)] = true; !slices.Contains(promised[path], v.Code) {
							t.Errorf("%v (%s): %.300s", v, v.Code, text)
						}
					}
				}
				keepPromises(rng, source, call.(map[string]any))
				text = encode(t, call)
				if !s.accepts(t, text) {
					t.Fatalf("not what the schema allows: %.300s", text)
				}
				if result, err := clarify.Call([]byte(text)); err != nil || !envelope.accepts(t, result) {
					t.Errorf("%s: %.300s", result, text)
				}
			}
			if accepted == 0 {
				t.Error("no call is accepted as it comes")
			}
			for path, codes := range promised {
				for _, code := range codes {
					if !met[path+" "+string(code)] {
						t.Errorf("%s at %s never occurs", code, path)
					}
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

// keepPromises changes a call to what the descriptions ask for.
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
