package main

import (
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/jsontext"
	"github.com/clarify-protocol/clarify-go/internal/text"
)

// quoteText returns s as a JSON string in which everything invisible is escaped.
func quoteText(s string) string { return jsontext.Quote(s) }

// escape returns s on one line, with an escape for everything that cannot be seen or
// that changes how other text is seen.
func escape(s string) string { return text.Printable(s) }

// indented returns each line of s escaped, and all but the first one indented, so that
// none can pass for a line of ours.
func indented(s, indent string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, escape(strings.TrimRight(line, "\r\n")))
	}
	return strings.Join(out, "\n"+indent)
}
