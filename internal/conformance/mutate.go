package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// NewInputs returns a generator whose Input changes texts too. Its deep values
// have depths levels.
func NewInputs(seed uint64, texts []string, depths ...int) *Generator {
	g := New(seed)
	g.texts, g.depths = texts, depths
	for _, text := range texts {
		if len(text) < 1<<14 && json.Valid([]byte(text)) {
			g.values = append(g.values, mustParse(text))
		}
	}
	return g
}

// mustParse reads a valid JSON text. A string in it that holds an array or an
// object is embedded JSON.
func mustParse(text string) *Value {
	v, err := Parse(text)
	if err != nil {
		panic(err)
	}
	for _, s := range v.all() {
		inner := strings.TrimSpace(s.text)
		if s.typ == typeString && inner != "" && strings.Contains("[{", inner[:1]) && json.Valid([]byte(inner)) {
			*s = *Embedded(mustParse(inner))
		}
	}
	return v
}

// Input returns what may be given to any reader: a text with a change or more,
// or a new one that is close to the protocol's, now and then with broken bytes.
func (g *Generator) Input() string {
	var text string
	switch g.IntN(10) {
	case 0:
		text = g.breakBytes(Pick(g, g.texts...))
		if g.Flag() {
			text = g.breakBytes(text)
		}
		return text
	case 1, 2, 3, 4:
		text = g.Mutant(Pick(g, g.values...))
	default:
		text = g.write(g.document())
	}
	if g.Chance(8) {
		text = g.breakBytes(text)
	}
	if g.Chance(12) {
		text = g.spaces() + text + g.spaces()
	}
	return text
}

// Mutant returns the text of v with one to three changes to its structure.
func (g *Generator) Mutant(v *Value) string {
	v = v.Clone()
	for range 1 + g.IntN(3) {
		g.mutate(v)
	}
	return g.write(v)
}

// Respell returns a JSON text of v that means the same: with white space and
// escapes where they make no difference.
func (g *Generator) Respell(v *Value) string {
	return v.write(writer{Generator: g, noise: Pick(g, 0.02, 0.2, 0.2, 1)})
}

// write returns a text of v that may mean something else.
func (g *Generator) write(v *Value) string {
	return v.write(writer{Generator: g, noise: Pick(g, 0, 0, 0, 0.02, 0.02, 0.3, 1), lossy: true})
}

// meaningful are strings that mean something to one side or another.
var meaningful = []string{
	"", " ", "a", "b", "choice", "confirm", "text", "Choice", "date", "true", "Confirm", "Cancel",
	"appwrite.clarify/v1", "appwrite.clarify/v2", "appwrite.clarify/", "appwrite.clarify", "APPWRITE.CLARIFY/V1", "appwrite.clarify/v1 ",
	"tool_end", "clarify", " Clarify\n", "\u0085", "\ufeff", "\x1c", "\x1f\u0085", "\u00a0x\u00a0", "\u180e", "\u200b", "\u0000", "\u2028", "\u3000",
	"\ufffd", "é", "汉字", "😀", "<b>&\"\\/", "-a", "A", "a b", "a.b_c-9", "[]", "{}", "null", "Error: no", "\u202e", "\x7f", "\b\f\n\r\t",
}

// knownKeys are all keys of the protocol, strangeKeys some that only look so.
var (
	knownKeys = []string{
		"protocol", "title", "prompts", "answers", "id", "kind", "question", "hint", "required", "options", "allowMultiple",
		"confirmLabel", "cancelLabel", "danger", "placeholder", "defaultValue", "multiline", "label", "description",
		"values", "confirmed", "value", "type", "agent", "tool", "name", "run_id", "output", "failed",
	}
	strangeKeys = []string{
		"", "x", "ID", "Id", "id ", " id", "id\x00", "iD", "\uFEFFid", "ıd", "Kind", "\u212Aind", "kind\x00", "que\u017Ftion", "Question",
		"prompt", "prompts ", "Prompts", "promptſ", "Title", "title\x00", "Options", "option", "label\x00", "allow_multiple", "default",
		"__proto__", "constructor", "toString", "length",
	}
)

