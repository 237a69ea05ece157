package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A second implementation of the reading of messages, written from docs/rules.md
// alone, for comparison with the first. It is simple and slow, and follows the
// document section by section. Where the document leaves a choice, it takes the
// one that confirms less.

// A verdict is what a message says about an envelope.
type verdict struct {
	source     clarify.Source
	answers    []foundAnswer // in the order of the message
	violations []violationAt // sorted, none twice
	remainder  string
	decisions  map[string]clarify.Decision // of the confirms
	missing    []string
	complete   bool
	proceed    bool
	state      clarify.State
}

type foundAnswer struct {
	id      string
	payload clarify.Payload
	path    string
	rule    clarify.Rule
}

type violationAt struct {
	path string
	code clarify.Code
}

// A rulesReader reads one message against one envelope.
type rulesReader struct {
	prompts []clarify.Prompt
	skipped bool // a part of the envelope was left out or replaced

	source     clarify.Source
	said       []saidAbout  // answers that hold on their own, in order
	void       map[int]bool // prompts about which there is a doubt
	violations []violationAt
	remainder  string
}

// A saidAbout is an answer to the prompt with an index.
type saidAbout struct {
	prompt int
	foundAnswer
}

// readByRules reads a message. It does not ask whether e is valid.
func readByRules(e *clarify.Envelope, message string) verdict {
	r := &rulesReader{void: map[int]bool{}}
	if e != nil {
		r.prompts, r.skipped = e.Prompts, len(e.Skipped) > 0
	}
	r.read(message)
	return r.count()
}

// The next user message: the first row that fits decides.
func (r *rulesReader) read(message string) {
	switch {
	case isBlank(message):
		return
	case len(message) > clarify.MaxSize:
	case r.readStructured(strings.TrimFunc(message, isScriptSpace)):
		return
	case strings.IndexAny(trimAny(message), "{[") == 0:
	default:
		answers, names := r.readLines(validUTF8(message))
		if answers || !names && r.readWhole(trimAny(validUTF8(message))) {
			return
		}
	}
	r.remainder = message // chat
}

func (r *rulesReader) violation(path string, code clarify.Code) {
	r.violations = append(r.violations, violationAt{path, code})
}

// doubt voids all that the message says about the prompts.
func (r *rulesReader) doubt(prompts []int) {
	for _, i := range prompts {
		r.void[i] = true
	}
}

func (r *rulesReader) answer(prompt int, payload clarify.Payload, path string, rule clarify.Rule) {
	r.said = append(r.said, saidAbout{prompt, foundAnswer{r.prompts[prompt].ID, payload, path, rule}})
}

// withID returns the prompts that have exactly this id. One that is not valid
// UTF-8 is never answered.
func (r *rulesReader) withID(id string) (prompts []int) {
	for i, p := range r.prompts {
		if p.ID == id && utf8.ValidString(id) {
			prompts = append(prompts, i)
		}
	}
	return prompts
}

// withFold returns the prompts whose ids fold to the same text as id.
func (r *rulesReader) withFold(id string) (prompts []int) {
	for i, p := range r.prompts {
		if foldText(p.ID) == foldText(id) {
			prompts = append(prompts, i)
		}
	}
	return prompts
}

// Structured answers

// A jsonMember is a member of an object. The same key can be there twice.
type jsonMember struct {
	key   string
	value json.RawMessage
}

// jsonMembers returns the members of an object, which is valid JSON.
func jsonMembers(object json.RawMessage) (members []jsonMember) {
	dec := json.NewDecoder(bytes.NewReader(object))
	for _, _ = dec.Token(); dec.More(); {
		var m jsonMember
		key, _ := dec.Token()
		m.key, _ = key.(string)
		if dec.Decode(&m.value) != nil {
			return members
		}
		members = append(members, m)
	}
	return members
}

// lastMember returns the last member with the key, or nil if it is absent or
// null.
func lastMember(members []jsonMember, key string) json.RawMessage {
	for _, m := range slices.Backward(members) {
		if m.key == key {
			if string(m.value) == "null" {
				return nil
			}
			return m.value
		}
	}
	return nil
}

func repeatsKey(members []jsonMember) bool {
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.key] {
			return true
		}
		seen[m.key] = true
	}
	return false
}

func jsonString(value json.RawMessage) (s string, ok bool) {
	return s, len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil
}

func jsonArray(value json.RawMessage) (list []json.RawMessage, ok bool) {
	return list, len(value) > 0 && value[0] == '[' && json.Unmarshal(value, &list) == nil
}

// readStructured reports whether the text is structured answers, and reads them.
func (r *rulesReader) readStructured(text string) bool {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return false
	}
	object := jsonMembers(json.RawMessage(text))
	ours, _ := jsonString(lastMember(object, "protocol"))
	entries, ok := jsonArray(lastMember(object, "answers"))
	if ours != clarify.Protocol || !ok {
		return false
	}
	r.source = clarify.SourceStructured
	var beside []string
	for i, entry := range entries {
		path := fmt.Sprintf("answers[%d]", i)
		var members []jsonMember
		if entry[0] == '{' {
			members = jsonMembers(entry)
			r.readEntry(path, members)
		} else {
			r.violation(path, clarify.CodeWrongType)
		}
		beside = append(beside, saidBeside(members, ofEntry(members))...)
		if r.keepsWhole(entry, members) {
			beside = append(beside, saidIn(path, entry))
		}
	}
	if repeatsKey(object) {
		r.violation("answers", "duplicate_key")
		for i := range r.prompts {
			r.void[i] = true
		}
	}
	ourKeys := []string{"protocol", "answers"}
	if _, ok := jsonString(lastMember(object, "for")); ok {
		ourKeys = append(ourKeys, "for")
	}
	beside = append(beside, saidBeside(object, ourKeys)...)
	r.remainder = strings.Join(beside, "\n")
	return true
}

