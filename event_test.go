package clarify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

func TestParseEvent(t *testing.T) {
	for text, want := range map[string]clarify.Event{
		`{}`: {},
		` {"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r1","output":"o","failed":true} ` + "\r\n": {"tool_end", "platform", "clarify", "r1", "o", true},
		`{"type":"message","text":"hi","delta":[1,{"type":"x"}]}`:                                                     {Type: "message"},
		`{"Type":"tool_end","type\u0000":"x","runId":"r","OUTPUT":"o","Failed":true}`:                                 {},
		`{"\u0074ype":"tool\u005fend","\u006futput":"\u00e9\ud83d\ude00\ud83d"}`:                                      {Type: "tool_end", Output: "é😀\uFFFD"},
		`{"type":null,"agent":1,"tool":["clarify"],"run_id":{"a":"b"},"failed":null,"output":null}`:                   {},
		`{"type":"a","type":"b","output":{"a":1},"output":"o","failed":true,"failed":false}`:                          {Type: "b", Output: "o"},
		`{"output":"o","output":null}`: {},

		`{"output":""}`:                              {},
		`{"output":" {\"a\": 1}\n"}`:                 {Output: " {\"a\": 1}\n"},
		`{"output": {"a" : [ 1e999, "\u0061\/" ]} }`: {Output: `{"a" : [ 1e999, "\u0061\/" ]}`},
		`{"output":[]}`:                              {Output: "[]"},
		`{"output":5}`:                               {Output: "5"},
		`{"output":false}`:                           {Output: "false"},
		`{"output":{"a":"` + "é\xFF" + `"}}`:         {Output: `{"a":"` + "é\xFF" + `"}`},

		`{"failed":true}`:   {Failed: true},
		`{"failed":false}`:  {},
		`{"failed":"true"}`: {},
		`{"failed":1}`:      {},
		`{"failed":[true]}`: {},
	} {
		data := []byte(text)
		ev, err := clarify.ParseEvent(data)
		require.NoError(t, err, text)
		require.Equal(t, text, string(data), "the data was changed")
		clear(data) // ParseEvent does not keep it
		assert.Equal(t, want, ev, text)
		// Written and read again it is the same, with U+FFFD for what is not UTF-8.
		again, err := clarify.ParseEvent(ev.AppendJSON(nil))
		require.NoError(t, err, text)
		want.Output = strings.ReplaceAll(want.Output, "\xFF", "\uFFFD")
		assert.Equal(t, want, again, text)
	}
}

func TestNotEvent(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "clarify: not an event: not a JSON object",
		" \n":                        "clarify: not an event: not a JSON object",
		"[]":                         "clarify: not an event: not a JSON object",
		"null":                       "clarify: not an event: not a JSON object",
		`"tool_end"`:                 "clarify: not an event: not a JSON object",
		"data: {}":                   "clarify: not an event: not a JSON object",
		"\uFEFF{}":                   "clarify: not an event: not a JSON object",
		`{"type":"tool_end"`:         "clarify: not an event: invalid JSON: unexpected end at byte 18",
		`{"type":"tool_end"}{}`:      "clarify: not an event: invalid JSON: unexpected character at byte 19",
		`{"type":"` + "a\nb" + `"}`:  "clarify: not an event: invalid JSON: control character in a string at byte 10",
		strings.Repeat(" ", 8<<20+1): "clarify: not an event: 8388609 bytes, want at most 8388608",
		`{"a":` + strings.Repeat("[", clarify.MaxDepth): "clarify: not an event: invalid JSON: nesting too deep at byte 10004",
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		assert.ErrorIs(t, err, clarify.ErrNotEvent)
		assert.EqualError(t, err, want)
		assert.Zero(t, ev)
	}
}

func TestEventEnvelope(t *testing.T) {
	want, err := clarify.Parse(textOutput)
	require.NoError(t, err)
	inString := `"output":` + quoted(textOutput)
	inObject := `"output":` + textOutput
	for _, text := range []string{
		`{"type":"tool_end","tool":"clarify",` + inString + `}`,
		`{"type":"tool_end","tool":"clarify",` + inObject + `}`,
		`{"type":"tool_end","tool":" CLARIFY\n",` + inString + `,"failed":false}`,
		`{"type":"tool_end","tool":"Clarify","failed":"true",` + inString + `}`, // not a boolean: false
		`{"type":"tool_end","tool":"clarify","output":` + quoted(" \uFEFF"+textOutput+"\n") + `}`,
		`{"type":"tool_end","tool":"clarify","output":` + strings.ReplaceAll(textOutput, ",", " ,\n\t") + `}`,
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		require.NoError(t, err, text)
		e, err := ev.Envelope()
		assert.NoError(t, err, text)
		assert.Equal(t, want, e, text)
	}
	for text, want := range map[string]error{
		`{"type":"tool_start","tool":"clarify",` + inString + `}`:                                                       nil,
		`{"type":"Tool_end","tool":"clarify",` + inString + `}`:                                                         nil,
		`{"type":" tool_end","tool":"clarify",` + inString + `}`:                                                        nil,
		`{"type":"tool_end","tool":"console",` + inString + `}`:                                                         nil,
		`{"type":"tool_end","tool":"console","failed":true,` + inString + `}`:                                           nil,
		`{"type":"tool_end",` + inString + `}`:                                                                          nil,
		`{"tool":"clarify",` + inString + `}`:                                                                           nil,
		`{"type":"tool_end","tool":"clarify"}`:                                                                          nil,
		`{"type":"tool_end","tool":"clarify","output":null}`:                                                            nil,
		`{"type":"tool_end","tool":"clarify","output":[` + textOutput + `]}`:                                            nil,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(quoted(textOutput)) + `}`:                              nil,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inString + `}`:                                           clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inObject + `}`:                                           clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":"Error: invalid clarify prompts — prompts"}`:                      clarify.ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(textOutput[:60]+"…") + `}`:                             clarify.ErrMalformed,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v2","prompts":[]}}`:                 clarify.ErrVersion,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v1","prompts":[]}}`:                 clarify.ErrNothingToShow,
		`{"type":"tool_end","tool":"clarify","output":` + quoted(textOutput+strings.Repeat(" ", clarify.MaxSize)) + `}`: nil,
	} {
		ev, err := clarify.ParseEvent([]byte(text))
		require.NoError(t, err, text)
		e, err := ev.Envelope()
		checkRefusal(t, text, e, err, want)
	}
}
