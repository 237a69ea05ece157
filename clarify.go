package clarify

// Protocol is the wire id of the protocol.
const Protocol = "appwrite.clarify/v1"

// protocolFamily is what the ids of all its versions start with.
const protocolFamily = "appwrite.clarify/"

// ToolName is the name of the tool that an agent calls to ask. Compare names
// with [IsTool].
const ToolName = "clarify"

// Limits of the strict side, from the contract. Lengths are in code points.
const (
	MinPrompts = 1
	MaxPrompts = 5
	MinOptions = 2 // the lenient side's too
	MaxOptions = 12

	MaxID           = 64
	MaxTitle        = 120
	MaxQuestion     = 500
	MaxHint         = 500
	MaxLabel        = 120 // of an option, and of a confirm's two buttons
	MaxDescription  = 300
	MaxPlaceholder  = 200
	MaxDefaultValue = 2000
)

// Limits of both sides.
const (
	MaxSize      = 1 << 20 // bytes of a call's arguments, of a tool's output and of a user message
	MaxDepth     = 10_000  // levels of nested arrays and objects, as in encoding/json
	MaxEventSize = 8 << 20 // bytes of a timeline event
)

// IDPattern is what the id of a prompt and of an option matches.
const IDPattern = `^[a-z][a-z0-9_.-]{0,63}$`

// The labels of a confirm that names none.
const (
	DefaultConfirmLabel = "Confirm"
	DefaultCancelLabel  = "Cancel"
)

// Call is the whole tool: it reads the arguments of a call and returns what the
// tool returns, which is the canonical JSON of an envelope or, where err is not
// nil, the text of [ErrorResult]. The error is a [*ValidationError].
func Call(arguments []byte) (result string, err error) {
	e, err := ParseCall(arguments)
	if err != nil {
		return ErrorResult(err), err
	}
	return string(e.append(make([]byte, 0, len(arguments)))), nil
}
