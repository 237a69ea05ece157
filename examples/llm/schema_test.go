package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// TestSchemaOnTheWire checks that both SDKs send the schemas unchanged, with the
// keys in the same order. Only white space between tokens is removed.
func TestSchemaOnTheWire(t *testing.T) {
	for _, w := range wires {
		for _, stream := range []bool{false, true} {
			for name, form := range forms {
				t.Run(fmt.Sprintf("%s, %s, stream %v", w.name, name, stream), func(t *testing.T) {
					on(t, w, stream, form, []said{done}, func(t *testing.T, a *agent, s *service) {
						turn(t, a, "Hello")
						checkTools(t, s.bodies[0], form)
					})
				})
			}
		}
	}
}

func checkTools(t *testing.T, body []byte, form clarify.ToolForm) {
	type declared struct {
		Name, Description string
		Strict            bool
		Parameters        json.RawMessage // OpenAI's
		InputSchema       json.RawMessage `json:"input_schema"` // Anthropic's
	}
	var request struct {
		Tools []struct {
			declared
			Function *declared
		}
	}
	require.NoError(t, json.Unmarshal(body, &request))
	want := tools(form)
	require.Len(t, request.Tools, len(want))
	for i, want := range want {
		got, schema := request.Tools[i].declared, request.Tools[i].InputSchema
		if f := request.Tools[i].Function; f != nil {
			got, schema = *f, f.Parameters
		}
		assert.Equal(t, want.name, got.Name)
		assert.Equal(t, want.description, got.Description)
		assert.Equal(t, form == clarify.StrictPrompts, got.Strict)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, want.schema))
		assert.Equal(t, compact.String(), string(schema), want.name)
	}
}

// rest has the codes with which Call may refuse arguments that a typed schema
// allows. A schema that every provider accepts cannot say these rules, so the
// descriptions do.
var rest = map[clarify.Code]string{
	clarify.CodeBadID:       "ids match a pattern",
	clarify.CodeDuplicateID: "ids are unique",
	clarify.CodeBlank:       "required strings are not blank",
	clarify.CodeTooLong:     "strings have a maximum length",
	clarify.CodeTooFew:      "there is a minimum of prompts and options",
	clarify.CodeTooMany:     "there is a maximum of prompts and options",
	clarify.CodeMissing:     "a choice needs its options, and only a choice",
}

func TestCallAcceptsWhatTheSchemaAllows(t *testing.T) {
	for _, form := range []clarify.ToolForm{clarify.TypedPrompts, clarify.StrictPrompts} {
		var schema node
		require.NoError(t, json.Unmarshal(clarify.ToolSchema(form), &schema))
		kinds := make(map[clarify.Kind]int)
		for seed := range uint64(1000) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), obeys: true}
			arguments := g.object(schema)
			e, err := clarify.ParseCall([]byte(arguments))
			require.NoError(t, err, "form %d: %s", form, arguments)
			for _, p := range e.Prompts {
				kinds[p.Kind()]++
			}
		}
		assert.Len(t, kinds, 3, "form %d", form)

		seen, accepted := make(map[clarify.Code]bool), 0
		for seed := range uint64(4000) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
			arguments := g.object(schema)
			result, err := clarify.Call([]byte(arguments))
			if inString := asString(t, arguments); inString != "" {
				r, _ := clarify.Call([]byte(inString))
				require.Equal(t, result, r, "form %d: %s", form, arguments)
			}
			if err == nil {
				accepted++
				continue
			}
			var invalid *clarify.ValidationError
			require.ErrorAs(t, err, &invalid)
			for _, v := range invalid.Violations {
				require.Contains(t, rest, v.Code, "form %d: %s: %v", form, arguments, v)
				if v.Code == clarify.CodeMissing {
					require.Regexp(t, `\]\.options$`, v.Path, "form %d: %s: %v", form, arguments, v)
				}
				seen[v.Code] = true
			}
		}
		assert.Len(t, seen, len(rest), "form %d: a code never occurs", form)
		assert.GreaterOrEqual(t, accepted, 100, "form %d", form)
	}
}

