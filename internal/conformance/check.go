package conformance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
)

// problems are what does not hold.
type problems []error

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }

func (p *problems) addUnless(ok bool, format string, args ...any) {
	if !ok {
		p.add(format, args...)
	}
}

// CheckPrintable returns an error unless text may stand in one line of a log and
// of a tool's result: short, not empty, and without controls, line breaks,
// bidirectional overrides and what cannot be seen.
func CheckPrintable(text string) error {
	const most = 4000
	var p problems
	p.addUnless(text != "" && len(text) <= most && utf8.ValidString(text), "%d bytes, want 1 to %d of valid UTF-8: %q", len(text), most, text)
	i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	p.addUnless(i < 0, "byte %d is not printable: %q", i, text)
	return errors.Join(p...)
}

// ErrorTextStart is what the result of a refused call starts with.
const ErrorTextStart = "Error: invalid clarify prompts — "

// CheckErrorText returns an error unless text can be what a refused call returns.
func CheckErrorText(text string) error {
	p := problems{CheckPrintable(text)}
	p.addUnless(strings.HasPrefix(text, ErrorTextStart) && text != ErrorTextStart, "%q does not start with %q and go on", text, ErrorTextStart)
	_, err := clarify.Parse(text)
	p.addUnless(errors.Is(err, clarify.ErrToolFailed), "the Console reads %q as %v", text, err)
	_, err = clarify.ParseAnswers(text)
	p.addUnless(err != nil, "%q reads as answers", text)
	return errors.Join(p...)
}

// CheckReply returns an error unless r can be what e makes of message: it checks
// what holds for every reply, whatever was asked and said.
func CheckReply(e *clarify.Envelope, message string, r *clarify.Reply) error {
	var p problems
	answers, evidence := r.Answers().Answers, r.Evidence()
	if len(evidence) != len(answers) {
		return fmt.Errorf("%d answers, %d evidence of %q", len(answers), len(evidence), message)
	}
	answered, cancelled := map[string]clarify.Decision{}, []string(nil)
	for i, a := range answers {
		var asked []clarify.Prompt
		for _, prompt := range e.Prompts {
			if prompt.ID == a.ID {
				asked = append(asked, prompt)
			}
		}
		if _, again := answered[a.ID]; again || len(asked) != 1 || asked[0].Kind() != a.Kind() || !reflect.DeepEqual(evidence[i].Answer, a) {
			return fmt.Errorf("answer %+v to %+v of %q", a, asked, message)
		}
		answered[a.ID] = clarify.Undecided
		switch in := a.Payload.(type) {
		case *clarify.ChoiceAnswer:
			asked := asked[0].Input.(*clarify.Choice)
			for j, v := range in.Values {
				n := 0
				for _, o := range asked.Options {
					if o.ID == v {
						n++
					}
				}
				p.addUnless(n == 1 && !slices.Contains(in.Values[:j], v), "value %q is offered %d times, or twice in %q, of %q", v, n, in.Values, message)
			}
			p.addUnless(len(in.Values) == 1 || len(in.Values) > 1 && asked.AllowMultiple, "values %q of %q", in.Values, message)
			p.addUnless(slices.Equal(r.Values(a.ID), in.Values), "values %q, %q of %q", in.Values, r.Values(a.ID), message)
		case *clarify.ConfirmAnswer:
			answered[a.ID] = clarify.Confirmed
			if !in.Confirmed {
				answered[a.ID] = clarify.Cancelled
				cancelled = append(cancelled, a.ID)
			}
		case *clarify.TextAnswer:
			text, ok := r.Text(a.ID)
			ok = ok && text == in.Value && utf8.ValidString(text) && (asked[0].Optional || strings.Trim(text, anySpace) != "")
			p.addUnless(ok, "text %q, %q, %v of %q", in.Value, text, ok, message)
		}
	}
	var missing []string
	confirmed, clear := 0, true
	for _, prompt := range e.Prompts {
		d, ok := answered[prompt.ID]
		p.addUnless(r.Decision(prompt.ID) == d, "decision %v, want %v of %q", r.Decision(prompt.ID), d, message)
		if !ok && !prompt.Optional && len(cancelled) == 0 {
			missing = append(missing, prompt.ID)
		}
		if in, isConfirm := prompt.Input.(*clarify.Confirm); isConfirm {
			switch {
			case d == clarify.Confirmed:
				confirmed++
			case d == clarify.Cancelled, !prompt.Optional, in.Danger:
				clear = false
			}
		}
	}
	p.addUnless(slices.Equal(r.Missing(), missing), "missing %q, want %q of %q", r.Missing(), missing, message)
	whole := len(missing) == 0 && len(r.Violations()) == 0
	proceed := whole && clear && confirmed > 0 && len(e.Skipped) == 0
	p.addUnless(r.Proceed() == proceed, "proceed %v of %q", r.Proceed(), message)
	state := "complete"
	switch {
	case len(cancelled) > 0:
		state = "cancelled"
	case len(answers) == 0:
		state = "unanswered"
	case !whole || len(e.Skipped) > 0:
		state = "incomplete"
	case proceed:
		state = "confirmed"
	}
	p.addUnless(r.State().String() == state, "state %v, want %v of %q", r.State(), state, message)

	held := len(answers) + len(r.Violations())
	switch r.Source() {
	case clarify.SourceChat:
		rest := message
		if strings.Trim(message, anySpace) == "" {
			rest = ""
		}
		p.addUnless(held == 0 && r.Remainder() == rest, "chat with %d answers, %v and the remainder %q of %q", len(answers), r.Violations(), r.Remainder(), message)
	case clarify.SourceText:
		p.addUnless(held > 0, "text without an answer or a violation: %q", message)
	case clarify.SourceStructured:
	default:
		p.add("source %v of %q", r.Source(), message)
	}
	l := logged{cancelled: cancelled, complete: whole && len(answers) > 0}
	return errors.Join(append(p, checkForModel(e, r, l), checkReplyJSON(e, r, l))...)
}

