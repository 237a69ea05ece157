// Command ask reads a result of the clarify tool from a file, asks its questions
// on the terminal and prints the user's next message.
//
//	ask FILE
//
// It asks on standard error and reads from standard input. The message, which is
// the answers as JSON, goes to standard output. If there is no message, the exit
// status is 130 after an interrupt and 1 otherwise.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/clarify-protocol/clarify-go/terminal"
)

func main() {
	err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
	}
	switch {
	case errors.Is(err, terminal.ErrInterrupted):
		os.Exit(130)
	case err != nil:
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: ask FILE")
	}
	output, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	e, err := clarify.Parse(string(output))
	if err != nil {
		return err
	}
	message, err := terminal.Ask(context.Background(), e, os.Stdin, os.Stderr)
	if err != nil {
		return err
	}
	_, err = fmt.Println(message)
	return err
}
