package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A Value is one JSON value that a test can change. The members of an object
// keep their order and their duplicates. A path such as prompts[0].options[1].id
// names a value in it; of duplicate keys it names the last, as a reader would.
type Value struct {
	typ   valueType
	text  string   // of a string what it says, of a literal its JSON
	keys  []string // of an object, one for each of elems
	elems []*Value // of an array or an object; of embedded JSON, one
}

type valueType byte

const (
	typeLiteral valueType = iota
	typeString
	typeArray
	typeObject
	typeEmbedded // a string that holds the JSON text of another value
)

// Of returns the JSON value for v: nil, a bool, a number, a string, a slice of
// what it takes, or a Value, which it returns as it is.
func Of(v any) *Value {
	switch v := v.(type) {
	case nil:
		return Literal("null")
	case *Value:
		return v
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return &Value{typ: typeString, text: r.String()}
	case reflect.Bool, reflect.Int, reflect.Float64:
		return Literal(fmt.Sprint(v))
	case reflect.Slice:
		out := Array()
		for i := range r.Len() {
			out.Append("", r.Index(i).Interface())
		}
		return out
	}
	panic(fmt.Sprintf("%T in JSON", v))
}

// Literal returns a value that is written as text, which can be any JSON.
func Literal(text string) *Value { return &Value{text: text} }

// Embedded returns a string that holds the JSON text of v.
func Embedded(v any) *Value { return &Value{typ: typeEmbedded, elems: []*Value{Of(v)}} }

// Array returns an array of what [Of] makes of elems.
func Array(elems ...any) *Value { return (&Value{typ: typeArray}).Append("", elems...) }

// Object returns an object of the members key, value, key, value.
func Object(members ...any) *Value {
	o := &Value{typ: typeObject}
	for pair := range slices.Chunk(members, 2) {
		o.With(pair[0].(string), pair[1])
	}
	return o
}

// Parse reads a JSON text. A lone surrogate is U+FFFD in it.
func Parse(text string) (*Value, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, err := parse(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one value: %w", err)
	}
	return v, nil
}

func parse(dec *json.Decoder) (*Value, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		if number, ok := token.(json.Number); ok {
			return Literal(number.String()), nil
		}
		return Of(token), nil
	}
	v := Array()
	if delim == '{' {
		v.typ = typeObject
	}
	for dec.More() {
		if delim == '{' {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v.keys = append(v.keys, key.(string))
		}
		elem, err := parse(dec)
		if err != nil {
			return nil, err
		}
		v.elems = append(v.elems, elem)
	}
	_, err = dec.Token()
	return v, err
}

// With adds a member behind the others, whether its key is there or not, and
// returns v.
func (v *Value) With(key string, value any) *Value {
	v.keys = append(v.keys, key)
	v.elems = append(v.elems, Of(value))
	return v
}

// Clone returns a deep copy.
func (v *Value) Clone() *Value {
	c := *v
	c.keys, c.elems = slices.Clone(v.keys), slices.Clone(v.elems)
	for i, elem := range c.elems {
		c.elems[i] = elem.Clone()
	}
	return &c
}

// IsObject reports whether v is an object.
func (v *Value) IsObject() bool { return v.typ == typeObject }

// Len returns the number of members or elements.
func (v *Value) Len() int { return len(v.elems) }

// Get returns the value at path, or nil if there is none. The path "" is v
// itself, in the other methods too.
func (v *Value) Get(path string) *Value {
	parent, i, _ := v.find(path)
	switch {
	case parent == nil:
		return nil
	case path == "":
		return v
	case i < 0:
		return nil
	}
	return parent.elems[i]
}

// Set replaces the value at path, or adds a member. It returns v, and panics
// where there is nothing to put the value into, as Remove and Append do.
func (v *Value) Set(path string, value any) *Value {
	parent, i, key := v.mustFind(path)
	if i < 0 && parent.typ == typeObject {
		parent.With(key, value)
	} else {
		parent.elems[i] = Of(value)
	}
	return v
}

// Remove removes the element at path, or every member with its key.
func (v *Value) Remove(path string) *Value {
	for parent, i, key := v.mustFind(path); i >= 0; i = parent.index(key) {
		parent.elems = slices.Delete(parent.elems, i, i+1)
		if parent.typ == typeArray {
			break
		}
		parent.keys = slices.Delete(parent.keys, i, i+1)
	}
	return v
}

// Append adds elements to the array at path.
func (v *Value) Append(path string, elems ...any) *Value {
	array := v.Get(path)
	for _, elem := range elems {
		array.elems = append(array.elems, Of(elem))
	}
	return v
}

// find returns what holds the value at path, its index there, which is negative
// if it is not there, and its key.
func (v *Value) find(path string) (parent *Value, i int, key string) {
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	parent = v
	for n, step := range steps {
		key, i = step, parent.index(step)
		if n == len(steps)-1 {
			break
		}
		if i < 0 {
			return nil, 0, ""
		}
		parent = parent.elems[i]
	}
	return parent, i, key
}

