package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What holds for the reading of a message.

// asRead is a as its summary reads: texts trimmed, line breaks as LF.
func asRead(a clarify.Answers) (out []clarify.Answer) {
	for _, answer := range a.Answers {
		if in, ok := answer.Payload.(*clarify.TextAnswer); ok {
			answer.Payload = &clarify.TextAnswer{Value: strings.Trim(oneBreak.Replace(in.Value), anySpace)}
		}
		out = append(out, answer)
	}
	return out
}

// clashes returns the confirms of a whose word in a summary is also the label
// of the other button: there the rules read it two ways, and it decides nothing.
func clashes(e *clarify.Envelope, a clarify.Answers) (ids []string) {
	for _, answer := range a.Answers {
		p, _ := e.Prompt(answer.ID)
		if in, ok := answer.Payload.(*clarify.ConfirmAnswer); ok {
			asked := p.Input.(*clarify.Confirm)
			if in.Confirmed && strings.EqualFold(asked.CancelLabel, "confirmed") || !in.Confirmed && strings.EqualFold(asked.ConfirmLabel, "cancelled") {
				ids = append(ids, answer.ID)
			}
		}
	}
	return ids
}

// TestReadSummary reads answers back from what people see of them and from
// their JSON: the same answers, and the same conclusions. It tries 2,000 of them,
// or 40,000 in the long run.
func TestReadSummary(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range inputs(2_000, 40_000) {
		g := New(uint64(i))
		e := g.Envelope()
		g.Relabel(e)
		require.NoError(t, e.Validate())
		a := g.ReplyTo(e, g.Flag())
		if len(a.Answers) == 0 {
			continue
		}
		before := Clone(e)
		b, err := a.AppendJSON(nil)
		require.NoError(t, err)
		structured, text := e.Read(string(b)), e.Read(a.Summary())
		require.NoError(t, CheckReply(e, string(b), structured))
		require.NoError(t, CheckReply(e, a.Summary(), text))
		require.Equal(t, before, e, "Read changed the envelope")
		require.Equal(t, clarify.SourceStructured, structured.Source())
		require.Equal(t, a.Answers, structured.Answers().Answers)
		if ids := clashes(e, a); ids != nil {
			seen["clash"]++
			for _, id := range ids {
				require.Equal(t, clarify.Undecided, text.Decision(id), "%q of %q", id, a.Summary())
			}
			continue
		}
		seen[fmt.Sprint("proceed ", text.Proceed())]++
		require.Equal(t, clarify.SourceText, text.Source(), "%q", a.Summary())
		require.Equal(t, asRead(a), text.Answers().Answers, "%q", a.Summary())
		require.Equal(t, conclusions(structured), conclusions(text), "%q", a.Summary())
		require.Empty(t, text.Violations())
		require.Empty(t, text.Remainder())
		require.Equal(t, len(text.Missing()) == 0, text.State() >= clarify.StateCancelled)
	}
	for _, what := range []string{"clash", "proceed true", "proceed false"} {
		assert.GreaterOrEqual(t, seen[what], 20, what)
	}
}

// conclusions are what follows from the answers of a reply.
func conclusions(r *clarify.Reply) []any {
	return []any{r.Missing(), r.Violations(), r.State()}
}

// A dangerOracle decides, from the rules alone, whether a message can be a yes
// to a confirm with danger. It shares no code with the reader, splits lines with
// a regular expression, and judges the answers to other prompts leniently.
type dangerOracle struct {
	prompts map[string]clarify.Prompt // by id; of an id of two, one without Input
	lines   map[string]*regexp.Regexp
}

var (
	dangerBreak  = regexp.MustCompile(`\r\n|[\n\v\f\r\x{85}\x{2028}\x{2029}]`)
	dangerNumber = regexp.MustCompile(`^[1-9][0-9]*[.)]?$`)
)

func newDangerOracle(e *clarify.Envelope) dangerOracle {
	o := dangerOracle{map[string]clarify.Prompt{}, map[string]*regexp.Regexp{}}
	for _, p := range e.Prompts {
		if _, taken := o.prompts[p.ID]; taken {
			p.Input = nil
		}
		o.prompts[p.ID] = p
		o.lines[p.ID] = regexp.MustCompile(`(?s)^(?:(?:[-*•]|[0-9]+\.)[` + anySpace + `]+)?` + regexp.QuoteMeta(p.ID) + `[` + anySpace + `]*(?::|=|->|→)(.*)$`)
	}
	return o
}

func (o dangerOracle) isDanger(id string) bool {
	in, ok := o.prompts[id].Input.(*clarify.Confirm)
	return ok && in.Danger
}

