package clarify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The three notions of white space that meet in the protocol. They differ in
// four places: U+001C to U+001F, U+0085 and U+FEFF.

// pythonSpace is what the existing engine strips.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }

// scriptSpace is what JavaScript's trim removes, and with it the existing Console.
func scriptSpace(r rune) bool { return unicode.IsSpace(r) && r != 0x85 || r == 0xFEFF }

// anySpace is white space to either. The strict side trims it from values, so
// that what it accepts is blank to neither.
func anySpace(r rune) bool { return pythonSpace(r) || r == 0xFEFF }

func trim(s string, space func(rune) bool) string {
	if s == "" || isGraph(s[0]) && isGraph(s[len(s)-1]) {
		return s
	}
	return strings.TrimFunc(s, space)
}

// isGraph reports whether c is an ASCII character that is never white space.
func isGraph(c byte) bool { return ' ' < c && c < utf8.RuneSelf }
