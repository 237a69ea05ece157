package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clarify-protocol/clarify-go/clarifytest"
)

// The test program is its own driver: with this variable it runs one of the drivers below.
const driverVariable = "CLARIFY_TEST_DRIVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(driverVariable); name != "" {
		badDrivers[name]()
		return
	}
	os.Exit(m.Run())
}

// eachRequest answers each request with what f returns.
func eachRequest(f func(id int, suite string) string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var r struct {
			ID    int
			Suite string
		}
		if json.Unmarshal(in.Bytes(), &r) != nil {
			os.Exit(3)
		}
		fmt.Println(f(r.ID, r.Suite))
	}
}

func refuse() {
	eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"result":"Error: no"}`, id) })
}

var badDrivers = map[string]func(){
	"refuses": refuse,
	"breaks": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"error":"\u001b[2J"}`, id) })
	},
	"object": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"error":{"code":1}}`, id) })
	},
	"null": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"result":null,"error":null}`, id) })
	},
	"string": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":"%d","result":""}`, id) })
	},
	"number":   func() { eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"result":1}`, id) }) },
	"nothing":  func() { eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d}`, id) }) },
	"nonsense": func() { eachRequest(func(int, string) string { return "loading \x1b[2J" }) },
	"other": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf(`{"id":%d,"result":""}`, id+1) })
	},
	"twice": func() {
		eachRequest(func(id int, _ string) string { return fmt.Sprintf("{\"id\":%d,\"result\":\"Error: no\"}\n{}", id) })
	},
	"debug": func() {
		eachRequest(func(id int, _ string) string {
			return fmt.Sprintf("{\"id\":%d,\"result\":\"Error: no\"}\nDEBUG \x1b[2J", id)
		})
	},
	"bye": func() {
		refuse()
		fmt.Print("bye\nbye\n")
	},
	"much": func() {
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	},
	"ends": func() {},
	"dies": func() {
		fmt.Fprintln(os.Stderr, "Traceback:\x1b[2J no module")
		os.Exit(7)
	},
	"hangs":  func() { time.Sleep(time.Hour) },
	"unread": func() { os.Stdin.Close(); time.Sleep(time.Hour) },
	"closed": func() { os.Stdout.Close(); time.Sleep(time.Hour) },
	"once": func() { // it answers the first request alone
		eachRequest(func(id int, _ string) string {
			if id > 1 {
				os.Exit(1)
			}
			return fmt.Sprintf(`{"id":%d,"result":"Error: no"}`, id)
		})
	},
	"late": func() { // it ends at the first request
		eachRequest(func(id int, _ string) string {
			if id == 1 {
				os.Exit(1)
			}
			return fmt.Sprintf(`{"id":%d,"result":"Error: no"}`, id)
		})
	},
	"sometimes": func() { // it ends at every third request
		eachRequest(func(id int, _ string) string {
			if id%3 == 0 {
				os.Exit(1)
			}
			return fmt.Sprintf(`{"id":%d,"result":"Error: no"}`, id)
		})
	},
}

// tests runs the command test with a bad driver.
func tests(t *testing.T, driver string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(driverVariable, driver)
	program, err := os.Executable()
	require.NoError(t, err)
	timeout := "1m"
	switch driver {
	case "hangs", "unread":
		timeout = "100ms"
	case "closed": // it closes its output long before, and then has to end
		timeout = "2s"
	}
	args = append([]string{"test", "-engine", "'" + program + "'", "-timeout", timeout}, args...)
	return clarifies(t, "", args...)
}