// asString returns the arguments with the prompts as a JSON string, as in the
// contract.
func asString(t *testing.T, arguments string) string {
	var in struct{ Prompts, Title json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(arguments), &in), arguments)
	out := `{"prompts":` + string(marshal(string(in.Prompts)))
	if in.Title != nil {
		out += `,"title":` + string(in.Title)
	}
	return out + "}"
}

// A generator makes JSON texts that a schema allows. If obeys is true, they
// follow the descriptions too.
type generator struct {
	*rand.Rand
	obeys bool
	ids   int
}

func (g *generator) coin() bool { return g.IntN(2) == 0 }

func (g *generator) value(key string, n node, needed bool) string {
	types := typesOf(n)
	if needed { // the descriptions say that a choice needs it
		types = types[:1]
	}
	switch types[g.IntN(len(types))] {
	case "null":
		return "null"
	case "boolean":
		return fmt.Sprint(g.coin())
	case "string":
		return g.string(key, n)
	case "array":
		low, high := 0, clarify.MaxOptions+2
		if g.obeys {
			low, high = map[string]int{"prompts": clarify.MinPrompts, "options": clarify.MinOptions}[key], map[string]int{"prompts": clarify.MaxPrompts, "options": clarify.MaxOptions}[key]
		} else if g.IntN(5) > 0 {
			high = 3
		}
		items := make([]string, low+g.IntN(high-low+1))
		for i := range items {
			items[i] = g.object(n["items"].(node))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	panic(fmt.Sprintf("%s has the types %v", key, types))
}

func (g *generator) object(n node) string {
	properties := n["properties"].(node)
	values := make(map[string]string)
	var kind string
	if p, ok := properties["kind"]; ok {
		values["kind"] = g.value("kind", p.(node), false)
		kind = values["kind"]
	}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		choice := g.obeys && key == "options" && kind == `"choice"`
		required := slices.Contains(n["required"].([]any), any(key))
		if key != "kind" && (required || choice || g.coin()) {
			values[key] = g.value(key, properties[key].(node), choice)
		}
	}
	if n["additionalProperties"] != false {
		for _, other := range []string{"note", "Question", "id\u0000", "values"} {
			if g.IntN(8) == 0 {
				values[other] = []string{`null`, `1e999`, `{"a":[1]}`, `"x"`}[g.IntN(4)]
			}
		}
	}
	keys := slices.Sorted(maps.Keys(values))
	g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	members := make([]string, len(keys))
	for i, key := range keys {
		members[i] = string(marshal(key)) + ":" + values[key]
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g *generator) string(key string, n node) string {
	if enum, ok := n["enum"].([]any); ok {
		return string(marshal(enum[g.IntN(len(enum))]))
	}
	needed := []string{"x", "日本", " a b ", "<&>\u2028", "line\nline", `"q\uote"`, strings.Repeat("é", clarify.MaxLabel)}
	if key == "id" {
		g.ids++
		needed = []string{fmt.Sprintf("id_%d", g.ids), fmt.Sprintf(" i%d.%s ", g.ids, strings.Repeat("x", clarify.MaxID-6)), fmt.Sprintf("a-%d", g.ids)}
	}
	if g.obeys {
		if key != "id" && key != "question" && key != "label" {
			needed = append(needed, "", " ", "\ufeff")
		}
		return string(marshal(needed[g.IntN(len(needed))]))
	}
	wild := append(needed, needed...)
	wild = append(wild, "", "\u0085", "Id", "1", "same", strings.Repeat("y", clarify.MaxDefaultValue+1))
	s := string(marshal(wild[g.IntN(len(wild))]))
	if g.IntN(20) == 0 {
		return `"\ud800` + s[1:] // half a surrogate pair
	}
	return s
}
