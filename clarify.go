// Package clarify is the Go side of appwrite.clarify/v1, the protocol by which
// an AI agent asks its user instead of guessing.
//
// The agent calls a tool with one to five prompts: a choice, a confirm or a
// text. The tool returns an [Envelope], a Console shows it as a form, and what
// the user answers is the next user message. The package has a strict side for
// the agent's engine, which must never emit what a Console cannot show, and a
// lenient side for the Console, which must survive whatever a tool ever
// returned. Both see the same keys, duplicates and white space as the protocol's
// implementations in Python and TypeScript.
//
// # The wire
//
// An envelope with a prompt of each kind. Of a prompt id, kind and question are
// required, and a choice's options; required is true and the other flags are
// false unless given. Keys that are not spelled so are ignored:
//
//	{"protocol": "appwrite.clarify/v1", "title": "Clean up", "prompts": [
//	  {"id": "bucket", "kind": "choice", "question": "Which bucket?", "hint": "…", "required": true,
//	   "options": [{"id": "a", "label": "A", "description": "64 files"}, {"id": "b", "label": "B"}],
//	   "allowMultiple": false},
//	  {"id": "sure", "kind": "confirm", "question": "Delete it?",
//	   "confirmLabel": "Delete", "cancelLabel": "Keep it", "danger": true},
//	  {"id": "note", "kind": "text", "question": "Why?", "required": false,
//	   "placeholder": "…", "defaultValue": "…", "multiline": true}]}
//
// The tool's arguments are {"prompts": …, "title": …}, prompts being the array
// as a JSON string. The answers, and the event that brings an envelope:
//
//	{"protocol": "appwrite.clarify/v1", "answers": [
//	  {"id": "bucket", "kind": "choice", "values": ["a"]},
//	  {"id": "sure", "kind": "confirm", "confirmed": true},
//	  {"id": "note", "kind": "text", "value": "old"}]}
//
//	{"type": "tool_end", "agent": "…", "tool": "clarify", "run_id": "…", "failed": false, "output": "…"}
//
// # The engine's side
//
// Declare the tool to the model with [ToolName], [ToolDescription] and
// [ToolSchema]. When the model calls it, [Call] is the whole tool:
//
//	result, err := clarify.Call(arguments)
//
// The result goes back to the model in either case. If err is nil, it is the
// envelope: end the turn and change nothing before the user's next message. If
// not, it is one line that names every problem of the call, each with its path,
// what was got and what is wanted, so that the model can mend them all at once.
//
// An engine that asks by itself makes an [Envelope] and calls
// [Envelope.Result]; one that wants to know what it asked calls [ParseCall].
// Every zero value is the protocol's default.
//
// # The Console's side
//
// [ParseEvent] reads an event of the timeline, [Event.Envelope] what it asks,
// and [Parse] a tool's output by itself. Good prompts live, whatever stands
// beside them; [Envelope.Skipped] tells what was left out, so that the Console
// can say that two questions need a newer one. A type switch over
// [Prompt.Input] knows three kinds:
//
//	switch in := p.Input.(type) {
//	case *clarify.Choice:
//	case *clarify.Confirm:
//	case *clarify.Text:
//	}
//
// [Envelope.FormAnswers] makes [Answers] of a submitted form, their JSON is the
// next user message and [Answers.Summary] what people see of it. A [History]
// knows which question waits for an answer. [Envelope.Lint] finds what could
// disguise a question. Store the output as it came, not what Parse made of it.
//
// # The next user message
//
// [Envelope.Read] reads the user's next message against what was asked, and
// where a confirm was asked [Reply.Proceed] says whether the engine may go on.
// What else was answered is in [Reply.Values] and [Reply.Text]:
//
//	reply := asked.Read(message)
//	if reply.Proceed() {
//		// Delete what asked was about, once.
//	}
//
// Silence, a default, a string "true" or a stray sentence is not a yes: whatever
// is in doubt answers nothing, and [Decision] has three values of which the
// zero one is [Undecided]. [Reply.ForModel] tells the model what was answered,
// what is missing and what was not understood.
//
// A message is read by the first of these that fits:
//
//	blank                             chat: nothing is answered, nothing refused
//	more than MaxSize bytes           chat
//	a JSON object with exactly our    structured: each entry is judged against its
//	protocol and an array answers     prompt; what does not fit is a violation
//	else, if it starts with { or [    chat
//	a prompt is answered in words     text
//	anything else                     chat
//
// White space is Unicode's, U+001C to U+001F and U+FEFF. A line ends with LF,
// CR, CRLF, VT, FF, U+0085, U+2028 or U+2029. Case is ignored for A to Z only.
// In words a prompt is answered by a line "[marker] id separator value":
//
//	marker      - or * or • or digits and a full stop, and white space; or none
//	id          exactly a prompt's; if not of IDPattern, also as a summary quotes it
//	separator   : or = or -> or →, with or without white space around it
//	value       the rest of the line and the indented lines right after it, each
//	            less two characters of white space; joined by LF, then trimmed
//
// An indented line never starts an answer; any other line ends the value.
//
//	kind      value                            answer                    rule
//	choice    the id of an option              that option               option_id
//	          else the label of just one       that option               label
//	          else 2 or 2. or 2)               the second, if no label   number
//	                                           or id is a number
//	          several: the whole value, else   those options; one part that does
//	          its parts between commas         not match leaves all unanswered
//	          several ids as in a summary      those options, before any label
//	confirm   confirmed, cancelled             that                      word
//	          the label of a button            what the button says      button
//	          yes or true, no or false         confirmed, cancelled      yes_no
//	          a word with two such meanings,   undecided
//	          or with a doubtful one
//	text      any, blank only if optional      the value                 text
//
//	only one prompt, nothing skipped,          the whole message may be the value: of
//	no line with its id                        a choice, of a confirm without danger
//	equal answers to a prompt                  count once
//	different answers to a prompt              leave it unanswered: a violation
//	an id of two prompts, or of two options    is never answered: a violation
//	whatever was not understood                is the remainder, in order
//	a danger is confirmed beside a remainder   it stays undecided: a violation
//	a confirm is cancelled                     nothing more is missing
//
// Doubtful is a word that looks like the label of the other button, or like its
// default label, case and what cannot be seen left aside: a button "Cancel" that
// confirms does not confirm in words. So is one of ours, such as yes, where the
// label of the other button begins with it.
//
// # Canonical form
//
// [Envelope.AppendJSON], [Envelope.Result] and [Answers.AppendJSON] write the
// bytes that JavaScript's JSON.stringify writes: protocol, title, prompts; in a
// prompt id, kind, question, hint, required, then the fields of its kind in the
// contract's order; defaults written out, absent strings left out, no white
// space. Only the quote, the backslash and what is below U+0020 is escaped. The
// same value gives the same bytes on every Go version.
//
// That holds for these methods, not for encoding/json: json.Marshal escapes
// what a MarshalJSON returned once more (<, > and &, U+2028 and U+2029), and
// what it does differs between Go versions. What the lenient side would not read
// back identically has no encoding, and writing it is an error.
//
// # Limits and deviations
//
// The limits of the contract and of the existing engine are constants of this
// package; lengths are in code points. Bounds that neither has: [MaxSize] bytes
// and [MaxDepth] levels of nesting, on either side; [MaxEventSize] bytes of an
// event. Beyond them a text is refused, in constant memory. Within them time and
// memory are linear in the text, and of what was left out, or does not hold in a
// reply, the first 1,000 notes are kept.
//
// The package agrees with the existing engine and Console, but for this:
//
//   - A refused call names all its problems, not only the first: a model can
//     mend it in one round.
//   - U+FEFF is white space on the strict side: JavaScript's trim removes it, so
//     a question of nothing else could not be shown.
//   - A lone surrogate becomes U+FFFD on both sides: Go strings hold UTF-8. On
//     the lenient side so does every byte that is not UTF-8.
//   - The title stands before the prompts in the bytes, as in the contract's
//     examples.
//   - In a summary a value's further lines are indented, and an id outside
//     [IDPattern] is quoted: no value can pass for another answer.
//   - Size and depth are bounded, see above.
//
// # The two sides
//
// The strict side and the lenient side differ in this, and in nothing else:
//
//	                               strict: Call              lenient: Parse
//	the protocol                   not looked at             exactly Protocol
//	prompts in a string            decoded, once             not an envelope
//	a prompt outside an array      one prompt                not an envelope
//	white space around the text    JSON's                    JavaScript's trim
//	what is not JSON               syntax, and where         ErrMalformed, if ours
//	a text "Error: …"              syntax                    ErrToolFailed
//	beyond MaxSize                 too_large                 ErrNotEnvelope
//	beyond MaxDepth                too_deep                  ErrMalformed
//	invalid UTF-8                  refused                   U+FFFD
//	no usable prompt               too_few, or its faults    ErrNothingToShow
//	a prompt with a fault          refused                   left out, the others live
//	more than one fault in it      all are named             the first is, kind first
//	an option with a fault         refused                   left out, two have to stay
//	an optional string, not one    wrong_type                absent, noted
//	a flag that is not a boolean   wrong_type                its default, noted
//	the number of prompts          MinPrompts to MaxPrompts  at least one
//	the number of options          MinOptions to MaxOptions  at least MinOptions
//	what is beyond the most        not looked at             read
//	the length of a string         its limit                 none
//	an id                          matches IDPattern         is not blank
//	ids that repeat                duplicate_id              kept
//	white space of a string        Python's or JavaScript's  JavaScript's trim
//	a default value                trimmed, blank is absent  as it is
//
// On both sides keys match byte for byte, of duplicate keys the last wins, null is
// absent, and unknown fields and fields of another kind are ignored. White space to
// Python's strip but not to JavaScript's trim is U+001C to U+001F and U+0085.
//
// # Compatibility
//
// The wire is that of appwrite.clarify/v1 and does not change. The values of
// [Code], [Part] and [Rule] are stable; the texts of errors, of
// [Reply.ForModel] and of [ToolDescription] are not. Before v1.0 the Go API may
// change between minor versions; CHANGELOG.md says how. The two latest Go
// releases are supported. The package imports only the standard library, and
// all its functions and methods are safe for concurrent use, apart from those
// that change their receiver: UnmarshalJSON and the methods of [History].
package clarify

import "fmt"

// Protocol is the wire id of the protocol.
const Protocol = "appwrite.clarify/v1"

// protocolFamily is what the ids of all its versions start with.
const protocolFamily = "appwrite.clarify/"

// ToolName is the name of the tool that an agent calls to ask. Compare names
// with [IsTool].
const ToolName = "clarify"

// Limits of the strict side. The numbers of prompts and options and the form of
// ids are the contract's, the lengths, in code points, the existing engine's.
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
