package clarifytest

import (
	"encoding/json"

	clarify "github.com/clarify-protocol/clarify-go"
)

// Library returns this library as an implementation of both halves.
func Library() Implementation {
	return Implementation{
		Engine: func(arguments string) string {
			result, _ := clarify.Call([]byte(arguments)) // beside an error, the result says what is wrong
			return result
		},
		Console: func(output string) string {
			e, err := clarify.Parse(output)
			if err != nil {
				return "null"
			}
			return inBytes(e.AppendJSON(nil))
		},
		Answers: func(message string) string {
			a, err := clarify.ParseAnswers(message)
			if err != nil {
				return "null"
			}
			return inBytes(a.AppendJSON(nil))
		},
		Summary: func(message string) string {
			a, err := clarify.ParseAnswers(message)
			if err != nil {
				return err.Error()
			}
			return a.Summary()
		},
		Reply: func(output, message string) string {
			e, err := clarify.Parse(output)
			if err != nil {
				return err.Error()
			}
			return ReplyJSON(e, e.Read(message))
		},
	}
}

// inBytes returns what was encoded, or the error, which is not JSON.
func inBytes(b []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A reply is a [clarify.Reply] as reply.jsonl has it.
type reply struct {
	Source     string            `json:"source"`
	Answers    []clarify.Answer  `json:"answers"`
	Missing    []string          `json:"missing"`
	Cancelled  []string          `json:"cancelled"`
	Violations []violation       `json:"violations"`
	Remainder  string            `json:"remainder"`
	Decisions  map[string]string `json:"decisions"`
	Proceed    bool              `json:"proceed"`
	Complete   bool              `json:"complete"`
	Evidence   []evidence        `json:"evidence"`
}

type violation struct {
	Path string       `json:"path"`
	Code clarify.Code `json:"code"`
}

type evidence struct {
	ID   string       `json:"id"`
	At   string       `json:"at"`
	Rule clarify.Rule `json:"rule"`
}

// ReplyJSON returns a reply to e as reply.jsonl has it.
func ReplyJSON(e *clarify.Envelope, r *clarify.Reply) string {
	out := reply{
		Source:     r.Source().String(),
		Answers:    append([]clarify.Answer{}, r.Answers().Answers...),
		Missing:    append([]string{}, r.Missing()...),
		Cancelled:  []string{},
		Violations: []violation{},
		Remainder:  r.Remainder(),
		Decisions:  map[string]string{},
		Proceed:    r.Proceed(),
		Complete:   len(r.Evidence()) > 0 && len(r.Missing()) == 0 && len(r.Violations()) == 0,
		Evidence:   []evidence{},
	}
	for _, v := range r.Violations() {
		out.Violations = append(out.Violations, violation{v.Path, v.Code})
	}
	for _, p := range e.Prompts {
		if p.Kind() == clarify.KindConfirm {
			out.Decisions[p.ID] = r.Decision(p.ID).String()
		}
	}
	for _, ev := range r.Evidence() {
		out.Evidence = append(out.Evidence, evidence{ev.Answer.ID, ev.Path, ev.Rule})
		if r.Decision(ev.Answer.ID) == clarify.Cancelled {
			out.Cancelled = append(out.Cancelled, ev.Answer.ID)
		}
	}
	return inBytes(json.Marshal(out))
}
