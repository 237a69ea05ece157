package clarify

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkReply checks what holds for every reply, whatever was asked and said.
func checkReply(t testing.TB, e *Envelope, message string, r *Reply) {
	t.Helper()
	answers, evidence := r.Answers().Answers, r.Evidence()
	if len(evidence) != len(answers) {
		t.Fatalf("%d answers, %d evidence of %q", len(answers), len(evidence), message)
	}
	answered, cancelled := map[string]Decision{}, []string(nil)
	for i, a := range answers {
		var prompts []Prompt
		for _, p := range e.Prompts {
			if p.ID == a.ID {
				prompts = append(prompts, p)
			}
		}
		if _, again := answered[a.ID]; again || len(prompts) != 1 || prompts[0].Kind() != a.Kind() || evidence[i].ID != a.ID {
			t.Fatalf("answer %+v to %+v of %q", a, prompts, message)
		}
		answered[a.ID] = Undecided
		switch in := a.Payload.(type) {
		case *ChoiceAnswer:
			asked := prompts[0].Input.(*Choice)
			for j, v := range in.Values {
				n := 0
				for _, o := range asked.Options {
					if o.ID == v {
						n++
					}
				}
				if n != 1 || slices.Contains(in.Values[:j], v) {
					t.Errorf("value %q is offered %d times, or twice in %q, of %q", v, n, in.Values, message)
				}
			}
			if len(in.Values) == 0 || len(in.Values) > 1 && !asked.AllowMultiple || !slices.Equal(r.Values(a.ID), in.Values) {
				t.Errorf("values %q, %q of %q", in.Values, r.Values(a.ID), message)
			}
		case *ConfirmAnswer:
			answered[a.ID] = Confirmed
			if !in.Confirmed {
				answered[a.ID] = Cancelled
				cancelled = append(cancelled, a.ID)
			}
		case *TextAnswer:
			text, ok := r.Text(a.ID)
			if !ok || text != in.Value || !prompts[0].Optional && strings.TrimFunc(text, anySpace) == "" || !utf8.ValidString(text) {
				t.Errorf("text %q, %q, %v of %q", in.Value, text, ok, message)
			}
		}
	}
	if !slices.Equal(r.Cancelled(), cancelled) {
		t.Errorf("cancelled %q, want %q of %q", r.Cancelled(), cancelled, message)
	}
	var missing []string
	confirmed, clear := 0, true
	for _, p := range e.Prompts {
		d, ok := answered[p.ID]
		if r.Decision(p.ID) != d {
			t.Errorf("decision %v, want %v of %q", r.Decision(p.ID), d, message)
		}
		if !ok && !p.Optional && len(cancelled) == 0 {
			missing = append(missing, p.ID)
		}
		if in, isConfirm := p.Input.(*Confirm); isConfirm {
			switch {
			case d == Confirmed:
				confirmed++
			case d == Cancelled, !p.Optional, in.Danger:
				clear = false
			}
		}
	}
	if !slices.Equal(r.Missing(), missing) {
		t.Errorf("missing %q, want %q of %q", r.Missing(), missing, message)
	}
	whole := len(missing) == 0 && len(r.Violations()) == 0
	if got, want := r.Complete(), whole && len(answers) > 0; got != want {
		t.Errorf("complete %v, want %v of %q", got, want, message)
	}
	if got, want := r.Proceed(), whole && clear && confirmed > 0 && len(e.Skipped) == 0; got != want {
		t.Errorf("proceed %v, want %v of %q", got, want, message)
	}
	switch r.Source() {
	case SourceChat:
		rest := message
		if strings.TrimFunc(message, anySpace) == "" {
			rest = ""
		}
		if len(answers)+len(r.Violations()) > 0 || r.Remainder() != rest {
			t.Errorf("chat with %d answers, %v and the remainder %q of %q", len(answers), r.Violations(), r.Remainder(), message)
		}
	case SourceText:
		if len(answers)+len(r.Violations()) == 0 {
			t.Errorf("text without an answer or a violation: %q", message)
		}
	case SourceStructured:
		if r.Remainder() != "" {
			t.Errorf("structured with the remainder %q of %q", r.Remainder(), message)
		}
	}
	checkForModel(t, r)
	checkReplyJSON(t, e, r)
}

