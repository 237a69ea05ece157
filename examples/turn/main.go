// Turn plays one turn of the clarify protocol in a terminal: an agent asks, a
// person answers, and the agent acts on the answer.
//
//	go run ./examples/turn              # the contract's destructive delete
//	go run ./examples/turn call.json    # your own tool arguments
//	go run ./examples/turn -            # tool arguments from standard input
//	echo yes | go run ./examples/turn   # a stray yes deletes nothing
//
// All uses of the library are in engine.go and console.go. A person can also
// write a message instead of an answer: a line that starts with "/say ". The agent
// deletes a bucket only after a yes to its own question, which delete.json asks. A yes
// to the question of another call is told to the model, and deletes nothing.
//
// If the tool arguments come from standard input, the answers come from there
// too, after a line that holds only "---".
package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// defaultCall is the contract's destructive example, as a model would send it, with
// an id that says what is deleted.
//
//go:embed delete.json
var defaultCall string

func main() {
	if len(os.Args) > 2 {
		fmt.Fprintln(os.Stderr, "usage: turn [FILE | -]")
		os.Exit(2)
	}
	name := ""
	if len(os.Args) == 2 {
		name = os.Args[1]
	}
	in := bufio.NewReader(os.Stdin)
	arguments, err := readArguments(name, in)
	if err == nil {
		err = turn(arguments, in, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "turn:", err)
		os.Exit(1)
	}
}

func readArguments(name string, in *bufio.Reader) (string, error) {
	switch name {
	case "":
		return defaultCall, nil
	case "-":
		var b strings.Builder
		for {
			line, err := in.ReadString('\n')
			if strings.TrimSpace(line) == "---" {
				return b.String(), nil
			}
			b.WriteString(line)
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return b.String(), err
			}
		}
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// turn lets the engine ask, which ends the turn, the Console show the question, and the engine act.
func turn(arguments string, in *bufio.Reader, out io.Writer) error {
	engine := newEngine()
	fmt.Fprintf(out, "The agent's buckets: %s\n\n", engine.world())

	event, err := engine.talk.Call("run-1", []byte(arguments))
	event.Agent = "platform"
	if err != nil {
		fmt.Fprintf(out, "The model gets:\n%s\n", event.Output)
		return errors.New("the call was refused")
	}
	fmt.Fprintf(out, "The tool returns:\n%s\n\nThe Console receives:\n%s\n\n", safe(event.Output), safe(string(event.AppendJSON(nil))))

	message, err := show(event.AppendJSON(nil), in, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe next user message:\n%s\n", safe(message))

	for _, times := range []string{"", ", sent again"} {
		told, did := engine.act(message)
		fmt.Fprintf(out, "\nThe model reads%s:\n%s\n%s\nThe agent's buckets: %s\n", times, told, did, engine.world())
	}
	return nil
}
