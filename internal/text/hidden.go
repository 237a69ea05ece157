package text

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
)

// Hidden yields the characters of s that hide something from the eye, each with its
// index: controls other than tab, LF and CR; what embeds, overrides or isolates a
// direction; and what is invisible, unless the text around it needs it. If nothing in s
// is visible, it yields all of s.
func Hidden(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		blank := !strings.ContainsFunc(s, IsVisible)
		isRTL := strings.ContainsFunc(s, isRightToLeft)
		flagEnd := 0
		before := ' '
		for i, r := range s {
			if r == blackFlag {
				flagEnd = i + flagLen(s[i:])
			}
			if (blank || i >= flagEnd && isHiddenAfter(before, r, isRTL)) && !yield(i, r) {
				return
			}
			before = r
		}
	}
}

// isHiddenAfter reports whether r hides something where it follows before, in a text
// that has letters that are written from right to left, or has none.
func isHiddenAfter(before, r rune, isRTL bool) bool {
	switch {
	case IsControl(r), IsBidi(r):
		return true
	case !IsInvisible(r), r == '\t', r == '\n', r == '\r':
		return false
	case r == 0x2800, unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a space, and signs that are drawn
		return false
	case r == 0x200E, r == 0x200F, r == 0x061C: // marks of a direction
		return !isRTL
	case r == 0x200B: // a place to break the line
		return !unicode.In(before, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	case r == 0x00AD, r == 0x200C, r == 0x200D: // a hyphen, and what keeps letters or emoji apart or together
		return !isShown(before) && !unicode.Is(unicode.Variation_Selector, before)
	case r == 0x034F, unicode.Is(unicode.Variation_Selector, r): // they change what is before them
		return !isShown(before)
	}
	return true
}

// isShown reports whether r is a visible character or a mark on one.
func isShown(r rune) bool { return IsVisible(r) || unicode.Is(unicode.M, r) && !IsInvisible(r) }

// isRightToLeft reports whether r is a letter of a script that is written from right
// to left: those blocks are set aside for them.
func isRightToLeft(r rune) bool {
	return unicode.IsLetter(r) && (0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFDFF || 0xFE70 <= r && r <= 0xFEFF ||
		0x10800 <= r && r <= 0x10FFF || 0x1E800 <= r && r <= 0x1EFFF)
}

const blackFlag = '\U0001F3F4'

// flagLen returns the length of the flag of a region that s starts with: a black flag,
// three to six letters and digits as tags, and the tag that ends them. It returns 0 if s
// starts with no such flag.
func flagLen(s string) int {
	tags := 0
	for i, r := range s[len(string(blackFlag)):] {
		switch {
		case 0xE0030 <= r && r <= 0xE0039 || 0xE0061 <= r && r <= 0xE007A:
			tags++
		case r == 0xE007F && 3 <= tags && tags <= 6:
			return len(string(blackFlag)) + i + len(string(r))
		default:
			return 0
		}
	}
	return 0
}

// Reveal returns s with each of its Hidden characters as its code point, such as
// [U+202E].
func Reveal(s string) string {
	var b strings.Builder
	end := 0
	for i, r := range Hidden(s) {
		fmt.Fprintf(&b, "%s[U+%04X]", s[end:i], r)
		end = i + len(string(r))
	}
	if end == 0 {
		return s
	}
	return b.String() + s[end:]
}