// modelWords are what a line for the model can start with.
var modelWords = []string{"reply: ", "answer: ", "cancelled: ", "missing: ", "problem: ", "not understood: ", "proceed: "}

func checkForModel(t testing.TB, r *Reply) {
	t.Helper()
	text := r.ForModel()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	n := map[string]int{}
	for _, line := range lines {
		i := slices.IndexFunc(modelWords, func(word string) bool { return strings.HasPrefix(line, word) })
		if i < 0 {
			t.Fatalf("a line of another's: %q", line)
		}
		n[modelWords[i]]++
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}) {
		t.Errorf("control or format characters in %q", text)
	}
	rest, problems := 0, len(r.Violations())
	if r.Remainder() != "" {
		rest = 1
	}
	if problems > maxProblems {
		problems = maxProblems + 1 // the last says how many more there are
	}
	asked := 0
	if r.confirms || !r.Complete() {
		asked = 1
	}
	want := map[string]int{"reply: ": 1, "proceed: ": asked, "answer: ": len(r.Answers().Answers), "cancelled: ": len(r.Cancelled()), "missing: ": len(r.Missing()),
		"problem: ": problems, "not understood: ": rest}
	for _, word := range modelWords {
		if n[word] != want[word] {
			t.Errorf("%d lines of %q, want %d:\n%s", n[word], word, want[word], text)
		}
	}
	if strings.HasPrefix(lines[len(lines)-1], "proceed: yes") != r.Proceed() {
		t.Errorf("proceed is %v, and the model reads\n%s", r.Proceed(), text)
	}
}

