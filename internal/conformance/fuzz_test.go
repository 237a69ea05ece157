package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// Fuzz targets for everything that takes foreign bytes, and what holds for all input.

// callSeeds returns the arguments of all vectors, a call with more problems than fit into the
// tool's result, and one whose duplicate has an elder behind what is not a prompt.
func callSeeds(t testing.TB) (seeds []string) {
	for _, v := range EngineVectors(t) {
		seeds = append(seeds, string(v.Args))
	}
	foreign := `"` + strings.Repeat(`\u0001\u202e\"`, 30) + `"`
	option := `{"id":` + foreign + `,"label":[],"description":1}`
	prompt := `{"id":` + foreign + `,"kind":"choice","options":[` + strings.Repeat(option+",", 12) + option + `],"required":` + foreign + `}`
	return append(seeds,
		`{"title":`+foreign+`,"prompts":[`+strings.Repeat(prompt+",", 5)+prompt+`]}`,
		`{"prompts":[null,{"id":"a","kind":"text","question":"q"},{"id":"a","kind":"text","question":"q"}]}`)
}

func outputSeeds(t testing.TB) (seeds []string) {
	for _, v := range ConsoleVectors(t) {
		seeds = append(seeds, string(v.Output))
	}
	return seeds
}

func messageSeeds(t testing.TB) (seeds []string) {
	for _, v := range AnswersVectors(t) {
		seeds = append(seeds, v.Text)
	}
	return seeds
}

