package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	clarify "github.com/clarify-protocol/clarify-go"
)

// These are the selectors of what is on the agent's first form.
const (
	avatars    = "#clarify-0-0"
	backups    = "#clarify-0-1"
	logs       = "#clarify-0-2"
	thumbnails = "#clarify-0-3"
	uploads    = "#clarify-0-4"
	archive    = "#clarify-1-0"
	keep       = "#clarify-2-0"
	remove     = "#clarify-2-1"
	proceed    = ".clarify-send"
	send       = ".composer button"
)

// tooWide is by how many pixels the page is wider than the window.
const tooWide = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

func TestConfirmedOnce(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	second := tb.another()
	second.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), click(remove))
	second.do(click(logs), click(remove))
	tb.loads(200, click(proceed))
	s.did("delete logs")
	tb.shows("delete_bucket", "Done: deleted logs. 4 buckets left.")

	tb.loads(200, chromedp.Reload())
	s.did("delete logs")

	// The second tab still has the form. The same answer is the same post.
	second.loads(200, click(proceed))
	second.shows("Done: deleted logs. 4 buckets left.")
	s.did("delete logs")

	// Go back, whatever the browser shows then.
	tb.do(chromedp.NavigateBack())
	tb.until(`document.readyState === "complete"`)
	if tb.count(proceed) > 0 {
		tb.do(click(proceed))
		tb.until(`document.readyState === "complete" && !document.querySelector("form.clarify")`)
	}
	s.did("delete logs")
}

func TestADoubleClickDeletesOnce(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), click(remove), chromedp.DoubleClick(chromedp.CSS(proceed)))
	tb.until(`document.body.innerText.includes("Done: deleted logs. 4 buckets left.")`)
	s.did("delete logs")

	// The same with the button of a single confirm.
	tb.do(chromedp.SendKeys(chromedp.CSS("#message"), "make room"))
	tb.loads(200, click(send))
	tb.do(click("#clarify-0-1"), click(remove))
	tb.loads(200, click(proceed))
	tb.do(chromedp.DoubleClick(chromedp.CSS("button.clarify-danger")))
	tb.until(`document.body.innerText.includes("Done: deleted backups. 3 buckets left.")`)
	s.did("delete logs", "delete backups")
	assert.Equal(t, 5, tb.count(".item.user"))
}

func TestACancelledDeleteLeavesTheBucket(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	second := tb.another()
	second.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), click(keep))
	tb.loads(200, click(proceed))
	tb.shows("Nothing was deleted.", "Keep everything")
	// The second tab still tries to delete.
	second.do(click(logs), click(remove))
	second.loads(http.StatusConflict, click(proceed))
	second.shows("The conversation has moved on since this page was made, so nothing was sent.")
	second.loads(http.StatusConflict, chromedp.Reload())
	s.did()
	tb.do(chromedp.SendKeys(chromedp.CSS("#message"), "list"))
	tb.loads(200, click(send))
	tb.shows("5 buckets, 441 files: avatars, backups, logs, thumbnails, uploads")

	// A single confirm has two buttons that send.
	tb.do(chromedp.SendKeys(chromedp.CSS("#message"), "make room"))
	tb.loads(200, click(send))
	tb.do(click(backups), click(remove))
	tb.loads(200, click(proceed))
	tb.shows("Delete backups, although backups holds the only copies of your databases?")
	tb.loads(200, click(".clarify-quiet"))
	tb.shows("Nothing was deleted.")
	s.did()
}

func TestThreePicksArrive(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(click(uploads), click(logs), click(thumbnails), click(avatars), click(avatars), fill(archive, "kept-files"), click(remove))
	tb.loads(200, click(proceed))
	s.did("create kept-files fra", "copy logs kept-files", "copy thumbnails kept-files", "copy uploads kept-files",
		"delete logs", "delete thumbnails", "delete uploads")
	tb.shows("Which buckets can go? logs, thumbnails, uploads\nKeep copies of their files in a new bucket? kept-files\nDelete the buckets that you chose, with every file in them? Delete")
}

