package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	clarify "github.com/clarify-protocol/clarify-go"
	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHarmless(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		got := harmless("a" + string(r) + "b")
		for _, c := range got {
			if unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Bidi_Control, c) && !isMark(c) {
				t.Fatalf("U+%04X: %+q", r, got)
			}
		}
		if harmless(got) != got {
			t.Fatalf("U+%04X: %+q is not harmless to itself", r, got)
		}
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(got, r) {
			t.Fatalf("U+%04X: %+q lost what can be seen", r, got)
		}
	}
	for s, want := range map[string]string{
		"":                      "",
		" a \n\t\u0085\u2028b ": "a b",
		"\x1b[2J":               `\u001b[2J`,
		"\u202eevil\u2069":      `\u202eevil\u2069`,
		"a\xffb":                "a\ufffdb",
		"שלום, 日本 👩‍🚒":          "שלום, 日本 👩‍🚒",
	} {
		assert.Equal(t, want, harmless(s), "%q", s)
	}
}

// isMark reports whether c is a mark that sets the direction only of the text
// next to it. Text in some scripts needs these marks.
func isMark(c rune) bool { return c == 0x061C || c == 0x200E || c == 0x200F }

// sample has a prompt of each kind, required and optional.
func sample() *clarify.Envelope {
	return &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "one", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B, or not"}}}},
		{ID: "many", Question: "Which?", Optional: true, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B, or not"}}}},
		{ID: "sure", Question: "Sure?", Input: &clarify.Confirm{Danger: true}},
		{ID: "text", Question: "What?", Optional: true, Input: &clarify.Text{Multiline: true}},
		{ID: "line", Question: "What?", Input: &clarify.Text{DefaultValue: "d"}},
	}}
}

// A message that Ask returns is valid and says what the lines said.
func TestMessageHolds(t *testing.T) {
	words := []string{"a", "A", "1", "2.", "B, or not", "a, b", "1,2", "yes", "no", "confirmed", "cancelled", "Confirm", "sure: confirmed",
		"", " ", ".", "x", "\ufeff", "\u0085", "x\u2028sure: confirmed", "\xff", `{"protocol":"appwrite.clarify/v1","answers":[]}`, "-", "line = 5", "\x00", "\r"}
	random := rand.New(rand.NewPCG(1, 2))
	messages, proceeds := 0, 0
	for range 20_000 {
		var lines strings.Builder
		for range random.IntN(9) {
			lines.WriteString(words[random.IntN(len(words))] + "\n")
		}
		input := lines.String()
		message, err := Ask(t.Context(), sample(), strings.NewReader(input), io.Discard)
		if err != nil {
			require.ErrorIs(t, err, ErrNoAnswer, "%q", input)
			require.Empty(t, message, "%q", input)
			continue
		}
		messages++
		reply := sample().Read(message)
		require.Empty(t, reply.Violations(), "%q: %s", input, message)
		require.Empty(t, reply.Remainder(), "%q: %s", input, message)
		b, err := reply.Answers().AppendJSON(nil)
		require.NoError(t, err)
		require.Equal(t, message, string(b), "%q", input)
		if reply.Proceed() {
			proceeds++
			require.Regexp(t, "(?i)confirm|yes", input)
		}
	}
	assert.GreaterOrEqual(t, messages, 1000, "the words are badly chosen")
	assert.GreaterOrEqual(t, proceeds, 10, "the words are badly chosen")
}

// Input after the answers is left to whoever reads next.
func TestReadsNoFurther(t *testing.T) {
	in := strings.NewReader("a\n\nno\nrest\n")
	_, err := Ask(t.Context(), sample(), in, io.Discard)
	require.NoError(t, err)
	rest, _ := io.ReadAll(in)
	assert.Equal(t, "rest\n", string(rest))
}

// A question that could not be shown was not asked.
func TestCannotWrite(t *testing.T) {
	in := strings.NewReader("a\n\nconfirmed\n.\nx\n")
	message, err := Ask(t.Context(), sample(), in, failing{})
	assert.Empty(t, message)
	assert.ErrorIs(t, err, errBroken)
	assert.EqualValues(t, in.Size(), in.Len(), "an answer was read")
}

// An error of the reader is not the end of the input.
func TestCannotRead(t *testing.T) {
	message, err := Ask(t.Context(), sample(), io.MultiReader(strings.NewReader("a\n"), failing{}), io.Discard)
	assert.Empty(t, message)
	assert.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errBroken }
func (failing) Write([]byte) (int, error) { return 0, errBroken }

func TestLineTooLong(t *testing.T) {
	in := strings.NewReader(strings.Repeat("x", clarify.MaxSize+1))
	message, err := Ask(t.Context(), sample(), in, io.Discard)
	assert.Empty(t, message)
	assert.ErrorContains(t, err, "a line of more than")
}

// Plain reading stops when the context ends.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	message, err := Ask(ctx, sample(), strings.NewReader("a\n\nconfirmed\n.\nx\n"), io.Discard)
	assert.Empty(t, message)
	assert.ErrorIs(t, err, context.Canceled)
}

// A form that is stopped sends nothing, and has stopped reading: the race
// detector sees a reader that is closed too early.
func TestFormStops(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	for _, tt := range []struct {
		name string
		stop func(cancel func(), keyboard io.Writer)
		want error
	}{
		{"context", func(cancel func(), _ io.Writer) { cancel() }, context.Canceled},
		{"ctrl-c", func(_ func(), keyboard io.Writer) { keyboard.Write([]byte{3}) }, ErrInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Neither end is closed: the library may still ask for the terminal's size.
			master, tty, err := pty.Open()
			require.NoError(t, err)
			require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				r := bufio.NewReader(master)
				for seen := ""; !strings.HasSuffix(seen, "Which?"); {
					b, err := r.ReadByte()
					if err != nil {
						return
					}
					seen += string(b)
				}
				tt.stop(cancel, master)
				io.Copy(io.Discard, r)
			}()
			message, err := Ask(ctx, sample(), tty, tty)
			assert.Empty(t, message)
			assert.ErrorIs(t, err, tt.want)
		})
	}
}

// An invalid envelope is not asked, even if Parse may return it.
func TestInvalid(t *testing.T) {
	in := strings.NewReader("confirmed\n")
	for name, e := range map[string]*clarify.Envelope{
		"nil":     nil,
		"empty":   {},
		"no kind": {Prompts: []clarify.Prompt{{ID: "a", Question: "?"}}},
		"skipped": {Prompts: sample().Prompts, Skipped: []clarify.Skipped{{Part: clarify.PartPrompt}}},
	} {
		message, err := Ask(t.Context(), e, in, io.Discard)
		assert.Empty(t, message, name)
		var invalid *clarify.ValidationError
		assert.ErrorAs(t, err, &invalid, name)
	}
	assert.EqualValues(t, in.Size(), in.Len(), "an answer was read")
}