// eventSeeds returns an event for each output, and some that are none.
func eventSeeds(t testing.TB) []string {
	events := []string{
		"", "null", "[]", `{}`, `{"type":1,"agent":null,"tool":[],"run_id":{},"output":false,"failed":"true"}`,
		`{"type":"tool_start","tool":"clarify"}`, `{"type":"tool_end","tool":" CLARIFY\n","failed":true,"output":"Error: no"}`,
		`{"type":"tool_end","tool":"clarify","output": [1, {"a":1e999}] }`, `{"type":"tool_end","tool":1,"name":"clarify","output":"Error: no"}`,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"` + "\xff\xff" + `"}]}}`,
	}
	for i, output := range outputSeeds(t) {
		if i%2 == 1 || !json.Valid([]byte(output)) {
			output = Of(output).Compact()
		}
		events = append(events, `{"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r1","output":`+output+"}")
	}
	return events
}

func allSeeds(t testing.TB) []string {
	return slices.Concat(callSeeds(t), outputSeeds(t), messageSeeds(t), eventSeeds(t))
}

// A nearKey is a member whose key is almost one of the protocol's, with a value that would be
// noticed if the key were taken for it.
type nearKey struct{ key, member string }

var nearKeys = func() (near []nearKey) {
	values := map[string]string{
		"protocol": `"appwrite.clarify/v2"`, "prompts": "[]", "answers": "[]", "options": "[]", "values": "[]", "required": "false",
		"allowMultiple": "true", "danger": "true", "multiline": "true", "confirmed": "true", "failed": "true",
	}
	for _, k := range knownKeys {
		value := values[k]
		if value == "" {
			value = `"hijacked"`
		}
		for _, key := range []string{
			strings.ToUpper(k), strings.ToUpper(k[:1]) + k[1:], k[:len(k)-1] + strings.ToUpper(k[len(k)-1:]), strings.ToLower(k),
			k[1:], k[:len(k)-1], k + k[len(k)-1:], "x" + k[1:], k[:len(k)-1] + "x", k + " ", " " + k,
			k + "\x00", "\x00" + k, k[:1] + "\x00" + k[1:], k + "\ufeff",
			strings.ReplaceAll(k, "s", "\u017f"), strings.ReplaceAll(k, "k", "\u212a"), strings.ReplaceAll(k, "i", "\u0131"),
		} {
			if slices.Contains(knownKeys, key) {
				continue
			}
			escaped := ""
			for _, r := range key {
				escaped += fmt.Sprintf(`\u%04x`, r)
			}
			near = append(near, nearKey{key, `"` + escaped + `":` + value}, nearKey{key, Of(key).Compact() + ":" + value})
		}
	}
	return near
}()

// withMembers returns a valid JSON text with members put in at the end of every object, where they
// would win if they were duplicates.
func withMembers(text, members string) string {
	var b strings.Builder
	inString, last := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		case inString:
		case c == '}':
			if last != '{' {
				b.WriteByte(',')
			}
			b.WriteString(members)
		}
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			last = c
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// withMembersInside does so in the JSON text that the prompts argument is.
func withMembersInside(arguments, members string) (string, bool) {
	var args map[string]json.RawMessage
	var prompts string
	if json.Unmarshal([]byte(arguments), &args) != nil || json.Unmarshal(args["prompts"], &prompts) != nil || !json.Valid([]byte(prompts)) {
		return "", false
	}
	out := `{"prompts":` + Of(withMembers(prompts, members)).Compact()
	if title, ok := args["title"]; ok {
		out += `,"title":` + string(title)
	}
	return out + "}", true
}

// TestKeysMatchExactly puts near keys into every object of every vector, a part of them at a time.
func TestKeysMatchExactly(t *testing.T) {
	t.Parallel()
	var parts []string
	for part := range slices.Chunk(nearKeys, 50) {
		var members []string
		for _, k := range part {
			members = append(members, k.member)
		}
		parts = append(parts, strings.Join(members, ","))
	}
	for _, entry := range []struct {
		seeds []string
		check func(t testing.TB, input, members string)
	}{
		{callSeeds(t), checkCallKeys},
		{outputSeeds(t), checkParseKeys},
		{messageSeeds(t), checkAnswersKeys},
		{eventSeeds(t), checkEventKeys},
	} {
		assert.GreaterOrEqual(t, len(entry.seeds), 2*len(parts), "too few vectors for all parts")
		for i, v := range entry.seeds {
			entry.check(t, v, parts[i%len(parts)])
		}
	}
}

func checkCallKeys(t testing.TB, arguments, members string) {
	t.Helper()
	if !json.Valid([]byte(arguments)) || !utf8.ValidString(arguments) {
		return
	}
	want, _ := clarify.Call([]byte(arguments))
	inside, _ := withMembersInside(arguments, members)
	for _, more := range []string{withMembers(arguments, members), inside} {
		if more == "" || len(more) > clarify.MaxSize {
			continue
		}
		if got, _ := clarify.Call([]byte(more)); got != want {
			t.Errorf("%.60s changed Call(%s)\n got %s\nwant %s", members, show(arguments), got, want)
		}
	}
}

func checkParseKeys(t testing.TB, output, members string) {
	t.Helper()
	more := withMembersOfJSON(output, members)
	want, wantErr := clarify.Parse(output)
	if got, err := clarify.Parse(more); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
		t.Errorf("%.60s changed Parse(%s)\n got %+v, %v\nwant %+v, %v", members, show(output), got, err, want, wantErr)
	}
}

// withoutKeys removes from answers the notes about their members.
func withoutKeys(v any) {
	if a, ok := v.(*clarify.Answers); ok {
		a.Skipped = slices.DeleteFunc(a.Skipped, func(s clarify.Skipped) bool {
			return s.Code == clarify.CodeUnknownKey || s.Code == clarify.CodeDuplicateKey
		})
		if len(a.Skipped) == 0 {
			a.Skipped = nil
		}
	}
}

func checkAnswersKeys(t testing.TB, message, members string) {
	t.Helper()
	more := withMembersOfJSON(message, members)
	want, wantErr := clarify.ParseAnswers(message)
	got, err := clarify.ParseAnswers(more)
	withoutKeys(&got)
	withoutKeys(&want)
	if !reflect.DeepEqual(got, want) || err != wantErr {
		t.Errorf("%.60s changed ParseAnswers(%s)\n got %+v, %v\nwant %+v, %v", members, show(message), got, err, want, wantErr)
	}
}

// withMembersOfJSON is withMembers of what is JSON and stays within the bound on size, and any
// other text as it is.
func withMembersOfJSON(text, members string) string {
	if json.Valid([]byte(strings.Trim(text, scriptSpace))) {
		if more := withMembers(text, members); len(more) <= clarify.MaxSize {
			return more
		}
	}
	return text
}

func checkEventKeys(t testing.TB, event, members string) {
	t.Helper()
	if !json.Valid([]byte(event)) {
		return
	}
	more := withMembers(event, members)
	if len(more) > clarify.MaxSize {
		return
	}
	want, wantErr := clarify.ParseEvent([]byte(event))
	got, err := clarify.ParseEvent([]byte(more))
	wantEnvelope, wantWhy := want.Envelope()
	gotEnvelope, why := got.Envelope()
	if !reflect.DeepEqual(gotEnvelope, wantEnvelope) || !reflect.DeepEqual(why, wantWhy) {
		t.Errorf("%.60s changed the envelope of %s\n got %+v, %v\nwant %+v, %v", members, show(event), gotEnvelope, why, wantEnvelope, wantWhy)
	}
	if got.Output != want.Output { // an output that is JSON itself has the members too
		want.Output = withMembers(want.Output, members)
	}
	if got != want || !reflect.DeepEqual(err, wantErr) {
		t.Errorf("%.60s changed ParseEvent(%s)\n got %+v, %v\nwant %+v, %v", members, show(event), got, err, want, wantErr)
	}
}

func near(n uint16) string { return nearKeys[int(n)%len(nearKeys)].member }

func FuzzCall(f *testing.F) {
	for i, v := range callSeeds(f) {
		f.Add([]byte(v), uint16(i))
	}
	f.Fuzz(func(t *testing.T, given []byte, key uint16) {
		arguments := bytes.Clone(given)
		result, err := clarify.Call(arguments)
		e, err2 := clarify.ParseCall(arguments)
		require.Equal(t, given, arguments, "the arguments were modified")
		clear(arguments) // nothing may have been kept of them
		require.Equal(t, err, err2)
		checkCallKeys(t, string(given), near(key))
		if err != nil {
			checkRefusedCall(t, result, e, err)
			return
		}
		checkValid(t, e, result)
		require.Empty(t, e.Skipped)
	})
}

func checkRefusedCall(t *testing.T, result string, e *clarify.Envelope, err error) {
	t.Helper()
	require.Nil(t, e)
	require.Equal(t, clarify.ErrorResult(err), result)
	require.NoError(t, CheckErrorText(result))
	require.NoError(t, CheckPrintable(err.Error()))
	var invalid *clarify.ValidationError
	require.ErrorAs(t, err, &invalid)
	require.NotEmpty(t, invalid.Violations)
	for i, v := range invalid.Violations {
		require.NoError(t, CheckPrintable(v.String()))
		if v.Path == "" || v.Code == "" || v.Got == "" || v.Want == "" || len(v.String()) > 700 {
			t.Errorf("a violation that does not say all, or too much: %+v", v)
		}
		if slices.ContainsFunc(invalid.Violations[:i], func(elder clarify.Violation) bool { return v.Path == elder.Path && v.Code == elder.Code }) {
			t.Errorf("twice: %v", v)
		}
	}
}

func FuzzParse(f *testing.F) {
	for i, v := range outputSeeds(f) {
		f.Add(v, uint16(i))
	}
	f.Fuzz(func(t *testing.T, output string, key uint16) {
		e, err := clarify.Parse(output)
		checkParseKeys(t, output, near(key))
		if err != nil {
			require.Nil(t, e)
			require.NoError(t, CheckPrintable(err.Error()))
			require.ErrorIs(t, err, clarify.ErrNotEnvelope)
			var empty *clarify.EmptyError
			require.Equal(t, errors.Is(err, clarify.ErrNothingToShow), errors.As(err, &empty), "%T", err)
			return
		}
		require.NotEmpty(t, e.Prompts)
		for _, s := range e.Skipped {
			require.NoError(t, CheckPrintable(s.String()))
		}
		if len(e.Skipped) > 0 {
			_, err := e.Result()
			require.Error(t, err, "a half-read envelope was emitted")
		}
		if json.Valid([]byte(output)) {
			var decoded clarify.Envelope
			require.NoError(t, json.Unmarshal([]byte(output), &decoded))
			require.Equal(t, e, &decoded)
		}

		e.Skipped = nil // it has no encoding
		canonical, err := e.AppendJSON([]byte("head"))
		if err != nil {
			require.Equal(t, "head", string(canonical))
			require.Greater(t, len(Output(e).Compact()), clarify.MaxSize, "an envelope that was read has no encoding: %v", err)
			return
		}
		checkCanonical(t, canonical[len("head"):], e, clarify.Parse)
	})
}

// checkCanonical fails unless want reads back from its canonical bytes, and is written as them
// again, both by the library and by encoding/json, whose own escapes may differ.
func checkCanonical[T any](t *testing.T, canonical []byte, want T, parse func(string) (T, error)) {
	t.Helper()
	require.True(t, json.Valid(canonical) && utf8.Valid(canonical), "not JSON: %q", canonical)
	got, err := parse(string(canonical))
	require.NoError(t, err)
	require.Equal(t, want, got)
	escaped, err := json.Marshal(want)
	require.NoError(t, err)
	if len(escaped) > clarify.MaxSize {
		return
	}
	again, err := parse(string(escaped))
	require.NoError(t, err)
	require.Equal(t, want, again)
	rewritten, err := json.Marshal(again)
	require.NoError(t, err)
	require.Equal(t, string(escaped), string(rewritten))
}

func FuzzParseAnswers(f *testing.F) {
	for i, v := range messageSeeds(f) {
		f.Add(v, uint16(i))
	}
	f.Fuzz(func(t *testing.T, message string, key uint16) {
		a, err := clarify.ParseAnswers(message)
		checkAnswersKeys(t, message, near(key))
		if err != nil {
			require.Equal(t, clarify.ErrNotAnswers, err)
			require.Zero(t, a)
			return
		}
		for _, s := range a.Skipped {
			require.NoError(t, CheckPrintable(s.String()))
		}
		checkSummary(t, a)

		a.Skipped = nil // it has no encoding
		canonical, err := a.AppendJSON([]byte("head"))
		if err != nil {
			require.Equal(t, "head", string(canonical))
			require.ErrorContains(t, err, "bytes")
			require.GreaterOrEqual(t, len(message), clarify.MaxSize/10, "answers that were read have no encoding")
			return
		}
		checkCanonical(t, canonical[len("head"):], a, clarify.ParseAnswers)
	})
}

// checkSummary fails unless exactly one line an answer starts without an indent, with its id.
func checkSummary(t *testing.T, a clarify.Answers) {
	t.Helper()
	var starts []string
	for line := range strings.SplitSeq(oneBreak.Replace(a.Summary()), "\n") {
		if line != "" && !strings.HasPrefix(line, "  ") {
			starts = append(starts, line)
		}
	}
	require.Len(t, starts, len(a.Answers), "%q", a.Summary())
	for i, answer := range a.Answers {
		id := answer.ID
		if !oracleID.MatchString(id) {
			id = `"` // a JSON string
		}
		require.True(t, strings.HasPrefix(starts[i], id), "answer %d starts as %q, want %q", i, starts[i], id)
	}
}

