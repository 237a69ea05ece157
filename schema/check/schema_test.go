package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A published schema comes with the library's verdict on a text, and with the vectors for it.
type published struct {
	name    string
	source  []byte
	library func(text string) bool
	vectors func(t *testing.T) []input
}

var publications = []published{{
	"arguments", clarify.ArgumentsSchema(),
	func(text string) bool {
		_, err := clarify.Call([]byte(text))
		return err == nil
	},
	func(t *testing.T) []input {
		return append(vectors(t, "engine.jsonl", "args", whole), faults(t, "call")...)
	},
}, {
	// An envelope passes if Parse skips nothing and the strict side could emit it.
	"envelope", clarify.EnvelopeSchema(),
	func(text string) bool {
		e, err := clarify.Parse(text)
		return err == nil && e.Validate() == nil
	},
	func(t *testing.T) []input {
		return append(decoded(t, vectors(t, "console.jsonl", "output", whole)), faults(t, "output", "emit", "lint")...)
	},
}, {
	"answers", clarify.AnswersSchema(),
	func(text string) bool {
		a, err := clarify.ParseAnswers(text)
		// The schema does not see what is said beside the answers.
		return err == nil && !slices.ContainsFunc(a.Skipped, func(s clarify.Skipped) bool {
			return s.Code != clarify.CodeDuplicateKey && s.Code != clarify.CodeUnknownKey
		})
	},
	func(t *testing.T) []input {
		return append(vectors(t, "answers.jsonl", "text", whole), faults(t, "answers")...)
	},
}}

// explain returns the names of the rules that, each alone, explain why schema and library disagree on
// text.
func (p published) explain(t *testing.T, s schema, text string) (names []string) {
	t.Helper()
	for _, r := range rules {
		if fixed := r.fix(text); fixed != text && s.accepts(t, fixed) && p.library(fixed) {
			names = append(names, r.name)
		}
	}
	return names
}

// TestAgreement checks that schema and library agree on every vector, or that exactly one rule of the
// table says why not.
func TestAgreement(t *testing.T) {
	for _, p := range publications {
		t.Run(p.name, func(t *testing.T) {
			s := compile(t, p.source)
			count := map[string]int{}
			for _, in := range decoded(t, p.vectors(t)) {
				schema, library := s.accepts(t, in.text), p.library(in.text)
				if schema == library {
					count[fmt.Sprint("both ", schema)]++
					continue
				}
				assert.Len(t, p.explain(t, s, in.text), 1, "%s: the schema says %v, the library %v: %.300q", in.name, schema, library, in.text)
				count["disagree"]++
			}
			t.Log(count)
			for _, outcome := range []string{"both true", "both false", "disagree"} {
				assert.NotZero(t, count[outcome], outcome)
			}
		})
	}
}

// TestRules checks that every example of a rule is a disagreement that this rule explains, and no other
// rule does. Every rule needs an example.
func TestRules(t *testing.T) {
	schemas := map[string]schema{}
	for _, p := range publications {
		schemas[p.name] = compile(t, p.source)
	}
	for _, r := range rules {
		assert.NotEmpty(t, r.examples, r.name)
		assert.NotEmpty(t, r.why, r.name)
		for _, e := range r.examples {
			i := slices.IndexFunc(publications, func(p published) bool { return p.name == e.schema })
			require.GreaterOrEqual(t, i, 0, "%s: there is no schema %q", r.name, e.schema)
			p, s := publications[i], schemas[e.schema]
			assert.NotEqual(t, s.accepts(t, e.text), p.library(e.text), "%s: %s: %.300q", r.name, p.name, e.text)
			assert.Equal(t, []string{r.name}, p.explain(t, s, e.text), "%s: %.300q", p.name, e.text)
		}
	}
}

