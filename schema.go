package clarify

import (
	"bytes"
	"embed"
)

// schemas has the files of schema/. A test makes them from the constants and
// the rules of this package and compares.
//
//go:embed schema/*.json
var schemas embed.FS

func schema(name string) []byte {
	b, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		panic(err) // not a file of ours: a test reads all
	}
	return bytes.TrimSpace(b)
}

// ArgumentsSchema returns the JSON Schema (draft 2020-12) of all arguments that
// [ParseCall] takes, for a validator. For a model use [ToolSchema].
//
// A schema cannot say everything: it sees strings before they are trimmed,
// does not look into a prompts string, and knows nothing of unique ids.
func ArgumentsSchema() []byte { return schema("arguments") }

// EnvelopeSchema returns the JSON Schema (draft 2020-12) of an envelope that
// the strict side emits, for the output schema of a tool.
func EnvelopeSchema() []byte { return schema("envelope") }

// AnswersSchema returns the JSON Schema (draft 2020-12) of answers that are
// read with nothing left out.
func AnswersSchema() []byte { return schema("answers") }
