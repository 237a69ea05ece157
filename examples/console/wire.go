package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"

	clarify "github.com/clarify-protocol/clarify-go"
)

// A turnRequest is what the Console posts to the engine's address, as JSON. The
// engine answers with a stream of server-sent events, each a clarify.Event. A
// complete turn ends with an eventTurnEnd. If a stream ends without it, the
// Console asks for the same turn again. It says how many of the turn's events it
// has, and gets the rest.
type turnRequest struct {
	Conversation string `json:"conversation"`
	Turn         int    `json:"turn"` // the first one is 1
	Message      string `json:"message"`
	Have         int    `json:"have,omitempty"`
}

// An entry is one step of a conversation, as the Console keeps it. If Event is nil, it is a message of the
// user. Otherwise it is an event of the agent's turn.
type entry struct {
	Message string         `json:"message,omitempty"`
	Event   *clarify.Event `json:"event,omitempty"`
}

// These are the types of events in addition to clarify.EventToolEnd. Output holds
// their text.
const (
	eventSay        = "say"        // what the agent says
	eventReading    = "reading"    // how the engine read the user's message
	eventTurnEnd    = "turn_end"   // the turn is complete
	eventUnreadable = "unreadable" // the Console puts it in place of an event that it could not read
)

// writeEvent writes one server-sent event and sends it immediately.
func writeEvent(w http.ResponseWriter, ev clarify.Event) error {
	frame := append(ev.AppendJSON([]byte("data: ")), "\n\n"...)
	if _, err := w.Write(frame); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// readEvents calls each with the data of every server-sent event. It stops when
// the stream ends or each returns an error. A blank line ends an event. If the
// stream ends before it, readEvents leaves the event out.
func readEvents(r io.Reader, each func(data []byte) error) error {
	in := bufio.NewReader(r)
	var line, data []byte
	has, afterCR := false, false
	for {
		if _, err := in.Peek(1); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		chunk, _ := in.Peek(in.Buffered())
		if afterCR && chunk[0] == '\n' { // the second half of a CRLF
			in.Discard(1)
			afterCR = false
			continue
		}
		end := bytes.IndexAny(chunk, "\r\n")
		whole := end >= 0
		if !whole {
			end = len(chunk)
		}
		line, afterCR = append(line, chunk[:end]...), whole && chunk[end] == '\r'
		if len(line)+len(data) > clarify.MaxEventSize {
			return errors.New("an event is too large")
		}
		if !whole {
			in.Discard(end)
			continue
		}
		in.Discard(end + 1)
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0:
			if has {
				if err := each(data); err != nil {
					return err
				}
			}
			data, has = data[:0], false
		case string(name) == "data": // comments and other fields are ignored
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
		line = line[:0]
	}
}
