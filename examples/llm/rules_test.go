package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A provider is one way to declare a tool. The rules for a declaration are from
// the provider's documentation or from the errors of its service, as of the end
// of 2026.
type provider struct {
	name  string
	use   []clarify.ToolForm // the forms that are meant for it
	takes []clarify.ToolForm // all forms that follow its rules
	rules []rule
}

// A rule comes with a tool that breaks it.
type rule struct {
	says   string
	check  func(t tool) error
	broken tool
}

var providers = []provider{
	{
		name:  "OpenAI, function calling",
		use:   []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts},
		takes: []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts, clarify.StrictPrompts},
		rules: []rule{openAIName, openAIDescription, rootIsObject, arraysHaveItems},
	},
	{
		name:  "OpenAI, strict function calling",
		use:   []clarify.ToolForm{clarify.StrictPrompts},
		takes: []clarify.ToolForm{clarify.StrictPrompts},
		rules: []rule{
			openAIName, openAIDescription, rootIsObject, arraysHaveItems,
			noOtherFields,
			{
				"every property is required; an optional one can be null",
				eachObject(func(n node, properties node) error {
					for key := range properties {
						if !slices.Contains(required(n), key) {
							return fmt.Errorf("%s is not required", key)
						}
					}
					return nil
				}),
				withSchema(`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`),
			},
			{
				"there is no allOf, not, dependentRequired, dependentSchemas, if, then or else, and no keyword outside JSON Schema",
				keywordsOf("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs", "title", "description",
					"pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
				withSchema(`{"type":"object","properties":{"a":{"allOf":[]}}}`),
			},
			{
				"there are at most 5,000 properties in at most 10 levels, and at most 1,000 enum values",
				func(t tool) error {
					properties, levels, values := 0, 0, 0
					each(t, func(_ string, n node, level int) error {
						p, _ := n["properties"].(node)
						e, _ := n["enum"].([]any)
						properties, levels, values = properties+len(p), max(levels, level), values+len(e)
						return nil
					})
					if properties > 5000 || levels > 10 || values > 1000 {
						return fmt.Errorf("%d properties in %d levels, %d values", properties, levels, values)
					}
					return nil
				},
				withSchema(nested(11)),
			},
			{
				"the names and the enum values together have at most 120,000 characters",
				func(t tool) error {
					length := 0
					each(t, func(_ string, n node, _ int) error {
						for key := range propertiesOf(n) {
							length += utf8.RuneCountInString(key)
						}
						for _, v := range enumOf(n) {
							length += utf8.RuneCountInString(fmt.Sprint(v))
						}
						return nil
					})
					if length > 120_000 {
						return fmt.Errorf("%d characters", length)
					}
					return nil
				},
				withSchema(fmt.Sprintf(`{"type":"object","properties":{"%0120001d":{"type":"string"}}}`, 0)),
			},
		},
	},
	{
		name:  "Anthropic, tools",
		use:   []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts},
		takes: []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts, clarify.StrictPrompts},
		rules: []rule{anthropicName, rootIsObject, anthropicRoot, anthropicKeys, isJSONSchema},
	},
	{
		name:  "Anthropic, strict tools",
		use:   []clarify.ToolForm{clarify.StrictPrompts},
		takes: []clarify.ToolForm{clarify.StrictPrompts},
		rules: []rule{
			anthropicName, rootIsObject, anthropicRoot, anthropicKeys, isJSONSchema, noOtherFields,
			{
				"there are no bounds on numbers or lengths, and no oneOf, not, if or else",
				keywordsOf("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "default", "title", "description", "format", "pattern", "minItems"),
				withSchema(`{"type":"object","properties":{"a":{"type":"string","maxLength":5}}}`),
			},
			{
				"all strict tools together have at most 24 optional parameters, and at most 16 with a union of types",
				func(t tool) error {
					optional, unions := 0, 0
					each(t, func(_ string, n node, _ int) error {
						optional += len(propertiesOf(n)) - len(required(n))
						if _, isList := n["type"].([]any); isList || n["anyOf"] != nil {
							unions++
						}
						return nil
					})
					if optional > 24 || unions > 16 {
						return fmt.Errorf("%d optional parameters, %d unions", optional, unions)
					}
					return nil
				},
				withSchema(`{"type":"object","properties":{"a":{"type":"array","items":` + manyUnions(17) + `}}}`),
			},
		},
	},
	{
		name:  "Gemini, function declarations",
		use:   []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts},
		takes: []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts},
		rules: []rule{
			{
				"the name starts with a letter or an underscore and has at most 63 letters, digits, underscores, dots and dashes",
				nameMatches(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$`),
				tool{name: "1st"},
			},
			rootIsObject, arraysHaveItems,
			{
				"parameters is a subset of OpenAPI 3.0: no additionalProperties, no $ref, no const, no oneOf, no $schema",
				keywordsOf("type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties", "required", "propertyOrdering",
					"minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "example", "anyOf", "default"),
				withSchema(`{"type":"object","properties":{},"additionalProperties":false}`),
			},
			{
				"a type is one type, not a list",
				func(t tool) error {
					return each(t, func(path string, n node, _ int) error {
						if _, ok := n["type"].(string); !ok {
							return fmt.Errorf("%s has the type %v", path, n["type"])
						}
						return nil
					})
				},
				withSchema(`{"type":"object","properties":{"a":{"type":["string","null"]}}}`),
			},
			{
				"parameter names start with a letter or an underscore and have at most 64 letters, digits and underscores",
				keysMatch(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`),
				withSchema(`{"type":"object","properties":{"a.b":{"type":"string"}}}`),
			},
			{
				"an enum has strings that are not empty, and its type is string",
				func(t tool) error {
					return each(t, func(path string, n node, _ int) error {
						for _, v := range enumOf(n) {
							if s, ok := v.(string); !ok || s == "" || n["type"] != "string" {
								return fmt.Errorf("%s has the value %v", path, v)
							}
						}
						return nil
					})
				},
				withSchema(`{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}`),
			},
			requiredAreThere,
		},
	},
}

