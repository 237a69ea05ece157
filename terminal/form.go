package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	clarify "github.com/clarify-protocol/clarify-go"
)

// askForm asks e as one form after the other. In one form of several pages a
// second Enter, typed too fast, passes a page that was never shown, and huh's
// fields hold a value from the start.
func askForm(ctx context.Context, e *clarify.Envelope, in io.Reader, out io.Writer) (answers clarify.Answers, err error) {
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out), tea.WithFilter(quitOnSignal)}
	if os.Getenv("NO_COLOR") != "" {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	for i, p := range e.Prompts {
		columns, _ := size(out)
		field, values := newField(p, columns)
		form := huh.NewForm(huh.NewGroup(field).Title(pageTitle(e, i)).Description(question(p))).
			WithTheme(theme(p)).
			WithKeyMap(keys())
		if err := run(ctx, form, options); err != nil {
			return clarify.Answers{}, err
		}
		answer, err := judge(p, values()...)
		if err != nil {
			return clarify.Answers{}, err
		}
		if answer == nil {
			continue
		}
		given := clarify.Answer{ID: p.ID, Payload: answer}
		summary := clarify.Answers{Answers: []clarify.Answer{given}}.Summary()
		if _, err := fmt.Fprintln(out, harmless(summary)); err != nil {
			return clarify.Answers{}, err
		}
		answers.Answers = append(answers.Answers, given)
		if isCancel(answer) {
			break // nothing more is demanded
		}
	}
	return answers, nil
}

// run runs the form until it is answered or stopped. It always quits the
// program, also when ctx ends or the user presses ctrl-c: a program that is
// killed closes its reader without waiting for a read that is under way.
func run(ctx context.Context, form *huh.Form, options []tea.ProgramOption) error {
	form.SubmitCmd, form.CancelCmd = tea.Quit, tea.Quit
	program := tea.NewProgram(model{form}, options...)
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case form.State != huh.StateCompleted:
		return ErrInterrupted
	}
	return nil
}

// quitOnSignal turns an interrupt, which would kill the program, into a quit.
func quitOnSignal(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.InterruptMsg); ok {
		return tea.QuitMsg{}
	}
	return msg
}

// A model is a form that Bubble Tea can run, as [huh.Form.Run] builds it.
type model struct{ *huh.Form }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := m.Form.Update(msg)
	return m, cmd
}

func (m model) View() tea.View {
	view := tea.NewView(m.Form.View())
	view.ReportFocus = true
	return view
}

// pageTitle returns the envelope's title and which prompt of how many it is.
func pageTitle(e *clarify.Envelope, i int) string {
	title := harmless(e.Title)
	if n := len(e.Prompts); n > 1 {
		title = strings.TrimSpace(fmt.Sprintf("%s (%d/%d)", title, i+1, n))
	}
	return title
}

// question returns the question with its hint. It stands above the field and
// not in it: a field scrolls, and huh's multi-select hides as many options as
// its own title has lines.
func question(p clarify.Prompt) string {
	return strings.TrimSpace(heading(p) + "\n" + harmless(p.Hint))
}

// fits reports whether each question can stand on the screen with room for the
// answer. What is pushed off the screen was not asked.
func fits(e *clarify.Envelope, out io.Writer) bool {
	const room = 6 // a margin, two options, a line between, a line of help, one to spare
	columns, rows := size(out)
	for i, p := range e.Prompts {
		page := pageTitle(e, i) + "\n" + question(p)
		if columns < 40 || lipgloss.Height(lipgloss.Wrap(page, columns, ",.-; ")) > rows-room {
			return false
		}
	}
	return true
}

// size returns the columns and rows of the terminal, 0 if they are not known.
func size(out io.Writer) (columns, rows int) {
	if f, ok := out.(*os.File); ok {
		columns, rows, _ = term.GetSize(f.Fd())
	}
	return columns, rows
}

