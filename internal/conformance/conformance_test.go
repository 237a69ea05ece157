package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What the other tests are made with holds itself.

func TestDecodeVectors(t *testing.T) {
	const good = `{"name":"a","args":{},"ok":false}`
	v, err := decodeVectors[EngineVector]([]byte(good+"\n"), 1)
	require.NoError(t, err)
	assert.Equal(t, []EngineVector{{Name: "a", Args: json.RawMessage("{}")}}, v)
	for name, data := range map[string]string{
		"no bytes":                "",
		"only a newline":          "\n",
		"a line too many":         good + "\n" + strings.Replace(good, `"a"`, `"b"`, 1),
		"a blank line":            good + "\n\n",
		"not JSON":                `{"name":"a"`,
		"two values on a line":    good + " {}",
		"an unknown key":          `{"name":"a","args":{},"ok":false,"okay":true}`,
		"a key in another case":   `{"name":"a","args":{},"OK":true,"ok":false}`,
		"only in another case":    `{"name":"a","args":{},"OK":true}`,
		"a key twice":             `{"name":"a","args":{},"ok":true,"ok":false}`,
		"a key that is not there": `{"name":"a","args":{}}`,
		"a blank name":            `{"name":"","args":{},"ok":false}`,
	} {
		_, err := decodeVectors[EngineVector]([]byte(data), 1)
		assert.Error(t, err, name)
	}
	_, err = decodeVectors[EngineVector]([]byte(good+"\n"+good), 2)
	assert.ErrorContains(t, err, "taken")
}

func TestVectorInput(t *testing.T) {
	for data, want := range map[string]Input{
		`""`:                                    "",
		`"a\u00e9"`:                             "aé",
		`["a"]`:                                 "a",
		`["[",{"repeat":"ab","times":3},"]"]`:   "[ababab]",
		`[{"base64":"/w=="},{"base64":"gA=="}]`: "\xff\x80",
	} {
		var in Input
		require.NoError(t, json.Unmarshal([]byte(data), &in), data)
		assert.Equal(t, want, in, data)
	}
	for _, data := range []string{
		`1`, `null`, `{}`, `[]`, `[1]`, `[null]`, `[{}]`, `[["a"]]`, `[{"repeat":"a"}]`, `[{"times":2}]`, `[{"repeat":"a","times":-1}]`,
		`[{"base64":"?"}]`, `[{"base64":"/w==","repeat":"a","times":1}]`, `[{"hex":"ff"}]`,
	} {
		assert.Error(t, json.Unmarshal([]byte(data), new(Input)), data)
	}
}

func TestValue(t *testing.T) {
	v := Object("a", Array(1, nil, Object("b", "x")), "a", Embedded(Array("é\n\u2028\x1f")), "c", Literal("1e999"))
	const text = `{"a":[1,null,{"b":"x"}],"a":"[\"é\\n` + "\u2028" + `\\u001f\"]","c":1e999}`
	require.Equal(t, text, v.Compact())
	parsed, err := Parse(" " + text + " ")
	require.NoError(t, err)
	assert.Equal(t, text, parsed.Compact())
	for _, text := range []string{"", "{", `{"a"}`, "1 2", `{"a":}`, "]"} {
		_, err := Parse(text)
		assert.Error(t, err, text)
	}

	changed := v.Clone()
	assert.Equal(t, `{"c":[true,{"b":"y"},2,3]}`, changed.Remove("a").Set("c", Array(true, Object("b", "x"), 2)).
		Set("c[1].b", "y").Append("c", 3).Compact())
	assert.Equal(t, `{"c":[{"b":"y"},2]}`, changed.Remove("c[0]").Remove("c[2]").Compact())
	assert.Equal(t, "x", Array(Object("b", "x")).Get("[0].b").text)
	assert.Equal(t, text, v.Compact(), "the clone is a part of it")
	for _, path := range []string{"d", "c.d", "a[0].b.c", "c[0]", "d[0]"} {
		assert.Nil(t, v.Get(path), path)
	}
	assert.Panics(t, func() { v.Set("d.e", 1) })
	assert.Panics(t, func() { v.Set("c[0]", 1) })

	for seed := range uint64(200) {
		g := New(seed)
		v := Arguments(g.Envelope())
		again, err := Parse(g.Respell(v))
		require.NoError(t, err)
		require.Equal(t, v.Compact(), again.Compact(), "spelled in another way it means something else")
	}
}

// The number of envelopes that are made for a property.
const envelopes = 400

// TestGeneratorCovers fails if the properties are tried on less than all of the protocol.
func TestGeneratorCovers(t *testing.T) {
	seen := map[string]int{}
	var want []string
	for n := clarify.MinPrompts; n <= clarify.MaxPrompts; n++ {
		want = append(want, fmt.Sprintf("%d prompts", n))
	}
	for n := clarify.MinOptions; n <= clarify.MaxOptions; n++ {
		want = append(want, fmt.Sprintf("%d options, multiple true", n), fmt.Sprintf("%d options, multiple false", n))
	}
	for _, flag := range []string{"optional", "danger", "multiline"} {
		want = append(want, flag+" true", flag+" false")
	}
	count := func(what, s string, high int) {
		switch {
		case s == "":
			seen[what+" absent"]++
		case utf8.RuneCountInString(s) == high:
			seen[what+" of full length"]++
		case strings.ContainsAny(s, "\u2028\x00\"😀"):
			seen[what+" with nasty characters"]++
		}
	}
	for _, what := range []string{"title", "question", "hint", "label", "description", "confirmLabel", "cancelLabel", "placeholder", "defaultValue"} {
		want = append(want, what+" of full length", what+" with nasty characters")
	}
	for _, what := range []string{"title", "hint", "description", "placeholder", "defaultValue"} {
		want = append(want, what+" absent")
	}
	for _, e := range Envelopes(envelopes) {
		seen[fmt.Sprintf("%d prompts", len(e.Prompts))]++
		count("title", e.Title, clarify.MaxTitle)
		for _, p := range e.Prompts {
			count("question", p.Question, clarify.MaxQuestion)
			count("hint", p.Hint, clarify.MaxHint)
			seen[fmt.Sprintf("optional %v", p.Optional)]++
			switch in := p.Input.(type) {
			case *clarify.Choice:
				seen[fmt.Sprintf("%d options, multiple %v", len(in.Options), in.AllowMultiple)]++
				for _, o := range in.Options {
					count("label", o.Label, clarify.MaxLabel)
					count("description", o.Description, clarify.MaxDescription)
				}
			case *clarify.Confirm:
				count("confirmLabel", in.ConfirmLabel, clarify.MaxLabel)
				count("cancelLabel", in.CancelLabel, clarify.MaxLabel)
				seen[fmt.Sprintf("danger %v", in.Danger)]++
			case *clarify.Text:
				count("placeholder", in.Placeholder, clarify.MaxPlaceholder)
				count("defaultValue", in.DefaultValue, clarify.MaxDefaultValue)
				seen[fmt.Sprintf("multiline %v", in.Multiline)]++
			}
		}
	}
	for _, what := range want {
		assert.NotZero(t, seen[what], "no generated envelope has %s", what)
	}
}