// checkReplyJSON checks both logs, and that in the redacted one every string is
// of the envelope or of this package.
func checkReplyJSON(t testing.TB, e *Envelope, r *Reply) {
	t.Helper()
	whole, err := r.MarshalJSON()
	redacted := r.RedactedJSON()
	if err != nil || !json.Valid(whole) || !json.Valid(redacted) || !utf8.Valid(whole) || !utf8.Valid(redacted) {
		t.Fatalf("not JSON in UTF-8: %q, %v\n%q", whole, err, redacted)
	}
	var log struct {
		Source  string
		Answers []struct {
			ID, Kind, At, Rule string
			Values             []string
			Confirmed          *bool
			Length             *int
		}
		Missing, Cancelled []string
		Violations         []struct{ Path, Code, Want string }
		Remainder          int `json:"remainder_length"`
		Complete, Proceed  bool
	}
	dec := json.NewDecoder(strings.NewReader(string(redacted)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		t.Fatalf("%v in %s", err, redacted)
	}
	ours := map[string]bool{}
	for _, p := range e.Prompts {
		ours["id "+toUTF8(p.ID)] = true
		if in, ok := p.Input.(*Choice); ok {
			for _, o := range in.Options {
				ours["value "+toUTF8(o.ID)] = true
			}
		}
	}
	check := func(what, s string) {
		if !ours[what+" "+s] {
			t.Errorf("%s %q is not the envelope's, in %s", what, s, redacted)
		}
	}
	for _, id := range slices.Concat(log.Missing, log.Cancelled) {
		check("id", id)
	}
	for _, a := range log.Answers {
		check("id", a.ID)
		for _, v := range a.Values {
			check("value", v)
		}
		if !logPath.MatchString(a.At) || !logWord.MatchString(a.Rule) || !isKind(Kind(a.Kind)) {
			t.Errorf("%+v in %s", a, redacted)
		}
	}
	for _, v := range log.Violations {
		if !logPath.MatchString(v.Path) || !logWord.MatchString(v.Code) || !replyWants[v.Want] {
			t.Errorf("%+v in %s", v, redacted)
		}
	}
	if log.Remainder != utf8.RuneCountInString(r.Remainder()) || log.Proceed != r.Proceed() || log.Complete != r.Complete() || log.Source != r.Source().String() {
		t.Errorf("%s of %s", redacted, whole)
	}
}

var (
	logPath = regexp.MustCompile(`^(message|line \d+|answers\[\d+\](\.(id|kind|confirmed|value|values(\[\d+\])?))?)$`)
	logWord = regexp.MustCompile(`^[a-z0-9_]+$`)
	// replyWants are all that a violation of a reply can want: none has a word of the user's.
	replyWants = map[string]bool{
		"the id of a prompt that was asked":            true,
		"an id that one prompt has: two have this one": true,
		"an id that one prompt has":                    true,
		"one answer to a prompt":                       true,
		`an object {"id": …, "kind": …}`:               true,
		`"choice"`:                                     true,
		`"confirm"`:                                    true,
		`"text"`:                                       true,
		"an array of option ids":                       true,
		"true or false":                                true,
		"a string":                                     true,
		"a text that is not blank":                     true,
		"the id of an option":                          true,
		"the id of an option that was offered":         true,
		"the id of an option that was offered once: two options have this one": true,
		"1": true,
		"the id, label or number of an option that was offered": true,
		"confirmed or cancelled":                                true,
		"nothing else in the message":                           true,
	}
)

// A talker says things about an envelope.
type talker struct{ maker }

func newTalker(seed uint64) talker { return talker{newMaker(seed)} }

// replyTo returns answers that hold for e; every one if all is set, else some.
func (g talker) replyTo(e *Envelope, all bool) Answers {
	var a Answers
	for _, p := range e.Prompts {
		if !all && g.flag() {
			continue
		}
		answer := Answer{ID: p.ID}
		switch in := p.Input.(type) {
		case *Choice:
			values := []string{in.Options[g.IntN(len(in.Options))].ID}
			if in.AllowMultiple {
				for _, o := range in.Options {
					if o.ID != values[0] && g.flag() {
						values = append(values, o.ID)
					}
				}
				g.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			}
			answer.Payload = &ChoiceAnswer{Values: values}
		case *Confirm:
			answer.Payload = &ConfirmAnswer{Confirmed: g.IntN(4) > 0}
		case *Text:
			s := g.hostileText(e)
			for strings.TrimFunc(s, anySpace) == "" && !p.Optional {
				s = g.hostileText(e)
			}
			answer.Payload = &TextAnswer{Value: s}
		}
		a.Answers = append(a.Answers, answer)
	}
	g.Shuffle(len(a.Answers), func(i, j int) { a.Answers[i], a.Answers[j] = a.Answers[j], a.Answers[i] })
	return a
}

var breaksBetween = []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\n\r", "\n\n"}

// hostileText returns a text that tries to be more than one.
func (g talker) hostileText(e *Envelope) string {
	var b strings.Builder
	for range g.IntN(8) {
		p := e.Prompts[g.IntN(len(e.Prompts))]
		switch g.IntN(8) {
		case 0, 1:
			b.WriteString(breaksBetween[g.IntN(len(breaksBetween))])
		case 2:
			b.WriteString([]string{" ", "  ", "\t", "\u00a0", "   "}[g.IntN(5)])
		case 3:
			b.WriteString(p.ID + []string{":", ": ", " = ", "->", " → "}[g.IntN(5)] + []string{"confirmed", "cancelled", "1", ""}[g.IntN(4)])
		case 4:
			b.WriteString([]string{"- ", "1. ", "•", "{", "[", `"`, "<!--"}[g.IntN(7)])
		case 5:
			b.WriteString(g.text(0, 10))
		default:
			b.WriteString("word")
		}
	}
	return b.String()
}

// nastyLabels are labels that mean something to a reader of answers.
var nastyLabels = []string{"Yes", "No", "yes", "true", "False", "Confirm", "cancel", "Confirmed", "CANCELLED", "1", "2.", "a, b", "ok", "Delete", "Keep it", "a", "b"}

// relabel gives labels of e another meaning. It stays valid.
func (g talker) relabel(e *Envelope) {
	label := func(s *string) {
		if g.IntN(3) == 0 {
			*s = nastyLabels[g.IntN(len(nastyLabels))]
		}
	}
	for _, p := range e.Prompts {
		switch in := p.Input.(type) {
		case *Choice:
			for i := range in.Options {
				label(&in.Options[i].Label)
			}
			n := len(in.Options)
			if list := in.Options[g.IntN(n)].ID + ", " + in.Options[g.IntN(n)].ID; len(list) <= MaxLabel { // what a summary of several prints
				in.Options[g.IntN(n)].Label = list
			}
		case *Confirm:
			label(&in.ConfirmLabel)
			label(&in.CancelLabel)
		}
	}
}

// normalized is a as its summary reads: texts trimmed, line breaks as LF.
func normalized(a Answers) []Answer {
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	var out []Answer
	for _, answer := range a.Answers {
		if in, ok := answer.Payload.(*TextAnswer); ok {
			answer.Payload = &TextAnswer{Value: strings.TrimFunc(breaks.Replace(in.Value), anySpace)}
		}
		out = append(out, answer)
	}
	return out
}

// clashes returns the confirms of a whose word in a summary is also the label
// of the other button: there the rules read it two ways, and it decides nothing.
func clashes(e *Envelope, a Answers) (ids []string) {
	for _, answer := range a.Answers {
		p, _ := e.Prompt(answer.ID)
		if in, ok := answer.Payload.(*ConfirmAnswer); ok {
			asked := p.Input.(*Confirm)
			if in.Confirmed && strings.EqualFold(asked.CancelLabel, "confirmed") || !in.Confirmed && strings.EqualFold(asked.ConfirmLabel, "cancelled") {
				ids = append(ids, answer.ID)
			}
		}
	}
	return ids
}

// TestReadSummary reads answers back from what people see of them and from
// their JSON: the same answers, and the same conclusions.
func TestReadSummary(t *testing.T) {
	seen := map[string]int{}
	for i := range 10 * envelopes {
		g := newTalker(uint64(i))
		e := g.envelope()
		g.relabel(e)
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		a := g.replyTo(e, g.flag())
		if len(a.Answers) == 0 {
			continue
		}
		before := clone(e)
		b, err := a.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		structured, text := e.Read(string(b)), e.Read(a.Summary())
		checkReply(t, e, string(b), structured)
		checkReply(t, e, a.Summary(), text)
		if !reflect.DeepEqual(e, before) {
			t.Fatal("Read changed the envelope")
		}
		if got := structured.Answers().Answers; structured.Source() != SourceStructured || !reflect.DeepEqual(got, a.Answers) {
			t.Fatalf("%s reads as\n%s", b, jsonOf(structured))
		}
		if ids := clashes(e, a); ids != nil {
			seen["clash"]++
			for _, id := range ids {
				if d := text.Decision(id); d != Undecided {
					t.Fatalf("%q decides %q: %v", a.Summary(), id, d)
				}
			}
			continue
		}
		seen[fmt.Sprint("proceed ", text.Proceed())]++
		if got := text.Answers().Answers; text.Source() != SourceText || !reflect.DeepEqual(got, normalized(a)) {
			t.Fatalf("%q reads as\n%s, want\n%s\nof %s", a.Summary(), jsonOf(got), jsonOf(normalized(a)), jsonOf(e))
		}
		if !slices.Equal(text.Missing(), structured.Missing()) || !slices.Equal(text.Cancelled(), structured.Cancelled()) || len(text.Violations())+len(structured.Violations()) > 0 ||
			text.Remainder() != "" || text.Proceed() != structured.Proceed() || text.Complete() != structured.Complete() {
			t.Fatalf("text reads\n%s, JSON\n%s", jsonOf(text), jsonOf(structured))
		}
		if len(text.Missing()) == 0 != text.Complete() {
			t.Fatalf("complete %v: %s", text.Complete(), jsonOf(text))
		}
	}
	for _, what := range []string{"clash", "proceed true", "proceed false"} {
		if seen[what] < 20 {
			t.Errorf("tried only %d times: %s", seen[what], what)
		}
	}
}

// A dangerOracle decides, from the rules alone, whether a message can be a yes
// to a confirm with danger. It shares no code with the reader, splits lines with
// a regular expression, and judges the answers to other prompts leniently.
type dangerOracle struct {
	prompts map[string]Prompt // by id; of an id of two, one without Input
	lines   map[string]*regexp.Regexp
}

const dangerSpace = "\t\n\v\f\r \x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

var (
	dangerBreak  = regexp.MustCompile(`\r\n|[\n\v\f\r\x{85}\x{2028}\x{2029}]`)
	dangerNumber = regexp.MustCompile(`^[1-9][0-9]*[.)]?$`)
	dangerWireID = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)
)

