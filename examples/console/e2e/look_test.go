package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	clarify "github.com/clarify-protocol/clarify-go"
)

// states shows every state of the page, one after the other.
func states(t *testing.T, tb tab, each func(name string)) {
	t.Helper()
	s := start(t)
	tb.loads(200, chromedp.Navigate(s.url))
	each("first")
	tb.loads(422, click(proceed))
	each("errors")
	tb.do(click(backups), click(logs), fill(archive, "archive-2026"), click(remove))
	each("errors-filled")
	tb.loads(200, click(proceed))
	each("single")
	tb.loads(200, click("button.danger"))
	each("done")
	eval[bool](tb, `document.querySelectorAll("details").forEach(d => d.open = true); true`)
	each("wire")
	tb.loads(422, click(send))
	each("blank-message")
	tb.do(fill("#message", "create a bucket"))
	tb.loads(200, click(send))
	each("create")
	tb.loads(404, chromedp.Navigate(s.url+"c/none"))
	each("not-found")

	f := newForeign(t, clarify.Event{Type: "unreadable"}, clarify.Event{Type: clarify.EventToolEnd, Tool: clarify.ToolName, Output: `{"protocol":"appwrite.clarify/v1","title":"A\u202etricky\u2066 one","prompts":[
		{"id":"a","kind":"slider","question":"How much?"},
		{"id":"b","kind":"confirm","question":"\u001b[31mمرحبا بالعالم?","danger":true,"hint":"של מי?"},
		{"id":"c","kind":"choice","question":"Which?","required":false,"options":[{"id":"a","label":"One"},{"id":"b","label":"one"},{"id":"c","label":"Two"}]},
		{"id":"d","kind":"text","question":"Why?","multiline":true,"defaultValue":"two\nlines"},
		{"id":"e","kind":"text","question":"Twice?"},{"id":"e","kind":"text","question":"Twice!"}]}`})
	tb.loads(200, chromedp.Navigate(start(t, "-engine", f.URL).url))
	each("foreign")
	cut := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(cut.Close)
	tb.loads(200, chromedp.Navigate(start(t, "-engine", cut.URL).url))
	each("cut")
}

// Pictures of the three kinds in one form, light and dark; the README shows two
// like them. With CLARIFY_SCREENSHOTS, of every state, and they are kept.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("CLARIFY_SCREENSHOTS")
	tb := newTab(t)
	shot := func(name, theme string, scale float64) {
		t.Helper()
		data, err := chromedp.Run(tb.ctx, chromedp.ScreenshotScale(chromedp.CSS("html"), scale))
		if err != nil {
			t.Fatal(err)
		}
		checkPicture(t, name, data, theme)
		if folder != "" {
			if err := os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := start(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), click(thumbnails), fill(archive, "archive-2026"), click(remove))
	eval[bool](tb, `document.activeElement.blur(); true`)
	for _, theme := range []string{"light", "dark"} {
		tb.look(760, theme)
		shot("console-"+theme, theme, 1.25)
		kept, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "images", "console-"+theme+".png"))
		if err != nil {
			t.Fatal(err)
		}
		checkPicture(t, "docs/images, "+theme, kept, theme)
		if len(kept) > 150<<10 {
			t.Errorf("docs/images, %s: %d bytes", theme, len(kept))
		}
	}
	if folder == "" {
		return
	}
	states(t, tb, func(name string) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{320, 768, 1280} {
				tb.look(width, theme)
				shot(fmt.Sprintf("%s-%s-%d", name, theme, width), theme, 1)
			}
		}
	})
}

// checkPicture makes sure that the picture is one of a page in the theme.
func checkPicture(t *testing.T, name string, data []byte, theme string) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	light, colours := 0, make(map[color.Gray]bool)
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 3 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 3 {
			c := color.GrayModel.Convert(picture.At(x, y)).(color.Gray)
			colours[c] = true
			if c.Y > 127 {
				light++
			}
		}
	}
	share := float64(light*9) / float64(bounds.Dx()*bounds.Dy())
	if theme == "light" && share < 0.8 || theme == "dark" && share > 0.2 {
		t.Errorf("%s: %.0f %% of the picture is light", name, 100*share)
	}
	if len(colours) < 20 {
		t.Errorf("%s: there is nothing in the picture", name)
	}
}

// axeScript is the accessibility engine.
func axeScript(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	pack := exec.Command("npm", "pack", "--silent", "axe-core@4.14.1")
	pack.Dir, pack.Stderr = folder, t.Output()
	name, err := pack.Output()
	if err != nil {
		t.Fatalf("npm pack: %v", err)
	}
	file, err := os.Open(filepath.Join(folder, strings.TrimSpace(string(name))))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if err != nil {
			t.Fatalf("axe.min.js: %v", err)
		}
		if header.Name == "package/axe.min.js" {
			script, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			return string(script)
		}
	}
}

// No rule of axe-core is broken, in any state, in either theme.
func TestAccessibility(t *testing.T) {
	script := axeScript(t)
	tb := newTab(t)
	audits := 0
	audit := func(name string) {
		t.Helper()
		result, err := chromedp.Run(tb.ctx, chromedp.Evaluate[[]byte](script+`;
			axe.run(document).then(r => ({
				passes: r.passes.length,
				violations: r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("; ")),
			}))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var found struct {
			Passes     int
			Violations []string
		}
		if err := json.Unmarshal(result, &found); err != nil {
			t.Fatal(err)
		}
		for _, v := range found.Violations {
			t.Errorf("%s: %s", name, v)
		}
		if found.Passes < 10 {
			t.Errorf("%s: only %d rules were checked", name, found.Passes)
		}
		audits++
	}
	states(t, tb, func(name string) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{320, 1280} {
				tb.look(width, theme)
				audit(fmt.Sprintf("%s, %s, %d", name, theme, width))
			}
		}
	})
	t.Logf("%d audits", audits)
	// The audit finds something where there is something.
	eval[bool](tb, `document.querySelector("button").textContent = ""; true`)
	broken, err := chromedp.Run(tb.ctx, chromedp.Evaluate[int](`axe.run(document).then(r => r.violations.length)`, chromedp.EvalAwaitPromise))
	if err != nil || broken == 0 {
		t.Errorf("a button without a name is not found: %v", err)
	}
}
