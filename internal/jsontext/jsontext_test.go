package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var texts = []string{
	``, ` `, `{}`, `[]`, `[1,-0.5e+7,true,false,null,"a"]`, `{"a":{"b":[{}]},"a":2} `, `"\u00e4\ud83d\ude00\ud800\"\\\/\b\f\n\r\t"`,
	`[1,]`, `{"a"}`, `{"a":1,}`, `{a:1}`, `01`, `1.`, `-`, `1e`, `+1`, `nul`, `truE`, `"a`, `"\x"`, `"\u12g4"`, `"\`, "\"\x00\"", "\"\x7f\xff\"", `[`, `{`, `]`, `1 2`, "\ufeff{}",
	`"` + strings.Repeat("plain text ", 20) + `\n` + strings.Repeat("ä", 30) + `"`,
	strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
}

// FuzzScanner compares the scanner with encoding/json: which texts are JSON, and what their strings mean.
func FuzzScanner(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s := New(src)
		v := s.Value()
		ok := s.End()
		why, at := s.Fault()
		require.Equal(t, json.Valid([]byte(src)), ok, "%q", src)
		require.Equal(t, ok, why == "" && !s.Failed(), "%q", src)
		require.True(t, 0 <= at && at <= len(src), "%q at %d", src, at)
		require.Equal(t, len(src), s.Pos(), "%q", src)
		if !ok {
			return
		}
		require.Equal(t, strings.Trim(src, " \t\r\n"), map[bool]string{true: `"` + v.Raw + `"`, false: v.Raw}[v.Type == String])
		if v.Type == String {
			var want string
			require.NoError(t, json.Unmarshal([]byte(src), &want))
			for _, a := range []Arena{{}, {copies: true}} {
				got := a.Text(v)
				require.Equal(t, want, got, "%q", src)
				require.True(t, utf8.ValidString(got))
			}
		}
	})
}

func TestFaults(t *testing.T) {
	for src, want := range map[string]struct {
		why string
		at  int
	}{
		`{"a":1`: {faultEnd, 6}, `[1;2]`: {faultChar, 2}, "[\"a\nb\"]": {faultControl, 3}, `["\q"]`: {faultEscape, 3}, `"\u00x0"`: {faultEscape, 5},
		strings.Repeat("[", MaxDepth+1): {FaultDepth, MaxDepth},
	} {
		s := New(src)
		s.Value()
		why, at := s.Fault()
		assert.Equal(t, want.why, why, "%.20q", src)
		assert.Equal(t, want.at, at, "%.20q", src)
	}
}

func TestKey(t *testing.T) {
	for member, want := range map[string]string{
		`"id":1`: "id", `"i\u0064":1`: "id", `"id\u0000":1`: "id\x00", `"ID" : 1`: "ID", `"":1`: "",
		`"` + strings.Repeat(`\u0061`, 100) + `":1`: strings.Repeat("a", 100),
	} {
		s := New("{" + member + "}")
		require.Equal(t, byte('{'), s.Peek())
		s.Enter()
		require.True(t, s.More('}'))
		assert.Equal(t, want, s.Key())
		assert.Equal(t, Value{Raw: "1", Type: Number}, s.Value())
		assert.False(t, s.More('}'))
		assert.True(t, s.End())
	}
}

// TestAppendString: what is written is what JavaScript's JSON.stringify writes, and reads back.
func TestAppendString(t *testing.T) {
	for s, want := range map[string]string{
		"": `""`, `a"\`: `"a\"\\"`, "\b\t\n\f\r\x00\x1f\x7f": `"\b\t\n\f\r\u0000\u001f` + "\x7f\"", "</>&\u2028ä😀": "\"</>&\u2028ä😀\"",
		strings.Repeat("12345678", 3) + "\n": `"` + strings.Repeat("12345678", 3) + `\n"`,
	} {
		got := AppendString([]byte("x"), s)
		assert.Equal(t, "x"+want, string(got))
		var back string
		require.NoError(t, json.Unmarshal(got[1:], &back))
		assert.Equal(t, s, back)
	}
	assert.Equal(t, `["a","`+"\ufffd"+`"]`, string(AppendStrings(nil, []string{"a", "\xff"})))
	assert.Equal(t, `,"k":"v"`, string(AppendOptional(nil, `,"k":`, "v")))
	assert.Empty(t, AppendOptional(nil, `,"k":`, ""))
	assert.Equal(t, `"k":true`, string(AppendBool(nil, `"k":`, true)))
	assert.Equal(t, `"a\u200b\udb40\udc01b"`, Quote("a\u200b\U000E0001b"))
}