// newField returns the field for p, and its values as an HTML form would send
// them for p: what the library judges. An empty value is no answer.
func newField(p clarify.Prompt, columns int) (f huh.Field, values func() []string) {
	value := new(string)
	values = func() []string { return []string{*value} }
	validate := func(s string) error { _, err := judge(p, s); return err }
	switch in := p.Input.(type) {
	case *clarify.Choice:
		options := make([]huh.Option[string], len(in.Options))
		for i, line := range optionLines(in) {
			options[i] = huh.NewOption(line, in.Options[i].ID)
		}
		if !in.AllowMultiple {
			return newSelect(p, options).Value(value), values
		}
		for i := range options { // huh cuts them
			options[i].Key = lipgloss.Wrap(options[i].Key, columns-len("| > [ ] "), ",.-; ")
		}
		several := new([]string)
		return huh.NewMultiSelect[string]().Options(options...).Filterable(false).
			Validate(func(v []string) error {
				if _, err := judge(p, v...); err != nil {
					return fmt.Errorf("%w: choose with the space bar", err)
				}
				return nil
			}).
			Value(several), func() []string { return *several }
	case *clarify.Confirm:
		// A list, not huh's buttons: there y alone confirms and moves on, long
		// labels do not fit, and there is no third way out of an optional one.
		// The first entry has the focus, so Enter alone never confirms.
		return newSelect(p, []huh.Option[string]{
			huh.NewOption(button(in.CancelLabel, clarify.DefaultCancelLabel, "cancels"), clarify.FormCancelled),
			huh.NewOption(button(in.ConfirmLabel, clarify.DefaultConfirmLabel, "confirms"), clarify.FormConfirmed),
		}).Value(value), values
	case *clarify.Text:
		if showsAsItIs(in) {
			*value = in.DefaultValue
		}
		if !in.Multiline {
			return huh.NewInput().Placeholder(harmless(in.Placeholder)).Validate(validate).Value(value), values
		}
		return huh.NewText().Placeholder(harmless(in.Placeholder)).ExternalEditor(false).
			Validate(func(s string) error {
				if strings.Count(s, "\n") >= maxLines {
					return fmt.Errorf("want at most %d lines", maxLines)
				}
				return validate(s)
			}).Value(value), values
	}
	panic(fmt.Sprintf("terminal: a valid prompt of kind %q", p.Kind()))
}

// button returns a confirm's label with what it does, which a label of the
// model's own may hide.
func button(label, byDefault, does string) string {
	if label == byDefault {
		return label
	}
	return harmless(label) + " (" + does + ")"
}

// newSelect returns a list of which one entry can be chosen. If the prompt is
// optional, the first entry is not to answer.
func newSelect(p clarify.Prompt, options []huh.Option[string]) *huh.Select[string] {
	if p.Optional {
		options = append([]huh.Option[string]{huh.NewOption("(no answer)", "")}, options...)
	}
	return huh.NewSelect[string]().Options(options...)
}

// maxLines is one less than what huh's text area holds: it cuts a longer text
// without a word, so one that fills it may have been cut.
const maxLines = 98

// showsAsItIs reports whether the default value can be shown as it is. What
// looks different from what would be sent is not filled in.
func showsAsItIs(in *clarify.Text) bool {
	lines := strings.Split(in.DefaultValue, "\n")
	if len(lines) > 1 && !in.Multiline || len(lines) > maxLines {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return strings.ContainsFunc(line, isHarmful) })
}

// keys are huh's, without the filter: it can hide options.
func keys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	k.Select.Filter = key.NewBinding()
	return k
}

// theme is huh's plainest, with a danger in red.
func theme(p clarify.Prompt) huh.Theme {
	return huh.ThemeFunc(func(isDark bool) *huh.Styles {
		s := huh.ThemeBase(isDark)
		s.Group.Title = lipgloss.NewStyle().Faint(true)
		s.Group.Description = lipgloss.NewStyle().Bold(true).MarginBottom(1)
		s.Focused.SelectedOption = lipgloss.NewStyle().Bold(true)
		if isDanger(p) {
			s.Group.Description = s.Group.Description.Foreground(lipgloss.BrightRed)
			s.Focused.Base = s.Focused.Base.BorderForeground(lipgloss.BrightRed)
		}
		return s
	})
}
