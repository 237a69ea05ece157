package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A second opinion: both sides, answers and events once more, slow and obvious, over what
// encoding/json decodes. It was written from the protocol's text and shares no code with the
// library. Its limits and names are literals on purpose: a wrong constant of the library must not
// be wrong here too.

var oracleID = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

// oracleDecode decodes a valid JSON text. encoding/json has what the protocol asks for: exact keys
// in a map, the last one of duplicates, whole, and U+FFFD for what is no code point.
func oracleDecode(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // 1e999 is a number
	if dec.Decode(&v) != nil {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false // there is more than one value
	}
	return v, true
}

// oracleEscaped escapes the control characters in the strings of a JSON text. It also returns the
// offset in text of each byte, and of the end.
func oracleEscaped(text string) (escaped string, offsets []int) {
	var b strings.Builder
	inString, behindBackslash := false, false
	for i := range len(text) {
		c := text[i]
		if inString && !behindBackslash && c < ' ' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
		for len(offsets) < b.Len() {
			offsets = append(offsets, i)
		}
		if c == '"' && !behindBackslash {
			inString = !inString
		}
		behindBackslash = inString && c == '\\' && !behindBackslash
	}
	return b.String(), append(offsets, len(text))
}

// oracleFaultOf says what is wrong with a text that is not valid JSON, and at which byte.
func oracleFaultOf(text string) (clarify.Code, int) {
	at := sort.Search(len(text)+1, func(n int) bool { return !oracleBegins(text[:n]) }) - 1
	if at < len(text) && strings.ContainsRune("[{", rune(text[at])) &&
		oracleBegins(text[:at]+"null") && oracleBegins(text[:at]+"-1") {
		return "too_deep", at // any other value could stand here
	}
	return "syntax", at
}

// oracleBegins reports whether a JSON text can begin with prefix.
func oracleBegins(prefix string) bool {
	dec := json.NewDecoder(strings.NewReader(prefix))
	var v json.RawMessage
	if err := dec.Decode(&v); err != nil {
		return err == io.EOF || err == io.ErrUnexpectedEOF
	}
	_, err := dec.Token()
	return err == io.EOF
}

