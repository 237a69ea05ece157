package clarify

import (
	"iter"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// This file holds what is in the JSON before either side judges it: for each
// field the last value that has exactly its key. Each field name is written here
// once, in the contract's order.
const (
	keyArguments = "arguments" // the arguments of a call as a whole: only in paths

	keyProtocol = "protocol"
	keyTitle    = "title"
	keyPrompts  = "prompts"
	keyAnswers  = "answers"
	keyFor      = "for" // this library's

	keyID       = "id"
	keyKind     = "kind"
	keyQuestion = "question"
	keyHint     = "hint"
	keyRequired = "required"

	keyOptions       = "options"
	keyAllowMultiple = "allowMultiple"
	keyConfirmLabel  = "confirmLabel"
	keyCancelLabel   = "cancelLabel"
	keyDanger        = "danger"
	keyPlaceholder   = "placeholder"
	keyDefaultValue  = "defaultValue"
	keyMultiline     = "multiline"

	keyLabel       = "label"
	keyDescription = "description"

	keyValues    = "values"
	keyConfirmed = "confirmed"
	keyValue     = "value"

	keyType   = "type"
	keyAgent  = "agent"
	keyTool   = "tool"
	keyName   = "name" // the tool, where there is no tool
	keyRunID  = "run_id"
	keyOutput = "output"
	keyFailed = "failed"
)

type value = jsontext.Value

// A rawHead is what every prompt and every answer begins with.
type rawHead struct {
	self     value // what is not an object has only this
	id, kind value
}

type rawPrompt struct {
	rawFields
	count    int                   // how many options there are
	elements [MaxOptions]rawOption // the first of them, if options is an array
}

type rawFields struct {
	rawHead
	question, hint, required          value
	options, allowMultiple            value
	confirmLabel, cancelLabel, danger value
	placeholder, defaultValue         value
	multiline                         value
}

type rawOption struct {
	self                   value
	id, label, description value
}

type rawAnswer struct {
	rawHead
	values, confirmed, value value
	members                  int      // how many there are
	given                    []string // the values, if they are in memory
}

// read reads one element of a prompts array.
func (p *rawPrompt) read(s *jsontext.Scanner) {
	p.rawFields, p.count = rawFields{}, 0
	if s.Peek() != '{' {
		p.self = s.Value()
		return
	}
	p.self.Type = jsontext.Object
	for s.Enter(); s.More('}'); {
		switch s.Key() {
		case keyID:
			p.id = s.Value()
		case keyKind:
			p.kind = s.Value()
		case keyQuestion:
			p.question = s.Value()
		case keyHint:
			p.hint = s.Value()
		case keyRequired:
			p.required = s.Value()
		case keyOptions:
			p.readOptions(s)
		case keyAllowMultiple:
			p.allowMultiple = s.Value()
		case keyConfirmLabel:
			p.confirmLabel = s.Value()
		case keyCancelLabel:
			p.cancelLabel = s.Value()
		case keyDanger:
			p.danger = s.Value()
		case keyPlaceholder:
			p.placeholder = s.Value()
		case keyDefaultValue:
			p.defaultValue = s.Value()
		case keyMultiline:
			p.multiline = s.Value()
		default:
			s.Value()
		}
	}
}

func (p *rawPrompt) readOptions(s *jsontext.Scanner) {
	p.count = 0 // of duplicate keys the last wins, whole
	if s.Peek() != '[' {
		p.options = s.Value()
		return
	}
	start := s.Pos()
	for s.Enter(); s.More(']'); p.count++ {
		if p.count < MaxOptions {
			p.elements[p.count].read(s)
		} else {
			s.Value()
		}
	}
	p.options = value{Raw: s.Source()[start:s.Pos()], Type: jsontext.Array}
}

// read reads one element of an options array.
func (o *rawOption) read(s *jsontext.Scanner) {
	*o = rawOption{}
	if s.Peek() != '{' {
		o.self = s.Value()
		return
	}
	o.self.Type = jsontext.Object
	for s.Enter(); s.More('}'); {
		switch s.Key() {
		case keyID:
			o.id = s.Value()
		case keyLabel:
			o.label = s.Value()
		case keyDescription:
			o.description = s.Value()
		default:
			s.Value()
		}
	}
}

// first returns the first options of p, as many as a valid prompt may have.
func (p *rawPrompt) first() []rawOption { return p.elements[:min(p.count, MaxOptions)] }

// read reads one element of an answers array.
func (a *rawAnswer) read(s *jsontext.Scanner) {
	*a = rawAnswer{}
	if s.Peek() != '{' {
		a.self = s.Value()
		return
	}
	a.self.Type = jsontext.Object
	for s.Enter(); s.More('}'); a.members++ {
		switch s.Key() {
		case keyID:
			a.id = s.Value()
		case keyKind:
			a.kind = s.Value()
		case keyValues:
			a.values = s.Value()
		case keyConfirmed:
			a.confirmed = s.Value()
		case keyValue:
			a.value = s.Value()
		default:
			s.Value()
		}
	}
}

// members are all of one object, in order, however often a key is there.
type members []member

type member struct {
	key   string
	value value
	known bool // the contract's
}

// isAnswerKey reports whether an answer of the kind has the key. Of an unknown kind
// it may have any.
func isAnswerKey(kind Kind, key string) bool {
	switch key {
	case keyID, keyKind:
		return true
	case keyValues:
		return kind == KindChoice || !kind.isKnown()
	case keyConfirmed:
		return kind == KindConfirm || !kind.isKnown()
	case keyValue:
		return kind == KindText || !kind.isKnown()
	}
	return false
}

// isAlmostKnown reports whether the key looks like one of the contract's, or like the
// reference, and is another.
func (m member) isAlmostKnown() bool {
	switch fold := text.Fold(m.key); fold {
	case keyID, keyKind, keyValues, keyConfirmed, keyValue, keyAnswers, keyProtocol, keyFor:
		return fold != m.key
	}
	return false
}

func (list members) haveTwice() bool {
	if len(list) < 2 {
		return false
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		if seen[m.key] {
			return true
		}
		seen[m.key] = true
	}
	return false
}

// each yields the values of the answer to a choice by index. Those of a text,
// which the scanner has accepted, are read again rather than kept.
func (a *rawAnswer) each() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		i := 0
		if a.values.Raw == "" {
			for ; i < len(a.given) && yield(i, jsontext.StringOf(text.ToUTF8(a.given[i]))); i++ {
			}
			return
		}
		s := jsontext.New(a.values.Raw)
		for s.Enter(); s.More(']'); i++ {
			if !yield(i, s.Value()) {
				return
			}
		}
	}
}

// payload returns what the answer to a prompt of the kind has.
func (a *rawAnswer) payload(kind Kind) value {
	switch kind {
	case KindChoice:
		return a.values
	case KindConfirm:
		return a.confirmed
	case KindText:
		return a.value
	}
	return value{}
}
