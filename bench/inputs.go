package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clarify-protocol/clarify-go"
)

//go:embed testdata/*.json
var testdata embed.FS

// envelopes are the inputs of Parse, by the names of their files: the three
// examples of the contract, a small one (0.7 KB) with one prompt of each kind,
// a full one, the full one indented, and one with escapes and Chinese text.
var envelopes = []string{"choice", "confirm", "create", "small", "full", "pretty", "escaped"}

func envelope(name string) string {
	data, err := testdata.ReadFile("testdata/" + name + ".json")
	must(err) // it is embedded
	return string(data)
}

// callOf returns the arguments of a call that asks the same questions as the
// envelope. The prompts are a JSON string, as in the contract.
func callOf(envelope string) []byte {
	var e struct {
		Title   string          `json:"title"`
		Prompts json.RawMessage `json:"prompts"`
	}
	must(json.Unmarshal([]byte(envelope), &e))
	arguments, err := json.Marshal(map[string]string{"title": e.Title, "prompts": string(e.Prompts)})
	must(err)
	return arguments
}

const large = 900 << 10

// foreign returns an output that is not an envelope: the output of another
// tool, or an envelope that was cut off.
func foreign(name string) string {
	switch name {
	case "list":
		return list(large, bucket)
	case "escaped list": // JSON inside the text of a tool's result, as in MCP
		inner := list(large*4/5, func(i int) string { return bucket(i) + "\n" })
		text, err := json.Marshal(inner)
		must(err)
		return `{"content":[{"type":"text","text":` + string(text) + `}]}`
	case "list that names the protocol":
		return strings.Replace(list(large, bucket), "bucket 2000", "appwrite.clarify", 1)
	case "prose":
		return strings.Repeat("The project has 64 buckets, and I did not delete any of them.\n", large/62)
	case "short error":
		return "Error: not found"
	case "long error":
		return "Error: " + strings.Repeat("bucket not found; ", large/18) + "not found"
	case "cut envelope":
		return growing(13_000)[:large]
	}
	panic(name)
}

// list returns a JSON object of about size bytes with many elements.
func list(size int, element func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"total":64,"buckets":[` + element(0))
	for i := 1; b.Len() < size; i++ {
		b.WriteString("," + element(i))
	}
	b.WriteString("]}")
	return b.String()
}

func bucket(i int) string {
	return fmt.Sprintf(`{"$id":"67f%06d","$createdAt":"2026-12-01T10:%02d:00.000+00:00","$permissions":["read(<any>)"],`+
		`"name":"Zoë & co, bucket %d","enabled":true,"maximumFileSize":%d,"compression":"none","antivirus":false}`, i, i%60, i, i*1000)
}

// growing returns an envelope of n prompts, all of which the lenient side shows.
func growing(n int) string {
	var b strings.Builder
	b.WriteString(`{"protocol":"` + clarify.Protocol + `","prompts":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"bucket_%05d","kind":"text","question":"A name for bucket %05d?"}`, i, i)
	}
	b.WriteString("]}")
	return b.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
