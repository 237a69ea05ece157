// Command example is an MCP server on standard input and output. It keeps two
// buckets in memory and has three tools:
//
//   - clarify returns the questions, for a Console to show;
//   - ask asks the same kind of questions in the client's form;
//   - delete_bucket deletes a bucket, but only after the user has confirmed
//     that in the client's form.
//
// The flag -timeout is for clients that wait longer than a minute for a call.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"sync"

	clarify "github.com/clarify-protocol/clarify-go"
	clarifymcp "github.com/clarify-protocol/clarify-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	timeout := flag.Duration("timeout", clarifymcp.DefaultTimeout, "how long to wait for a person within a call")
	flag.Parse()
	server := newServer(&clarifymcp.Options{Timeout: *timeout})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func newServer(options *clarifymcp.Options) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "buckets", Version: "v1.0.0"}, nil)
	asker := clarifymcp.NewAsker(server, options)
	b := &buckets{files: map[string]int{"avatars": 64, "uploads": 12}}

	clarifymcp.AddTool(server, clarify.StringPrompts)

	server.AddTool(&mcp.Tool{
		Name:        "ask",
		Description: "Ask the user one to five questions in a form, and get the answers.",
		InputSchema: json.RawMessage(clarify.ToolSchema(clarify.TypedPrompts)),
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		envelope, err := clarify.ParseCall(req.Params.Arguments)
		if err != nil {
			return failed(clarify.ErrorResult(err)), nil
		}
		answer, err := asker.Ask(ctx, req, envelope)
		if err != nil {
			return failed(err.Error()), nil
		}
		return answer.Result(), nil
	})

	type input struct {
		Bucket string `json:"bucket" jsonschema:"the id of the bucket"`
	}
	mcp.AddTool(server, &mcp.Tool{
		Name:        "delete_bucket",
		Description: "Delete a bucket and all of its files. The user is asked first.",
	}, func(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		question, err := b.question(in.Bucket)
		if err != nil {
			return nil, nil, err
		}
		answer, err := asker.Ask(ctx, req, question)
		if err != nil || !answer.Proceed() {
			return answer.Result(), nil, err
		}
		if err := b.delete(in.Bucket); err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "deleted " + in.Bucket}}}, nil, nil
	})
	return server
}

func failed(why string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: why}}, IsError: true}
}

// buckets holds the number of files in each bucket.
type buckets struct {
	mu    sync.Mutex
	files map[string]int
}

// question asks whether to delete the bucket as it is now. If the number of
// files has changed when the answer comes, the answer is to another question.
func (b *buckets) question(id string) (*clarify.Envelope, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.files[id]
	if !ok {
		return nil, fmt.Errorf("there is no bucket %q", id)
	}
	return &clarify.Envelope{Prompts: []clarify.Prompt{{
		ID:       "confirm_delete",
		Question: fmt.Sprintf("Delete bucket %s and all of its %d files?", id, n),
		Hint:     "This cannot be undone.",
		Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
	}}}, nil
}

// delete deletes the bucket. It is an error if the bucket is already gone.
func (b *buckets) delete(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.files[id]; !ok {
		return fmt.Errorf("there is no bucket %q", id)
	}
	delete(b.files, id)
	return nil
}
