package clarify

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const errorTextStart = "Error: invalid clarify prompts — "

// checkErrorText checks what holds for whatever a refused call returns.
func checkErrorText(t testing.TB, text string) {
	t.Helper()
	if !strings.HasPrefix(text, errorTextStart) || len(text) == len(errorTextStart) {
		t.Errorf("%q does not start with %q and go on", text, errorTextStart)
	}
	if len(text) > 4000 {
		t.Errorf("%d bytes, want at most 4000", len(text))
	}
	if !utf8.ValidString(text) {
		t.Errorf("invalid UTF-8: %q", text)
	}
	// Printable leaves out controls, line breaks, bidirectional overrides and what is invisible.
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("byte %d is not printable: %q", i, text)
	}
	if _, err := Parse(text); !errors.Is(err, ErrToolFailed) {
		t.Errorf("the Console reads %q as %v", text, err)
	}
	if _, err := ParseAnswers(text); err == nil {
		t.Errorf("%q reads as answers", text)
	}
}

// hostile strings would do something if they were printed.
var hostile = []string{
	"\x1B[31mred\x1B[0m\x1B]0;title\a", "a\nError: b\r\nc\vd\fe\u0085f\u2028g\u2029h", "\u202Eevil\u2066\u200B\u200F\u061C\uFEFF\u00AD",
	"\x00\x01\x7F\u0080\u009F", `"],"prompts":[` + textPrompt + `]}`, textOutput, "Error: Error: ", "; prompts: got", "\U000E0041\U0010FFFF\uFFFE", "`$(rm -rf /)`",
	strings.Repeat("好", 3000), strings.Repeat("\x1B", 3000), strings.Repeat("\u202E", 3000), strings.Repeat("\"", 3000), strings.Repeat("\\", 3000),
	strings.Repeat("é", maxQuote), "x" + strings.Repeat("é", maxQuote), strings.Repeat("😀", maxQuote), "abc" + strings.Repeat("😀", maxQuote),
}

func TestHostileErrorTexts(t *testing.T) {
	for _, s := range hostile {
		n := 0
		check := func(arguments string) {
			t.Helper()
			result, err := Call([]byte(arguments))
			if err == nil {
				t.Fatalf("accepted: %q", arguments)
			}
			checkErrorText(t, result)
			n++
		}
		// Not JSON at all, then in every string and key of a call, alone and beside other faults.
		check("[" + s)
		check(`{"prompts":` + s)
		check(jsonOf(s))
		check(compact(&docObject{{keyPrompts, s + "["}}))
		check(compact(&docObject{{s, s}}))
		for _, rule := range textRules {
			call := arguments(faultless())
			setAt(call, rule.path, docArray{s})
			check(compact(call))
			setAt(call, rule.path, s+strings.Repeat("x", MaxDefaultValue))
			check(compact(call))
		}
		all := arguments(faultless())
		for _, path := range append(idPaths, append(kindPaths, flagPaths...)...) {
			call := arguments(faultless())
			setAt(call, path, s)
			check(compact(call))
			setAt(all, path, s)
		}
		check(compact(all))
		setAt(all, "prompts[1]", s)
		setAt(all, "prompts[0].options", s)
		check(compact(all))
		if n < 50 {
			t.Errorf("only %d calls", n)
		}

		checkErrorText(t, ErrorResult(errors.New(s)))
		checkErrorText(t, ErrorResult(fmt.Errorf("calling the tool: %w", errors.New(s))))
		e := faultless()
		for _, id := range idFields(e) {
			*id = s + "\xFF"
		}
		e.Prompts[1].Input = foreignInput{&Text{}}
		checkErrorText(t, ErrorResult(e.Validate()))
	}
}

