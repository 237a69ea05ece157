package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// maxAnswer is the most bytes of a line that a command may print for one vector.
const maxAnswer = 16 << 20

// maxDeaths is how often in a row a command is started again.
const maxDeaths = 5

// A driver is a command that runs an implementation: it reads a request from each line
// of its standard input, and writes an answer to each line of its standard output.
type driver struct {
	ctx     context.Context // ends what runs
	args    []string
	timeout time.Duration

	running *process // nil if it has to be started
	id      int
	deaths  int // in a row
	last    error
	answers int
	silent  []string // the suites in which it answered nothing
	why     error    // of the last one of them
}

// A process is a driver that runs.
type process struct {
	kill     context.CancelFunc // ends it and all that it started
	stdin    io.WriteCloser
	answered bool
	lines    chan []byte   // closed when no more come
	wrong    error         // why, after that; nil at the end of the output
	ended    chan struct{} // closed when the process is gone
	exit     error         // how, after that
	stderr   *tail
}

// onlyAnswers is the advice for a command that writes something else.
const onlyAnswers = "; standard output is for answers only, one JSON object a line; print everything else to standard error"

// ask sends a request and returns the result, as JSON. After an error the command is
// started again for the next request, because nobody knows what it would answer.
func (d *driver) ask(request map[string]any) (json.RawMessage, error) {
	if d.deaths == maxDeaths {
		return nil, fmt.Errorf("not tried: the command failed %d times in a row, at last: %w", maxDeaths, d.last)
	}
	result, refused, err := d.try(request)
	if err != nil {
		d.stop(true)
		d.deaths, d.last = d.deaths+1, err
		return nil, err
	}
	d.deaths = 0
	d.answers++
	return result, refused
}

// try sends a request. It returns what the implementation refused apart from what is
// wrong with the command.
func (d *driver) try(request map[string]any) (result json.RawMessage, refused, err error) {
	if d.running == nil {
		if d.running, err = start(d.ctx, d.args); err != nil {
			return nil, nil, err
		}
	}
	d.id++
	request["version"], request["id"] = 1, d.id
	p := d.running
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(request); err != nil {
		return nil, nil, err
	}
	go p.stdin.Write(line.Bytes()) // a command that reads nothing must not block
	timer := time.NewTimer(d.timeout)
	defer timer.Stop()
	var got []byte
	select {
	case <-timer.C:
		return nil, nil, fmt.Errorf("no answer within %v; does it flush after each line?%s", d.timeout, p.said())
	case got = <-p.lines:
	}
	if got == nil {
		return nil, nil, p.end(d.timeout)
	}
	maybe := "" // nobody knows when the process wrote the line
	if p.answered {
		maybe = "; it may be left over from the vector before"
	}
	var answer struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(got, &answer) != nil {
		return nil, nil, fmt.Errorf("it wrote a line that is not a JSON object: %s%s%s%s", harmless(got), maybe, onlyAnswers, p.said())
	}
	if id := string(answer.ID); id != strconv.Itoa(d.id) {
		if id == "" {
			id = "nothing"
		}
		return nil, nil, fmt.Errorf("the id of its answer must be the number %d, got %s: %s%s", d.id, text.Cut(id, 100), harmless(got), maybe)
	}
	p.answered = true
	switch failed := string(answer.Error); {
	case failed != "" && failed != "null":
		json.Unmarshal(answer.Error, &failed) // what is no string stays as it is
		return nil, fmt.Errorf("the implementation failed: %s", harmless([]byte(failed))), nil
	case answer.Result == nil:
		return nil, nil, fmt.Errorf("its answer has no result: %s", harmless(got))
	}
	return answer.Result, nil, nil
}

func start(ctx context.Context, args []string) (*process, error) {
	p := &process{lines: make(chan []byte), ended: make(chan struct{}), stderr: new(tail)}
	ctx, p.kill = context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = p.stderr
	cmd.WaitDelay = time.Second
	inGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin = stdin
	go func() {
		p.read(stdout)
		p.exit = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// read sends each line of the output, until one is too long.
func (p *process) read(stdout io.Reader) {
	defer close(p.lines)
	r := bufio.NewReader(stdout)
	for {
		var line []byte
		for {
			part, err := r.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > maxAnswer {
				p.wrong = fmt.Errorf("it printed more than %d bytes in a line", maxAnswer)
				return
			}
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				return
			}
		}
		p.lines <- line
	}
}

// end returns why a process printed no more lines.
func (p *process) end(timeout time.Duration) error {
	if p.wrong != nil {
		return p.wrong
	}
	p.stdin.Close()
	select {
	case <-time.After(timeout):
		return fmt.Errorf("it closed its standard output before it answered%s", p.said())
	case <-p.ended:
	}
	exit := "exit status 0; it must read until the end of its input"
	if p.exit != nil {
		exit = p.exit.Error()
	}
	return fmt.Errorf("it ended before it answered: %s%s", exit, p.said())
}

// said returns what the process wrote last to its standard error.
func (p *process) said() string {
	if s := p.stderr.String(); s != "" {
		return "; standard error ends with: " + harmless([]byte(s))
	}
	return ""
}

// stop ends the process, at once if it is killed. It returns the first line that no
// request asked for, or nil.
func (d *driver) stop(kill bool) (left []byte) {
	p := d.running
	if p == nil {
		return nil
	}
	d.running = nil
	p.stdin.Close()
	if kill {
		p.kill()
	}
	defer time.AfterFunc(d.timeout, p.kill).Stop()
	for line := range p.lines {
		if left == nil {
			left = line
		}
	}
	<-p.ended
	p.kill() // nothing runs; it lets go of the context
	return left
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 1 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b[max(0, len(b)-most):]...)
	t.data = t.data[max(0, len(t.data)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.data))
}

// harmless returns b as a JSON string of at most 300 bytes, or a little more.
func harmless(b []byte) string {
	const most = 300
	s := strings.TrimSpace(string(b))
	short := text.Cut(s, most)
	if len(short) < len(s) {
		short += "…"
	}
	return quoteText(short)
}

// splitCommand cuts a command line at white space. What stands in single or double
// quotes is one word.
func splitCommand(s string) (args []string, err error) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				args = append(args, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quotation mark %c is not closed", quote)
	}
	if inWord {
		args = append(args, word.String())
	}
	if len(args) == 0 {
		return nil, errors.New("an empty command")
	}
	return args, nil
}
