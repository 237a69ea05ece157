package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A published schema, with the library's verdict on the same text and the vectors for it.
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
	// An envelope is fine if it is read with nothing skipped and could be emitted.
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
		return err == nil && len(a.Skipped) == 0
	},
	func(t *testing.T) []input {
		return append(vectors(t, "answers.jsonl", "text", whole), faults(t, "answers")...)
	},
}}

// explain returns the rules that each alone explain why schema and library disagree on text.
func (p published) explain(t *testing.T, s schema, text string) (names []string) {
	t.Helper()
	for _, r := range rules {
		if mended := r.mend(text); mended != text && s.accepts(t, mended) && p.library(mended) {
			names = append(names, r.name)
		}
	}
	return names
}

// TestAgreement: on every vector schema and library agree, or exactly one rule of the table says why
// not.
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
				names := p.explain(t, s, in.text)
				if len(names) != 1 {
					t.Errorf("%s: the schema says %v, the library %v, for %q: %.300q", in.name, schema, library, names, in.text)
				}
				count["disagree"]++
			}
			t.Log(count)
			for _, outcome := range []string{"both true", "both false", "disagree"} {
				if count[outcome] == 0 {
					t.Errorf("no vector is %q", outcome)
				}
			}
		})
	}
}

// TestRules: every example of a rule is a disagreement that this rule explains, and no other. A rule
// without one is not a rule.
func TestRules(t *testing.T) {
	for _, p := range publications {
		s := compile(t, p.source)
		for _, r := range rules {
			for _, e := range r.examples {
				if e.schema != p.name {
					continue
				}
				schema, library := s.accepts(t, e.text), p.library(e.text)
				if names := p.explain(t, s, e.text); schema == library || len(names) != 1 || names[0] != r.name {
					t.Errorf("%s: %s: the schema says %v, the library %v, for %q: %.300q", r.name, p.name, schema, library, names, e.text)
				}
			}
		}
	}
	for _, r := range rules {
		if len(r.examples) == 0 || r.why == "" {
			t.Errorf("%s: nothing proves it, or nothing explains it", r.name)
		}
		for _, e := range r.examples {
			if e.schema != "arguments" && e.schema != "envelope" && e.schema != "answers" {
				t.Errorf("%s: there is no schema %q", r.name, e.schema)
			}
		}
	}
}

// TestMutations changes the vectors in many ways. Where schema and library then disagree, the rules
// explain it, more than one if need be.
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
				mended := text
				for _, r := range rules {
					mended = r.mend(mended)
				}
				if !s.accepts(t, mended) || !p.library(mended) {
					t.Errorf("the schema says %v, the library %v, and no rule explains it: %.500s", schema, library, text)
				}
			}
			t.Log(count)
			for _, outcome := range []string{"both true", "both false", "disagree"} {
				if count[outcome] < 10 {
					t.Errorf("only %d mutants are %q", count[outcome], outcome)
				}
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

// copied is a deep copy of a decoded value.
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

// TestEmitted: what the strict side emits is what envelope.json allows.
func TestEmitted(t *testing.T) {
	s := compile(t, clarify.EnvelopeSchema())
	emitted := 0
	for _, in := range publications[0].vectors(t) {
		result, err := clarify.Call([]byte(in.text))
		if err != nil {
			continue
		}
		if emitted++; !s.accepts(t, result) {
			t.Errorf("%s: the schema refuses %s", in.name, result)
		}
	}
	if emitted < 100 {
		t.Errorf("only %d envelopes were emitted", emitted)
	}
}

// TestContent: a validator that is told to look into strings says of prompts in a string what it says
// of the prompts themselves.
func TestContent(t *testing.T) {
	s := compile(t, clarify.ArgumentsSchema())
	content := compileSanthosh(t, clarify.ArgumentsSchema(), true)
	count := map[bool]int{}
	for _, in := range publications[0].vectors(t) {
		value, err := decode(in.text)
		if err != nil {
			continue
		}
		call, ok := value.(map[string]any)
		if !ok {
			continue
		}
		text, ok := call["prompts"].(string)
		if !ok {
			continue
		}
		got := content(value) == nil
		inside, err := decode(text)
		_, again := inside.(string)
		call["prompts"] = inside
		if want := err == nil && !again && s.allows(t, value); got != want {
			t.Errorf("%s: in a string %v, outside %v: %.300s", in.name, got, want, in.text)
		}
		count[got]++
	}
	if count[true] < 50 || count[false] < 50 {
		t.Errorf("%d are allowed, %d are not: too few to compare", count[true], count[false])
	}
}