func (v *Value) mustFind(path string) (parent *Value, i int, key string) {
	if parent, i, key = v.find(path); parent == nil || parent.typ != typeObject && i < 0 {
		panic("no " + path + " in " + v.Compact())
	}
	return parent, i, key
}

func (v *Value) index(step string) int {
	switch v.typ {
	case typeArray:
		if i, err := strconv.Atoi(step); err == nil && i < len(v.elems) {
			return i
		}
	case typeObject:
		for i, key := range slices.Backward(v.keys) {
			if key == step {
				return i
			}
		}
	}
	return -1
}

// all returns v and every value in it.
func (v *Value) all() []*Value {
	list := []*Value{v}
	for _, elem := range v.elems {
		list = append(list, elem.all()...)
	}
	return list
}

// Compact returns the JSON text of v as JavaScript's JSON.stringify writes it.
func (v *Value) Compact() string { return v.write(writer{}) }

// String returns the JSON text of v.
func (v *Value) String() string { return v.Compact() }

// A writer writes a value. noise is how often, of 1, it writes something in
// another way than the shortest: white space where JSON allows it, a character as
// an escape. A lossy one also writes what changes the meaning: lone surrogates in
// strings, and all sorts of white space around embedded JSON.
type writer struct {
	*Generator
	strings.Builder
	noise float64
	lossy bool
}

func (v *Value) write(w writer) string {
	w.value(v)
	return w.String()
}

func (w *writer) noisy() bool { return w.noise > 0 && w.Float64() < w.noise }

func (w *writer) value(v *Value) {
	w.space()
	switch v.typ {
	case typeLiteral:
		w.WriteString(v.text)
	case typeString:
		w.string(v.text)
	case typeEmbedded:
		inner := v.elems[0].write(writer{Generator: w.Generator, noise: w.noise, lossy: w.lossy})
		if w.lossy && w.Chance(10) {
			inner = w.spaces() + inner + w.spaces()
		}
		w.string(inner)
	default:
		w.WriteByte("[{"[v.typ-typeArray])
		for i, elem := range v.elems {
			if i > 0 {
				w.WriteByte(',')
			}
			if v.typ == typeObject {
				w.space()
				w.string(v.keys[i])
				w.space()
				w.WriteByte(':')
			}
			w.value(elem)
		}
		w.space()
		w.WriteByte("]}"[v.typ-typeArray])
	}
	w.space()
}

func (w *writer) space() {
	for n := 0; n < 3 && w.noisy(); n++ {
		w.WriteByte(" \t\r\n"[w.IntN(4)])
	}
}

func (w *writer) string(s string) {
	w.WriteByte('"')
	for _, r := range s {
		if w.lossy && w.noisy() && w.IntN(50) == 0 {
			w.escape(0xD800 + rune(w.IntN(0x800)))
		}
		short := strings.IndexRune("\b\t\n\f\r\"\\/", r)
		switch plain := r >= ' ' && r != '"' && r != '\\'; {
		case plain && !w.noisy():
			w.WriteRune(r)
		case short >= 0 && !w.noisy():
			w.WriteString(`\` + `btnfr"\/`[short:short+1])
		case r > 0xFFFF:
			w.escape(0xD800 + (r-0x10000)>>10)
			w.escape(0xDC00 + (r-0x10000)&0x3FF)
		default:
			w.escape(r)
		}
	}
	w.WriteByte('"')
}

func (w *writer) escape(r rune) {
	format := `\u%04x`
	if w.noise > 0 && w.IntN(2) == 0 {
		format = `\u%04X`
	}
	fmt.Fprintf(w, format, r)
}

// Arguments returns the arguments of a call that asks e, with every field
// written out.
func Arguments(e *clarify.Envelope) *Value {
	prompts := Array()
	for _, p := range e.Prompts {
		prompts.Append("", promptValue(p))
	}
	return Object().withText("title", e.Title).With("prompts", prompts)
}

// Output returns what a tool returned for e.
func Output(e *clarify.Envelope) *Value {
	v := Arguments(e)
	v.keys = slices.Insert(v.keys, 0, "protocol")
	v.elems = slices.Insert(v.elems, 0, Of(protocol))
	return v
}

const protocol = "appwrite.clarify/v1"

func promptValue(p clarify.Prompt) *Value {
	v := Object("id", p.ID).withText("kind", string(p.Kind())).With("question", p.Question).withText("hint", p.Hint).With("required", !p.Optional)
	switch in := p.Input.(type) {
	case *clarify.Choice:
		options := Array()
		for _, o := range in.Options {
			options.Append("", Object("id", o.ID, "label", o.Label).withText("description", o.Description))
		}
		v.With("options", options).With("allowMultiple", in.AllowMultiple)
	case *clarify.Confirm:
		v.withText("confirmLabel", in.ConfirmLabel).withText("cancelLabel", in.CancelLabel).With("danger", in.Danger)
	case *clarify.Text:
		v.withText("placeholder", in.Placeholder).withText("defaultValue", in.DefaultValue).With("multiline", in.Multiline)
	}
	return v
}

// withText adds a member unless s is empty.
func (v *Value) withText(key, s string) *Value {
	if s == "" {
		return v
	}
	return v.With(key, s)
}