// A logged is what a log has of a reply and no method returns.
type logged struct {
	cancelled []string
	complete  bool
}

var moreValues = regexp.MustCompile(`\) and \d+ more$`) // at the end of a long list of values

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// checkForModel checks that the model reads one line of ours for each thing that
// the reply holds, and in quotes exactly what was asked and what the user wrote.
func checkForModel(e *clarify.Envelope, r *clarify.Reply, l logged) error {
	var p problems
	text := r.ForModel()
	if r.State() == clarify.StateNothingAsked && len(r.Violations()) == 0 {
		p.addUnless(text == r.Remainder(), "the model reads %q, not the message %q", text, r.Remainder())
		return errors.Join(p...)
	}
	const most = 64 << 10
	p.addUnless(len(text) <= most, "the model reads %d bytes, want at most %d", len(text), most)
	want := map[string][]string{"reply": {""}} // what is quoted in each line, by its word
	add := func(word string, quoted ...string) { want[word] = append(want[word], strings.Join(quoted, "\x00")) }
	answered := map[string]bool{}
	for _, a := range r.Answers().Answers {
		answered[a.ID] = true
		asked, _ := e.Prompt(a.ID)
		said := []string{a.ID, asked.Question}
		switch in := a.Payload.(type) {
		case *clarify.ChoiceAnswer:
			for _, v := range in.Values {
				options := asked.Input.(*clarify.Choice).Options
				said = append(said, v, options[slices.IndexFunc(options, func(o clarify.Option) bool { return o.ID == v })].Label)
			}
		case *clarify.ConfirmAnswer:
			buttons := asked.Input.(*clarify.Confirm)
			if in.Confirmed {
				said = append(said, cmp.Or(strings.Trim(buttons.ConfirmLabel, anySpace), "Confirm"))
			} else {
				said = append(said, cmp.Or(strings.Trim(buttons.CancelLabel, anySpace), "Cancel"))
				add("cancelled", a.ID, asked.Question)
			}
		case *clarify.TextAnswer:
			said = append(said, in.Value)
		}
		add("answer", said...)
	}
	for _, asked := range e.Prompts {
		switch {
		case answered[asked.ID] || len(l.cancelled) > 0:
		case asked.Optional:
			add("left out", asked.ID, asked.Question)
		case asked.Kind() == clarify.KindConfirm:
			id := strings.TrimSuffix(clarify.Answers{Answers: []clarify.Answer{{ID: asked.ID, Payload: &clarify.TextAnswer{}}}}.Summary(), ": ")
			add("missing", asked.ID, asked.Question, id+": confirmed", id+": cancelled")
		default:
			add("missing", asked.ID, asked.Question)
		}
	}
	for range r.Violations() {
		add("problem", "")
	}
	if r.Remainder() != "" {
		word := "the user also wrote"
		if r.Source() == clarify.SourceChat {
			word = "message"
		}
		add(word, r.Remainder())
	}
	hasConfirm := slices.ContainsFunc(e.Prompts, func(p clarify.Prompt) bool { return p.Kind() == clarify.KindConfirm })
	if !l.complete || hasConfirm || len(e.Skipped) > 0 {
		add("proceed", "")
	}
	last := ""
	for last = range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(last, "\n"), ": ")
		var n int
		if _, err := fmt.Sscanf(rest, "and %d more", &n); err == nil {
			p.addUnless(n == len(want[word]), "%q, and there are %d", last, len(want[word]))
			want[word] = nil
			continue
		}
		if len(want[word]) == 0 {
			p.add("a line too many: %q in\n%s", last, text)
			continue
		}
		wanted := want[word][0]
		want[word] = want[word][1:]
		if word == "problem" || strings.Contains(rest, "(cut: ") || moreValues.MatchString(rest) {
			continue
		}
		var strs []string
		for _, q := range quoted.FindAllString(rest, -1) {
			var s string
			if err := json.Unmarshal([]byte(q), &s); err != nil {
				p.add("%w in %s", err, last)
			}
			strs = append(strs, s)
		}
		got := strings.Join(strs, "\x00")
		p.addUnless(got == toUTF8(wanted) || word == "missing" && strings.HasPrefix(toUTF8(wanted), got), "the model reads %q, not %q", got, wanted)
	}
	for word, lines := range want {
		p.addUnless(len(lines) == 0, "%d lines of %q too few:\n%s", len(lines), word, text)
	}
	p.addUnless(utf8.ValidString(text) && !strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool {
		return r == 0x2800 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	}), "what cannot be seen, in %q", text)
	yes := strings.HasPrefix(last, "proceed: yes")
	p.addUnless(yes == r.Proceed() && (yes || !strings.HasPrefix(last, "proceed: ") || strings.HasPrefix(last, "proceed: no, because ")), "proceed is %v, and the model reads\n%s", r.Proceed(), text)
	return errors.Join(p...)
}

