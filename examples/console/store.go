package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A journal is a file of JSON lines that only grows. A line is on the disk when
// Append has returned nil for it.
type journal struct {
	file  *os.File
	size  int64 // of the complete lines, in bytes
	queue chan pendingLine
	done  chan struct{}
	err   error // if not nil, the file can no longer be trusted
}

type pendingLine struct {
	line    []byte
	written chan error
}

// openJournal opens the file and calls each with every line. If there is no such
// file, it creates one. Only one process at a time may have the file open.
//
// If the process died while it wrote, the last line may be incomplete. Such a
// line was never acknowledged, so openJournal cuts it off. Any other damage is an
// error, and the file stays as it is.
func openJournal(path string, each func(line []byte) error) (*journal, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	number := 0
	for line := range bytes.Lines(data[:whole]) {
		number++
		if err := each(line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, size: int64(whole), queue: make(chan pendingLine), done: make(chan struct{})}
	if err := j.rewind(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	syncFolder(filepath.Dir(path))
	go j.run()
	return j, nil
}

// Append writes v as one line and returns when it is on the disk.
func (j *journal) Append(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // escaping would make a large event too large to be read back
	if err := enc.Encode(v); err != nil {
		return err
	}
	p := pendingLine{line.Bytes(), make(chan error, 1)}
	j.queue <- p
	return <-p.written
}

// Close closes the file. Call it after the last Append has returned.
func (j *journal) Close() error {
	close(j.queue)
	<-j.done
	return j.file.Close()
}

// run writes the lines that wait. It writes many lines with one sync.
func (j *journal) run() {
	defer close(j.done)
	for first := range j.queue {
		batch := []pendingLine{first}
		data := first.line
	more:
		for len(data) < 1<<20 {
			select {
			case next, ok := <-j.queue:
				if !ok {
					break more
				}
				batch = append(batch, next)
				data = append(data, next.line...)
			default:
				break more
			}
		}
		err := j.commit(data)
		for _, p := range batch {
			p.written <- err
		}
	}
}

// commit puts data on the disk, or leaves the file unchanged.
func (j *journal) commit(data []byte) error {
	if j.err != nil {
		return j.err
	}
	if _, err := j.file.Write(data); err != nil {
		j.err = j.rewind() // on a full disk, half a line may be written
		return err
	}
	if err := j.file.Sync(); err != nil {
		j.err = err // it is unknown what the disk holds now
		return err
	}
	j.size += int64(len(data))
	return nil
}

// rewind cuts off an incomplete line.
func (j *journal) rewind() error {
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	_, err := j.file.Seek(j.size, io.SeekStart)
	return err
}

// syncFolder puts the name of a new file on the disk, on systems that need it.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		folder.Sync() // systems that cannot sync a folder do not need it
		folder.Close()
	}
}