// readEntry judges one entry. Its first fault is its violation.
func (r *rulesReader) readEntry(path string, entry []jsonMember) {
	if repeatsKey(entry) {
		r.violation(path, "duplicate_key")
		for _, m := range entry {
			if id, ok := jsonString(m.value); ok && m.key == "id" {
				r.doubt(r.withFold(id))
			}
		}
		return
	}
	id, fault := requiredString(entry, "id")
	if fault != "" {
		r.violation(path+".id", fault)
		return
	}
	prompts := r.withID(id)
	kind, fault := requiredString(entry, "kind")
	kind = strings.TrimFunc(kind, isScriptSpace)
	switch {
	case len(prompts) == 0:
		r.doubt(r.withFold(id))
		r.violation(path+".id", clarify.CodeUnknownID)
	case len(prompts) > 1:
		r.doubt(r.withFold(id))
		r.violation(path+".id", clarify.CodeAmbiguousID)
	case fault != "":
		r.doubt(prompts)
		r.violation(path+".kind", fault)
	case memberOfKind(kind) == "":
		r.doubt(prompts)
		r.violation(path+".kind", clarify.CodeUnknownKind)
	case kind != string(kindOfInput(r.prompts[prompts[0]])):
		r.doubt(prompts)
		r.violation(path+".kind", clarify.CodeWrongKind)
	default:
		before := len(r.violations)
		payload := r.readPayload(path, r.prompts[prompts[0]], entry)
		if len(r.violations) > before {
			r.doubt(prompts)
		} else if payload != nil {
			r.answer(prompts[0], payload, path, clarify.RuleStructured)
		}
	}
}

func requiredString(entry []jsonMember, key string) (s string, fault clarify.Code) {
	value := lastMember(entry, key)
	s, ok := jsonString(value)
	switch {
	case value == nil:
		return "", clarify.CodeMissing
	case !ok:
		return "", clarify.CodeWrongType
	case strings.TrimFunc(s, isScriptSpace) == "":
		return "", clarify.CodeBlank
	}
	return s, ""
}

// memberOfKind returns the member that answers of a kind have, or "" if the kind
// is unknown.
func memberOfKind(kind string) string {
	return map[string]string{"choice": "values", "confirm": "confirmed", "text": "value"}[kind]
}

// kindOfInput returns the kind of a prompt, or "" if it has none.
func kindOfInput(p clarify.Prompt) clarify.Kind {
	choice, confirm, text := inputsOf(p)
	switch {
	case choice != nil:
		return clarify.KindChoice
	case confirm != nil:
		return clarify.KindConfirm
	case text != nil:
		return clarify.KindText
	}
	return ""
}

// inputsOf returns the input of a prompt as what it is. At most one is not nil.
func inputsOf(p clarify.Prompt) (*clarify.Choice, *clarify.Confirm, *clarify.Text) {
	choice, _ := p.Input.(*clarify.Choice)
	confirm, _ := p.Input.(*clarify.Confirm)
	text, _ := p.Input.(*clarify.Text)
	return choice, confirm, text
}

// readPayload returns what an entry answers to p, or nil if that is nothing.
func (r *rulesReader) readPayload(path string, p clarify.Prompt, entry []jsonMember) clarify.Payload {
	choice, confirm, _ := inputsOf(p)
	key := memberOfKind(string(kindOfInput(p)))
	value := lastMember(entry, key)
	path += "." + key
	if value == nil {
		r.violation(path, clarify.CodeMissing)
		return nil
	}
	if choice != nil {
		list, ok := jsonArray(value)
		if !ok {
			r.violation(path, clarify.CodeWrongType)
			return nil
		}
		return r.readValues(path, choice, p.Optional, list)
	}
	if confirm != nil {
		if s := string(value); s != "true" && s != "false" {
			r.violation(path, clarify.CodeWrongType)
		}
		return &clarify.ConfirmAnswer{Confirmed: string(value) == "true"}
	}
	s, ok := jsonString(value)
	switch {
	case !ok:
		r.violation(path, clarify.CodeWrongType)
	case isBlank(s) && !p.Optional:
		r.violation(path, clarify.CodeBlank)
	}
	return &clarify.TextAnswer{Value: s}
}

// readValues judges the values of a choice one by one.
func (r *rulesReader) readValues(path string, choice *clarify.Choice, optional bool, list []json.RawMessage) clarify.Payload {
	if len(list) == 0 {
		if !optional {
			r.violation(path, clarify.CodeMissing)
		}
		return nil
	}
	var values []string
	different := 0
	for j, value := range list {
		at := fmt.Sprintf("%s[%d]", path, j)
		s, ok := jsonString(value)
		if ok && slices.Contains(values, s) {
			continue
		}
		if ok && strings.TrimFunc(s, isScriptSpace) != "" {
			values = append(values, s)
		}
		switch n := optionsWithID(choice, s); {
		case string(value) == "null":
			r.violation(at, clarify.CodeMissing)
		case !ok:
			r.violation(at, clarify.CodeWrongType)
		case strings.TrimFunc(s, isScriptSpace) == "":
			r.violation(at, clarify.CodeBlank)
		case n == 0:
			different++
			r.violation(at, clarify.CodeUnknownOption)
		case n > 1:
			different++
			r.violation(at, clarify.CodeAmbiguousID)
		default:
			different++
		}
	}
	if different > 1 && !choice.AllowMultiple {
		r.violation(path, clarify.CodeTooMany)
	}
	return &clarify.ChoiceAnswer{Values: values}
}

