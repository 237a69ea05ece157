package main

import (
	"context"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	clarify "github.com/clarify-protocol/clarify-go"
)

// claude is a conversation over Anthropic's Messages API.
type claude struct {
	client anthropic.Client
	params anthropic.MessageNewParams // with all messages so far
	stream bool
}

func newClaude(client anthropic.Client, name string, form clarify.ToolForm, stream bool) *claude {
	m := &claude{client: client, stream: stream, params: anthropic.MessageNewParams{
		Model:     name,
		MaxTokens: 4096,
		System:    []anthropic.TextBlockParam{{Text: instructions}},
	}}
	for _, t := range tools(form) {
		m.params.Tools = append(m.params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        t.name,
			Description: anthropic.String(t.description),
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](t.schema),
			Strict:      anthropic.Bool(form == clarify.StrictPrompts),
		}})
	}
	return m
}

func (m *claude) next(ctx context.Context, results []result, user string) (response, error) {
	var content []anthropic.ContentBlockParamUnion
	for _, r := range results { // results have to come first
		content = append(content, anthropic.NewToolResultBlock(r.id, r.text, r.isError))
	}
	if user != "" {
		content = append(content, anthropic.NewTextBlock(user))
	}
	m.params.Messages = append(m.params.Messages, anthropic.NewUserMessage(content...))
	message, err := m.complete(ctx)
	if err != nil {
		return response{}, err
	}
	if message.StopReason != anthropic.StopReasonEndTurn && message.StopReason != anthropic.StopReasonToolUse {
		return response{}, fmt.Errorf("anthropic: the response ended with %q: a call may be missing", message.StopReason)
	}
	m.params.Messages = append(m.params.Messages, message.ToParam())
	var out response
	for _, block := range message.Content {
		switch block := block.AsAny().(type) {
		case anthropic.TextBlock:
			out.text += block.Text
		case anthropic.ToolUseBlock:
			out.calls = append(out.calls, call{block.ID, block.Name, block.Input})
		}
	}
	return out, nil
}

// complete returns the whole response. A program could show the text as it
// arrives, but it must not run a call before it has all: the last one may be a
// question.
func (m *claude) complete(ctx context.Context) (*anthropic.Message, error) {
	if !m.stream {
		return m.client.Messages.New(ctx, m.params)
	}
	stream := m.client.Messages.NewStreaming(ctx, m.params)
	defer stream.Close()
	var all anthropic.Message
	for stream.Next() {
		if err := all.Accumulate(stream.Current()); err != nil {
			return nil, err
		}
	}
	return &all, stream.Err()
}
