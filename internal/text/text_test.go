package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// TestSpace: what Python's str.strip and JavaScript's trim remove, by code point.
func TestSpace(t *testing.T) {
	both := []rune{'\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
	for r := rune(0x2000); r <= 0x200A; r++ {
		both = append(both, r)
	}
	python, script := []rune{0x1C, 0x1D, 0x1E, 0x1F, 0x85}, []rune{0xFEFF}
	for r := range rune(unicode.MaxRune + 1) {
		inPython := slices.Contains(both, r) || slices.Contains(python, r)
		inScript := slices.Contains(both, r) || slices.Contains(script, r)
		if PythonSpace(r) != inPython || ScriptSpace(r) != inScript || AnySpace(r) != (inPython || inScript) {
			t.Errorf("%U: Python %v, JavaScript %v, any %v", r, PythonSpace(r), ScriptSpace(r), AnySpace(r))
		}
	}
	assert.Equal(t, "\u0085 a", Trim(" \u0085 a\ufeff", ScriptSpace))
	assert.Equal(t, "a\ufeff", Trim(" \u0085 a\ufeff", PythonSpace))
	assert.Equal(t, "a", Trim("a", AnySpace))
	assert.True(t, IsBlank("\x1c\ufeff\u0085"))
	assert.False(t, IsBlank("\u200b"))
}

func TestLines(t *testing.T) {
	for s, want := range map[string][]string{
		"": nil, "a": {"a"}, "a\n": {"a\n"}, "a\r\n\rb": {"a\r\n", "\r", "b"}, "\v\f\u0085\u2028\u2029x": {"\v", "\f", "\u0085", "\u2028", "\u2029", "x"},
	} {
		assert.Equal(t, want, slices.Collect(Lines(s)), "%q", s)
		assert.Equal(t, s, strings.Join(slices.Collect(Lines(s)), ""))
	}
	for line := range Lines("a\nb\n") {
		assert.Equal(t, "a\n", line)
		break
	}
}

func TestQuote(t *testing.T) {
	assert.Equal(t, `"a\n\u202e"`, Quote("a\n\u202e"))
	assert.Equal(t, `"`+strings.Repeat("a", MaxQuote)+`"`, Quote(strings.Repeat("a", MaxQuote)))
	assert.Equal(t, `"`+strings.Repeat("ä", MaxQuote/2-1)+`x"…`, Quote(strings.Repeat("ä", MaxQuote/2-1)+"xäx"))
	for n := range 12 {
		got := Cut("aä😀\xff\x80b", n)
		assert.LessOrEqual(t, len(got), n)
		assert.True(t, strings.HasPrefix("aä😀\xff\x80b", got))
	}
	assert.Empty(t, Cut("\x80\x80\x80", 2))
	assert.Equal(t, `a\x00\xff\u200b`+"ä\ufffd", Printable("a\x00\xff\u200bä\ufffd"))
	assert.Equal(t, "ä", Printable("ä"))
	assert.Equal(t, []string{"0 xs", "1 x", "2 xs"}, []string{Plural(0, "x"), Plural(1, "x"), Plural(2, "x")})
	assert.Equal(t, "a\ufffdb", ToUTF8("a\xffb"))
	assert.True(t, utf8.ValidString(ToUTF8("\xf0\x9f")))
	assert.Equal(t, "abcÄ", LowerASCII("ABCÄ"))
}

func TestEye(t *testing.T) {
	for _, label := range []string{"delete it", "DELETE\u00a0 it", " Delete\u200b it\u202e", "De\u00adlete\tit"} {
		assert.Equal(t, "delete it", Seen(label), "%q", label)
	}
	assert.Equal(t, "äß", Seen("Äß"))
	for _, r := range "\u200b\u2028\u2029\x00\u202e\U0001D173" {
		assert.True(t, IsInvisible(r), "%U", r)
		assert.False(t, IsVisible(r), "%U", r)
	}
	for _, r := range "\u3164\u115f\u1160\uffa0\u2800 \u0301" {
		assert.False(t, IsVisible(r), "%U", r)
	}
	assert.True(t, IsVisible('a') && IsVisible('😀') && IsControl(0x7F) && !IsControl('\n') && IsBidi(0x202E) && IsBidi(0x2066) && IsBidi(0x2069) && !IsBidi(0x206A) && IsBidi(0x202A) && !IsBidi(0x200E))
}