// oneBreak replaces every line break by LF.
var oneBreak = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func FuzzParseEvent(f *testing.F) {
	for i, v := range eventSeeds(f) {
		f.Add([]byte(v), uint16(i))
	}
	f.Fuzz(func(t *testing.T, given []byte, key uint16) {
		data := bytes.Clone(given)
		ev, err := clarify.ParseEvent(data)
		require.Equal(t, given, data, "the event was modified")
		clear(data) // nothing may have been kept of it
		checkEventKeys(t, string(given), near(key))
		if err != nil {
			require.NoError(t, CheckPrintable(err.Error()))
			require.ErrorIs(t, err, clarify.ErrNotEvent)
			require.Zero(t, ev)
			return
		}
		fresh, err := clarify.ParseEvent(given)
		require.NoError(t, err)
		require.Equal(t, ev, fresh)
		line := ev.AppendJSON(nil)
		require.True(t, json.Valid(line) && utf8.Valid(line) && !bytes.ContainsAny(line, "\r\n"), "not one line of JSON: %q", line)
		again, err := clarify.ParseEvent(line)
		require.NoError(t, err)
		if utf8.ValidString(ev.Output) {
			require.Equal(t, ev, again)
		}
		require.Equal(t, string(line), string(again.AppendJSON(nil)))
		want, wantErr := ev.Envelope()
		got, err := again.Envelope()
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
	})
}

