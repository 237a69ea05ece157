package clarifymcp

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func toolClient(t *testing.T, revision string, form clarify.ToolForm) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "v1"}, nil)
	AddTool(server, form)
	ctx := context.Background()
	ct, st := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, st, nil); err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "v1"}, nil).Connect(ctx, ct, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

func TestToolDefinition(t *testing.T) {
	for _, form := range []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts, clarify.StrictPrompts} {
		list, err := toolClient(t, revisionRounds, form).ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != 1 {
			t.Fatalf("%d tools, want 1", len(list.Tools))
		}
		tool := list.Tools[0]
		if tool.Name != clarify.ToolName || tool.Description != clarify.ToolDescription() {
			t.Errorf("tool %q: %q", tool.Name, tool.Description)
		}
		sameJSON(t, tool.InputSchema, clarify.ToolSchema(form))
		sameJSON(t, tool.OutputSchema, clarify.EnvelopeSchema())
		if a := tool.Annotations; !a.ReadOnlyHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("annotations %+v", a)
		}
	}
}

func sameJSON(t *testing.T, got any, want []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(want, &v); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, v) {
		t.Errorf("got %v, want %v", got, v)
	}
}

// Over the wire the tool is what clarify.Call is.
func TestToolVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/engine.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(clarify.EnvelopeSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range revisions {
		cs := toolClient(t, revision, clarify.StringPrompts)
		accepted, refused := 0, 0
		for line := range bytes.Lines(data) {
			var v struct {
				Name string
				Args json.RawMessage
				OK   bool
			}
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			result, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: clarify.ToolName, Arguments: v.Args})
			if err != nil {
				t.Errorf("%s: a protocol error: %v", v.Name, err)
				continue
			}
			want, _ := clarify.Call(v.Args)
			if got := said(t, result); got != want {
				t.Errorf("%s: got %q, want %q", v.Name, got, want)
			}
			if result.IsError == v.OK {
				t.Errorf("%s: isError is %v", v.Name, result.IsError)
			}
			if !v.OK {
				refused++
				if result.StructuredContent != nil {
					t.Errorf("%s: an error has structured content", v.Name)
				}
				continue
			}
			accepted++
			sameJSON(t, result.StructuredContent, []byte(want))
			if err := resolved.Validate(result.StructuredContent); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%s: %d accepted, %d refused", revision, accepted, refused)
		}
	}
}

// What is no arguments at all is refused as the rest is.
func TestToolWithoutArguments(t *testing.T) {
	cs := toolClient(t, revisionRounds, clarify.StringPrompts)
	for name, arguments := range map[string]any{
		"none":    nil,
		"null":    json.RawMessage("null"),
		"a list":  json.RawMessage("[]"),
		"a word":  json.RawMessage(`"prompts"`),
		"nothing": json.RawMessage("{}"),
	} {
		result, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: clarify.ToolName, Arguments: arguments})
		if err != nil {
			t.Errorf("%s: a protocol error: %v", name, err)
			continue
		}
		if got := said(t, result); !result.IsError || !strings.HasPrefix(got, "Error: invalid clarify prompts — ") {
			t.Errorf("%s: isError %v, %q", name, result.IsError, got)
		}
	}
}
