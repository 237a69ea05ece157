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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
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
	tb.do(click(".list summary"))
	each("list-delete")
	tb.loads(200, chromedp.Navigate(s.url+"all?q=nothing+like+it"))
	each("list-empty")
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
	const long = "It takes a while, and it costs more. It is worth it for what cannot be made again."
	f = newForeign(t, tool(t, clarify.Envelope{Prompts: []clarify.Prompt{{ID: "a", Question: "How careful should I be, now that there is so little room left on the disk and so much to do?",
		Input: &clarify.Choice{Options: []clarify.Option{
			{ID: "a", Label: "Check every file before it is copied, and once more when all of them are there", Description: long},
			{ID: "b", Label: "Fast", Description: "No checks."}}}}}}))
	tb.loads(200, chromedp.Navigate(start(t, "-engine", f.URL).url))
	each("long")
	for language, words := range languages {
		s := start(t, "-engine", newForeign(t, asks(t, words)).URL)
		tb.loads(200, chromedp.Navigate(s.url))
		each(language)
		tb.loads(422, click(proceed))
		each(language + "-errors")
		tb.do(click("#clarify-0-0"), fill("#clarify-1-0", words[7]), click(danger))
		tb.loads(200, click(proceed))
		each(language + "-done")
		s.entitle(words[0])
		tb.loads(200, click(".top a"))
		each(language + "-list")
	}

	gate := make(chan bool)
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("data: {\"type\":\"say\",\"output\":\"Let me look.\"}\n\n"))
		http.NewResponseController(w).Flush()
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(engine.Close)
	tb.loads(200, chromedp.Navigate(start(t, "-engine", engine.URL).url))
	tb.until(`document.readyState === "complete" && document.querySelector("main[data-running] .say") !== null`)
	each("running")
	close(gate)
	tb.until(`document.readyState === "complete" && document.querySelector("main:not([data-running]) [value=without]") !== null`)
	each("cut")
	tb.loads(200, click("[value=without]"))
	each("left")
}

// danger selects what confirms the danger in a form of many questions.
const danger = ".clarify-option.clarify-danger input"

// These are the texts of forms in languages that are written from the right: title,
// question, hint, two labels, description, question, example, question, default,
// question and two labels.
var languages = map[string][]string{
	"arabic": {"قبل أن أحذف أي شيء", "أي الحاويات يمكن حذفها؟", "اختر واحدة أو أكثر.", "السجلات", "الصور المصغرة", "٣١٠ ملفات لم يفتحها أحد منذ عام",
		"ما اسم الأرشيف؟", "أرشيف", "لماذا؟", "لا حاجة إليها", "هل أحذف الحاويات مع كل ملفاتها؟", "احذف", "أبقها"},
	"hebrew": {"לפני שאני מוחק משהו", "אילו דליים אפשר למחוק?", "בחרו אחד או יותר.", "יומנים", "תמונות ממוזערות", "310 קבצים שאיש לא פתח מזה שנה",
		"מה שם הארכיון?", "ארכיון", "למה?", "אין בהם צורך", "למחוק את הדליים עם כל הקבצים?", "מחק", "השאר"},
}

// asks returns a question with the texts, and with one more prompt, in English.
func asks(t *testing.T, w []string) clarify.Event {
	return tool(t, clarify.Envelope{Title: w[0], Prompts: []clarify.Prompt{
		{ID: "a", Question: w[1], Hint: w[2], Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{
			{ID: "a", Label: w[3]}, {ID: "b", Label: w[4], Description: w[5]}}}},
		{ID: "b", Question: w[6], Hint: w[2], Input: &clarify.Text{Placeholder: w[7]}},
		{ID: "c", Question: w[8], Hint: w[2], Optional: true, Input: &clarify.Text{DefaultValue: w[9], Multiline: true}},
		{ID: "d", Question: w[10], Hint: w[2], Input: &clarify.Confirm{ConfirmLabel: w[11], CancelLabel: w[12], Danger: true}},
		{ID: "e", Question: "Which region?", Hint: "One is enough.", Optional: true, Input: &clarify.Choice{Options: []clarify.Option{
			{ID: "fra", Label: "Frankfurt"}, {ID: "nyc", Label: "New York", Description: "The nearest one."}}}},
	}})
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
		tb.look(768, "forced")
		shot(name+"-forced", "dark", 1)
		tb.look(360, "light")
		tb.enlarge(200)
		shot(name+"-large", "light", 1)
		tb.enlarge(100)
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

