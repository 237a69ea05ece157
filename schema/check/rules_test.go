package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A rule is something that the library judges differently from a schema. Exactly one rule explains
// every vector on which they disagree.
type rule struct {
	name string
	why  string // why a schema cannot say it

	// fix removes from a text what the rule is about. If the two disagree because of this rule alone,
	// both accept the fixed text.
	fix func(text string) string

	// examples are inputs on which the two disagree because of the rule.
	examples []example
}

// An example is an input for one of the published schemas: arguments, envelope or answers.
type example struct{ schema, text string }

const (
	namePrompt    = `{"id":"name","kind":"text","question":"Database name"}`
	deletePrompt  = `{"id":"delete","kind":"confirm","question":"Delete it?"}`
	wholeCall     = `{"prompts":[` + namePrompt + `]}`
	wholeEnvelope = `{"protocol":"` + clarify.Protocol + `","prompts":[` + namePrompt + `]}`
	wholeAnswers  = `{"protocol":"` + clarify.Protocol + `","answers":[{"id":"name","kind":"text","value":"main"}]}`
)

var rules = []rule{{
	name: "a string is judged after it is trimmed",
	why:  "a schema sees the string untrimmed: padding breaks a pattern, a constant and a length",
	fix: values(func(v any) any {
		o, _ := v.(map[string]any)
		for key, member := range o {
			if s, ok := member.(string); ok && key != "prompts" { // prompts has a rule of its own
				o[key] = strings.TrimFunc(s, isSpace)
			}
		}
		return v
	}),
	examples: []example{
		{"arguments", strings.Replace(wholeCall, `"name"`, `" name\n"`, 1)},
		{"arguments", strings.Replace(wholeCall, `"name"`, `"\ufeffname\u0085"`, 1)},
		{"arguments", strings.Replace(wholeCall, `"text"`, `" text"`, 1)},
		{"arguments", strings.Replace(wholeCall, "Database name", strings.Repeat("好", clarify.MaxQuestion)+" ", 1)},
		{"arguments", `{"title":"` + strings.Repeat(" ", clarify.MaxTitle+1) + `",` + wholeCall[1:]},
		{"envelope", strings.Replace(wholeEnvelope, `"name"`, `"name "`, 1)},
		{"envelope", strings.Replace(wholeEnvelope, `"text"`, `"\u00a0text"`, 1)},
		{"envelope", strings.Replace(wholeEnvelope, "Database name", " "+strings.Repeat("x", clarify.MaxQuestion), 1)},
		{"answers", strings.Replace(wholeAnswers, `"text"`, `"text\t"`, 1)},
	},
}, {
	name: "ids are unique",
	why:  "uniqueItems compares whole items, not one member of each",
	fix: values(func(v any) any {
		list, _ := v.([]any)
		taken := map[string]bool{}
		for i, element := range list {
			o, _ := element.(map[string]any)
			id, ok := o["id"].(string)
			if !ok {
				continue
			}
			if id = strings.TrimFunc(id, isSpace); taken[id] {
				o["id"] = fmt.Sprintf("id%d.of.its.own", i)
			}
			taken[id] = true
		}
		return v
	}),
	examples: []example{
		{"arguments", `{"prompts":[` + namePrompt + `,` + namePrompt + `]}`},
		{"arguments", `{"prompts":[` + deletePrompt + `,` + strings.Replace(namePrompt, "name", "delete", 1) + `]}`},
		{"arguments", `{"prompts":{"id":"b","kind":"choice","question":"B?","options":[{"id":"x","label":"X"},{"id":"x","label":"Y"}]}}`},
		{"envelope", strings.Replace(wholeEnvelope, namePrompt, namePrompt+`,`+namePrompt, 1)},
	},
}, {
	name: "prompts in a string are prompts",
	why:  "by default, a validator does not look at JSON inside a string: see TestContent",
	fix: values(func(v any) any {
		if o, ok := v.(map[string]any); ok {
			if _, ok := o["prompts"].(string); ok {
				o["prompts"] = "[" + namePrompt + "]"
			}
		}
		return v
	}),
	examples: []example{
		{"arguments", `{"prompts":"Which bucket?"}`},
		{"arguments", `{"prompts":"[]"}`},
		{"arguments", `{"prompts":"[{}]"}`},
		{"arguments", `{"prompts":"null"}`},
		{"arguments", `{"prompts":"\"[]\""}`},
		{"arguments", `{"prompts":"` + strings.Repeat("[", clarify.MaxDepth+1) + strings.Repeat("]", clarify.MaxDepth+1) + `"}`},
	},
}, {
	name: "a text has at most MaxSize bytes",
	why:  "a schema sees the value, not the text",
	fix: func(text string) string {
		if len(text) <= clarify.MaxSize {
			return text
		}
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(text)); err != nil {
			return text
		}
		return b.String()
	},
	examples: []example{
		{"arguments", wholeCall + strings.Repeat(" ", clarify.MaxSize)},
		{"envelope", strings.Repeat("\n", clarify.MaxSize) + wholeEnvelope},
		{"answers", strings.Replace(wholeAnswers, ":", ":"+strings.Repeat("\t", clarify.MaxSize), 1)},
	},
}, {
	name: "arguments are UTF-8",
	why:  "a schema sees what the decoder made of the bytes; the lenient side reads them as U+FFFD too",
	fix:  func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") },
	examples: []example{
		{"arguments", strings.Replace(wholeCall, "Database", "Database\xff", 1)},
		{"arguments", "{\"\xed\xa0\x80\":1," + wholeCall[1:]},
	},
}, {
	name: "the lenient side trims a text like JavaScript's trim",
	why:  "a schema sees what the decoder accepts, and JSON has less white space",
	fix: func(text string) string {
		if _, err := decode(text); err == nil {
			return text
		}
		return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\uFEFF' })
	},
	examples: []example{
		{"envelope", "\uFEFF" + wholeEnvelope},
		{"envelope", wholeEnvelope + "\u00a0\v"},
		{"answers", "\u2028" + wholeAnswers},
	},
}, {
	name: "null is absent",
	why:  "envelope.json describes what is emitted, which is never null; arguments.json allows null",
	fix: values(func(v any) any {
		o, _ := v.(map[string]any)
		for key, member := range o {
			if member == nil {
				delete(o, key)
			}
		}
		return v
	}),
	examples: []example{
		{"envelope", strings.Replace(wholeEnvelope, "{", `{"title":null,`, 1)},
		{"envelope", strings.Replace(wholeEnvelope, `"id"`, `"hint":null,"required":null,"placeholder":null,"multiline":null,"id"`, 1)},
	},
}}

// isSpace reports whether the strict side trims r: what Python's strip or JavaScript's trim removes.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F || r == '\uFEFF' }

// values returns a function that fixes each value in a text, the inner values first. It returns the
// text itself if nothing changes.
func values(fix func(v any) any) func(text string) string {
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		}
		return fix(v)
	}
	return func(text string) string {
		v, err := decode(text)
		if err != nil {
			return text
		}
		before, err := json.Marshal(v)
		if err != nil {
			return text
		}
		after, err := json.Marshal(walk(v))
		if err != nil || bytes.Equal(before, after) {
			return text
		}
		return string(after)
	}
}
