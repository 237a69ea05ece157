package clarify

import "fmt"

// A ToolForm is a way to declare the tool's arguments to a model. [Call] takes
// what any of them yields.
type ToolForm uint8

const (
	// StringPrompts is the contract's form: prompts is a JSON string.
	StringPrompts ToolForm = iota
	// TypedPrompts declares prompts as an array of objects, for models that do
	// better with one. Like StringPrompts it is plain enough for every
	// provider: no $ref, no oneOf, no const, no list of types, and the limits
	// stand in the descriptions.
	TypedPrompts
	// StrictPrompts is TypedPrompts for providers whose strict mode wants every
	// field required, null where it may be absent, and no other fields. Others
	// refuse it.
	StrictPrompts
)

// ToolSchema returns the JSON Schema of the tool's arguments in the given form,
// to hand to a model's provider as it is. An unknown form is StringPrompts.
func ToolSchema(form ToolForm) []byte {
	switch form {
	case TypedPrompts:
		return schema("tool-typed")
	case StrictPrompts:
		return schema("tool-strict")
	}
	return schema("tool-string")
}

// ToolDescription returns the description of the tool for the model: when to
// ask, when not to, and what to do after it.
func ToolDescription() string {
	return fmt.Sprintf(`Ask the user instead of guessing. Use it when a detail that the task needs is missing or ambiguous, such as which resource is meant, an id, a name or a permission, and always before anything destructive or irreversible: then with a %q prompt and danger set to true. Do not use it for what you can look up with another tool, for what the user has said already, or for small talk.
Put everything you need to know into one call, %d to %d prompts, rather than asking again and again. Offer the real options: never a made-up id.
The user sees a form. After a successful call stop: change nothing in this turn, say in one short sentence that you need an answer, and wait. The answer comes with the user's next message. No answer, an unclear one or a cancel is not a yes.
If the result starts with %q, nothing was shown: mend every problem it names and call again.`, KindConfirm, MinPrompts, MaxPrompts, errorPrefix)
}