func TestTheThirdOptionIsTheThird(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(chromedp.SendKeys(chromedp.CSS("#message"), "create a bucket"))
	tb.loads(200, click(send))
	tb.do(fill("#clarify-0-0", "photos"), click("#clarify-1-0"), click("#clarify-1-2"))
	tb.loads(200, click(proceed))
	s.did("create photos syd")
}

func TestABlankIsRefusedAndTheTextIsStillThere(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), fill(archive, `"old" <logs>`))
	tb.sends(click(proceed), 422, ".clarify-problem") // the focus is on the summary of errors
	check := func() {
		t.Helper()
		tb.shows("The answers are not complete yet.", "This needs an answer.")
		assert.Equal(t, `"old" <logs>`, eval[string](tb, `document.querySelector("#clarify-1-0").value`))
		assert.Equal(t, []string{"clarify-0-2"}, eval[[]string](tb, `[...document.querySelectorAll(":checked")].map(e => e.id)`))
	}
	check()
	// Its links lead to the fields.
	tb.do(click(".clarify-problem a"))
	tb.until(`document.activeElement.id === "clarify-2-0"`)
	tb.loads(422, chromedp.Reload()) // posts the same again, and gets the same
	check()
	s.did()
	// A required text is refused too, and the choice is kept.
	tb.do(chromedp.SendKeys(chromedp.CSS("#message"), "create a bucket"))
	tb.loads(200, click(send))
	tb.do(fill("#clarify-0-0", "   "), click("#clarify-1-1"))
	tb.loads(422, click(proceed))
	assert.True(t, eval[bool](tb, `document.querySelector("#clarify-1-1").checked`), "the choice is lost")
	s.did()
}

func TestTamperedFormsDoNothing(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	first := eval[string](tb, `location.pathname`)
	tb.loads(200, click(".top button")) // another conversation
	require.NotEqual(t, first, eval[string](tb, `location.pathname`))

	// An option that was not offered.
	tb.do(click(logs), click(remove))
	eval[bool](tb, `document.querySelector("#clarify-0-2").value = "secrets"; true`)
	tb.loads(422, click(proceed))
	tb.shows("Choose one of what is offered.")
	s.did()

	// Yes and no at once.
	tb.do(click(logs), click(keep))
	eval[bool](tb, `document.querySelector("#clarify-2-0").insertAdjacentHTML("afterend",
		'<input type=hidden name="answer.confirm_delete" value=confirmed>'); true`)
	tb.loads(422, click(proceed))
	tb.shows("Choose only one.")
	s.did()

	// The form of one conversation, posted to the other.
	tb.do(click(logs), click(remove))
	eval[bool](tb, `document.querySelector("form.clarify").action = "`+first+`"; true`)
	tb.loads(http.StatusConflict, click(proceed))
	tb.shows("This form belongs to something else, so nothing was sent.")
	s.did()

	// A yes for a question that was cancelled.
	tb.loads(200, chromedp.Navigate(s.url+strings.TrimPrefix(first, "/")))
	hidden := eval[string](tb, `document.querySelector("[name=position]").outerHTML + document.querySelector("[name=for]").outerHTML`)
	tb.do(click(keep))
	tb.loads(200, click(proceed))
	eval[bool](tb, `document.querySelector("main").insertAdjacentHTML("beforeend", '<form method=post><input name=do value=answer>'
		+ '`+hidden+`<input name="answer.buckets" value=logs>'
		+ '<input name="answer.confirm_delete" value=confirmed><button id=forged>x</button></form>'); true`)
	tb.loads(http.StatusConflict, click("#forged"))
	s.did()

	// The same with a new form, for which no question is open.
	eval[bool](tb, `document.querySelector(".composer").insertAdjacentHTML("beforeend",
		'<input name="answer.buckets" value=logs><input name="answer.confirm_delete" value=confirmed>');
		document.querySelector(".composer [name=do]").value = "answer"; true`)
	tb.loads(422, click(send))
	s.did()
}

