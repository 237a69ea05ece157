package conformance

import (
	"fmt"
	"strings"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
)

// yesWords are a yes in more than ten languages, and what stands for one.
var yesWords = strings.Fields("yes sí oui ja да 是 はい نعم हाँ sim 네 evet tak sì 是的 ok OK okay sure yep y Y 1 true on go 👍 ✅ x [x] +1 confirm Confirm Confirmed confirmed proceed delete Delete LGTM")

// denials take a yes back, before or behind it.
var denials = []string{"don't do this yet", "please wait", "not:", "no", "No, ", "never ", "NOT ", "cancel", "just kidding", "only if there is a backup", "/s", "?", "> ", "~~", "<!--", "//", "#", ".", "\u200b", "\u2800", "unless"}

// dangers returns an envelope with a danger, small and with ids and labels that
// people would write.
func (g *Generator) dangers() *clarify.Envelope {
	ids := []string{"confirm_delete", "bucket", "note", "name", "go", "a", "a-", "yes", "no", "answer", "proceed", "x.y"}
	g.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	danger := func(id string) clarify.Prompt {
		labels := Pick(g, [][2]string{{"Delete", "Keep it"}, {"", ""}, {"Yes", "No"}, {"No", "Yes"}, {"Delete it: all", "no"}, {"Confirmed", "Cancelled"}, {"OK", "ok"}, {"Delete\nall", "Stop"}}...)
		return clarify.Prompt{ID: id, Question: "Delete it?", Optional: g.Chance(4), Input: &clarify.Confirm{ConfirmLabel: labels[0], CancelLabel: labels[1], Danger: true}}
	}
	e := &clarify.Envelope{Title: "Before deleting this bucket", Prompts: []clarify.Prompt{danger(ids[0])}}
	for _, id := range ids[1 : 1+g.IntN(4)] {
		p := clarify.Prompt{ID: id, Question: "What about " + id + "?", Optional: g.Flag()}
		switch g.IntN(5) {
		case 0, 1:
			p.Input = &clarify.Text{Multiline: g.Flag()}
		case 2:
			p.Input = &clarify.Choice{AllowMultiple: g.Flag(), Options: []clarify.Option{{ID: "a", Label: "Yes"}, {ID: "b", Label: "Logs, old"}, {ID: "c", Label: "confirmed"}}}
		case 3:
			p.Input = &clarify.Confirm{ConfirmLabel: "Go", CancelLabel: "Stay"}
		case 4:
			p = danger(id)
		}
		e.Prompts = append(e.Prompts, p)
	}
	g.Shuffle(len(e.Prompts), func(i, j int) { e.Prompts[i], e.Prompts[j] = e.Prompts[j], e.Prompts[i] })
	return e
}

// idLine returns a line that could answer a danger of e.
func (g *Generator) idLine(e *clarify.Envelope) string {
	p := Pick(g, e.Prompts...)
	word := Pick(g, "confirmed", "confirmed", "confirmed", "yes", "true", "cancelled", "Delete", "")
	if in, ok := p.Input.(*clarify.Confirm); ok && g.Chance(4) {
		word = Pick(g, in.ConfirmLabel, in.CancelLabel)
	}
	if g.Chance(8) {
		word = Pick(g, yesWords...)
	}
	return Pick(g, "", "", "", "", "- ", "1. ", "> ", " ", "\t", "\u200b", "**", "`", `"`, "[x] ", "~~", "// ", "\ufeff") + p.ID +
		Pick(g, ": ", ": ", ":", " = ", " -> ", "→", `": `, "** : ", " - ", "：") + word + Pick(g, "", "", "", "", "!", ",", " ", "**", `"`, "\u200b", " not", "~~")
}

var messageKinds = []string{"summary", "JSON", "envelope", "page", "yes", "cut JSON and a line", "other prompts", "lines", "for the model", "denied"}

