package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	aoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/openai/openai-go/v3"
	ooption "github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
)

// A said is one response of the scripted model.
type said struct {
	text  string
	calls []call // arguments as the model wrote them; ids are made up
	cut   bool   // the limit of tokens was reached
	torn  bool   // the connection ends before the response does
	fails bool   // the service fails; in a stream, at its end
}

// calls returns a response that calls tools: name, arguments, name, arguments…
func calls(nameAndArguments ...string) said {
	var s said
	for pair := range slices.Chunk(nameAndArguments, 2) {
		s.calls = append(s.calls, call{name: pair[0], arguments: []byte(pair[1])})
	}
	return s
}

// A service uses a provider's wire format and refuses what the provider refuses.
type service struct {
	t      *testing.T
	stream bool
	script []said // the responses, one for each request

	bodies  [][]byte // of the requests
	heard   []heard  // the end of the conversation in each request
	lastIDs []string // of the calls in the last response
	number  int      // of the last call, for its id
}

// A heard is the end of the conversation in a request: the results of the last
// calls, in order, and the user's message.
type heard struct {
	results []result
	user    string
}

// A wire is a provider's wire format.
type wire struct {
	name  string
	model func(url string, form clarify.ToolForm, stream bool) model
	path  string
	read  func(s *service, body []byte) (heard, error)
	write func(s *service, w http.ResponseWriter, r said)
}

var wires = []wire{
	{"openai", func(url string, form clarify.ToolForm, stream bool) model {
		return newOpenAI(openai.NewClient(ooption.WithBaseURL(url), ooption.WithAPIKey("key"), ooption.WithMaxRetries(0)), "test", form, stream)
	}, "/chat/completions", readOpenAI, writeOpenAI},
	{"anthropic", func(url string, form clarify.ToolForm, stream bool) model {
		return newClaude(anthropic.NewClient(aoption.WithBaseURL(url), aoption.WithAPIKey("key"), aoption.WithMaxRetries(0)), "test", form, stream)
	}, "/v1/messages", readAnthropic, writeAnthropic},
}

func (s *service) serve(w wire) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && (r.Method != http.MethodPost || r.URL.Path != w.path) {
			err = fmt.Errorf("%s %s", r.Method, r.URL.Path)
		}
		var h heard
		if err == nil {
			h, err = w.read(s, body)
		}
		if err == nil && len(s.script) == 0 {
			err = fmt.Errorf("a request that the script does not have")
		}
		if err != nil {
			s.t.Errorf("the service refuses: %v\n%s", err, body)
			rw.WriteHeader(http.StatusBadRequest)
			return
		}
		s.bodies = append(s.bodies, body)
		s.heard = append(s.heard, h)
		next := s.script[0]
		s.script = s.script[1:]
		next.calls = slices.Clone(next.calls)
		s.lastIDs = nil
		for i := range next.calls {
			s.number++
			next.calls[i].id = fmt.Sprintf("call_%d", s.number)
			s.lastIDs = append(s.lastIDs, next.calls[i].id)
		}
		if next.fails && !s.stream {
			rw.WriteHeader(http.StatusServiceUnavailable)
			rw.Write(marshal(serviceError))
			return
		}
		if s.stream {
			rw.Header().Set("Content-Type", "text/event-stream")
		} else {
			rw.Header().Set("Content-Type", "application/json")
		}
		w.write(s, rw, next)
	}))
	s.t.Cleanup(server.Close)
	return server
}

// onEach runs a conversation in each provider's format, with and without
// streaming. The whole script has to be used.
func onEach(t *testing.T, script []said, run func(t *testing.T, a *agent, s *service)) {
	t.Helper()
	for _, w := range wires {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", w.name, stream), func(t *testing.T) {
				on(t, w, stream, clarify.StringPrompts, script, run)
			})
		}
	}
}

func on(t *testing.T, w wire, stream bool, form clarify.ToolForm, script []said, run func(t *testing.T, a *agent, s *service)) {
	t.Helper()
	s := &service{t: t, stream: stream, script: script}
	run(t, newAgent(w.model(s.serve(w).URL, form, stream)), s)
	assert.Empty(t, s.script, "responses that were not requested")
}