func newDangerOracle(e *Envelope) dangerOracle {
	o := dangerOracle{map[string]Prompt{}, map[string]*regexp.Regexp{}}
	for _, p := range e.Prompts {
		if _, taken := o.prompts[p.ID]; taken {
			p.Input = nil
		}
		o.prompts[p.ID] = p
		o.lines[p.ID] = regexp.MustCompile(`(?s)^(?:(?:[-*•]|[0-9]+\.)[` + dangerSpace + `]+)?` + regexp.QuoteMeta(p.ID) + `[` + dangerSpace + `]*(?::|=|->|→)(.*)$`)
	}
	return o
}

func (o dangerOracle) isDanger(id string) bool {
	in, ok := o.prompts[id].Input.(*Confirm)
	return ok && in.Danger
}

// confirms returns the ids of the dangers that message confirms: all that it
// names, or none.
func (o dangerOracle) confirms(message string) map[string]bool {
	body := strings.Trim(message, dangerSpace)
	if len(message) > 1<<20 || body == "" || body[0] == '[' {
		return nil
	}
	if body[0] == '{' {
		return o.inJSON(body)
	}
	yes := map[string]bool{}
	id, value := "", []string(nil)
	understood := func() bool {
		s := strings.Trim(strings.Join(value, "\n"), dangerSpace)
		value = nil
		if id == "" {
			return true
		}
		p := o.prompts[id]
		id = ""
		if !o.isDanger(p.ID) {
			return o.answers(p, s)
		}
		word := o.says(p.Input.(*Confirm), s)
		before, again := yes[p.ID]
		yes[p.ID] = word == "yes" && (before || !again)
		return word != ""
	}
	for _, line := range dangerBreak.Split(message, -1) {
		indented := strings.TrimLeft(line, dangerSpace) != line
		switch {
		case id != "" && indented:
			value = append(value, line)
			continue
		case !understood():
			return nil
		case strings.Trim(line, dangerSpace) == "":
			continue
		case indented:
			return nil
		}
		for candidate, form := range o.lines {
			if m := form.FindStringSubmatch(line); m != nil {
				id, value = candidate, m[1:]
			}
		}
		if id == "" { // an id that a summary has to quote
			var s string
			dec := json.NewDecoder(strings.NewReader(line))
			if dec.Decode(&s) == nil && !dangerWireID.MatchString(strings.Trim(s, dangerSpace)) {
				s = strings.Trim(s, dangerSpace)
				rest := strings.TrimLeft(line[dec.InputOffset():], dangerSpace)
				for _, sep := range []string{":", "=", "->", "→"} {
					if _, known := o.prompts[s]; known && strings.HasPrefix(rest, sep) {
						id, value = s, []string{rest[len(sep):]}
					}
				}
			}
		}
		if id == "" {
			return nil
		}
	}
	if !understood() {
		return nil
	}
	return yes
}