// KindKeys are the keys that a prompt of each kind has beside those of all.
var KindKeys = map[clarify.Kind][]string{
	clarify.KindChoice:  {"options", "allowMultiple"},
	clarify.KindConfirm: {"confirmLabel", "cancelLabel", "danger"},
	clarify.KindText:    {"placeholder", "defaultValue", "multiline"},
}

// ForeignKeys returns the keys of the other kinds.
func ForeignKeys(kind clarify.Kind) (keys []string) {
	for _, other := range []clarify.Kind{clarify.KindChoice, clarify.KindConfirm, clarify.KindText} {
		if other != kind {
			keys = append(keys, KindKeys[other]...)
		}
	}
	return keys
}

func (g *Generator) key() string {
	if g.Chance(3) {
		return Pick(g, strangeKeys...)
	}
	return Pick(g, knownKeys...)
}

// AddUnknown adds to v, and to all that is in it, members that mean nothing: of
// unknown keys, of keys of other kinds, and of known keys in front of the members
// that count. The order of the rest changes.
func (g *Generator) AddUnknown(v *Value) {
	for _, elem := range v.elems {
		g.AddUnknown(elem)
	}
	if !v.IsObject() {
		return
	}
	n := v.Len()
	for range g.IntN(4) {
		v.With(Pick(g, strangeKeys...), g.any(2))
	}
	if kind := v.Get("kind"); kind != nil && g.Flag() {
		for _, key := range ForeignKeys(clarify.Kind(strings.Trim(kind.text, anySpace))) {
			v.With(key, g.any(2))
		}
	}
	g.shuffle(v)
	for range min(n, g.IntN(3)) {
		i := g.IntN(v.Len())
		at := g.IntN(i + 1)
		v.keys = slices.Insert(v.keys, at, v.keys[i])
		v.elems = slices.Insert(v.elems, at, g.any(2))
	}
}

func (g *Generator) shuffle(v *Value) {
	g.Shuffle(len(v.elems), func(i, j int) {
		if v.keys != nil {
			v.keys[i], v.keys[j] = v.keys[j], v.keys[i]
		}
		v.elems[i], v.elems[j] = v.elems[j], v.elems[i]
	})
}

var lengths = []int{1, 2, 5, 6, 12, 13, 63, 64, 65, 119, 120, 121, 200, 201, 300, 301, 500, 501, 2000, 2001}

// mutate makes one change somewhere in root.
func (g *Generator) mutate(root *Value) {
	v := Pick(g, root.all()...)
	if len(v.elems) == 0 || g.Chance(6) {
		switch {
		case v.typ == typeString && g.Chance(4):
			v.text = g.spaces() + v.text + g.spaces()
		case v.typ == typeString && g.Chance(4):
			v.text = strings.Repeat(Pick(g, "a", "x", "é", "😀", " ", "0"), Pick(g, lengths...)) + Pick(g, "", v.text, " ")
		case v.typ == typeString && g.Chance(6):
			v.text = strings.ToUpper(v.text)
		case g.Chance(8):
			*v = *Array(v.Clone())
		case g.Chance(8):
			*v = *Embedded(v.Clone())
		default:
			*v = *g.any(2)
		}
		return
	}
	i := g.IntN(len(v.elems))
	switch v.typ {
	case typeObject:
		switch g.IntN(6) {
		case 0:
			v.keys = slices.Delete(v.keys, i, i+1)
			v.elems = slices.Delete(v.elems, i, i+1)
		case 1:
			v.With(v.keys[i], g.any(2)) // the last one wins
		case 2:
			v.With(v.keys[i], v.elems[i])
			v.elems[i] = g.any(2) // the first one does not
		case 3:
			v.keys[i] = g.key()
		case 4:
			v.With(g.key(), g.any(2))
		case 5:
			v.elems[i] = g.any(2)
		}
	case typeArray:
		switch g.IntN(4) {
		case 0:
			v.elems = slices.Delete(v.elems, i, i+1)
		case 1:
			v.elems[i] = g.any(2)
		case 2:
			v.Append("", v.elems[i].Clone())
		case 3:
			for want := Pick(g, lengths[:6]...); len(v.elems) < want; {
				v.Append("", v.elems[i].Clone())
			}
		}
	}
}

