package clarifymcp_test

import (
	"context"
	"fmt"
	"log"

	clarify "github.com/clarify-protocol/clarify-go"
	clarifymcp "github.com/clarify-protocol/clarify-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect returns a client of the server. Its person fills in the form with content.
func connect(server *mcp.Server, content map[string]any) *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println("shown:", req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		},
	})
	ct, st := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), st, nil); err != nil {
		log.Fatal(err)
	}
	session, err := client.Connect(context.Background(), ct, nil)
	if err != nil {
		log.Fatal(err)
	}
	return session
}

func print(result *mcp.CallToolResult, err error) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
}

// This server has the clarify tool. A Console shows the result of a call.
func ExampleAddTool() {
	server := mcp.NewServer(&mcp.Implementation{Name: "buckets", Version: "v1.0.0"}, nil)
	clarifymcp.AddTool(server, clarify.StringPrompts)

	session := connect(server, nil)
	defer session.Close()
	print(session.CallTool(context.Background(), &mcp.CallToolParams{
		Name:      clarify.ToolName,
		Arguments: map[string]any{"prompts": `[{"id": "name", "kind": "text", "question": "Which name?"}]`},
	}))
	// Output:
	// {"protocol":"appwrite.clarify/v1","prompts":[{"id":"name","kind":"text","question":"Which name?","required":true,"multiline":false}]}
}

// This tool asks before it deletes.
func ExampleAsker_Ask() {
	server := mcp.NewServer(&mcp.Implementation{Name: "buckets", Version: "v1.0.0"}, nil)
	asker := clarifymcp.NewAsker(server, nil)
	type input struct {
		Bucket string `json:"bucket"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "delete_bucket", Description: "Delete a bucket. The user is asked first."},
		func(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			answer, err := asker.Ask(ctx, req, &clarify.Envelope{Prompts: []clarify.Prompt{{
				ID:       "confirm_delete",
				Question: "Delete bucket " + in.Bucket + " and all of its files?",
				Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
			}}})
			if err != nil || !answer.Proceed() {
				return answer.Result(), nil, err // the question itself, or why nothing was done
			}
			// Delete exactly this bucket here, once.
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "deleted " + in.Bucket}}}, nil, nil
		})

	session := connect(server, map[string]any{"confirm_delete": true})
	defer session.Close()
	print(session.CallTool(context.Background(), &mcp.CallToolParams{
		Name:      "delete_bucket",
		Arguments: map[string]any{"bucket": "avatars"},
	}))
	// Output:
	// shown: Delete bucket avatars and all of its files?
	// deleted avatars
}
