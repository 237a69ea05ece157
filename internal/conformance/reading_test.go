package conformance

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The prompts of the table: a short text for each. "!" is a danger, "?" an
// optional prompt, "+" a choice that allows several.

func asked(prompts ...clarify.Prompt) *clarify.Envelope { return &clarify.Envelope{Prompts: prompts} }

func askedFlags(id string) (string, clarify.Prompt) {
	name := strings.TrimRight(id, "!?+")
	return id[len(name):], clarify.Prompt{ID: name, Question: "Q", Optional: strings.Contains(id[len(name):], "?")}
}

func askConfirm(id string, labels ...string) clarify.Prompt {
	flags, p := askedFlags(id)
	labels = append(labels, "", "")
	p.Input = &clarify.Confirm{ConfirmLabel: labels[0], CancelLabel: labels[1], Danger: strings.Contains(flags, "!")}
	return p
}

func askText(id string) clarify.Prompt {
	_, p := askedFlags(id)
	p.Input = &clarify.Text{}
	return p
}

// askChoice asks for one of options, each written id=label.
func askChoice(id string, options ...string) clarify.Prompt {
	flags, p := askedFlags(id)
	in := &clarify.Choice{AllowMultiple: strings.Contains(flags, "+")}
	for _, o := range options {
		id, label, _ := strings.Cut(o, "=")
		in.Options = append(in.Options, clarify.Option{ID: id, Label: label})
	}
	p.Input = in
	return p
}