// TestBadDrivers: whatever the command does, the message says what is wrong without harming the
// terminal. If the command answers anything each vector has a verdict; if not, there is one message.
func TestBadDrivers(t *testing.T) {
	silent := []string{"nothing", "nonsense", "other", "string", "much", "ends", "dies", "hangs", "unread", "closed"}
	for driver, want := range map[string]string{
		"once":     "not tried: the command failed 5 times in a row, at last: it ended before it answered: exit status 1\n",
		"breaks":   `the implementation failed: "\u001b[2J"`,
		"object":   `the implementation failed: "{\"code\":1}"`,
		"number":   "    got 1, want a string\n",
		"null":     "    got null, want a string\n",
		"nothing":  `its answer has no result: "{\"id\":`,
		"nonsense": `it wrote a line that is not a JSON object: "loading \u001b[2J"` + onlyAnswers,
		"other":    `the id of its answer must be the number 5, got 6: "{\"id\":6,\"result\":\"\"}"` + "\n",
		"string":   `the id of its answer must be the number 5, got "5": "{\"id\":\"5\",\"result\":\"\"}"` + "\n",
		"twice":    `the id of its answer must be the number 2, got nothing: "{}"; it may be left over from the vector before` + "\n",
		"debug":    `it wrote a line that is not a JSON object: "DEBUG \u001b[2J"; it may be left over from the vector before` + onlyAnswers,
		"much":     "it printed more than 16777216 bytes in a line",
		"ends":     "it ended before it answered: exit status 0; it must read until the end of its input\n",
		"dies":     `it ended before it answered: exit status 7; standard error ends with: "Traceback:\u001b[2J no module"` + "\n",
		"hangs":    "no answer within 100ms; does it flush after each line?",
		"unread":   "no answer within 100ms; does it flush after each line?",
		"closed":   "it closed its standard output before it answered",
	} {
		t.Run(driver, func(t *testing.T) {
			code, stdout, stderr := tests(t, driver, "-run", "^engine/(count/one|question/)")
			assert.NotContains(t, stdout+stderr, "\x1b")
			if slices.Contains(silent, driver) {
				assert.Equal(t, 2, code)
				assert.Equal(t, "FAIL\n", stdout)
				assert.Regexp(t, `^clarify test: ".*" could not be run for engine: .*\n$`, stderr)
				assert.Contains(t, stderr, want)
				return
			}
			assert.Equal(t, 1, code)
			if driver != "twice" && driver != "debug" { // see TestLeftOver
				assert.Empty(t, stderr)
			}
			assert.Contains(t, stdout, want)
			assert.Regexp(t, `(?m)^engine +19 vectors: .*\d+ failed$`, stdout)
			assert.True(t, strings.HasSuffix(stdout, "\nFAIL\n"), stdout)
		})
	}
}

// TestLeftOver: what comes after the last answer fails the run, even if each vector passed.
func TestLeftOver(t *testing.T) {
	for driver, line := range map[string]string{"twice": "{}", "debug": `DEBUG \u001b[2J`, "bye": "bye"} {
		code, stdout, stderr := tests(t, driver, "-run", "^engine/count/six$")
		assert.Equal(t, 1, code)
		assert.Equal(t, "engine     1 vectors: 1 ok\nFAIL\n", stdout)
		assert.Regexp(t, `^clarify test: ".*" wrote a line that no request asked for: "`+regexp.QuoteMeta(line)+`"`+onlyAnswers+"\n$", stderr)
	}
}

// TestCommandThatDoesNotStart: it is reported once, and the others run.
func TestCommandThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := tests(t, "refuses", "-console", "no-such-command", "-reply", dir, "-run", "engine/count/|console/plain/|answers/one/|reply/danger/")
	assert.Equal(t, 2, code)
	assert.True(t, strings.HasSuffix(stdout, "\nengine     3 vectors: 1 ok, 2 failed\nFAIL\n"), stdout)
	assert.Equal(t, 2, strings.Count(stdout, "FAILED"))
	assert.Contains(t, stderr, `clarify test: "no-such-command" could not be run for console, answers: exec: "no-such-command": executable file not found in `)
	assert.Contains(t, stderr, `clarify test: "`+dir+`" could not be run for reply: `)
	assert.Equal(t, 2, strings.Count(stderr, "\n"), stderr)
}

func TestARestartedCommandCounts(t *testing.T) {
	code, stdout, _ := tests(t, "sometimes", "-run", "^engine/count/", "-v")
	assert.Equal(t, 1, code)
	// Of one, five and six prompts only the last call is refused; it is the third request.
	assert.Contains(t, stdout, "FAILED engine/count/six\n")
	assert.Contains(t, stdout, "it ended before it answered: exit status 1")
	assert.Contains(t, stdout, "engine     3 vectors: 3 failed\n")
	_, stdout, _ = tests(t, "late", "-run", "^engine/count/")
	assert.Contains(t, stdout, "FAILED engine/count/one\n")
	assert.Contains(t, stdout, "it ended before it answered: exit status 1")
	assert.Contains(t, stdout, "engine     3 vectors: 1 ok, 2 failed\n")
	_, stdout, _ = tests(t, "sometimes", "-run", "^engine/options/(0|1|13|missing|null)$", "-v")
	assert.Equal(t, 4, strings.Count(stdout, "ok     engine/options/"), stdout)
}

