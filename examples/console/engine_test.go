package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A talk is a conversation with the engine, without a Console.
type talk struct {
	*testing.T
	engine   *engine
	id       string
	timeline []entry
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	s := testStore(t, filepath.Join(t.TempDir(), "console.db"))
	return &talk{T: t, engine: &engine{script, s}, id: "talk"}
}

// testStore opens a database.
func testStore(t *testing.T, name string) *store {
	t.Helper()
	s, err := openStore(t.Context(), name)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// says sends the user's message and returns the question that is open after the
// turn, or nil.
func (k *talk) says(message string) *clarify.Envelope {
	k.Helper()
	k.timeline = append(k.timeline, entry{Message: message})
	events, err := k.engine.turn(k.Context(), request(k.id, k.timeline))
	require.NoError(k, err, message)
	k.timeline = told(k.timeline, events)
	require.Equal(k, eventTurnEnd, events[len(events)-1].Type)
	return replay(k.timeline).Pending()
}

// request returns the request of a Console that has the timeline.
func request(id string, timeline []entry) turnRequest {
	return (&conversation{id: id, timeline: timeline}).request()
}

// told returns the timeline with the events at its end.
func told(timeline []entry, events []clarify.Event) []entry {
	timeline = slices.Clone(timeline)
	for _, ev := range events {
		timeline = append(timeline, entry{Event: &ev})
	}
	return timeline
}

// answers sends structured answers.
func (k *talk) answers(answers ...clarify.Answer) *clarify.Envelope {
	k.Helper()
	talk := replay(k.timeline)
	for i, a := range answers {
		for _, p := range talk.Pending().Prompts {
			if strings.HasPrefix(p.ID, a.ID+".") { // a later question has ids of its own
				answers[i].ID = p.ID
			}
		}
	}
	b, err := clarify.Answers{For: talk.Reference(), Answers: answers}.AppendJSON(nil)
	require.NoError(k, err)
	return k.says(string(b))
}

func message(t *testing.T, answers ...clarify.Answer) string {
	t.Helper()
	b, err := clarify.Answers{Answers: answers}.AppendJSON(nil)
	require.NoError(t, err)
	return string(b)
}

func choose(id string, values ...string) clarify.Answer {
	return clarify.Answer{ID: id, Payload: &clarify.ChoiceAnswer{Values: values}}
}

func decide(id string, confirmed bool) clarify.Answer {
	return clarify.Answer{ID: id, Payload: &clarify.ConfirmAnswer{Confirmed: confirmed}}
}

func write(id, text string) clarify.Answer {
	return clarify.Answer{ID: id, Payload: &clarify.TextAnswer{Value: text}}
}

// changes returns what the engine did in the conversation, in words.
func (s *store) changes(t *testing.T, id string) (done []string) {
	t.Helper()
	last, _, err := s.last(t.Context(), id)
	require.NoError(t, err)
	for n := range last.Turn {
		rec, err := s.turn(t.Context(), id, n+1)
		require.NoError(t, err)
		for _, c := range rec.Changes {
			done = append(done, strings.Join(strings.Fields(fmt.Sprint(c.Do, " ", c.Bucket, " ", c.Region, " ", c.To)), " "))
		}
	}
	return done
}

func (k *talk) did(want ...string) {
	k.Helper()
	require.Equal(k, want, k.engine.store.changes(k.T, k.id))
}

func (k *talk) buckets() map[string]bucket {
	k.Helper()
	_, buckets, err := k.engine.store.last(k.Context(), k.id)
	require.NoError(k, err)
	return buckets
}

func (k *talk) has(want ...string) {
	k.Helper()
	require.Equal(k, want, slices.Sorted(maps.Keys(k.buckets())))
}

// asks wants prompts with these ids in the question, which is nil if there are none.
func (k *talk) asks(e *clarify.Envelope, want ...string) {
	k.Helper()
	var got []string
	if e != nil {
		for _, p := range e.Prompts {
			name, _, _ := strings.Cut(p.ID, ".")
			got = append(got, name)
		}
	}
	require.Equal(k, want, got)
}

func TestTheFirstQuestionHasEveryKind(t *testing.T) {
	e := newTalk(t).says(opening)
	var got []string
	for _, p := range e.Prompts {
		got = append(got, fmt.Sprintf("%s optional=%t", p.Kind(), p.Optional))
	}
	assert.Equal(t, []string{"choice optional=false", "text optional=true", "confirm optional=false"}, got)
	p, _ := e.Prompt(askDelete)
	assert.True(t, p.Input.(*clarify.Confirm).Danger)
	p, _ = e.Prompt(askBuckets)
	assert.True(t, p.Input.(*clarify.Choice).AllowMultiple)
	assert.Nil(t, e.Lint())
}

func TestAnswersActAsTheyRead(t *testing.T) {
	three := choose(askBuckets, "logs", "thumbnails", "uploads")
	for _, tt := range []struct {
		name   string
		answer string
		asks   []string
		did    []string
	}{
		{"confirmed", message(t, three, decide(askDelete, true)), nil,
			[]string{"delete logs", "delete thumbnails", "delete uploads"}},
		{"with copies", message(t, choose(askBuckets, "logs"), write(askArchive, "old-logs"), decide(askDelete, true)), nil,
			[]string{"create old-logs fra", "copy logs old-logs", "delete logs"}},
		{"in words", "buckets: logs, uploads\nconfirm_delete: confirmed", nil, []string{"delete logs", "delete uploads"}},
		{"cancelled", message(t, three, decide(askDelete, false)), nil, nil},
		{"cancelled alone", message(t, decide(askDelete, false)), nil, nil},
		{"a yes without a choice", message(t, decide(askDelete, true)), []string{askBuckets, askArchive, askDelete}, nil},
		{"a choice without a yes", message(t, three), []string{askArchive, askDelete}, nil},
		{"a yes as a string", `{"protocol":"appwrite.clarify/v1","answers":[{"id":"buckets","kind":"choice","values":["logs"]},{"id":"confirm_delete","kind":"confirm","confirmed":"true"}]}`,
			[]string{askArchive, askDelete}, nil},
		{"a yes and a no", message(t, three, decide(askDelete, true), decide(askDelete, false)), []string{askArchive, askDelete}, nil},
		{"a bucket that was not offered", message(t, choose(askBuckets, "logs", "secrets"), decide(askDelete, true)), []string{askBuckets, askArchive, askDelete}, nil},
		{"an answer to another question", message(t, three, decide(askDelete, true), decide(askGuarded, true)), []string{askArchive, askDelete}, nil},
		{"a bad name for the archive", message(t, three, write(askArchive, "Not A Name"), decide(askDelete, true)), []string{askArchive, askDelete}, nil},
		{"a taken name for the archive", message(t, three, write(askArchive, "avatars"), decide(askDelete, true)), []string{askArchive, askDelete}, nil},
		{"the guarded bucket", message(t, choose(askBuckets, guarded), decide(askDelete, true)), []string{askGuarded}, nil},
		{"chat", "Wait, what would that break?", nil, nil},
		{"yes", "yes", nil, nil},
		{"confirmed, without an id", "confirmed", nil, nil},
		{"nothing", " ", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTalk(t)
			k.says(opening)
			k.asks(k.says(tt.answer), tt.asks...)
			k.did(tt.did...)
		})
	}
}

