package clarify

import (
	"fmt"
	"strings"
	"testing"
)

// replyShapes are messages that could make a careless reader slow. Each is
// repeated until the message has the size that is wanted.
var replyShapes = []struct{ name, head, body, tail string }{
	{"one long line", "", "x", ""},
	{"prose", "", "I am not sure that this is what I want to be done. ", ""},
	{"short lines", "", "x\n", ""},
	{"blank lines", "", "\n", "x"},
	{"CRLF and two-byte breaks", "", "x\r\n\u0085", ""},
	{"id lines", "", "note: x\n", ""},
	{"id lines that conflict", "note: y\n", "note: x\n", ""},
	{"id lines that fail", "", "bucket: x\n", ""},
	{"id lines of a danger", "", "confirm_delete: confirmed\n", "x"},
	{"lines of unknown ids", "", "nobody: x\n", ""},
	{"one value of many lines", "note: x\n", "  x\n", ""},
	{"one value of blank lines", "note: x\n", "  \n", "  x"},
	{"separators", "", ":", ""},
	{"id and separators", "note", ":=->", ""},
	{"separators behind spaces", "note", " ", ": x"},
	{"list markers", "", "- ", "note: x"},
	{"a long ordinal", "", "1", ". note: x"},
	{"quotes", "", `"`, ""},
	{"an open quote", `"`, `\"`, ""},
	{"quoted ids", "", "\"note\": x\n", ""},
	{"invalid UTF-8", "", "\xff", ""},
	{"commas", "tags: red", ",", ""},
	{"values", "tags: red", ",red", ""},
	{"labels", "tags: red", ", Blue", ""},
	{"numbers", "tags: 1", ",2", ""},
	{"values, the last unknown", "tags: red", ",red", ",x"},
	{"a long number", "tags: ", "1", ""},
	{"braces", "", "{", ""},
	{"JSON, not ours", `{"a":[`, `1,`, `1]}`},
	{"JSON, cut", `{"protocol":"` + Protocol + `","answers":[`, `{"id":"note","kind":"text","value":"x"},`, ""},
	{"entries", `{"protocol":"` + Protocol + `","answers":[`, `{"id":"note","kind":"text","value":"x"},`, `{}]}`},
	{"entries that conflict", `{"protocol":"` + Protocol + `","answers":[{"id":"note","kind":"text","value":"y"},`, `{"id":"note","kind":"text","value":"x"},`, `{}]}`},
	{"empty entries", `{"protocol":"` + Protocol + `","answers":[`, `0,`, `0]}`},
	{"known values", `{"protocol":"` + Protocol + `","answers":[{"id":"tags","kind":"choice","values":[`, `"red",`, `"red"]}]}`},
	{"blank values", `{"protocol":"` + Protocol + `","answers":[{"id":"tags","kind":"choice","values":[`, `"",`, `"red"]}]}`},
	{"escapes", `{"protocol":"` + Protocol + `","answers":[{"id":"note","kind":"text","value":"`, `\u00e4`, `"}]}`},
	{"keys", `{"protocol":"` + Protocol + `","answers":[{"id":"note","kind":"text","value":"x"`, `,"x":1`, `}]}`},
}

var benchSizes = []int{1 << 10, 10 << 10, 100 << 10, MaxSize}

func replyShape(head, body, tail string, size int) string {
	return head + strings.Repeat(body, (size-len(head)-len(tail))/len(body)) + tail
}

// newValues are values that are all different, of about size bytes.
func newValues(size int) string {
	var b strings.Builder
	b.WriteString(`{"protocol":"` + Protocol + `","answers":[{"id":"tags","kind":"choice","values":["red"`)
	for i := 0; b.Len() < size-16; i++ {
		fmt.Fprintf(&b, `,"v%d"`, i)
	}
	return b.String() + "]}]}"
}

// askedForBench has all that a message can answer.
func askedForBench() *Envelope {
	options := []Option{{ID: "red", Label: "Red"}, {ID: "green", Label: "Green"}, {ID: "blue", Label: "Blue"}}
	for i := len(options); i < MaxOptions; i++ {
		options = append(options, Option{ID: fmt.Sprint("o", i), Label: strings.Repeat("l", MaxLabel)})
	}
	return &Envelope{Prompts: []Prompt{
		{ID: "tags", Question: "Which?", Input: &Choice{AllowMultiple: true, Options: options}},
		{ID: "bucket", Question: "Which?", Input: &Choice{Options: options}},
		{ID: "note", Question: "What?", Optional: true, Input: &Text{Multiline: true}},
		{ID: "confirm_delete", Question: "Delete it?", Input: &Confirm{Danger: true}},
	}}
}

// BenchmarkRead shows the time for a byte, which must not grow with the message.
func BenchmarkRead(b *testing.B) {
	e := askedForBench()
	run := func(shape string, size int, message string) {
		b.Run(fmt.Sprintf("%s/%dKiB", strings.ReplaceAll(shape, " ", "_"), size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				e.Read(message)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(message)), "ns/byte")
		})
	}
	for _, s := range replyShapes {
		for _, size := range benchSizes {
			run(s.name, size, replyShape(s.head, s.body, s.tail, size))
		}
	}
	for _, size := range benchSizes {
		run("different values", size, newValues(size))
	}
}
