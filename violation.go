package clarify

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// A Code says what is wrong. Its values do not change between releases.
type Code string

const (
	CodeTooLarge    Code = "too_large"    // more than MaxSize bytes
	CodeTooDeep     Code = "too_deep"     // nested more than MaxDepth levels
	CodeInvalidUTF8 Code = "invalid_utf8" // bytes that are not UTF-8
	CodeSyntax      Code = "syntax"       // not JSON
	CodeWrongType   Code = "wrong_type"   // JSON of another type
	CodeMissing     Code = "missing"      // a required field is absent or null
	CodeBlank       Code = "blank"        // a required string is empty or only white space
	CodeTooLong     Code = "too_long"     // a string has too many code points
	CodeTooFew      Code = "too_few"      // too few prompts or options
	CodeTooMany     Code = "too_many"     // too many prompts, options or values
	CodeBadID       Code = "bad_id"       // an id does not match IDPattern
	CodeDuplicateID Code = "duplicate_id" // an earlier prompt or option has the id
	CodeUnknownKind Code = "unknown_kind" // a kind that the contract does not have
	CodeIncomplete  Code = "incomplete"   // the envelope has Skipped: it is only a part of what was asked

	// Only in a [Conversation].
	CodeSecondQuestion Code = "second_question" // a question was asked in this turn
	CodeReusedID       Code = "reused_id"       // the id stood for another question

	// Only in answers.
	CodeDuplicateKey Code = "duplicate_key" // a key is there twice
	CodeUnknownKey   Code = "unknown_key"   // a member that is not the contract's holds a text or a boolean

	// Only in a reply.
	CodeUnknownID     Code = "unknown_id"     // no prompt that was asked has the id
	CodeAmbiguousID   Code = "ambiguous_id"   // two prompts, or two options, have the id
	CodeWrongKind     Code = "wrong_kind"     // not the prompt's kind
	CodeUnknownOption Code = "unknown_option" // an option that was not offered
	CodeConflict      Code = "conflict"       // two different answers to one prompt
	CodeOtherQuestion Code = "other_question" // an answer that is, or may be, for another question
	CodeUnclear       Code = "unclear"        // words that are not clearly a yes or a no

	// Only from [Envelope.Lint].
	CodeControl        Code = "control_character" // other than tab, LF and CR
	CodeBidi           Code = "bidi_override"     // embeds, overrides or isolates a direction
	CodeInvisible      Code = "invisible"         // there is nothing to see, or a character that nobody sees
	CodeDuplicateLabel Code = "duplicate_label"   // two options look the same
	CodeLabelIsID      Code = "label_is_id"       // an option's label looks like another option's id
	CodeSameLabels     Code = "same_labels"       // the two buttons of a confirm look the same
	CodeOppositeLabel  Code = "opposite_label"    // a button's label says the opposite
	CodeSecret         Code = "secret"            // a text asks for a password, a key or the like
)

// A Violation is one problem of a call, of an envelope made in Go, of a reply
// or of a form. It is an error.
type Violation struct {
	Path string // as a model would write it: prompts[0].options[1].id
	Code Code
	Got  string // foreign text in it is quoted, escaped and cut
	Want string
}

// String returns "path: got …, want …", on one line without control characters. It
// cuts a path of more than 200 bytes.
func (v Violation) String() string {
	path := v.Path
	if len(path) > maxPath { // it holds an id
		path = text.Cut(path, maxPath) + "…"
	}
	return text.Printable(path + ": got " + v.Got + ", want " + v.Want)
}

// maxPath is the most bytes of a path that String writes.
const maxPath = 200

// Error returns "clarify: " and the String of v.
func (v Violation) Error() string { return errorPrefix + v.String() }

const errorPrefix = "clarify: "

// A ValidationError has every problem at once: first the title's, then the
// prompts' by index. Within a prompt the fields are in the contract's order and
// the options are ordered by index.
//
// It unwraps to its violations, so errors.As finds the first [Violation].
type ValidationError struct {
	Violations []Violation
}

