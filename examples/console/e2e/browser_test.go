package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// program is the Console's binary, browser the context of the one browser.
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
	if err := chromedp.Do(browser); err != nil { // without a deadline: it would be the browser's
		return fail(fmt.Errorf("no browser: %w", err))
	}
	return m.Run()
}

// A tab is a page of a browser profile of its own.
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

// another is a tab of the same profile.
func (tb tab) another() tab {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(tb.ctx)
	tb.Cleanup(cancel)
	return tab{tb.T, ctx}.started()
}

func (tb tab) started() tab {
	tb.Helper()
	if err := chromedp.Do(tb.ctx); err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithTimeout(tb.ctx, 2*time.Minute)
	tb.Cleanup(stop)
	return tab{tb.T, ctx}
}

func (tb tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	if err := chromedp.Do(tb.ctx, steps...); err != nil {
		tb.Fatal(err)
	}
}

// loads does what loads a page, and wants its status.
func (tb tab) loads(status int, step chromedp.Action[chromedp.Void]) {
	tb.Helper()
	resp, err := chromedp.RunResponse(tb.ctx, step)
	if err != nil {
		tb.Fatal(err)
	}
	if int(resp.Status) != status {
		tb.Fatalf("status %d of %s, want %d\n%s", resp.Status, resp.URL, status, tb.text())
	}
}

func eval[T any](tb tab, js string) T {
	tb.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		tb.Fatalf("%s: %v", js, err)
	}
	return v
}

func call[P, R any](tb tab, command cdp.Command[P, R], params P) R {
	tb.Helper()
	r, err := chromedp.Call(tb.ctx, command, params)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// fill writes into a field that may hold something.
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
		if !strings.Contains(text, w) {
			tb.Fatalf("the page does not show %q:\n%s", w, text)
		}
	}
}

func (tb tab) count(selector string) int {
	tb.Helper()
	return eval[int](tb, `document.querySelectorAll(`+strconv.Quote(selector)+`).length`)
}

// until waits for an expression to become true, also while pages change.
func (tb tab) until(js string) {
	tb.Helper()
	end := time.Now().Add(20 * time.Second)
	for {
		v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[bool](js))
		if err == nil && v {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("never true: %s (%v)", js, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stays makes sure that nothing loads, after a step that must do nothing.
func (tb tab) stays(step chromedp.Action[chromedp.Void]) {
	tb.Helper()
	eval[bool](tb, `window.here = true`)
	tb.do(step)
	time.Sleep(400 * time.Millisecond)
	if !eval[bool](tb, `window.here === true`) {
		tb.Fatal("another page was loaded")
	}
}

// look sets the width of the page, and light or dark.
func (tb tab) look(width int64, theme string) {
	tb.Helper()
	tb.do(chromedp.EmulateViewport(width, 900))
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
}
