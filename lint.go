package clarify

import (
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Lint returns warnings about what could disguise a question or make its answers
// hard to tell apart. An envelope with warnings may be valid: Lint does not change
// what is accepted. The codes are [CodeControl], [CodeBidi], [CodeInvisible],
// [CodeDuplicateLabel] and [CodeSameLabels]. The order is that of a
// [ValidationError].
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
	if i := strings.IndexFunc(s, text.IsControl); i >= 0 {
		l.warn(at, key, CodeControl, text.Quote(s[i:]), "no control characters")
	}
	if i := strings.IndexFunc(s, text.IsBidi); i >= 0 {
		l.warn(at, key, CodeBidi, text.Quote(s[i:]), "no bidirectional overrides")
	}
	if !strings.ContainsFunc(s, text.IsVisible) && (s != "" || as == needed) {
		l.warn(at, key, CodeInvisible, text.Quote(s), "something to see")
	}
}

func (l *linter) prompt(at place, p *Prompt) {
	l.text(at, keyQuestion, p.Question, needed)
	l.text(at, keyHint, p.Hint, optional)
	p.input().lint(l, at)
}

func (c *Choice) lint(l *linter, at place) {
	elders := make(map[string]int, len(c.Options))
	for i := range c.Options {
		o := &c.Options[i]
		at.option = i
		l.text(at, keyLabel, o.Label, needed)
		if elder, again := elders[text.Seen(o.Label)]; again {
			l.warn(at, keyLabel, CodeDuplicateLabel, text.Quote(o.Label)+" again, after "+place{at.prompt, elder}.path(keyLabel), "a label of its own")
		} else {
			elders[text.Seen(o.Label)] = i
		}
		l.text(at, keyDescription, o.Description, optional)
	}
}

func (c *Confirm) lint(l *linter, at place) {
	l.text(at, keyConfirmLabel, c.ConfirmLabel, optional)
	l.text(at, keyCancelLabel, c.CancelLabel, optional)
	if confirm, cancel := c.labels(); text.Seen(confirm) == text.Seen(cancel) {
		l.warn(at, keyCancelLabel, CodeSameLabels, text.Quote(cancel), "another label than the one that confirms")
	}
}

func (t *Text) lint(l *linter, at place) {
	l.text(at, keyPlaceholder, t.Placeholder, optional)
	l.text(at, keyDefaultValue, t.DefaultValue, optional)
}

func (noInput) lint(*linter, place) {}