// spaces returns what one side or the other may take for white space.
func (g *Generator) spaces() string {
	return g.Padding(" \t\n\r\v\f\u0085\u00a0\ufeff\x1c\x1d\x1e\x1f\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u180e\u200b\u2060\x00\x08")
}

// any returns any value, often one that stands for something.
func (g *Generator) any(depth int) *Value {
	switch g.IntN(12) {
	case 0, 1, 2:
		return Of(Pick(g, meaningful...))
	case 3:
		return Of(nil)
	case 4, 5:
		return Of(g.Flag())
	case 6:
		return Literal(Pick(g, "0", "1", "-0", "-1.5", "1e999", "-1E+400", "1e-999", "12345678901234567890123", "0.1e1"))
	case 7:
		return Pick(g, g.prompt, g.option, g.answer)()
	case 8:
		if len(g.depths) > 0 && g.Chance(60) {
			open, shut := "[", "]"
			if g.Flag() {
				open, shut = `{"`+Pick(g, knownKeys...)+`":`, "}"
			}
			n := Pick(g, g.depths...)
			return Literal(strings.Repeat(open, n) + "0" + strings.Repeat(shut, n))
		}
	}
	v := Pick(g, Array(), Object())
	if depth == 0 {
		return v
	}
	for range g.IntN(3) {
		if v.IsObject() {
			v.With(g.key(), g.any(depth-1))
		} else {
			v.Append("", g.any(depth-1))
		}
	}
	return v
}

// or returns usual, and once in a while anything.
func (g *Generator) or(usual *Value) *Value {
	if g.Chance(25) {
		return g.any(2)
	}
	return usual
}

// words returns a string that will often do.
func (g *Generator) words() *Value {
	switch g.IntN(12) {
	case 0:
		return Of(g.spaces() + Pick(g, meaningful...) + g.spaces())
	case 1:
		return Of(strings.Repeat(Pick(g, "x", "é", "😀"), Pick(g, lengths...)))
	}
	return Of(Pick(g, "Which bucket?", "x", "Delete\nall", "Größe <b>", "say \"a/b\"", "a\u2028b"))
}

func (g *Generator) bool() *Value { return Of(g.Flag()) }

// document returns arguments, an envelope, answers or an event.
func (g *Generator) document() *Value {
	v := Object()
	switch g.IntN(8) {
	case 0, 1:
		prompts := g.list(g.prompt, 1+g.IntN(3))
		if g.Chance(4) && prompts.Len() > 0 {
			prompts = prompts.elems[0]
		}
		if g.Flag() {
			prompts = Embedded(prompts)
		}
		v.With("prompts", g.or(prompts))
	case 2, 3:
		v.With("protocol", g.or(Of(protocol))).With("answers", g.or(g.list(g.answer, 1+g.IntN(4))))
	case 4:
		output := g.envelope()
		if g.Flag() {
			output = Embedded(output)
		}
		v.With("type", g.or(Of("tool_end"))).With("agent", g.words()).With("tool", g.or(Of("clarify"))).With("output", g.or(output))
		if g.Chance(4) {
			v.With("failed", g.or(g.bool()))
		}
	default:
		v = g.envelope()
	}
	if g.Chance(4) {
		v.With("title", g.or(g.words()))
	}
	return g.decorate(v)
}

func (g *Generator) envelope() *Value {
	v := Object("protocol", g.or(Of(protocol)), "prompts", g.or(g.list(g.prompt, 1+g.IntN(3))))
	g.some(v, "title", g.words)
	return g.decorate(v)
}

