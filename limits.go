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

// IDPattern is what the id of a prompt and of an option matches. The contract has
// it.
const IDPattern = `^[a-z][a-z0-9_.-]{0,63}$`

// isID reports whether s matches IDPattern.
func isID(s string) bool {
	if s == "" || len(s) > MaxID || s[0] < 'a' || 'z' < s[0] {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if ('a' > c || c > 'z') && ('0' > c || c > '9') && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}