// checkReplyJSON checks both logs, and that in the redacted one every string is
// the envelope's or the library's.
func checkReplyJSON(e *clarify.Envelope, r *clarify.Reply, l logged) error {
	whole, err := r.MarshalJSON()
	redacted := []byte(r.LogValue().Any().(json.RawMessage))
	if err != nil || !json.Valid(whole) || !utf8.Valid(whole) || !utf8.Valid(redacted) {
		return fmt.Errorf("not JSON in UTF-8: %q, %v\n%q", whole, err, redacted)
	}
	var log struct {
		Source  string
		State   clarify.State
		Answers []struct {
			ID, Kind, At, Rule string
			Values, Labels     []string
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
	if err := dec.Decode(&log); err != nil || !json.Valid(redacted) {
		return fmt.Errorf("%w in %s", err, redacted)
	}
	ours := map[string]bool{}
	for _, prompt := range e.Prompts {
		ours["id "+toUTF8(prompt.ID)] = true
		if in, ok := prompt.Input.(*clarify.Confirm); ok {
			for _, label := range []string{"Confirm", "Cancel", in.ConfirmLabel, in.CancelLabel} {
				ours["label "+toUTF8(strings.Trim(label, anySpace))] = true
			}
		}
		if in, ok := prompt.Input.(*clarify.Choice); ok {
			for _, o := range in.Options {
				ours["value "+toUTF8(o.ID)] = true
				ours["label "+toUTF8(o.Label)] = true
			}
		}
	}
	var p problems
	p.addUnless(slices.EqualFunc(log.Cancelled, l.cancelled, func(logged, id string) bool { return logged == toUTF8(id) }), "cancelled %q, want %q in %s", log.Cancelled, l.cancelled, redacted)
	check := func(what, s string) {
		p.addUnless(ours[what+" "+s], "%s %q is not the envelope's, in %s", what, s, redacted)
	}
	for _, id := range slices.Concat(log.Missing, log.Cancelled) {
		check("id", id)
	}
	for _, a := range log.Answers {
		check("id", a.ID)
		for _, v := range a.Values {
			check("value", v)
		}
		for _, label := range a.Labels {
			if !strings.HasSuffix(label, "…") { // cut
				check("label", label)
			}
		}
		p.addUnless(logPath.MatchString(a.At) && logWord.MatchString(a.Rule) && KindKeys[clarify.Kind(a.Kind)] != nil, "%+v in %s", a, redacted)
	}
	for _, v := range log.Violations {
		p.addUnless(logPath.MatchString(v.Path) && logWord.MatchString(v.Code) && replyWants[v.Want], "%+v in %s", v, redacted)
	}
	p.addUnless(log.Remainder == utf8.RuneCountInString(r.Remainder()) && log.Proceed == r.Proceed() && log.Complete == l.complete && log.State == r.State() &&
		log.Source == r.Source().String(), "%s of %s", redacted, whole)
	return errors.Join(p...)
}

// toUTF8 replaces every byte that is not UTF-8 by U+FFFD.
func toUTF8(s string) string { return string([]rune(s)) }

var (
	logPath = regexp.MustCompile(`^(message|line \d+|answers|answers\[\d+\](\.(id|kind|confirmed|value|values(\[\d+\])?))?)$`)
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
		"a line that can be read in one way":                    true,
		"each key once":                                         true,
		"one answer to a prompt, outside of another one":        true,
	}
)