// misfits is what does not fit in a page: what is wider than it, text that is cut,
// covered or broken within a word, and controls that are small or out of reach.
const misfits = `(() => {
	const found = [], root = document.documentElement, range = document.createRange();
	const fault = (what, e) => found.push(what + ": " + e.outerHTML.slice(0, 200));
	const at = (x, y) => { // in the page
		scrollTo(0, y - innerHeight / 2);
		return document.elementFromPoint(x, y - scrollY);
	};
	const shown = e => e.checkVisibility() && !e.closest("h1, .who, .skip, .clarify-guard");
	if (root.scrollWidth > root.clientWidth) fault("wider than the window", root);
	for (const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); texts.nextNode();) {
		const text = texts.currentNode, e = text.parentElement, option = e.closest(".clarify-option");
		if (!shown(e)) continue;
		for (const word of text.data.matchAll(/\S+/g)) {
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			const rects = [...range.getClientRects()].map(r => [r.left + r.width / 10, r.right - r.width / 10, r.top + r.height / 2 + scrollY]);
			if (new Set(rects.map(r => r[2])).size > 1 && /^\p{L}+\P{L}?$/u.test(word[0])) fault("broken " + word[0], e);
			for (const [left, right, y] of rects) {
				if (![left, right].every(x => (hit => e.contains(hit) || option?.contains(hit))(at(x, y)))) fault("covered or cut " + word[0], e);
			}
		}
	}
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), textarea, summary")) {
		if (!shown(e) || e.disabled) continue;
		const target = e.closest(".clarify-option") ?? e, box = target.getBoundingClientRect();
		if (box.height < 24 || box.width < 24) fault("small", e);
		const line = target.getClientRects()[0]; // a link can have several
		if (e.tabIndex < 0 || !target.contains(at(line.left + line.width / 2, line.top + line.height / 2 + scrollY))) fault("out of reach", e);
		if (e.matches("input:not([type=radio], [type=checkbox])")) {
			const style = getComputedStyle(e), pen = document.createElement("canvas").getContext("2d");
			pen.font = style.font;
			if (pen.measureText(e.value || e.placeholder).width > e.clientWidth - 2 * parseFloat(style.paddingLeft)) fault("cut", e);
		}
	}
	for (const e of document.querySelectorAll("h1, h2, h3, legend, label, dt, summary, a, button:not(.clarify-guard)")) {
		if (e.checkVisibility() && !e.textContent.trim()) fault("empty", e);
	}
	return found;
})()`

// Every state fits, at every width, in every theme and with large text.
func TestEveryStateFits(t *testing.T) {
	tb, looked := newTab(t), 0
	states(t, tb, func(name string) {
		fits := func(width int64, theme string, size int) {
			t.Helper()
			tb.look(width, theme)
			tb.enlarge(size)
			assert.Empty(t, eval[[]string](tb, misfits), "%s, %d, %s, text at %d %%", name, width, theme, size)
			looked++
		}
		for _, theme := range []string{"light", "dark", "forced"} {
			for _, width := range []int64{320, 360, 768, 1280} {
				fits(width, theme, 100)
			}
		}
		fits(1280, "light", 200)
		fits(360, "forced", 200)
		fits(360, "light", 200)
		tb.enlarge(100)
	})
	t.Logf("looked %d times", looked)
}

