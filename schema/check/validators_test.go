package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A validator returns an error if a schema does not allow the value, which was decoded from JSON.
type validator func(value any) error

// A schema is one schema, compiled for each of the validators.
type schema map[string]validator

func compile(t *testing.T, source []byte) schema {
	t.Helper()
	return schema{
		"santhosh-tekuri": compileSanthosh(t, source, false),
		"google":          compileGoogle(t, source),
	}
}

// compileSanthosh compiles source. If content is true, the validator looks into strings that hold JSON.
func compileSanthosh(t *testing.T, source []byte, content bool) validator {
	t.Helper()
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(source))
	require.NoError(t, err)
	c := santhosh.NewCompiler()
	c.DefaultDraft(santhosh.Draft2020)
	if content {
		c.AssertContent()
	}
	require.NoError(t, c.AddResource("schema.json", doc))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err)
	return compiled.Validate
}

func compileGoogle(t *testing.T, source []byte) validator {
	t.Helper()
	var s google.Schema
	require.NoError(t, json.Unmarshal(source, &s))
	resolved, err := s.Resolve(&google.ResolveOptions{ValidateDefaults: true})
	require.NoError(t, err)
	return func(value any) error { return resolved.Validate(floats(value)) }
}

// floats replaces every json.Number in value by a float64, in place, because google/jsonschema-go takes
// a json.Number for a string.
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
		f, _ := v.Float64() // infinite if it is too large
		return f
	}
	return value
}

// accepts reports whether text is JSON that the schema allows. All validators have to agree.
func (s schema) accepts(t *testing.T, text string) bool {
	t.Helper()
	value, err := decode(text)
	return err == nil && s.allows(t, value)
}

func (s schema) allows(t *testing.T, value any) bool {
	t.Helper()
	verdicts := map[bool]string{}
	for name, validate := range s {
		verdicts[validate(value) == nil] += " " + name
	}
	assert.Len(t, verdicts, 1, "the validators disagree on %.300v", value)
	return verdicts[true] != ""
}

// decode decodes a text for a validator. It decides what no schema can say: the syntax, which of two
// duplicate keys counts, what an escape means, and the depth.
func decode(text string) (value any, err error) {
	return santhosh.UnmarshalJSON(strings.NewReader(text))
}

func encode(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	require.NoError(t, err)
	return string(b)
}
