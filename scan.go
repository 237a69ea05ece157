package clarify

import (
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
	raw   string // the source text; of a string, what is between its quotes
	typ   jsonType
	plain bool // a string without escapes, all ASCII: raw is its value
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

// peek returns the next byte after white space, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) && s.src[s.pos] <= ' ' {
		s.space()
	}
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
		s.peek()
	default:
		s.unexpected()
	}
	return s.fault == ""
}

// key reads a member's key and colon. A key that is not plain is decoded only
// as far as it could still be one of the protocol's; for any other it returns
// a string that is none of them.
func (s *scanner) key() string {
	if s.pos >= len(s.src) || s.src[s.pos] != '"' {
		s.unexpected()
		return ""
	}
	k := s.string()
	if s.peek() != ':' {
		s.unexpected()
		return ""
	}
	s.pos++
	s.peek()
	if k.plain {
		return k.raw
	}
	if len(k.raw) > maxKey*len(`\u0000`) || strings.IndexByte(k.raw, '\\') < 0 {
		return "" // too long, or not ASCII: not one of ours
	}
	var b strings.Builder
	unescape(&b, k.raw)
	return b.String()
}

// value reads any value.
func (s *scanner) value() value {
	if s.pos >= len(s.src) {
		s.unexpected()
		return value{}
	}
	start, typ := s.pos, jsonAbsent
	switch s.src[s.pos] {
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
	if s.src[s.pos] == '-' {
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

func (s *scanner) at() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
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

// string reads the string whose opening quote is at the current position.
func (s *scanner) string() value {
	src, start := s.src, s.pos+1
	plain := true
	for i := start; i < len(src); i++ {
		c := src[i]
		switch {
		case plainByte[c]:
		case c == '"':
			s.pos = i + 1
			return value{raw: src[start:i], typ: jsonString, plain: plain}
		case c >= utf8.RuneSelf:
			plain = false
		case c != '\\':
			s.fail(faultControl, i)
			return value{}
		default:
			plain = false
			i++
			if i == len(src) {
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
		}
	}
	s.fail(faultEnd, len(src))
	return value{}
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
// surrogate and every byte that is not UTF-8 become U+FFFD.
func unescape(b *strings.Builder, raw string) {
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(raw[i:])
			b.WriteRune(r)
			i += size
		case c != '\\':
			b.WriteByte(c)
			i++
		case raw[i+1] == 'u':
			r := hex4(raw[i+2:])
			i += len(`\u0000`)
			if isHigh(r) && strings.HasPrefix(raw[i:], `\u`) {
				if low := hex4(raw[i+2:]); isLow(low) {
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
					i += len(`\u0000`)
				}
			}
			b.WriteRune(r) // a lone surrogate is no rune: U+FFFD
		default:
			b.WriteByte(escapedByte(raw[i+1]))
			i += 2
		}
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
const smallSource = 4 << 10

// An arena holds the strings that are kept of one source.
type arena struct {
	copies bool
	buf    strings.Builder
}

func newArena(src string) arena { return arena{copies: len(src) > smallSource} }

// text returns the value of the JSON string v.
func (a *arena) text(v value) string {
	escaped := !v.plain && (strings.IndexByte(v.raw, '\\') >= 0 || !utf8.ValidString(v.raw))
	if !escaped && !a.copies {
		return v.raw
	}
	if a.buf.Cap()-a.buf.Len() < len(v.raw) {
		a.buf.Reset()
		a.buf.Grow(max(len(v.raw), 1<<10))
	}
	start := a.buf.Len()
	if escaped {
		unescape(&a.buf, v.raw)
	} else {
		a.buf.WriteString(v.raw)
	}
	return a.buf.String()[start:]
}
