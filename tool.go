package clarify

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// ToolName is the name of the tool that an agent calls to ask. Compare names with
// [IsTool].
const ToolName = "clarify"

// IsTool reports whether name is the name of the clarify tool, apart from white
// space around it and case.
func IsTool(name string) bool {
	return strings.EqualFold(text.Trim(name, text.ScriptSpace), ToolName)
}

// Call is the whole tool: [ParseCall] and then [Envelope.Result] or
// [ErrorResult]. result is what the tool returns in either case. The error says
// why the call was refused; it is a [*ValidationError].
func Call(arguments []byte) (result string, err error) {
	e, err := ParseCall(arguments)
	if err != nil {
		return ErrorResult(err), err
	}
	return string(e.append(make([]byte, 0, len(arguments)))), nil
}

// A ToolForm is a way to declare the tool's arguments to a model. [Call] accepts
// the arguments of every form.
type ToolForm uint8

const (
	// StringPrompts is the contract's form: prompts is a JSON string.
	StringPrompts ToolForm = iota
	// TypedPrompts declares prompts as an array of objects, for models that do
	// better with one. Like StringPrompts, it is plain enough for every provider:
	// it has no $ref, oneOf, const or list of types, and states the limits in the
	// descriptions.
	TypedPrompts
	// StrictPrompts is TypedPrompts for providers whose strict mode requires every
	// field, with null for an absent one, and allows no other fields. Other
	// providers refuse it.
	StrictPrompts
)

// ToolSchema returns the JSON Schema of the tool's arguments in the given form, to
// hand to a model's provider unchanged. For an unknown form it returns that of
// StringPrompts.
func ToolSchema(form ToolForm) []byte {
	switch form {
	case TypedPrompts:
		return schema("tool-typed")
	case StrictPrompts:
		return schema("tool-strict")
	}
	return schema("tool-string")
}

// ToolDescription returns the description of the tool for the model: when to ask,
// when not to, and what to do afterwards.
func ToolDescription() string {
	return fmt.Sprintf(`Ask the user instead of guessing. Use it when a detail that the task needs is missing or ambiguous, such as which resource is meant, an id, a name or a permission, and always before anything destructive or irreversible: then with a %q prompt and danger set to true. Do not use it for what you can look up with another tool, for what the user has said already, or for small talk.
Put everything you need to know into one call, %d to %d prompts, rather than asking again and again. Offer the real options: never a made-up id. Write questions and labels in the user's language. Use another id for another question. Never ask for secrets: passwords, keys, tokens, card numbers, PINs.
The user sees a form. After a successful call stop: change nothing in this turn, say in one short sentence that you need an answer, and wait. The answer comes with the user's next message. No answer, an unclear one or a cancel is not a yes.
If the result starts with %q, nothing was shown: fix every problem it names and call again.`, KindConfirm, MinPrompts, MaxPrompts, failed)
}

// ArgumentsSchema returns the JSON Schema (draft 2020-12) of all arguments that
// [ParseCall] accepts, for a validator. For a model use [ToolSchema].
//
// A schema cannot say everything: it judges strings before they are trimmed, does
// not look into a prompts string, and does not know that ids are unique.
func ArgumentsSchema() []byte { return schema("arguments") }

// EnvelopeSchema returns the JSON Schema (draft 2020-12) of an envelope that the
// strict side emits, for the output schema of a tool.
func EnvelopeSchema() []byte { return schema("envelope") }

// AnswersSchema returns the JSON Schema (draft 2020-12) of answers of which
// [ParseAnswers] leaves nothing out. It does not see a key that is there twice, nor
// a text in an unknown member.
func AnswersSchema() []byte { return schema("answers") }

// schemas has the files of schema/. A test makes them from the constants and the
// rules of this package and compares.
//
//go:embed schema/*.json
var schemas embed.FS

func schema(name string) []byte {
	b, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		panic(err) // a test reads every file
	}
	return bytes.TrimSpace(b)
}