// confirms returns the ids of the dangers that message confirms: all that it
// names, or none.
func (o dangerOracle) confirms(message string) map[string]bool {
	body := strings.Trim(message, anySpace)
	if len(message) > 1<<20 || body == "" || body[0] == '[' {
		return nil
	}
	if body[0] == '{' {
		return o.inJSON(body)
	}
	yes := map[string]bool{}
	id, value := "", []string(nil)
	understood := func() bool {
		s := strings.Trim(strings.Join(value, "\n"), anySpace)
		value = nil
		if id == "" {
			return true
		}
		p := o.prompts[id]
		id = ""
		if !o.isDanger(p.ID) {
			return o.answers(p, s)
		}
		word := o.says(p.Input.(*clarify.Confirm), s)
		before, again := yes[p.ID]
		yes[p.ID] = word == "yes" && (before || !again)
		return word != ""
	}
	for _, line := range dangerBreak.Split(message, -1) {
		indented := strings.TrimLeft(line, anySpace) != line
		switch {
		case id != "" && indented:
			value = append(value, line)
			continue
		case !understood():
			return nil
		case strings.Trim(line, anySpace) == "":
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
			if dec.Decode(&s) == nil && !oracleID.MatchString(strings.Trim(s, anySpace)) {
				s = strings.Trim(s, anySpace)
				rest := strings.TrimLeft(line[dec.InputOffset():], anySpace)
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
func (o dangerOracle) says(in *clarify.Confirm, word string) string {
	fold := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, strings.Trim(s, anySpace))
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
func (o dangerOracle) answers(p clarify.Prompt, s string) bool {
	switch in := p.Input.(type) {
	case *clarify.Text:
		return s != "" || p.Optional
	case *clarify.Confirm:
		return o.says(in, s) != ""
	case *clarify.Choice:
		parts := []string{s}
		if in.AllowMultiple {
			parts = strings.Split(s, ",")
		}
		bad := func(part string) bool {
			part = strings.Trim(part, anySpace)
			return !dangerNumber.MatchString(part) && !slices.ContainsFunc(in.Options, func(o clarify.Option) bool {
				return o.ID == part || strings.EqualFold(strings.Trim(o.Label, anySpace), part)
			})
		}
		return !bad(s) || !slices.ContainsFunc(parts, bad)
	}
	return false
}

// inJSON is confirms of ClarifyAnswers.
func (o dangerOracle) inJSON(body string) map[string]bool {
	dec := json.NewDecoder(strings.NewReader(strings.Trim(body, scriptSpace)))
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
		id, kind = strings.Trim(id, anySpace), strings.Trim(kind, anySpace)
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
func (o dangerOracle) check(t testing.TB, e *clarify.Envelope, message string, r *clarify.Reply) {
	t.Helper()
	yes := o.confirms(message)
	for _, p := range e.Prompts {
		in, ok := p.Input.(*clarify.Confirm)
		if !ok || !in.Danger || yes[p.ID] {
			continue
		}
		if r.Proceed() || r.Source() == clarify.SourceText && r.Decision(p.ID) == clarify.Confirmed {
			b, _ := e.AppendJSON(nil)
			t.Fatalf("no clear yes to %q, and proceed is %v, the decision %q of\n%q\n%s", p.ID, r.Proceed(), r.Decision(p.ID), message, b)
		}
	}
}

// TestDangerNeedsAClearYes tries to get a yes out of messages that are none: 30,000
// of them, or two million in the long run.
func TestDangerNeedsAClearYes(t *testing.T) {
	t.Parallel()
	n := inputs(30_000, 2_000_000)
	const perEnvelope = 50
	tried, yes := map[string]int{}, map[string]int{}
	for i := range n / perEnvelope {
		g := New(uint64(i))
		e := g.dangers()
		if i%10 == 0 {
			e = g.Envelope()
			e.Prompts[0].Input = &clarify.Confirm{ConfirmLabel: g.Text(1, 5), Danger: true}
		}
		before := Clone(e)
		o := newDangerOracle(e)
		for range perEnvelope {
			message, kind := g.said(e)
			for range g.IntN(4) { // some stay as they are
				message = g.mutateMessage(e, message)
			}
			r := e.Read(message)
			o.check(t, e, message, r)
			if tried[kind]++; r.Proceed() {
				yes[kind]++
			}
		}
		require.Equal(t, before, e, "Read changed the envelope")
	}
	t.Logf("messages: %v\nof which a yes: %v", tried, yes)
	for _, kind := range messageKinds {
		assert.GreaterOrEqual(t, tried[kind], n/50, kind)
	}
	for _, kind := range []string{"summary", "JSON", "lines"} {
		assert.GreaterOrEqual(t, yes[kind], tried[kind]/100, "so few messages of the kind %q are a yes that the property is nearly empty", kind)
	}
}

// FuzzRead reads any message against any envelope that can be shown.
func FuzzRead(f *testing.F) {
	for _, v := range ReplyVectors(f) {
		f.Add(string(v.Envelope), v.Message)
	}
	f.Fuzz(func(t *testing.T, envelope, message string) {
		e, err := clarify.Parse(envelope)
		if err != nil {
			return
		}
		before := Clone(e)
		r := e.Read(message)
		require.Equal(t, before, e, "Read changed the envelope")
		require.NoError(t, CheckReply(e, message, r))
		newDangerOracle(e).check(t, e, message, r)
		require.Equal(t, r, e.Read(message), "read twice")
	})
}