// decorate adds unknown and duplicate members, and changes the order.
func (g *Generator) decorate(v *Value) *Value {
	if g.Chance(8) {
		v.With(g.key(), g.any(1))
	}
	if g.Chance(20) && v.Len() > 0 {
		v.With(Pick(g, v.keys...), g.any(1))
	}
	if g.Chance(4) {
		g.shuffle(v)
	}
	return v
}

func (g *Generator) list(elem func() *Value, count int) *Value {
	if g.Chance(15) {
		count = Pick(g, 0, 1, 5, 6, 12, 13)
	}
	v := Array()
	for range count {
		v.Append("", g.or(elem()))
	}
	return v
}

func (g *Generator) id() *Value {
	switch g.IntN(15) {
	case 0:
		return g.words()
	case 1:
		return Of(strings.Repeat("a", Pick(g, 63, 64, 65)))
	}
	return Of(Pick(g, "a", "b", "c") + strconv.Itoa(g.IntN(9)) + Pick(g, "", "_x", ".y", "-z"))
}

func (g *Generator) prompt() *Value {
	kind := Pick(g, "choice", "confirm", "text")
	v := Object("id", g.or(g.id()), "kind", g.or(Of(kind)), "question", g.or(g.words()))
	g.some(v, "hint", g.words)
	g.some(v, "required", g.bool)
	if kind == "choice" || g.Chance(20) {
		v.With("options", g.or(g.list(g.option, 2+g.IntN(2))))
		g.some(v, "allowMultiple", g.bool)
	}
	if kind == "confirm" || g.Chance(20) {
		g.some(v, "confirmLabel", g.words)
		g.some(v, "cancelLabel", g.words)
		g.some(v, "danger", g.bool)
	}
	if kind == "text" || g.Chance(20) {
		g.some(v, "placeholder", g.words)
		g.some(v, "defaultValue", g.words)
		g.some(v, "multiline", g.bool)
	}
	return g.decorate(v)
}

// some adds an optional member now and then.
func (g *Generator) some(v *Value, key string, value func() *Value) {
	if g.Chance(3) {
		v.With(key, g.or(value()))
	}
}

func (g *Generator) option() *Value {
	v := Object("id", g.or(g.id()), "label", g.or(g.words()))
	g.some(v, "description", g.words)
	return g.decorate(v)
}

func (g *Generator) answer() *Value {
	v := Object("id", g.or(g.id()))
	switch g.IntN(3) {
	case 0:
		v.With("kind", g.or(Of("choice"))).With("values", g.or(g.list(g.words, g.IntN(3))))
	case 1:
		v.With("kind", g.or(Of("confirm"))).With("confirmed", g.or(g.bool()))
	case 2:
		v.With("kind", g.or(Of("text"))).With("value", g.or(g.words()))
	}
	return g.decorate(v)
}

// breakBytes changes a text without regard to its structure.
func (g *Generator) breakBytes(text string) string {
	i := g.IntN(len(text) + 1)
	j := min(len(text), i+g.IntN(8))
	switch g.IntN(6) {
	case 0:
		return text[:i]
	case 1:
		return text[:i] + text[j:]
	case 2:
		return text[:j] + text[i:]
	case 3:
		return text[:i] + string([]byte{byte(g.IntN(256))}) + text[j:]
	case 4:
		other := Pick(g, g.texts...)
		return text[:i] + other[min(i, len(other)):]
	}
	return text[:i] + Pick(g,
		"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\x00", "\x1f", "\u0085", "\ufeff", "\u00a0", "\u2028", `\ud800`, `\udc00\ud83d`, `\u`, `\/`, `\x`,
		`"`, `\`, "{", "}", "[", "]", ",", ":", "{}", `"":`, "null", "1e999", "01", "-", "1.", "tru", "Error:", "…", "\n", " ",
	) + text[i:]
}