// starts is what does not begin on its side. A question of Latin letters begins on the
// left, as do its controls, hint and labels, in a form that begins on the right.
const starts = `(() => {
	const found = [], range = document.createRange();
	const latin = e => /^\P{L}*\p{Script=Latin}/u.test(e.textContent);
	const inner = (e, right) => {
		const box = e.getBoundingClientRect(), s = getComputedStyle(e), of = (n, x) => parseFloat(s["padding" + n]) + parseFloat(s["border" + n + "Width"]);
		return right ? box.right - of("Right") : box.left + of("Left");
	};
	const check = (what, e, right, start) => {
		if (getComputedStyle(e).direction !== (right ? "rtl" : "ltr") || Math.abs(start - inner(e, right)) > 2) found.push(what + ": " + e.outerHTML);
	};
	const text = (e, right) => { // where its text begins
		range.selectNodeContents(e);
		const rects = [...range.getClientRects()].filter(r => r.width > 0);
		return right ? Math.max(...rects.map(r => r.right)) : Math.min(...rects.map(r => r.left));
	};
	const edge = (e, right) => e.getBoundingClientRect()[right ? "right" : "left"];
	for (const card of document.querySelectorAll(".clarify, .list li")) {
		const right = !latin(card.querySelector(".clarify-title, .clarify-question, dt, a"));
		for (const e of card.querySelectorAll(".clarify-title, .clarify-problem p, li time")) check("text", e, right, text(e, right));
		for (const e of card.querySelectorAll(":scope > .clarify-actions > button, a, details")) check("control", e.closest(".clarify-actions, ul, li"), right, edge(e, right));
	}
	for (const e of document.querySelectorAll(".user .bubble p")) { // each line has its own side
		for (const line of e.textContent.matchAll(/.+/g)) {
			const right = !latin({ textContent: line[0] });
			range.setStart(e.firstChild, line.index);
			range.setEnd(e.firstChild, line.index + line[0].length);
			if (Math.abs(range.getBoundingClientRect()[right ? "right" : "left"] - inner(e, right)) > 2) found.push("line: " + line[0]);
		}
	}
	for (const field of document.querySelectorAll(".clarify-field, .clarify dl > div")) {
		const right = !latin(field.querySelector(".clarify-question, dt"));
		for (const e of field.querySelectorAll(":scope > :not(dd + dd)")) check("part", field, right, edge(e, right));
		for (const e of field.querySelectorAll("legend, label, p, dt, dd")) check("text", e, right, text(e, right));
		for (const e of field.querySelectorAll(".clarify-option")) {
			check("control", e, right, edge(e.querySelector("input"), right));
			if (right === (e.querySelector("input").getBoundingClientRect().left < e.querySelector("label").getBoundingClientRect().left)) found.push("label: " + e.outerHTML);
		}
		for (const e of field.querySelectorAll("input[type=text], textarea")) check("direction", e, right, inner(e, right));
		if (field.matches(".clarify-wrong") && getComputedStyle(field)[right ? "borderRightWidth" : "borderLeftWidth"] !== "4px") found.push("mark: " + field.outerHTML);
	}
	return found;
})()`