// says reads a confirm's word; a word that says both is nothing.
func (o dangerOracle) says(in *Confirm, word string) string {
	fold := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, strings.Trim(s, dangerSpace))
	}
	label := func(s, byDefault string) string {
		if s = fold(s); s == "" {
			return byDefault
		}
		return s
	}
	word = fold(word)
	yes := slices.Contains([]string{"confirmed", "yes", "true", label(in.ConfirmLabel, "confirm")}, word)
	no := slices.Contains([]string{"cancelled", "no", "false", label(in.CancelLabel, "cancel")}, word)
	switch {
	case yes && !no:
		return "yes"
	case no && !yes:
		return "no"
	}
	return ""
}

// answers reports whether s can be an answer to a prompt without danger.
func (o dangerOracle) answers(p Prompt, s string) bool {
	switch in := p.Input.(type) {
	case *Text:
		return s != "" || p.Optional
	case *Confirm:
		return o.says(in, s) != ""
	case *Choice:
		parts := []string{s}
		if in.AllowMultiple {
			parts = strings.Split(s, ",")
		}
		bad := func(part string) bool {
			part = strings.Trim(part, dangerSpace)
			return !dangerNumber.MatchString(part) && !slices.ContainsFunc(in.Options, func(o Option) bool {
				return o.ID == part || strings.EqualFold(strings.Trim(o.Label, dangerSpace), part)
			})
		}
		return !bad(s) || !slices.ContainsFunc(parts, bad)
	}
	return false
}

