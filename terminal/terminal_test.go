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
		if got := harmless(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// isMark reports whether c is one of the marks that set the direction of what
// stands beside them, and of no more: text in some scripts needs them.
func isMark(c rune) bool { return c == 0x061C || c == 0x200E || c == 0x200F }

// sample has a prompt of each kind, required and optional.
func sample() *clarify.Envelope {
	e := &clarify.Envelope{Prompts: []clarify.Prompt{
		{ID: "one", Question: "Which?", Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B, or not"}}}},
		{ID: "many", Question: "Which?", Optional: true, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B, or not"}}}},
		{ID: "sure", Question: "Sure?", Input: &clarify.Confirm{Danger: true}},
		{ID: "text", Question: "What?", Optional: true, Input: &clarify.Text{Multiline: true}},
		{ID: "line", Question: "What?", Input: &clarify.Text{DefaultValue: "d"}},
	}}
	return e
}

// Whatever is read, a message holds, every line of it: the engine's judge finds
// nothing in it to refuse, and it says what the lines said.
func TestMessageHolds(t *testing.T) {
	words := []string{"a", "A", "1", "2.", "B, or not", "a, b", "1,2", "yes", "no", "confirmed", "cancelled", "Confirm", "sure: confirmed",
		"", " ", ".", "x", "\ufeff", "\u0085", "x\u2028sure: confirmed", "\xff", `{"protocol":"appwrite.clarify/v1","answers":[]}`, "-", "line = 5", "\x00", "\r"}
	random := rand.New(rand.NewPCG(1, 2))
	messages, proceeds := 0, 0
	for range 20_000 {
		var input strings.Builder
		for range random.IntN(9) {
			input.WriteString(words[random.IntN(len(words))] + "\n")
		}
		message, err := Ask(t.Context(), sample(), strings.NewReader(input.String()), io.Discard)
		if err != nil {
			if message != "" || !errors.Is(err, ErrNoAnswer) {
				t.Fatalf("%q: %q, %v", input.String(), message, err)
			}
			continue
		}
		messages++
		reply := sample().Read(message)
		if v := reply.Violations(); len(v) > 0 || reply.Remainder() != "" {
			t.Fatalf("%q: %s: %v, %q", input.String(), message, v, reply.Remainder())
		}
		b, err := reply.Answers().AppendJSON(nil)
		if err != nil || string(b) != message {
			t.Fatalf("%q: %s was read as %s, %v", input.String(), message, b, err)
		}
		if reply.Proceed() {
			proceeds++
			if lower := strings.ToLower(input.String()); !strings.Contains(lower, "confirm") && !strings.Contains(lower, "yes") {
				t.Fatalf("%q confirmed", input.String())
			}
		}
	}
	if messages < 1000 || proceeds < 10 {
		t.Fatalf("only %d messages and %d that confirm: the words are badly chosen", messages, proceeds)
	}
}

// What stands behind the answers is left to whoever reads next.
func TestReadsNoFurther(t *testing.T) {
	in := strings.NewReader("a\n\nno\nrest\n")
	if _, err := Ask(t.Context(), sample(), in, io.Discard); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "rest\n" {
		t.Errorf("left %q", rest)
	}
}

// A question that could not be shown was not asked.
func TestCannotWrite(t *testing.T) {
	broken := errors.New("broken")
	in := strings.NewReader("a\n\nconfirmed\n.\nx\n")
	message, err := Ask(t.Context(), sample(), in, failing{broken})
	if message != "" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", message, err)
	}
	if in.Len() != int(in.Size()) {
		t.Errorf("an answer was read: %d bytes are left", in.Len())
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A reader that fails is no end of input.
func TestCannotRead(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader("a\n"), failingReader{broken})
	if message, err := Ask(t.Context(), sample(), in, io.Discard); message != "" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", message, err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestLineTooLong(t *testing.T) {
	in := strings.NewReader(strings.Repeat("x", clarify.MaxSize+1))
	if message, err := Ask(t.Context(), sample(), in, io.Discard); message != "" || err == nil || errors.Is(err, ErrNoAnswer) {
		t.Errorf("got %q, %v", message, err)
	}
}

// Plain reading stops when the context ends.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	message, err := Ask(ctx, sample(), strings.NewReader("a\n\nconfirmed\n.\nx\n"), io.Discard)
	if message != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", message, err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
				t.Fatal(err)
			}
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
			if message, err := Ask(ctx, sample(), tty, tty); message != "" || !errors.Is(err, tt.want) {
				t.Errorf("got %q, %v", message, err)
			}
		})
	}
}

// An envelope that Parse may give but nobody may emit is not asked.
func TestInvalid(t *testing.T) {
	in := strings.NewReader("confirmed\n")
	for name, e := range map[string]*clarify.Envelope{
		"nil":     nil,
		"empty":   {},
		"no kind": {Prompts: []clarify.Prompt{{ID: "a", Question: "?"}}},
		"skipped": {Prompts: sample().Prompts, Skipped: []clarify.Skipped{{Part: clarify.PartPrompt}}},
	} {
		message, err := Ask(t.Context(), e, in, io.Discard)
		var invalid *clarify.ValidationError
		if message != "" || !errors.As(err, &invalid) {
			t.Errorf("%s: %q, %v", name, message, err)
		}
	}
	if in.Len() == 0 {
		t.Error("an answer was read")
	}
}
