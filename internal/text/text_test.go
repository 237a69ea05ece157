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
	assert.Equal(t, `\u3164\u2800\ufe0f\U000e0100`, Printable("\u3164\u2800\ufe0f\U000e0100"))
	assert.Equal(t, []string{"0 xs", "1 x", "2 xs"}, []string{Plural(0, "x"), Plural(1, "x"), Plural(2, "x")})
	assert.Equal(t, "a\ufffdb", ToUTF8("a\xffb"))
	assert.True(t, utf8.ValidString(ToUTF8("\xf0\x9f")))
	assert.Equal(t, "abcÄ", LowerASCII("ABCÄ"))
}

func TestFold(t *testing.T) {
	for _, label := range []string{"delete it", "DELETE\u00a0 it", " Delete\u200b it\u202e", "De\u00adlete\tit", "\u3164delete\ufe0f\u2800 it\U000e0100", "\ufeffdelete\u0085it"} {
		assert.Equal(t, "delete it", Fold(label), "%q", label)
	}
	for a, b := range map[string]string{
		"Äß": "äẞ", "ΣΑΣ": "σας", "\u212a": "K", "ſ": "S", "don’t": "DON'T", "ʼ‘′＇": "''''", "한글": "\u1112\u1161\u11ab\u1100\u1173\u11af",
	} {
		assert.Equal(t, Fold(a), Fold(b), "%q", a)
	}
	assert.NotEqual(t, Fold("İ"), Fold("i"))
	assert.NotEqual(t, Fold("é"), Fold("e\u0301"), "that needs a table")
	for r := range rune(unicode.MaxRune + 1) {
		if f := FoldCase(r); f != FoldCase(unicode.SimpleFold(r)) || f != FoldCase(f) || !strings.EqualFold(string(f), string(r)) {
			t.Errorf("%U folds to %U", r, f)
		}
	}
}

func TestKeyAndLook(t *testing.T) {
	for s, want := range map[string][2]string{
		"Yes! .": {"yes", "yes"}, "yes?": {"yes?", "yes"}, "yes?!": {"yes?", "yes"}, "a。": {"a", "a"}, "Delete…": {"delete…", "delete"}, "a , ;": {"a , ;", "a"},
		"...": {"...", "..."}, "?!": {"?", "?"}, "": {"", ""}, "C#": {"c#", "c#"}, "(a)": {"(a)", "(a)"},
	} {
		assert.Equal(t, want, [2]string{Key(Fold(s)), Look(s)}, "%q", s)
	}
}

func TestEye(t *testing.T) {
	for _, r := range "\u200b\u2028\u2029\x00\u202e\U0001D173\u3164\u115f\u1160\uffa0\u2800\ufe0f\U000e0100\u034f\u180b\u17b4\u2065" {
		assert.True(t, IsInvisible(r), "%U", r)
		assert.False(t, IsVisible(r), "%U", r)
	}
	for _, r := range " \u00a0\u0301" {
		assert.False(t, IsInvisible(r) || IsVisible(r), "%U", r)
	}
	assert.True(t, IsVisible('a') && IsVisible('😀') && IsControl(0x7F) && !IsControl('\n') && IsBidi(0x202E) && IsBidi(0x2066) && IsBidi(0x2069) && !IsBidi(0x206A) && IsBidi(0x202A) && !IsBidi(0x200E))
}

// TestReveal: what hides something is shown by its code, and what a script or an emoji
// needs is left alone.
func TestReveal(t *testing.T) {
	for _, s := range []string{
		"", "plain, ünïcode, 你好", "two\n\tlines\r\n", "e\u0301", "Daten\u00adbank", "\u0601\u0661",
		"می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී", "กา\u200bรก", "葛\U000e0100", "\u1820\u180b", "a\u0301\u034f\u0327", "a\u2800b",
		"👩\u200d👩\u200d👧", "👁\ufe0f\u200d🗨\ufe0f", "1\ufe0f\u20e3", "❤\ufe0f", "🏳\ufe0f\u200d🌈", "🇩🇪", "Flag 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!",
		"שלום\u200f (C++)\u200e!", "\u061cمرحبا",
	} {
		assert.Equal(t, s, Reveal(s), "%+q", s)
	}
	for s, want := range map[string]string{
		"\x1b[31mred\x1b[0m\x00\x7f":                          "[U+001B][31mred[U+001B][0m[U+0000][U+007F]",
		"a\u202eb\u2069c":                                     "a[U+202E]b[U+2069]c",
		"a\u0085\u2028\u2029\ufeffb":                          "a[U+0085][U+2028][U+2029][U+FEFF]b",
		"a\u200e\u200f\u061cb":                                "a[U+200E][U+200F][U+061C]b",
		"a\u200b\u2060\u3164\u00ad":                           "a[U+200B][U+2060][U+3164][U+00AD]",
		"a \u200db\u200c\u200d":                               "a [U+200D]b\u200c[U+200D]",
		"a\ufe0f\ufe0f\U000e0100":                             "a\ufe0f[U+FE0F][U+E0100]",
		"flag \U000e0067\U000e007f":                           "flag [U+E0067][U+E007F]",
		"🏴\U000e0067\U000e007f":                               "🏴[U+E0067][U+E007F]",
		"🏴\U000e0067\U000e0062\U000e0065":                     "🏴[U+E0067][U+E0062][U+E0065]",
		"🏴\U000e0067\U000e0062\U000e0065\U000e0041\U000e007f": "🏴[U+E0067][U+E0062][U+E0065][U+E0041][U+E007F]",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e0067\U000e0067\U000e007f": "🏴[U+E0067][U+E0062][U+E0065][U+E006E][U+E0067][U+E0067][U+E0067][U+E007F]",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\U000e0067":           "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f[U+E0067]",
		"\u200b": "[U+200B]", " \t": "[U+0020][U+0009]", "\u0301\ufe0f": "[U+0301][U+FE0F]", "\u2800": "[U+2800]", "a\xff\u202e": "a\xff[U+202E]",
	} {
		assert.Equal(t, want, Reveal(s), "%+q", s)
		for i := range Hidden(s) {
			assert.GreaterOrEqual(t, strings.Index(want, "["), i, "%+q", s)
			break
		}
	}
}
