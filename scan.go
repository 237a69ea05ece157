package clarify

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// A scanner reads one JSON text in a single pass. It accepts exactly what
// encoding/json.Valid accepts, including its bound on nesting, and hands out
// object keys and values as they stand in the source.
//
// The first fault stops it for good: the position jumps to the end of the
// source, so that every loop over it ends, and what was read before is to be
// thrown away.
type scanner struct {
	src     string
	pos     int
	depth   int
	opened  bool // a container was just entered: no comma is due
	fault   string
	faultAt int // byte offset in src
}

// Why a text is not JSON. The empty string means that it is.
const (
	faultEnd     = "unexpected end"
	faultChar    = "unexpected character"
	faultControl = "control character in a string"
	faultEscape  = "invalid escape in a string"
	faultDepth   = "nesting too deep"
)

// A jsonType says what a value is. The zero value is a member that is not there.
type jsonType uint8

const (
	jsonAbsent jsonType = iota
	jsonNull
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// A value is one JSON value as it stands in the source.
type value struct {
	raw     string // the source text; of a string, what is between its quotes
	typ     jsonType
	escaped bool // a string with escapes
	ascii   bool // a string of ASCII only
}

func (s *scanner) fail(why string, at int) {
	if s.fault == "" {
		s.fault, s.faultAt = why, at
	}
	s.pos = len(s.src)
}

// unexpected fails at the current position.
func (s *scanner) unexpected() {
	if s.pos < len(s.src) {
		s.fail(faultChar, s.pos)
	} else {
		s.fail(faultEnd, s.pos)
	}
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek moves to the next byte after white space and returns it, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) && s.src[s.pos] > ' ' {
		return s.src[s.pos]
	}
	s.space()
	return s.at()
}

// at returns the byte at the current position, or 0 at the end.
func (s *scanner) at() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// end reports whether only white space is left and nothing failed.
func (s *scanner) end() bool {
	s.space()
	if s.pos < len(s.src) {
		s.unexpected()
	}
	return s.fault == ""
}

// enter consumes the bracket at the current position. A loop over the members
// or elements behind it is
//
//	for s.enter(); s.more('}'); { key := s.key(); … s.value() … }
//	for s.enter(); s.more(']'); { … s.value() … }
func (s *scanner) enter() {
	if s.depth++; s.depth > MaxDepth {
		s.fail(faultDepth, s.pos)
		return
	}
	s.pos++
	s.opened = true
}

// more moves to the next member or element, or behind the closing bracket.
func (s *scanner) more(closing byte) bool {
	c := s.peek()
	first := s.opened
	s.opened = false
	switch {
	case c == closing && s.fault == "":
		s.pos++
		s.depth--
		return false
	case first:
	case c == ',':
		s.pos++
	default:
		s.unexpected()
	}
	return s.fault == ""
}

// key reads a member's key and colon. Of a key with escapes that is too long to
// be one of the protocol's it returns "".
func (s *scanner) key() string {
	if s.peek() != '"' {
		s.unexpected()
		return ""
	}
	k := s.string()
	if s.peek() != ':' {
		s.unexpected()
		return ""
	}
	s.pos++
	switch {
	case !k.escaped:
		return k.raw
	case len(k.raw) > maxKey*len(`\u0000`):
		return ""
	}
	var b strings.Builder
	unescape(&b, k.raw, k.ascii)
	return b.String()
}

// value reads any value.
func (s *scanner) value() value {
	c := s.peek()
	start, typ := s.pos, jsonAbsent
	switch c {
	case '"':
		return s.string()
	case '{':
		typ = jsonObject
		for s.enter(); s.more('}'); {
			s.key()
			s.value()
		}
	case '[':
		typ = jsonArray
		for s.enter(); s.more(']'); {
			s.value()
		}
	case 'n':
		typ = s.literal("null", jsonNull)
	case 't':
		typ = s.literal("true", jsonTrue)
	case 'f':
		typ = s.literal("false", jsonFalse)
	default:
		typ = s.number()
	}
	if s.fault != "" {
		return value{}
	}
	return value{raw: s.src[start:s.pos], typ: typ}
}

func (s *scanner) literal(word string, typ jsonType) jsonType {
	for i := range len(word) {
		if s.pos >= len(s.src) || s.src[s.pos] != word[i] {
			s.unexpected()
			return jsonAbsent
		}
		s.pos++
	}
	return typ
}