// optionsWithID returns how many options have exactly this id.
func optionsWithID(choice *clarify.Choice, id string) (n int) {
	for _, o := range choice.Options {
		if o.ID == id && utf8.ValidString(id) {
			n++
		}
	}
	return n
}

// ofEntry returns the keys that are the contract's in an entry.
func ofEntry(entry []jsonMember) []string {
	kind, _ := jsonString(lastMember(entry, "kind"))
	if key := memberOfKind(strings.TrimFunc(kind, isScriptSpace)); key != "" {
		return []string{"id", "kind", key}
	}
	return []string{"id", "kind", "values", "confirmed", "value"}
}

// allKeys are the keys of a message and of its entries.
var allKeys = strings.Fields("id kind values confirmed value protocol answers for")

// saidBeside returns a line for each member that is not the contract's and says
// something, or has a key that is nearly one of the contract's.
func saidBeside(members []jsonMember, ours []string) (lines []string) {
	for _, m := range members {
		near := !slices.Contains(allKeys, m.key) && slices.Contains(allKeys, foldText(m.key))
		if !slices.Contains(ours, m.key) && (near || says(m.value)) {
			lines = append(lines, saidIn(m.key, m.value))
		}
	}
	return lines
}

func saidIn(key string, value json.RawMessage) string {
	text, ok := jsonString(value)
	if !ok {
		text = string(value)
	}
	return key + ": " + text
}

// keepsWhole reports whether an entry answers nothing that is asked and holds text.
func (r *rulesReader) keepsWhole(entry json.RawMessage, members []jsonMember) bool {
	if members == nil {
		return holdsText(entry)
	}
	id, _ := jsonString(lastMember(members, "id"))
	return !repeatsKey(members) && len(r.withID(id)) != 1 && slices.ContainsFunc(members, func(m jsonMember) bool {
		return (m.key == "values" || m.key == "confirmed" || m.key == "value") && holdsText(m.value)
	})
}

// says reports whether there is a string in the value that is not blank, or a
// boolean. Keys do not count.
func says(value json.RawMessage) bool {
	switch value[0] {
	case 't', 'f':
		return true
	case '[':
		list, _ := jsonArray(value)
		return slices.ContainsFunc(list, says)
	case '{':
		return slices.ContainsFunc(jsonMembers(value), func(m jsonMember) bool { return says(m.value) })
	}
	return holdsText(value)
}

// holdsText reports whether there is a string in the value that is not blank.
// Keys do not count.
func holdsText(value json.RawMessage) bool {
	switch value[0] {
	case '"':
		s, _ := jsonString(value)
		return !isBlank(s)
	case '[':
		list, _ := jsonArray(value)
		return slices.ContainsFunc(list, holdsText)
	case '{':
		return slices.ContainsFunc(jsonMembers(value), func(m jsonMember) bool { return holdsText(m.value) })
	}
	return false
}

// Answers in words

func isAnySpace(r rune) bool {
	return 0x1C <= r && r <= 0x1F || r == 0x85 || isScriptSpace(r)
}