func TestTestUse(t *testing.T) {
	write(t, map[string]string{"unknown": "engine/no/such  because", "reason": "# a comment\n\nengine/count/six \t", "twice": "engine/count/six a\nengine/count/six b",
		"long": strings.Repeat("#", 9<<20)})
	const noDuration = ` for flag -timeout: want a duration of more than 0, such as 5s
usage: clarify test [-engine command] [-console command] [-reply command] [flags]
Run 'clarify help test' for details.`
	for args, want := range map[string]string{
		"":                            "nothing to test: want -engine, -console or -reply",
		"-engine true -run (":         "-run: error parsing regexp: missing closing ): `(`",
		"-engine true -run nope":      `no vector matches -run "nope"`,
		"-engine true -timeout 0":     `invalid value "0"` + noDuration,
		"-engine true -timeout 5":     `invalid value "5"` + noDuration,
		"-engine php driver.php":      `unexpected argument "driver.php": a command of several words stands in quotes, such as -engine 'php driver.php'`,
		"-engine \"a":                 `"\"a": the quotation mark " is not closed`,
		"-engine ''":                  `"''": an empty command`,
		"-engine true -known no":      "-known: open no: no such file or directory",
		"-engine true -known unknown": `-known: unknown:1: there is no vector "engine/no/such"`,
		"-engine true -known reason":  "-known: reason:3: engine/count/six has no reason",
		"-engine true -known twice":   "-known: twice:2: engine/count/six is there twice",
		"-engine true -known long":    "-known: long:1: more than 8388608 bytes",
		"-engine true -known .":       "-known: . is a directory",
	} {
		code, stdout, stderr := clarifies(t, "", append([]string{"test"}, strings.Fields(args)...)...)
		if args == "-engine ''" { // a word of no letters is one
			assert.NotZero(t, code)
			continue
		}
		assert.Equal(t, 2, code, args)
		assert.Empty(t, stdout)
		assert.Equal(t, "clarify test: "+want+"\n", stderr)
	}
}

func TestList(t *testing.T) {
	code, all, _ := clarifies(t, "", "test", "-list")
	assert.Zero(t, code)
	assert.Equal(t, len(clarifytest.Vectors()), strings.Count(all, "\n"))
	_, some, _ := clarifies(t, "", "test", "-list", "-console", "x", "-run", "/one/")
	assert.Equal(t, "answers/one/choice\nanswers/one/multi\nanswers/one/confirmed\nanswers/one/cancelled\nanswers/one/text\n"+
		"summary/one/choice\nsummary/one/multi\nsummary/one/confirmed\nsummary/one/cancelled\nsummary/one/text\n", some)
}

func TestKnown(t *testing.T) {
	write(t, map[string]string{"known": "\ufeff# ours\nengine/count/one  it asks nobody\nengine/count/five\tit asks nobody\n", "fixed": "\ufeffengine/count/one a\nengine/count/five b\nengine/count/six\tnot yet\n"})
	code, stdout, _ := tests(t, "refuses", "-run", "^engine/count/", "-known", "known", "-v")
	assert.Zero(t, code)
	assert.Equal(t, "known  engine/count/one: \"it asks nobody\"\nknown  engine/count/five: \"it asks nobody\"\nok     engine/count/six\nengine     3 vectors: 1 ok, 2 known\nPASS\n", stdout)
	// What never answered differs in nothing.
	code, stdout, _ = tests(t, "dies", "-run", "^engine/count/(one|five)$", "-known", "known")
	assert.Equal(t, 2, code)
	assert.Equal(t, "FAIL\n", stdout)
	code, stdout, _ = tests(t, "late", "-run", "^engine/count/(one|five)$", "-known", "known")
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "2 vectors: 1 failed, 1 known\n")
	code, stdout, _ = tests(t, "refuses", "-run", "^engine/count/", "-known", "fixed")
	assert.Equal(t, 1, code)
	assert.Equal(t, "FIXED  engine/count/six: take it out of the file of known differences\nengine     3 vectors: 2 known, 1 fixed\nFAIL\n", stdout)
}

