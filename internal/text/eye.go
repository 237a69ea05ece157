package text

import (
	"strings"
	"unicode"
)

// Seen returns roughly what the eye sees of a label: no format characters, no
// case, and one space for any run of white space.
func Seen(label string) string {
	visible := strings.Map(func(r rune) rune {
		if IsInvisible(r) && !AnySpace(r) {
			return -1
		}
		return r
	}, label)
	return strings.ToLower(strings.Join(strings.FieldsFunc(visible, AnySpace), " "))
}

// IsInvisible reports whether r is a control or format character, or a
// separator of lines or paragraphs.
func IsInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// IsControl reports whether r is a control character other than tab, LF and CR.
func IsControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
}

// IsBidi reports whether r embeds, overrides or isolates a direction.
func IsBidi(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// IsVisible reports whether r leaves ink without another character.
func IsVisible(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: // Hangul fillers and the blank Braille cell
		return false
	}
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs, unicode.M)
}
