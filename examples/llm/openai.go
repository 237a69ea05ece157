package main

import (
	"context"
	"errors"
	"fmt"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

// openAI is a conversation over OpenAI's Chat Completions API, which many other
// services support too.
type openAI struct {
	client openai.Client
	params openai.ChatCompletionNewParams // with all messages so far
	stream bool
}

func newOpenAI(client openai.Client, name string, form clarify.ToolForm, stream bool) *openAI {
	m := &openAI{client: client, stream: stream, params: openai.ChatCompletionNewParams{
		Model:    name,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(instructions)},
	}}
	for _, t := range tools(form) {
		function := shared.FunctionDefinitionParam{
			Name:        t.name,
			Description: openai.String(t.description),
			Strict:      openai.Bool(form == clarify.StrictPrompts),
		}
		function.SetExtraFields(map[string]any{"parameters": t.schema}) // a map would sort its keys
		m.params.Tools = append(m.params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	return m
}

func (m *openAI) next(ctx context.Context, results []result, user string) (response, error) {
	for _, r := range results {
		m.params.Messages = append(m.params.Messages, openai.ToolMessage(r.text, r.id))
	}
	if user != "" {
		m.params.Messages = append(m.params.Messages, openai.UserMessage(user))
	}
	completion, err := m.complete(ctx)
	switch {
	case err != nil:
		return response{}, err
	case len(completion.Choices) == 0:
		return response{}, errors.New("openai: no choices")
	}
	choice := completion.Choices[0]
	if choice.FinishReason != "stop" && choice.FinishReason != "tool_calls" {
		return response{}, fmt.Errorf("openai: the response ended with %q: a call may be missing", choice.FinishReason)
	}
	message := choice.Message
	m.params.Messages = append(m.params.Messages, message.ToParam())
	out := response{text: message.Content}
	for _, c := range message.ToolCalls {
		out.calls = append(out.calls, call{c.ID, c.Function.Name, []byte(c.Function.Arguments)})
	}
	return out, nil
}

// complete returns the whole response. A program could show the text as it
// arrives, but it must not run a call before it has all: the last one may be a
// question.
func (m *openAI) complete(ctx context.Context) (*openai.ChatCompletion, error) {
	if !m.stream {
		return m.client.Chat.Completions.New(ctx, m.params)
	}
	stream := m.client.Chat.Completions.NewStreaming(ctx, m.params)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			return nil, errors.New("openai: a chunk that does not fit the others")
		}
	}
	return &all.ChatCompletion, stream.Err()
}
