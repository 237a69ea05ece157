package clarify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Fuzz targets for everything that takes foreign bytes, and what holds for all input.

// seeds returns the values of one field of all vectors, as an entry point gets them: a string as
// its value, if decode is set, and anything else as it stands. It fails if there are none.
func seeds(t testing.TB, field string, decode bool) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "vectors", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var vector map[string]json.RawMessage
			if err := json.Unmarshal(line, &vector); err != nil {
				t.Fatalf("%s: %v in %s", file, err, line)
			}
			value := string(vector[field])
			if decode && strings.HasPrefix(value, `"`) {
				if err := json.Unmarshal([]byte(value), &value); err != nil {
					t.Fatal(err)
				}
			}
			if vector[field] != nil {
				values = append(values, value)
			}
		}
	}
	if len(values) == 0 {
		t.Fatalf("no vector in %q has the field %q", files, field)
	}
	return values
}

// callSeeds returns the arguments of all vectors, a call with more problems than fit into the
// tool's result, and one whose duplicate has an elder behind what is not a prompt.
func callSeeds(t testing.TB) []string {
	foreign := `"` + strings.Repeat(`\u0001\u202e\"`, 30) + `"`
	option := `{"id":` + foreign + `,"label":[],"description":1}`
	prompt := `{"id":` + foreign + `,"kind":"choice","options":[` + strings.Repeat(option+",", MaxOptions) + option + `],"required":` + foreign + `}`
	return append(seeds(t, "args", false),
		`{"title":`+foreign+`,"prompts":[`+strings.Repeat(prompt+",", MaxPrompts)+prompt+`]}`,
		`{"prompts":[null,{"id":"a","kind":"text","question":"q"},{"id":"a","kind":"text","question":"q"}]}`)
}

func outputSeeds(t testing.TB) []string  { return seeds(t, "output", true) }
func messageSeeds(t testing.TB) []string { return seeds(t, "text", true) }

// eventSeeds returns an event for each output, and some that are none.
func eventSeeds(t testing.TB) []string {
	events := []string{
		"", "null", "[]", `{}`, `{"type":1,"agent":null,"tool":[],"run_id":{},"output":false,"failed":"true"}`,
		`{"type":"tool_start","tool":"clarify"}`, `{"type":"tool_end","tool":" CLARIFY\n","failed":true,"output":"Error: no"}`,
		`{"type":"tool_end","tool":"clarify","output": [1, {"a":1e999}] }`,
		`{"type":"tool_end","tool":"clarify","output":{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"` + "\xff\xff" + `"}]}}`,
	}
	const head = `{"type":"tool_end","agent":"platform","tool":"clarify","run_id":"r1","output":`
	for i, output := range outputSeeds(t) {
		if i%2 == 0 && json.Valid([]byte(output)) {
			events = append(events, head+output+"}")
		} else {
			events = append(events, head+string(appendString(nil, output))+"}")
		}
	}
	return events
}

func allSeeds(t testing.TB) []string {
	return slices.Concat(callSeeds(t), outputSeeds(t), messageSeeds(t), eventSeeds(t))
}

// checkPrintable fails if a text is not what may stand in one line of a log or of a tool's result.
func checkPrintable(t testing.TB, text string) {
	t.Helper()
	const most = 4000
	if len(text) > most || text == "" || !utf8.ValidString(text) {
		t.Errorf("%d bytes, want 1 to %d of valid UTF-8: %q", len(text), most, text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			t.Errorf("%U in %q", r, text)
		}
	}
}

// A nearKey is a member whose key is almost one of the protocol's, with a value that would be
// noticed if the key were taken for it.
type nearKey struct{ key, member string }