func TestTheGuardedBucketNeedsItsOwnYes(t *testing.T) {
	for _, yes := range []bool{true, false} {
		k := newTalk(t)
		k.says(opening)
		k.asks(k.answers(choose(askBuckets, guarded, "logs"), decide(askDelete, true)), askGuarded)
		k.did()
		k.asks(k.answers(decide(askGuarded, yes)))
		if yes {
			k.did("delete backups", "delete logs")
			k.has("avatars", "thumbnails", "uploads")
		} else {
			k.did()
		}
	}
}

// A yes to the question about the guarded bucket counts only for that question.
func TestTheGuardedBucketIsAskedAboutEachTime(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	k.asks(k.answers(choose(askBuckets, guarded), decide(askDelete, true)), askGuarded)
	k.asks(k.answers(decide(askDelete, true)), askArchive, askDelete) // an answer to the question before
	k.asks(k.answers(decide(askDelete, true)), askGuarded)
	k.did()
	k.asks(k.answers(decide(askGuarded, true)))
	k.did("delete backups")
}

func TestWhatWasAnsweredIsNotAskedAgain(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	e := k.answers(choose(askBuckets, "logs", "uploads"), write(askArchive, "avatars"), decide(askDelete, true))
	k.asks(e, askArchive, askDelete)
	assert.Equal(t, "avatars", e.Prompts[0].Input.(*clarify.Text).DefaultValue)
	assert.Equal(t, "Delete logs and uploads with every file in it?", e.Prompts[1].Question)
	// The pre-filled name is not an answer. Without it no copies are kept, after another yes.
	e = k.answers(decide(askDelete, true))
	k.asks(e, askArchive, askDelete)
	assert.Empty(t, e.Prompts[0].Input.(*clarify.Text).DefaultValue)
	k.did()
	k.asks(k.answers(decide(askDelete, true)))
	k.did("delete logs", "delete uploads")
}