const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\u2066\u001b[31m\u0085\u2028\u200b" + ` <a href="javascript:alert(3)">x</a></textarea></title><!--`

func TestHostileTextInEveryField(t *testing.T) {
	id := "x" + hostile
	said1, called, read := clarify.Event{Type: "say", Output: hostile}, clarify.Event{Type: clarify.EventToolEnd, Tool: hostile, Output: hostile}, clarify.Event{Type: "reading", Output: hostile}
	f := newForeign(t, said1, called, read, tool(t, clarify.Envelope{Title: hostile, Prompts: []clarify.Prompt{
		{ID: id + "1", Question: hostile, Hint: hostile, Input: &clarify.Choice{AllowMultiple: true, Options: []clarify.Option{
			{ID: id + "a", Label: hostile + "a", Description: hostile},
			{ID: id + "b", Label: hostile + "b", Description: hostile},
			{ID: id + "c", Label: hostile + "c", Description: hostile}}}},
		{ID: id + "2", Question: hostile, Hint: hostile, Input: &clarify.Confirm{ConfirmLabel: hostile + "y", CancelLabel: hostile + "n", Danger: true}},
		{ID: id + "3", Question: hostile, Hint: hostile, Input: &clarify.Text{Placeholder: hostile, DefaultValue: hostile}},
		{ID: id + "4", Question: hostile, Hint: hostile, Optional: true, Input: &clarify.Text{Placeholder: hostile, DefaultValue: hostile, Multiline: true}},
	}}))
	s, tb := start(t, "-engine", f.URL), newTab(t)
	dialogs := chromedp.Events(tb.ctx, page.JavascriptDialogOpening)
	go func() {
		for ev, err := range dialogs {
			if err != nil {
				return
			}
			t.Errorf("a script ran: %s", ev.Message)
			chromedp.Call(tb.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}
	}()
	check := func() {
		t.Helper()
		tb.shows("[U+202E][U+2066][U+001B][31m[U+0085][U+2028][U+200B]", `<script>alert(1)</script>`)
		for selector, want := range map[string]int{`script:not([src="/static/live.js"])`: 0, "iframe": 0, "img": 1, "[onerror]": 0, "main a:not(#moved a)": tb.count(".clarify-problem a"), "title": 1, "body": 1} {
			assert.Equal(t, want, tb.count(selector), selector)
		}
		assert.Empty(t, eval[[]string](tb, `[...document.body.innerText].filter(c => "\u202e\u2066\u001b\u0085\u2028\u200b".includes(c))`))
		for _, selector := range []string{".clarify", ".clarify-field[dir]", ".clarify dl [dir]", "bdi", ".bubble p", ".call code", ".call span"} {
			assert.NotContains(t, eval[[]string](tb, `[...document.querySelectorAll("`+selector+`")].map(e => getComputedStyle(e).unicodeBidi)`), "normal", selector)
		}
		assert.LessOrEqual(t, eval[int](tb, tooWide), 0)
	}
	tb.look(320, "light")
	tb.loads(200, chromedp.Navigate(s.url))
	check()
	tb.loads(422, click(proceed))
	check()
	tb.do(click("#clarify-0-2"), click("#clarify-1-1"), fill("#clarify-2-0", "seen"), fill("#clarify-3-0", "two\nlines"))
	tb.loads(200, click(proceed))
	check()
	want := said(t,
		clarify.Answer{ID: id + "1", Payload: &clarify.ChoiceAnswer{Values: []string{id + "c"}}},
		clarify.Answer{ID: id + "2", Payload: &clarify.ConfirmAnswer{Confirmed: true}},
		clarify.Answer{ID: id + "3", Payload: &clarify.TextAnswer{Value: "seen"}},
		clarify.Answer{ID: id + "4", Payload: &clarify.TextAnswer{Value: "two\nlines"}})
	assert.Equal(t, want, f.message())
	tb.do(fill("#message", "<b>bold</b>"))
	tb.loads(200, click(send))
	check()
	tb.shows("<b>bold</b>")
}

// The policy lets nothing run that got into the page.
func TestThePolicyHolds(t *testing.T) {
	s, tb := start(t), newTab(t)
	call(tb, log.Enable, cdp.Empty{})
	entries := chromedp.Events(tb.ctx, log.EntryAdded)
	complaints := make(chan string, 100)
	go func() {
		defer close(complaints)
		for ev, err := range entries {
			if err != nil {
				return
			}
			complaints <- ev.Entry.Text
		}
	}()
	tb.loads(200, chromedp.Navigate(s.url))
	tb.do(click(logs), click(remove))
	tb.loads(200, click(proceed))
	eval[bool](tb, `window.violated = []; addEventListener("securitypolicyviolation", e => violated.push(e.effectiveDirective)); true`)
	eval[bool](tb, `{const s = document.createElement("script"); s.textContent = "window.ran = true"; document.body.append(s); true}`)
	eval[bool](tb, `document.body.insertAdjacentHTML("beforeend", '<img src=x onerror="window.ran = true"><style>body { display: none }</style>'
		+ '<form action="https://evil.example/" method=post><button id=away>x</button></form>'); true`)
	tb.until(`["script-src-elem", "script-src-attr", "style-src-elem"].every(d => violated.includes(d))`)
	// The browser had nothing to complain about before.
	assert.Contains(t, <-complaints, "inline script")
	assert.False(t, eval[bool](tb, `window.ran === true`), "a script ran")
	assert.NotEqual(t, "none", eval[string](tb, `getComputedStyle(document.body).display`), "a style was applied")
	tb.do(click("#away"))
	tb.until(`violated.includes("form-action")`) // in the same page
	s.did("delete logs")
}

// Everything works with the browser's scripts turned off. The test uses only the
// mouse and the keyboard, and runs nothing in the page.
func TestWithoutJavaScript(t *testing.T) {
	s, tb := start(t), newTab(t)
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	// box waits until the element stands still, and returns where it is. Any call can
	// fail while another page replaces this one.
	box := func(selector string) (box dom.Quad) {
		t.Helper()
		require.Eventually(t, func() bool {
			doc, err := chromedp.Call(tb.ctx, dom.GetDocument, dom.GetDocumentParams{})
			if err != nil {
				return false
			}
			found, err := chromedp.Call(tb.ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: doc.Root.NodeID, Selector: selector})
			if err != nil || found.NodeID == 0 {
				return false
			}
			_, err = chromedp.Call(tb.ctx, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{NodeID: found.NodeID})
			if err != nil {
				return false
			}
			model, err := chromedp.Call(tb.ctx, dom.GetBoxModel, dom.GetBoxModelParams{NodeID: found.NodeID})
			before := box
			box = model.Model.Content
			return err == nil && slices.Equal(before, box)
		}, 20*time.Second, 20*time.Millisecond, selector)
		return box
	}
	press := func(selector string) {
		t.Helper()
		box := box(selector)
		for _, typ := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			call(tb, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: typ, X: (box[0] + box[4]) / 2, Y: (box[1] + box[5]) / 2, Button: input.MouseButtonLeft, ClickCount: 1,
			})
		}
	}
	call(tb, page.Navigate, page.NavigateParams{URL: s.url})
	press(proceed)
	box(".clarify-problem")
	press(backups)
	press(thumbnails)
	press(archive)
	call(tb, input.InsertText, input.InsertTextParams{Text: "kept"})
	press(remove)
	press(proceed)
	press("button.clarify-danger")
	box(".item.user:nth-of-type(n+9)")
	s.did("create kept fra", "copy backups kept", "copy thumbnails kept", "delete backups", "delete thumbnails")
}

