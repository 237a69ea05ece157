package jsontext

import (
	"strings"
	"unicode/utf8"
)

// HexDigit returns the value of the hexadecimal digit c, or -1.
func HexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10)
	}
	return -1
}

// unescape writes the text of a string that the scanner accepted; valid says that
// raw is valid UTF-8.
func unescape(b *strings.Builder, raw string, valid bool) {
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			i = len(raw)
		}
		if valid {
			b.WriteString(raw[:i])
		} else {
			for _, r := range raw[:i] {
				b.WriteRune(r)
			}
		}
		if raw = raw[i:]; raw == "" {
			return
		}
		if raw[1] != 'u' {
			b.WriteByte(escapedByte(raw[1]))
			raw = raw[2:]
			continue
		}
		r := hex4(raw[2:])
		raw = raw[len(`\u0000`):]
		if isHigh(r) && strings.HasPrefix(raw, `\u`) {
			if low := hex4(raw[2:]); isLow(low) {
				r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				raw = raw[len(`\u0000`):]
			}
		}
		b.WriteRune(r) // a lone surrogate is no rune: U+FFFD
	}
}

func isHigh(r rune) bool { return 0xD800 <= r && r < 0xDC00 }
func isLow(r rune) bool  { return 0xDC00 <= r && r < 0xE000 }

func hex4(s string) rune {
	return HexDigit(s[0])<<12 | HexDigit(s[1])<<8 | HexDigit(s[2])<<4 | HexDigit(s[3])
}

func escapedByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// smallSource is the size in bytes up to which strings share the memory of the
// text they were read from. Strings of a larger text are copied, so that a small
// envelope does not keep a large output alive.
const smallSource = 16 << 10

// An Arena decodes the strings that are kept of one text. The zero value never
// copies what it need not decode.
type Arena struct {
	copies bool
	buf    strings.Builder
}

// NewArena returns an arena for the strings of src.
func NewArena(src string) Arena { return Arena{copies: len(src) > smallSource} }

// Text returns the text of the JSON string v. A lone surrogate becomes U+FFFD, and
// so does every byte that is not UTF-8.
func (a *Arena) Text(v Value) string {
	if v.ascii && !v.escaped && !a.copies {
		return v.Raw
	}
	return a.decode(v)
}

// decode is Text for the rest, apart so that Text is inlined.
func (a *Arena) decode(v Value) string {
	valid := v.ascii || utf8.ValidString(v.Raw)
	asIs := valid && !v.escaped
	if asIs && !a.copies {
		return v.Raw
	}
	if a.buf.Cap()-a.buf.Len() < len(v.Raw) {
		a.buf.Reset()
		a.buf.Grow(max(len(v.Raw), 1<<10))
	}
	start := a.buf.Len()
	if asIs {
		a.buf.WriteString(v.Raw)
	} else {
		unescape(&a.buf, v.Raw, valid)
	}
	return a.buf.String()[start:]
}