// What is too long for a default is asked again without one.
func TestLongAnswersAreAskedAgain(t *testing.T) {
	long := strings.Repeat("x", clarify.MaxDefaultValue+1)
	k := newTalk(t)
	k.says(opening)
	e := k.answers(choose(askBuckets, "logs"), write(askArchive, long), decide(askDelete, true))
	k.asks(e, askArchive, askDelete)
	assert.Empty(t, e.Prompts[0].Input.(*clarify.Text).DefaultValue)
	k.asks(k.says("create a bucket"), askName, askRegion)
	k.asks(k.answers(write(askName, long), choose(askRegion, "syd")), askName, askRegion)
	k.did()
}

func TestCreate(t *testing.T) {
	k := newTalk(t)
	k.asks(k.says("create a bucket"), askName, askRegion)
	k.asks(k.answers(choose(askRegion, "syd")), askName, askRegion)
	k.asks(k.answers(write(askName, "avatars"), choose(askRegion, "syd")), askName, askRegion)
	k.did()
	k.asks(k.answers(write(askName, " photos "), choose(askRegion, "syd")))
	k.did("create photos syd") // the third region is the third
	assert.Equal(t, "syd", k.buckets()["photos"].Region)
}

// The agent acts on an answer only if it asked the question itself.
func TestAQuestionThatTheEngineDidNotAskStartsNothing(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	for i, e := range k.timeline {
		if e.Event != nil && e.Event.Tool == clarify.ToolName {
			forged := *e.Event
			forged.Output = strings.Replace(forged.Output, "Which buckets can go?", "Which buckets do you like?", 1)
			k.timeline[i].Event = &forged
		}
	}
	require.Equal(t, "Which buckets do you like?", replay(k.timeline).Pending().Prompts[0].Question)
	k.asks(k.answers(choose(askBuckets, "logs"), decide(askDelete, true)))
	k.did()
}

func TestTheSameAnswerActsOnce(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	answer := message(t, choose(askBuckets, "logs"), decide(askDelete, true))
	before := k.timeline
	k.says(answer)
	once := k.timeline
	k.did("delete logs")

	// The request arrives again, and the engine sends the same turn.
	k.timeline = before
	k.says(answer)
	k.did("delete logs")
	assert.Equal(t, once, k.timeline)
	// The message arrives again, and answers nothing.
	k.says(answer)
	k.did("delete logs")
	// The bucket exists again, and the message arrives again.
	k.says("create a bucket")
	k.answers(write(askName, "logs"), choose(askRegion, "nyc"))
	k.says(answer)
	k.did("delete logs", "create logs nyc")
}

// Many requests load the same state. Only the one that saves first acts.
func TestTheFirstToSaveActs(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	ready := sync.WaitGroup{}
	ready.Add(2) // both have loaded the state, and the yes is theirs
	k.engine.script = func(t *turn) error {
		assert.True(k, t.talk.Use(t.asked))
		ready.Done()
		ready.Wait()
		return t.change(change{Do: doDelete, Bucket: t.reply.Values(askBuckets)[0]})
	}
	var all sync.WaitGroup
	var errs [2]error
	for i, name := range []string{"logs", "uploads"} {
		all.Go(func() {
			_, errs[i] = k.engine.turn(k.Context(), turnRequest{k.id, 2, message(t, choose(askBuckets, name), decide(askDelete, true)), 0, false})
		})
	}
	all.Wait()
	switch {
	case errs[0] == nil:
		assert.ErrorIs(t, errs[1], errAnotherConversation)
		k.did("delete logs")
	default:
		assert.ErrorIs(t, errs[0], errAnotherConversation)
		assert.NoError(t, errs[1])
		k.did("delete uploads")
	}
}

// Answers for another question answer nothing, and leave the one that waits open.
func TestALateFormAnswersNothing(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	late, err := clarify.Answers{
		For:     replay(k.timeline).Reference(),
		Answers: []clarify.Answer{choose(askBuckets, "logs"), decide(askDelete, true)},
	}.AppendJSON(nil)
	require.NoError(t, err)
	k.asks(k.says("make room"), askBuckets, askArchive, askDelete)
	k.asks(k.says(string(late)), askBuckets, askArchive, askDelete)
	k.did()
	k.asks(k.answers(choose(askBuckets, "uploads"), decide(askDelete, true)))
	k.did("delete uploads")
}

// A Console that has a part of the turn gets the rest, wherever the turn was cut.
func TestACutTurnIsToldToItsEnd(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	from := len(k.timeline) + 1 // after the message
	k.answers(choose(askBuckets, "logs", "uploads"), write(askArchive, "kept"), decide(askDelete, true))
	whole := k.timeline
	did := k.engine.store.changes(k.T, k.id)
	for cut := from; cut <= len(whole); cut++ {
		rest, err := k.engine.turn(k.Context(), request(k.id, whole[:cut]))
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, whole, told(whole[:cut], rest), "cut at %d", cut)
	}
	k.did(did...)
}

