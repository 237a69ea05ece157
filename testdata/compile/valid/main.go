// This program compiles. If it did not, the others would prove nothing.
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	e := &clarify.Envelope{
		Title: "Before deleting this bucket",
		Prompts: []clarify.Prompt{
			{ID: "bucket", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}},
			{ID: "delete", Question: "Delete it?", Input: &clarify.Confirm{Danger: true}},
			{ID: "name", Question: "Name?", Optional: true, Input: &clarify.Text{DefaultValue: "main"}},
		},
	}
	if _, err := e.Result(); err != nil {
		println(err.Error())
	}
	for _, p := range e.Prompts {
		switch p.Input.(type) {
		case *clarify.Choice, *clarify.Confirm, *clarify.Text:
		}
	}
	_ = []clarify.Payload{&clarify.ChoiceAnswer{Values: []string{"a"}}, &clarify.ConfirmAnswer{Confirmed: true}, &clarify.TextAnswer{Value: "x"}}
	if answers, err := clarify.ParseAnswers("yes"); err == nil {
		_, ok := answers.Answers[0].Payload.(*clarify.ConfirmAnswer)
		println(ok)
	}
}