// TestOracleCases holds the oracle against sentences and examples of
// docs/rules.md, and not against the library.
func TestOracleCases(t *testing.T) {
	const open = `{"protocol":"appwrite.clarify/v1","answers":[`
	var (
		danger   = asked(askConfirm("sure!"))
		plain    = asked(askConfirm("sure"))
		own      = asked(askConfirm("sure!", "Delete", "Keep"))
		bucket   = asked(askChoice("bucket", "a=Avatars", "u=Uploads"))
		buckets  = asked(askChoice("bucket+", "a=Avatars", "u=Uploads", "s=Salt and pepper"))
		city     = asked(askChoice("city", "f=Frankfurt", "p=Paris"))
		crossed  = asked(askChoice("env", "prod=staging", "staging=prod"))
		days     = asked(askChoice("days", "x=3 days", "y=2 days", "z=1 day"))
		dayWords = asked(askChoice("days", "x=Three days", "y=Two days", "z=One day"))
		note     = asked(askText("note"), askConfirm("sure!"))
		mixed    = asked(askChoice("bucket", "a=Avatars", "u=Uploads"), askConfirm("sure!"), askText("note?"))
		nested   = asked(askConfirm("a"), askConfirm("a:b"))
		twins    = asked(askConfirm("sure!"), askConfirm("sure!"))
		quoted   = asked(askConfirm("A b!"), askConfirm("a b!"))
	)
	skipped := asked(askConfirm("sure"))
	skipped.Skipped = []clarify.Skipped{{}}
	labelled := func(id string, labels ...string) *clarify.Envelope { return asked(askConfirm(id, labels...)) }
	choosing := func(id string, options ...string) *clarify.Envelope { return asked(askChoice(id, options...)) }

	for _, c := range []struct {
		e             *clarify.Envelope
		message, want string
	}{
		// Which reading.
		{nil, "sure: confirmed", `chat; rest "sure: confirmed"; nothing_asked`},
		{asked(), "yes", `chat; rest "yes"; nothing_asked`},
		{danger, " \n\u0085", `chat; missing ["sure"]; unanswered`},
		{danger, strings.Repeat(" ", clarify.MaxSize) + "no", fmt.Sprintf(`chat; missing ["sure"]; rest %q; unanswered`, strings.Repeat(" ", clarify.MaxSize)+"no")},
		{danger, "{ sure: confirmed", `chat; missing ["sure"]; rest "{ sure: confirmed"; unanswered`},
		{danger, "\u0085[x]\nsure: confirmed", `chat; missing ["sure"]; rest "\u0085[x]\nsure: confirmed"; unanswered`},
		{danger, "Please go on.", `chat; missing ["sure"]; rest "Please go on."; unanswered`},
		{danger, `{"protocol":"appwrite.clarify/v2","answers":[]}`, `chat; missing ["sure"]; rest "{\"protocol\":\"appwrite.clarify/v2\",\"answers\":[]}"; unanswered`},

		// Structured answers.
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true}]}`, `structured; sure: confirmed (answers[0], structured); confirmed; proceed`},
		{danger, open + `{"id":"sure","kind":"\u00a0confirm","confirmed":true}]}`, `structured; sure: confirmed (answers[0], structured); confirmed; proceed`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":"true"}]}`, `structured; !answers[0].confirmed wrong_type; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm"}]}`, `structured; !answers[0].confirmed missing; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"text","value":"x"}]}`, `structured; !answers[0].kind wrong_kind; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"button"}]}`, `structured; !answers[0].kind unknown_kind; missing ["sure"]; unanswered`},
		{danger, open + `7,{"kind":"text"},{"id":7},{"id":" "}]}`, `structured; !answers[0] wrong_type; !answers[1].id missing; !answers[2].id wrong_type; !answers[3].id blank; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true},{"id":"Sure","kind":"confirm","confirmed":true}]}`, `structured; !answers[1].id unknown_id; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true},{"id":"x","id":"sure"}]}`, `structured; !answers[1] duplicate_key; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true},{"id":"other","kind":"text","value":"x"}]}`, `structured; !answers[0] unclear; !answers[1].id unknown_id; missing ["sure"]; rest "answers[1]: {\"id\":\"other\",\"kind\":\"text\",\"value\":\"x\"}"; unanswered`},
		{twins, open + `{"id":"sure","kind":"confirm","confirmed":true}]}`, `structured; !answers[0].id ambiguous_id; missing ["sure" "sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true},{"id":"sure","kind":"confirm","confirmed":true}]}`, `structured; sure: confirmed (answers[0], structured); confirmed; proceed`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true},{"id":"sure","kind":"confirm","confirmed":false}]}`, `structured; !answers[1] conflict; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true}],"x":1,"x":2}`, `structured; !answers duplicate_key; missing ["sure"]; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true,"comment":"not yet"}]}`, `structured; !answers[0] unclear; missing ["sure"]; rest "comment: not yet"; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true,"value":"no"}],"x":{"deep":[1,"wait"]}}`, `structured; !answers[0] unclear; missing ["sure"]; rest "value: no\nx: {\"deep\":[1,\"wait\"]}"; unanswered`},
		{danger, open + `{"id":"sure","kind":"confirm","confirmed":true,"ms":3,"x":[" "],"y":{"key":null}}]}`, `structured; sure: confirmed (answers[0], structured); confirmed; proceed`},
		{bucket, open + `{"id":"bucket","kind":"choice","values":["a","a"]}]}`, `structured; bucket: a (answers[0], structured); complete`},
		{bucket, open + `{"id":"bucket","kind":"choice","values":["a","u"]}]}`, `structured; !answers[0].values too_many; missing ["bucket"]; unanswered`},
		{bucket, open + `{"id":"bucket","kind":"choice","values":["A"]}]}`, `structured; !answers[0].values[0] unknown_option; missing ["bucket"]; unanswered`},
		{bucket, open + `{"id":"bucket","kind":"choice","values":[]}]}`, `structured; !answers[0].values missing; missing ["bucket"]; unanswered`},
		{choosing("bucket?", "a=A", "b=B"), open + `{"id":"bucket","kind":"choice","values":[]}]}`, `structured; unanswered`},
		{choosing("bucket+", "a=A", "a=B", "c=C"), open + `{"id":"bucket","kind":"choice","values":["c",null,7,"","a"]}]}`, `structured; !answers[0].values[1] missing; !answers[0].values[2] wrong_type; !answers[0].values[3] blank; !answers[0].values[4] ambiguous_id; missing ["bucket"]; unanswered`},
		{note, open + `{"id":"note","kind":"text","value":"\u0085"}]}`, `structured; !answers[0].value blank; missing ["note" "sure"]; unanswered`},

		// Lines, and lines that name a prompt.
		{danger, "sure: confirmed", `text; sure: confirmed (line 1, word); confirmed; proceed`},
		{danger, "\t- **Sure** => Confirmed!", `text; sure: confirmed (line 1, word); confirmed; proceed`},
		{danger, "1) “sure\"→`confirmed`.", "text; sure: confirmed (line 1, word); confirmed; proceed"},
		{danger, "12. 'SURE' ＝ confirmed", `text; sure: confirmed (line 1, word); confirmed; proceed`},
		{danger, "-sure: confirmed", `chat; missing ["sure"]; rest "-sure: confirmed"; unanswered`},
		{danger, "su\u200bre: confirmed", `chat; missing ["sure"]; rest "su\u200bre: confirmed"; unanswered`},
		{danger, "ſure: confirmed", `text; sure: confirmed (line 1, word); confirmed; proceed`},
		{danger, "\"sure \": confirmed", `chat; missing ["sure"]; rest "\"sure \": confirmed"; unanswered`},
		{danger, "sure: confirmed\r\nBut wait.\r\n", `text; !line 1 unclear; missing ["sure"]; rest "But wait.\r\n"; unanswered`},
		{danger, "sure: confirmed\nsure: maybe", `text; !line 2 unclear; missing ["sure"]; rest "sure: maybe"; unanswered`},
		{danger, "sure: maybe\nsure: confirmed", `text; !line 1 unclear; missing ["sure"]; rest "sure: maybe\n"; unanswered`},
		{danger, "sure: confirmed\nsure: no", `text; !line 2 conflict; missing ["sure"]; unanswered`},
		{danger, "sure: confirmed\vsure: Confirmed.", `text; sure: confirmed (line 1, word); confirmed; proceed`},
		{danger, "sure: confirmed\n  unless it rains", `chat; missing ["sure"]; rest "sure: confirmed\n  unless it rains"; unanswered`},
		{nested, "a:b: yes", `chat; missing ["a" "a:b"]; rest "a:b: yes"; unanswered`},
		{nested, `"a:b": yes`, `text; "a:b": confirmed (line 1, yes_no); missing ["a"]; incomplete`},
		{twins, "sure: no", `text; !line 1 ambiguous_id; missing ["sure" "sure"]; rest "sure: no"; unanswered`},
		{quoted, "a b: confirmed", `text; !line 1 ambiguous_id; missing ["A b" "a b"]; rest "a b: confirmed"; unanswered`},
		{quoted, "\"A b\": confirmed", `text; "A b": confirmed (line 1, word); missing ["a b"]; incomplete`},
		{asked(askConfirm("a\u001d!")), "a\u001d: confirmed", `text; "a\u001d": confirmed (line 1, word); confirmed; proceed`},
		{asked(askConfirm("a\u001d!"), askText("a")), "a\u001d: confirmed", `text; !line 1 ambiguous_id; missing ["a\x1d" "a"]; rest "a\x1d: confirmed"; unanswered`},
		{asked(askConfirm("a\xff!")), "a\ufffd: confirmed", `chat; missing ["a\xff"]; rest "a�: confirmed"; unanswered`},
		{asked(clarify.Prompt{ID: "x"}), "x: y", `chat; missing ["x"]; rest "x: y"; unanswered`},

		// The values of texts.
		{note, "note: old\n\nsure: confirmed", "text; note: old (line 1, text); sure: confirmed (line 3, word); confirmed; proceed"},
		{note, "note:  old \u2028   new\n  \n  end\nsure: no", "text; note: old \n   new\n  \n  end (line 1, text); sure: cancelled (line 5, yes_no); cancelled"},
		{note, "note: old\n  sure: confirmed\nsure: confirmed", "text; note: old\n  sure: confirmed (line 1, text); !line 2 conflict; missing [\"sure\"]; incomplete"},
		{note, "sure: confirmed\nnote: sure: no", "text; note: sure: no (line 2, text); !line 2 conflict; missing [\"sure\"]; incomplete"},
		{note, "note:\nsure: confirmed", `text; !line 1 blank; !line 2 unclear; missing ["note" "sure"]; rest "note:\n"; unanswered`},
		{mixed, "note:", "text; note:  (line 1, text); missing [\"bucket\" \"sure\"]; incomplete"},
		{note, "note: **x**", "text; note: **x** (line 1, text); missing [\"sure\"]; incomplete"},

		// The values of choices.
		{bucket, "bucket: a", "text; bucket: a (line 1, option_id); complete"},
		{bucket, "bucket: - *Avatars*!", `text; bucket: a (line 1, label); complete`},
		{bucket, "bucket: - *Avatars!*", "text; bucket: a (line 1, label); complete"},
		{bucket, "bucket:\n\t- Avatars\n", "text; bucket: a (line 1, label); complete"},
		{bucket, "bucket: 2)", "text; bucket: u (line 1, number); complete"},
		{bucket, "bucket: 02", `chat; missing ["bucket"]; rest "bucket: 02"; unanswered`},
		{days, "days: 3", `chat; missing ["days"]; rest "days: 3"; unanswered`},
		{dayWords, "3", `chat; missing ["days"]; rest "3"; unanswered`},
		{city, "city: Frankfurt?", `chat; missing ["city"]; rest "city: Frankfurt?"; unanswered`},
		{crossed, "env: prod", `chat; missing ["env"]; rest "env: prod"; unanswered`},
		{buckets, "bucket: Uploads, 1 and Salt and pepper", `chat; missing ["bucket"]; rest "bucket: Uploads, 1 and Salt and pepper"; unanswered`},
		{buckets, "bucket: Uploads; 1, AND Salt and pepper", "text; bucket: u, a, s (line 1, number); complete"},
		{buckets, "bucket: a AND Uploads", "text; bucket: a, u (line 1, label); complete"},
		{buckets, "bucket:\n- u\n- a\n- u", "text; bucket: u, a (line 1, option_id); complete"},
		{buckets, "bucket:\na\n  \n  u", `text; bucket: a, u (line 1, option_id); complete`},
		{mixed, "bucket:\n  a\n  sure: confirmed", `chat; missing ["bucket" "sure"]; rest "bucket:\n  a\n  sure: confirmed"; unanswered`},
		{mixed, "bucket: a\n  sure: confirmed", `chat; missing ["bucket" "sure"]; rest "bucket: a\n  sure: confirmed"; unanswered`},
		{buckets, "bucket:\na\n\nu", "text; bucket: a (line 1, option_id); rest \"u\"; complete"},
		{choosing("bucket+", "a=A", "b=B", "c=A and B"), "bucket: A and B", `text; bucket: c (line 1, label); complete`},
		{choosing("bucket+", "x=a, b", "a=A", "b=B"), "bucket: a, b", `text; bucket: a, b (line 1, option_id); complete`},
		{choosing("bucket", "a=X", "a=Y"), "bucket: X", `chat; missing ["bucket"]; rest "bucket: X"; unanswered`},
		{choosing("k", "x=\uac00", "y=Straße"), "k: \u1100\u1161", "text; k: x (line 1, label); complete"},
		{choosing("k", "x=\uac00", "y=Straße"), "k: STRAẞE", "text; k: y (line 1, label); complete"},
		{choosing("k", "x=\u3164", "y=Other"), "k:", `chat; missing ["k"]; rest "k:"; unanswered`},

		// The values of confirms.
		{plain, "sure: yes", "text; sure: confirmed (line 1, yes_no); confirmed; proceed"},
		{plain, "sure: yes?", `chat; missing ["sure"]; rest "sure: yes?"; unanswered`},
		{danger, "sure: **Yes!**", "text; sure: confirmed (line 1, yes_no); confirmed; proceed"},
		{own, "sure: yes", `chat; missing ["sure"]; rest "sure: yes"; unanswered`},
		{own, "sure: delete", "text; sure: confirmed (line 1, button); confirmed; proceed"},
		{own, "sure: false", "text; sure: cancelled (line 1, yes_no); cancelled"},
		{labelled("sure", "Delete", "Yes, keep it"), "sure: yes", `chat; missing ["sure"]; rest "sure: yes"; unanswered`},
		{labelled("sure", "Nothing else, delete"), "sure: no", `chat; missing ["sure"]; rest "sure: no"; unanswered`},
		{labelled("sure", "Cancel", "Keep"), "sure: Cancel", `chat; missing ["sure"]; rest "sure: Cancel"; unanswered`},
		{labelled("sure", "Delete", "Confirm"), "sure: confirm", `chat; missing ["sure"]; rest "sure: confirm"; unanswered`},
		{labelled("sure", "Don’t keep", "Keep"), "sure: don't keep", `chat; missing ["sure"]; rest "sure: don't keep"; unanswered`},
		{labelled("sure", "Do not keep", "Keep"), "sure: do not keep", `chat; missing ["sure"]; rest "sure: do not keep"; unanswered`},
		{labelled("sure", "Go", "Go?"), "sure: go", `chat; missing ["sure"]; rest "sure: go"; unanswered`},
		{labelled("sure", "Go", "confirmed"), "sure: confirmed", `chat; missing ["sure"]; rest "sure: confirmed"; unanswered`},
		{labelled("sure!", "Confirm!", "Keep"), "sure: yes", "text; sure: confirmed (line 1, yes_no); confirmed; proceed"},
		{danger, "sure: ok", `chat; missing ["sure"]; rest "sure: ok"; unanswered`},

		// Without an id.
		{plain, " Yes.\n", "text; sure: confirmed (message, yes_no); confirmed; proceed"},
		{danger, "yes", `chat; missing ["sure"]; rest "yes"; unanswered`},
		{danger, "confirmed", `chat; missing ["sure"]; rest "confirmed"; unanswered`},
		{own, "Delete", `chat; missing ["sure"]; rest "Delete"; unanswered`},
		{own, "keep", "text; sure: cancelled (message, button); cancelled"},
		{mixed, "no", "text; sure: cancelled (message, yes_no); cancelled"},
		{asked(askChoice("k", "x=No", "y=Maybe"), askConfirm("sure!")), "no", `chat; missing ["k" "sure"]; rest "no"; unanswered`},
		{nested, "no", `chat; missing ["a" "a:b"]; rest "no"; unanswered`},
		{skipped, "yes", `chat; missing ["sure"]; rest "yes"; unanswered`},
		{skipped, "no", "text; sure: cancelled (message, yes_no); cancelled"},
		{skipped, "sure: yes", "text; sure: confirmed (line 1, yes_no); incomplete"},
		{bucket, "Avatars", "text; bucket: a (message, label); complete"},
		{buckets, "Avatars\r\nu", "text; bucket: a, u (message, label); complete"},
		{plain, "👍", `chat; missing ["sure"]; rest "👍"; unanswered`},

		// What counts.
		{mixed, "bucket: a\nsure: confirmed", "text; bucket: a (line 1, option_id); sure: confirmed (line 2, word); confirmed; proceed"},
		{mixed, "bucket: a\nbucket: Avatars\nsure: confirmed", "text; bucket: a (line 1, option_id); sure: confirmed (line 3, word); confirmed; proceed"},
		{mixed, "sure: confirmed", "text; sure: confirmed (line 1, word); missing [\"bucket\"]; incomplete"},
		{mixed, "sure: no\nwhat?", "text; sure: cancelled (line 1, yes_no); rest \"what?\"; cancelled"},
		{asked(askConfirm("sure"), askConfirm("wipe!?")), "sure: yes", "text; sure: confirmed (line 1, yes_no); complete"},
		{asked(askConfirm("sure"), askConfirm("also?")), "sure: yes\nthanks", "text; sure: confirmed (line 1, yes_no); rest \"thanks\"; confirmed; proceed"},
	} {
		assert.Equal(t, c.want, readByRules(c.e, c.message).String(), "%q", c.message[max(0, len(c.message)-300):])
	}
}

// verdictOf returns what the library says, as a verdict.
func verdictOf(e *clarify.Envelope, r *clarify.Reply) verdict {
	v := verdict{source: r.Source(), remainder: r.Remainder(), decisions: map[string]clarify.Decision{}, proceed: r.Proceed(), state: r.State()}
	if missing := r.Missing(); len(missing) > 0 {
		v.missing = missing
	}
	for _, found := range r.Evidence() {
		v.answers = append(v.answers, foundAnswer{found.Answer.ID, found.Answer.Payload, found.Path, found.Rule})
	}
	for _, w := range r.Violations() {
		v.violations = append(v.violations, violationAt{w.Path, w.Code})
	}
	v.violations = asSet(v.violations)
	v.complete = v.answers != nil && v.missing == nil && v.violations == nil
	for _, p := range e.Prompts {
		if _, confirm, _ := inputsOf(p); confirm != nil {
			v.decisions[p.ID] = r.Decision(p.ID)
		}
	}
	return v
}

// has reports whether v has the same answer as a, wherever it was read.
func (v verdict) has(a foundAnswer) bool {
	return slices.ContainsFunc(v.answers, func(b foundAnswer) bool { return a.id == b.id && samePayload(a.payload, b.payload) })
}

// difference says in which way the library differs from the rules: "" if in
// none.
func difference(rules, library verdict) string {
	doubtful := library.proceed && !rules.proceed
	for id, decision := range library.decisions {
		doubtful = doubtful || decision == clarify.Confirmed && rules.decisions[id] != clarify.Confirmed
	}
	lost := slices.ContainsFunc(rules.answers, func(a foundAnswer) bool { return !library.has(a) })
	switch {
	case doubtful:
		return "doubtful"
	case lost:
		return "lost"
	case rules.String() != library.String() || !maps.Equal(rules.decisions, library.decisions) || rules.complete != library.complete:
		return "other"
	}
	return ""
}

// A readingTally counts what TestReadByTheRules tried, by kind of message.
type readingTally struct {
	tried, answered, confirmed, dangers, refused map[string]int
	differences                                  map[string]int
	shown                                        []shownDifference
}

type shownDifference struct {
	seed      uint64
	way, text string
}

func newReadingTally() *readingTally {
	return &readingTally{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, nil}
}

// read compares one message.
func (c *readingTally) read(seed uint64, e *clarify.Envelope, kind, message string) {
	rules, library := readByRules(e, message), verdictOf(e, e.Read(message))
	c.tried[kind]++
	if rules.answers != nil {
		c.answered[kind]++
	}
	if rules.proceed {
		c.confirmed[kind]++
	}
	if rules.violations != nil {
		c.refused[kind]++
	}
	for _, p := range e.Prompts {
		if _, confirm, _ := inputsOf(p); confirm != nil && confirm.Danger && rules.decisions[p.ID] == clarify.Confirmed {
			c.dangers[kind]++
		}
	}
	way := difference(rules, library)
	if way == "" {
		return
	}
	if c.differences[way]++; c.differences[way] > 4 {
		return
	}
	shown := &clarify.Envelope{Prompts: slices.Clone(e.Prompts)}
	for i, p := range shown.Prompts {
		if kindOfInput(p) == "" {
			shown.Prompts[i].Input = nil
		}
	}
	cut := func(s string) string { return s[:min(len(s), 1500)] }
	text := fmt.Sprintf("envelope %s, skipped %v\nmessage  %q\nrules    %s\nlibrary  %s", cut(Output(shown).Compact()), e.Skipped != nil, cut(message), cut(rules.String()), cut(library.String()))
	c.shown = append(c.shown, shownDifference{seed, way, text})
}

// TestReadByTheRules compares the library with the rules. It fails first for what
// the library confirms against the rules, then for what it loses.
func TestReadByTheRules(t *testing.T) {
	const perSeed, perEnvelope = 500, 10
	n := inputs(30_000, 10_000_000)
	var next atomic.Uint64
	tallies := make([]*readingTally, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for worker := range tallies {
		tally := newReadingTally()
		tallies[worker] = tally
		wg.Go(func() {
			for seed := next.Add(1); int(seed-1)*perSeed < n; seed = next.Add(1) {
				g := New(seed)
				var e *clarify.Envelope
				for i := range perSeed {
					if i%perEnvelope == 0 {
						e = g.oddEnvelope()
					}
					kind, message := g.messageTo(e)
					tally.read(seed, e, kind, message)
				}
			}
		})
	}
	wg.Wait()

	sum := newReadingTally()
	for _, tally := range tallies {
		add := func(to, from map[string]int) {
			for key, n := range from {
				to[key] += n
			}
		}
		add(sum.tried, tally.tried)
		add(sum.answered, tally.answered)
		add(sum.confirmed, tally.confirmed)
		add(sum.dangers, tally.dangers)
		add(sum.refused, tally.refused)
		add(sum.differences, tally.differences)
		sum.shown = append(sum.shown, tally.shown...)
	}
	slices.SortStableFunc(sum.shown, func(a, b shownDifference) int { return int(a.seed) - int(b.seed) })
	for _, kind := range triedKinds {
		t.Logf("%-10s %8d messages, %8d with answers, %8d proceed, %8d dangers confirmed, %8d with violations", kind,
			sum.tried[kind], sum.answered[kind], sum.confirmed[kind], sum.dangers[kind], sum.refused[kind])
		percent := func(counts map[string]int) int { return 100 * counts[kind] / max(1, sum.tried[kind]) }
		least := map[string]int{kindClear: 60, kindWords: 20, kindWhole: 5, kindStructured: 20, kindSummary: 60, kindDamaged: 15}[kind]
		assert.GreaterOrEqual(t, percent(sum.answered), least, "%s messages are not answered", kind)
		assert.Less(t, percent(sum.answered), 99, "%s messages are too easy", kind)
		if kind != kindWhole { // it never confirms a danger
			assert.NotZero(t, sum.dangers[kind], "no %s message confirms a danger", kind)
			assert.NotZero(t, sum.refused[kind], "no %s message has a violation", kind)
		}
		assert.NotZero(t, sum.confirmed[kind], "no %s message proceeds", kind)
	}
	for _, way := range []string{"doubtful", "lost", "other"} {
		shown := 0
		for _, d := range sum.shown {
			if d.way != way {
				continue
			}
			if shown++; shown <= 4 {
				t.Logf("%s, seed %d:\n%s", way, d.seed, d.text)
			}
		}
		assert.Zero(t, sum.differences[way], "%s: the library differs from the rules", way)
	}
}
