package clarifymcp

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func toolClient(t *testing.T, revision string, form clarify.ToolForm) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(program, nil)
	AddTool(server, form)
	return connect(t, server, revision, nil)
}

func callTool(t *testing.T, cs *mcp.ClientSession, arguments any) *mcp.CallToolResult {
	t.Helper()
	result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: clarify.ToolName, Arguments: arguments})
	require.NoError(t, err, "a protocol error")
	return result
}

func sameJSON(t *testing.T, want []byte, got any) {
	t.Helper()
	b, err := json.Marshal(got)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(b))
}

func TestToolDefinition(t *testing.T) {
	for _, form := range []clarify.ToolForm{clarify.StringPrompts, clarify.TypedPrompts, clarify.StrictPrompts} {
		list, err := toolClient(t, revisionRounds, form).ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Tools, 1)
		tool := list.Tools[0]
		assert.Equal(t, clarify.ToolName, tool.Name)
		assert.Equal(t, clarify.ToolDescription(), tool.Description)
		sameJSON(t, clarify.ToolSchema(form), tool.InputSchema)
		sameJSON(t, clarify.EnvelopeSchema(), tool.OutputSchema)
		assert.Equal(t, &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}, tool.Annotations)
	}
}

// Over the wire the tool returns what clarify.Call returns.
func TestToolVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/engine.jsonl")
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(clarify.EnvelopeSchema(), &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	for _, revision := range revisions {
		cs := toolClient(t, revision, clarify.StringPrompts)
		count := map[bool]int{}
		for line := range bytes.Lines(data) {
			var v struct {
				Name string
				Args json.RawMessage
				OK   bool
			}
			require.NoError(t, json.Unmarshal(line, &v))
			count[v.OK]++
			result := callTool(t, cs, v.Args)
			want, _ := clarify.Call(v.Args)
			assert.Equal(t, want, said(t, result), v.Name)
			assert.Equal(t, !v.OK, result.IsError, v.Name)
			if !v.OK {
				assert.Nil(t, result.StructuredContent, v.Name)
				continue
			}
			sameJSON(t, []byte(want), result.StructuredContent)
			assert.NoError(t, resolved.Validate(result.StructuredContent), v.Name)
		}
		assert.NotZero(t, count[true])
		assert.NotZero(t, count[false])
	}
}

// A call without usable arguments is refused like any other.
func TestToolWithoutArguments(t *testing.T) {
	cs := toolClient(t, revisionRounds, clarify.StringPrompts)
	for _, arguments := range []any{nil, json.RawMessage("null"), json.RawMessage("[]"), json.RawMessage(`"prompts"`), json.RawMessage("{}")} {
		result := callTool(t, cs, arguments)
		assert.True(t, result.IsError, "%s", arguments)
		assert.Regexp(t, "^Error: invalid clarify prompts — ", said(t, result), "%s", arguments)
	}
}
