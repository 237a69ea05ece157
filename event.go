package clarify

import (
	"errors"
	"fmt"
)

// EventToolEnd is the type of the event that carries a tool's result.
const EventToolEnd = "tool_end"

// An Event is one event of a turn's timeline: one JSON object, which a stream
// of server-sent events carries as "data: {…}".
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

// ParseEvent reads one event, of any type, without the "data: " before it. It returns an error that is
// [ErrNotEvent] if data has more than [MaxEventSize] bytes, or is not one valid
// JSON object nested at most [MaxDepth] levels deep.
//
// A field that is not a string is empty, a failed that is not a boolean is
// false. An output that is another JSON value than a string, as some servers
// send the envelope itself, is kept as its JSON text. ParseEvent does not keep
// data.
func ParseEvent(data []byte) (Event, error) {
	if len(data) > MaxEventSize {
		return Event{}, fmt.Errorf("%w: %d bytes, want at most %d", ErrNotEvent, len(data), MaxEventSize)
	}
	src := string(data)
	s := scanner{src: src}
	if s.peek() != '{' {
		return Event{}, fmt.Errorf("%w: not a JSON object", ErrNotEvent)
	}
	var eventType, agent, tool, runID, output, failed value
	for s.enter(); s.more('}'); {
		switch s.key() {
		case keyType:
			eventType = s.value()
		case keyAgent:
			agent = s.value()
		case keyTool:
			tool = s.value()
		case keyRunID:
			runID = s.value()
		case keyOutput:
			output = s.value()
		case keyFailed:
			failed = s.value()
		default:
			s.value()
		}
	}
	if !s.end() {
		return Event{}, fmt.Errorf("%w: invalid JSON: %s at byte %d", ErrNotEvent, s.fault, s.faultAt)
	}
	a := newArena(src)
	text := func(v value) string {
		if v.typ != jsonString {
			return ""
		}
		return a.text(v)
	}
	ev := Event{
		Type:   text(eventType),
		Agent:  text(agent),
		Tool:   text(tool),
		RunID:  text(runID),
		Failed: failed.typ == jsonTrue,
	}
	switch output.typ {
	case jsonAbsent, jsonNull:
	case jsonString:
		ev.Output = a.text(output)
	default:
		ev.Output = a.text(given(output.raw))
	}
	return ev, nil
}

// Envelope returns the envelope that the event carries. It is [Parse] of the
// output if the event is the end of a call of the clarify tool. If the tool
// failed, the error is [ErrToolFailed]; for any other event [ErrNotEnvelope].
func (ev Event) Envelope() (*Envelope, error) {
	switch {
	case ev.Type != EventToolEnd || !IsTool(ev.Tool):
		return nil, ErrNotEnvelope
	case ev.Failed:
		return nil, ErrToolFailed
	}
	return Parse(ev.Output)
}

// AppendJSON appends the event as one JSON object on one line: type, the other
// fields that are not empty, and the output as a string. Bytes that are not
// UTF-8 become U+FFFD.
func (ev Event) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"`+keyType+`":`...), toUTF8(ev.Type))
	dst = appendOptional(dst, `,"`+keyAgent+`":`, toUTF8(ev.Agent))
	dst = appendOptional(dst, `,"`+keyTool+`":`, toUTF8(ev.Tool))
	dst = appendOptional(dst, `,"`+keyRunID+`":`, toUTF8(ev.RunID))
	dst = appendString(append(dst, `,"`+keyOutput+`":`...), toUTF8(ev.Output))
	if ev.Failed {
		dst = appendBool(dst, `,"`+keyFailed+`":`, true)
	}
	return append(dst, '}')
}

// MarshalJSON is AppendJSON to a new buffer.
func (ev Event) MarshalJSON() ([]byte, error) { return ev.AppendJSON(nil), nil }

// UnmarshalJSON reads data as [ParseEvent] does and replaces all of ev. On an
// error ev is left alone; null does nothing.
func (ev *Event) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	parsed, err := ParseEvent(data)
	if err != nil {
		return err
	}
	*ev = parsed
	return nil
}
