package clarify

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Canonical JSON: the bytes that JavaScript's JSON.stringify would write, and
// the same ones on every Go version.

// appendString appends s as a JSON string. Of what is valid UTF-8 it escapes
// only the quote, the backslash and what is below U+0020.
func appendString(dst []byte, s string) []byte {
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

// appendOptional appends a member unless its value is empty.
func appendOptional(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return appendString(append(dst, key...), s)
}

func appendBool(dst []byte, key string, b bool) []byte {
	return strconv.AppendBool(append(dst, key...), b)
}

// How a string is read back.
type reading uint8

const (
	needed   reading = iota // trimmed, never blank
	optional                // trimmed, blank is absent
	verbatim                // as it is
)

// A textField is one string of a value that is to be encoded.
type textField struct {
	key, s string
	as     reading
}

// unreadable returns the first field that would not read back as it is, and
// why; why is empty if there is none.
func unreadable(fields ...textField) (key, why string) {
	for _, f := range fields {
		switch {
		case !utf8.ValidString(f.s):
			return f.key, "invalid UTF-8"
		case f.as == verbatim, f.s == "" && f.as == optional:
		case f.s == "":
			return f.key, "an empty string"
		case trim(f.s, scriptSpace) != f.s:
			return f.key, "white space around a string"
		}
	}
	return "", ""
}

func cannotEncode(path, why string) error {
	return fmt.Errorf("clarify: cannot encode %s: %s", path, why)
}

// bounded returns the JSON text b, unless it is too large to be read back.
func bounded(b []byte) ([]byte, error) {
	if len(b) > MaxSize {
		return nil, cannotEncode("it", tooLarge(len(b)))
	}
	return b, nil
}

func tooLarge(n int) string { return fmt.Sprintf("%d bytes, want at most %d", n, MaxSize) }

// toUTF8 replaces every byte that is not UTF-8 by U+FFFD.
func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