var (
	openAIName = rule{
		"the name has at most 64 letters, digits, underscores and dashes",
		nameMatches(`^[a-zA-Z0-9_-]{1,64}$`),
		tool{name: "ask.user"},
	}
	openAIDescription = rule{
		"the description has at most 1,024 characters",
		func(t tool) error {
			if n := utf8.RuneCountInString(t.description); n > 1024 {
				return fmt.Errorf("%d characters", n)
			}
			return nil
		},
		tool{description: fmt.Sprintf("%01025d", 0)},
	}
	anthropicName = openAIName
	rootIsObject  = rule{
		"the root is an object with properties",
		func(t tool) error {
			n := t.root()
			if _, ok := n["properties"].(node); !ok || n["type"] != "object" {
				return fmt.Errorf("the type %v, the properties %v", n["type"], n["properties"])
			}
			return nil
		},
		withSchema(`{"type":"array","items":{"type":"string"}}`),
	}
	arraysHaveItems = rule{
		"every array has items, and they have a type",
		func(t tool) error {
			return each(t, func(path string, n node, _ int) error {
				if !slices.Contains(typesOf(n), "array") {
					return nil
				}
				if items, ok := n["items"].(node); !ok || items["type"] == nil {
					return fmt.Errorf("%s has the items %v", path, n["items"])
				}
				return nil
			})
		},
		withSchema(`{"type":"object","properties":{"a":{"type":"array"}}}`),
	}
	noOtherFields = rule{
		"every object has additionalProperties: false",
		eachObject(func(n, _ node) error {
			if n["additionalProperties"] != false {
				return fmt.Errorf("additionalProperties: %v", n["additionalProperties"])
			}
			return nil
		}),
		withSchema(`{"type":"object","properties":{}}`),
	}
	requiredAreThere = rule{
		"every required name is one of the properties",
		eachObject(func(n, properties node) error {
			for _, key := range required(n) {
				if _, ok := properties[key]; !ok {
					return fmt.Errorf("%s is no property", key)
				}
			}
			return nil
		}),
		withSchema(`{"type":"object","properties":{},"required":["a"]}`),
	}
	anthropicRoot = rule{
		"the root has no oneOf, allOf or anyOf",
		func(t tool) error {
			for _, key := range []string{"oneOf", "allOf", "anyOf"} {
				if t.root()[key] != nil {
					return fmt.Errorf("the root has %s", key)
				}
			}
			return nil
		},
		withSchema(`{"type":"object","properties":{},"anyOf":[]}`),
	}
	anthropicKeys = rule{
		"property names have at most 64 letters, digits, underscores, dots and dashes",
		keysMatch(`^[a-zA-Z0-9_.-]{1,64}$`),
		withSchema(`{"type":"object","properties":{"a b":{"type":"string"}}}`),
	}
	isJSONSchema = rule{
		"the schema is JSON Schema, draft 2020-12",
		func(t tool) error {
			return each(t, func(path string, n node, _ int) error {
				types := typesOf(n)
				if len(types) == 0 {
					return fmt.Errorf("%s has no type", path)
				}
				for _, name := range types {
					if !slices.Contains([]string{"object", "array", "string", "boolean", "null", "number", "integer"}, name) {
						return fmt.Errorf("%s has the type %q", path, name)
					}
				}
				if list := required(n); len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
					return fmt.Errorf("%s requires %v", path, list)
				}
				return nil
			})
		},
		withSchema(`{"type":"object","properties":{"a":{"type":"text"}}}`),
	}
)