// Everything works with the keyboard. Every stop has a visible focus, and the
// Enter key alone never confirms a danger.
func TestByKeyboard(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	to := func(selector string) {
		t.Helper()
		for range 40 {
			tb.do(chromedp.KeyEvent(kb.Tab))
			require.Empty(t, eval[string](tb, `(() => {
				const e = document.activeElement, box = e.closest(".clarify-option") ?? e, s = getComputedStyle(box);
				return e === document.body || s.outlineStyle === "solid" && parseFloat(s.outlineWidth) >= 3 && s.outlineColor !== getComputedStyle(document.body).backgroundColor ? "" : e.outerHTML;
			})()`), "no focus is visible")
			if eval[bool](tb, `document.activeElement.matches("`+selector+`")`) {
				return
			}
		}
		require.FailNow(t, "the tab key does not lead to "+selector)
	}
	key := func(k string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(k) }

	enter := func() { // presses Enter, which must answer nothing and lose nothing
		t.Helper()
		const filled = `[...document.querySelectorAll(".clarify :checked")].map(e => e.id) + " " + document.querySelector("#clarify-1-0").value`
		before := eval[string](tb, filled)
		tb.stays(key(kb.Enter))
		assert.Equal(t, before, eval[string](tb, filled))
		assert.Equal(t, 1, tb.count(".item.user"))
		s.did()
	}

	// Enter is pressed before anything is chosen, on a box, in a field and on the danger.
	tb.stays(key(kb.Enter))
	to(logs)
	tb.do(key(" "))
	enter()
	to(archive)
	tb.do(key("kept"))
	enter()
	to(keep) // the first of a group of radio buttons
	tb.do(key(kb.ArrowDown))
	require.True(t, eval[bool](tb, `document.activeElement.id === "clarify-2-1" && document.activeElement.checked`))
	enter()
	to(archive) // with the danger chosen
	enter()
	// The button sends.
	to(proceed)
	tb.sends(key(kb.Enter), 200, "#latest")
	s.did("create kept fra", "copy logs kept", "delete logs")

	// In a single confirm with a danger, the first button cancels.
	to("#message")
	tb.do(key("make room"))
	to(send)
	tb.sends(key(" "), 200, "#latest")
	to("#clarify-0-1") // backups
	tb.do(key(" "))
	to(keep)
	tb.do(key(kb.ArrowDown))
	to(proceed)
	tb.sends(key(" "), 200, "#latest")
	tb.shows("Delete backups, although")
	tb.stays(key(kb.Enter))
	to(".clarify-actions button")
	tb.sends(key(kb.Enter), 200, "#latest")
	tb.shows("Nothing was deleted.")
	s.did("create kept fra", "copy logs kept", "delete logs")

	// Without a danger, Enter in a field sends the form.
	to("#message")
	tb.do(key("create a bucket"))
	to(send)
	tb.sends(key(kb.Enter), 200, "#latest")
	to("#clarify-0-0")
	tb.do(key("photos"))
	to("#clarify-1-0")
	tb.do(key(" "), chromedp.Focus(chromedp.CSS("#clarify-0-0")))
	tb.sends(key(kb.Enter), 200, "#latest")
	s.did("create kept fra", "copy logs kept", "delete logs", "create photos fra")

	// The list searches and deletes.
	to(".top a")
	tb.loads(200, key(kb.Enter))
	to("#q")
	tb.do(key("photos"))
	tb.loads(200, key(kb.Enter))
	to(".list a")
	to(".list summary")
	tb.do(key(kb.Enter))
	to(".list .danger")
	tb.loads(200, key(" "))
	tb.shows("There is no conversation yet.")
}