// TestMutations changes the vectors at random. If schema and library then disagree, the rules together
// explain it.
func TestMutations(t *testing.T) {
	for _, p := range publications {
		t.Run(p.name, func(t *testing.T) {
			s := compile(t, p.source)
			rng := rand.New(rand.NewPCG(1, 2))
			var texts []string
			for _, in := range decoded(t, p.vectors(t)) {
				if len(in.text) < 10_000 {
					texts = append(texts, in.text)
				}
			}
			count := map[string]int{}
			for range 2_000 {
				value, err := decode(texts[rng.IntN(len(texts))])
				if err != nil {
					continue
				}
				for range 1 + rng.IntN(3) {
					value = mutate(rng, value)
				}
				text := encode(t, value)
				schema, library := s.accepts(t, text), p.library(text)
				if schema == library {
					count[fmt.Sprint("both ", schema)]++
					continue
				}
				count["disagree"]++
				fixed := text
				for _, r := range rules {
					fixed = r.fix(fixed)
				}
				assert.True(t, s.accepts(t, fixed) && p.library(fixed), "the schema says %v, the library %v: %.500s", schema, library, text)
			}
			t.Log(count)
			for _, outcome := range []string{"both true", "both false", "disagree"} {
				assert.GreaterOrEqual(t, count[outcome], 10, outcome)
			}
		})
	}
}

// mutate replaces, removes, repeats or adds one value somewhere in v.
func mutate(rng *rand.Rand, v any) any {
	words := []any{
		nil, true, false, 1, 1e300, "", " ", "\u0085", "\x1c", "\ufeff", "a", " a ", "A", "text", "choice", "confirm", " text ", "text\u0085",
		[]any{}, map[string]any{}, strings.Repeat("é", 121), strings.Repeat("é", 501), strings.Repeat("é", 120) + " ",
	}
	word := func() any {
		switch w := words[rng.IntN(len(words))].(type) {
		case []any:
			return []any{}
		case map[string]any:
			return map[string]any{}
		default:
			return w
		}
	}
	if rng.IntN(6) == 0 {
		return word()
	}
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return append(v, word())
		}
		i := rng.IntN(len(v))
		switch rng.IntN(8) {
		case 0:
			return append(v, copied(v[i]))
		case 1:
			return append(v[:i], v[i+1:]...)
		default:
			v[i] = mutate(rng, v[i])
		}
		return v
	case map[string]any:
		keys := []string{
			"title", "prompts", "id", "kind", "question", "hint", "required", "options", "allowMultiple", "confirmLabel", "cancelLabel",
			"danger", "placeholder", "defaultValue", "multiline", "label", "description", "values", "confirmed", "value", "Kind",
		}
		key := keys[rng.IntN(len(keys))]
		for _, container := range []string{"prompts", "answers", "options", "values"} {
			if _, has := v[container]; has && rng.IntN(3) > 0 {
				key = container
			}
		}
		old, has := v[key]
		switch {
		case has && rng.IntN(6) == 0:
			delete(v, key)
		case has:
			v[key] = mutate(rng, old)
		default:
			v[key] = word()
		}
		return v
	case string:
		switch rng.IntN(4) {
		case 0:
			return v + " "
		case 1:
			return "\u00a0" + v
		case 2:
			return strings.ToUpper(v)
		}
		return v
	}
	return v
}

// copied returns a deep copy of a decoded value.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = copied(v[i])
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(v))
		for key := range v {
			c[key] = copied(v[key])
		}
		return c
	}
	return v
}

// TestEmitted checks that envelope.json allows everything that the strict side emits.
func TestEmitted(t *testing.T) {
	s := compile(t, clarify.EnvelopeSchema())
	emitted := 0
	for _, in := range publications[0].vectors(t) {
		if result, err := clarify.Call([]byte(in.text)); err == nil {
			emitted++
			assert.True(t, s.accepts(t, result), "%s: the schema refuses %s", in.name, result)
		}
	}
	assert.GreaterOrEqual(t, emitted, 100)
}

// TestContent checks that a validator that looks into strings judges prompts in a string like the
// prompts themselves.
func TestContent(t *testing.T) {
	s := compile(t, clarify.ArgumentsSchema())
	content := compileSanthosh(t, clarify.ArgumentsSchema(), true)
	count := map[bool]int{}
	for _, in := range publications[0].vectors(t) {
		value, _ := decode(in.text)
		call, _ := value.(map[string]any)
		text, ok := call["prompts"].(string)
		if !ok {
			continue
		}
		got := content(value) == nil
		inside, err := decode(text)
		_, again := inside.(string)
		call["prompts"] = inside
		assert.Equal(t, err == nil && !again && s.allows(t, value), got, "%s: %.300s", in.name, in.text)
		count[got]++
	}
	assert.GreaterOrEqual(t, count[true], 50)
	assert.GreaterOrEqual(t, count[false], 50)
}