func oracleJoin(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// An oracleFault is a violation that the strict side has to report. What says has must stand in
// its text: the actual size and the limit, an offset, the elder of a duplicate.
type oracleFault struct {
	path string
	code clarify.Code
	says []string
}

func (f oracleFault) String() string { return fmt.Sprintf("%s %s %q", f.path, f.code, f.says) }

type strictOracle struct{ faults []oracleFault }

func (o *strictOracle) add(path string, code clarify.Code, says ...any) {
	f := oracleFault{path: path, code: code}
	for _, s := range says {
		f.says = append(f.says, fmt.Sprint(s))
	}
	o.faults = append(o.faults, f)
}

// oracleCall returns the canonical JSON of a call, or why it is refused.
func oracleCall(arguments []byte) (canonical string, faults []oracleFault) {
	o := new(strictOracle)
	canonical = o.call(string(arguments))
	if len(o.faults) > 0 {
		return "", o.faults
	}
	return canonical, nil
}

func (o *strictOracle) call(arguments string) string {
	if len(arguments) > 1024*1024 {
		o.add("arguments", "too_large", len(arguments), 1024*1024)
		return ""
	}
	if !utf8.ValidString(arguments) {
		o.add("arguments", "invalid_utf8")
		return ""
	}
	escaped, offsets := oracleEscaped(arguments)
	v, ok := oracleDecode(escaped)
	if !ok {
		code, at := oracleFaultOf(escaped)
		o.add("arguments", code, fmt.Sprint("at byte ", offsets[at]))
		return ""
	}
	args, ok := v.(map[string]any)
	if !ok {
		o.add("arguments", "wrong_type")
		return ""
	}
	title := o.text(args, "", "title", 0, 120)
	prompts := args["prompts"]
	if prompts == nil {
		o.add("prompts", "missing")
		return ""
	}
	if s, ok := prompts.(string); ok {
		if s = strings.Trim(s, pythonSpace); s == "" {
			o.add("prompts", "blank")
			return ""
		}
		if prompts, ok = oracleDecode(s); !ok {
			code, at := oracleFaultOf(s)
			o.add("prompts", code, fmt.Sprint("at byte ", at))
			return ""
		}
	}
	list, ok := prompts.([]any)
	if single, isObject := prompts.(map[string]any); isObject {
		list, ok = []any{single}, true
	}
	if !ok {
		o.add("prompts", "wrong_type")
		return ""
	}
	list = o.first("prompts", list, 1, 5)
	taken := map[string]string{}
	var out []any
	for i, p := range list {
		out = append(out, o.prompt(fmt.Sprintf("prompts[%d]", i), p, taken))
	}
	return Object("protocol", "appwrite.clarify/v1").withText("title", title).With("prompts", out).Compact()
}

// first returns the elements that are looked at: not more than high.
func (o *strictOracle) first(path string, list []any, low, high int) []any {
	switch n := len(list); {
	case n < low:
		o.add(path, "too_few", n, low, high)
	case n > high:
		o.add(path, "too_many", n, low, high)
		return list[:high]
	}
	return list
}

func (o *strictOracle) prompt(path string, v any, taken map[string]string) any {
	p, ok := v.(map[string]any)
	if !ok {
		o.add(path, "wrong_type")
		return Object()
	}
	id := o.id(p, path, taken)
	kind := o.kind(p, path)
	question := o.text(p, path, "question", 1, 500)
	hint := o.text(p, path, "hint", 0, 500)
	required := o.flag(p, path, "required", true)
	out := Object("id", id, "kind", kind, "question", question).
		withText("hint", hint).
		With("required", required)
	switch kind {
	case "choice":
		options := o.options(p, path)
		out = out.With("options", options).With("allowMultiple", o.flag(p, path, "allowMultiple", false))
	case "confirm":
		for _, label := range []struct{ key, byDefault string }{{"confirmLabel", "Confirm"}, {"cancelLabel", "Cancel"}} {
			s := o.text(p, path, label.key, 0, 120)
			if s == "" {
				s = label.byDefault
			}
			out = out.With(label.key, s)
		}
		out = out.With("danger", o.flag(p, path, "danger", false))
	case "text":
		out = out.withText("placeholder", o.text(p, path, "placeholder", 0, 200))
		out = out.withText("defaultValue", o.text(p, path, "defaultValue", 0, 2000))
		out = out.With("multiline", o.flag(p, path, "multiline", false))
	}
	return out
}

func (o *strictOracle) options(p map[string]any, path string) []any {
	path = oracleJoin(path, "options")
	if p["options"] == nil {
		o.add(path, "missing")
		return nil
	}
	list, ok := p["options"].([]any)
	if !ok {
		o.add(path, "wrong_type")
		return nil
	}
	taken := map[string]string{}
	out := []any{}
	for i, v := range o.first(path, list, 2, 12) {
		at := fmt.Sprintf("%s[%d]", path, i)
		option, ok := v.(map[string]any)
		if !ok {
			o.add(at, "wrong_type")
			continue
		}
		id := o.id(option, at, taken)
		label := o.text(option, at, "label", 1, 120)
		out = append(out, Object("id", id, "label", label).
			withText("description", o.text(option, at, "description", 0, 300)))
	}
	return out
}

// id judges an id.
func (o *strictOracle) id(of map[string]any, path string, taken map[string]string) string {
	path = oracleJoin(path, "id")
	s, ok := of["id"].(string)
	s = strings.Trim(s, anySpace)
	switch {
	case of["id"] == nil:
		o.add(path, "missing")
	case !ok:
		o.add(path, "wrong_type")
	case s == "":
		o.add(path, "blank")
	case !oracleID.MatchString(s):
		o.add(path, "bad_id")
	case taken[s] != "":
		o.add(path, "duplicate_id", taken[s])
	default:
		taken[s] = path
	}
	return s
}

// kind judges a kind.
func (o *strictOracle) kind(of map[string]any, path string) string {
	path = oracleJoin(path, "kind")
	s, ok := of["kind"].(string)
	s = strings.Trim(s, anySpace)
	switch {
	case of["kind"] == nil:
		o.add(path, "missing")
	case !ok:
		o.add(path, "wrong_type")
	case s == "":
		o.add(path, "blank")
	case s != "choice" && s != "confirm" && s != "text":
		o.add(path, "unknown_kind")
	}
	return s
}

func (o *strictOracle) text(of map[string]any, path, key string, low, high int) string {
	path = oracleJoin(path, key)
	s, ok := of[key].(string)
	s = strings.Trim(s, anySpace)
	n := len([]rune(s))
	switch {
	case of[key] == nil && low > 0:
		o.add(path, "missing")
	case of[key] == nil:
	case !ok:
		o.add(path, "wrong_type")
	case n == 0 && low > 0:
		o.add(path, "blank")
	case n > high:
		o.add(path, "too_long", n, high)
	}
	return s
}

func (o *strictOracle) flag(of map[string]any, path, key string, byDefault bool) bool {
	b, ok := of[key].(bool)
	if ok {
		return b
	}
	if of[key] != nil {
		o.add(oracleJoin(path, key), "wrong_type")
	}
	return byDefault
}

type lenientOracle struct{ skipped []clarify.Skipped }

func (o *lenientOracle) skip(part clarify.Part, path string, code clarify.Code) {
	o.skipped = append(o.skipped, clarify.Skipped{Part: part, Path: path, Code: code})
}

// oracleParse returns the canonical JSON of an output and what was left out or replaced, or the
// refusal. A refusal for want of prompts tells what was left out, too.
func oracleParse(output string) (canonical string, skipped []clarify.Skipped, refusal error) {
	text := strings.Trim(output, scriptSpace)
	if strings.HasPrefix(text, "Error:") {
		return "", nil, clarify.ErrToolFailed
	}
	if len(output) > 1024*1024 {
		return "", nil, clarify.ErrNotEnvelope
	}
	v, ok := oracleDecode(text)
	if !ok {
		named := strings.Contains(strings.ReplaceAll(text, `\/`, `/`), "appwrite.clarify/v1")
		if strings.HasPrefix(text, "{") && named {
			return "", nil, clarify.ErrMalformed
		}
		return "", nil, clarify.ErrNotEnvelope
	}
	e, _ := v.(map[string]any)
	switch protocol, _ := e["protocol"].(string); {
	case protocol == "appwrite.clarify/v1":
	case strings.HasPrefix(protocol, "appwrite.clarify/"):
		return "", nil, clarify.ErrVersion
	default:
		return "", nil, clarify.ErrNotEnvelope
	}
	list, ok := e["prompts"].([]any)
	if !ok {
		return "", nil, clarify.ErrNotEnvelope
	}
	o := new(lenientOracle)
	title := o.optional(e, "", "title")
	var prompts []any
	for i, p := range list {
		if prompt := o.prompt(fmt.Sprintf("prompts[%d]", i), p); prompt != nil {
			prompts = append(prompts, prompt)
		}
	}
	if len(prompts) == 0 {
		return "", o.skipped, clarify.ErrNothingToShow
	}
	return Object("protocol", "appwrite.clarify/v1").withText("title", title).With("prompts", prompts).Compact(), o.skipped, nil
}

// prompt returns nil for a prompt that is left out. Then that is all that is told of it, for the
// first of kind, id, question and options that is no good.
func (o *lenientOracle) prompt(path string, v any) any {
	p, ok := v.(map[string]any)
	if !ok {
		o.skip("prompt", path, "wrong_type")
		return nil
	}
	kind, code := oracleNeeded(p["kind"])
	if code == "" && kind != "choice" && kind != "confirm" && kind != "text" {
		code = "unknown_kind"
	}
	if code != "" {
		o.skip("prompt", path+".kind", code)
		return nil
	}
	out := Object()
	for _, key := range []string{"id", "kind", "question"} {
		s, code := oracleNeeded(p[key])
		if code != "" {
			o.skip("prompt", oracleJoin(path, key), code)
			return nil
		}
		out = out.With(key, s)
	}
	if kind == "choice" {
		if code := oracleOptionsCode(p["options"]); code != "" {
			o.skip("prompt", path+".options", code)
			return nil
		}
	}
	out = out.withText("hint", o.optional(p, path, "hint")).With("required", o.flag(p, path, "required", true))
	switch kind {
	case "choice":
		var options []any
		for i, v := range p["options"].([]any) {
			at := fmt.Sprintf("%s.options[%d]", path, i)
			if key, code := oracleOptionCode(v); code != "" {
				o.skip("option", strings.TrimSuffix(at+"."+key, "."), code)
				continue
			}
			option := v.(map[string]any)
			id, _ := oracleNeeded(option["id"])
			label, _ := oracleNeeded(option["label"])
			options = append(options, Object("id", id, "label", label).
				withText("description", o.optional(option, at, "description")))
		}
		out = out.With("options", options).With("allowMultiple", o.flag(p, path, "allowMultiple", false))
	case "confirm":
		for _, label := range []struct{ key, byDefault string }{{"confirmLabel", "Confirm"}, {"cancelLabel", "Cancel"}} {
			s := o.optional(p, path, label.key)
			if s == "" {
				s = label.byDefault
			}
			out = out.With(label.key, s)
		}
		out = out.With("danger", o.flag(p, path, "danger", false))
	case "text":
		out = out.withText("placeholder", o.optional(p, path, "placeholder"))
		o.optional(p, path, "defaultValue") // notes a wrong type
		defaultValue, _ := p["defaultValue"].(string)
		out = out.withText("defaultValue", defaultValue).With("multiline", o.flag(p, path, "multiline", false))
	}
	return out
}

// oracleOptionsCode says why options do not do for a choice.
func oracleOptionsCode(v any) clarify.Code {
	list, ok := v.([]any)
	usable := 0
	for _, option := range list {
		if _, code := oracleOptionCode(option); code == "" {
			usable++
		}
	}
	switch {
	case v == nil:
		return "missing"
	case !ok:
		return "wrong_type"
	case usable < 2:
		return "too_few"
	}
	return ""
}

// oracleOptionCode says why an option is not usable, and by which of its fields.
func oracleOptionCode(v any) (key string, code clarify.Code) {
	option, ok := v.(map[string]any)
	if !ok {
		return "", "wrong_type"
	}
	for _, key := range []string{"id", "label"} {
		if _, code := oracleNeeded(option[key]); code != "" {
			return key, code
		}
	}
	return "", ""
}

// oracleNeeded trims a string that must not be blank.
func oracleNeeded(v any) (string, clarify.Code) {
	s, ok := v.(string)
	s = strings.Trim(s, scriptSpace)
	switch {
	case v == nil:
		return "", "missing"
	case !ok:
		return "", "wrong_type"
	case s == "":
		return "", "blank"
	}
	return s, ""
}

func (o *lenientOracle) optional(of map[string]any, path, key string) string {
	s, ok := of[key].(string)
	if !ok && of[key] != nil {
		o.skip("field", oracleJoin(path, key), "wrong_type")
	}
	return strings.Trim(s, scriptSpace)
}

func (o *lenientOracle) flag(of map[string]any, path, key string, byDefault bool) bool {
	b, ok := of[key].(bool)
	if ok {
		return b
	}
	if of[key] != nil {
		o.skip("field", oracleJoin(path, key), "wrong_type")
	}
	return byDefault
}

// oracleAnswers returns the canonical JSON of a message that is answers, and what was left out.
func oracleAnswers(message string) (canonical string, skipped []clarify.Skipped, ok bool) {
	if len(message) > 1024*1024 {
		return "", nil, false
	}
	v, _ := oracleDecode(strings.Trim(message, scriptSpace))
	a, _ := v.(map[string]any)
	list, _ := a["answers"].([]any)
	if a["protocol"] != "appwrite.clarify/v1" {
		return "", nil, false
	}
	o := new(lenientOracle)
	tree, err := Parse(strings.Trim(message, scriptSpace))
	if err != nil {
		panic(err) // it was decoded above
	}
	var answers []any
	for i, v := range list {
		path := fmt.Sprintf("answers[%d]", i)
		if answer := o.answer(path, v); answer != nil {
			answers = append(answers, answer)
			payload := map[any]string{"choice": "values", "confirm": "confirmed", "text": "value"}
			o.beside(path, tree.Get(path), "id", "kind", payload[strings.Trim(v.(map[string]any)["kind"].(string), scriptSpace)])
		}
	}
	if len(answers) == 0 {
		return "", nil, false
	}
	ours := []string{"protocol", "answers"}
	reference, isText := a["for"].(string)
	if isText {
		ours = append(ours, "for")
	}
	o.beside("answers", tree, ours...)
	message = Object("protocol", "appwrite.clarify/v1", "answers", answers).withText("for", reference).Compact()
	return message, o.skipped, true
}

func (o *lenientOracle) answer(path string, v any) any {
	a, ok := v.(map[string]any)
	if !ok {
		o.skip("answer", path, "wrong_type")
		return nil
	}
	kind, code := oracleNeeded(a["kind"])
	payload := map[string]string{"choice": "values", "confirm": "confirmed", "text": "value"}[kind]
	if code == "" && payload == "" {
		code = "unknown_kind"
	}
	if code != "" {
		o.skip("answer", path+".kind", code)
		return nil
	}
	id, code := oracleNeeded(a["id"])
	if code != "" {
		o.skip("answer", path+".id", code)
		return nil
	}
	path = oracleJoin(path, payload)
	out := Object("id", id, "kind", kind)
	switch v := a[payload].(type) {
	case nil:
		o.skip("answer", path, "missing")
		return nil
	case bool:
		if kind == "confirm" {
			return out.With(payload, v)
		}
	case string:
		if kind == "text" {
			return out.With(payload, v)
		}
	case []any:
		if kind == "choice" {
			values := []any{}
			for i, v := range v {
				if _, code := oracleNeeded(v); code != "" {
					o.skip("value", fmt.Sprintf("%s[%d]", path, i), code)
					continue
				}
				values = append(values, v)
			}
			return out.With(payload, values)
		}
	}
	o.skip("answer", path, "wrong_type")
	return nil
}

// oracleEvent returns an event of the timeline.
func oracleEvent(data []byte) (ev clarify.Event, ok bool) {
	v, _ := oracleDecode(string(data))
	e, ok := v.(map[string]any)
	if !ok || len(data) > 8*1024*1024 {
		return clarify.Event{}, false
	}
	ev.Type, _ = e["type"].(string)
	ev.Agent, _ = e["agent"].(string)
	if ev.Tool, ok = e["tool"].(string); !ok {
		ev.Tool, _ = e["name"].(string)
	}
	ev.RunID, _ = e["run_id"].(string)
	ev.Failed = e["failed"] == true
	if ev.Output, ok = e["output"].(string); !ok && e["output"] != nil {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(data, &raw); err != nil {
			panic(err)
		}
		ev.Output = string(bytes.Trim(raw["output"], " \t\r\n"))
	}
	return ev, true
}

var oracleToolName = regexp.MustCompile(`^[cC][lL][aA][rR][iI][fF][yY]$`)

// oracleIsTool reports whether an event's tool is ours.
func oracleIsTool(name string) bool {
	return oracleToolName.MatchString(strings.Trim(name, scriptSpace))
}

// beside notes a key of the object that stands twice, and a text or a flag in a member with none of our keys.
func (o *lenientOracle) beside(path string, object *Value, ours ...string) {
	twice, text := false, false
	for i, key := range object.keys {
		twice = twice || slices.Contains(object.keys[:i], key)
		isNear := slices.ContainsFunc([]string{"id", "kind", "values", "confirmed", "value", "protocol", "answers", "for"}, func(k string) bool {
			return k != key && k == strings.ToLower(strings.Map(printable, strings.Trim(key, anySpace)))
		})
		text = text || isNear || !slices.Contains(ours, key) && slices.ContainsFunc(object.elems[i].all(), func(v *Value) bool {
			return v.typ == typeString && strings.Trim(v.text, anySpace) != "" || v.Compact() == "true" || v.Compact() == "false"
		})
	}
	if twice {
		o.skip(clarify.PartField, path, clarify.CodeDuplicateKey)
	}
	if text {
		o.skip(clarify.PartField, path, clarify.CodeUnknownKey)
	}
}

// printable drops what cannot be seen.
func printable(r rune) rune {
	if !unicode.IsGraphic(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}
