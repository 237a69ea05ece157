package jsontext

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// AppendString appends s, which is valid UTF-8, as a JSON string. It escapes only
// the quote, the backslash and what is below U+0020.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := plainLen(s); i < len(s); i += plainLen(s[i:]) {
		c := s[i]
		i++
		if c >= utf8.RuneSelf {
			for i < len(s) && s[i] >= utf8.RuneSelf {
				i++
			}
			continue
		}
		dst = append(dst, s[done:i-1]...)
		done = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// AppendOptional appends key, which ends with a colon, and s as a JSON string. It
// appends nothing if s is empty.
func AppendOptional(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return AppendString(append(dst, key...), s)
}

// AppendBool appends key, which ends with a colon, and b.
func AppendBool(dst []byte, key string, b bool) []byte {
	return strconv.AppendBool(append(dst, key...), b)
}

// AppendStrings appends list as an array of strings. Bytes that are not UTF-8
// become U+FFFD.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, text.ToUTF8(s))
	}
	return append(dst, ']')
}

// Quote returns foreign text as a JSON string with escapes also for what could
// break a line, move the cursor, turn the direction of the text, or not be seen.
func Quote(s string) string {
	quoted, _ := QuoteStart(s, math.MaxInt)
	return quoted
}

// QuoteStart quotes the longest start of s whose Quote has at most n bytes, and at
// least the empty string. It also returns the rest of s.
func QuoteStart(s string, n int) (quoted, rest string) {
	b := []byte{'"'}
	for i, r := range s {
		done := len(b)
		if b = appendQuoted(b, r); len(b) >= n {
			b, rest = b[:done], s[i:]
			break
		}
	}
	return string(append(b, '"')), rest
}

// appendQuoted appends r as it stands in a Quote.
func appendQuoted(dst []byte, r rune) []byte {
	switch {
	case r < ' ' || r == '"' || r == '\\':
		var buf [len(`"\u0000"`)]byte
		one := AppendString(buf[:0], string(r))
		return append(dst, one[1:len(one)-1]...)
	case !text.IsInvisible(r):
		return utf8.AppendRune(dst, r)
	case r > 0xFFFF:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
