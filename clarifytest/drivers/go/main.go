// Go runs this library for clarify test: it answers a request a line. It is also an
// example of a driver.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/clarify-protocol/clarify-go/clarifytest"
)

type request struct {
	ID    int
	Suite clarifytest.Suite
	clarifytest.Input
}

type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	library := clarifytest.Library()
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a := answer{ID: r.ID}
		var result string
		switch r.Suite {
		case clarifytest.Engine:
			result = library.Engine(r.Arguments)
		case clarifytest.Console:
			result = library.Console(r.Output)
		case clarifytest.Answers:
			result = library.Answers(r.Message)
		case clarifytest.Summary:
			result = library.Summary(r.Message)
		case clarifytest.Reply:
			result = library.Reply(r.Output, r.Message)
		default:
			a.Error = fmt.Sprintf("there is no suite %q", r.Suite)
		}
		if r.Suite.IsText() {
			b, err := json.Marshal(result)
			if err != nil {
				return err
			}
			result = string(b)
		}
		if a.Error == "" {
			a.Result = json.RawMessage(result)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}