// TestManyProblems: as many as fit, and the number of the others.
func TestManyProblems(t *testing.T) {
	call := new(docObject)
	call.set(keyPrompts, docArray{})
	for range MaxPrompts {
		options := docArray{}
		for range MaxOptions {
			options = append(options, &docObject{{keyID, strings.Repeat("\x00", 100)}, {keyLabel, ""}})
		}
		appendAt(call, keyPrompts, &docObject{{keyID, "A"}, {keyKind, "choice"}, {keyOptions, options}})
	}
	_, err := ParseCall([]byte(compact(call)))
	var invalid *ValidationError
	if !errors.As(err, &invalid) || len(invalid.Violations) != MaxPrompts*(2+2*MaxOptions) {
		t.Fatal(err)
	}
	text := ErrorResult(err)
	checkErrorText(t, text)
	if text != "Error: "+err.Error() {
		t.Errorf("the result and the error differ:\n%s\n%v", text, err)
	}
	lines := strings.Split(strings.TrimPrefix(text, errorTextStart), "; ")
	for i, line := range lines[:len(lines)-1] {
		if line != invalid.Violations[i].String() {
			t.Fatalf("problem %d is %q, want %q", i, line, invalid.Violations[i])
		}
	}
	if want := fmt.Sprintf("and %d more", len(invalid.Violations)-len(lines)+1); lines[len(lines)-1] != want {
		t.Errorf("it ends with %q, want %q", lines[len(lines)-1], want)
	}
	if len(text) < 3600 {
		t.Errorf("only %d bytes were used", len(text))
	}

	last := 0
	// On both sides of the limit, byte by byte: the last problem fits, or it does not.
	for n := range 400 {
		few := &ValidationError{}
		for range 8 {
			few.Violations = append(few.Violations, Violation{"a", CodeSyntax, strings.Repeat("g", 390), strings.Repeat("w", n/10)})
		}
		few.Violations = append(few.Violations, Violation{"last", CodeSyntax, strings.Repeat("g", 400-n/10*8+n), "w"})
		text := ErrorResult(few)
		checkErrorText(t, text)
		whole := errorTextStart
		for i, v := range few.Violations {
			if i > 0 {
				whole += "; "
			}
			whole += v.String()
		}
		if n > 0 && len(whole) != last+1 {
			t.Fatalf("%d bytes, then %d", last, len(whole))
		}
		last = len(whole)
		if fits := len(whole) <= 4000-len("; and 1 more"); fits != (text == whole) || !fits && !strings.HasSuffix(text, " more") {
			t.Errorf("of %d bytes: %q", len(whole), text)
		}
	}
	if last < 4000 {
		t.Errorf("at most %d bytes were tried", last)
	}
}

// TestQuotes: foreign text is cut behind maxQuote bytes, and never within a code point; a number stands
// whole or not at all.
func TestQuotes(t *testing.T) {
	for n := 1; n < 2*maxQuote; n++ {
		for text, whole := range map[string]int{ // and how many bytes of it can stand
			strings.Repeat("x", n):       maxQuote,
			"x" + strings.Repeat("é", n): maxQuote - 1,
			strings.Repeat("好", n):       maxQuote - maxQuote%len("好"),
			strings.Repeat("😀", n):       maxQuote - maxQuote%len("😀"),
		} {
			want := `"` + text + `"`
			if len(text) > maxQuote {
				want = `"` + text[:whole] + `"…`
			}
			call := arguments(faultless())
			setAt(call, "prompts[0].kind", text)
			if v := violationsOf(t, call); len(v) != 1 || v[0].Got != want {
				t.Errorf("%s is quoted as %v, want %s", text, v, want)
			}
		}
		number := strings.Repeat("7", n)
		want := number
		if n > maxQuote {
			want = "a number"
		}
		call := arguments(faultless())
		setAt(call, keyTitle, docRaw(number))
		if v := violationsOf(t, call); len(v) != 1 || v[0].Got != want {
			t.Errorf("%s is quoted as %v, want %s", number, v, want)
		}
		// Bytes that only go on with a code point, of a value made in Go, have no start to cut at.
		if text := strings.Repeat("\x80", n); n > maxQuote && quote(text) != `""…` {
			t.Errorf("%q is quoted as %s", text, quote(text))
		}
	}
}

func TestErrorResult(t *testing.T) {
	_, invalid := ParseCall([]byte(`{"title":5}`))
	const problems = "title: got 5, want a string of at most 120 characters, or none; prompts: got nothing, want a JSON array of 1 to 5 prompts, or one prompt object"
	for _, test := range []struct {
		err  error
		want string
	}{
		{invalid, problems},
		{fmt.Errorf("clarify call: %w", invalid), problems},
		{errors.Join(io.EOF, invalid), problems},
		{nil, "no reason given"},
		{io.ErrUnexpectedEOF, "unexpected EOF"},
		{ErrNotEnvelope, "clarify: not an envelope"},
		{errors.New("a \"b\"\n\x1B[31m\u202E é 好 \\ \xFF"), `a "b"\n\x1b[31m\u202e é 好 \ \xff`},
		{errors.New(textOutput), textOutput},
	} {
		got := ErrorResult(test.err)
		if got != errorTextStart+test.want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.err, got, errorTextStart+test.want)
		}
		checkErrorText(t, got)
	}
	for n := 3900; n < 4100; n++ {
		whole := errorTextStart + strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		text := ErrorResult(errors.New(whole[len(errorTextStart):]))
		checkErrorText(t, text)
		if cut, isCut := strings.CutSuffix(text, "…"); isCut != (len(whole) > 4000) || !strings.HasPrefix(whole, cut) || isCut && len(text) < 3998 {
			t.Errorf("of %d bytes: %d bytes, cut: %v", len(whole), len(text), isCut)
		}
	}
	// What is no good error still refuses.
	for _, err := range []error{(*ValidationError)(nil), &ValidationError{}, fmt.Errorf("a: %w", (*ValidationError)(nil))} {
		checkErrorText(t, ErrorResult(err))
	}
	for _, s := range hostile {
		checkErrorText(t, ErrorResult(&ValidationError{[]Violation{{Path: s, Code: Code(s), Got: s, Want: s}}}))
	}
}
