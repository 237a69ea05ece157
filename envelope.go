package clarify

// An Envelope is what the clarify tool returns: a question of one to five
// prompts.
//
// One from [ParseCall] is valid. One from [Parse] can be shown, but may fail
// [Envelope.Validate]: the Console side knows no upper limits.
type Envelope struct {
	Title   string // optional
	Prompts []Prompt

	// Skipped is what Parse left out or replaced, in the order of the
	// violations of the strict side; the first 1,000 of it are kept. It is
	// never encoded.
	Skipped []Skipped
}

// Prompt returns the first prompt with the given id. Ids are unique in an
// envelope that is valid, not in every one that can be parsed.
func (e *Envelope) Prompt(id string) (Prompt, bool) {
	if e != nil {
		for _, p := range e.Prompts {
			if p.ID == id {
				return p, true
			}
		}
	}
	return Prompt{}, false
}

// Result returns what the tool returns for e: its canonical JSON after
// trimming, with blank optional strings dropped and default labels filled in.
// If e is not valid, the error is the one of [Envelope.Validate].
func (e *Envelope) Result() (string, error) {
	valid, err := e.normalize()
	if err != nil {
		return "", err
	}
	return string(valid.append(nil)), nil
}

// AppendJSON appends the canonical JSON of e to dst. It does not ask whether e
// is valid, nor, unlike Result, whether it was read whole, but what [Parse] would not read back identically has no encoding:
// then dst is returned as it was, with an error. Skipped is not encoded, and
// an empty label of a Confirm is written as the default that it stands for.
func (e *Envelope) AppendJSON(dst []byte) ([]byte, error) {
	if err := e.encodable(); err != nil {
		return dst, err
	}
	out := e.append(dst)
	if n := len(out) - len(dst); n > MaxSize {
		return dst, cannotEncode("the envelope", tooLarge(n))
	}
	return out, nil
}

// MarshalJSON is AppendJSON to a new buffer. encoding/json escapes what this
// returns once more (<, >, & and U+2028): where the canonical bytes matter,
// call AppendJSON or Result.
func (e Envelope) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON reads data as [Parse] does and replaces all of e. On an error e
// is left alone; null does nothing.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	parsed, err := Parse(string(data))
	if err != nil {
		return err
	}
	*e = *parsed
	return nil
}

func (e *Envelope) encodable() error {
	if e == nil {
		return cannotEncode("the envelope", "nil")
	}
	if key, why := unreadable(textField{keyTitle, e.Title, optional}); why != "" {
		return cannotEncode(key, why)
	}
	if len(e.Prompts) == 0 {
		return cannotEncode(keyPrompts, "no prompt")
	}
	for i := range e.Prompts {
		if err := e.Prompts[i].encodable(place{i, -1}); err != nil {
			return err
		}
	}
	return nil
}

// append writes what is known to be encodable.
func (e *Envelope) append(dst []byte) []byte {
	dst = append(dst, `{"`+keyProtocol+`":"`+Protocol+`"`...)
	dst = appendOptional(dst, `,"`+keyTitle+`":`, e.Title)
	dst = append(dst, `,"`+keyPrompts+`":[`...)
	for i := range e.Prompts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.Prompts[i].append(dst)
	}
	return append(dst, "]}"...)
}