// said returns a message, and what kind of message it is.
func (g *Generator) said(e *clarify.Envelope) (message, kind string) {
	a := g.ReplyTo(e, g.IntN(3) > 0)
	structured, _ := a.AppendJSON(nil)
	canonical, _ := e.AppendJSON(nil)
	kind = Pick(g, messageKinds...)
	if g.Chance(3) {
		kind = Pick(g, "summary", "JSON", "lines", "denied")
	}
	switch kind {
	case "summary":
		message = a.Summary()
	case "JSON":
		message = string(structured)
	case "envelope":
		message = string(canonical)
		if g.Flag() {
			message = "```json\n" + strings.NewReplacer(`{`, "{\n", `,`, ",\n").Replace(message) + "\n```"
		}
	case "page":
		message = e.Title
		for _, p := range e.Prompts {
			message += "\n" + p.Question
			switch in := p.Input.(type) {
			case *clarify.Choice:
				for i, o := range in.Options {
					message += fmt.Sprintf("\n%d. %s", i+1, o.Label)
				}
			case *clarify.Confirm:
				message += "\n" + in.ConfirmLabel + "\n" + in.CancelLabel
			}
		}
	case "yes":
		for range 1 + g.IntN(3) {
			message += Pick(g, yesWords...) + Pick(g, "", " ", "\n", ", ", "! ")
		}
	case "cut JSON and a line":
		if len(structured) > 0 {
			message = string(structured[:g.IntN(len(structured))]) + "\n" + g.idLine(e)
		}
	case "other prompts":
		for _, p := range e.Prompts {
			if in, ok := p.Input.(*clarify.Confirm); !ok || !in.Danger {
				message += p.ID + ": " + Pick(g, "a", "yes", "confirmed", "Go", g.hostileText(e)) + "\n"
			}
		}
	case "lines":
		if g.Flag() { // what a person could write for the summary
			for i := range a.Answers {
				line := clarify.Answers{Answers: a.Answers[i : i+1]}.Summary()
				rest := strings.TrimPrefix(line, a.Answers[i].ID+": ")
				message += Pick(g, "", "- ", "* ", "• ", "3. ") + a.Answers[i].ID + Pick(g, ": ", ":", " = ", " -> ", "→") + rest + Pick(g, "\n", "\r\n", "\n\n")
			}
			break
		}
		for range 1 + g.IntN(4) {
			message += g.idLine(e) + Pick(g, lineBreaks...)
		}
	case "for the model":
		message = e.Read(a.Summary()).ForModel()
	case "denied":
		message = a.Summary()
		if g.Flag() {
			message = Pick(g, denials...) + Pick(g, lineBreaks...) + message
		} else {
			message += Pick(g, "", "\n", "\r", "\u2028", "\n\n", "\n\n  ", "\n  ") + Pick(g, denials...)
		}
	}
	return message, kind
}

// mutateMessage changes message in one place.
func (g *Generator) mutateMessage(e *clarify.Envelope, message string) string {
	i := 0
	if message != "" {
		for i = g.IntN(len(message)); i > 0 && !utf8.RuneStart(message[i]); i-- {
		}
	}
	j := min(len(message), i+1+g.IntN(4))
	lines := strings.SplitAfter(message, "\n")
	k := g.IntN(len(lines))
	switch g.IntN(9) {
	case 0:
		return message[:i] + message[j:]
	case 1:
		return message[:i] + Pick(g, lineBreaks...) + message[i:]
	case 2:
		return message[:i] + Pick(g, denials...) + message[i:]
	case 3:
		return message[:i] + Pick(g, " ", "\x00", "\u200b", "\u202e", "\xff", ":", ",", `"`, "{", "\u0085", "-", "true", "false") + message[i:]
	case 4:
		lines[k] = Pick(g, " ", "  ", "\t", "> ", "- ", "\u200b", `"`, "\ufeff", "\n", "{", "not ") + lines[k]
	case 5:
		lines[k] = strings.TrimSuffix(lines[k], "\n") + Pick(g, "\n", "\r\n", "\r", "\n\n", "!", "", "\u2028")
	case 6:
		lines[k] += g.idLine(e) + "\n"
	case 7:
		lines[k] = lines[g.IntN(len(lines))]
	case 8:
		other, _ := g.said(e)
		return message[:i] + other
	}
	return strings.Join(lines, "")
}