// answered checks that there is one result for each call in the last response.
func (s *service) answered(results []result) error {
	var ids []string
	for _, r := range results {
		ids = append(ids, r.id)
	}
	if !slices.Equal(ids, s.lastIDs) {
		return fmt.Errorf("results for %v after calls %v", ids, s.lastIDs)
	}
	return nil
}

// fragments cuts s into pieces like a stream, never inside a character.
func fragments(s string) []string {
	var parts []string
	for part := range slices.Chunk([]rune(s), 7) {
		parts = append(parts, string(part))
	}
	return parts
}

func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

type object = map[string]any

// serviceError is what both services send when they fail.
var serviceError = object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}}

func writeWhole(w http.ResponseWriter, r said, response object) {
	b := marshal(response)
	if r.torn {
		b = b[:len(b)-1]
	}
	w.Write(b)
}

// OpenAI's Chat Completions API.

func readOpenAI(s *service, body []byte) (h heard, err error) {
	var request struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role       string
			Content    string
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return h, err
	}
	if request.Model != "test" || request.Stream != s.stream {
		return h, fmt.Errorf("model %q, stream %v", request.Model, request.Stream)
	}
	var open []string // calls without a result
	for i, m := range request.Messages {
		switch m.Role {
		case "system":
			if i > 0 {
				return h, fmt.Errorf("message %d: a late system message", i)
			}
		case "tool":
			if len(open) == 0 || open[0] != m.ToolCallID {
				return h, fmt.Errorf("message %d: a result for %q, calls %v wait", i, m.ToolCallID, open)
			}
			open = open[1:]
			h.results = append(h.results, result{id: m.ToolCallID, text: m.Content})
		case "user", "assistant":
			if len(open) > 0 || i == 0 {
				return h, fmt.Errorf("message %d: a %s message, but calls %v wait", i, m.Role, open)
			}
			if m.Role == "user" {
				h.user = m.Content
				continue
			}
			h = heard{}
			for _, c := range m.ToolCalls {
				if c.Type != "function" {
					return h, fmt.Errorf("message %d: a call of type %q", i, c.Type)
				}
				open = append(open, c.ID)
			}
		}
	}
	if len(open) > 0 {
		return h, fmt.Errorf("calls %v wait for a result", open)
	}
	return h, s.answered(h.results)
}

func writeOpenAI(s *service, w http.ResponseWriter, r said) {
	finish := "stop"
	var toolCalls []object
	for i, c := range r.calls {
		finish = "tool_calls"
		toolCalls = append(toolCalls, object{"index": i, "id": c.id, "type": "function",
			"function": object{"name": c.name, "arguments": string(c.arguments)}})
	}
	if r.cut {
		finish = "length"
	}
	var content any
	if r.text != "" {
		content = r.text
	}
	if !s.stream {
		for _, c := range toolCalls {
			delete(c, "index")
		}
		message := object{"role": "assistant", "content": content, "refusal": nil}
		if len(toolCalls) > 0 {
			message["tool_calls"] = toolCalls
		}
		writeWhole(w, r, object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1764590000, "model": "test",
			"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish}},
			"usage":   object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
		return
	}
	chunk := func(delta object, finish any) {
		fmt.Fprintf(w, "data: %s\n\n", marshal(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1764590000, "model": "test",
			"choices": []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}}))
	}
	chunk(object{"role": "assistant", "content": content, "refusal": nil}, nil)
	for i, c := range toolCalls {
		function := c["function"].(object)
		arguments := function["arguments"].(string)
		function["arguments"] = ""
		chunk(object{"tool_calls": []object{c}}, nil)
		for _, part := range fragments(arguments) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": part}}}}, nil)
		}
	}
	switch {
	case r.torn:
		return
	case r.fails:
		fmt.Fprintf(w, "data: %s\n\n", marshal(serviceError))
		return
	}
	chunk(object{}, finish)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// Anthropic's Messages API.