func TestAnotherStoryIsRefused(t *testing.T) {
	k := newTalk(t)
	k.says(opening)
	k.answers(choose(askBuckets, "logs"), decide(askDelete, false))
	whole := k.timeline
	last := len(whole) - 1 // the last message
	for whole[last].Event != nil {
		last--
	}
	yes := entry{Message: message(t, choose(askBuckets, "logs"), decide(askDelete, true))}
	event := entry{Event: &clarify.Event{Type: eventSay, Output: "no such thing was said"}}
	for name, timeline := range map[string][]entry{
		"empty":              nil,
		"only events":        {event},
		"a no turned yes":    append(slices.Clone(whole[:last]), yes),
		"a message too many": append(slices.Clone(whole), yes, yes),
		"events too many":    append(slices.Clone(whole), event),
		"a turn not taken":   append(slices.Clone(whole), yes, event),
	} {
		_, err := k.engine.turn(k.Context(), request(k.id, timeline))
		assert.ErrorIs(t, err, errAnotherConversation, name)
	}
	k.did()
}

func TestTheEngineRemembers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "console.db")
	s, err := openStore(t.Context(), file)
	require.NoError(t, err)
	k := &talk{T: t, engine: &engine{script, s}, id: "talk"}
	k.says(opening)
	k.answers(choose(askBuckets, guarded, "logs"), decide(askDelete, true))
	require.NoError(t, s.Close())
	k.engine = &engine{script, testStore(t, file)}
	k.answers(decide(askGuarded, true))
	k.did("delete backups", "delete logs")
	k.has("avatars", "thumbnails", "uploads")
}

// Whatever the agent tries, a turn that asks changes nothing.
func TestNothingChangesInATurnThatAsks(t *testing.T) {
	question := &clarify.Envelope{Prompts: []clarify.Prompt{{ID: "sure", Question: "Sure?", Input: &clarify.Confirm{Danger: true}}}}
	ask := func(t *turn) error { return t.ask(question, plan{Job: jobDelete, Buckets: []string{"logs"}}) }
	change := func(t *turn) error { return t.change(change{Do: doDelete, Bucket: "logs"}) }
	for _, tt := range []struct {
		name   string
		script func(*turn) error
		err    error // of the turn
		did    []string
		asks   []string
	}{
		{"ask, then change", func(t *turn) error {
			if err := ask(t); err != nil {
				return err
			}
			return change(t)
		}, errAsked, nil, nil},
		{"ask, then change, whatever the guard says", func(t *turn) error {
			if err := ask(t); err != nil {
				return err
			}
			change(t)
			change(t)
			return nil
		}, nil, nil, []string{"sure"}},
		{"change, then ask", func(t *turn) error {
			if err := change(t); err != nil {
				return err
			}
			return ask(t)
		}, errChanged, nil, nil},
		{"change, then ask, whatever the guard says", func(t *turn) error {
			if err := change(t); err != nil {
				return err
			}
			ask(t)
			return nil
		}, nil, []string{"delete logs"}, nil},
		{"a call that fails asks nothing", func(t *turn) error {
			if t.ask(&clarify.Envelope{}, plan{}) == nil {
				panic("an empty envelope was asked")
			}
			return change(t)
		}, nil, []string{"delete logs"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTalk(t)
			k.engine.script = tt.script
			k.timeline = []entry{{Message: "go on"}}
			events, err := k.engine.turn(k.Context(), request(k.id, k.timeline))
			require.ErrorIs(t, err, tt.err)
			k.timeline = told(k.timeline, events)
			k.did(tt.did...)
			k.asks(replay(k.timeline).Pending(), tt.asks...)
			k.engine.script = script // a turn that failed did not happen
			if tt.err != nil {
				k.timeline = nil
				k.asks(k.says(opening), askBuckets, askArchive, askDelete)
			}
		})
	}
}

// The agent can ask about the most buckets with the longest names, about one
// bucket and about none.
func TestTheAgentCanAskAboutAnyWorld(t *testing.T) {
	k := newTalk(t)
	for i := range clarify.MaxOptions {
		k.says("create a bucket")
		k.answers(write(askName, fmt.Sprintf("b%02d-%s", i, strings.Repeat("x", 20))), choose(askRegion, "fra"))
	}
	names := slices.Sorted(maps.Keys(k.buckets()))
	require.Len(t, names, clarify.MaxOptions)
	k.asks(k.says("make room"), askBuckets, askArchive, askDelete)
	k.asks(k.answers(choose(askBuckets, names...), write(askArchive, "everything"), decide(askDelete, true)), askGuarded)
	k.asks(k.answers(decide(askGuarded, true)))
	k.has("everything")
	k.asks(k.says("make room"), askArchive, askDelete)
	k.asks(k.answers(decide(askDelete, true)))
	k.has()
	k.asks(k.says("make room"))
	k.says("list")
}