func (s *scanner) number() jsonType {
	if s.at() == '-' {
		s.pos++
	}
	switch c := s.at(); {
	case c == '0':
		s.pos++
	case '1' <= c && c <= '9':
		s.digits()
	default:
		s.unexpected()
		return jsonAbsent
	}
	if s.at() == '.' {
		s.pos++
		if !s.digits() {
			s.unexpected()
			return jsonAbsent
		}
	}
	if c := s.at(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.at(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			s.unexpected()
			return jsonAbsent
		}
	}
	return jsonNumber
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && '0' <= s.src[s.pos] && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// plainByte marks the bytes that stand for themselves inside a string: ASCII
// without controls, quote and backslash.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// word returns eight bytes as a number, the first of them lowest.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// special returns 0 if all eight bytes of w are plain. Else its lowest bit that
// is set is in the first byte that is not: one that has its high bit set, or
// gets it by a borrow when ' ' is subtracted, or 1 from its difference to a
// quote or a backslash. Borrows spoil only the bytes behind that one.
func special(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := w^ones*'"', w^ones*'\\'
	return (w | (w - ones*' ') | (quote - ones) | (backslash - ones)) & highs
}

// plainLen returns how many bytes at the start of s are plain.
func plainLen(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		if m := special(word(s[n : n+8])); m != 0 {
			return n + bits.TrailingZeros64(m)/8
		}
	}
	for n < len(s) && plainByte[s[n]] {
		n++
	}
	return n
}

// string reads the string whose opening quote is at the current position.
func (s *scanner) string() value {
	src, start := s.src, s.pos+1
	escaped, ascii := false, true
	for i := start; ; i++ {
		for ; i+8 <= len(src); i += 8 { // plainLen, but for the last bytes of src
			if m := special(word(src[i : i+8])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
		}
		if i >= len(src) {
			s.fail(faultEnd, len(src))
			return value{}
		}
		switch c := src[i]; {
		case c == '"':
			s.pos = i + 1
			return value{raw: src[start:i], typ: jsonString, escaped: escaped, ascii: ascii}
		case c == '\\':
			escaped = true
			if i++; i == len(src) {
				break
			}
			switch src[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(src) {
						break
					}
					if hexDigit(src[i]) < 0 {
						s.fail(faultEscape, i)
						return value{}
					}
				}
			default:
				s.fail(faultEscape, i)
				return value{}
			}
		case c >= utf8.RuneSelf:
			ascii = false
			for i+1 < len(src) && src[i+1] >= utf8.RuneSelf {
				i++
			}
		case c < ' ':
			s.fail(faultControl, i)
			return value{}
		}
	}
}

func hexDigit(c byte) rune {
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

// unescape writes the value of a string that the scanner accepted. A lone
// surrogate becomes U+FFFD, and so does, unless raw is valid UTF-8, every byte
// that is not.
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
	return hexDigit(s[0])<<12 | hexDigit(s[1])<<8 | hexDigit(s[2])<<4 | hexDigit(s[3])
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

// smallSource is the size in bytes up to which kept strings may share the
// memory of the text they were read from. Out of a larger text they are
// copied, so that a small envelope does not keep a large output alive.
const smallSource = 16 << 10

// An arena holds the strings that are kept of one source.
type arena struct {
	copies bool
	buf    strings.Builder
}

func newArena(src string) arena { return arena{copies: len(src) > smallSource} }

// text returns the value of the JSON string v.
func (a *arena) text(v value) string {
	if v.ascii && !v.escaped && !a.copies {
		return v.raw
	}
	return a.decode(v)
}

// decode is text for the rest, apart so that text is inlined.
func (a *arena) decode(v value) string {
	valid := v.ascii || utf8.ValidString(v.raw)
	asIs := valid && !v.escaped
	if asIs && !a.copies {
		return v.raw
	}
	if a.buf.Cap()-a.buf.Len() < len(v.raw) {
		a.buf.Reset()
		a.buf.Grow(max(len(v.raw), 1<<10))
	}
	start := a.buf.Len()
	if asIs {
		a.buf.WriteString(v.raw)
	} else {
		unescape(&a.buf, v.raw, valid)
	}
	return a.buf.String()[start:]
}
