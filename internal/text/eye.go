package text

import (
	"strings"
	"unicode"
)

// Norm returns s in one case, with one kind of apostrophe, with Hangul syllables as
// their letters, with one space for any run of white space, and none at the ends.
// Texts with the same Norm are written in the same way.
func Norm(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		if AnySpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		switch r {
		case '‘', '’', 'ʼ', '′', '＇', '´', '`':
			r = '\''
		}
		if lead, vowel, tail, ok := hangul(r); ok {
			b.WriteRune(lead)
			b.WriteRune(vowel)
			if tail != 0 {
				b.WriteRune(tail)
			}
			continue
		}
		b.WriteRune(FoldCase(r))
	}
	return b.String()
}

// Fold returns the Norm of what the eye sees of s: of s without invisible
// characters.
func Fold(s string) string { return Norm(Visible(s)) }

// Visible returns s without invisible characters. White space stays.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if IsInvisible(r) && !AnySpace(r) {
			return -1
		}
		return r
	}, s)
}

// Key returns s without full stops and exclamation marks at the end.
func Key(s string) string { return dropEnd(s, isEnd) }

// Look returns the Fold of s without punctuation at the end. Texts with the same
// Look are hard to tell apart.
func Look(s string) string { return LookOf(Fold(s)) }

// LookOf returns the Look of a text from its Fold.
func LookOf(fold string) string { return dropEnd(Key(fold), isTerminal) }

// dropEnd removes the characters and the white space between them from the end of s,
// unless nothing else is in s.
func dropEnd(s string, drop func(rune) bool) string {
	if cut := strings.TrimRightFunc(s, func(r rune) bool { return AnySpace(r) || drop(r) }); cut != "" {
		return cut
	}
	return s
}

func isEnd(r rune) bool {
	switch r {
	case '.', '!', '。', '．', '！':
		return true
	}
	return false
}

func isTerminal(r rune) bool {
	return r == '…' || r == '‥' || unicode.Is(unicode.Terminal_Punctuation, r)
}

// FoldCase returns one character for all those that differ from r in case only,
// by Unicode's simple case folding.
func FoldCase(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// hangul returns the letters of a syllable by Unicode's arithmetic; tail is 0 if
// it has none.
func hangul(r rune) (lead, vowel, tail rune, ok bool) {
	const base, last, vowels, tails = 0xAC00, 0xD7A3, 21, 28
	if r < base || r > last {
		return 0, 0, 0, false
	}
	i := r - base
	if tail = i % tails; tail != 0 {
		tail += 0x11A7
	}
	return 0x1100 + i/tails/vowels, 0x1161 + i/tails%vowels, tail, true
}

// IsInvisible reports whether r leaves nothing to see: a control or format
// character, a separator of lines or paragraphs, a filler, a variation selector, or
// the blank Braille cell. Spaces are visible.
func IsInvisible(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return r == 0x2800 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// IsControl reports whether r is a control character other than tab, LF and CR.
func IsControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
}

// IsBidi reports whether r embeds, overrides or isolates a direction.
func IsBidi(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// IsVisible reports whether r leaves ink without another character.
func IsVisible(r rune) bool {
	return unicode.IsGraphic(r) && !IsInvisible(r) && !unicode.In(r, unicode.Zs, unicode.M)
}
