package clarify

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the files anew that tests make: schema/*.json, testdata/api.txt")

// An object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Patterns for a character that is not white space: to neither side, and to JavaScript's trim. The
// classes are spelled out because \s means different things to different validators.
const (
	notBlank       = "[^\\t-\\r\\x1c-\\x20\u0085\u00a0" + wideSpace + "]"
	notScriptBlank = "[^\\t-\\r\\x20\u00a0" + wideSpace + "]"
	wideSpace      = "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)

const draft = "https://json-schema.org/draft/2020-12/schema"

// The parts of arguments.json and envelope.json. In the arguments null is absent, in an envelope it
// does not occur.
type schemaParts struct{ null bool }

func (s schemaParts) typed(name string) any {
	if s.null {
		return []string{name, "null"}
	}
	return name
}

func (s schemaParts) optionalString(high int) object {
	return object{{"type", s.typed("string")}, {"maxLength", high}}
}

func (s schemaParts) flag(byDefault bool) object {
	return object{{"type", s.typed("boolean")}, {"default", byDefault}}
}

func requiredString(high int) object {
	return object{{"type", "string"}, {"pattern", notBlank}, {"maxLength", high}}
}

func idString() object { return object{{"type", "string"}, {"pattern", IDPattern}} }

func (s schemaParts) label(byDefault string) object {
	return append(s.optionalString(MaxLabel), member{"default", byDefault})
}

func (s schemaParts) option() object {
	return object{
		{"type", "object"},
		{"required", []string{keyID, keyLabel}},
		{"properties", object{
			{keyID, idString()},
			{keyLabel, requiredString(MaxLabel)},
			{keyDescription, s.optionalString(MaxDescription)},
		}},
	}
}

// prompt checks the shared fields, and by kind the others: fields of another kind are ignored.
func (s schemaParts) prompt() object {
	ofKind := func(kind Kind, required []string, properties object) object {
		then := object{{"properties", properties}}
		if required != nil {
			then = append(object{{"required", required}}, then...)
		}
		return object{
			{"if", object{{"required", []string{keyKind}}, {"properties", object{{keyKind, object{{"const", kind}}}}}}},
			{"then", then},
		}
	}
	return object{
		{"type", "object"},
		{"required", []string{keyID, keyKind, keyQuestion}},
		{"properties", object{
			{keyID, idString()},
			{keyKind, object{{"enum", []Kind{KindChoice, KindConfirm, KindText}}}},
			{keyQuestion, requiredString(MaxQuestion)},
			{keyHint, s.optionalString(MaxHint)},
			{keyRequired, s.flag(true)},
		}},
		{"allOf", []object{
			ofKind(KindChoice, []string{keyOptions}, object{
				{keyOptions, object{
					{"type", "array"},
					{"minItems", MinOptions},
					{"maxItems", MaxOptions},
					{"items", object{{"$ref", "#/$defs/option"}}},
				}},
				{keyAllowMultiple, s.flag(false)},
			}),
			ofKind(KindConfirm, nil, object{
				{keyConfirmLabel, s.label(DefaultConfirmLabel)},
				{keyCancelLabel, s.label(DefaultCancelLabel)},
				{keyDanger, s.flag(false)},
			}),
			ofKind(KindText, nil, object{
				{keyPlaceholder, s.optionalString(MaxPlaceholder)},
				{keyDefaultValue, s.optionalString(MaxDefaultValue)},
				{keyMultiline, s.flag(false)},
			}),
		}},
	}
}

func promptsArray() object {
	return object{
		{"type", "array"},
		{"minItems", MinPrompts},
		{"maxItems", MaxPrompts},
		{"items", object{{"$ref", "#/$defs/prompt"}}},
	}
}

func (s schemaParts) defs() object {
	return object{{"prompt", s.prompt()}, {"option", s.option()}}
}

func argumentsSchema() object {
	s := schemaParts{null: true}
	oneOrMore := []object{promptsArray(), {{"$ref", "#/$defs/prompt"}}}
	return object{
		{"$schema", draft},
		{"title", "Arguments of the " + ToolName + " tool (" + Protocol + ")"},
		{"type", "object"},
		{"required", []string{keyPrompts}},
		{"properties", object{
			{keyTitle, s.optionalString(MaxTitle)},
			{keyPrompts, object{{"anyOf", append([]object{{
				{"type", "string"},
				{"pattern", notBlank},
				{"contentMediaType", "application/json"},
				{"contentSchema", object{{"anyOf", oneOrMore}}},
			}}, oneOrMore...)}}},
		}},
		{"$defs", s.defs()},
	}
}

func envelopeSchema() object {
	var s schemaParts
	return object{
		{"$schema", draft},
		{"title", "Envelope of " + Protocol},
		{"type", "object"},
		{"required", []string{keyProtocol, keyPrompts}},
		{"properties", object{
			{keyProtocol, object{{"const", Protocol}}},
			{keyTitle, s.optionalString(MaxTitle)},
			{keyPrompts, promptsArray()},
		}},
		{"$defs", s.defs()},
	}
}

func answersSchema() object {
	answer := func(kind Kind, key string, payload object) object {
		return object{
			{"required", []string{key}},
			{"properties", object{{keyKind, object{{"const", kind}}}, {key, payload}}},
		}
	}
	text := object{{"type", "string"}, {"pattern", notScriptBlank}}
	return object{
		{"$schema", draft},
		{"title", "Answers of " + Protocol},
		{"type", "object"},
		{"required", []string{keyProtocol, keyAnswers}},
		{"properties", object{
			{keyProtocol, object{{"const", Protocol}}},
			{keyAnswers, object{
				{"type", "array"},
				{"minItems", 1},
				{"items", object{
					{"type", "object"},
					{"required", []string{keyID, keyKind}},
					{"properties", object{{keyID, text}}},
					{"oneOf", []object{
						answer(KindChoice, keyValues, object{{"type", "array"}, {"items", text}}),
						answer(KindConfirm, keyConfirmed, object{{"type", "boolean"}}),
						answer(KindText, keyValue, object{{"type", "string"}}),
					}},
				}},
			}},
		}},
	}
}

// toolSchema is what a model is shown: plain, with the limits in words.
func toolSchema(form ToolForm) object {
	of := func(typ, format string, args ...any) object {
		return object{{"type", typ}, {"description", fmt.Sprintf(format, args...)}}
	}
	title := of("string", "Optional heading of the form, at most %d characters.", MaxTitle)
	if form == StringPrompts {
		return object{
			{"type", "object"},
			{"properties", object{
				{keyPrompts, of("string", "%s", promptsInWords())},
				{keyTitle, title},
			}},
			{"required", []string{keyPrompts}},
		}
	}
	strict := form == StrictPrompts
	// fields makes an object schema; optional fields follow the first n, which are required.
	fields := func(n int, properties ...member) object {
		required := []string{}
		for i := range properties {
			if i >= n && strict {
				p := properties[i].value.(object)
				p[0].value = []any{p[0].value, "null"}
			}
			if i < n || strict {
				required = append(required, properties[i].key)
			}
		}
		o := object{{"type", "object"}, {"properties", object(properties)}, {"required", required}}
		if strict {
			o = append(o, member{"additionalProperties", false})
		}
		return o
	}
	array := func(items object, format string, args ...any) object {
		return append(of("array", format, args...), member{"items", items})
	}
	id := "starts with a lower-case letter, then lower-case letters, digits, '_', '.' or '-', at most %d characters"
	option := fields(2,
		member{keyID, of("string", "What you get back if it is chosen: "+id+"; unique in the prompt.", MaxID)},
		member{keyLabel, of("string", "What the user reads, 1 to %d characters.", MaxLabel)},
		member{keyDescription, of("string", "Optional detail below the label, at most %d characters.", MaxDescription)},
	)
	kind := of("string", "%q: pick one of the options, or several; %q: yes or no, before anything destructive; %q: free text.", KindChoice, KindConfirm, KindText)
	kind = append(kind, member{"enum", []Kind{KindChoice, KindConfirm, KindText}})
	prompt := fields(3,
		member{keyID, of("string", "Names the answer: "+id+"; unique in the call.", MaxID)},
		member{keyKind, kind},
		member{keyQuestion, of("string", "The question, 1 to %d characters; for a confirm: what will happen.", MaxQuestion)},
		member{keyHint, of("string", "Optional help below the question, at most %d characters.", MaxHint)},
		member{keyRequired, of("boolean", "Whether the user has to answer; true unless given.")},
		member{keyOptions, array(option, "For %q only, and needed there: %d to %d options.", KindChoice, MinOptions, MaxOptions)},
		member{keyAllowMultiple, of("boolean", "For %q only: whether several options may be picked; false unless given.", KindChoice)},
		member{keyConfirmLabel, of("string", "For %q only: the button that confirms, at most %d characters; %q unless given.", KindConfirm, MaxLabel, DefaultConfirmLabel)},
		member{keyCancelLabel, of("string", "For %q only: the button that cancels, at most %d characters; %q unless given.", KindConfirm, MaxLabel, DefaultCancelLabel)},
		member{keyDanger, of("boolean", "For %q only: true for deletes and what cannot be undone; false unless given.", KindConfirm)},
		member{keyPlaceholder, of("string", "For %q only: a grey example in the empty field, at most %d characters.", KindText, MaxPlaceholder)},
		member{keyDefaultValue, of("string", "For %q only: what the field is filled with, at most %d characters; never an answer by itself.", KindText, MaxDefaultValue)},
		member{keyMultiline, of("boolean", "For %q only: a field of several lines; false unless given.", KindText)},
	)
	return fields(1,
		member{keyPrompts, array(prompt, "The questions, %d to %d of them, in the order in which they are shown.", MinPrompts, MaxPrompts)},
		member{keyTitle, title},
	)
}

// promptsInWords describes the contract's form: a JSON string.
func promptsInWords() string {
	return fmt.Sprintf("A JSON array of %d to %d prompts, as a string. Each prompt is an object with: %s (a lower-case letter, then lower-case letters, digits, '_', '.' or '-', at most %d characters, unique), "+
		"%s (%q, %q or %q), %s (1 to %d characters), optionally %s (at most %d characters) and %s (boolean, true unless given). "+
		"A %s also has %s: %d to %d objects with %s, %s (1 to %d characters) and optionally %s (at most %d characters); %s: true lets the user pick several. "+
		"A %s may have %s and %s (at most %d characters each) and %s: true for deletes and what cannot be undone. "+
		"A %s may have %s (at most %d characters), %s (at most %d characters) and %s: true.",
		MinPrompts, MaxPrompts, keyID, MaxID,
		keyKind, KindChoice, KindConfirm, KindText, keyQuestion, MaxQuestion, keyHint, MaxHint, keyRequired,
		KindChoice, keyOptions, MinOptions, MaxOptions, keyID, keyLabel, MaxLabel, keyDescription, MaxDescription, keyAllowMultiple,
		KindConfirm, keyConfirmLabel, keyCancelLabel, MaxLabel, keyDanger,
		KindText, keyPlaceholder, MaxPlaceholder, keyDefaultValue, MaxDefaultValue, keyMultiline)
}

// TestSchemas compares schema/*.json with what the constants make of them. With -update it writes them.
func TestSchemas(t *testing.T) {
	want := map[string]object{
		"arguments":   argumentsSchema(),
		"envelope":    envelopeSchema(),
		"answers":     answersSchema(),
		"tool-string": toolSchema(StringPrompts),
		"tool-typed":  toolSchema(TypedPrompts),
		"tool-strict": toolSchema(StrictPrompts),
	}
	for name, o := range want {
		compact, err := encode(o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, compact, "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		b = asciiOnly(b.String())
		file := filepath.Join("schema", name+".json")
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, b.Bytes()) {
			t.Errorf("%s is not what the constants say: run go test -run TestSchemas -update .", file)
		}
	}
	files, err := filepath.Glob("schema/*.json")
	if err != nil || len(files) != len(want) {
		t.Errorf("schema/ has %d files, want %d (%v)", len(files), len(want), err)
	}
	if *update {
		return // what is embedded is what was there before
	}
	for file, got := range map[string][]byte{
		"arguments": ArgumentsSchema(), "envelope": EnvelopeSchema(), "answers": AnswersSchema(),
		"tool-string": ToolSchema(StringPrompts), "tool-typed": ToolSchema(TypedPrompts), "tool-strict": ToolSchema(StrictPrompts),
	} {
		on, err := os.ReadFile(filepath.Join("schema", file+".json"))
		if err != nil || !bytes.Equal(bytes.TrimSpace(on), got) {
			t.Errorf("%s: the exported schema is not the file (%v)", file, err)
		}
	}
}

// TestBlankPatterns: the patterns know the same white space as the code.
func TestBlankPatterns(t *testing.T) {
	for pattern, space := range map[string]func(rune) bool{notBlank: anySpace, notScriptBlank: scriptSpace} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil || re.Op != syntax.OpCharClass {
			t.Fatalf("%s is not a class of characters: %v", pattern, err)
		}
		ranges := re.Rune // first and last of each
		for r := range rune(unicode.MaxRune + 1) {
			if len(ranges) > 0 && r > ranges[1] {
				ranges = ranges[2:]
			}
			if visible := len(ranges) > 0 && r >= ranges[0]; visible == space(r) {
				t.Errorf("%q: %U is white space: %v", pattern, r, space(r))
			}
		}
	}
}

// asciiOnly escapes what is not ASCII, so that the white space in a pattern can be seen.
func asciiOnly(s string) (b bytes.Buffer) {
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b
}

// TestToolSchemasArePortable: what a provider is known to refuse is in none of the plain forms.
func TestToolSchemasArePortable(t *testing.T) {
	for _, form := range []ToolForm{StringPrompts, TypedPrompts, StrictPrompts} {
		var root any
		if err := json.Unmarshal(ToolSchema(form), &root); err != nil {
			t.Fatal(err)
		}
		objects := 0
		var walk func(path string, v any)
		walk = func(path string, v any) {
			o := v.(map[string]any)
			objects++
			for _, refused := range []string{"$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf", "const", "if"} {
				if _, has := o[refused]; has {
					t.Errorf("form %d: %s has %s", form, path, refused)
				}
			}
			types, isList := o["type"].([]any)
			if isList && form != StrictPrompts {
				t.Errorf("form %d: %s has a list of types", form, path)
			}
			name, _ := o["type"].(string)
			if isList {
				name, _ = types[0].(string)
			}
			if strings.Contains("array boolean string", name) && o["description"] == "" {
				t.Errorf("form %d: %s has no description", form, path)
			}
			items, has := o["items"]
			if has != (name == "array") {
				t.Errorf("form %d: %s is %q and items is there: %v", form, path, name, has)
			}
			if has {
				walk(path+"[]", items)
			}
			properties, has := o["properties"].(map[string]any)
			if has != (name == "object") {
				t.Errorf("form %d: %s is %q and properties is there: %v", form, path, name, has)
			}
			if form == StrictPrompts && has && (o["additionalProperties"] != false || len(o["required"].([]any)) != len(properties)) {
				t.Errorf("%s is not strict", path)
			}
			for key, p := range properties {
				walk(path+"."+key, p)
			}
		}
		walk("", root)
		if want := map[ToolForm]int{StringPrompts: 3, TypedPrompts: 21, StrictPrompts: 21}[form]; objects != want {
			t.Errorf("form %d has %d schemas, want %d", form, objects, want)
		}
	}
}

// TestToolDescription: the model learns when to ask, how many prompts fit, and what a refusal looks like.
func TestToolDescription(t *testing.T) {
	got := ToolDescription()
	for _, want := range []string{"Ask the user instead of guessing", fmt.Sprintf("%d to %d prompts", MinPrompts, MaxPrompts), `"confirm"`, "danger", `"Error:"`, "stop"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if len(got) > 1024 { // the shortest limit of a provider
		t.Errorf("%d bytes", len(got))
	}
}

// TestKindsOfTheUnions: a nil pointer has its kind too, which is why Prompt.Kind and Answer.Kind ask for more.
func TestKindsOfTheUnions(t *testing.T) {
	inputs := map[Kind]Input{KindChoice: (*Choice)(nil), KindConfirm: (*Confirm)(nil), KindText: (*Text)(nil)}
	payloads := map[Kind]Payload{KindChoice: (*ChoiceAnswer)(nil), KindConfirm: (*ConfirmAnswer)(nil), KindText: (*TextAnswer)(nil)}
	for kind, in := range inputs {
		if in.Kind() != kind || (Prompt{Input: in}).Kind() != "" {
			t.Errorf("%T: %q", in, in.Kind())
		}
	}
	for kind, p := range payloads {
		if p.Kind() != kind || (Answer{Payload: p}).Kind() != "" {
			t.Errorf("%T: %q", p, p.Kind())
		}
	}
}