// TestProviderRules checks that each form follows the rules of the providers that
// it is meant for, and that takes lists exactly the forms that a provider accepts.
func TestProviderRules(t *testing.T) {
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			for name, form := range forms {
				require.Equal(t, clarify.ToolName, tools(form)[0].name)
				var broken []string
				for _, r := range p.rules {
					if err := r.check(tools(form)[0]); err != nil {
						broken = append(broken, fmt.Sprintf("%s: %v", r.says, err))
					}
				}
				assert.Equal(t, slices.Contains(p.takes, form), len(broken) == 0, "the %s form breaks %q", name, broken)
			}
			assert.Subset(t, p.takes, p.use)
			for _, r := range p.rules {
				assert.Error(t, r.check(r.broken), "nothing breaks the rule that %s", r.says)
			}
		})
	}
	for name, form := range forms {
		used := slices.ContainsFunc(providers, func(p provider) bool { return slices.Contains(p.use, form) })
		assert.True(t, used, "no provider uses the %s form", name)
	}
}

type node = map[string]any

func (t tool) root() node {
	var n node
	if err := json.Unmarshal(t.schema, &n); err != nil {
		return node{}
	}
	return n
}

func withSchema(schema string) tool { return tool{schema: json.RawMessage(schema)} }

// each visits the tool's schema and every schema in it, until visit returns an
// error.
func each(t tool, visit func(path string, n node, level int) error) error {
	var walk func(path string, n node, level int) error
	walk = func(path string, n node, level int) error {
		if err := visit(path, n, level); err != nil {
			return err
		}
		for key, p := range propertiesOf(n) {
			if err := walk(path+"."+key, p.(node), level+1); err != nil {
				return err
			}
		}
		if items, ok := n["items"].(node); ok {
			return walk(path+"[]", items, level)
		}
		return nil
	}
	return walk("", t.root(), 0)
}

func eachObject(check func(n, properties node) error) func(tool) error {
	return func(t tool) error {
		return each(t, func(path string, n node, _ int) error {
			if !slices.Contains(typesOf(n), "object") {
				return nil
			}
			if err := check(n, propertiesOf(n)); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return nil
		})
	}
}

func keywordsOf(known ...string) func(tool) error {
	return func(t tool) error {
		return each(t, func(path string, n node, _ int) error {
			for key := range n {
				if !slices.Contains(known, key) {
					return fmt.Errorf("%s has %s", path, key)
				}
			}
			return nil
		})
	}
}

func keysMatch(pattern string) func(tool) error {
	re := regexp.MustCompile(pattern)
	return eachObject(func(_, properties node) error {
		for key := range properties {
			if !re.MatchString(key) {
				return fmt.Errorf("the name %q", key)
			}
		}
		return nil
	})
}

func nameMatches(pattern string) func(tool) error {
	re := regexp.MustCompile(pattern)
	return func(t tool) error {
		if !re.MatchString(t.name) {
			return fmt.Errorf("the name %q", t.name)
		}
		return nil
	}
}

func typesOf(n node) (types []string) {
	switch v := n["type"].(type) {
	case string:
		return []string{v}
	case []any:
		for _, name := range v {
			types = append(types, fmt.Sprint(name))
		}
	}
	return types
}

func propertiesOf(n node) node {
	p, _ := n["properties"].(node)
	return p
}

func enumOf(n node) []any {
	e, _ := n["enum"].([]any)
	return e
}

func required(n node) (keys []string) {
	list, _ := n["required"].([]any)
	for _, key := range list {
		keys = append(keys, fmt.Sprint(key))
	}
	return keys
}

// nested returns a schema of objects with the given number of levels.
func nested(levels int) string {
	if levels == 0 {
		return `{"type":"string"}`
	}
	return `{"type":"object","properties":{"a":` + nested(levels-1) + `}}`
}

func manyUnions(n int) string {
	properties := node{}
	for i := range n {
		properties[fmt.Sprint("p", i)] = node{"type": []string{"string", "null"}}
	}
	return string(marshal(node{"type": "object", "properties": properties}))
}
