// Command ask shows what the clarify tool returned as a form on the terminal
// and prints the user's next message.
//
//	ask FILE
//
// The form is on standard error and standard input; the message, ClarifyAnswers
// as JSON, is on standard output. The exit status is 130 after an interrupt,
// and 1 if there is no message for another reason.
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
