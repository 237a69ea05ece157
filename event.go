package clarify

import (
	"errors"
	"fmt"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
)

// EventToolEnd is the type of the event that carries a tool's result.
const EventToolEnd = "tool_end"

// An Event is one event of a turn's timeline. It is one JSON object, which a stream
// of server-sent events sends as "data: {…}".
type Event struct {
	Type   string // EventToolEnd, or another one
	Agent  string
	Tool   string
	RunID  string
	Output string // what the tool returned
	Failed bool   // the tool itself broke
}

// ErrNotEvent is returned for data that is not an event.
var ErrNotEvent = errors.New("clarify: not an event")

// ParseEvent reads one event of any type, without the "data: " before it. It
// returns an error that is [ErrNotEvent] if data has more than [MaxEventSize]
// bytes, or is not one valid JSON object nested at most [MaxDepth] levels deep.
//
// A field that is not a string is empty; instead of a tool that is not a string, name
// counts, as in the existing Console. A failed that is not a boolean is false.
// Some servers send the envelope itself as the output: an output that is not a
// string is kept as its JSON text. ParseEvent does not keep data.
func ParseEvent(data []byte) (Event, error) {
	if len(data) > MaxEventSize {
		return Event{}, fmt.Errorf("%w: %d bytes, want at most %d", ErrNotEvent, len(data), MaxEventSize)
	}
	src := string(data)
	s := jsontext.New(src)
	if s.Peek() != '{' {
		return Event{}, fmt.Errorf("%w: not a JSON object", ErrNotEvent)
	}
	var eventType, agent, tool, name, runID, output, failed value
	for s.Enter(); s.More('}'); {
		switch s.Key() {
		case keyType:
			eventType = s.Value()
		case keyAgent:
			agent = s.Value()
		case keyTool:
			tool = s.Value()
		case keyName:
			name = s.Value()
		case keyRunID:
			runID = s.Value()
		case keyOutput:
			output = s.Value()
		case keyFailed:
			failed = s.Value()
		default:
			s.Value()
		}
	}
	if !s.End() {
		why, at := s.Fault()
		return Event{}, fmt.Errorf("%w: invalid JSON: %s at byte %d", ErrNotEvent, why, at)
	}
	if tool.Type != jsontext.String {
		tool = name
	}
	a := jsontext.NewArena(src)
	text := func(v value) string {
		if v.Type != jsontext.String {
			return ""
		}
		return a.Text(v)
	}
	ev := Event{
		Type:   text(eventType),
		Agent:  text(agent),
		Tool:   text(tool),
		RunID:  text(runID),
		Failed: failed.Type == jsontext.True,
	}
	switch output.Type {
	case jsontext.Absent, jsontext.Null:
	case jsontext.String:
		ev.Output = a.Text(output)
	default:
		ev.Output = a.Text(jsontext.StringOf(output.Raw))
	}
	return ev, nil
}

// Envelope returns the envelope that the event carries: [Parse] of the output, if
// the event is the end of a call of the clarify tool. If the tool failed, the error
// is [ErrToolFailed]; for any other event it is [ErrNotEnvelope].
func (ev Event) Envelope() (*Envelope, error) {
	switch {
	case ev.Type != EventToolEnd || !IsTool(ev.Tool):
		return nil, ErrNotEnvelope
	case ev.Failed:
		return nil, ErrToolFailed
	}
	return Parse(ev.Output)
}
