package clarify

import "github.com/clarify-protocol/clarify-go/internal/jsontext"

// Limits of the strict side. The numbers of prompts and options and the form of
// ids are the contract's. The lengths, in code points, are those of the existing
// engine.
const (
	MinPrompts = 1
	MaxPrompts = 5
	MinOptions = 2 // on the lenient side too
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
	MaxSize      = 1 << 20           // bytes of a call's arguments, of a tool's output and of a user message
	MaxDepth     = jsontext.MaxDepth // 10,000 levels of nested arrays and objects, as in encoding/json
	MaxEventSize = 8 << 20           // bytes of a timeline event
)