// What is written from the right begins on the right, and what is not, on the left.
func TestRightToLeft(t *testing.T) {
	english := []string{"", "Which can go?", "Choose.", "Logs", "Backups", "Seven files", "Which name?", "archive", "Why?", "Not needed", "Delete?", "Yes", "No"}
	mixed := slices.Concat([]string{"Before I delete"}, english[1:6], languages["arabic"][6:])
	untitled := slices.Concat([]string{""}, languages["hebrew"][1:])
	for name, words := range map[string][]string{"arabic": languages["arabic"], "hebrew": languages["hebrew"], "mixed": mixed, "untitled": untitled, "english": english} {
		t.Run(name, func(t *testing.T) {
			s, tb := start(t, "-engine", newForeign(t, asks(t, words)).URL), newTab(t)
			begins := func(selector string, want int) {
				t.Helper()
				assert.Equal(t, want, tb.count(selector), selector)
				assert.Empty(t, eval[[]string](tb, starts))
			}
			tb.look(768, "light")
			tb.loads(200, chromedp.Navigate(s.url))
			begins(".clarify-field", 5)
			for _, selector := range []string{"#clarify-1-0", "#clarify-2-0"} { // the example and the default
				tb.inkBegins(selector, name == "english")
			}
			tb.loads(422, click(proceed))
			begins(".clarify-wrong", 3)
			tb.do(click("#clarify-0-0"), click("#clarify-0-1"), fill("#clarify-1-0", words[7]), click(danger), click("#clarify-4-0"))
			tb.loads(200, click(proceed))
			begins(".clarify-past dl > div", 5)
			s.entitle(words[1])
			tb.loads(200, click(".top a"))
			begins(".list li", 1)
		})
	}
}

// inkBegins checks on which side the text in the field begins.
func (tb tab) inkBegins(selector string, left bool) {
	tb.Helper()
	eval[bool](tb, `document.activeElement.blur(); true`)
	data, err := chromedp.Run(tb.ctx, chromedp.Screenshot(chromedp.CSS(selector)))
	require.NoError(tb, err)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(tb, err)
	bounds, ink := picture.Bounds().Inset(6), [2]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y-12; y++ { // without the handle in the corner
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 160 {
				ink[2*(x-bounds.Min.X)/bounds.Dx()]++
			}
		}
	}
	assert.Equal(tb, left, ink[0] > ink[1], "%s: dark pixels on the left and on the right: %d", selector, ink)
	assert.NotEqual(tb, ink[0], ink[1], selector)
}

