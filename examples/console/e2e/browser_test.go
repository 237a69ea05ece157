package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// program is the path of the Console's binary. browser is the context of the
// browser that all tests share.
var (
	program string
	browser context.Context
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	fail := func(err error) int { fmt.Fprintln(os.Stderr, err); return 1 }
	folder, err := os.MkdirTemp("", "clarify-e2e-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "console")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fail(fmt.Errorf("%w\n%s", err, out))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(filepath.Join(folder, "profile")),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	var stop context.CancelFunc
	browser, stop = chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(browser); err != nil { // a deadline here would end the browser, too
		return fail(fmt.Errorf("no browser: %w", err))
	}
	return m.Run()
}

// A tab is a page in its own browser profile.
type tab struct {
	*testing.T
	ctx context.Context
}

func newTab(t *testing.T) tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return tab{t, ctx}.started()
}

// another returns a new tab in the same profile.
func (tb tab) another() tab {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(tb.ctx)
	tb.Cleanup(cancel)
	return tab{tb.T, ctx}.started()
}

func (tb tab) started() tab {
	tb.Helper()
	require.NoError(tb, chromedp.Do(tb.ctx))
	ctx, stop := context.WithTimeout(tb.ctx, 2*time.Minute)
	tb.Cleanup(stop)
	return tab{tb.T, ctx}
}

func (tb tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	require.NoError(tb, chromedp.Do(tb.ctx, steps...))
}

// loads takes a step that loads a page, and wants the page's status.
func (tb tab) loads(status int, step chromedp.Action[chromedp.Void]) {
	tb.Helper()
	resp, err := chromedp.RunResponse(tb.ctx, step)
	require.NoError(tb, err)
	require.Equal(tb, status, int(resp.Status), resp.URL)
}

// sends takes a step that sends a form, and wants the status of the page that
// comes back. After the page has loaded the browser moves the focus to what has
// the selector. A key that is pressed before that goes elsewhere, so sends waits.
func (tb tab) sends(step chromedp.Action[chromedp.Void], status int, selector string) {
	tb.Helper()
	tb.loads(status, step)
	tb.until(`document.activeElement === document.querySelector(` + strconv.Quote(selector) + `)`)
}

func eval[T any](tb tab, js string) T {
	tb.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](js))
	require.NoError(tb, err, js)
	return v
}

func call[P, R any](tb tab, command cdp.Command[P, R], params P) R {
	tb.Helper()
	r, err := chromedp.Call(tb.ctx, command, params)
	require.NoError(tb, err)
	return r
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// fill replaces the text in a field.
func fill(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.Evaluate[chromedp.Void](`document.querySelector(`+strconv.Quote(selector)+`).value = ""`),
		chromedp.SendKeys(chromedp.CSS(selector), text),
	)
}

func (tb tab) text() string {
	tb.Helper()
	return eval[string](tb, `document.body.innerText`)
}

func (tb tab) shows(want ...string) {
	tb.Helper()
	text := tb.text()
	for _, w := range want {
		require.Contains(tb, text, w)
	}
}

func (tb tab) count(selector string) int {
	tb.Helper()
	return eval[int](tb, `document.querySelectorAll(`+strconv.Quote(selector)+`).length`)
}

// until waits until the expression is true, even while pages change.
func (tb tab) until(js string) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[bool](js))
		return err == nil && v
	}, 20*time.Second, 20*time.Millisecond, js)
}

// stays takes a step that must not send a form. A form is sent, if at all, before
// the step returns. A button that closes a dialog sends nothing.
func (tb tab) stays(step chromedp.Action[chromedp.Void]) {
	tb.Helper()
	eval[bool](tb, `window.stayed = true; addEventListener("submit", e => window.stayed &&= e.submitter?.formMethod === "dialog", true); true`)
	tb.do(step)
	require.True(tb, eval[bool](tb, `window.stayed === true`), "a form was sent")
}

// look sets the width of the page, and the theme: light, dark or forced, which is
// the reader's own colours.
func (tb tab) look(width int64, theme string) {
	tb.Helper()
	tb.do(chromedp.EmulateViewport(width, 900))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "forced-colors", Value: "none"}}
	if theme == "forced" {
		features = []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}, {Name: "forced-colors", Value: "active"}}
	}
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
}

// enlarge sets the size of text, in percent, as a reader does in the browser.
func (tb tab) enlarge(percent int) {
	tb.Helper()
	eval[bool](tb, fmt.Sprintf(`document.documentElement.style.fontSize = "%d%%"; true`, percent))
}
