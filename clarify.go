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
// [ToolSchema]. When the model calls it, read the arguments:
//
//	asked, err := clarify.ParseCall(arguments)
//	if err != nil {
//		return clarify.ErrorResult(err) // to the model, which calls again
//	}
//	result, err := asked.Result() // to the model and to the Console
//
// The text of [ErrorResult] names every problem of the call, so that the model
// can fix everything in one retry. After a successful call keep asked, end the
// turn, and change nothing before the user's next message. Then:
//
//	reply := asked.Read(message)
//	asked = nil // an answer acts once
//	if reply.Proceed() {
//		// Do what was asked about.
//	}
//	tellModel(reply.ForModel())
//
// An answer names the id of a prompt, not the question. So use another id for
// another action, such as delete.avatars, or compare [Envelope.Digest]: a late
// answer must not confirm a newer question. A confirm about something that cannot
// be undone needs Danger; an engine can set it before Result.
//
// An engine can also make an Envelope itself. [Envelope.Validate] checks it, and
// [Envelope.Normalized] returns it as the user will see it.
//
// # The Console
//
// [ParseEvent] reads an event of the timeline and [Event.Envelope] the question
// in it; [Parse] reads the output of a tool. Valid prompts are kept even if
// others are invalid, and [Envelope.Skipped] lists what was left out. To show a
// prompt, switch on the type of its Input: [*Choice], [*Confirm] or [*Text].
//
// [Envelope.FormAnswers] turns a submitted form into [Answers]. Their JSON is the
// next user message, and [Answers.Summary] is the text to show to people.
// [History] knows which question waits for an answer. [Envelope.Lint] warns of
// text that could disguise a question. Store the output as it came, not the
// Envelope that was read from it.
//
// # The next user message
//
// [Envelope.Read] reads structured answers and, strictly, answers in words such as
// "sure: confirmed". Anything else is chat: it answers nothing and refuses
// nothing. Silence, a default value, a string "true" and a sentence never count
// as yes. A prompt with danger is confirmed only by its id with a word or label
// that confirms, or by structured answers.
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
// except UnmarshalJSON and the methods of [History], which change their receiver.
package clarify

// Protocol is the wire id of the protocol.
const Protocol = "appwrite.clarify/v1"

// protocolFamily is what the ids of all its versions start with.
const protocolFamily = "appwrite.clarify/"