func isScriptSpace(r rune) bool {
	switch {
	case '\t' <= r && r <= '\r', 0x2000 <= r && r <= 0x200A:
		return true
	}
	switch r {
	case ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

func isLineBreak(r rune) bool {
	return '\n' <= r && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

func trimAny(s string) string      { return strings.TrimFunc(s, isAnySpace) }
func trimAnyStart(s string) string { return strings.TrimLeftFunc(s, isAnySpace) }
func isBlank(s string) bool        { return trimAny(s) == "" }

// validUTF8 returns s with U+FFFD for each byte that is not UTF-8.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// Lines

// splitLines returns the lines of s with their line breaks.
func splitLines(s string) (lines []string) {
	for s != "" {
		n := strings.IndexFunc(s, isLineBreak)
		switch {
		case n < 0:
			n = len(s)
		case strings.HasPrefix(s[n:], "\r\n"):
			n += 2
		default:
			_, size := utf8.DecodeRuneInString(s[n:])
			n += size
		}
		lines, s = append(lines, s[:n]), s[n:]
	}
	return lines
}

// A wordsEntry is a line that names prompts, with the lines of its value.
type wordsEntry struct {
	prompts []int
	first   int      // the index of its line
	value   []string // by line
	list    bool     // a list under an id
}

// readLines reports whether a line of the message answers, and reads all lines.
// If none does, names says whether a line names a prompt.
func (r *rulesReader) readLines(message string) (answers, names bool) {
	lines := splitLines(message)
	unread := make([]bool, len(lines)) // is part of the remainder
	var entries []*wordsEntry
	var open *wordsEntry // whose value the next line may continue
	for i, line := range lines {
		line = strings.TrimRightFunc(line, isLineBreak)
		indented := strings.HasPrefix(line, "  ")
		if open != nil && indented {
			open.value = append(open.value, line[2:])
			continue
		}
		line = trimAnyStart(line)
		var n naming
		if !indented || isBlank(strings.Join(lines[:i], "")) {
			n = r.named(line)
		}
		if n.doubt != nil {
			r.doubt(n.doubt)
			r.violation(linePath(i), clarify.CodeAmbiguousID)
		}
		switch {
		case n.prompts != nil:
			open = &wordsEntry{prompts: n.prompts, first: i, value: []string{n.value}}
			choice, _, _ := inputsOf(r.prompts[n.prompts[0]])
			open.list = len(n.prompts) == 1 && choice != nil && isBlank(n.value)
			entries = append(entries, open)
		case open != nil && open.list && !isBlank(line):
			open.value = append(open.value, line)
		default:
			open = nil
			unread[i] = !isBlank(line)
		}
	}
	for _, entry := range entries {
		answered := r.readWords(entry)
		answers = answers || answered || len(entry.prompts) > 1
		for i := range entry.value {
			unread[entry.first+i] = !answered
		}
	}
	if !answers {
		r.violations = nil
		return false, entries != nil
	}
	r.source = clarify.SourceText
	var values []valueLine
	for _, entry := range entries {
		for i, line := range entry.value {
			if len(entry.prompts) == 1 {
				values = append(values, valueLine{line, linePath(entry.first + i)})
			}
		}
	}
	r.findHidden(values)
	for i, line := range lines {
		if unread[i] {
			r.remainder += line
		}
	}
	return true, true
}

// readWords reports whether the value of a line answers the prompt that it names.
func (r *rulesReader) readWords(entry *wordsEntry) bool {
	path := linePath(entry.first)
	if len(entry.prompts) > 1 {
		r.violation(path, clarify.CodeAmbiguousID)
		r.doubt(r.withFold(r.prompts[entry.prompts[0]].ID))
		return false
	}
	p := r.prompts[entry.prompts[0]]
	payload, rule, fault := readValue(p, trimAny(strings.Join(entry.value, "\n")))
	if fault != "" {
		r.violation(path, fault)
		r.doubt(entry.prompts)
		return false
	}
	r.answer(entry.prompts[0], payload, path, rule)
	return true
}

func linePath(i int) string { return fmt.Sprintf("line %d", i+1) }

// A line that names a prompt

var (
	idPattern   = regexp.MustCompile(clarify.IDPattern)
	lineMarker  = regexp.MustCompile(`^(?:[-–*•+]|[0-9]+[.)])`)
	shownNumber = regexp.MustCompile(`^[1-9][0-9]{0,5}[.)]?$`)
	valueBullet = regexp.MustCompile(`^[-–*•+]`)
	separators  = []string{"->", "=>", "→", ":", "：", "=", "＝"} // the longer ones first
)

// A naming says what a line names: prompts and the value, or prompts of which
// it is in doubt which one it names.
type naming struct {
	prompts []int
	value   string
	doubt   []int
}

// named returns what a line names. White space at its start is gone. Every way to
// read the line counts.
func (r *rulesReader) named(line string) naming {
	var quoted, plain []naming
	starts := afterMarker(line)
	for i := range line {
		n := separatorAt(line[i:])
		if n == 0 {
			continue
		}
		value := trimAnyStart(line[i+n:])
		for _, start := range starts {
			if start > i {
				continue
			}
			id := line[start:i]
			if same := r.quotedBy(strings.TrimRightFunc(id, isAnySpace)); same != nil {
				quoted = append(quoted, naming{same, value, nil})
			}
			for {
				for _, same := range r.writtenBy(id) {
					plain = append(plain, naming{same, value, nil})
				}
				last, size := utf8.DecodeLastRuneInString(id)
				if !isAnySpace(last) {
					break
				}
				id = id[:len(id)-size]
			}
		}
	}
	ways := append(quoted, plain...)
	if quoted != nil {
		ways = quoted
	}
	if ways == nil {
		return naming{}
	}
	var all []int
	doubt := false
	for _, way := range ways {
		all = append(all, way.prompts...)
		doubt = doubt || !slices.Equal(way.prompts, ways[0].prompts) || way.value != ways[0].value
	}
	if doubt {
		return naming{doubt: all}
	}
	return ways[0]
}

// afterMarker returns where an id can start: at the start of the line, or
// behind the marker and the white space after it.
func afterMarker(line string) []int {
	n := len(lineMarker.FindString(line))
	rest := trimAnyStart(line[n:])
	if n == 0 || rest == line[n:] {
		return []int{0}
	}
	return []int{0, len(line) - len(rest)}
}

func separatorAt(s string) int {
	for _, separator := range separators {
		if strings.HasPrefix(s, separator) {
			return len(separator)
		}
	}
	return 0
}

// quotedBy returns the prompts whose id a summary quotes exactly like this.
func (r *rulesReader) quotedBy(s string) []int {
	if !strings.HasPrefix(s, `"`) {
		return nil
	}
	for _, p := range r.prompts {
		if !idPattern.MatchString(p.ID) && utf8.ValidString(p.ID) && s == quoteID(p.ID) {
			return r.withID(p.ID)
		}
	}
	return nil
}

// quoteID returns an id as a summary quotes it.
func quoteID(id string) string {
	s := `"`
	for _, c := range id {
		short := strings.IndexRune("\"\\\b\t\n\f\r", c)
		switch {
		case short >= 0:
			s += `\` + `"\btnfr`[short:short+1]
		case c < ' ', c == 0x85, c == 0x2028, c == 0x2029:
			s += fmt.Sprintf(`\u%04x`, c)
		default:
			s += string(c)
		}
	}
	return s + `"`
}

// writtenBy returns, for each prompt of which s is the id, in any case, as it is
// or in marks, the prompts whose ids fold to the same text.
func (r *rulesReader) writtenBy(s string) (found [][]int) {
	for pairs := 0; ; pairs++ {
		for _, p := range r.prompts {
			if utf8.ValidString(p.ID) && strings.EqualFold(p.ID, s) {
				found = append(found, r.withFold(p.ID))
			}
		}
		inner, ok := withoutPair(s)
		if !ok || pairs == 3 {
			return found
		}
		s = inner
	}
}

// Marks

// withoutPair returns s without a pair of marks around it.
func withoutPair(s string) (inner string, ok bool) {
	first, n := utf8.DecodeRuneInString(s)
	last, m := utf8.DecodeLastRuneInString(s)
	isPair := first == last && (first == '*' || first == '`') || unicode.Is(unicode.Quotation_Mark, first) && unicode.Is(unicode.Quotation_Mark, last)
	if !isPair || len(s) < n+m {
		return "", false
	}
	return s[n : len(s)-m], true
}

// unmarked returns a value as it is and without each of its pairs. Its end may
// stand behind them.
func unmarked(value string) []string {
	forms := []string{value}
	for range 3 {
		inner, ok := withoutPair(value)
		if !ok {
			inner, ok = withoutPair(withoutEnd(value))
		}
		if !ok {
			break
		}
		value = trimAny(inner)
		forms = append(forms, value)
	}
	return forms
}

// Folding

func isInvisible(r rune) bool {
	if ' ' <= r && r < 0x7F || isAnySpace(r) {
		return false
	}
	return r == 0x2800 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// foldText folds a text to compare it.
func foldText(s string) string { return foldVisible(strings.Map(visible, s)) }

func visible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

// foldVisible folds a text without the first step.
func foldVisible(s string) string {
	folded := make([]rune, 0, len(s)+8)
	for _, c := range s {
		switch syllable := c - 0xAC00; {
		case isAnySpace(c):
			if n := len(folded); n > 0 && folded[n-1] != ' ' {
				folded = append(folded, ' ')
			}
		case strings.ContainsRune("‘’ʼ′＇´`", c):
			folded = append(folded, '\'')
		case 0 <= syllable && syllable < 19*21*28:
			folded = append(folded, 0x1100+syllable/(21*28), 0x1161+syllable%(21*28)/28)
			if tail := syllable % 28; tail > 0 {
				folded = append(folded, 0x11A7+tail)
			}
		default:
			folded = append(folded, foldCase(c))
		}
	}
	return strings.TrimSuffix(string(folded), " ")
}

// foldCase returns one character for all that have the same simple case folding;
// for a letter of A to Z it is the small one.
func foldCase(c rune) rune {
	if c < 0x80 {
		return unicode.ToLower(c)
	}
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if least < 0x80 {
		return unicode.ToLower(least)
	}
	return least
}

// withoutEnd returns the text without its end.
func withoutEnd(s string) string {
	short := strings.TrimRightFunc(s, func(r rune) bool { return strings.ContainsRune(".!。．！", r) || isAnySpace(r) })
	if short != "" {
		return short
	}
	return s
}

// looksForm returns the folded text without its end and all other punctuation
// at its end.
func looksForm(s string) string {
	s = withoutEnd(foldText(s))
	short := strings.TrimRightFunc(s, func(r rune) bool {
		return r == ' ' || r == '…' || r == '‥' || unicode.Is(unicode.Terminal_Punctuation, r)
	})
	if short != "" {
		return short
	}
	return s
}

func equalTexts(a, b string) bool { return withoutEnd(foldText(a)) == withoutEnd(foldText(b)) }
func looksSame(a, b string) bool  { return looksForm(a) == looksForm(b) }

// isWord reports whether a value is the word but for its end and the case of A
// to Z.
func isWord(value, word string) bool {
	value = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, value)
	return withoutEnd(value) == word
}

// readValue returns what a trimmed value answers to p.
func readValue(p clarify.Prompt, value string) (clarify.Payload, clarify.Rule, clarify.Code) {
	choice, confirm, text := inputsOf(p)
	switch {
	case choice != nil:
		if options, rule := readChoice(p, value); options != nil {
			return &clarify.ChoiceAnswer{Values: options}, rule, ""
		}
		return nil, "", clarify.CodeUnknownOption
	case confirm != nil:
		if decision, rule := readConfirm(confirm, value); decision != clarify.Undecided {
			return &clarify.ConfirmAnswer{Confirmed: decision == clarify.Confirmed}, rule, ""
		}
		return nil, "", clarify.CodeUnclear
	case text != nil && value == "" && !p.Optional:
		return nil, "", clarify.CodeBlank
	case text != nil:
		return &clarify.TextAnswer{Value: value}, clarify.RuleText, ""
	}
	return nil, "", clarify.CodeUnknownKind
}

// The value of a choice

// choiceForms returns a text as it is, without a bullet, and each without its
// marks. What folds to nothing says nothing.
func choiceForms(text string) (forms []string) {
	forms = unmarked(text)
	if bullet := valueBullet.FindString(text); bullet != "" {
		if rest := text[len(bullet):]; trimAnyStart(rest) != rest {
			forms = append(forms, unmarked(trimAny(rest))...)
		}
	}
	return slices.DeleteFunc(forms, func(s string) bool { return foldText(s) == "" })
}

// An optionMeant says what a text means in a choice.
type optionMeant struct {
	options []int // that it means
	named   bool  // there is one, and it means that not only by looks
	rule    clarify.Rule
}

// meantBy returns what a text means.
func meantBy(p clarify.Prompt, text string) (m optionMeant) {
	choice, _, _ := inputsOf(p)
	forms := choiceForms(text)
	isID := func(s string) func(clarify.Option) bool {
		return func(o clarify.Option) bool { return foldText(o.ID) == s }
	}
	for i, o := range choice.Options {
		var sameID, byID, byLooks, byLabel bool
		for _, s := range forms {
			folded := foldText(s)
			if !slices.ContainsFunc(choice.Options, isID(folded)) {
				folded = withoutEnd(folded)
			}
			sameID = sameID || s == o.ID
			byID = byID || isID(folded)(o)
			byLooks = byLooks || looksSame(s, o.Label)
			byLabel = byLabel || equalTexts(s, o.Label)
		}
		if !byID && !byLooks {
			continue
		}
		m.options = append(m.options, i)
		m.named = len(m.options) == 1 && (byID || byLabel)
		if m.rule = clarify.RuleOptionID; byLabel && !sameID {
			m.rule = clarify.RuleLabel
		}
	}
	if m.options == nil && !hasDigits(p) {
		for _, s := range forms {
			if n := optionNumber(s); 1 <= n && n <= len(choice.Options) {
				m = optionMeant{[]int{n - 1}, true, clarify.RuleNumber}
			}
		}
	}
	return m
}

// optionNumber returns the number that s is, or 0.
func optionNumber(s string) int {
	if !shownNumber.MatchString(s) {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimRight(s, ".)"))
	return n
}

// readChoice returns the ids of the options that a value chooses, or nil.
func readChoice(p clarify.Prompt, value string) (ids []string, rule clarify.Rule) {
	choice, _, _ := inputsOf(p)
	texts := []string{value}
	notID := func(s string) bool { return optionsWithID(choice, s) != 1 }
	separated := func(s string) bool { return strings.ContainsFunc(s, isPartSeparator) }
	inID := func(o clarify.Option) bool { return separated(o.ID) }
	if choice.AllowMultiple && separated(value) && slices.ContainsFunc(choice.Options, inID) {
		return nil, ""
	}
	if joined := strings.Split(value, ", "); choice.AllowMultiple && len(joined) > 1 && !slices.ContainsFunc(joined, notID) {
		for i := range joined {
			joined[i] = trimAny(joined[i])
		}
		texts = joined
	} else if choice.AllowMultiple && !meantBy(p, value).named {
		texts = splitValue(p, value)
	}
	rules := []clarify.Rule{clarify.RuleOptionID, clarify.RuleLabel, clarify.RuleNumber}
	weakest := 0
	for _, text := range texts {
		m := meantBy(p, text)
		if !m.named {
			return nil, ""
		}
		id := choice.Options[m.options[0]].ID
		if optionsWithID(choice, id) != 1 {
			return nil, ""
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		weakest = max(weakest, slices.Index(rules, m.rule))
	}
	return ids, rules[weakest]
}

// splitValue returns the parts of a value of a choice that allows several.
func splitValue(p clarify.Prompt, value string) []string {
	means := func(s string) bool { return len(meantBy(p, s).options) > 0 }
	parts := partsOf(value)
	n := len(parts) - 1
	if n < 0 || n > 0 && means(value) {
		return []string{value}
	}
	last := parts[n]
	if !means(last) && n > 0 {
		last = withoutAnd(last)
	}
	parts = parts[:n:n]
	for cuts := 0; cuts < 11 && !means(last); cuts++ {
		before, after, ok := atLastAnd(last)
		if !ok {
			break
		}
		parts, last = slices.Insert(parts, n, after), before
	}
	return slices.Insert(parts, n, last)
}

func isPartSeparator(r rune) bool { return strings.ContainsRune(",，、;；", r) || isLineBreak(r) }

// partsOf returns the parts of a value that are not blank.
func partsOf(value string) (parts []string) {
	for _, part := range strings.FieldsFunc(value, isPartSeparator) {
		if part = trimAny(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// andAt returns the length of the "and" or "&" at the start of s if white space
// is behind it, or 0.
func andAt(s string) int {
	n := 0
	switch {
	case strings.HasPrefix(s, "&"):
		n = 1
	case len(s) >= 3 && strings.Trim(s[:1], "aA")+strings.Trim(s[1:2], "nN")+strings.Trim(s[2:3], "dD") == "":
		n = 3
	}
	if space, _ := utf8.DecodeRuneInString(s[n:]); n == 0 || !isAnySpace(space) {
		return 0
	}
	return n
}

// withoutAnd returns the last part without an "and" that it begins with.
func withoutAnd(part string) string { return trimAny(part[andAt(part):]) }

// atLastAnd returns what is before and after the last "and" with white space on
// both sides.
func atLastAnd(part string) (before, after string, ok bool) {
	for i := len(part) - 1; i > 0; i-- {
		space, _ := utf8.DecodeLastRuneInString(part[:i])
		if n := andAt(part[i:]); n > 0 && isAnySpace(space) {
			return trimAny(part[:i]), trimAny(part[i+n:]), true
		}
	}
	return "", "", false
}

// Digits

var numberWords = strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
	"twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half dozen once twice single double triple ii iii iv vi vii viii ix xi xii " +
	"first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")

// hasDigits reports whether a label or an id of the choice has a digit in it, as it
// stands or folded.
func hasDigits(p clarify.Prompt) bool {
	choice, _, _ := inputsOf(p)
	var all []string
	for _, o := range choice.Options {
		all = append(all, o.ID, o.Label)
	}
	return slices.ContainsFunc(all, func(s string) bool { return hasDigit(s) || hasDigit(foldText(s)) })
}

func hasDigit(s string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(numberWords, foldText(word)) {
			return true
		}
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.Is(unicode.N, r) || strings.ContainsRune("〇零一二三四五六七八九十百千两兩", r)
	})
}

// The value of a confirm

// shownLabel returns a label as it is shown.
func shownLabel(label, byDefault string) string {
	if isBlank(label) {
		return byDefault
	}
	return label
}

// readConfirm returns what a value decides.
func readConfirm(confirm *clarify.Confirm, value string) (clarify.Decision, clarify.Rule) {
	yes := shownLabel(confirm.ConfirmLabel, clarify.DefaultConfirmLabel)
	no := shownLabel(confirm.CancelLabel, clarify.DefaultCancelLabel)
	isButton := func(value, label string) bool {
		return withoutEnd(foldVisible(value)) == withoutEnd(foldVisible(label))
	}
	rows := []struct {
		is   func(value, text string) bool
		text string
		says clarify.Decision
		rule clarify.Rule
	}{
		{isWord, "confirmed", clarify.Confirmed, clarify.RuleWord},
		{isWord, "cancelled", clarify.Cancelled, clarify.RuleWord},
		{isButton, yes, clarify.Confirmed, clarify.RuleButton},
		{isButton, no, clarify.Cancelled, clarify.RuleButton},
		{isWord, "canceled", clarify.Cancelled, clarify.RuleWord},
		{isWord, "cancel", clarify.Cancelled, clarify.RuleWord},
		{isWord, "yes", clarify.Confirmed, clarify.RuleYesNo},
		{isWord, "true", clarify.Confirmed, clarify.RuleYesNo},
		{isWord, "no", clarify.Cancelled, clarify.RuleYesNo},
		{isWord, "false", clarify.Cancelled, clarify.RuleYesNo},
	}
	forms := slices.DeleteFunc(unmarked(value), func(s string) bool { return foldText(s) == "" })
	decision, rule := clarify.Undecided, clarify.Rule("")
	for _, row := range rows {
		if !slices.ContainsFunc(forms, func(s string) bool { return row.is(s, row.text) }) {
			continue
		}
		if decision == clarify.Undecided {
			decision, rule = row.says, row.rule
		}
		if decision != row.says {
			return clarify.Undecided, ""
		}
	}
	mine, other, otherDefault := yes, no, clarify.DefaultCancelLabel
	if decision == clarify.Cancelled {
		mine, other, otherDefault = no, yes, clarify.DefaultConfirmLabel
	} else if own := !looksSame(yes, clarify.DefaultConfirmLabel); rule == clarify.RuleYesNo && confirm.Danger && own || rule != clarify.RuleWord && firstWordRefuses(yes) {
		return clarify.Undecided, ""
	}
	for _, s := range forms {
		if looksSame(s, other) || looksSame(s, otherDefault) || !isButton(s, mine) && (hasWord(other, s) || beginsWith(other, s)) {
			return clarify.Undecided, ""
		}
	}
	return decision, rule
}

// hasWord reports whether the label has the value as a word.
func hasWord(label, value string) bool {
	words := strings.FieldsFunc(foldText(label), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.Contains(words, withoutEnd(foldText(value)))
}

// beginsWith reports whether the label begins with the value, as it is or after
// anything that is not a letter.
func beginsWith(label, value string) bool {
	label, value = foldText(label), withoutEnd(foldText(value))
	fromLetter := strings.TrimLeftFunc(label, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.HasPrefix(label, value) || strings.HasPrefix(fromLetter, value)
}

var refusing = strings.Fields("no not nope nah never none nothing cancel cancels canceled cancelled canceling cancelling cancelation cancellation " +
	"don't dont doesn't doesnt won't wont can't cant cannot abort aborted decline deny refuse reject dismiss disagree")

// firstWordRefuses reports whether the first word of a label refuses. Apostrophes around a
// word are no part of it.
func firstWordRefuses(label string) bool {
	words := strings.FieldsFunc(foldText(label), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	words = append(slices.DeleteFunc(words, func(s string) bool { return s == "" }), "", "")
	return slices.Contains(refusing, words[0]) || words[0] == "do" && words[1] == "not"
}

// The value of a text

// A valueLine is a line of a value, and where it is.
type valueLine struct{ text, path string }

// findHidden voids each danger that something answers and a line of a value would
// name.
func (r *rulesReader) findHidden(lines []valueLine) {
	found := map[int]bool{}
	for _, s := range r.said {
		_, confirm, _ := inputsOf(r.prompts[s.prompt])
		found[s.prompt] = confirm == nil || !confirm.Danger
	}
	for _, line := range lines {
		bare := strings.TrimLeftFunc(strings.Map(visible, line.text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) })
		for _, form := range []string{trimAnyStart(line.text), bare} {
			for _, prompt := range r.named(form).prompts {
				if done, answered := found[prompt]; answered && !done {
					found[prompt] = true
					r.void[prompt] = true
					r.violation(line.path, clarify.CodeConflict)
				}
			}
		}
	}
}

// Without an id

// readWhole reports whether the whole message is an answer, and reads it.
func (r *rulesReader) readWhole(message string) bool {
	confirms, isOption := 0, false
	for _, p := range r.prompts {
		choice, confirm, _ := inputsOf(p)
		isOption = isOption || choice != nil && len(meantBy(p, message).options) > 0
		if confirm != nil {
			confirms++
		}
	}
	for i, p := range r.prompts {
		choice, confirm, _ := inputsOf(p)
		if choice == nil && confirm == nil || len(r.withID(p.ID)) != 1 {
			continue
		}
		payload, rule, fault := readValue(p, message)
		only := len(r.prompts) == 1 && !r.skipped && (confirm == nil || !confirm.Danger)
		answer, _ := payload.(*clarify.ConfirmAnswer)
		cancels := answer != nil && !answer.Confirmed && confirms == 1 && !isOption
		if fault == "" && (only || cancels) {
			r.source = clarify.SourceText
			r.answer(i, payload, "message", rule)
			return true
		}
	}
	return false
}

// What counts

func (r *rulesReader) count() verdict {
	v := verdict{source: r.source, remainder: r.remainder, decisions: map[string]clarify.Decision{}}
	first := map[int]saidAbout{}
	conflict := map[int]bool{}
	for _, s := range r.said {
		if before, ok := first[s.prompt]; !ok {
			first[s.prompt] = s
		} else if !samePayload(before.payload, s.payload) {
			conflict[s.prompt] = true
			r.violation(s.path, clarify.CodeConflict)
		}
	}
	answered := map[int]clarify.Decision{} // also of what is no confirm
	for _, s := range r.said {
		if r.void[s.prompt] || conflict[s.prompt] || first[s.prompt].path != s.path {
			continue
		}
		decision := clarify.Undecided
		if a, ok := s.payload.(*clarify.ConfirmAnswer); ok {
			if decision = clarify.Cancelled; a.Confirmed {
				decision = clarify.Confirmed
			}
		}
		_, confirm, _ := inputsOf(r.prompts[s.prompt])
		if decision == clarify.Confirmed && confirm.Danger && v.remainder != "" {
			r.violation(s.path, clarify.CodeUnclear)
			continue
		}
		answered[s.prompt] = decision
		v.answers = append(v.answers, s.foundAnswer)
	}

	confirmed, cancelled, open := false, false, false
	for i, p := range r.prompts {
		decision, ok := answered[i]
		if _, confirm, _ := inputsOf(p); confirm != nil {
			v.decisions[p.ID] = max(v.decisions[p.ID], decision)
			confirmed = confirmed || decision == clarify.Confirmed
			cancelled = cancelled || decision == clarify.Cancelled
			open = open || !ok && (confirm.Danger || !p.Optional)
		}
		if !ok && !p.Optional {
			v.missing = append(v.missing, p.ID)
		}
	}
	if cancelled {
		v.missing = nil
	}
	v.complete = v.answers != nil && v.missing == nil && r.violations == nil
	v.proceed = confirmed && !open && !cancelled && v.missing == nil && r.violations == nil && !r.skipped
	switch {
	case len(r.prompts) == 0:
		v.state = clarify.StateNothingAsked
	case cancelled:
		v.state = clarify.StateCancelled
	case v.answers == nil:
		v.state = clarify.StateUnanswered
	case !v.complete || r.skipped:
		v.state = clarify.StateIncomplete
	case v.proceed:
		v.state = clarify.StateConfirmed
	default:
		v.state = clarify.StateComplete
	}
	v.violations = asSet(r.violations)
	return v
}

// asSet returns the violations sorted, none twice.
func asSet(list []violationAt) []violationAt {
	slices.SortFunc(list, func(a, b violationAt) int {
		return strings.Compare(a.path+" "+string(a.code), b.path+" "+string(b.code))
	})
	return slices.Compact(list)
}

func samePayload(a, b clarify.Payload) bool {
	switch a := a.(type) {
	case *clarify.ChoiceAnswer:
		b, ok := b.(*clarify.ChoiceAnswer)
		return ok && slices.Equal(a.Values, b.Values)
	case *clarify.ConfirmAnswer:
		b, ok := b.(*clarify.ConfirmAnswer)
		return ok && *a == *b
	case *clarify.TextAnswer:
		b, ok := b.(*clarify.TextAnswer)
		return ok && *a == *b
	}
	return false
}

// String returns the verdict in one line, for people and for the table of the
// tests.
func (v verdict) String() string {
	parts := []string{v.source.String()}
	for _, a := range v.answers {
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", clarify.Answers{Answers: []clarify.Answer{{ID: a.id, Payload: a.payload}}}.Summary(), a.path, a.rule))
	}
	for _, w := range v.violations {
		parts = append(parts, fmt.Sprintf("!%s %s", w.path, w.code))
	}
	if v.missing != nil {
		parts = append(parts, fmt.Sprintf("missing %q", v.missing))
	}
	if v.remainder != "" {
		parts = append(parts, fmt.Sprintf("rest %q", v.remainder))
	}
	parts = append(parts, v.state.String())
	if v.proceed {
		parts = append(parts, "proceed")
	}
	return strings.Join(parts, "; ")
}
