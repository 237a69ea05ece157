package jsontext

import (
	"fmt"
	"strconv"
	"strings"
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
// break a line, move the cursor or turn the direction of the text.
func Quote(s string) string {
	b := AppendString(nil, text.ToUTF8(s))
	if !strings.ContainsFunc(string(b), text.IsInvisible) {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case !text.IsInvisible(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