// The page fits every width, even with the longest words.
func TestThePageFits(t *testing.T) {
	long := strings.Repeat("longword", 60)
	f := newForeign(t, clarify.Event{Type: "say", Output: long}, clarify.Event{Type: clarify.EventToolEnd, Tool: long, Output: long},
		tool(t, clarify.Envelope{Title: long, Prompts: []clarify.Prompt{
			{ID: "a", Question: long, Hint: long, Input: &clarify.Choice{Options: []clarify.Option{{ID: "a", Label: long, Description: long}, {ID: "b", Label: "b"}}}},
			{ID: "b", Question: long, Input: &clarify.Confirm{ConfirmLabel: long, CancelLabel: long}},
			{ID: "c", Question: long, Optional: true, Input: &clarify.Text{Placeholder: long, DefaultValue: long}},
		}}))
	for name, s := range map[string]*server{"own": start(t), "long words": start(t, "-engine", f.URL)} {
		tb := newTab(t)
		fits := func() {
			t.Helper()
			for _, width := range []int64{320, 500, 768, 1280, 2560} {
				tb.look(width, "light")
				assert.LessOrEqual(t, eval[int](tb, tooWide), 0, "%s: at %d", name, width)
				small := eval[[]string](tb, `[...document.querySelectorAll("button:not(.clarify-guard), .clarify-option, input[type=text], textarea")].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.outerHTML)`)
				assert.Empty(t, small, "%s: at %d these are less than 44 pixels high", name, width)
			}
		}
		tb.loads(200, chromedp.Navigate(s.url))
		fits()
		tb.loads(422, click(proceed))
		fits()
		eval[bool](tb, `document.querySelectorAll("details").forEach(d => d.open = true); true`)
		fits()
		tb.do(click(".clarify-option input"))
		tb.do(click("[value=cancelled]"))
		tb.loads(200, click(proceed))
		fits()
	}
}

