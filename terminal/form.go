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

// askForm shows one form for each prompt. In a single form with several pages, a
// second Enter that is typed too fast would accept a page that was never shown,
// because huh's fields have a value from the start.
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
			break // after a cancel no other answer is required
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

// quitOnSignal turns SIGINT, which would kill the program, into a quit.
func quitOnSignal(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.InterruptMsg); ok {
		return tea.QuitMsg{}
	}
	return msg
}

// A model is a form that Bubble Tea can run. It does what [huh.Form.Run] does.
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

// pageTitle returns the envelope's title with the number of the prompt.
func pageTitle(e *clarify.Envelope, i int) string {
	title := harmless(e.Title)
	if n := len(e.Prompts); n > 1 {
		title = strings.TrimSpace(fmt.Sprintf("%s (%d/%d)", title, i+1, n))
	}
	return title
}

// question returns the question with its hint. The form shows it above the field
// rather than in it: a field scrolls, and huh's multi-select hides as many
// options as its title has lines.
func question(p clarify.Prompt) string {
	return strings.TrimSpace(heading(p) + "\n" + harmless(p.Hint))
}

// fits reports whether the screen has room for each question and its answer. A
// question that is pushed off the screen was not asked.
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

// size returns the columns and rows of the terminal, or 0 if they are unknown.
func size(out io.Writer) (columns, rows int) {
	if f, ok := out.(*os.File); ok {
		columns, rows, _ = term.GetSize(f.Fd())
	}
	return columns, rows
}

// newField returns the field for p and a function that returns its values, in the
// form in which an HTML form would send them. An empty value is no answer.
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
		for i := range options { // huh would cut long lines
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
		// This is a list because huh's buttons confirm when the user types y,
		// have no room for long labels and cannot leave an optional prompt open.
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

// button returns the label of a confirm's button. It adds what the button does to
// a label that the model chose, because such a label may mislead.
func button(label, byDefault, does string) string {
	if label == byDefault {
		return label
	}
	return harmless(label) + " (" + does + ")"
}

// newSelect returns a list in which one entry can be chosen. If the prompt is
// optional, the first entry leaves it open.
func newSelect(p clarify.Prompt, options []huh.Option[string]) *huh.Select[string] {
	if p.Optional {
		options = append([]huh.Option[string]{huh.NewOption("(no answer)", "")}, options...)
	}
	return huh.NewSelect[string]().Options(options...)
}

// maxLines is one less than what huh's text area holds. The area cuts a longer
// text silently, so a text that fills it may have been cut.
const maxLines = 98

// showsAsItIs reports whether the default value looks the same on the screen as
// it is sent. The form does not fill in any other.
func showsAsItIs(in *clarify.Text) bool {
	lines := strings.Split(in.DefaultValue, "\n")
	if len(lines) > 1 && !in.Multiline || len(lines) > maxLines {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return strings.ContainsFunc(line, isHarmful) })
}

// keys returns huh's keys without the filter, because a filter can hide options.
func keys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	k.Select.Filter = key.NewBinding()
	return k
}

// theme returns huh's plainest theme, with red for a dangerous confirm.
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
