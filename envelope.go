package clarify

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// An Envelope is what the clarify tool returns: a question of one to five
// prompts.
//
// One from [ParseCall] or [Envelope.Normalized] is valid. One from [Parse] can be
// shown, but [Envelope.Validate] may refuse it: the lenient side has no upper
// limits.
type Envelope struct {
	Title   string // optional, at most MaxTitle code points
	Prompts []Prompt

	// Skipped is what Parse left out or replaced, in the order of a
	// [ValidationError]; the first 1,000 entries are kept. It is not encoded.
	Skipped []Skipped
}

// Prompt returns the first prompt with the given id. Only in a valid envelope are
// ids unique.
func (e *Envelope) Prompt(id string) (p Prompt, ok bool) {
	if e != nil {
		for _, p := range e.Prompts {
			if p.ID == id {
				return p, true
			}
		}
	}
	return Prompt{}, false
}

// Result returns what the tool returns for e: the canonical JSON of
// [Envelope.Normalized]. If e is not valid, the error is a [*ValidationError].
func (e *Envelope) Result() (string, error) {
	valid, err := e.Normalized()
	if err != nil {
		return "", err
	}
	return string(valid.append(nil)), nil
}

// Digest returns the SHA-256 of the canonical bytes of e, in hexadecimal. Keep it
// with the action that waits for the answer, and compare it before acting: it
// binds the action to what was asked. If parts of e were skipped, the bytes are
// followed by the text of each [Skipped], so that the digest is another one. The
// error is that of [Envelope.AppendJSON].
func (e *Envelope) Digest() (string, error) {
	b, err := e.AppendJSON(nil)
	if err != nil {
		return "", err
	}
	for _, s := range e.Skipped {
		b = append(append(b, '\n'), s.String()...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// clone returns a copy that shares nothing that can be changed.
func (e *Envelope) clone() *Envelope {
	if e == nil {
		return nil
	}
	c := *e
	c.Skipped = slices.Clone(e.Skipped)
	c.Prompts = slices.Clone(e.Prompts)
	for i := range c.Prompts {
		c.Prompts[i].Input = c.Prompts[i].input().clone()
	}
	return &c
}