// inJSON is confirms of ClarifyAnswers.
func (o dangerOracle) inJSON(body string) map[string]bool {
	dec := json.NewDecoder(strings.NewReader(strings.Trim(body, "\ufeff"+strings.ReplaceAll(dangerSpace, "\u0085", ""))))
	dec.UseNumber()
	var all map[string]any
	if err := dec.Decode(&all); err != nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	entries, ok := all["answers"].([]any)
	if all["protocol"] != "appwrite.clarify/v1" || !ok {
		return nil
	}
	yes := map[string]bool{}
	for _, entry := range entries {
		entry, _ := entry.(map[string]any)
		id, _ := entry["id"].(string)
		kind, _ := entry["kind"].(string)
		id, kind = strings.Trim(id, dangerSpace), strings.Trim(kind, dangerSpace)
		said := kind == "confirm" && entry["confirmed"] == true
		if before, again := yes[id]; again {
			said = said && before
		}
		if o.isDanger(id) {
			yes[id] = said
		}
	}
	return yes
}

// check compares what r makes of the dangers with the oracle.
func (o dangerOracle) check(t testing.TB, e *Envelope, message string, r *Reply) {
	t.Helper()
	yes := o.confirms(message)
	for _, p := range e.Prompts {
		in, ok := p.Input.(*Confirm)
		if !ok || !in.Danger || yes[p.ID] {
			continue
		}
		if r.Proceed() || r.Source() == SourceText && r.Decision(p.ID) == Confirmed {
			b, _ := e.AppendJSON(nil)
			t.Fatalf("no clear yes to %q, and proceed is %v, the decision %q of\n%q\n%s", p.ID, r.Proceed(), r.Decision(p.ID), message, b)
		}
	}
}

// yesWords are a yes in more than ten languages, and what stands for one.
var yesWords = strings.Fields("yes sí oui ja да 是 はい نعم हाँ sim 네 evet tak sì 是的 ok OK okay sure yep y Y 1 true on go 👍 ✅ x [x] +1 confirm Confirm Confirmed confirmed proceed delete Delete LGTM")

// denials take a yes back, before or behind it.
var denials = []string{"don't do this yet", "please wait", "not:", "no", "No, ", "never ", "NOT ", "cancel", "just kidding", "only if there is a backup", "/s", "?", "> ", "~~", "<!--", "//", "#", ".", "\u200b", "\u2800", "unless"}

