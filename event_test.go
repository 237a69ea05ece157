package clarify

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseEvent(t *testing.T) {
	for text, want := range map[string]Event{
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
		ev, err := ParseEvent(data)
		for i := range data {
			if data[i] != text[i] {
				t.Fatalf("%s: the data was changed", text)
			}
			data[i] = 'x' // ParseEvent does not keep it
		}
		if err != nil || ev != want {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", text, ev, err, want)
		}
		// Written and read again it is the same, with U+FFFD for what is not UTF-8.
		again, err := ParseEvent(ev.AppendJSON(nil))
		ev.Output = strings.ReplaceAll(ev.Output, "\xFF", "\uFFFD")
		if err != nil || again != ev {
			t.Errorf("%s: read back\n%+v, %v", ev.AppendJSON(nil), again, err)
		}
	}
}

func TestNotEvent(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "clarify: not an event: not a JSON object",
		" \n":                                   "clarify: not an event: not a JSON object",
		"[]":                                    "clarify: not an event: not a JSON object",
		"null":                                  "clarify: not an event: not a JSON object",
		`"tool_end"`:                            "clarify: not an event: not a JSON object",
		"data: {}":                              "clarify: not an event: not a JSON object",
		"\uFEFF{}":                              "clarify: not an event: not a JSON object",
		`{"type":"tool_end"`:                    "clarify: not an event: invalid JSON: unexpected end at byte 18",
		`{"type":"tool_end"}{}`:                 "clarify: not an event: invalid JSON: unexpected character at byte 19",
		`{"type":"` + "a\nb" + `"}`:             "clarify: not an event: invalid JSON: control character in a string at byte 10",
		strings.Repeat(" ", 8<<20+1):            "clarify: not an event: 8388609 bytes, want at most 8388608",
		`{"a":` + strings.Repeat("[", MaxDepth): "clarify: not an event: invalid JSON: nesting too deep at byte 10004",
	} {
		ev, err := ParseEvent([]byte(text))
		if !errors.Is(err, ErrNotEvent) || ev != (Event{}) || err.Error() != want {
			t.Errorf("%.40q: got %+v, %v, want %s", text, ev, err, want)
		}
	}
}

func TestEventEnvelope(t *testing.T) {
	want, err := Parse(textOutput)
	if err != nil {
		t.Fatal(err)
	}
	inString := `"output":` + jsonOf(textOutput)
	inObject := `"output":` + textOutput
	for _, text := range []string{
		`{"type":"tool_end","tool":"clarify",` + inString + `}`,
		`{"type":"tool_end","tool":"clarify",` + inObject + `}`,
		`{"type":"tool_end","tool":" CLARIFY\n",` + inString + `,"failed":false}`,
		`{"type":"tool_end","tool":"Clarify","failed":"true",` + inString + `}`, // not a boolean: false
		`{"type":"tool_end","tool":"clarify","output":` + jsonOf(" \uFEFF"+textOutput+"\n") + `}`,
		`{"type":"tool_end","tool":"clarify","output":` + strings.ReplaceAll(textOutput, ",", " ,\n\t") + `}`,
	} {
		ev, err := ParseEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e, err := ev.Envelope()
		if err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("%s: got %+v, %v", text, e, err)
		}
	}
	for text, want := range map[string]error{
		`{"type":"tool_start","tool":"clarify",` + inString + `}`:                                               nil,
		`{"type":"Tool_end","tool":"clarify",` + inString + `}`:                                                 nil,
		`{"type":" tool_end","tool":"clarify",` + inString + `}`:                                                nil,
		`{"type":"tool_end","tool":"console",` + inString + `}`:                                                 nil,
		`{"type":"tool_end","tool":"console","failed":true,` + inString + `}`:                                   nil,
		`{"type":"tool_end",` + inString + `}`:                                                                  nil,
		`{"tool":"clarify",` + inString + `}`:                                                                   nil,
		`{"type":"tool_end","tool":"clarify"}`:                                                                  nil,
		`{"type":"tool_end","tool":"clarify","output":null}`:                                                    nil,
		`{"type":"tool_end","tool":"clarify","output":[` + textOutput + `]}`:                                    nil,
		`{"type":"tool_end","tool":"clarify","output":` + jsonOf(jsonOf(textOutput)) + `}`:                      nil,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inString + `}`:                                   ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","failed":true,` + inObject + `}`:                                   ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":"Error: invalid clarify prompts — prompts"}`:              ErrToolFailed,
		`{"type":"tool_end","tool":"clarify","output":` + jsonOf(textOutput[:60]+"…") + `}`:                     ErrMalformed,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v2","prompts":[]}}`:         ErrVersion,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v1","prompts":[]}}`:         ErrNothingToShow,
		`{"type":"tool_end","tool":"clarify","output":` + jsonOf(textOutput+strings.Repeat(" ", MaxSize)) + `}`: nil,
	} {
		ev, err := ParseEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e, err := ev.Envelope()
		checkRefusal(t, text, e, err, want)
	}
}
