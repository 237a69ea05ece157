package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	clarify "github.com/clarify-protocol/clarify-go"
)

// The kinds of inputs.
const (
	asArguments = "arguments"
	asEnvelope  = "envelope"
	asAnswers   = "answers"
	asEvent     = "event"
)

var kinds = []string{asArguments, asEnvelope, asAnswers, asEvent}

// errTooLong is the error for what no side would read.
var errTooLong = fmt.Errorf("more than %d bytes", clarify.MaxEventSize)

// open opens a file to be read; - is the standard input.
func (c *call) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory", name)
	}
	return f, nil
}

// readFile returns the bytes of a file. It reads at most one byte more than an event
// may have.
func (c *call) readFile(name string) ([]byte, error) {
	f, err := c.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, clarify.MaxEventSize+1))
	if err == nil && len(data) > clarify.MaxEventSize {
		err = errTooLong
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// lines yields the lines of a file that are not blank, by number. After an error, which
// it sets, there are no more.
func (c *call) lines(name string, failed *error) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		f, err := c.open(name)
		if err != nil {
			*failed = err
			return
		}
		defer f.Close()
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := readLine(r)
			if err != nil && !errors.Is(err, io.EOF) {
				*failed = fmt.Errorf("%s:%d: %w", name, n, err)
				return
			}
			if text := bytes.TrimSpace(line); len(text) > 0 && !yield(n, text) || err != nil {
				return
			}
		}
	}
}

func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > clarify.MaxEventSize {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// kindOf tells what an input is. It looks only for what tells the kinds apart; the
// library judges.
func kindOf(data []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("Error:")) {
		return asEnvelope
	}
	var o map[string]json.RawMessage
	json.Unmarshal(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff")), &o) // what is no object has no keys
	text := func(key string) (s string) {
		json.Unmarshal(o[key], &s)
		return s
	}
	_, hasAnswers := o["answers"]
	family, _, _ := strings.Cut(clarify.Protocol, "/")
	switch {
	case text("type") == clarify.EventToolEnd:
		return asEvent
	case strings.HasPrefix(text("protocol"), family+"/") && hasAnswers:
		return asAnswers
	case text("protocol") != "", strings.Contains(string(data), clarify.Protocol):
		return asEnvelope
	}
	return asArguments
}

// question returns the question in an input of any kind but answers, as a Console
// would show it.
func question(data []byte) (*clarify.Envelope, error) {
	switch kindOf(data) {
	case asEvent:
		ev, err := clarify.ParseEvent(data)
		if err != nil {
			return nil, err
		}
		return ev.Envelope()
	case asArguments:
		return clarify.ParseCall(data)
	}
	return clarify.Parse(string(data))
}