func FuzzUnmarshalJSON(f *testing.F) {
	f.Add([]byte("null"), uint16(0))
	for i, v := range slices.Concat(outputSeeds(f), messageSeeds(f)) {
		f.Add([]byte(v), uint16(i))
		for _, part := range parts(v) {
			f.Add([]byte(part), uint16(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, key uint16) { checkUnmarshals(t, data, near(key)) })
}

// parts returns what stands in the arrays of a text: prompts, options and answers.
func parts(text string) (out []string) {
	var whole map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &whole) != nil {
		return nil
	}
	for _, key := range []string{"prompts", "answers", "options"} {
		var elements []json.RawMessage
		if json.Unmarshal(whole[key], &elements) != nil {
			continue
		}
		for _, e := range elements {
			out = append(append(out, string(e)), parts(string(e))...)
		}
	}
	return out
}

// TestUnmarshalLarge has values whose encoding is larger than what they were read from: each of
// these bytes becomes a U+FFFD.
func TestUnmarshalLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\xff", clarify.MaxSize-200)
	prompt := `{"id":"a","kind":"text","question":"` + long + `"}`
	answer := `{"id":"a","kind":"text","value":"` + long + `"}`
	for _, data := range []string{
		`{"id":"a","label":"` + long + `"}`, prompt, answer, wire(`"prompts":[` + prompt + `]`), wire(`"answers":[` + answer + `]`),
	} {
		checkUnmarshals(t, []byte(data), near(0))
	}
}

