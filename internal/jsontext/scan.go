// Package jsontext scans and writes JSON texts. It knows nothing of the protocol.
//
// What it writes are the bytes that JavaScript's JSON.stringify writes, on every
// Go version.
package jsontext

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how many levels arrays and objects may be nested, as in
// encoding/json.
const MaxDepth = 10_000

// A Scanner reads one JSON text in a single pass. It accepts exactly what
// encoding/json.Valid accepts, with the same bound on nesting, unless Controls is
// set. It returns object keys and values as they are in the source.
//
// The first fault stops it. Then the position is the end of the source, so
// every loop over the scanner ends, and what was read before must be discarded.
type Scanner struct {
	// Controls says that a string may have control characters that are not escaped.
	Controls bool

	src     string
	pos     int
	depth   int
	opened  bool // a container was just entered: no comma is due
	fault   string
	faultAt int // byte offset in src
}

// New returns a scanner of the JSON text src.
func New(src string) Scanner { return Scanner{src: src} }

// Why a text is not JSON. The empty string means that it is.
const (
	faultEnd     = "unexpected end"
	faultChar    = "unexpected character"
	faultControl = "control character in a string"
	faultEscape  = "invalid escape in a string"

	// FaultDepth is the fault of a text that is nested more than MaxDepth levels.
	FaultDepth = "nesting too deep"
)

// A Type is the type of a value. The zero value is that of a member that is not
// there.
type Type uint8

const (
	Absent Type = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

// A Value is one JSON value as it is in the source.
type Value struct {
	Raw     string // the source text; of a string, what is between its quotes
	Type    Type
	escaped bool // a string with escapes
	ascii   bool // a string of ASCII only
}

// StringOf returns a Go string as a value: its text is s.
func StringOf(s string) Value { return Value{Raw: s, Type: String, ascii: true} }

// BoolOf returns a Go boolean as a value.
func BoolOf(b bool) Value {
	if b {
		return Value{Type: True}
	}
	return Value{Type: False}
}

func (s *Scanner) fail(why string, at int) {
	if s.fault == "" {
		s.fault, s.faultAt = why, at
	}
	s.pos = len(s.src)
}

// unexpected fails at the current position.
func (s *Scanner) unexpected() {
	if s.pos < len(s.src) {
		s.fail(faultChar, s.pos)
	} else {
		s.fail(faultEnd, s.pos)
	}
}

func (s *Scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// Peek moves to the next byte after white space and returns it, or 0 at the end.
func (s *Scanner) Peek() byte {
	if s.pos < len(s.src) && s.src[s.pos] > ' ' {
		return s.src[s.pos]
	}
	s.space()
	return s.at()
}

// at returns the byte at the current position, or 0 at the end.
func (s *Scanner) at() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// Fault returns why the text is not JSON and the byte offset of the fault. It
// returns "" if there was no fault so far.
func (s *Scanner) Fault() (why string, at int) { return s.fault, s.faultAt }

// Failed reports whether there was a fault.
func (s *Scanner) Failed() bool { return s.fault != "" }

// Source returns the whole text.
func (s *Scanner) Source() string { return s.src }

// Pos returns the byte offset of what is read next.
func (s *Scanner) Pos() int { return s.pos }

// End reports whether only white space is left and nothing failed.
func (s *Scanner) End() bool {
	s.space()
	if s.pos < len(s.src) {
		s.unexpected()
	}
	return s.fault == ""
}

// Enter consumes the bracket at the current position. This loops over the
// members or elements behind it:
//
//	for s.Enter(); s.More('}'); { key := s.Key(); … s.Value() … }
//	for s.Enter(); s.More(']'); { … s.Value() … }
func (s *Scanner) Enter() {
	if s.depth++; s.depth > MaxDepth {
		s.fail(FaultDepth, s.pos)
		return
	}
	s.pos++
	s.opened = true
}

// More moves to the next member or element and reports whether there is one. If
// not, it moves behind the closing bracket.
func (s *Scanner) More(closing byte) bool {
	c := s.Peek()
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

// Key reads a member's key and colon.
func (s *Scanner) Key() string {
	if s.Peek() != '"' {
		s.unexpected()
		return ""
	}
	k := s.string()
	if s.Peek() != ':' {
		s.unexpected()
		return ""
	}
	s.pos++
	if !k.escaped {
		return k.Raw
	}
	var b strings.Builder
	unescape(&b, k.Raw, k.ascii)
	return b.String()
}

// Value reads any value.
func (s *Scanner) Value() Value {
	c := s.Peek()
	start, typ := s.pos, Absent
	switch c {
	case '"':
		return s.string()
	case '{':
		typ = Object
		for s.Enter(); s.More('}'); {
			s.Key()
			s.Value()
		}
	case '[':
		typ = Array
		for s.Enter(); s.More(']'); {
			s.Value()
		}
	case 'n':
		typ = s.literal("null", Null)
	case 't':
		typ = s.literal("true", True)
	case 'f':
		typ = s.literal("false", False)
	default:
		typ = s.number()
	}
	if s.fault != "" {
		return Value{}
	}
	return Value{Raw: s.src[start:s.pos], Type: typ}
}

func (s *Scanner) literal(word string, typ Type) Type {
	for i := range len(word) {
		if s.pos >= len(s.src) || s.src[s.pos] != word[i] {
			s.unexpected()
			return Absent
		}
		s.pos++
	}
	return typ
}

func (s *Scanner) number() Type {
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
		return Absent
	}
	if s.at() == '.' {
		s.pos++
		if !s.digits() {
			s.unexpected()
			return Absent
		}
	}
	if c := s.at(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.at(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			s.unexpected()
			return Absent
		}
	}
	return Number
}

func (s *Scanner) digits() bool {
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

// special returns 0 if all eight bytes of w are plain. If not, its lowest bit
// that is set is in the first byte that is not plain. Such a byte has its high
// bit set, or gets it by a borrow when ' ' is subtracted from it, or when 1 is
// subtracted from its difference to a quote or a backslash. Borrows spoil only
// the bytes behind that one.
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
func (s *Scanner) string() Value {
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
			return Value{}
		}
		switch c := src[i]; {
		case c == '"':
			s.pos = i + 1
			return Value{Raw: src[start:i], Type: String, escaped: escaped, ascii: ascii}
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
					if HexDigit(src[i]) < 0 {
						s.fail(faultEscape, i)
						return Value{}
					}
				}
			default:
				s.fail(faultEscape, i)
				return Value{}
			}
		case c >= utf8.RuneSelf:
			ascii = false
			for i+1 < len(src) && src[i+1] >= utf8.RuneSelf {
				i++
			}
		case c < ' ' && !s.Controls:
			s.fail(faultControl, i)
			return Value{}
		}
	}
}
