package clarifymcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each row is an envelope and the form for it, byte by byte.
func TestForm(t *testing.T) {
	for name, test := range map[string]struct {
		envelope string
		revision string // "" is all
		want     string
	}{
		"choice": {
			envelope(choice), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"bucket":{"type":"string","title":"Which bucket?","description":"To delete.","oneOf":[{"const":"avatars","title":"Avatars — 64 files"},{"const":"uploads","title":"Uploads"}]}},"required":["bucket"]}`,
		},
		"choice, of old": {
			envelope(choice), "2025-06-18",
			`{"type":"object","properties":{"bucket":{"type":"string","title":"Which bucket?","description":"To delete.","enum":["avatars","uploads"],"enumNames":["Avatars — 64 files","Uploads"]}},"required":["bucket"]}`,
		},
		"optional choice": {
			envelope(optional(choice)), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"bucket":{"type":"string","title":"Which bucket?","description":"To delete.","oneOf":[{"const":"avatars","title":"Avatars — 64 files"},{"const":"uploads","title":"Uploads"}]}}}`,
		},
		"choices": {
			envelope(choices), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"regions":{"type":"array","title":"Which regions?","items":{"anyOf":[{"const":"fra","title":"Frankfurt"},{"const":"nyc","title":"New York"},{"const":"syd","title":"Sydney"}]},"minItems":1}},"required":["regions"]}`,
		},
		"optional choices": {
			envelope(optional(choices)), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"regions":{"type":"array","title":"Which regions?","items":{"anyOf":[{"const":"fra","title":"Frankfurt"},{"const":"nyc","title":"New York"},{"const":"syd","title":"Sydney"}]}}}}`,
		},
		"choices, of old": {
			envelope(choices), "2025-06-18",
			`{"type":"object","properties":{"regions:fra":{"type":"boolean","title":"Frankfurt","description":"Which regions?"},"regions:nyc":{"type":"boolean","title":"New York","description":"Which regions?"},"regions:syd":{"type":"boolean","title":"Sydney","description":"Which regions?"}}}`,
		},
		"confirm": {
			envelope(`{"id":"ok","kind":"confirm","question":"Restart?"}`), "",
			`{"type":"object","properties":{"ok":{"type":"boolean","title":"Restart?","description":"Yes is “Confirm”, no is “Cancel”."}},"required":["ok"]}`,
		},
		"danger": {
			envelope(confirmDelete), "",
			`{"type":"object","properties":{"ok":{"type":"boolean","title":"Delete bucket avatars?","description":"Warning: destructive. Think twice. Yes is “Delete”, no is “Keep it”."}},"required":["ok"]}`,
		},
		"optional danger": {
			envelope(optional(confirmDelete)), "",
			`{"type":"object","properties":{"ok":{"type":"boolean","title":"Delete bucket avatars?","description":"Warning: destructive. Think twice. Yes is “Delete”, no is “Keep it”."}}}`,
		},
		"text": {
			envelope(textPrompt), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"name":{"type":"string","title":"Database name","description":"For example “main”.","minLength":1,"maxLength":26214,"default":"db"}},"required":["name"]}`,
		},
		"text, of old": {
			envelope(textPrompt), "2025-06-18",
			`{"type":"object","properties":{"name":{"type":"string","title":"Database name","description":"For example “main”. Suggested: “db”.","minLength":1,"maxLength":26214}},"required":["name"]}`,
		},
		"optional text": {
			envelope(optional(textPrompt)), "",
			`{"type":"object","properties":{"name":{"type":"string","title":"Database name","description":"For example “main”. Suggested: “db”.","maxLength":26214}}}`,
		},
		"text and no more": {
			envelope(`{"id":"name","kind":"text","question":"Name?"}`), "",
			`{"type":"object","properties":{"name":{"type":"string","title":"Name?","minLength":1,"maxLength":26214}},"required":["name"]}`,
		},
		"in the order of the prompts": {
			envelope(`{"id":"z","kind":"text","question":"Z?"}`, `{"id":"a","kind":"confirm","question":"A?","required":false}`, `{"id":"m.x-y_1","kind":"text","question":"M?"}`), "",
			`{"type":"object","properties":{"z":{"type":"string","title":"Z?","minLength":1,"maxLength":26214},"a":{"type":"boolean","title":"A?","description":"Yes is “Confirm”, no is “Cancel”."},"m.x-y_1":{"type":"string","title":"M?","minLength":1,"maxLength":26214}},"required":["z","m.x-y_1"]}`,
		},
		"disguised": {
			envelope(`{"id":"ok","kind":"confirm","question":"Keep\u202e?\u001b[2J","hint":"a\tb\nc\rd","confirmLabel":"\u2066Yes","cancelLabel":"N\u0000o"}`), "",
			`{"type":"object","properties":{"ok":{"type":"boolean","title":"Keep�?�[2J","description":"a\tb\nc�d Yes is “�Yes”, no is “N�o”."}},"required":["ok"]}`,
		},
		"disguised options": {
			envelope(`{"id":"c","kind":"choice","question":"?","options":[{"id":"a","label":"A\u202e","description":"\u0007"},{"id":"b","label":"B"}]}`), "2025-11-25 2026-07-28",
			`{"type":"object","properties":{"c":{"type":"string","title":"?","oneOf":[{"const":"a","title":"A� — �"},{"const":"b","title":"B"}]}},"required":["c"]}`,
		},
		"disguised text": {
			envelope(`{"id":"t","kind":"text","question":"?","placeholder":"\u0007","defaultValue":"\u202eb"}`), "",
			`{"type":"object","properties":{"t":{"type":"string","title":"?","description":"For example “�”. Suggested: “�b”.","minLength":1,"maxLength":26214}},"required":["t"]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			of := revisions
			if test.revision != "" {
				of = strings.Fields(test.revision)
			}
			for _, revision := range of {
				p := form{parse(t, test.envelope), revision}.params()
				got, err := json.Marshal(p.RequestedSchema)
				require.NoError(t, err)
				assert.Equal(t, test.want, string(got), revision)
				assert.Equal(t, "form", p.Mode)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	question := `{"id":"a","kind":"text","question":"A\u202e?"}`
	for envelope, want := range map[string]string{
		envelope(question): "A�?",
		envelope(question, strings.Replace(question, `"a"`, `"b"`, 1)):                     "Please answer these questions.",
		strings.Replace(envelope(question), `"prompts"`, `"title":"T\u001b","prompts"`, 1): "T�",
	} {
		assert.Equal(t, want, form{parse(t, envelope), revisionTitles}.params().Message, envelope)
	}
}