// A danger is told without its colour: by a border, also in the reader's own colours,
// in words and in the accessibility tree, before it is chosen and after.
func TestADangerWithoutColour(t *testing.T) {
	s, tb := start(t), newTab(t)
	differs := func(one, other string) {
		t.Helper()
		border := func(selector string) string {
			return eval[string](tb, `(s => s.borderTopStyle + " " + s.borderTopWidth)(getComputedStyle(document.querySelector("`+selector+`")))`)
		}
		tb.look(768, "light")
		assert.NotEqual(t, border(other), border(one), one)
		tb.look(768, "forced")
		assert.Equal(t, "double 3px", border(one), one)
		assert.Equal(t, "solid 1px", border(other), other)
	}
	const warning = "Careful: this deletes something, or cannot be undone."
	describes := func(role, name, want string) {
		t.Helper()
		tree := call(tb, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		for _, n := range tree.Nodes {
			if !n.Ignored && n.Role != nil && n.Name != nil && string(n.Role.Value) == strconv.Quote(role) && string(n.Name.Value) == strconv.Quote(name) {
				require.NotNil(t, n.Description, name)
				assert.Contains(t, string(n.Description.Value), want)
				return
			}
		}
		require.FailNow(t, "there is no "+role+" with the name "+name)
	}
	past := func(name string) {
		t.Helper()
		differs("dd.clarify-danger", "dd:not(.clarify-danger)")
		assert.Equal(t, name+" dangerous", eval[string](tb, `[...document.querySelectorAll("dd.clarify-danger")].at(-1).innerText`))
	}

	tb.loads(200, chromedp.Navigate(s.url))
	tb.shows(warning)
	differs(".clarify-option.clarify-danger", ".clarify-option:not(.clarify-danger)")
	describes("radio", "Delete", warning)
	tb.do(click(backups), click(remove))
	tb.loads(200, click(proceed))
	past("Delete")
	tb.shows(warning)
	differs("button.clarify-danger", "button.clarify-quiet")
	describes("button", "Delete 1 bucket", warning)
	tb.loads(200, click("button.clarify-danger"))
	past("Delete 1 bucket")
	tb.loads(200, click(".top a"))
	tb.do(click(".list summary"))
	differs(".list .danger", ".search button")
	describes("button", "Delete this conversation", "It cannot be undone.")
}

// What is said about a missing answer goes when the answer is given, and comes back
// when it is taken away.
func TestTheHintOfAMissingAnswerGoes(t *testing.T) {
	s, tb := start(t, "-engine", newForeign(t, asks(t, languages["arabic"])).URL), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.loads(422, click(proceed))
	wrong := func(want ...string) {
		t.Helper()
		assert.Equal(t, want, eval[[]string](tb, `[...document.querySelectorAll(".clarify-error")].filter(e => e.checkVisibility()).map(e => e.parentElement.id)`))
		assert.Equal(t, want, eval[[]string](tb, `[...document.querySelectorAll(".clarify-field")].filter(e => getComputedStyle(e).borderRightWidth === "4px").map(e => e.id)`))
	}
	wrong("clarify-0", "clarify-1", "clarify-3")
	tb.do(click("#clarify-0-1"))
	wrong("clarify-1", "clarify-3")
	tb.do(fill("#clarify-1-0", "x"))
	wrong("clarify-3")
	assert.Equal(t, eval[string](tb, `getComputedStyle(document.querySelector("#clarify-2-0")).borderTopColor`), eval[string](tb, `document.activeElement.blur(), getComputedStyle(document.querySelector("#clarify-1-0")).borderTopColor`))
	tb.do(click(danger))
	wrong([]string{}...)
	tb.do(click("#clarify-0-1"))
	wrong("clarify-0")
}

// A control is at the height of the first line of its label, whatever the page's lines
// are. Options with a long description have a line each, others share one.
func TestOptionsAreAligned(t *testing.T) {
	tb, rows := newTab(t), map[string]int{"first": 3, "long": 2, "create": 2}
	states(t, tb, func(name string) {
		tb.look(1280, "light")
		for _, size := range []int{100, 200} {
			tb.enlarge(size)
			for _, line := range []string{"1", "1.55", "2.5"} {
				eval[bool](tb, `document.body.style.lineHeight = "`+line+`"; true`)
				assert.Empty(t, eval[[]string](tb, `[...document.querySelectorAll(".clarify-option")].filter(e => {
					const range = document.createRange(), box = e.querySelector("input").getBoundingClientRect();
					range.selectNodeContents(e.querySelector("label bdi"));
					const first = range.getClientRects()[0];
					return Math.abs(first.top + first.bottom - box.top - box.bottom) / 2 > 1.5;
				}).map(e => e.outerHTML)`), "%s, text at %d %%, lines of %s", name, size, line)
			}
			eval[bool](tb, `document.body.style.lineHeight = ""; true`)
		}
		tb.enlarge(100)
		if want, ok := rows[name]; ok {
			assert.Equal(t, want, eval[int](tb, `new Set([...document.querySelector(".clarify-options").children].map(e => e.offsetTop)).size`), name)
			delete(rows, name)
		}
	})
	assert.Empty(t, rows, "not seen")
}

// The page breaks no rule of axe-core, in any state and any theme.
func TestAccessibility(t *testing.T) {
	script := axeScript(t)
	tb := newTab(t)
	audits := 0
	audit := func(name string) {
		t.Helper()
		if !eval[bool](tb, `"axe" in window`) {
			eval[bool](tb, script+"; true")
		}
		result, err := chromedp.Run(tb.ctx, chromedp.Evaluate[[]byte](`
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
		tb.look(768, "forced")
		audit(name + ", forced")
	})
	t.Logf("%d audits", audits)
	// The audit finds a fault if there is one.
	eval[bool](tb, `document.querySelector("button").textContent = ""; true`)
	broken, err := chromedp.Run(tb.ctx, chromedp.Evaluate[int](`axe.run(document).then(r => r.violations.length)`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.NotZero(t, broken, "a button without a name is not found")
}
