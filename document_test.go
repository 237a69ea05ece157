package clarify

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// JSON documents for tests: built from envelopes, changed in one place, and written in many ways.
// A value in one is a docObject, a docArray, a docRaw, a string, a bool or nil.
type (
	docObject []docMember
	docMember struct {
		key   string
		value any
	}
	docArray []any
	docRaw   string // JSON as it stands
)

func (o docObject) index(key string) int {
	return slices.IndexFunc(o, func(m docMember) bool { return m.key == key })
}

// set replaces or adds a member.
func (o *docObject) set(key string, v any) {
	if i := o.index(key); i >= 0 {
		(*o)[i].value = v
		return
	}
	*o = append(*o, docMember{key, v})
}

func (o *docObject) remove(key string) {
	if i := o.index(key); i >= 0 {
		*o = slices.Delete(*o, i, i+1)
	}
}

// arguments returns the arguments of a call that means e, with every field written out.
func arguments(e *Envelope) *docObject {
	o := new(docObject)
	if e.Title != "" {
		o.set(keyTitle, e.Title)
	}
	o.set(keyPrompts, promptsDoc(e))
	return o
}

// output returns what a tool returned for e.
func output(e *Envelope) *docObject {
	o := arguments(e)
	*o = slices.Insert(*o, 0, docMember{keyProtocol, Protocol})
	return o
}

func promptsDoc(e *Envelope) docArray {
	prompts := make(docArray, 0, len(e.Prompts))
	for _, p := range e.Prompts {
		prompts = append(prompts, promptDoc(p))
	}
	return prompts
}

func promptDoc(p Prompt) *docObject {
	o := new(docObject)
	o.set(keyID, p.ID)
	if kind := p.Kind(); kind != "" {
		o.set(keyKind, string(kind))
	}
	o.set(keyQuestion, p.Question)
	optional := func(key, s string) {
		if s != "" {
			o.set(key, s)
		}
	}
	optional(keyHint, p.Hint)
	o.set(keyRequired, !p.Optional)
	switch in := p.Input.(type) {
	case *Choice:
		options := docArray{}
		for _, option := range in.Options {
			each := &docObject{{keyID, option.ID}, {keyLabel, option.Label}}
			if option.Description != "" {
				each.set(keyDescription, option.Description)
			}
			options = append(options, each)
		}
		o.set(keyOptions, options)
		o.set(keyAllowMultiple, in.AllowMultiple)
	case *Confirm:
		optional(keyConfirmLabel, in.ConfirmLabel)
		optional(keyCancelLabel, in.CancelLabel)
		o.set(keyDanger, in.Danger)
	case *Text:
		optional(keyPlaceholder, in.Placeholder)
		optional(keyDefaultValue, in.DefaultValue)
		o.set(keyMultiline, in.Multiline)
	}
	return o
}

// compact writes v as the standard library would.
func compact(v any) string { return string(docWriter{}.append(nil, v)) }

// A docWriter writes documents, with rng in a different way each time: white space where JSON
// allows it, and each character as itself or escaped.
type docWriter struct{ rng *rand.Rand }

func (w docWriter) append(b []byte, v any) []byte {
	return w.space(w.appendValue(w.space(b), v))
}

func (w docWriter) appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case *docObject:
		b = append(b, '{')
		for i, m := range *v {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.space(w.appendString(w.space(b), m.key))
			b = w.append(append(b, ':'), m.value)
		}
		return append(w.space(b), '}')
	case docArray:
		b = append(b, '[')
		for i, element := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.append(b, element)
		}
		return append(w.space(b), ']')
	case docRaw:
		return append(b, v...)
	case string:
		return w.appendString(b, v)
	case bool, nil:
		return fmt.Append(b, jsonOf(v))
	}
	panic(fmt.Sprintf("%T in a document", v))
}

func (w docWriter) space(b []byte) []byte {
	for w.rng != nil && w.rng.IntN(4) == 0 {
		b = append(b, " \t\r\n"[w.rng.IntN(4)])
	}
	return b
}

