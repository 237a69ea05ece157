// Command llm lets a model manage a few storage buckets. The model has to ask
// before it deletes one. Silence, a cancel or an unrelated yes deletes nothing.
//
//	OPENAI_API_KEY=… llm -model NAME
//	ANTHROPIC_API_KEY=… llm -model NAME
//
// The file agent.go has the loop; openai.go and anthropic.go adapt the two SDKs.
// A message ends with a blank line. To answer in words, write a line
// "id: answer" for each prompt. Answers as JSON work too.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/openai/openai-go/v3"
)

func main() {
	name := flag.String("model", "", "the `name` of the model")
	form := flag.String("form", "typed", "the form of the tool's schema: string, typed or strict")
	stream := flag.Bool("stream", false, "stream the responses")
	flag.Parse()
	m, err := newModel(*name, *form, *stream)
	if err == nil {
		err = talk(context.Background(), newAgent(m), os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "llm:", err)
		os.Exit(1)
	}
}

var forms = map[string]clarify.ToolForm{
	"string": clarify.StringPrompts,
	"typed":  clarify.TypedPrompts,
	"strict": clarify.StrictPrompts,
}

// newModel returns a model of the provider whose key is in the environment. The
// clients read the key from there, and a base URL if one is set.
func newModel(name, form string, stream bool) (model, error) {
	f, ok := forms[form]
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no form %q", form)
	case name == "":
		return nil, errors.New("name a model with -model")
	case os.Getenv("OPENAI_API_KEY") != "":
		return newOpenAI(openai.NewClient(), name, f, stream), nil
	case os.Getenv("ANTHROPIC_API_KEY") != "":
		return newClaude(anthropic.NewClient(), name, f, stream), nil
	}
	return nil, errors.New("set OPENAI_API_KEY or ANTHROPIC_API_KEY")
}

func newAgent(m model) *agent {
	return &agent{model: m, buckets: map[string]bool{"avatars": true, "uploads": true, "temp": true}}
}

// talk runs a conversation until the input ends.
func talk(ctx context.Context, a *agent, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for {
		fmt.Fprint(out, "\nYou: ")
		message := readMessage(lines)
		if message == "" {
			return lines.Err()
		}
		said, err := a.turn(ctx, message)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "Agent:", printable(said))
		if asked := a.talk.Pending(); asked != nil {
			show(out, asked)
		}
	}
}

// readMessage reads lines until a blank one.
func readMessage(lines *bufio.Scanner) string {
	var message []string
	for lines.Scan() && strings.TrimSpace(lines.Text()) != "" {
		message = append(message, lines.Text())
	}
	return strings.Join(message, "\n")
}

func show(out io.Writer, e *clarify.Envelope) {
	fmt.Fprintf(out, "\n%s\n", printable(cmp.Or(e.Title, "A question:")))
	for _, p := range e.Prompts {
		fmt.Fprintf(out, "  %s: %s %s\n", p.ID, printable(p.Question), printable(p.Hint))
		switch in := p.Input.(type) {
		case *clarify.Choice:
			for i, o := range in.Options {
				fmt.Fprintf(out, "    %d. %s %s\n", i+1, printable(o.Label), printable(o.Description))
			}
		case *clarify.Confirm:
			fmt.Fprintf(out, "    confirmed (%s) or cancelled (%s)\n", printable(in.ConfirmLabel), printable(in.CancelLabel))
			if in.Danger {
				fmt.Fprintln(out, "    DANGER")
			}
		}
	}
}

// printable escapes characters that could control the terminal.
func printable(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
