package clarify

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A second opinion: both sides, answers and events once more, slow and obvious, over what
// encoding/json decodes. It was written from the protocol's text and shares no code with the
// library. Its limits and names are literals on purpose: a wrong constant of the library must not
// be wrong here too.

// The notions of white space, spelled out.
const (
	oracleUnicodeSpace = "\t\n\v\f\r \u0085\u00a0\u1680" +
		"\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
		"\u2028\u2029\u202f\u205f\u3000"
	oraclePythonSpace = oracleUnicodeSpace + "\x1c\x1d\x1e\x1f"
	oracleStrictSpace = oraclePythonSpace + "\ufeff"
)

// oracleScriptSpace is what JavaScript's trim removes: Unicode's white space without U+0085, and
// the byte order mark.
var oracleScriptSpace = strings.ReplaceAll(oracleUnicodeSpace, "\u0085", "") + "\ufeff"

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

// oracleFaultOf says what is wrong with a text that is not valid JSON, and at which byte.
func oracleFaultOf(text string) (Code, int) {
	at := sort.Search(len(text)+1, func(n int) bool { return !oracleBegins(text[:n]) }) - 1
	if at < len(text) && strings.ContainsRune("[{", rune(text[at])) &&
		oracleBegins(text[:at]+"null") && oracleBegins(text[:at]+"-1") {
		return CodeTooDeep, at // any other value could stand here
	}
	return CodeSyntax, at
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

// An oracleObject is an object whose members have an order.
type (
	oracleObject []oracleMember
	oracleMember struct {
		key   string
		value any
	}
)

// with adds a member, unless its value is an empty string.
func (o oracleObject) with(key string, value any) oracleObject {
	if value == "" {
		return o
	}
	return append(o, oracleMember{key, value})
}

// oracleStringify is JavaScript's JSON.stringify.
func oracleStringify(v any) string {
	var parts []string
	switch v := v.(type) {
	case string:
		return `"` + oracleEscapes.Replace(v) + `"`
	case bool:
		return strconv.FormatBool(v)
	case []any:
		for _, e := range v {
			parts = append(parts, oracleStringify(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case oracleObject:
		for _, m := range v {
			parts = append(parts, oracleStringify(m.key)+":"+oracleStringify(m.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	panic(fmt.Sprintf("%T in canonical JSON", v))
}

var oracleEscapes = func() *strings.Replacer {
	pairs := []string{`"`, `\"`, `\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`}
	for c := range 0x20 {
		if !strings.ContainsRune("\b\t\n\f\r", rune(c)) {
			pairs = append(pairs, string(rune(c)), fmt.Sprintf(`\u%04x`, c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

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
	code Code
	says []string
}

func (f oracleFault) String() string { return fmt.Sprintf("%s %s %q", f.path, f.code, f.says) }

type oracleStrict struct{ faults []oracleFault }

func (o *oracleStrict) add(path string, code Code, says ...any) {
	f := oracleFault{path: path, code: code}
	for _, s := range says {
		f.says = append(f.says, fmt.Sprint(s))
	}
	o.faults = append(o.faults, f)
}

// oracleCall returns the canonical JSON of a call, or why it is refused.
func oracleCall(arguments []byte) (canonical string, faults []oracleFault) {
	o := new(oracleStrict)
	canonical = o.call(string(arguments))
	if len(o.faults) > 0 {
		return "", o.faults
	}
	return canonical, nil
}

func (o *oracleStrict) call(arguments string) string {
	if len(arguments) > 1024*1024 {
		o.add("arguments", CodeTooLarge, len(arguments), 1024*1024)
		return ""
	}
	if !utf8.ValidString(arguments) {
		o.add("arguments", CodeInvalidUTF8)
		return ""
	}
	v, ok := oracleDecode(arguments)
	if !ok {
		code, at := oracleFaultOf(arguments)
		o.add("arguments", code, fmt.Sprint("at byte ", at))
		return ""
	}
	args, ok := v.(map[string]any)
	if !ok {
		o.add("arguments", CodeWrongType)
		return ""
	}
	title := o.text(args, "", "title", 0, 120)
	prompts := args["prompts"]
	if prompts == nil {
		o.add("prompts", CodeMissing)
		return ""
	}
	if s, ok := prompts.(string); ok {
		if s = strings.Trim(s, oraclePythonSpace); s == "" {
			o.add("prompts", CodeBlank)
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
		o.add("prompts", CodeWrongType)
		return ""
	}
	list = o.first("prompts", list, 1, 5)
	taken := map[string]string{}
	var out []any
	for i, p := range list {
		out = append(out, o.prompt(fmt.Sprintf("prompts[%d]", i), p, taken))
	}
	return oracleStringify(oracleObject{{"protocol", "appwrite.clarify/v1"}}.
		with("title", title).
		with("prompts", out))
}

// first returns the elements that are looked at: not more than high.
func (o *oracleStrict) first(path string, list []any, low, high int) []any {
	switch n := len(list); {
	case n < low:
		o.add(path, CodeTooFew, n, low, high)
	case n > high:
		o.add(path, CodeTooMany, n, low, high)
		return list[:high]
	}
	return list
}

func (o *oracleStrict) prompt(path string, v any, taken map[string]string) any {
	p, ok := v.(map[string]any)
	if !ok {
		o.add(path, CodeWrongType)
		return oracleObject{}
	}
	id := o.id(p, path, taken)
	kind := o.kind(p, path)
	question := o.text(p, path, "question", 1, 500)
	hint := o.text(p, path, "hint", 0, 500)
	required := o.flag(p, path, "required", true)
	out := oracleObject{{"id", id}, {"kind", kind}, {"question", question}}.
		with("hint", hint).
		with("required", required)
	switch kind {
	case "choice":
		options := o.options(p, path)
		out = out.with("options", options).with("allowMultiple", o.flag(p, path, "allowMultiple", false))
	case "confirm":
		for _, label := range []struct{ key, byDefault string }{{"confirmLabel", "Confirm"}, {"cancelLabel", "Cancel"}} {
			s := o.text(p, path, label.key, 0, 120)
			if s == "" {
				s = label.byDefault
			}
			out = out.with(label.key, s)
		}
		out = out.with("danger", o.flag(p, path, "danger", false))
	case "text":
		out = out.with("placeholder", o.text(p, path, "placeholder", 0, 200))
		out = out.with("defaultValue", o.text(p, path, "defaultValue", 0, 2000))
		out = out.with("multiline", o.flag(p, path, "multiline", false))
	}
	return out
}

func (o *oracleStrict) options(p map[string]any, path string) []any {
	path = oracleJoin(path, "options")
	if p["options"] == nil {
		o.add(path, CodeMissing)
		return nil
	}
	list, ok := p["options"].([]any)
	if !ok {
		o.add(path, CodeWrongType)
		return nil
	}
	taken := map[string]string{}
	out := []any{}
	for i, v := range o.first(path, list, 2, 12) {
		at := fmt.Sprintf("%s[%d]", path, i)
		option, ok := v.(map[string]any)
		if !ok {
			o.add(at, CodeWrongType)
			continue
		}
		id := o.id(option, at, taken)
		label := o.text(option, at, "label", 1, 120)
		out = append(out, oracleObject{{"id", id}, {"label", label}}.
			with("description", o.text(option, at, "description", 0, 300)))
	}
	return out
}

// id judges an id.
func (o *oracleStrict) id(of map[string]any, path string, taken map[string]string) string {
	path = oracleJoin(path, "id")
	s, ok := of["id"].(string)
	s = strings.Trim(s, oracleStrictSpace)
	switch {
	case of["id"] == nil:
		o.add(path, CodeMissing)
	case !ok:
		o.add(path, CodeWrongType)
	case s == "":
		o.add(path, CodeBlank)
	case !oracleID.MatchString(s):
		o.add(path, CodeBadID)
	case taken[s] != "":
		o.add(path, CodeDuplicateID, taken[s])
	default:
		taken[s] = path
	}
	return s
}

// kind judges a kind.
func (o *oracleStrict) kind(of map[string]any, path string) string {
	path = oracleJoin(path, "kind")
	s, ok := of["kind"].(string)
	s = strings.Trim(s, oracleStrictSpace)
	switch {
	case of["kind"] == nil:
		o.add(path, CodeMissing)
	case !ok:
		o.add(path, CodeWrongType)
	case s == "":
		o.add(path, CodeBlank)
	case s != "choice" && s != "confirm" && s != "text":
		o.add(path, CodeUnknownKind)
	}
	return s
}

func (o *oracleStrict) text(of map[string]any, path, key string, low, high int) string {
	path = oracleJoin(path, key)
	s, ok := of[key].(string)
	s = strings.Trim(s, oracleStrictSpace)
	n := len([]rune(s))
	switch {
	case of[key] == nil && low > 0:
		o.add(path, CodeMissing)
	case of[key] == nil:
	case !ok:
		o.add(path, CodeWrongType)
	case n == 0 && low > 0:
		o.add(path, CodeBlank)
	case n > high:
		o.add(path, CodeTooLong, n, high)
	}
	return s
}

func (o *oracleStrict) flag(of map[string]any, path, key string, byDefault bool) bool {
	b, ok := of[key].(bool)
	if ok {
		return b
	}
	if of[key] != nil {
		o.add(oracleJoin(path, key), CodeWrongType)
	}
	return byDefault
}

type oracleLenient struct{ skipped []Skipped }

func (o *oracleLenient) skip(part Part, path string, code Code) {
	o.skipped = append(o.skipped, Skipped{part, path, code})
}

// oracleParse returns the canonical JSON of an output and what was left out or replaced, or the
// refusal. A refusal for want of prompts tells what was left out, too.
func oracleParse(output string) (canonical string, skipped []Skipped, refusal error) {
	text := strings.Trim(output, oracleScriptSpace)
	if strings.HasPrefix(text, "Error:") {
		return "", nil, ErrToolFailed
	}
	if len(output) > 1024*1024 {
		return "", nil, ErrNotEnvelope
	}
	v, ok := oracleDecode(text)
	if !ok {
		named := strings.Contains(strings.ReplaceAll(text, `\/`, `/`), "appwrite.clarify/v1")
		if strings.HasPrefix(text, "{") && named {
			return "", nil, ErrMalformed
		}
		return "", nil, ErrNotEnvelope
	}
	e, _ := v.(map[string]any)
	switch protocol, _ := e["protocol"].(string); {
	case protocol == "appwrite.clarify/v1":
	case strings.HasPrefix(protocol, "appwrite.clarify/"):
		return "", nil, ErrVersion
	default:
		return "", nil, ErrNotEnvelope
	}
	list, ok := e["prompts"].([]any)
	if !ok {
		return "", nil, ErrNotEnvelope
	}
	o := new(oracleLenient)
	title := o.optional(e, "", "title")
	var prompts []any
	for i, p := range list {
		if prompt := o.prompt(fmt.Sprintf("prompts[%d]", i), p); prompt != nil {
			prompts = append(prompts, prompt)
		}
	}
	if len(prompts) == 0 {
		return "", o.skipped, ErrNothingToShow
	}
	return oracleStringify(oracleObject{{"protocol", "appwrite.clarify/v1"}}.
		with("title", title).
		with("prompts", prompts)), o.skipped, nil
}

// prompt returns nil for a prompt that is left out. Then that is all that is told of it, for the
// first of kind, id, question and options that is no good.
func (o *oracleLenient) prompt(path string, v any) any {
	p, ok := v.(map[string]any)
	if !ok {
		o.skip(PartPrompt, path, CodeWrongType)
		return nil
	}
	kind, code := oracleNeeded(p["kind"])
	if code == "" && kind != "choice" && kind != "confirm" && kind != "text" {
		code = CodeUnknownKind
	}
	if code != "" {
		o.skip(PartPrompt, path+".kind", code)
		return nil
	}
	out := oracleObject{}
	for _, key := range []string{"id", "kind", "question"} {
		s, code := oracleNeeded(p[key])
		if code != "" {
			o.skip(PartPrompt, oracleJoin(path, key), code)
			return nil
		}
		out = out.with(key, s)
	}
	if kind == "choice" {
		if code := oracleOptionsCode(p["options"]); code != "" {
			o.skip(PartPrompt, path+".options", code)
			return nil
		}
	}
	out = out.with("hint", o.optional(p, path, "hint")).with("required", o.flag(p, path, "required", true))
	switch kind {
	case "choice":
		var options []any
		for i, v := range p["options"].([]any) {
			at := fmt.Sprintf("%s.options[%d]", path, i)
			if key, code := oracleOptionCode(v); code != "" {
				o.skip(PartOption, strings.TrimSuffix(at+"."+key, "."), code)
				continue
			}
			option := v.(map[string]any)
			id, _ := oracleNeeded(option["id"])
			label, _ := oracleNeeded(option["label"])
			options = append(options, oracleObject{{"id", id}, {"label", label}}.
				with("description", o.optional(option, at, "description")))
		}
		out = out.with("options", options).with("allowMultiple", o.flag(p, path, "allowMultiple", false))
	case "confirm":
		for _, label := range []struct{ key, byDefault string }{{"confirmLabel", "Confirm"}, {"cancelLabel", "Cancel"}} {
			s := o.optional(p, path, label.key)
			if s == "" {
				s = label.byDefault
			}
			out = out.with(label.key, s)
		}
		out = out.with("danger", o.flag(p, path, "danger", false))
	case "text":
		out = out.with("placeholder", o.optional(p, path, "placeholder"))
		o.optional(p, path, "defaultValue") // notes a wrong type
		defaultValue, _ := p["defaultValue"].(string)
		out = out.with("defaultValue", defaultValue).with("multiline", o.flag(p, path, "multiline", false))
	}
	return out
}

// oracleOptionsCode says why options do not do for a choice.
func oracleOptionsCode(v any) Code {
	list, ok := v.([]any)
	usable := 0
	for _, option := range list {
		if _, code := oracleOptionCode(option); code == "" {
			usable++
		}
	}
	switch {
	case v == nil:
		return CodeMissing
	case !ok:
		return CodeWrongType
	case usable < 2:
		return CodeTooFew
	}
	return ""
}

// oracleOptionCode says why an option is not usable, and by which of its fields.
func oracleOptionCode(v any) (key string, code Code) {
	option, ok := v.(map[string]any)
	if !ok {
		return "", CodeWrongType
	}
	for _, key := range []string{"id", "label"} {
		if _, code := oracleNeeded(option[key]); code != "" {
			return key, code
		}
	}
	return "", ""
}

// oracleNeeded trims a string that must not be blank.
func oracleNeeded(v any) (string, Code) {
	s, ok := v.(string)
	s = strings.Trim(s, oracleScriptSpace)
	switch {
	case v == nil:
		return "", CodeMissing
	case !ok:
		return "", CodeWrongType
	case s == "":
		return "", CodeBlank
	}
	return s, ""
}

func (o *oracleLenient) optional(of map[string]any, path, key string) string {
	s, ok := of[key].(string)
	if !ok && of[key] != nil {
		o.skip(PartField, oracleJoin(path, key), CodeWrongType)
	}
	return strings.Trim(s, oracleScriptSpace)
}

func (o *oracleLenient) flag(of map[string]any, path, key string, byDefault bool) bool {
	b, ok := of[key].(bool)
	if ok {
		return b
	}
	if of[key] != nil {
		o.skip(PartField, oracleJoin(path, key), CodeWrongType)
	}
	return byDefault
}

// oracleAnswers returns the canonical JSON of a message that is answers, and what was left out.
func oracleAnswers(message string) (canonical string, skipped []Skipped, ok bool) {
	if len(message) > 1024*1024 {
		return "", nil, false
	}
	v, _ := oracleDecode(strings.Trim(message, oracleScriptSpace))
	a, _ := v.(map[string]any)
	list, _ := a["answers"].([]any)
	if a["protocol"] != "appwrite.clarify/v1" {
		return "", nil, false
	}
	o := new(oracleLenient)
	var answers []any
	for i, v := range list {
		if answer := o.answer(fmt.Sprintf("answers[%d]", i), v); answer != nil {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		return "", nil, false
	}
	return oracleStringify(oracleObject{{"protocol", "appwrite.clarify/v1"}, {"answers", answers}}), o.skipped, true
}

func (o *oracleLenient) answer(path string, v any) any {
	a, ok := v.(map[string]any)
	if !ok {
		o.skip(PartAnswer, path, CodeWrongType)
		return nil
	}
	kind, code := oracleNeeded(a["kind"])
	payload := map[string]string{"choice": "values", "confirm": "confirmed", "text": "value"}[kind]
	if code == "" && payload == "" {
		code = CodeUnknownKind
	}
	if code != "" {
		o.skip(PartAnswer, path+".kind", code)
		return nil
	}
	id, code := oracleNeeded(a["id"])
	if code != "" {
		o.skip(PartAnswer, path+".id", code)
		return nil
	}
	path = oracleJoin(path, payload)
	out := oracleObject{{"id", id}, {"kind", kind}}
	switch v := a[payload].(type) {
	case nil:
		o.skip(PartAnswer, path, CodeMissing)
		return nil
	case bool:
		if kind == "confirm" {
			return append(out, oracleMember{payload, v})
		}
	case string:
		if kind == "text" {
			return append(out, oracleMember{payload, v})
		}
	case []any:
		if kind == "choice" {
			values := []any{}
			for i, v := range v {
				if _, code := oracleNeeded(v); code != "" {
					o.skip(PartValue, fmt.Sprintf("%s[%d]", path, i), code)
					continue
				}
				values = append(values, v)
			}
			return append(out, oracleMember{payload, values})
		}
	}
	o.skip(PartAnswer, path, CodeWrongType)
	return nil
}

// oracleEvent returns an event of the timeline.
func oracleEvent(data []byte) (ev Event, ok bool) {
	v, _ := oracleDecode(string(data))
	e, ok := v.(map[string]any)
	if !ok || len(data) > 8*1024*1024 {
		return Event{}, false
	}
	ev.Type, _ = e["type"].(string)
	ev.Agent, _ = e["agent"].(string)
	ev.Tool, _ = e["tool"].(string)
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
	return oracleToolName.MatchString(strings.Trim(name, oracleScriptSpace))
}

// A tally counts what came of the inputs, so that a test can tell that it has seen everything.
type tally map[string]int

func (n tally) require(t *testing.T, outcomes ...string) {
	t.Helper()
	for _, o := range outcomes {
		if n[o] == 0 {
			t.Errorf("no input was %q: the generator has lost something", o)
		}
	}
}

// compare gives one input to all entry points of the library and to the oracle.
func compare(t testing.TB, input []byte, n tally) {
	t.Helper()
	compareCall(t, input, n)
	compareParse(t, string(input), n)
	compareAnswers(t, string(input), n)
	compareEvent(t, input, n)
}

func compareCall(t testing.TB, arguments []byte, n tally) {
	t.Helper()
	want, faults := oracleCall(arguments)
	got, err := Call(arguments)
	if faults == nil {
		n["call"]++
		if err != nil || got != want {
			t.Errorf("Call(%s)\n got %s\nwant %s", show(arguments), got, want)
		}
		return
	}
	checkErrorText(t, got)
	var invalid *ValidationError
	if !errors.As(err, &invalid) {
		t.Errorf("Call(%s)\n got %s\nwant %v", show(arguments), got, faults)
		return
	}
	same := len(invalid.Violations) == len(faults)
	for i := 0; same && i < len(faults); i++ {
		v, f := invalid.Violations[i], faults[i]
		same = v.Path == f.path && v.Code == f.code
		for _, s := range f.says {
			same = same && regexp.MustCompile(`\b`+regexp.QuoteMeta(s)+`(\W|$)`).MatchString(v.String())
		}
		n["call "+string(f.code)]++
	}
	if !same {
		t.Errorf("Call(%s)\n got %v\nwant %v", show(arguments), invalid.Violations, faults)
	}
}

func compareParse(t testing.TB, output string, n tally) {
	t.Helper()
	want, skipped, refusal := oracleParse(output)
	e, err := Parse(output)
	if refusal != nil {
		n["parse: "+refusal.Error()]++
		var empty *EmptyError
		switch {
		case e != nil || !errors.Is(err, ErrNotEnvelope) || oracleRefusal(err) != refusal:
			t.Errorf("Parse(%s)\n got %+v, %v\nwant %v", show(output), e, err, refusal)
		case errors.As(err, &empty) && !sameSkipped(empty.Skipped, skipped):
			t.Errorf("Parse(%s) leaves out\n got %v\nwant %v", show(output), empty.Skipped, skipped)
		}
		return
	}
	n["parse"]++
	if err != nil {
		t.Errorf("Parse(%s)\n got %v\nwant %s", show(output), err, want)
		return
	}
	for _, s := range skipped {
		n[fmt.Sprintf("parse %s %s", s.Part, s.Code)]++
	}
	if !sameSkipped(e.Skipped, skipped) {
		t.Errorf("Parse(%s) leaves out\n got %v\nwant %v", show(output), e.Skipped, skipped)
	}
	got, err := e.AppendJSON(nil)
	if tooLarge := len(want) > 1024*1024; tooLarge != (err != nil) || !tooLarge && string(got) != want {
		t.Errorf("Parse(%s)\n got %s, %v\nwant %s", show(output), got, err, want)
	}
}

// oracleRefusal returns the sentinel that err is.
func oracleRefusal(err error) error {
	for _, refusal := range []error{ErrToolFailed, ErrMalformed, ErrVersion, ErrNothingToShow} {
		if errors.Is(err, refusal) {
			return refusal
		}
	}
	return err
}

// sameSkipped compares with all of what the oracle noted, of which the library keeps the first 1,000.
func sameSkipped(got, all []Skipped) bool { return slices.Equal(got, all[:min(len(all), 1000)]) }

func compareAnswers(t testing.TB, message string, n tally) {
	t.Helper()
	want, skipped, ok := oracleAnswers(message)
	a, err := ParseAnswers(message)
	if !ok {
		if !errors.Is(err, ErrNotAnswers) || a.Answers != nil {
			t.Errorf("ParseAnswers(%s)\n got %+v, %v\nwant %v", show(message), a, err, ErrNotAnswers)
		}
		return
	}
	n["answers"]++
	for _, s := range skipped {
		n[fmt.Sprintf("answers %s %s", s.Part, s.Code)]++
	}
	if !sameSkipped(a.Skipped, skipped) {
		t.Errorf("ParseAnswers(%s) leaves out\n got %v\nwant %v", show(message), a.Skipped, skipped)
	}
	got, err := a.AppendJSON(nil)
	if tooLarge := len(want) > 1024*1024; tooLarge != (err != nil) || !tooLarge && string(got) != want {
		t.Errorf("ParseAnswers(%s)\n got %s, %v\nwant %s", show(message), got, err, want)
	}
}

func compareEvent(t testing.TB, data []byte, n tally) {
	t.Helper()
	want, ok := oracleEvent(data)
	got, err := ParseEvent(data)
	if got != want || ok != (err == nil) || !ok && !errors.Is(err, ErrNotEvent) {
		t.Errorf("ParseEvent(%s)\n got %+v, %v\nwant %+v, %v", show(data), got, err, want, ok)
		return
	}
	if !ok {
		return
	}
	n["event"]++
	refusal := ErrNotEnvelope
	if want.Type == "tool_end" && oracleIsTool(want.Tool) {
		if refusal = ErrToolFailed; !want.Failed {
			n["event with output"]++
			_, _, refusal = oracleParse(want.Output)
			compareParse(t, want.Output, n)
		}
	}
	if _, err := got.Envelope(); oracleRefusal(err) != refusal {
		t.Errorf("Envelope of %s\n got %v\nwant %v", show(data), err, refusal)
	}
}

// show quotes an input for a failure.
func show[T ~[]byte | ~string](input T) string {
	if len(input) > 20_000 {
		return fmt.Sprintf("%q … %q (%d bytes)", input[:200], input[len(input)-200:], len(input))
	}
	return fmt.Sprintf("%q", input)
}

var firstSeed = flag.Uint64("seed", 1, "seed of the generated inputs of TestDifferential and TestNode")

// TestDifferential compares the library with the oracle on the vectors, on mutants of them, and on
// generated JSON.
func TestDifferential(t *testing.T) {
	t.Parallel()
	inputs := 20_000
	if testing.Short() {
		inputs = 2_000
	}
	n := tally{}
	for _, v := range allSeeds(t) {
		compare(t, []byte(v), n)
	}
	g := newGenerator(t, *firstSeed, 100, 9_996, 9_998, 10_000, 10_002)
	for i := 0; i < inputs && !t.Failed(); i++ {
		compare(t, []byte(g.input()), n)
	}
	if testing.Short() || t.Failed() { // then it has not seen everything
		return
	}
	n.require(t, "call", "parse", "answers", "event", "event with output",
		"call too_deep", "call invalid_utf8", "call syntax", "call wrong_type", "call missing", "call blank", "call too_long",
		"call too_few", "call too_many", "call bad_id", "call duplicate_id", "call unknown_kind",
		"parse: "+ErrNotEnvelope.Error(), "parse: "+ErrToolFailed.Error(), "parse: "+ErrMalformed.Error(),
		"parse: "+ErrVersion.Error(), "parse: "+ErrNothingToShow.Error(),
		"parse prompt missing", "parse prompt wrong_type", "parse prompt blank", "parse prompt unknown_kind", "parse prompt too_few",
		"parse option missing", "parse option wrong_type", "parse option blank", "parse field wrong_type",
		"answers answer missing", "answers answer wrong_type", "answers answer blank", "answers answer unknown_kind",
		"answers value missing", "answers value wrong_type", "answers value blank")
	t.Log(n)
}

// TestDifferentialBounds compares them where size and depth are at their bounds, which a random
// input meets too seldom.
func TestDifferentialBounds(t *testing.T) {
	t.Parallel()
	for _, wrap := range []struct {
		format string
		depth  int // of what stands around %s
	}{
		{`%s`, 0},
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}],"x":%s}`, 1},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q","x":%s}]}`, 3},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"},%s]}`, 2},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"q","x":%s}]}`, 3},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"choice","values":["q",%s]}]}`, 4},
		{`{"type":"tool_end","tool":"clarify","output":%s}`, 1},
		{`{"prompts":"[{\"id\":\"a\",\"kind\":\"text\",\"question\":\"q\",\"x\":%s}]"}`, 2},
	} {
		for depth := 10_000 - wrap.depth; depth <= 10_001-wrap.depth; depth++ {
			for _, deep := range []string{
				strings.Repeat("[", depth) + strings.Repeat("]", depth),
				strings.Repeat(`[{}, [`, depth/2) + strings.Repeat("]]", depth/2),
				strings.Repeat("[", depth),
			} {
				compare(t, []byte(fmt.Sprintf(wrap.format, deep)), tally{})
			}
		}
	}
	for _, wrap := range []struct{ head, tail string }{
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}],"x":"`, `"}`},
		{`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q","defaultValue":"`, `"}]}`},
		{`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"`, `"}]}`},
		{`{"prompts":[{"id":"a","kind":"text","question":"q"}]`, `}`},
		{"Error: ", ""},
	} {
		for _, size := range []int{1 << 20, 1<<20 + 1} {
			for _, fill := range []string{"x", "\xff"} {
				n := size - len(wrap.head) - len(wrap.tail)
				compare(t, []byte(wrap.head+strings.Repeat(fill, n)+wrap.tail), tally{})
			}
		}
	}
	for _, size := range []int{8 << 20, 8<<20 + 1} {
		const head, tail = `{"type":"`, `"}`
		compareEvent(t, []byte(head+strings.Repeat("x", size-len(head)-len(tail))+tail), tally{})
	}
}

// TestDifferentialSpace compares them on everything that somebody takes for white space or nearly
// does, and on all of the first code points, at both ends of everything that is trimmed.
func TestDifferentialSpace(t *testing.T) {
	t.Parallel()
	points := []rune{0x1680, 0x180e, 0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff, 0xfffd}
	for r := range rune(0x100) {
		points = append(points, r)
	}
	for r := rune(0x2000); r < 0x2010; r++ {
		points = append(points, r)
	}
	n := tally{}
	for _, r := range points {
		bare := string(r)
		quoted := oracleStringify(bare)
		escaped := fmt.Sprintf(`\u%04x`, r)
		for _, s := range []string{quoted[1 : len(quoted)-1], escaped} {
			for _, format := range []string{
				`{"prompts":"%[1]s[{\"id\":\"a\",\"kind\":\"text\",\"question\":\"q\"}]%[1]s"}`,
				`{"prompts":"%[1]s"}`,
				`{"title":"%[1]s","prompts":[{"id":"%[1]sa%[1]s","kind":"%[1]stext%[1]s","question":"%[1]sq%[1]s","hint":"%[1]sh%[1]s","defaultValue":"%[1]sd%[1]s"}],"protocol":"appwrite.clarify/v1"}`,
				`{"prompts":[{"id":"%[1]s","kind":"%[1]s","question":"%[1]s","hint":"%[1]s"}],"protocol":"appwrite.clarify/v1"}`,
				`{"protocol":"appwrite.clarify/v1%[1]s","prompts":[],"answers":[]}`,
				`{"protocol":"appwrite.clarify/v1","answers":[{"id":"%[1]s","kind":"text","value":"x"},{"id":"%[1]sa","kind":"%[1]schoice%[1]s","values":["%[1]s","%[1]sv"]}]}`,
				`{"type":"tool_end%[1]s","tool":"%[1]sclarify%[1]s","output":"Error: no"}`,
				`{"type":"tool_end","tool":"%[1]sclarify%[1]s","output":"Error: no"}`,
			} {
				compare(t, []byte(fmt.Sprintf(format, s)), n)
			}
		}
		for _, text := range []string{
			`{"protocol":"appwrite.clarify/v1","prompts":[{"id":"a","kind":"text","question":"q"}]}`,
			`{"protocol":"appwrite.clarify/v1","answers":[{"id":"a","kind":"text","value":"q"}]}`,
			"Error: no",
		} {
			compare(t, []byte(bare+text), n)
			compare(t, []byte(text+bare), n)
		}
	}
	n.require(t, "call", "parse", "answers", "event with output")
}

// FuzzDifferential compares the library with the oracle on what the fuzzer finds, and on a mutant
// of it that keeps the structure.
func FuzzDifferential(f *testing.F) {
	for i, v := range allSeeds(f) {
		f.Add([]byte(v), uint64(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		compare(t, input, tally{})
		if json.Valid(input) && len(input) < 1<<14 {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), depths: []int{100}}
			compare(t, []byte(g.mutant(parseNode(string(input)))), tally{})
		}
	})
}

// validJSON is the scanner's verdict on a text.
func validJSON(text string) bool {
	s := scanner{src: text}
	s.peek()
	s.value()
	return s.end()
}

// compareValid compares our verdicts with encoding/json's: that of the scanner, and those of the
// loops that look for the fields of a prompt, an option and an answer.
func compareValid(t testing.TB, text string) {
	t.Helper()
	want := json.Valid([]byte(text))
	if validJSON(text) != want {
		t.Errorf("valid JSON: got %v, want %v for %s", !want, want, show(text))
	}
	for name, read := range map[string]func(s *scanner){
		"prompt": func(s *scanner) { s.prompt(new(rawPrompt)) },
		"option": func(s *scanner) { s.option() },
		"answer": func(s *scanner) { s.answer(new(rawAnswer)) },
	} {
		s := scanner{src: text}
		s.peek()
		if read(&s); s.end() != want {
			t.Errorf("valid JSON as %s: got %v, want %v for %s", name, !want, want, show(text))
		}
	}
}

// TestValidJSON has every text of up to four of JSON's characters, bare and inside of each kind of
// value, texts around the bound on depth, and mutants.
func TestValidJSON(t *testing.T) {
	t.Parallel()
	const alphabet = "{}[]\",:\\/u019-+.eEnultrafs \n\t\x00\x1f\x7f\x80\xff"
	length := 3
	if testing.Short() {
		length = 2
	}
	var extend func(text string, n int)
	extend = func(text string, n int) {
		for _, wrap := range []string{"%s", "[%s]", `{"options":%s}`, `{%s}`, `"%s"`, `[-1.5e%s]`, `["\u00%s"]`, `{"values":[%s`, "[null%s]"} {
			whole := strings.Replace(wrap, "%s", text, 1)
			if want := json.Valid([]byte(whole)); validJSON(whole) != want {
				t.Errorf("valid JSON: got %v, want %v for %q", !want, want, whole)
			}
		}
		if n > 0 {
			for i := range len(alphabet) {
				extend(text+alphabet[i:i+1], n-1)
			}
		}
	}
	extend("", length)
	for a := range 256 { // every byte, and every two, bare and in a string
		for b := range 256 {
			pair := string([]byte{byte(a), byte(b)})
			for _, text := range []string{pair, `"` + pair + `"`, `"x` + pair[:1] + `"`, "[0" + pair[:1] + "]"} {
				if want := json.Valid([]byte(text)); validJSON(text) != want {
					t.Errorf("valid JSON: got %v, want %v for %q", !want, want, text)
				}
			}
		}
	}

	for depth := 9_998; depth <= 10_001; depth++ {
		for _, level := range []struct {
			open, shut string
			depth      int
		}{
			{"[", "]", 1}, {`{"":`, "}", 1}, {` [ [],{}, `, ` ,{}] `, 1}, {`[0,{"a":1,"options":`, `}]`, 2},
		} {
			n, rest := depth/level.depth, depth%level.depth
			open := strings.Repeat("[", rest) + strings.Repeat(level.open, n)
			shut := strings.Repeat(level.shut, n) + strings.Repeat("]", rest)
			for _, core := range []string{"null", "[]", "[1,]"} {
				compareValid(t, open+core+shut)
				compareValid(t, open+core)
				compareValid(t, `{"options":[`+open+core+shut+`]}`)
				compareValid(t, `{"values":[1,`+open+core+shut+`]}`)
			}
		}
	}

	g := newGenerator(t, *firstSeed, 100)
	inputs := 20_000
	if testing.Short() {
		inputs = 2_000
	}
	for range inputs {
		compareValid(t, g.input())
	}
}

func FuzzValidJSON(f *testing.F) {
	for _, v := range allSeeds(f) {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareValid(t, string(data)) })
}

// A node is a JSON value that keeps the order of its members and their duplicates.
type node struct {
	typ      byte     // '{', '[', '"', 'j' for a string that holds the JSON text of its child, 0 for a literal
	text     string   // a literal, or the value of a string
	keys     []string // of an object, as many as children
	children []*node
}

func literalNode(text string) *node  { return &node{text: text} }
func stringNode(value string) *node  { return &node{typ: '"', text: value} }
func arrayNode(elems ...*node) *node { return &node{typ: '[', children: elems} }
func embeddedNode(child *node) *node { return &node{typ: 'j', children: []*node{child}} }

// with adds a member.
func (n *node) with(key string, value *node) *node {
	n.keys = append(n.keys, key)
	n.children = append(n.children, value)
	return n
}

func parseNode(text string) *node {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return readNode(dec)
}

func readNode(dec *json.Decoder) *node {
	token, err := dec.Token()
	if err != nil {
		panic(err)
	}
	switch token := token.(type) {
	case json.Delim:
		n := &node{typ: byte(token)}
		for dec.More() {
			if token == '{' {
				key, err := dec.Token()
				if err != nil {
					panic(err)
				}
				n.keys = append(n.keys, key.(string))
			}
			n.children = append(n.children, readNode(dec))
		}
		if _, err := dec.Token(); err != nil {
			panic(err)
		}
		return n
	case string:
		if inner := strings.TrimSpace(token); strings.HasPrefix(inner, "[") || strings.HasPrefix(inner, "{") {
			if json.Valid([]byte(inner)) {
				return embeddedNode(parseNode(inner))
			}
		}
		return stringNode(token)
	case nil:
		return literalNode("null")
	default:
		return literalNode(fmt.Sprint(token))
	}
}

func (n *node) clone() *node {
	c := *n
	c.keys = slices.Clone(n.keys)
	c.children = slices.Clone(n.children)
	for i, child := range c.children {
		c.children[i] = child.clone()
	}
	return &c
}

// all appends n and every value in it to list.
func (n *node) all(list []*node) []*node {
	list = append(list, n)
	for _, child := range n.children {
		list = child.all(list)
	}
	return list
}

// A generator makes inputs that are close to what the protocol has.
type generator struct {
	*rand.Rand
	texts  []string // the vectors
	nodes  []*node  // those of them that are JSON
	depths []int    // of the deep values
	noise  float64  // of the text that is being written: how often it is not the plain one
}

func newGenerator(t testing.TB, seed uint64, depths ...int) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), texts: allSeeds(t), depths: depths}
	for _, text := range g.texts {
		if json.Valid([]byte(text)) && len(text) < 1<<14 {
			g.nodes = append(g.nodes, parseNode(text))
		}
	}
	return g
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

// input returns a mutant of a vector, or a generated text, sometimes with broken bytes.
func (g *generator) input() string {
	var text string
	switch g.IntN(10) {
	case 0:
		text = pick(g, g.texts)
		if g.chance(2) {
			text = g.breakBytes(text)
		}
		return g.breakBytes(text)
	case 1, 2, 3, 4:
		text = g.mutant(pick(g, g.nodes))
	default:
		text = g.write(g.document())
	}
	if g.chance(8) {
		text = g.breakBytes(text)
	}
	if g.chance(12) {
		text = g.spaces() + text + g.spaces()
	}
	return text
}

// mutant returns the text of n with one to three changes to its structure.
func (g *generator) mutant(n *node) string {
	n = n.clone()
	for range 1 + g.IntN(3) {
		g.mutate(n)
	}
	return g.write(n)
}

// genStrings are strings that mean something to one side or another.
var genStrings = []string{
	"", " ", "a", "b", "choice", "confirm", "text", "Choice", "date", "true", "Confirm", "Cancel",
	"appwrite.clarify/v1", "appwrite.clarify/v2", "appwrite.clarify/", "appwrite.clarify", "APPWRITE.CLARIFY/V1", "appwrite.clarify/v1 ",
	"tool_end", "clarify", " Clarify\n", "\u0085", "\ufeff", "\x1c", "\x1f\u0085", "\u00a0x\u00a0", "\u180e", "\u200b", "\u0000", "\u2028", "\u3000",
	"\ufffd", "é", "汉字", "😀", "<b>&\"\\/", "-a", "A", "a b", "a.b_c-9", "[]", "{}", "null", "Error: no", "\u202e", "\x7f", "\b\f\n\r\t",
}

var genKeys = []string{
	"protocol", "title", "prompts", "answers", "id", "kind", "question", "hint", "required", "options", "allowMultiple",
	"confirmLabel", "cancelLabel", "danger", "placeholder", "defaultValue", "multiline", "label", "description",
	"values", "confirmed", "value", "type", "agent", "tool", "run_id", "output", "failed",
	"", "x", "ID", "Kind", "id\u0000", "que\u017ftion", "\u212aind", "__proto__", "constructor", "toString", "length", "option", "prompts ",
}

var genLengths = []int{1, 2, 5, 6, 12, 13, 63, 64, 65, 119, 120, 121, 200, 201, 300, 301, 500, 501, 2000, 2001}

// mutate makes one change somewhere in root.
func (g *generator) mutate(root *node) {
	n := pick(g, root.all(nil))
	if len(n.children) == 0 || g.chance(6) {
		switch {
		case n.typ == '"' && g.chance(4):
			n.text = g.spaces() + n.text + g.spaces()
		case n.typ == '"' && g.chance(4):
			n.text = strings.Repeat(pick(g, []string{"a", "x", "é", "😀", " ", "0"}), pick(g, genLengths)) + pick(g, []string{"", n.text, " "})
		case n.typ == '"' && g.chance(6):
			n.text = strings.ToUpper(n.text)
		case g.chance(8):
			*n = *arrayNode(n.clone())
		case g.chance(8):
			*n = *embeddedNode(n.clone())
		default:
			*n = *g.any(2)
		}
		return
	}
	i := g.IntN(len(n.children))
	switch n.typ {
	case '{':
		switch g.IntN(6) {
		case 0:
			n.keys = slices.Delete(n.keys, i, i+1)
			n.children = slices.Delete(n.children, i, i+1)
		case 1:
			n.with(n.keys[i], g.any(2)) // the last one wins
		case 2:
			n.with(n.keys[i], n.children[i])
			n.children[i] = g.any(2) // the first one does not
		case 3:
			n.keys[i] = pick(g, genKeys)
		case 4:
			n.with(pick(g, genKeys), g.any(2))
		case 5:
			n.children[i] = g.any(2)
		}
	case '[':
		switch g.IntN(4) {
		case 0:
			n.children = slices.Delete(n.children, i, i+1)
		case 1:
			n.children[i] = g.any(2)
		case 2:
			n.children = append(n.children, n.children[i].clone())
		case 3:
			for want := pick(g, genLengths[:6]); len(n.children) < want; {
				n.children = append(n.children, n.children[i].clone())
			}
		}
	}
}

// spaces returns what one side or the other may take for white space.
func (g *generator) spaces() string {
	s := ""
	for range g.IntN(3) {
		s += pick(g, []string{" ", "\t", "\n", "\r", "\v", "\f", "\u0085", "\u00a0", "\ufeff", "\x1c", "\x1d", "\x1e", "\x1f", "\u1680", "\u2003",
			"\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u180e", "\u200b", "\u2060", "\x00", "\x08"})
	}
	return s
}

// any returns any value, often one that stands for something.
func (g *generator) any(depth int) *node {
	switch g.IntN(12) {
	case 0, 1, 2:
		return stringNode(pick(g, genStrings))
	case 3:
		return literalNode("null")
	case 4, 5:
		return literalNode(pick(g, []string{"true", "false"}))
	case 6:
		return literalNode(pick(g, []string{"0", "1", "-0", "-1.5", "1e999", "-1E+400", "1e-999", "12345678901234567890123", "0.1e1"}))
	case 7:
		return pick(g, []func() *node{g.prompt, g.option, g.answer})()
	case 8:
		if g.chance(150) {
			open, shut := "[", "]"
			if g.chance(2) {
				open, shut = `{"`+pick(g, genKeys[:28])+`":`, "}"
			}
			n := pick(g, g.depths)
			return literalNode(strings.Repeat(open, n) + "0" + strings.Repeat(shut, n))
		}
	}
	n := arrayNode()
	if g.chance(2) {
		n.typ = '{'
	}
	for range g.IntN(3) {
		if depth == 0 {
			break
		}
		if n.typ == '{' {
			n.keys = append(n.keys, pick(g, genKeys))
		}
		n.children = append(n.children, g.any(depth-1))
	}
	return n
}

// or returns usual, and once in a while anything.
func (g *generator) or(usual *node) *node {
	if g.chance(25) {
		return g.any(2)
	}
	return usual
}

// words returns a string that will often do.
func (g *generator) words() *node {
	switch g.IntN(12) {
	case 0:
		return stringNode(g.spaces() + pick(g, genStrings) + g.spaces())
	case 1:
		return stringNode(strings.Repeat(pick(g, []string{"x", "é", "😀"}), pick(g, genLengths)))
	}
	return stringNode(pick(g, []string{"Which bucket?", "x", "Delete\nall", "Größe <b>", "say \"a/b\"", "a\u2028b"}))
}

func (g *generator) bool() *node { return literalNode(pick(g, []string{"true", "false"})) }

// document returns arguments, an envelope, answers or an event.
func (g *generator) document() *node {
	n := &node{typ: '{'}
	switch g.IntN(8) {
	case 0, 1:
		prompts := g.list(g.prompt, 1+g.IntN(3))
		if g.chance(4) && len(prompts.children) > 0 {
			prompts = prompts.children[0]
		}
		if g.chance(2) {
			prompts = embeddedNode(prompts)
		}
		n.with("prompts", g.or(prompts))
	case 2, 3:
		n.with("protocol", g.or(stringNode("appwrite.clarify/v1"))).with("answers", g.or(g.list(g.answer, 1+g.IntN(4))))
	case 4:
		output := g.envelope()
		if g.chance(2) {
			output = embeddedNode(output)
		}
		n.with("type", g.or(stringNode("tool_end"))).with("agent", g.words()).with("tool", g.or(stringNode("clarify"))).with("output", g.or(output))
		if g.chance(4) {
			n.with("failed", g.or(g.bool()))
		}
	default:
		n = g.envelope()
	}
	if g.chance(4) {
		n.with("title", g.or(g.words()))
	}
	return g.decorate(n)
}

func (g *generator) envelope() *node {
	n := &node{typ: '{'}
	n.with("protocol", g.or(stringNode("appwrite.clarify/v1"))).with("prompts", g.or(g.list(g.prompt, 1+g.IntN(3))))
	if g.chance(3) {
		n.with("title", g.or(g.words()))
	}
	return g.decorate(n)
}

// decorate adds unknown and duplicate members, and changes the order.
func (g *generator) decorate(n *node) *node {
	if g.chance(8) {
		n.with(pick(g, genKeys), g.any(1))
	}
	if g.chance(20) && len(n.keys) > 0 {
		n.with(pick(g, n.keys), g.any(1))
	}
	if g.chance(4) {
		g.Shuffle(len(n.keys), func(i, j int) {
			n.keys[i], n.keys[j] = n.keys[j], n.keys[i]
			n.children[i], n.children[j] = n.children[j], n.children[i]
		})
	}
	return n
}

func (g *generator) list(elem func() *node, count int) *node {
	if g.chance(15) {
		count = pick(g, []int{0, 1, 5, 6, 12, 13})
	}
	n := arrayNode()
	for range count {
		n.children = append(n.children, g.or(elem()))
	}
	return n
}

func (g *generator) id() *node {
	switch g.IntN(15) {
	case 0:
		return g.words()
	case 1:
		return stringNode(strings.Repeat("a", pick(g, []int{63, 64, 65})))
	}
	return stringNode(pick(g, []string{"a", "b", "c"}) + strconv.Itoa(g.IntN(9)) + pick(g, []string{"", "_x", ".y", "-z"}))
}

func (g *generator) prompt() *node {
	kind := pick(g, []string{"choice", "confirm", "text"})
	n := &node{typ: '{'}
	n.with("id", g.or(g.id())).with("kind", g.or(stringNode(kind))).with("question", g.or(g.words()))
	g.some(n, "hint", g.words)
	g.some(n, "required", g.bool)
	if kind == "choice" || g.chance(20) {
		n.with("options", g.or(g.list(g.option, 2+g.IntN(2))))
		g.some(n, "allowMultiple", g.bool)
	}
	if kind == "confirm" || g.chance(20) {
		g.some(n, "confirmLabel", g.words)
		g.some(n, "cancelLabel", g.words)
		g.some(n, "danger", g.bool)
	}
	if kind == "text" || g.chance(20) {
		g.some(n, "placeholder", g.words)
		g.some(n, "defaultValue", g.words)
		g.some(n, "multiline", g.bool)
	}
	return g.decorate(n)
}

// some adds an optional member now and then.
func (g *generator) some(n *node, key string, value func() *node) {
	if g.chance(3) {
		n.with(key, g.or(value()))
	}
}

func (g *generator) option() *node {
	n := (&node{typ: '{'}).with("id", g.or(g.id())).with("label", g.or(g.words()))
	g.some(n, "description", g.words)
	return g.decorate(n)
}

func (g *generator) answer() *node {
	n := &node{typ: '{'}
	n.with("id", g.or(g.id()))
	switch g.IntN(3) {
	case 0:
		n.with("kind", g.or(stringNode("choice"))).with("values", g.or(g.list(g.words, g.IntN(3))))
	case 1:
		n.with("kind", g.or(stringNode("confirm"))).with("confirmed", g.or(g.bool()))
	case 2:
		n.with("kind", g.or(stringNode("text"))).with("value", g.or(g.words()))
	}
	return g.decorate(n)
}

// write returns the text of n: compact and plain, or with white space, escapes of every kind and
// lone surrogates.
func (g *generator) write(n *node) string {
	g.noise = pick(g, []float64{0, 0, 0, 0.02, 0.02, 0.3, 1})
	var b strings.Builder
	g.writeNode(&b, n)
	return b.String()
}

func (g *generator) noisy() bool { return g.noise > 0 && g.Float64() < g.noise }

func (g *generator) writeNode(b *strings.Builder, n *node) {
	g.writeSpace(b)
	switch n.typ {
	case 0:
		b.WriteString(n.text)
	case '"':
		g.writeString(b, n.text)
	case 'j':
		var inner strings.Builder
		g.writeNode(&inner, n.children[0])
		if g.chance(10) {
			g.writeString(b, g.spaces()+inner.String()+g.spaces())
		} else {
			g.writeString(b, inner.String())
		}
	default:
		b.WriteByte(n.typ)
		for i, child := range n.children {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.typ == '{' {
				g.writeSpace(b)
				g.writeString(b, n.keys[i])
				g.writeSpace(b)
				b.WriteByte(':')
			}
			g.writeNode(b, child)
		}
		g.writeSpace(b)
		b.WriteByte(n.typ + 2) // the closing bracket
	}
	g.writeSpace(b)
}

func (g *generator) writeSpace(b *strings.Builder) {
	if g.noisy() {
		b.WriteString(pick(g, []string{" ", "\t", "\n", "\r"}))
	}
}

func (g *generator) writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		if g.noisy() && g.chance(50) {
			fmt.Fprintf(b, pick(g, []string{`\u%04x`, `\u%04X`}), 0xD800+g.IntN(0x800))
		}
		short := strings.IndexRune("\b\t\n\f\r\"\\/", r)
		switch plain := r >= ' ' && r != '"' && r != '\\'; {
		case plain && !g.noisy():
			b.WriteRune(r)
		case short >= 0 && !g.noisy():
			b.WriteString(`\` + `btnfr"\/`[short:short+1])
		case r > 0xFFFF:
			fmt.Fprintf(b, `\u%04x\u%04X`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			fmt.Fprintf(b, pick(g, []string{`\u%04x`, `\u%04X`}), r)
		}
	}
	b.WriteByte('"')
}

// breakBytes changes a text without regard to its structure.
func (g *generator) breakBytes(text string) string {
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
		other := pick(g, g.texts)
		return text[:i] + other[min(i, len(other)):]
	}
	return text[:i] + pick(g, []string{
		"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\x00", "\x1f", "\u0085", "\ufeff", "\u00a0", "\u2028", `\ud800`, `\udc00\ud83d`, `\u`, `\/`, `\x`,
		`"`, `\`, "{", "}", "[", "]", ",", ":", "{}", `"":`, "null", "1e999", "01", "-", "1.", "tru", "Error:", "…", "\n", " ",
	}) + text[i:]
}