var nearKeys = func() (near []nearKey) {
	known := []string{
		keyProtocol, keyTitle, keyPrompts, keyAnswers, keyID, keyKind, keyQuestion, keyHint, keyRequired, keyOptions, keyAllowMultiple,
		keyConfirmLabel, keyCancelLabel, keyDanger, keyPlaceholder, keyDefaultValue, keyMultiline, keyLabel, keyDescription,
		keyValues, keyConfirmed, keyValue, keyType, keyAgent, keyTool, keyRunID, keyOutput, keyFailed,
	}
	for _, k := range known {
		value := `"hijacked"`
		switch k {
		case keyProtocol:
			value = `"appwrite.clarify/v2"`
		case keyPrompts, keyAnswers, keyOptions, keyValues:
			value = "[]"
		case keyRequired:
			value = "false"
		case keyAllowMultiple, keyDanger, keyMultiline, keyConfirmed, keyFailed:
			value = "true"
		}
		for _, key := range []string{
			strings.ToUpper(k), strings.ToUpper(k[:1]) + k[1:], k[:len(k)-1] + strings.ToUpper(k[len(k)-1:]), strings.ToLower(k),
			k[1:], k[:len(k)-1], k + k[len(k)-1:], "x" + k[1:], k[:len(k)-1] + "x", k + " ", " " + k,
			k + "\x00", "\x00" + k, k[:1] + "\x00" + k[1:], k + "\ufeff",
			strings.ReplaceAll(k, "s", "\u017f"), strings.ReplaceAll(k, "k", "\u212a"), strings.ReplaceAll(k, "i", "\u0131"),
		} {
			if slices.Contains(known, key) {
				continue
			}
			var escaped strings.Builder
			for _, r := range key {
				fmt.Fprintf(&escaped, `\u%04x`, r)
			}
			near = append(near,
				nearKey{key, `"` + escaped.String() + `":` + value},
				nearKey{key, string(appendString(nil, key)) + ":" + value})
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
	if json.Unmarshal([]byte(arguments), &args) != nil || json.Unmarshal(args[keyPrompts], &prompts) != nil || !json.Valid([]byte(prompts)) {
		return "", false
	}
	out := `{"` + keyPrompts + `":` + string(appendString(nil, withMembers(prompts, members)))
	if title, ok := args[keyTitle]; ok {
		out += `,"` + keyTitle + `":` + string(title)
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
		if len(entry.seeds) < 2*len(parts) {
			t.Errorf("%d vectors, want at least two for each of %d parts", len(entry.seeds), len(parts))
		}
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
	want, _ := Call([]byte(arguments))
	if more := withMembers(arguments, members); len(more) <= MaxSize {
		if got, _ := Call([]byte(more)); got != want {
			t.Errorf("%.60s changed Call(%s)\n got %s\nwant %s", members, show(arguments), got, want)
		}
	}
	if more, ok := withMembersInside(arguments, members); ok && len(more) <= MaxSize {
		if got, _ := Call([]byte(more)); got != want {
			t.Errorf("%.60s inside changed Call(%s)\n got %s\nwant %s", members, show(arguments), got, want)
		}
	}
}

func checkParseKeys(t testing.TB, output, members string) {
	t.Helper()
	if !json.Valid([]byte(strings.Trim(output, oracleScriptSpace))) {
		return
	}
	more := withMembers(output, members)
	if len(more) > MaxSize {
		return
	}
	want, wantErr := Parse(output)
	if got, err := Parse(more); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
		t.Errorf("%.60s changed Parse(%s)\n got %+v, %v\nwant %+v, %v", members, show(output), got, err, want, wantErr)
	}
}

func checkAnswersKeys(t testing.TB, message, members string) {
	t.Helper()
	if !json.Valid([]byte(strings.Trim(message, oracleScriptSpace))) {
		return
	}
	more := withMembers(message, members)
	if len(more) > MaxSize {
		return
	}
	want, wantErr := ParseAnswers(message)
	if got, err := ParseAnswers(more); !reflect.DeepEqual(got, want) || err != wantErr {
		t.Errorf("%.60s changed ParseAnswers(%s)\n got %+v, %v\nwant %+v, %v", members, show(message), got, err, want, wantErr)
	}
}

func checkEventKeys(t testing.TB, event, members string) {
	t.Helper()
	if !json.Valid([]byte(event)) {
		return
	}
	more := withMembers(event, members)
	if len(more) > MaxSize {
		return
	}
	want, wantErr := ParseEvent([]byte(event))
	got, err := ParseEvent([]byte(more))
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

func FuzzCall(f *testing.F) {
	for i, v := range callSeeds(f) {
		f.Add([]byte(v), uint16(i))
	}
	f.Fuzz(func(t *testing.T, given []byte, near uint16) {
		arguments := bytes.Clone(given)
		result, err := Call(arguments)
		e, err2 := ParseCall(arguments)
		if !bytes.Equal(arguments, given) {
			t.Fatal("the arguments were modified")
		}
		clear(arguments) // nothing may have been kept of them

		if !reflect.DeepEqual(err, err2) {
			t.Fatalf("Call: %v\nParseCall: %v", err, err2)
		}
		checkCallKeys(t, string(given), nearKeys[int(near)%len(nearKeys)].member)
		if err != nil {
			checkRefusedCall(t, result, e, err)
			return
		}
		canonical, err := e.AppendJSON(nil)
		if err != nil || string(canonical) != result || !json.Valid(canonical) {
			t.Fatalf("AppendJSON %s, %v\nwant %s", canonical, err, result)
		}
		if again, err := e.Result(); again != result || err != nil {
			t.Fatalf("Result %s, %v\nwant %s", again, err, result)
		}
		parsed, err := Parse(result)
		if err != nil || !reflect.DeepEqual(parsed, e) {
			t.Fatalf("Parse %+v, %v\nwant %+v", parsed, err, e)
		}
		if len(e.Skipped) > 0 {
			t.Fatalf("an accepted call has %v", e.Skipped)
		}
		if again, err := Call(canonical); again != result || err != nil {
			t.Fatalf("Call of its own result: %s, %v\nwant %s", again, err, result)
		}
	})
}

func checkRefusedCall(t *testing.T, result string, e *Envelope, err error) {
	t.Helper()
	if e != nil || result != ErrorResult(err) {
		t.Errorf("refused, but got %+v and %q", e, result)
	}
	checkErrorText(t, result)
	checkPrintable(t, err.Error())
	var invalid *ValidationError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		t.Fatalf("%T without a violation", err)
	}
	for i, v := range invalid.Violations {
		checkPrintable(t, v.String())
		if v.Path == "" || v.Code == "" || v.Got == "" || v.Want == "" {
			t.Errorf("a violation that does not say all: %+v", v)
		}
		if len(v.String()) > 700 {
			t.Errorf("a violation of %d bytes: %v", len(v.String()), v)
		}
		for _, elder := range invalid.Violations[:i] {
			if v.Path == elder.Path && v.Code == elder.Code {
				t.Errorf("twice: %v", v)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for i, v := range outputSeeds(f) {
		f.Add(v, uint16(i))
	}
	f.Fuzz(func(t *testing.T, output string, near uint16) {
		e, err := Parse(output)
		checkParseKeys(t, output, nearKeys[int(near)%len(nearKeys)].member)
		if err != nil {
			checkPrintable(t, err.Error())
			if e != nil || !errors.Is(err, ErrNotEnvelope) {
				t.Fatalf("refused with %+v, %v", e, err)
			}
			var empty *EmptyError
			if errors.As(err, &empty) != errors.Is(err, ErrNothingToShow) {
				t.Fatalf("%T is not an EmptyError", err)
			}
			return
		}
		if len(e.Prompts) == 0 {
			t.Fatal("an envelope without a prompt")
		}
		for _, s := range e.Skipped {
			checkPrintable(t, s.String())
		}
		if len(e.Skipped) > 0 {
			if result, err := e.Result(); err == nil {
				t.Fatalf("a half-read envelope was emitted: %s", result)
			}
		}
		if json.Valid([]byte(output)) {
			var decoded Envelope
			if err := json.Unmarshal([]byte(output), &decoded); err != nil || !reflect.DeepEqual(&decoded, e) {
				t.Fatalf("Unmarshal %+v, %v\nwant %+v", decoded, err, e)
			}
		}

		e.Skipped = nil // it has no encoding
		canonical, err := e.AppendJSON([]byte("head"))
		if err != nil {
			if string(canonical) != "head" || len(e.append(nil)) <= MaxSize {
				t.Fatalf("an envelope that was read has no encoding: %v", err)
			}
			return
		}
		checkCanonical(t, canonical[len("head"):], e, func(text string) (*Envelope, error) { return Parse(text) })
	})
}

// checkCanonical fails unless want reads back from its canonical bytes, and is written as them
// again, both by the library and by encoding/json, whose own escapes may differ.
func checkCanonical[T any](t *testing.T, canonical []byte, want T, parse func(string) (T, error)) {
	t.Helper()
	if !json.Valid(canonical) || !utf8.Valid(canonical) {
		t.Fatalf("not JSON: %q", canonical)
	}
	if got, err := parse(string(canonical)); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("read back from %s\n got %+v, %v\nwant %+v", canonical, got, err, want)
	}
	escaped, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if len(escaped) > MaxSize {
		return
	}
	again, err := parse(string(escaped))
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Fatalf("read back from %s\n got %+v, %v\nwant %+v", escaped, again, err, want)
	}
	rewritten, err := json.Marshal(again)
	if err != nil || !bytes.Equal(rewritten, escaped) {
		t.Fatalf("rewritten %s, %v\nwant %s", rewritten, err, escaped)
	}
}

func FuzzParseAnswers(f *testing.F) {
	for i, v := range messageSeeds(f) {
		f.Add(v, uint16(i))
	}
	f.Fuzz(func(t *testing.T, message string, near uint16) {
		a, err := ParseAnswers(message)
		checkAnswersKeys(t, message, nearKeys[int(near)%len(nearKeys)].member)
		if err != nil {
			if err != ErrNotAnswers || a.Answers != nil || a.Skipped != nil {
				t.Fatalf("refused with %+v, %v", a, err)
			}
			return
		}
		for _, s := range a.Skipped {
			checkPrintable(t, s.String())
		}
		checkSummary(t, a)

		a.Skipped = nil // it has no encoding
		canonical, err := a.AppendJSON([]byte("head"))
		if err != nil {
			if string(canonical) != "head" || !strings.Contains(err.Error(), "bytes") || len(message) < MaxSize/10 {
				t.Fatalf("answers that were read have no encoding: %v", err)
			}
			return
		}
		checkCanonical(t, canonical[len("head"):], a, ParseAnswers)
	})
}

// checkSummary fails unless exactly one line an answer starts without an indent, with its id.
func checkSummary(t *testing.T, a Answers) {
	t.Helper()
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	var starts []string
	for line := range strings.SplitSeq(breaks.Replace(a.Summary()), "\n") {
		if line != "" && !strings.HasPrefix(line, "  ") {
			starts = append(starts, line)
		}
	}
	if len(starts) != len(a.Answers) {
		t.Fatalf("%d answers start in the summary, want %d: %q", len(starts), len(a.Answers), a.Summary())
	}
	for i, answer := range a.Answers {
		id := answer.ID
		if !oracleID.MatchString(id) {
			id = `"` // a JSON string
		}
		if !strings.HasPrefix(starts[i], id) {
			t.Errorf("answer %d starts as %q, want %q", i, starts[i], id)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	for i, v := range eventSeeds(f) {
		f.Add([]byte(v), uint16(i))
	}
	f.Fuzz(func(t *testing.T, given []byte, near uint16) {
		data := bytes.Clone(given)
		ev, err := ParseEvent(data)
		if !bytes.Equal(data, given) {
			t.Fatal("the event was modified")
		}
		clear(data) // nothing may have been kept of it
		checkEventKeys(t, string(given), nearKeys[int(near)%len(nearKeys)].member)
		if err != nil {
			checkPrintable(t, err.Error())
			if ev != (Event{}) || !errors.Is(err, ErrNotEvent) {
				t.Fatalf("refused with %+v, %v", ev, err)
			}
			return
		}
		if fresh, err := ParseEvent(given); fresh != ev || err != nil {
			t.Fatalf("read again as %+v, %v\nwant %+v", fresh, err, ev)
		}
		line := ev.AppendJSON(nil)
		if !json.Valid(line) || !utf8.Valid(line) || bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("not one line of JSON: %q", line)
		}
		again, err := ParseEvent(line)
		if err != nil || utf8.ValidString(ev.Output) && again != ev {
			t.Fatalf("read back from %s\n got %+v, %v\nwant %+v", line, again, err, ev)
		}
		if rewritten := again.AppendJSON(nil); !bytes.Equal(rewritten, line) {
			t.Fatalf("rewritten %s\nwant %s", rewritten, line)
		}
		want, wantErr := ev.Envelope()
		if got, err := again.Envelope(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("the envelope, read back from %s\n got %+v, %v\nwant %+v, %v", line, got, err, want, wantErr)
		}
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
	f.Fuzz(func(t *testing.T, data []byte, near uint16) {
		checkUnmarshals(t, data, nearKeys[int(near)%len(nearKeys)].member)
	})
}

// parts returns what stands in the arrays of a text: prompts, options and answers.
func parts(text string) (out []string) {
	var whole map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &whole) != nil {
		return nil
	}
	for _, key := range []string{keyPrompts, keyAnswers, keyOptions} {
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
	long := strings.Repeat("\xff", MaxSize-200)
	prompt := `{"id":"a","kind":"text","question":"` + long + `"}`
	answer := `{"id":"a","kind":"text","value":"` + long + `"}`
	for _, data := range []string{
		`{"id":"a","label":"` + long + `"}`,
		prompt,
		answer,
		`{"protocol":"appwrite.clarify/v1","prompts":[` + prompt + `]}`,
		`{"protocol":"appwrite.clarify/v1","answers":[` + answer + `]}`,
	} {
		checkUnmarshals(t, []byte(data), nearKeys[0].member)
	}
}

// checkUnmarshals gives data to every UnmarshalJSON. What is part of an envelope or of answers has
// to be read just as it is within one.
func checkUnmarshals(t *testing.T, data []byte, near string) {
	t.Helper()
	input := string(data)
	checkUnmarshal(t, input, near, Envelope{Title: "left alone"}, func(e *Envelope) { e.Skipped = nil }, nil)
	checkUnmarshal(t, input, near, Answers{Answers: []Answer{{ID: "left alone"}}}, func(a *Answers) { a.Skipped = nil }, nil)
	checkUnmarshal(t, input, near, Prompt{ID: "left alone"}, func(*Prompt) {}, func(element string) (Prompt, bool) {
		e, err := Parse(`{"protocol":"appwrite.clarify/v1","prompts":[` + element + `]}`)
		if err != nil {
			return Prompt{}, false
		}
		return e.Prompts[0], true
	})
	checkUnmarshal(t, input, near, Option{ID: "left alone"}, func(*Option) {}, func(element string) (Option, bool) {
		const other = `{"id":"b","label":"b"}`
		e, err := Parse(`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"choice","question":"q","options":[` +
			element + "," + other + "," + other + `]}]}`)
		if err != nil {
			t.Errorf("two good options are no choice: %v", err)
			return Option{}, false
		}
		options := e.Prompts[0].Input.(*Choice).Options
		return options[0], len(options) == 3
	})
	checkUnmarshal(t, input, near, Answer{ID: "left alone"}, func(*Answer) {}, func(element string) (Answer, bool) {
		a, err := ParseAnswers(`{"protocol":"appwrite.clarify/v1","answers":[` + element + `]}`)
		if err != nil {
			return Answer{}, false
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
	if string(data) != input {
		t.Fatal("the data was modified")
	}
	clear(data) // nothing may have been kept of it
	if input == "null" || err != nil {
		if !reflect.DeepEqual(v, before) {
			t.Fatalf("%T was not left alone: %+v, %v", v, v, err)
		}
		if err != nil {
			checkPrintable(t, err.Error())
		}
		if input == "null" && err != nil {
			t.Fatalf("%T: null: %v", v, err)
		}
	}
	if input == "null" {
		return
	}
	if within != nil && json.Valid([]byte(input)) && len(input) < MaxDepth { // so it is not too deep, and not too large
		if want, ok := within(input); ok != (err == nil) || ok && !reflect.DeepEqual(v, want) {
			t.Fatalf("%T alone %+v, %v\nwithin %+v, %v", v, v, err, want, ok)
		}
	}
	var fresh T
	if json.Valid([]byte(input)) {
		more := withMembers(input, near)
		err2 := P(&fresh).UnmarshalJSON([]byte(more))
		if len(more) <= MaxSize && ((err2 == nil) != (err == nil) || err == nil && !reflect.DeepEqual(fresh, v)) {
			t.Fatalf("%s changed %T %s\n got %+v, %v\nwant %+v, %v", near, v, show(input), fresh, err2, v, err)
		}
	}
	if err != nil {
		return
	}

	forget(&v)
	canonical, err := P(&v).MarshalJSON()
	if err != nil {
		if len(input) < MaxSize/10 {
			t.Fatalf("%T that was read has no encoding: %v", v, err)
		}
		return
	}
	if !json.Valid(canonical) {
		t.Fatalf("not JSON: %q", canonical)
	}
	var again T
	if err := P(&again).UnmarshalJSON(canonical); err != nil || !reflect.DeepEqual(again, v) {
		t.Fatalf("%T of %d bytes is not read back: %v", v, len(canonical), err)
	}
	if rewritten, err := P(&again).MarshalJSON(); err != nil || !bytes.Equal(rewritten, canonical) {
		t.Fatalf("rewritten %s, %v\nwant %s", rewritten, err, canonical)
	}
}