// dangers returns an envelope with a danger, small and with ids and labels that
// people would write.
func (g talker) dangers() *Envelope {
	ids := []string{"confirm_delete", "bucket", "note", "name", "go", "a", "a-", "yes", "no", "answer", "proceed", "x.y"}
	g.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	danger := func(id string) Prompt {
		labels := [][2]string{{"Delete", "Keep it"}, {"", ""}, {"Yes", "No"}, {"No", "Yes"}, {"Delete it: all", "no"}, {"Confirmed", "Cancelled"}, {"OK", "ok"}, {"Delete\nall", "Stop"}}[g.IntN(8)]
		return Prompt{ID: id, Question: "Delete it?", Optional: g.IntN(4) == 0, Input: &Confirm{ConfirmLabel: labels[0], CancelLabel: labels[1], Danger: true}}
	}
	e := &Envelope{Title: "Before deleting this bucket", Prompts: []Prompt{danger(ids[0])}}
	for _, id := range ids[1 : 1+g.IntN(4)] {
		p := Prompt{ID: id, Question: "What about " + id + "?", Optional: g.flag()}
		switch g.IntN(5) {
		case 0, 1:
			p.Input = &Text{Multiline: g.flag()}
		case 2:
			p.Input = &Choice{AllowMultiple: g.flag(), Options: []Option{{ID: "a", Label: "Yes"}, {ID: "b", Label: "Logs, old"}, {ID: "c", Label: "confirmed"}}}
		case 3:
			p.Input = &Confirm{ConfirmLabel: "Go", CancelLabel: "Stay"}
		case 4:
			p = danger(id)
		}
		e.Prompts = append(e.Prompts, p)
	}
	g.Shuffle(len(e.Prompts), func(i, j int) { e.Prompts[i], e.Prompts[j] = e.Prompts[j], e.Prompts[i] })
	return e
}

func (g talker) one(list []string) string { return list[g.IntN(len(list))] }

// idLine returns a line that could answer a danger of e.
func (g talker) idLine(e *Envelope) string {
	p := e.Prompts[g.IntN(len(e.Prompts))]
	word := g.one([]string{"confirmed", "confirmed", "confirmed", "yes", "true", "cancelled", "Delete", ""})
	if in, ok := p.Input.(*Confirm); ok && g.IntN(4) == 0 {
		word = g.one([]string{in.ConfirmLabel, in.CancelLabel})
	}
	if g.IntN(8) == 0 {
		word = g.one(yesWords)
	}
	return g.one([]string{"", "", "", "", "- ", "1. ", "> ", " ", "\t", "\u200b", "**", "`", `"`, "[x] ", "~~", "// ", "\ufeff"}) + p.ID +
		g.one([]string{": ", ": ", ":", " = ", " -> ", "→", `": `, "** : ", " - ", "："}) + word + g.one([]string{"", "", "", "", "!", ",", " ", "**", `"`, "\u200b", " not", "~~"})
}

// said returns a message, and what kind of message it is.
func (g talker) said(e *Envelope) (message, kind string) {
	a := g.replyTo(e, g.IntN(3) > 0)
	structured, _ := a.AppendJSON(nil)
	canonical, _ := e.AppendJSON(nil)
	kinds := []string{"summary", "summary", "JSON", "JSON", "envelope", "page", "yes", "cut JSON and a line", "other prompts", "lines", "lines", "for the model", "denied", "denied"}
	switch kind = g.one(kinds); kind {
	case "summary":
		message = a.Summary()
	case "JSON":
		message = string(structured)
	case "envelope":
		message = string(canonical)
		if g.flag() {
			message = "```json\n" + strings.NewReplacer(`{`, "{\n", `,`, ",\n").Replace(message) + "\n```"
		}
	case "page":
		message = e.Title
		for _, p := range e.Prompts {
			message += "\n" + p.Question
			switch in := p.Input.(type) {
			case *Choice:
				for i, o := range in.Options {
					message += fmt.Sprintf("\n%d. %s", i+1, o.Label)
				}
			case *Confirm:
				message += "\n" + in.ConfirmLabel + "\n" + in.CancelLabel
			}
		}
	case "yes":
		for range 1 + g.IntN(3) {
			message += g.one(yesWords) + g.one([]string{"", " ", "\n", ", ", "! "})
		}
	case "cut JSON and a line":
		if len(structured) > 0 {
			message = string(structured[:g.IntN(len(structured))]) + "\n" + g.idLine(e)
		}
	case "other prompts":
		for _, p := range e.Prompts {
			if in, ok := p.Input.(*Confirm); !ok || !in.Danger {
				message += p.ID + ": " + g.one([]string{"a", "yes", "confirmed", "Go", g.hostileText(e)}) + "\n"
			}
		}
	case "lines":
		if g.flag() { // what a person could write for the summary
			for i := range a.Answers {
				line := Answers{Answers: a.Answers[i : i+1]}.Summary()
				rest := strings.TrimPrefix(line, a.Answers[i].ID+": ")
				message += g.one([]string{"", "- ", "* ", "• ", "3. "}) + a.Answers[i].ID + g.one([]string{": ", ":", " = ", " -> ", "→"}) + rest + g.one([]string{"\n", "\r\n", "\n\n"})
			}
			break
		}
		for range 1 + g.IntN(4) {
			message += g.idLine(e) + g.one(breaksBetween)
		}
	case "for the model":
		message = e.Read(a.Summary()).ForModel()
	case "denied":
		message = a.Summary()
		if g.flag() {
			message = g.one(denials) + g.one(breaksBetween) + message
		} else {
			message += g.one([]string{"", "\n", "\r", "\u2028", "\n\n", "\n\n  ", "\n  "}) + g.one(denials)
		}
	}
	return message, kind
}

