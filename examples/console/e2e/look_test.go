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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// states shows every state of the page and calls each for it.
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
	tb.loads(200, click("button.clarify-danger"))
	each("done")
	eval[bool](tb, `document.querySelectorAll("details").forEach(d => d.open = true); true`)
	each("wire")
	tb.loads(422, click(send))
	each("blank-message")
	tb.do(fill("#message", "create a bucket"))
	tb.loads(200, click(send))
	each("create")
	tb.loads(200, chromedp.Navigate(s.url+"all"))
	each("list")
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

// The test takes pictures of the three kinds in one form, light and dark. The
// README shows two such pictures. With CLARIFY_SCREENSHOTS, the test takes
// pictures of every state and keeps them.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("CLARIFY_SCREENSHOTS")
	tb := newTab(t)
	shot := func(name, theme string, scale float64) {
		t.Helper()
		data, err := chromedp.Run(tb.ctx, chromedp.ScreenshotScale(chromedp.CSS("html"), scale))
		require.NoError(t, err)
		checkPicture(t, name, data, theme)
		if folder != "" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644))
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
		require.NoError(t, err)
		checkPicture(t, "docs/images, "+theme, kept, theme)
		assert.LessOrEqual(t, len(kept), 150<<10, "docs/images, %s", theme)
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

// checkPicture checks that the picture shows a page in the theme.
func checkPicture(t *testing.T, name string, data []byte, theme string) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err, name)
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
	assert.GreaterOrEqual(t, len(colours), 20, "%s: there is nothing in the picture", name)
}

// axeScript returns the script of axe-core.
func axeScript(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	pack := exec.Command("npm", "pack", "--silent", "axe-core@4.14.1")
	pack.Dir, pack.Stderr = folder, t.Output()
	name, err := pack.Output()
	require.NoError(t, err, "npm pack")
	file, err := os.Open(filepath.Join(folder, strings.TrimSpace(string(name))))
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		require.NoError(t, err, "axe.min.js")
		if header.Name == "package/axe.min.js" {
			script, err := io.ReadAll(archive)
			require.NoError(t, err)
			return string(script)
		}
	}
}

// The page breaks no rule of axe-core, in any state and either theme.
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
		require.NoError(t, err, name)
		var found struct {
			Passes     int
			Violations []string
		}
		require.NoError(t, json.Unmarshal(result, &found))
		assert.Empty(t, found.Violations, name)
		assert.GreaterOrEqual(t, found.Passes, 10, "%s: rules checked", name)
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
	// The audit finds a fault if there is one.
	eval[bool](tb, `document.querySelector("button").textContent = ""; true`)
	broken, err := chromedp.Run(tb.ctx, chromedp.Evaluate[int](`axe.run(document).then(r => r.violations.length)`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.NotZero(t, broken, "a button without a name is not found")
}