func (w docWriter) appendString(b []byte, s string) []byte {
	if w.rng == nil {
		return append(b, jsonOf(s)...)
	}
	const short = `"\/bfnrt`
	const means = "\"\\/\b\f\n\r\t"
	b = append(b, '"')
	for _, r := range s {
		i := strings.IndexRune(means, r)
		switch {
		case i >= 0 && w.rng.IntN(2) == 0:
			b = append(b, '\\', short[i])
		case r < ' ' || r == '"' || r == '\\' || w.rng.IntN(8) == 0:
			if r > 0xFFFF {
				r -= 0x10000
				b = w.appendEscape(b, 0xD800+r>>10)
				r = 0xDC00 + r&0x3FF
			}
			b = w.appendEscape(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

func (w docWriter) appendEscape(b []byte, r rune) []byte {
	if w.rng.IntN(2) == 0 {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	return fmt.Appendf(b, `\u%04X`, r)
}

// jsonOf is v as encoding/json writes it.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// garbage is a value that nobody asked for.
func garbage(rng *rand.Rand) any {
	return []any{
		nil, true, false, "", "x", `{"id":"a"}`, "\u2028",
		docRaw("1e999"), docRaw("-0"), docRaw("12345678901234567890.5E-3"),
		docArray{}, docArray{nil, "a", docArray{}}, &docObject{},
		&docObject{{keyID, "x"}, {keyID, docRaw("1")}, {"", docArray{&docObject{}}}},
	}[rng.IntN(14)]
}

// strangers are keys that only look like the protocol's.
var strangers = []string{
	"ID", "Id", "id ", " id", "id\x00", "iD", "\uFEFFid", "ıd", "Kind", "\u212Aind", "kind\x00", "que\u017Ftion", "Question",
	"prompt", "Prompts", "promptſ", "Title", "title\x00", "Options", "label\x00", "allow_multiple", "default", "value", "x", "", "__proto__",
}

// addUnknown adds members that mean nothing, and in front of members of known keys such that the
// last one overrides, and shuffles the rest, in v and all that is in it.
func addUnknown(rng *rand.Rand, v any) {
	switch v := v.(type) {
	case docArray:
		for _, element := range v {
			addUnknown(rng, element)
		}
	case *docObject:
		for _, m := range *v {
			addUnknown(rng, m.value)
		}
		for range rng.IntN(4) {
			*v = append(*v, docMember{strangers[rng.IntN(len(strangers))], garbage(rng)})
		}
		if kind := kindOf(*v); kind != "" && rng.IntN(2) == 0 {
			for _, key := range foreignKeys[kind] {
				*v = append(*v, docMember{key, garbage(rng)})
			}
		}
		rng.Shuffle(len(*v), func(i, j int) { (*v)[i], (*v)[j] = (*v)[j], (*v)[i] })
		for range rng.IntN(3) {
			i := rng.IntN(len(*v))
			*v = slices.Insert(*v, rng.IntN(i+1), docMember{(*v)[i].key, garbage(rng)})
		}
	}
}

func kindOf(o docObject) Kind {
	if i := o.index(keyKind); i >= 0 {
		kind, _ := o[i].value.(string)
		return Kind(trim(kind, anySpace))
	}
	return ""
}

// kindKeys are the keys that a prompt has by its kind, foreignKeys those that it has not.
var (
	kindKeys = map[Kind][]string{
		KindChoice:  {keyOptions, keyAllowMultiple},
		KindConfirm: {keyConfirmLabel, keyCancelLabel, keyDanger},
		KindText:    {keyPlaceholder, keyDefaultValue, keyMultiline},
	}
	foreignKeys = map[Kind][]string{
		KindChoice:  append(slices.Clone(kindKeys[KindConfirm]), kindKeys[KindText]...),
		KindConfirm: append(slices.Clone(kindKeys[KindChoice]), kindKeys[KindText]...),
		KindText:    append(slices.Clone(kindKeys[KindChoice]), kindKeys[KindConfirm]...),
	}
)

// White space that both sides trim, and that only the strict side trims.
const (
	spaceOfBoth   = " \t\n\v\f\r\u00A0\u1680\u2003\u2028\u2029\u202F\u205F\u3000\uFEFF"
	spaceOfStrict = spaceOfBoth + "\x1C\x1D\x1E\x1F\u0085"
	spaceOfPrompt = " \t\n\v\f\r\x1C\x1D\x1E\x1F\u0085\u00A0\u2028\u3000" // around the prompts string: no U+FEFF
)

func padding(rng *rand.Rand, of string) string {
	all := []rune(of)
	s := ""
	for range rng.IntN(3) {
		s += string(all[rng.IntN(len(all))])
	}
	return s
}

// pad puts white space around the strings that are trimmed, and writes absent optional fields and
// defaults in the other ways that there are.
func pad(rng *rand.Rand, v any, space string, padDefaultValue bool) {
	around := func(s string) string { return padding(rng, space) + s + padding(rng, space) }
	absent := func(o *docObject, key string, trimmed bool) {
		if o.index(key) >= 0 || rng.IntN(2) == 0 {
			return
		}
		values := []any{nil, "", nil}
		if trimmed {
			values[2] = padding(rng, space)
		}
		o.set(key, values[rng.IntN(3)])
	}
	byDefault := func(o *docObject, key string, is bool) {
		if i := o.index(key); i >= 0 && (*o)[i].value == is {
			switch rng.IntN(3) {
			case 0:
				o.remove(key)
			case 1:
				o.set(key, nil)
			}
		}
	}
	trimmed := func(o *docObject, keys ...string) {
		for _, key := range keys {
			if i := o.index(key); i >= 0 {
				(*o)[i].value = around((*o)[i].value.(string))
			}
		}
	}
	call := v.(*docObject)
	trimmed(call, keyTitle)
	absent(call, keyTitle, true)
	for _, element := range (*call)[call.index(keyPrompts)].value.(docArray) {
		o := element.(*docObject)
		kind := kindOf(*o)
		trimmed(o, keyID, keyKind, keyQuestion, keyHint)
		absent(o, keyHint, true)
		byDefault(o, keyRequired, true)
		switch kind {
		case KindChoice:
			byDefault(o, keyAllowMultiple, false)
			for _, option := range (*o)[o.index(keyOptions)].value.(docArray) {
				trimmed(option.(*docObject), keyID, keyLabel, keyDescription)
				absent(option.(*docObject), keyDescription, true)
			}
		case KindConfirm:
			byDefault(o, keyDanger, false)
			for _, label := range []docMember{{keyConfirmLabel, DefaultConfirmLabel}, {keyCancelLabel, DefaultCancelLabel}} {
				if (*o)[o.index(label.key)].value == label.value {
					o.remove(label.key)
					absent(o, label.key, true)
				} else {
					trimmed(o, label.key)
				}
			}
		case KindText:
			byDefault(o, keyMultiline, false)
			trimmed(o, keyPlaceholder)
			absent(o, keyPlaceholder, true)
			if padDefaultValue {
				trimmed(o, keyDefaultValue)
			}
			absent(o, keyDefaultValue, padDefaultValue)
		}
	}
}
