package clarify

import (
	"cmp"
	"strings"
	"unicode"
)

// Lint returns warnings about an envelope that may be valid all the same: what
// could disguise a question or make its answers hard to tell apart. It changes
// nothing about what is accepted. The codes are [CodeControl], [CodeBidi],
// [CodeInvisible], [CodeDuplicateLabel] and [CodeSameLabels]; the order is that
// of a [ValidationError].
func (e *Envelope) Lint() []Violation {
	if e == nil {
		return nil
	}
	var l linter
	l.text(top, keyTitle, e.Title, optional)
	for i := range e.Prompts {
		l.prompt(place{i, -1}, &e.Prompts[i])
	}
	return l.warnings
}

type linter struct{ warnings []Violation }

func (l *linter) warn(at place, key string, code Code, got, want string) {
	l.warnings = append(l.warnings, Violation{Path: at.path(key), Code: code, Got: got, Want: want})
}

func (l *linter) text(at place, key, s string, as reading) {
	if i := strings.IndexFunc(s, isControl); i >= 0 {
		l.warn(at, key, CodeControl, quote(s[i:]), "no control characters")
	}
	if i := strings.IndexFunc(s, isBidi); i >= 0 {
		l.warn(at, key, CodeBidi, quote(s[i:]), "no bidirectional overrides")
	}
	if !strings.ContainsFunc(s, isVisible) && (s != "" || as == needed) {
		l.warn(at, key, CodeInvisible, quote(s), "something to see")
	}
}

func (l *linter) prompt(at place, p *Prompt) {
	l.text(at, keyQuestion, p.Question, needed)
	l.text(at, keyHint, p.Hint, optional)
	if p.Kind() == "" {
		return
	}
	switch in := p.Input.(type) {
	case *Choice:
		elders := make(map[string]int, len(in.Options))
		for i := range in.Options {
			o := &in.Options[i]
			at := place{at.prompt, i}
			l.text(at, keyLabel, o.Label, needed)
			if elder, again := elders[seen(o.Label)]; again {
				l.warn(at, keyLabel, CodeDuplicateLabel, quote(o.Label)+" again, after "+place{at.prompt, elder}.path(keyLabel), "a label of its own")
			} else {
				elders[seen(o.Label)] = i
			}
			l.text(at, keyDescription, o.Description, optional)
		}
	case *Confirm:
		l.text(at, keyConfirmLabel, in.ConfirmLabel, optional)
		l.text(at, keyCancelLabel, in.CancelLabel, optional)
		if seen(in.confirmLabel()) == seen(in.cancelLabel()) {
			l.warn(at, keyCancelLabel, CodeSameLabels, quote(in.cancelLabel()), "another label than the one that confirms")
		}
	case *Text:
		l.text(at, keyPlaceholder, in.Placeholder, optional)
		l.text(at, keyDefaultValue, in.DefaultValue, optional)
	}
}

// confirmLabel and cancelLabel return the labels that are shown.
func (c *Confirm) confirmLabel() string {
	return cmp.Or(trim(c.ConfirmLabel, anySpace), DefaultConfirmLabel)
}

func (c *Confirm) cancelLabel() string {
	return cmp.Or(trim(c.CancelLabel, anySpace), DefaultCancelLabel)
}

// seen is what the eye sees of a label, more or less: without format characters
// and case, and with one space for any white space.
func seen(label string) string {
	visible := strings.Map(func(r rune) rune {
		if isInvisible(r) && !anySpace(r) {
			return -1
		}
		return r
	}, label)
	return strings.ToLower(strings.Join(strings.FieldsFunc(visible, anySpace), " "))
}

// isControl leaves out what a text of several lines is made of.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
}

// isBidi reports whether r embeds, overrides or isolates a direction.
func isBidi(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// isVisible reports whether r leaves ink by itself.
func isVisible(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: // Hangul fillers and the blank Braille cell
		return false
	}
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs, unicode.M)
}
