package clarify

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type argumentFault struct {
	fault
	text string
	want string // what the error text says besides the path
}

func nested(open, inside, shut string, n int) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(shut, n)
}

// textPrompt is a valid prompt.
const textPrompt = `{"id":"name","kind":"text","question":"Database name"}`

// argumentFaults are calls that are wrong as a whole, as models send them.
func argumentFaults() []argumentFault {
	const whole = `{"prompts":[` + textPrompt + `]}`
	var all []argumentFault
	add := func(name, text, path string, code Code, want string) {
		all = append(all, argumentFault{fault{name: name, path: path, code: code}, text, want})
	}
	in := func(name, text string, code Code, want string) { add(name, text, keyArguments, code, want) }

	in("nothing", "", CodeSyntax, "unexpected end at byte 0")
	in("only white space", " \n\t", CodeSyntax, "unexpected end at byte 3")
	in("prose", "Which bucket?", CodeSyntax, `unexpected character at byte 0: "Which bucket?"`)
	in("a code fence", "```json\n"+whole+"\n```", CodeSyntax, "unexpected character at byte 0")
	in("single quotes", `{'prompts':[]}`, CodeSyntax, `unexpected character at byte 1: "'prompts'`)
	in("cut", whole[:len(whole)-1], CodeSyntax, fmt.Sprintf("unexpected end at byte %d", len(whole)-1))
	in("cut in an escape", `{"title":"\u00`, CodeSyntax, "unexpected end at byte 14")
	in("cut behind a backslash", `{"title":"\`, CodeSyntax, "unexpected end at byte 11")
	in("cut in a literal", `{"title":nul`, CodeSyntax, "unexpected end at byte 12")
	in("cut in a number", `{"title":-`, CodeSyntax, "unexpected end at byte 10")
	in("two values", whole+whole, CodeSyntax, fmt.Sprintf("unexpected character at byte %d", len(whole)))
	in("a trailing comma", `{"title":"a",}`, CodeSyntax, "unexpected character at byte 13")
	in("no comma", `{"title":"a" "prompts":[]}`, CodeSyntax, "unexpected character at byte 13")
	in("no colon", `{"title" "a"}`, CodeSyntax, "unexpected character at byte 9")
	in("a key without quotes", `{title:"a"}`, CodeSyntax, "unexpected character at byte 1")
	in("the wrong bracket", `{"title":"a"]`, CodeSyntax, "unexpected character at byte 12")
	in("a comment", `{"title":"a"/* b */}`, CodeSyntax, "unexpected character at byte 12")
	in("a byte order mark", "\uFEFF"+whole, CodeSyntax, "unexpected character at byte 0")
	in("a no-break space", "\u00A0"+whole, CodeSyntax, "unexpected character at byte 0")
	in("a line break in a string", "{\"title\":\"a\nb\"}", CodeSyntax, "control character in a string at byte 11")
	in("an unknown escape", `{"title":"a\'b"}`, CodeSyntax, "invalid escape in a string at byte 12")
	in("a bad \\u escape", `{"title":"\u00g0"}`, CodeSyntax, "invalid escape in a string at byte 14")
	in("a leading zero", `{"a":01}`, CodeSyntax, "unexpected character at byte 6")
	in("a number without digits", `{"a":1.}`, CodeSyntax, "unexpected character at byte 7")
	in("an exponent without digits", `{"a":1e+}`, CodeSyntax, "unexpected character at byte 8")
	in("not a number", `{"a":NaN}`, CodeSyntax, "unexpected character at byte 5")
	in("a plus", `{"a":+1}`, CodeSyntax, "unexpected character at byte 5")

	in("null", "null", CodeWrongType, `got null, want a JSON object {"prompts": …, "title": …}`)
	in("an array", "["+textPrompt+"]", CodeWrongType, "got an array, want a JSON object")
	in("a string", `"`+strings.Repeat("x", 100)+`"`, CodeWrongType, `got "`+strings.Repeat("x", maxQuote)+`"…, want a JSON object`)
	in("an encoded call", `"{\"prompts\":[]}"`, CodeWrongType, `got "{\"prompts\":[]}", want a JSON object`)
	in("a number", "-1.5e3", CodeWrongType, "got -1.5e3, want a JSON object")
	in("a long number", strings.Repeat("1", 100), CodeWrongType, "got a number, want a JSON object")
	in("true", "true", CodeWrongType, "got true, want a JSON object")
	in("false", " false ", CodeWrongType, "got false, want a JSON object")

	in("invalid UTF-8", `{"title":"`+"a\xFFb\"}", CodeInvalidUTF8, "got byte 0xff at offset 11, want UTF-8")
	in("invalid UTF-8 at the start", "\x80", CodeInvalidUTF8, "got byte 0x80 at offset 0")
	in("invalid UTF-8 behind U+FFFD", "{\"\uFFFD\xE4\":1}", CodeInvalidUTF8, "got byte 0xe4 at offset 5")
	in("an encoded surrogate", "{\"\xED\xA0\x80\":1}", CodeInvalidUTF8, "got byte 0xed at offset 2")
	in("a cut code point", `{"title":"`+"\xF0\x9F\x98", CodeInvalidUTF8, "got byte 0xf0 at offset 10")

	in("10 MiB", `{"title":"`+strings.Repeat("x", 10<<20)+`"}`, CodeTooLarge, "got 10485772 bytes, want at most 1048576")
	in("a byte too many", whole+strings.Repeat(" ", MaxSize+1-len(whole)), CodeTooLarge, "got 1048577 bytes, want at most 1048576")
	in("100,000 brackets", nested("[", "", "]", 100_000), CodeTooDeep, "got nesting too deep at byte 10000, want 10000 levels at most")
	in("100,000 brackets that never close", strings.Repeat("[", 100_000), CodeTooDeep, "got nesting too deep at byte 10000")
	in("100,000 objects", strings.Repeat(`{"a":`, 100_000), CodeTooDeep, "got nesting too deep at byte 50000")
	in("a level too many", `{"a":`+nested("[", "", "]", MaxDepth)+`}`, CodeTooDeep, "got nesting too deep")

	add("no prompts", `{}`, keyPrompts, CodeMissing, "got nothing, want a JSON array of 1 to 5 prompts, or one prompt object")
	add("only a title", `{"title":"a"}`, keyPrompts, CodeMissing, "got nothing")
	add("null prompts", `{"prompts":null}`, keyPrompts, CodeMissing, "got null")
	add("another key", `{"Prompts":[`+textPrompt+`],"prompts\u0000":[`+textPrompt+`],"questions":[`+textPrompt+`]}`, keyPrompts, CodeMissing, "got nothing")
	add("a title of the wrong type", `{"title":{"text":"a"},"prompts":[`+textPrompt+`]}`, keyTitle, CodeWrongType, "got an object, want a string of at most 120 characters, or none")
	add("a title too long", `{"title":"`+strings.Repeat("好", 121)+`","prompts":[`+textPrompt+`]}`, keyTitle, CodeTooLong, "got 121 characters, want a string of at most 120 characters")
	add("prompts encoded twice", `{"prompts":"\"[]\""}`, keyPrompts, CodeWrongType, `got "[]" in a string, want a JSON array`)
	add("prompts in a fence", "{\"prompts\":\"```json\\n[]\\n```\"}", keyPrompts, CodeSyntax, "unexpected character at byte 0: \"```json\\n[]\\n```\"")
	add("prompts cut", `{"prompts":" [{\"id\""}`, keyPrompts, CodeSyntax, "unexpected end at byte 6")
	add("prompts a level too deep", `{"prompts":"`+nested("[", "", "]", MaxDepth+1)+`"}`, keyPrompts, CodeTooDeep, "got nesting too deep at byte 10000")
	add("a prompt in a string", `{"prompts":["`+strings.ReplaceAll(textPrompt, `"`, `\"`)+`"]}`, "prompts[0]", CodeWrongType, `want an object {"id": …, "kind": …, "question": …}`)

	prompt := func(fields string) string {
		return `{"prompts":[{"id":"bucket","kind":"choice","question":"Which?",` + fields + `}]}`
	}
	add("options as strings", prompt(`"options":["avatars",{"id":"b","label":"B"}]`), "prompts[0].options[0]", CodeWrongType, `got "avatars", want an object {"id": …, "label": …}`)
	add("options in a string", prompt(`"options":"[{\"id\":\"a\"}]"`), "prompts[0].options", CodeWrongType, `want an array of 2 to 12 options, each an object {"id": …, "label": …}`)
	add("no options", prompt(`"choices":[]`), "prompts[0].options", CodeMissing, "got nothing, want an array of 2 to 12 options")
	add("value instead of label", prompt(`"options":[{"id":"a","value":"A"},{"id":"b","label":"B"}]`), "prompts[0].options[0].label", CodeMissing, "got nothing, want a string of 1 to 120 characters")
	add("a blank choice stays a choice", prompt(`"options":[]`), "prompts[0].options", CodeTooFew, "got 0 options, want 2 to 12")
	add("one option", prompt(`"options":[{"id":"a","label":"A"}]`), "prompts[0].options", CodeTooFew, "got 1 option, want 2 to 12")
	add("an id by its pattern", strings.Replace(whole, `"name"`, `"Name"`, 1), "prompts[0].id", CodeBadID, `got "Name", want a string that matches `+IDPattern)
	add("a kind by its names", strings.Replace(whole, `"text"`, `"select"`, 1), "prompts[0].kind", CodeUnknownKind, `got "select", want "choice", "confirm" or "text"`)
	add("a question one too long", strings.Replace(whole, "Database name", strings.Repeat("é", 501), 1), "prompts[0].question", CodeTooLong, "got 501 characters, want a string of 1 to 500 characters")
	add("a word for a flag", strings.Replace(whole, "}", `,"required":"true"}`, 1), "prompts[0].required", CodeWrongType, `got "true", want true or false`)
	return all
}

func TestHostileArguments(t *testing.T) {
	for _, f := range argumentFaults() {
		t.Run(f.name, func(t *testing.T) {
			arguments := []byte(f.text)
			e, err := ParseCall(arguments)
			var invalid *ValidationError
			if e != nil || !errors.As(err, &invalid) {
				t.Fatalf("got %+v, %#v", e, err)
			}
			checkViolations(t, invalid.Violations, f.fault)
			if text := invalid.Violations[0].String(); !strings.HasPrefix(text, f.path+": got ") || !strings.Contains(text, f.want) {
				t.Errorf("%q does not say %q", text, f.want)
			}
			result, callErr := Call(arguments)
			if !reflect.DeepEqual(callErr, err) || result != ErrorResult(err) {
				t.Errorf("Call returns %q, %v", result, callErr)
			}
			checkErrorText(t, result)
			if string(arguments) != f.text {
				t.Error("the arguments were changed")
			}
		})
	}
}

// TestArgumentsAtTheBounds: what is just not too much is accepted.
func TestArgumentsAtTheBounds(t *testing.T) {
	const whole = `{"prompts":[` + textPrompt + `]}`
	want := &Envelope{Prompts: []Prompt{{ID: "name", Question: "Database name", Input: &Text{}}}}
	fill := func(prefix, suffix string) string {
		return prefix + strings.Repeat(" ", MaxSize-len(prefix)-len(suffix)) + suffix
	}
	escaped := strings.ReplaceAll(textPrompt, `"`, `\"`)
	deep := nested("[", "", "]", MaxDepth-1) // in one more
	for name, text := range map[string]string{
		"1 MiB with white space behind":       fill(whole, ""),
		"1 MiB with white space before":       fill("", whole),
		"1 MiB with a large unknown field":    fill(`{"a":"`, `",`+whole[1:]),
		"1 MiB of prompts in a string":        fill(`{"prompts":"`, escaped+`"}`),
		"10,000 levels":                       `{"a":` + deep + `,` + whole[1:],
		"10,000 levels in a prompts array":    `{"prompts":[` + strings.Replace(textPrompt, "{", `{"a":`+nested("[", "", "]", MaxDepth-3)+`,`, 1) + `]}`,
		"10,000 levels of objects":            `{"a":` + nested(`{"a":`, "1", "}", MaxDepth-1) + `,` + whole[1:],
		"10,000 levels within prompts string": `{"prompts":"` + strings.Replace(escaped, "{", `{\"a\":`+deep+`,`, 1) + `"}`,
		"10,000 levels both in and around":    `{"a":` + deep + `,"prompts":"` + strings.Replace(escaped, "{", `{\"a\":`+deep+`,`, 1) + `"}`,
	} {
		e, err := ParseCall([]byte(text))
		if err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	for name, text := range map[string]string{
		"a level more in a prompts array":    `{"prompts":[` + strings.Replace(textPrompt, "{", `{"a":`+nested("[", "", "]", MaxDepth-2)+`,`, 1) + `]}`,
		"a level more within prompts string": `{"prompts":"` + strings.Replace(escaped, "{", `{\"a\":[`+deep+`],`, 1) + `"}`,
	} {
		var invalid *ValidationError
		if _, err := ParseCall([]byte(text)); !errors.As(err, &invalid) || invalid.Violations[0].Code != CodeTooDeep {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArgumentEscapes: strings are read as JSON says.
func TestArgumentEscapes(t *testing.T) {
	for raw, want := range map[string]string{
		`\"\\\/\b\f\n\r\t.`:        "\"\\/\b\f\n\r\t.",
		`\u0041\u00e9\u00E9\u597d`: "Aéé好",
		`\ud83d\uDE00`:             "😀",
		`\udbff\udfff`:             "\U0010FFFF",
		`\ud800\udc00`:             "\U00010000",
		`\ud83d`:                   "\uFFFD",
		`\ude00`:                   "\uFFFD",
		`\ud83dx`:                  "\uFFFDx",
		`\ud83d\n.`:                "\uFFFD\n.",
		`\ud83d\u0041`:             "\uFFFDA",
		`\ud83d\ud83d\ude00`:       "\uFFFD😀",
		`\ude00\ud83d`:             "\uFFFD\uFFFD",
		`\ud83d\ue000`:             "\uFFFD\uE000",
		`\udbff\udbff`:             "\uFFFD\uFFFD",
		`a\u0000b`:                 "a\x00b",
		`\uFFFD` + "\uFFFD":        "\uFFFD\uFFFD",
		"é\x7Fa\u2028b":            "é\x7Fa\u2028b",
	} {
		text := strings.Replace(textPrompt, "Database name", raw, 1)
		e, err := ParseCall([]byte(`{"prompts":[` + text + `]}`))
		if err != nil || e.Prompts[0].Question != want {
			t.Errorf("strict: %s is %+v, %v, want %q", raw, e, err, want)
		}
		e, err = Parse(`{"protocol":"` + Protocol + `","prompts":[` + text + `]}`)
		if err != nil || e.Prompts[0].Question != want {
			t.Errorf("lenient: %s is %+v, %v, want %q", raw, e, err, want)
		}
	}
}
