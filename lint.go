package clarify

import (
	"strings"
	"unicode"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// Lint returns warnings about what could disguise a question or make its answers
// hard to tell apart. An envelope with warnings may be valid: Lint does not change
// what is accepted. The codes are [CodeControl], [CodeBidi], [CodeInvisible],
// [CodeDuplicateLabel], [CodeLabelIsID], [CodeSameLabels], [CodeOppositeLabel] and
// [CodeSecret]. The order is that of a [ValidationError].
//
// Words such as "cancel" and "password" are known in English only.
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
	l.look(at, key, s, as)
	l.hidden(at, key, s)
}

// hidden warns of a character that nobody sees, unless there is another warning of this
// text.
func (l *linter) hidden(at place, key, s string) {
	if n := len(l.warnings); n > 0 && l.warnings[n-1].Path == at.path(key) {
		return
	}
	for i := range text.Hidden(s) {
		l.warn(at, key, CodeInvisible, text.Quote(s[i:]), "no invisible characters")
		return
	}
}

func (l *linter) look(at place, key, s string, as reading) {
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
	_, isText := p.input().(*Text)
	if isText {
		l.secret(at, keyQuestion, p.Question)
	}
	l.text(at, keyHint, p.Hint, optional)
	if isText {
		l.secret(at, keyHint, p.Hint)
	}
	p.input().lint(l, at)
}

// secret warns of a text that asks for what nobody should write into a chat.
func (l *linter) secret(at place, key, s string) {
	words := strings.FieldsFunc(text.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, word := range words {
		if secrets[word] || word == "card" && i+1 < len(words) && words[i+1] == "number" {
			l.warn(at, key, CodeSecret, text.Quote(s), "no question for a password, a key, a token, a card number or a PIN")
			return
		}
	}
}

var secrets = setOf("password passwords passphrase passcode pin otp secret secrets token tokens key keys apikey credential credentials cvv cvc")

func (c *Choice) lint(l *linter, at place) {
	elders := make(map[string]int, len(c.Options))
	ids := make(map[string]int, len(c.Options))
	for i := range c.Options {
		look := text.Look(c.Options[i].ID)
		if _, again := ids[look]; again {
			i = ambiguous
		}
		ids[look] = i
	}
	for i := range c.Options {
		o := &c.Options[i]
		at.option = i
		l.look(at, keyLabel, o.Label, needed)
		look := text.Look(o.Label)
		if elder, again := elders[look]; again {
			l.warn(at, keyLabel, CodeDuplicateLabel, text.Quote(o.Label)+" again, after "+place{at.prompt, elder}.path(keyLabel), "a label of its own")
		} else {
			elders[look] = i
		}
		if other, is := ids[look]; is && other != i && look != "" {
			l.warn(at, keyLabel, CodeLabelIsID, text.Quote(o.Label)+", the id of another option", "a label that is no other option's id")
		}
		l.hidden(at, keyLabel, o.Label)
		l.text(at, keyDescription, o.Description, optional)
	}
}

func (c *Confirm) lint(l *linter, at place) {
	confirm, cancel := c.labels()
	l.text(at, keyConfirmLabel, c.ConfirmLabel, optional)
	if refuses(confirm) {
		l.warn(at, keyConfirmLabel, CodeOppositeLabel, text.Quote(confirm), "a label that does not begin with a refusal")
	}
	l.look(at, keyCancelLabel, c.CancelLabel, optional)
	if text.Look(confirm) == text.Look(cancel) {
		l.warn(at, keyCancelLabel, CodeSameLabels, text.Quote(cancel), "another label than the one that confirms")
	}
	if agreements[text.Look(cancel)] {
		l.warn(at, keyCancelLabel, CodeOppositeLabel, text.Quote(cancel), "a label that does not agree")
	}
	l.hidden(at, keyCancelLabel, c.CancelLabel)
}

var agreements = setOf("confirm confirmed yes true")

func (t *Text) lint(l *linter, at place) {
	l.text(at, keyPlaceholder, t.Placeholder, optional)
	l.secret(at, keyPlaceholder, t.Placeholder)
	l.text(at, keyDefaultValue, t.DefaultValue, optional)
}

func (noInput) lint(*linter, place) {}