func readAnthropic(s *service, body []byte) (h heard, err error) {
	var request struct {
		Model     string
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role    string
			Content []struct {
				Type, Text, ID string
				Input          json.RawMessage
				ToolUseID      string `json:"tool_use_id"`
				IsError        bool   `json:"is_error"`
				Content        []struct{ Type, Text string }
			}
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return h, err
	}
	if request.Model != "test" || request.Stream != s.stream || request.MaxTokens <= 0 {
		return h, fmt.Errorf("model %q, stream %v, %d tokens", request.Model, request.Stream, request.MaxTokens)
	}
	var open []string // calls without a result
	for i, m := range request.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return h, fmt.Errorf("message %d is of role %q, want %q", i, m.Role, want)
		}
		if len(m.Content) == 0 {
			return h, fmt.Errorf("message %d is empty", i)
		}
		h = heard{}
		for _, block := range m.Content {
			switch block.Type {
			case "text":
				if strings.TrimSpace(block.Text) == "" || m.Role == "user" && len(open) > 0 {
					return h, fmt.Errorf("message %d: the text %q, but calls %v wait", i, block.Text, open)
				}
				h.user = block.Text
			case "tool_use":
				if m.Role != "assistant" || !bytes.HasPrefix(block.Input, []byte("{")) {
					return h, fmt.Errorf("message %d: a call in a %s message with input %s", i, m.Role, block.Input)
				}
				open = append(open, block.ID)
			case "tool_result":
				if len(open) == 0 || open[0] != block.ToolUseID || len(block.Content) != 1 || block.Content[0].Type != "text" {
					return h, fmt.Errorf("message %d: a result for %q of %d blocks, calls %v wait", i, block.ToolUseID, len(block.Content), open)
				}
				open = open[1:]
				h.results = append(h.results, result{block.ToolUseID, block.Content[0].Text, block.IsError})
			default:
				return h, fmt.Errorf("message %d: a block of type %q", i, block.Type)
			}
		}
		if m.Role == "user" && len(open) > 0 {
			return h, fmt.Errorf("calls %v wait for a result", open)
		}
	}
	if len(request.Messages)%2 == 0 {
		return h, fmt.Errorf("the last message is not the user's")
	}
	return h, s.answered(h.results)
}

func writeAnthropic(s *service, w http.ResponseWriter, r said) {
	reason := "end_turn"
	content := []object{}
	if r.text != "" {
		content = append(content, object{"type": "text", "text": r.text, "citations": nil})
	}
	for _, c := range r.calls {
		reason = "tool_use"
		content = append(content, object{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.arguments)})
	}
	if r.cut {
		reason = "max_tokens"
	}
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": content,
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !s.stream {
		writeWhole(w, r, message)
		return
	}
	event := func(name string, o object) {
		o["type"] = name
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, marshal(o))
	}
	message["content"], message["stop_reason"] = []object{}, nil
	event("message_start", object{"message": message})
	event("ping", object{})
	for i, block := range content {
		delta := func(kind, key, value string) {
			event("content_block_delta", object{"index": i, "delta": object{"type": kind, key: value}})
		}
		switch block["type"] {
		case "text":
			event("content_block_start", object{"index": i, "content_block": object{"type": "text", "text": "", "citations": nil}})
			for _, part := range fragments(r.text) {
				delta("text_delta", "text", part)
			}
		case "tool_use":
			input := string(block["input"].(json.RawMessage))
			block["input"] = object{}
			event("content_block_start", object{"index": i, "content_block": block})
			delta("input_json_delta", "partial_json", "")
			for _, part := range fragments(input) {
				delta("input_json_delta", "partial_json", part)
			}
		}
		event("content_block_stop", object{"index": i})
	}
	switch {
	case r.torn:
		return
	case r.fails:
		fmt.Fprintf(w, "event: error\ndata: %s\n\n", marshal(serviceError))
		return
	}
	event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	event("message_stop", object{})
}
