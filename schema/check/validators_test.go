package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// A validator reports whether a value, decoded from JSON, is what a schema allows.
type validator func(value any) error

// A schema is a compiled schema in each of the validators.
type schema map[string]validator

func compile(t *testing.T, source []byte) schema {
	t.Helper()
	return schema{
		"santhosh-tekuri": compileSanthosh(t, source, false),
		"google":          compileGoogle(t, source),
	}
}

// compileSanthosh compiles source. content makes it look into strings that hold JSON.
func compileSanthosh(t *testing.T, source []byte, content bool) validator {
	t.Helper()
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	c := santhosh.NewCompiler()
	c.DefaultDraft(santhosh.Draft2020)
	if content {
		c.AssertContent()
	}
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate
}

func compileGoogle(t *testing.T, source []byte) validator {
	t.Helper()
	var s google.Schema
	if err := json.Unmarshal(source, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&google.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(value any) error { return resolved.Validate(floats(value)) }
}

// floats makes a float64 of every number, in place: to google/jsonschema-go a json.Number is a
// string.
func floats(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = floats(v[key])
		}
	case json.Number:
		f, _ := v.Float64() // infinite, if it is too large
		return f
	}
	return value
}

// accepts reports whether the schema allows the JSON text. All validators have to agree. What is not
// JSON is not allowed.
func (s schema) accepts(t *testing.T, text string) bool {
	t.Helper()
	value, err := decode(text)
	if err != nil {
		return false
	}
	return s.allows(t, value)
}

func (s schema) allows(t *testing.T, value any) bool {
	t.Helper()
	verdicts := map[bool]string{}
	for name, validate := range s {
		verdicts[validate(value) == nil] += " " + name
	}
	if len(verdicts) != 1 {
		t.Errorf("the validators disagree: %q allow it, %q do not: %.300v", verdicts[true], verdicts[false], value)
	}
	return verdicts[true] != ""
}

// decode is what stands before a validator. It settles what no schema can say: the syntax, which of
// duplicate keys counts, what an escape means, and the depth.
func decode(text string) (value any, err error) {
	return santhosh.UnmarshalJSON(strings.NewReader(text))
}

func encode(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