func TestManyFailuresAreCut(t *testing.T) {
	code, stdout, _ := tests(t, "refuses")
	assert.Equal(t, 1, code)
	assert.Equal(t, maxFailures, strings.Count(stdout, "FAILED "))
	assert.Contains(t, stdout, " more failures are not printed: use -v or -run\n")
}

func TestJSON(t *testing.T) {
	_, stdout, _ := tests(t, "refuses", "-run", "^engine/count/", "-json")
	var lines []map[string]any
	for line := range strings.Lines(stdout) {
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		lines = append(lines, v)
	}
	require.Len(t, lines, 4)
	assert.Equal(t, "engine", lines[0]["suite"])
	assert.Equal(t, "count/one", lines[0]["name"])
	assert.Equal(t, "failed", lines[0]["outcome"])
	assert.Equal(t, "An envelope has 1 to 5 prompts.", lines[0]["rule"])
	assert.Contains(t, lines[0]["input"].(map[string]any)["arguments"], "prompts")
	assert.Len(t, lines[0]["differences"], 1)
	assert.Equal(t, map[string]any{"ok": 1.0, "failed": 2.0, "known": 0.0, "fixed": 0.0}, lines[3])
}

func TestSplitCommand(t *testing.T) {
	for s, want := range map[string][]string{
		"a":              {"a"},
		" a  b\tc ":      {"a", "b", "c"},
		`'a b' "c'd"e`:   {"a b", "c'de"},
		`x ''`:           {"x", ""},
		`C:\dir\x "a\b"`: {`C:\dir\x`, `a\b`},
	} {
		got, err := splitCommand(s)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// program returns the path of a program. Where CI is set a test fails without it; CI installs it.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("without %s its driver cannot run; CI installs it: %v", name, err)
	}
	require.NoError(t, err)
	return path
}

// TestPageShowsARequest: the page has a request as it is sent, and an answer that passes.
func TestPageShowsARequest(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```\n{\"arguments\"")
	request, rest, _ := strings.Cut(rest, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	_, _, stderr := clarifies(t, "", "test", "-engine", program(t, "cat"), "-run", "^engine/count/one$")
	assert.Contains(t, stderr, "its answer has no result: "+harmless([]byte(`{"arguments"`+request))+"\n")
	var answer struct {
		ID     int
		Result string
	}
	require.NoError(t, json.Unmarshal([]byte(line), &answer))
	assert.Equal(t, 1, answer.ID)
	for _, v := range clarifytest.Vectors() {
		if nameOf(v) == "engine/count/one" {
			assert.Nil(t, v.Check(answer.Result))
			return
		}
	}
	t.Error("there is no such vector")
}

// TestDrivers runs the drivers of the repository, with an implementation of our own behind each.
func TestDrivers(t *testing.T) {
	root := "../../"
	for name, d := range map[string]struct{ command, flags, suites string }{
		"Go":         {"go run " + root + "clarifytest/drivers/go", "-engine -console -reply", "engine console answers summary reply"},
		"Python":     {"python3 " + root + "clarifytest/drivers/driver.py " + root + "testdata/engine.py", "-engine", "engine"},
		"JavaScript": {"node " + root + "clarifytest/drivers/driver.mjs " + root + "testdata/console.mjs", "-console", "console answers summary"},
	} {
		t.Run(name, func(t *testing.T) {
			program(t, strings.Fields(d.command)[0])
			args := []string{"test", "-timeout", "2m"}
			for _, flag := range strings.Fields(d.flags) {
				args = append(args, flag, d.command)
			}
			code, stdout, stderr := clarifies(t, "", args...)
			assert.Zero(t, code, "%s%s", stdout, stderr)
			if name == "Go" {
				page, err := os.ReadFile(root + "docs/conformance.md")
				require.NoError(t, err)
				assert.Contains(t, string(page), "```\n"+stdout+"```\n", "the page shows another run")
			}
			for _, suite := range strings.Fields(d.suites) {
				assert.Regexp(t, `(?m)^`+suite+` +\d+ vectors: \d+ ok$`, stdout)
			}
		})
	}
}
