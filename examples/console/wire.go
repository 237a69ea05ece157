package main

import (
	"io"
	"net/http"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/tmaxmax/go-sse"
)

// A turnRequest is what the Console posts to the engine, as JSON. The engine answers
// with server-sent events, each a clarify.Event; the last one of a complete turn is an
// eventTurnEnd. If it is missing, the Console asks for the same turn again, says how
// many of its events it has, and gets the rest.
type turnRequest struct {
	Conversation string `json:"conversation"`
	Turn         int    `json:"turn"` // the first one is 1
	Message      string `json:"message"`
	Have         int    `json:"have,omitempty"`
	Left         bool   `json:"left,omitempty"` // the user went on without the rest of the turn before, and has not seen all of it
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
	eventLeft       = "left"       // the Console puts it in place of the rest of a turn that the user does not wait for
)

// writeEvent writes one server-sent event and sends it immediately.
func writeEvent(w http.ResponseWriter, kind, data string) error {
	m := new(sse.Message)
	if kind != "" {
		m.Type = sse.Type(kind)
	}
	m.AppendData(data)
	if _, err := io.WriteString(w, m.String()); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}
