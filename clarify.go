// Package clarify implements appwrite.clarify/v1, a protocol with which an AI
// agent asks its user instead of guessing.
//
// The agent calls a tool named clarify with one to five prompts: a choice, a
// confirm or a text. The tool returns an [Envelope]. A Console, the front end
// of the agent, shows the envelope as a form. The user's answers are the next
// user message. The package has a strict side for the agent's engine and a
// lenient side for the Console. The engine accepts only what every Console can
// show. The Console shows what it can and leaves out the rest.
//
// # The wire
//
// The result of the tool, with one prompt of each kind:
//
//	{"protocol": "appwrite.clarify/v1", "title": "Clean up", "prompts": [
//	  {"id": "bucket", "kind": "choice", "question": "Which bucket?",
//	   "options": [{"id": "a", "label": "Avatars"}, {"id": "u", "label": "Uploads"}]},
//	  {"id": "delete", "kind": "confirm", "question": "Delete it?", "danger": true},
//	  {"id": "note", "kind": "text", "question": "Why?", "required": false}]}
//
// The user's answers to it:
//
//	{"protocol": "appwrite.clarify/v1", "answers": [
//	  {"id": "bucket", "kind": "choice", "values": ["a"]},
//	  {"id": "delete", "kind": "confirm", "confirmed": true},
//	  {"id": "note", "kind": "text", "value": "It is empty."}]}
//
// # The engine
//
// Declare the tool to the model with [ToolName], [ToolDescription] and
// [ToolSchema]. A [Conversation] keeps what an engine has to know between two
// messages of the user:
//
//	var talk clarify.Conversation
//
//	reply := talk.Message(message) // the user's message: a turn begins
//	tellModel(reply.ForModel())
//
//	event, err := talk.Call(callID, arguments) // the model calls the tool: event.Output is for it, the event for the Console
//
//	question := deletion("avatars") // an Envelope in the engine's own words, for what cannot be undone
//	if talk.Use(question) {         // true once, if the message confirmed exactly this question
//		deleteBucket("avatars")
//	} else {
//		event, err = talk.Ask(callID, question)
//	}
//
// If a call is refused, the result names every problem, so that the model can fix
// everything in one retry. After a successful call the turn ends: nothing changes
// before the user's next message. If a model makes several calls in one response,
// run those of the tool first, and refuse to change anything if
// [Conversation.Asking] is true.
//
// What a model writes above a button need not be what the button does. So the engine
// asks itself about what cannot be undone, with a confirm that has Danger, and a yes to
// words of the model allows nothing. An id stands for one question in a conversation,
// so use an id that says what it is about, such as delete.avatars. [ParseCall],
// [Envelope.Result] and [Envelope.Read] are the parts of this, for an engine that needs
// no more.
//
// # The Console
//
// [ParseEvent] reads an event of the timeline and [Event.Envelope] the question
// in it; [Parse] reads the output of a tool. Valid prompts are kept even if
// others are invalid, and [Envelope.Skipped] lists what was left out. To show a
// prompt, switch on the type of its Input: [*Choice], [*Confirm] or [*Text].
//
// [Envelope.FormAnswers] turns a submitted form into [Answers]. Their JSON is the
// next user message, and [Envelope.Summary] is the text to show to people. The package
// [github.com/clarify-protocol/clarify-go/htmlform] makes the form, in HTML.
// A [Conversation] that gets the events and messages knows which question waits for an
// answer: show [Conversation.Pending]. [Envelope.Lint] warns of text that could disguise
// a question. Store the output as it came, not the Envelope that was read from it.
//
// # The next user message
//
// [Envelope.Read] reads structured answers and, strictly, answers in words such as
// "sure: confirmed". Anything else is chat: it answers nothing and refuses
// nothing. Silence, a default value, a string "true" and a sentence never count
// as yes. A prompt with danger is confirmed only by its id with its label or the word
// confirmed, or by structured answers.
//
// [Reply.Proceed] reports whether the engine may do what it asked about.
// [Reply.State] says in one value how far the reply got, from [StateNothingAsked]
// to [StateConfirmed]; use it where no confirm was asked. [Reply.Decision],
// [Reply.Values] and [Reply.Text] return single answers.
//
// # Canonical bytes
//
// [Envelope.Result] and the AppendJSON methods write the bytes that JavaScript's
// JSON.stringify writes, the same on every Go version. json.Marshal does not: it
// escapes <, > and & once more, and differs between Go versions. Encoding fails
// with [ErrCannotEncode] for a value that Parse would not read back unchanged.
//
// # Limits and compatibility
//
// The limits are constants of this package; lengths are in code points. Text
// beyond [MaxSize] bytes or [MaxDepth] levels is refused. All rules, and the
// differences to the Python and TypeScript implementations, are in
// https://github.com/clarify-protocol/clarify-go/blob/main/docs/rules.md.
//
// The wire does not change. The values of [Code], [Part] and [Rule] are stable;
// the texts of errors, of [Reply.ForModel] and of [ToolDescription] are not.
// Before v1.0 the Go API may change between minor versions. The two latest Go
// releases are supported. Functions and methods are safe for concurrent use,
// except UnmarshalJSON, which changes its receiver.
package clarify

import "github.com/clarify-protocol/clarify-go/internal/jsontext"

// Protocol is the wire id of the protocol.
const Protocol = "appwrite.clarify/v1"

// protocolFamily is what the ids of all its versions start with.
const protocolFamily = "appwrite.clarify/"

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
