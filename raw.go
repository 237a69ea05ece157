package clarify

import "iter"

// What stands in the JSON, before either side judges it: for each field the
// last value that its exact key has. Field names are written here once, in the
// contract's order.
const (
	keyArguments = "arguments" // a call's arguments as a whole: only in paths

	keyProtocol = "protocol"
	keyTitle    = "title"
	keyPrompts  = "prompts"
	keyAnswers  = "answers"

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
	keyRunID  = "run_id"
	keyOutput = "output"
	keyFailed = "failed"

	// maxKey is the length of the longest name above.
	maxKey = len(keyAllowMultiple)
)

type rawPrompt struct {
	rawFields
	count    int                   // how many options has
	elements [MaxOptions]rawOption // the first of them, where options is an array
}

type rawFields struct {
	self                               value // what is not an object has only this
	id, kind, question, hint, required value
	options, allowMultiple             value
	confirmLabel, cancelLabel, danger  value
	placeholder, defaultValue          value
	multiline                          value
}

type rawOption struct {
	self                   value
	id, label, description value
}

type rawAnswer struct {
	self                     value
	id, kind                 value
	values, confirmed, value value
}

// prompt reads one element of a prompts array.
func (s *scanner) prompt(p *rawPrompt) {
	p.rawFields, p.count = rawFields{}, 0
	if s.peek() != '{' {
		p.self = s.value()
		return
	}
	p.self.typ = jsonObject
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyID:
			p.id = s.value()
		case keyKind:
			p.kind = s.value()
		case keyQuestion:
			p.question = s.value()
		case keyHint:
			p.hint = s.value()
		case keyRequired:
			p.required = s.value()
		case keyOptions:
			p.count = 0 // of duplicate keys the last wins, whole
			if s.peek() != '[' {
				p.options = s.value()
				break
			}
			start := s.pos
			for s.enter(); s.more(']'); p.count++ {
				if p.count < MaxOptions {
					p.elements[p.count] = s.option()
				} else {
					s.value()
				}
			}
			p.options = value{raw: s.src[start:s.pos], typ: jsonArray}
		case keyAllowMultiple:
			p.allowMultiple = s.value()
		case keyConfirmLabel:
			p.confirmLabel = s.value()
		case keyCancelLabel:
			p.cancelLabel = s.value()
		case keyDanger:
			p.danger = s.value()
		case keyPlaceholder:
			p.placeholder = s.value()
		case keyDefaultValue:
			p.defaultValue = s.value()
		case keyMultiline:
			p.multiline = s.value()
		default:
			s.value()
		}
	}
}

func (s *scanner) option() (o rawOption) {
	if s.peek() != '{' {
		o.self = s.value()
		return o
	}
	o.self.typ = jsonObject
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyID:
			o.id = s.value()
		case keyLabel:
			o.label = s.value()
		case keyDescription:
			o.description = s.value()
		default:
			s.value()
		}
	}
	return o
}

// first returns the first options of p, all that a valid prompt may have.
func (p *rawPrompt) first() []rawOption { return p.elements[:min(p.count, MaxOptions)] }

// elements are the elements of the array v, which a scanner has accepted, by
// index. They are read once more, rather than kept.
func (v value) elements() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		s := scanner{src: v.raw}
		i := 0
		for s.enter(); s.more(']'); i++ {
			if !yield(i, s.value()) {
				return
			}
		}
	}
}

// answer reads one element of an answers array.
func (s *scanner) answer(a *rawAnswer) {
	*a = rawAnswer{}
	if s.peek() != '{' {
		a.self = s.value()
		return
	}
	a.self.typ = jsonObject
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyID:
			a.id = s.value()
		case keyKind:
			a.kind = s.value()
		case keyValues:
			a.values = s.value()
		case keyConfirmed:
			a.confirmed = s.value()
		case keyValue:
			a.value = s.value()
		default:
			s.value()
		}
	}
}
