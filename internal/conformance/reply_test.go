package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/internal/text"
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

// isExcepted reports whether the rules let a summary not read back an answer: in
// docs/rules.md under "Summary".
func isExcepted(e *clarify.Envelope, a clarify.Answers, answer clarify.Answer) bool {
	p, _ := e.Prompt(answer.ID)
	switch in := answer.Payload.(type) {
	case *clarify.ChoiceAnswer: // an id looks like the label of another option
		return slices.ContainsFunc(in.Values, func(id string) bool {
			return slices.ContainsFunc(p.Input.(*clarify.Choice).Options, func(o clarify.Option) bool { return o.ID != id && text.Look(o.Label) == text.Look(id) })
		})
	case *clarify.ConfirmAnswer: // the word begins the other label, or a text hides another answer to a danger
		asked := p.Input.(*clarify.Confirm)
		word, other := "confirmed", asked.CancelLabel
		if !in.Confirmed {
			word, other = "cancelled", asked.ConfirmLabel
		}
		return strings.Contains(text.Fold(other), word) || asked.Danger && slices.ContainsFunc(a.Answers, func(a clarify.Answer) bool {
			t, ok := a.Payload.(*clarify.TextAnswer)
			return ok && strings.Contains(strings.ToLower(t.Value), answer.ID)
		})
	}
	return false
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
		structured, words := e.Read(string(b)), e.Read(a.Summary())
		require.NoError(t, CheckReply(e, string(b), structured))
		require.NoError(t, CheckReply(e, a.Summary(), words))
		require.Equal(t, before, e, "Read changed the envelope")
		require.Equal(t, clarify.SourceStructured, structured.Source())
		require.Equal(t, a.Answers, structured.Answers().Answers)
		got, isWhole := words.Answers().Answers, true
		for _, answer := range asRead(a) {
			if len(got) > 0 && reflect.DeepEqual(answer, got[0]) {
				got = got[1:]
				continue
			}
			isWhole = false
			seen["excepted "+string(answer.Kind())]++
			p, _ := e.Prompt(answer.ID)
			asked, _ := p.Input.(*clarify.Confirm)
			beside := asked != nil && asked.Danger && slices.ContainsFunc(a.Answers, func(other clarify.Answer) bool { return isExcepted(e, a, other) })
			require.True(t, beside || isExcepted(e, a, answer), "%s of %q", answer.ID, a.Summary()) // what is not read back is a doubt
		}
		require.Empty(t, got, "%q", a.Summary())
		if !isWhole {
			continue
		}
		seen[fmt.Sprint("proceed ", words.Proceed())]++
		require.Equal(t, clarify.SourceText, words.Source(), "%q", a.Summary())
		require.Equal(t, conclusions(structured), conclusions(words), "%q", a.Summary())
		require.Empty(t, words.Violations())
		require.Empty(t, words.Remainder())
		require.Equal(t, len(words.Missing()) == 0, words.State() >= clarify.StateCancelled)
	}
	for _, what := range []string{"excepted choice", "excepted confirm", "proceed true", "proceed false"} {
		assert.GreaterOrEqual(t, seen[what], 20, what)
	}
}

// conclusions are what follows from the answers of a reply.
func conclusions(r *clarify.Reply) []any {
	return []any{r.Missing(), r.Violations(), r.State()}
}

// TestAdvice writes what the model is told that the user can write: it decides the confirm.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const quoted = `("(?:\\.|[^"\\])*")`
	advice := regexp.MustCompile(`(?m)^missing: ` + quoted + `.*; the user can press a button(?:, or write ` + quoted + ` or ` + quoted + `)?$`)
	followed, none := 0, 0
	follow := func(e *clarify.Envelope) {
		for _, m := range advice.FindAllStringSubmatch(e.Read("").ForModel(), -1) {
			if m[2] == "" {
				none++
				continue
			}
			followed++
			var id, yes, no string
			for i, s := range []*string{&id, &yes, &no} {
				require.NoError(t, json.Unmarshal([]byte(m[1+i]), s), m[0])
			}
			require.Equal(t, clarify.Confirmed, e.Read(yes).Decision(id), "%s\n%s", m[0], Output(e).Compact())
			require.Equal(t, clarify.Cancelled, e.Read(no).Decision(id), m[0])
		}
	}
	for _, v := range ReplyVectors(t) {
		if e, err := clarify.Parse(string(v.Envelope)); err == nil {
			follow(e)
		}
	}
	for i := range 2_000 {
		g := New(uint64(i))
		e := g.dangers()
		g.Relabel(e)
		follow(e)
	}
	assert.GreaterOrEqual(t, followed, 1_000)
	assert.GreaterOrEqual(t, none, 50)
}

// checkDangers fails if r says yes where the oracle of the rules does not.
func checkDangers(t testing.TB, e *clarify.Envelope, message string, r *clarify.Reply) {
	t.Helper()
	rules := readByRules(e, message)
	for _, p := range e.Prompts {
		in, ok := p.Input.(*clarify.Confirm)
		if !ok || !in.Danger || rules.decisions[p.ID] == clarify.Confirmed {
			continue
		}
		if r.Proceed() || r.Decision(p.ID) == clarify.Confirmed {
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
		for range perEnvelope {
			message, kind := g.said(e)
			for range g.IntN(4) { // some stay as they are
				message = g.mutateMessage(e, message)
			}
			r := e.Read(message)
			checkDangers(t, e, message, r)
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
		checkDangers(t, e, message, r)
		require.Equal(t, r, e.Read(message), "read twice")
	})
}
