// Package clarifymcp brings the clarify protocol to servers of the Model
// Context Protocol that are written with its official Go SDK. There are two
// ways to ask:
//
//   - [AddTool] adds the clarify tool to a server. A model calls it, its result
//     is the envelope, and a Console shows that. The server asks nobody.
//   - [Asker.Ask] asks the person in front of the client from within a tool,
//     through the client's own form (elicitation). Clients that know nothing
//     of clarify can show one.
//
// # What a form cannot carry
//
// A form of MCP has fewer fields than the protocol. So a form shows as plain
// words, in English, in the field's description: the danger of a confirm and
// the labels of its two buttons (the field itself is true or false), and the
// placeholder of a text. The description of an option follows its label. Of
// multiline nothing is left. Control and direction characters in what is shown
// become U+FFFD.
//
// A confirm and a choice never have a default. The default value of a text is
// the field's default only where the text is required. Some clients, and the
// SDK, put a field's default in for a field that was left out: of a text that
// may be left out it would become an answer that nobody gave. There it is a
// suggestion in words, and so it is for clients that speak 2025-06-18, which
// has no such default.
//
// That revision has no multiple choice either: there each option is a field of
// its own, true or false, and the form cannot demand one.
//
// # What comes back
//
// What the client sends is not trusted. It is made into the answers of the
// protocol as it is, and [clarify.Envelope.Read] judges them: a value that was
// not offered, one of a wrong type, or a field that was not in the form is a
// violation, and with one [clarify.Reply.Proceed] is false. A field that is
// left out, null, an empty string or an empty list is not answered. Nothing
// confirms but a form that was accepted and holds true.
//
// # Time
//
// Clients that speak 2026-07-28 get the question as the result of the call, and
// call again with the answer: no call waits for the person, who has a day.
// Older clients are asked within the call, and many give up on it after a
// minute. So Ask gives up first, see [Options], with an outcome that the model
// can read. Meanwhile it reports progress to clients that want it.
package clarifymcp

import (
	"context"
	"encoding/json"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AddTool adds the clarify tool to the server, its arguments declared in the
// given form. It is [clarify.Call]: the result of a call is the envelope, as
// text in its canonical bytes and as structured content. The result of a call
// that is refused is an error for the model to read, with isError set.
func AddTool(server *mcp.Server, form clarify.ToolForm) {
	no := false
	server.AddTool(&mcp.Tool{
		Name:         clarify.ToolName,
		Title:        "Ask the user",
		Description:  clarify.ToolDescription(),
		InputSchema:  json.RawMessage(clarify.ToolSchema(form)),
		OutputSchema: json.RawMessage(clarify.EnvelopeSchema()),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, call)
}

func call(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	result, err := clarify.Call(req.Params.Arguments)
	if err != nil {
		return &mcp.CallToolResult{Content: text(result), IsError: true}, nil
	}
	return &mcp.CallToolResult{Content: text(result), StructuredContent: json.RawMessage(result)}, nil
}

func text(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