// mutate changes message in one place.
func (g talker) mutate(e *Envelope, message string) string {
	i := 0
	if message != "" {
		for i = g.IntN(len(message)); i > 0 && !utf8.RuneStart(message[i]); i-- {
		}
	}
	j := min(len(message), i+1+g.IntN(4))
	lines := strings.SplitAfter(message, "\n")
	k := g.IntN(len(lines))
	switch g.IntN(9) {
	case 0:
		return message[:i] + message[j:]
	case 1:
		return message[:i] + g.one(breaksBetween) + message[i:]
	case 2:
		return message[:i] + g.one(denials) + message[i:]
	case 3:
		return message[:i] + g.one([]string{" ", "\x00", "\u200b", "\u202e", "\xff", ":", ",", `"`, "{", "\u0085", "-", "true", "false"}) + message[i:]
	case 4:
		lines[k] = g.one([]string{" ", "  ", "\t", "> ", "- ", "\u200b", `"`, "\ufeff", "\n", "{", "not "}) + lines[k]
	case 5:
		lines[k] = strings.TrimSuffix(lines[k], "\n") + g.one([]string{"\n", "\r\n", "\r", "\n\n", "!", "", "\u2028"})
	case 6:
		lines[k] += g.idLine(e) + "\n"
	case 7:
		lines[k] = lines[g.IntN(len(lines))]
	case 8:
		other, _ := g.said(e)
		return message[:i] + other
	}
	return strings.Join(lines, "")
}

// TestDangerNeedsAClearYes tries to get a yes out of messages that are none. It
// tries a million of them where CLARIFY_LONG is set.
func TestDangerNeedsAClearYes(t *testing.T) {
	n := 100_000
	switch {
	case os.Getenv("CLARIFY_LONG") != "":
		n = 1_000_000
	case testing.Short():
		n = 10_000
	}
	const perEnvelope = 50
	tried, yes := map[string]int{}, map[string]int{}
	for i := range n / perEnvelope {
		g := newTalker(uint64(i))
		e := g.dangers()
		if i%10 == 0 {
			e = g.envelope()
			e.Prompts[0].Input = &Confirm{ConfirmLabel: g.text(1, 5), Danger: true}
		}
		before := clone(e)
		o := newDangerOracle(e)
		for range perEnvelope {
			message, kind := g.said(e)
			for range g.IntN(4) { // some stay as they are
				message = g.mutate(e, message)
			}
			r := e.Read(message)
			o.check(t, e, message, r)
			if tried[kind]++; r.Proceed() {
				yes[kind]++
			}
		}
		if !reflect.DeepEqual(e, before) {
			t.Fatal("Read changed the envelope")
		}
	}
	t.Logf("messages: %v\nof which a yes: %v", tried, yes)
	for _, kind := range []string{"summary", "JSON", "envelope", "page", "yes", "cut JSON and a line", "other prompts", "lines", "for the model", "denied"} {
		if tried[kind] < n/50 {
			t.Errorf("only %d messages of the kind %q", tried[kind], kind)
		}
	}
	for _, kind := range []string{"summary", "JSON", "lines"} {
		if yes[kind] < tried[kind]/100 {
			t.Errorf("only %d of %d messages of the kind %q are a yes: the property is nearly empty", yes[kind], tried[kind], kind)
		}
	}
}
