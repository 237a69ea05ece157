// Package text is what the library knows of characters, apart from JSON and
// from the protocol: white space, line breaks, quoting, and what the eye sees.
package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Three notions of white space meet in the protocol. They differ in U+001C to
// U+001F, U+0085 and U+FEFF.

// PythonSpace reports whether Python's str.strip removes r.
func PythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }

// ScriptSpace reports whether JavaScript's String.prototype.trim removes r.
func ScriptSpace(r rune) bool { return unicode.IsSpace(r) && r != 0x85 || r == 0xFEFF }

// AnySpace reports whether Python or JavaScript removes r.
func AnySpace(r rune) bool { return PythonSpace(r) || r == 0xFEFF }

// Trim removes white space from both ends of s.
func Trim(s string, space func(rune) bool) string {
	if s == "" || isGraph(s[0]) && isGraph(s[len(s)-1]) {
		return s
	}
	return strings.TrimFunc(s, space)
}

// IsBlank reports whether s is empty or only white space to Python or
// JavaScript.
func IsBlank(s string) bool { return Trim(s, AnySpace) == "" }

// isGraph reports whether c is an ASCII character that is never white space.
func isGraph(c byte) bool { return ' ' < c && c < utf8.RuneSelf }

// Lines yields the lines of s with their line breaks. A line ends with LF, CR,
// CRLF, VT, FF, U+0085, U+2028 or U+2029.
func Lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			i := strings.IndexFunc(s, IsLineBreak)
			if i < 0 {
				yield(s)
				return
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			if strings.HasPrefix(s[i:], "\r\n") {
				size = len("\r\n")
			}
			if !yield(s[:i+size]) {
				return
			}
			s = s[i+size:]
		}
	}
}

// IsLineBreak reports whether r ends a line.
func IsLineBreak(r rune) bool {
	return '\n' <= r && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// ToUTF8 returns s with each byte that is not UTF-8 replaced by U+FFFD.
func ToUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// LowerASCII returns s with A to Z in lower case.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
