package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxQuote is the number of bytes of foreign text that Quote keeps.
const MaxQuote = 40

// Quote returns foreign text as a Go string literal, cut after MaxQuote bytes.
func Quote(s string) string {
	short := Cut(s, MaxQuote)
	q := strconv.Quote(short)
	if len(short) < len(s) {
		q += "…"
	}
	return q
}

// Printable returns s with Go's escapes for what is not printable or cannot be seen.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+size]
		if isHidden(r) || r == utf8.RuneError && size == 1 {
			char = strconv.QuoteToASCII(char)
			char = char[1 : len(char)-1]
		}
		b.WriteString(char)
		i += size
	}
	return b.String()
}

// isHidden reports whether r is not printable, or cannot be seen.
func isHidden(r rune) bool { return !strconv.IsPrint(r) || IsInvisible(r) }

// Cut returns the longest prefix of s that has at most n bytes and does not end
// within a code point.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Plural returns the number and the noun, with an s unless there is one of it.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
