package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"

	clarify "github.com/clarify-protocol/clarify-go"
)

// What goes between the two halves. The Console posts a turnRequest as JSON to
// the engine's address; the engine answers with a stream of server-sent events,
// each a clarify.Event. The last one of a whole turn is eventTurnEnd: a stream
// that ends without it was cut. A Console that was cut off asks for the same
// turn again, with the events that it already has, and gets the rest.
type turnRequest struct {
	Conversation string  `json:"conversation"`
	Timeline     []entry `json:"timeline"`
}

// An entry is one step of a conversation: a message of the user or, where Event
// is set, an event of the agent's turn.
type entry struct {
	Message string         `json:"message,omitempty"`
	Event   *clarify.Event `json:"event,omitempty"`
}

// Types of events beside clarify.EventToolEnd. Their text is in Output.
const (
	eventSay        = "say"        // what the agent says
	eventReading    = "reading"    // how the engine read the user's message
	eventTurnEnd    = "turn_end"   // the turn is whole
	eventUnreadable = "unreadable" // written by the Console, for an event that it could not read
)

// replay follows the conversation. What it returns knows which question waits
// for an answer.
func replay(timeline []entry) *clarify.History {
	h := new(clarify.History)
	for _, e := range timeline {
		if e.Event != nil {
			h.Event(*e.Event) // what is not a question changes nothing
		} else {
			h.Message(e.Message)
		}
	}
	return h
}

// writeEvent writes one server-sent event, at once.
func writeEvent(w http.ResponseWriter, ev clarify.Event) error {
	frame := append(ev.AppendJSON([]byte("data: ")), "\n\n"...)
	if _, err := w.Write(frame); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// readEvents calls each with the data of every server-sent event until the
// stream ends or each returns an error. What the stream holds of an event that
// its blank line does not end is left out.
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
		if afterCR && chunk[0] == '\n' { // of a CRLF
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
		case string(name) == "data": // else a comment, or a field that we do not use
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
		line = line[:0]
	}
}
