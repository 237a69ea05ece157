package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

var schema = &command{
	name:  "schema",
	usage: "schema arguments | envelope | answers",
	short: "print a JSON Schema",
	long: `
Schema prints the JSON Schema (draft 2020-12) of all arguments that an engine accepts, of
an envelope, or of answers, for a validator. For a model use clarify tool.`,
	run: func(c *call) int {
		if code, ok := c.parse(1, 1); !ok {
			return code
		}
		schemas := map[string]func() []byte{asArguments: clarify.ArgumentsSchema, asEnvelope: clarify.EnvelopeSchema, asAnswers: clarify.AnswersSchema}
		f, ok := schemas[c.args[0]]
		if !ok {
			return c.fail(fmt.Errorf("there is no schema %s: want %s", quoteText(c.args[0]), strings.Join(slices.Sorted(maps.Keys(schemas)), ", ")))
		}
		fmt.Fprintf(c.stdout, "%s\n", strings.TrimSpace(string(f())))
		return 0
	},
}

var forms = map[string]clarify.ToolForm{"string": clarify.StringPrompts, "typed": clarify.TypedPrompts, "strict": clarify.StrictPrompts}

var tool = &command{
	name:  "tool",
	usage: "tool [-form string | typed | strict]",
	short: "print the declaration of the tool for a model",
	long: `
Tool prints a JSON object with the name, the description and the parameters of the tool,
to hand to a model's provider. The forms are

	string  prompts is a string of JSON, as in the contract
	typed   prompts is an array of objects, for models that do better with one
	strict  the same for a provider's strict mode, which requires every field

An engine accepts the arguments of each form.`,
	run: func(c *call) int {
		name := c.flags.String("form", "string", "the `form` of the arguments")
		if code, ok := c.parse(0, 0); !ok {
			return code
		}
		form, ok := forms[*name]
		if !ok {
			return c.fail(fmt.Errorf("-form %s: want %s", quoteText(*name), strings.Join(slices.Sorted(maps.Keys(forms)), ", ")))
		}
		b, err := json.MarshalIndent(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}{clarify.ToolName, clarify.ToolDescription(), clarify.ToolSchema(form)}, "", "  ")
		if err != nil {
			return c.fail(errors.New("cannot print the tool"))
		}
		fmt.Fprintf(c.stdout, "%s\n", b)
		return 0
	},
}
