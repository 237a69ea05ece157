// Package clarifymcp brings the clarify protocol to servers of the Model Context
// Protocol (MCP) that use its official Go SDK. With clarify, an agent asks its
// user instead of guessing. Package [clarify] has the questions, the answers and
// the rules for reading them.
//
// A server can ask in two ways:
//
//   - [AddTool] adds the clarify tool. A model calls it, and the result is the
//     envelope, which holds the questions. A Console, the program in front of the
//     user, shows them and sends the answers as the next message.
//   - [Asker.Ask] asks during a call of any other tool, in a form that the client
//     shows. MCP calls this elicitation. The client need not know clarify.
//
// This server does both. The command
// [github.com/clarify-protocol/clarify-go/mcp/example] is a larger one.
//
//	package main
//
//	import (
//		"context"
//		"log"
//
//		clarify "github.com/clarify-protocol/clarify-go"
//		clarifymcp "github.com/clarify-protocol/clarify-go/mcp"
//		"github.com/modelcontextprotocol/go-sdk/mcp"
//	)
//
//	func main() {
//		server := mcp.NewServer(&mcp.Implementation{Name: "buckets", Version: "v1.0.0"}, nil)
//		clarifymcp.AddTool(server, clarify.StringPrompts)
//		asker := clarifymcp.NewAsker(server, nil)
//
//		type input struct {
//			Bucket string `json:"bucket"`
//		}
//		mcp.AddTool(server, &mcp.Tool{Name: "delete_bucket", Description: "Delete a bucket. The user is asked first."},
//			func(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
//				answer, err := asker.Ask(ctx, req, &clarify.Envelope{Prompts: []clarify.Prompt{{
//					ID:       "confirm_delete",
//					Question: "Delete bucket " + in.Bucket + "?",
//					Input:    &clarify.Confirm{ConfirmLabel: "Delete", Danger: true},
//				}}})
//				if err != nil || !answer.Proceed() {
//					return answer.Result(), nil, err // the question itself, or why nothing was done
//				}
//				// Delete the bucket here, once.
//				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "deleted " + in.Bucket}}}, nil, nil
//			})
//		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # Promises
//
//   - Only an accepted form that holds true for a confirm confirms it. A form that
//     is declined, closed or not answered in time confirms and refuses nothing.
//   - What the client sends is not trusted. [clarify.Envelope.Read] judges it as
//     it was sent. A value that was not offered, a value of a wrong type and a
//     field that was not in the form are violations. If there is one,
//     [clarify.Reply.Proceed] is false.
//   - A field that is missing, null, an empty string or an empty list is not
//     answered.
//   - From revision 2026-07-28 on, an answer counts once, and only for the
//     question, the tool, the arguments and the user that it was given for; see
//     [Asker.Ask].
//   - The clarify tool returns what [clarify.Call] returns, byte for byte.
//
// # What a form shows
//
// A form of MCP can express less than an envelope. The description of a field
// says the rest in English words:
//
//   - A confirm is a field that is true or false. Its description warns of
//     danger, and gives the labels for yes and no.
//   - The description of an option follows its label.
//   - The placeholder of a text is an example.
//   - Nothing shows that a text is multiline.
//
// Control characters, except tabs and line feeds, and characters that change the
// direction of text become U+FFFD.
//
// A confirm and a choice never have a default. A text has one only if it is
// required. Some clients, and the SDK, fill in the default of a field that was
// left out. For an optional text that would be an answer that nobody gave, so its
// default value is a suggestion in the description. It is one also if it holds a
// character that becomes U+FFFD, and for clients that speak revision 2025-06-18,
// which has no such defaults.
//
// Revision 2025-06-18 has no multiple choice either. Each option is a field of its
// own there, true or false, and the form cannot require an answer.
//
// # Time
//
// Clients that speak revision 2026-07-28 get the question as the result of the
// call, and call again with the answer. No call waits for the person, who has 24
// hours. Older clients wait for the answer within the call, and many give up after
// 60 seconds. So Ask gives up before that, with an outcome that the model can
// read; see [Options]. While it waits, it reports progress to clients that ask for
// it.
package clarifymcp

import (
	"context"
	"encoding/json"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AddTool adds the clarify tool to the server. The form says how the tool's
// schema declares the arguments. The tool returns what [clarify.Call] returns:
// the envelope, as text in its canonical bytes and as structured content. If the
// arguments are refused, the text is the error for the model, and isError is set.
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