// After a form that was refused, Back leads to the page with the form, and it still works.
func TestBackAfterARefusedForm(t *testing.T) {
	s, tb := start(t), newTab(t)
	tb.loads(200, chromedp.Navigate(s.url))
	tb.loads(422, click(proceed))
	eval[bool](tb, `history.back(); true`)
	tb.until(`document.readyState === "complete" && document.querySelector(".clarify-problem") === null && document.querySelector("` + proceed + `") !== null`)
	eval[bool](tb, `for (const s of ["`+logs+`", "`+remove+`", "`+proceed+`"]) document.querySelector(s).click(); true`)
	tb.until(`document.body.innerText.includes("Done: deleted logs.")`)
	s.did("delete logs")
}

// Two tabs agree: the one that falls behind says so, and leaves what was entered alone.
func TestTwoTabs(t *testing.T) {
	s, one := start(t), newTab(t)
	two := one.another()
	one.loads(200, chromedp.Navigate(s.url))
	two.loads(200, chromedp.Navigate(s.url))
	two.do(fill("#message", "half a sentence"))
	one.do(click(logs), click(remove))
	one.loads(200, click(proceed))
	one.shows("Done: deleted logs.")
	two.until(`!document.querySelector("#moved").hidden`)
	assert.Equal(t, "half a sentence", eval[string](two, `document.querySelector("#message").value`))
	two.loads(200, click("#moved a"))
	two.shows("Done: deleted logs.")
	s.did("delete logs")
}

// While the agent is at work the page says so, and goes on when it is done, with
// scripts and without.
func TestThePageFollows(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprint("scripts ", scripts), func(t *testing.T) {
			gate := make(chan bool)
			engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Write([]byte("data: {\"type\":\"say\",\"output\":\"Let me look.\"}\n\n"))
				http.NewResponseController(w).Flush()
				select {
				case <-gate:
				case <-r.Context().Done():
				}
				w.Write([]byte("data: {\"type\":\"turn_end\"}\n\n"))
			}))
			t.Cleanup(engine.Close)
			s, tb := start(t, "-engine", engine.URL), newTab(t)
			call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
			tb.loads(200, chromedp.Navigate(s.url))
			shows := func(selector string) {
				t.Helper()
				require.Eventually(t, func() bool {
					doc, err := chromedp.Call(tb.ctx, dom.GetDocument, dom.GetDocumentParams{})
					if err != nil {
						return false
					}
					found, err := chromedp.Call(tb.ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: doc.Root.NodeID, Selector: selector})
					return err == nil && found.NodeID != 0
				}, 20*time.Second, 20*time.Millisecond, selector)
			}
			shows("main[data-running]")
			shows(".say")
			close(gate)
			shows("main:not([data-running]) #message")
		})
	}
}