// Error returns one line with the violations, for Go programmers. It has at
// most 4,000 bytes; the violations that do not fit are counted. The text for the
// model is that of [ErrorResult].
func (e *ValidationError) Error() string { return e.join(errorPrefix + "invalid prompts: ") }

// Unwrap returns the violations.
func (e *ValidationError) Unwrap() []error {
	if e == nil {
		return nil
	}
	list := make([]error, len(e.Violations))
	for i, v := range e.Violations {
		list[i] = v
	}
	return list
}

// maxErrorText is the most bytes of a line that names all violations.
const maxErrorText = 4000

const noReason = "no reason given"

// join returns the violations behind the prefix, in at most maxErrorText bytes.
func (e *ValidationError) join(prefix string) string {
	if e == nil || len(e.Violations) == 0 {
		return prefix + noReason
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i, v := range e.Violations {
		line := v.String()
		if i > 0 {
			line = "; " + line
		}
		more := fmt.Sprintf("; and %d more", len(e.Violations)-i)
		if b.Len()+len(line)+len(more) > maxErrorText {
			b.WriteString(more)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// failed is what the result of a failed tool starts with.
const failed = "Error:"

const refused = failed + " invalid clarify prompts — "

// ErrorResult returns what the tool returns for a call that was refused: "Error:
// invalid clarify prompts — " and the problems, for the model to fix. It is one
// line without control characters, of at most 4,000 bytes. Whatever err is, also
// nil, the result is never an envelope.
func ErrorResult(err error) string {
	var invalid *ValidationError
	if errors.As(err, &invalid) {
		return invalid.join(refused)
	}
	why := noReason
	if err != nil {
		why = text.Printable(err.Error())
	}
	s := refused + why
	if len(s) > maxErrorText {
		s = text.Cut(s, maxErrorText-len("…")) + "…"
	}
	return s
}

// ErrCannotEncode is returned for a value that cannot be encoded, because it
// would not be read back unchanged.
var ErrCannotEncode = errors.New("clarify: cannot encode")

// A Skipped is one thing that the lenient side left out or replaced.
type Skipped struct {
	Part Part   // what is missing now
	Path string // where the fault is: prompts[1].kind
	Code Code   // what the fault is
}

// A Part is what a [Skipped] names as left out. Its values do not change between
// releases.
type Part string

const (
	PartPrompt Part = "prompt" // a whole prompt
	PartOption Part = "option" // one option of a choice
	PartField  Part = "field"  // a field, which is absent or its default now
	PartAnswer Part = "answer" // a whole answer
	PartValue  Part = "value"  // one value of the answer to a choice
)

// String returns "part skipped: path: code".
func (s Skipped) String() string {
	return fmt.Sprintf("%s skipped: %s: %s", s.Part, s.Path, s.Code)
}

// maxNotes is how many entries of Skipped, or violations of a reply, are kept: a
// text of MaxSize bytes can have half a million. One is enough to know that
// something is missing, and that the engine must not proceed.
const maxNotes = 1000

// A place is a prompt or one of its options, by index; -1 is none.
type place struct{ prompt, option int }

var top = place{-1, -1}

// path returns the path of the field key, or of the place itself for "".
func (p place) path(key string) string {
	var buf [64]byte
	b := buf[:0]
	if p.prompt >= 0 {
		b = appendIndex(append(b, keyPrompts...), p.prompt)
	}
	if p.option >= 0 {
		b = appendIndex(append(b, "."+keyOptions...), p.option)
	}
	if key != "" {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, key...)
	}
	return string(b)
}

// answerPath returns the path of the field key of answer i, or of the answer
// itself for "".
func answerPath(i int, key string) string {
	b := appendIndex([]byte(keyAnswers), i)
	if key != "" {
		b = append(append(b, '.'), key...)
	}
	return string(b)
}

// valuePath returns the path of value j of answer i.
func valuePath(i, j int) string {
	return string(appendIndex([]byte(answerPath(i, keyValues)), j))
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}