// wire is a JSON object of the protocol.
func wire(members string) string { return `{"protocol":"appwrite.clarify/v1",` + members + `}` }

// checkUnmarshals gives data to every UnmarshalJSON. What is part of an envelope or of answers has
// to be read just as it is within one.
func checkUnmarshals(t *testing.T, data []byte, near string) {
	t.Helper()
	input := string(data)
	checkUnmarshal(t, input, near, clarify.Envelope{Title: "left alone"}, func(e *clarify.Envelope) { e.Skipped = nil }, nil)
	checkUnmarshal(t, input, near, clarify.Answers{Answers: []clarify.Answer{{ID: "left alone"}}}, func(a *clarify.Answers) { a.Skipped = nil }, nil)
	checkUnmarshal(t, input, near, clarify.Prompt{ID: "left alone"}, func(*clarify.Prompt) {}, func(element string) (clarify.Prompt, bool) {
		e, err := clarify.Parse(wire(`"prompts":[` + element + `]`))
		if err != nil {
			return clarify.Prompt{}, false
		}
		return e.Prompts[0], true
	})
	checkUnmarshal(t, input, near, clarify.Option{ID: "left alone"}, func(*clarify.Option) {}, func(element string) (clarify.Option, bool) {
		const other = `{"id":"b","label":"b"}`
		e, err := clarify.Parse(wire(`"prompts":[{"id":"a","kind":"choice","question":"q","options":[` + element + "," + other + "," + other + `]}]`))
		require.NoError(t, err, "two good options are no choice")
		options := e.Prompts[0].Input.(*clarify.Choice).Options
		return options[0], len(options) == 3
	})
	checkUnmarshal(t, input, near, clarify.Answer{ID: "left alone"}, func(*clarify.Answer) {}, func(element string) (clarify.Answer, bool) {
		a, err := clarify.ParseAnswers(wire(`"answers":[` + element + `]`))
		if err != nil {
			return clarify.Answer{}, false
		}
		return a.Answers[0], true
	})
}

func checkUnmarshal[T any, P interface {
	*T
	json.Unmarshaler
	json.Marshaler
}](t *testing.T, input, near string, before T, forget func(P), within func(string) (T, bool)) {
	t.Helper()
	data := []byte(input)
	v := before
	err := P(&v).UnmarshalJSON(data)
	require.Equal(t, input, string(data), "the data was modified")
	clear(data) // nothing may have been kept of it
	if err != nil || input == "null" {
		require.Equal(t, before, v, "not left alone")
		if input == "null" {
			require.NoError(t, err)
			return
		}
		require.NoError(t, CheckPrintable(err.Error()))
	}
	if json.Valid([]byte(input)) {
		if within != nil && len(input) < clarify.MaxDepth { // so it is not too deep, and not too large
			want, ok := within(input)
			require.Equal(t, ok, err == nil, "%T alone: %v", v, err)
			if ok {
				require.Equal(t, want, v)
			}
		}
		if more := withMembers(input, near); len(more) <= clarify.MaxSize {
			var fresh T
			err2 := P(&fresh).UnmarshalJSON([]byte(more))
			withoutKeys(&fresh)
			withoutKeys(&v)
			if (err2 == nil) != (err == nil) || err == nil && !reflect.DeepEqual(fresh, v) {
				t.Fatalf("%s changed %T %s\n got %+v, %v\nwant %+v, %v", near, v, show(input), fresh, err2, v, err)
			}
		}
	}
	if err != nil {
		return
	}

	forget(&v)
	canonical, err := P(&v).MarshalJSON()
	if err != nil {
		require.GreaterOrEqual(t, len(input), clarify.MaxSize/10, "%T that was read has no encoding: %v", v, err)
		return
	}
	require.True(t, json.Valid(canonical), "not JSON: %q", canonical)
	var again T
	require.NoError(t, P(&again).UnmarshalJSON(canonical))
	require.Equal(t, v, again)
	rewritten, err := P(&again).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, string(canonical), string(rewritten))
}
