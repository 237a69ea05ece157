package clarify

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// faultless is a valid call with every field of every kind.
func faultless() *Envelope {
	return &Envelope{
		Title: "Before deleting this bucket",
		Prompts: []Prompt{{
			ID: "bucket", Question: "Which bucket?", Hint: "It is for good.", Optional: true,
			Input: &Choice{AllowMultiple: true, Options: []Option{
				{ID: "avatars", Label: "Avatars", Description: "64 files"},
				{ID: "uploads", Label: "Uploads", Description: "12 files"},
				{ID: "backups", Label: "Backups", Description: "1 file"},
			}},
		}, {
			ID: "delete", Question: "Delete it?", Hint: "This cannot be undone.", Optional: true,
			Input: &Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
		}, {
			ID: "name", Question: "Name of the new one", Hint: "Anything", Optional: true,
			Input: &Text{Placeholder: "main", DefaultValue: "main", Multiline: true},
		}},
	}
}

// A fault is one thing wrong with a call.
type fault struct {
	name  string
	path  string // where it has to be reported
	code  Code
	apply func(call *docObject)

	replaces bool     // what stood below path is gone
	hides    []string // paths that are not looked at any more
	needs    []string // paths that have to be without fault for this to be one
}

// spoils reports whether there can be no other fault at path beside f.
func (f fault) spoils(path string) bool {
	below := func(root string) bool {
		rest, ok := strings.CutPrefix(path, root)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	return path == f.path || f.replaces && below(f.path) || slices.ContainsFunc(f.hides, below)
}

// excludes reports whether f and g cannot be two faults of one call.
func (f fault) excludes(g fault) bool {
	return f.spoils(g.path) || g.spoils(f.path) || slices.ContainsFunc(f.needs, g.spoils) || slices.ContainsFunc(g.needs, f.spoils)
}

// at finds what path names and calls do with the object that holds it, or sets an array's element.
func at(call *docObject, path string, do func(o *docObject, key string), element func(a docArray, i int)) {
	o := call
	for steps := strings.Split(path, "."); ; steps = steps[1:] {
		key, index, isElement := strings.Cut(steps[0], "[")
		last := len(steps) == 1
		if !isElement {
			if last {
				do(o, key)
				return
			}
			o = (*o)[o.index(key)].value.(*docObject)
			continue
		}
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil {
			panic(err)
		}
		a := (*o)[o.index(key)].value.(docArray)
		if last {
			element(a, i)
			return
		}
		o = a[i].(*docObject)
	}
}

func setAt(call *docObject, path string, v any) {
	at(call, path, func(o *docObject, key string) { o.set(key, v) }, func(a docArray, i int) { a[i] = v })
}

func removeAt(call *docObject, path string) {
	at(call, path, func(o *docObject, key string) { o.remove(key) }, nil)
}

func appendAt(call *docObject, path string, elements ...any) {
	at(call, path, func(o *docObject, key string) {
		o.set(key, append((*o)[o.index(key)].value.(docArray), elements...))
	}, nil)
}

type textRule struct {
	path      string
	low, high int
}

// The fields of faultless by what holds for them, and all paths in the order of the violations.
var (
	textRules                             []textRule
	idPaths, kindPaths, flagPaths, inList []string
	violationOrder                        []string
)

func init() {
	add := func(list *[]string, path string) {
		*list = append(*list, path)
		violationOrder = append(violationOrder, path)
	}
	text := func(path string, low, high int) {
		textRules = append(textRules, textRule{path, low, high})
		violationOrder = append(violationOrder, path)
	}
	text(keyTitle, 0, MaxTitle)
	violationOrder = append(violationOrder, keyPrompts)
	for i, p := range faultless().Prompts {
		at := fmt.Sprintf("prompts[%d]", i)
		add(&inList, at)
		add(&idPaths, at+".id")
		add(&kindPaths, at+".kind")
		text(at+".question", 1, MaxQuestion)
		text(at+".hint", 0, MaxHint)
		add(&flagPaths, at+".required")
		switch in := p.Input.(type) {
		case *Choice:
			violationOrder = append(violationOrder, at+".options")
			for j := range in.Options {
				option := fmt.Sprintf("%s.options[%d]", at, j)
				add(&inList, option)
				add(&idPaths, option+".id")
				text(option+".label", 1, MaxLabel)
				text(option+".description", 0, MaxDescription)
			}
			add(&flagPaths, at+".allowMultiple")
		case *Confirm:
			text(at+".confirmLabel", 0, MaxLabel)
			text(at+".cancelLabel", 0, MaxLabel)
			add(&flagPaths, at+".danger")
		case *Text:
			text(at+".placeholder", 0, MaxPlaceholder)
			text(at+".defaultValue", 0, MaxDefaultValue)
			add(&flagPaths, at+".multiline")
		}
	}
}

var (
	notStrings = []any{docRaw("1"), docRaw("-1.5e300"), true, false, docArray{}, docArray{"x"}, &docObject{}}
	notFlags   = []any{"true", "false", "", docRaw("1"), docRaw("0"), docArray{}, &docObject{}}
	notObjects = []any{nil, "avatars", "", docRaw("0"), true, docArray{}}
	badIDs     = []string{
		"A", "aB", "1a", "_a", ".a", "-a", "a b", "a/b", "a:b", "unique()", "$id", "é", "aé", "a\x00", "a\nb", "\u212A",
		"a" + strings.Repeat("b", MaxID), strings.Repeat("é", MaxID/2),
	}
	badKinds = []string{"Choice", "CONFIRM", "texts", "select", "choice\x00", "\u212Aind", "choice,text", `"text"`}
	blanks   = []string{"", " ", "\t\n\v\f\r\x1C\x1F\u0085\u00A0\u2028\u3000\uFEFF"}
)

// faults lists every fault of the table of rules, at every place where it can be.
func faults() []fault {
	var all []fault
	set := func(path string, code Code, v any) *fault {
		all = append(all, fault{
			name: fmt.Sprintf("%s = %.40s", path, compact(v)),
			path: path, code: code,
			apply: func(call *docObject) { setAt(call, path, v) },
		})
		return &all[len(all)-1]
	}
	missing := func(path string, mark func(f *fault)) {
		mark(set(path, CodeMissing, nil))
		all = append(all, fault{
			name: "no " + path, path: path, code: CodeMissing,
			apply: func(call *docObject) { removeAt(call, path) },
		})
		mark(&all[len(all)-1])
	}
	nothing := func(*fault) {}

	for _, rule := range textRules {
		for _, v := range notStrings {
			set(rule.path, CodeWrongType, v)
		}
		for _, char := range []string{"x", "é", "好", "😀", "\x00"} {
			set(rule.path, CodeTooLong, strings.Repeat(char, rule.high+1))
		}
		if rule.low > 0 {
			missing(rule.path, nothing)
			for _, blank := range blanks {
				set(rule.path, CodeBlank, blank)
			}
		}
	}
	for _, path := range idPaths {
		missing(path, nothing)
		for _, v := range notStrings {
			set(path, CodeWrongType, v)
		}
		for _, blank := range blanks {
			set(path, CodeBlank, blank)
		}
		for _, id := range badIDs {
			set(path, CodeBadID, id)
		}
	}
	prompts := faultless().Prompts
	for i, p := range prompts {
		duplicate := func(path, elderPath, id string) {
			for _, id := range []string{id, " " + id + "\u2003"} {
				set(path, CodeDuplicateID, id).needs = []string{elderPath}
			}
		}
		for elder := range i {
			duplicate(fmt.Sprintf("prompts[%d].id", i), fmt.Sprintf("prompts[%d].id", elder), prompts[elder].ID)
		}
		in, ok := p.Input.(*Choice)
		for j := 0; ok && j < len(in.Options); j++ {
			for elder := range j {
				duplicate(fmt.Sprintf("prompts[%d].options[%d].id", i, j), fmt.Sprintf("prompts[%d].options[%d].id", i, elder), in.Options[elder].ID)
			}
		}
	}
	for i, path := range kindPaths {
		hide := func(f *fault) {
			for _, key := range kindKeys[prompts[i].Kind()] {
				f.hides = append(f.hides, fmt.Sprintf("prompts[%d].%s", i, key))
			}
		}
		missing(path, hide)
		for _, v := range notStrings {
			hide(set(path, CodeWrongType, v))
		}
		for _, blank := range blanks {
			hide(set(path, CodeBlank, blank))
		}
		for _, kind := range badKinds {
			hide(set(path, CodeUnknownKind, kind))
		}
	}
	for _, path := range flagPaths {
		for _, v := range notFlags {
			set(path, CodeWrongType, v)
		}
	}
	for _, path := range inList {
		for _, v := range notObjects {
			set(path, CodeWrongType, v).replaces = true
		}
	}

	const options = "prompts[0].options"
	replaces := func(f *fault) { f.replaces = true }
	one := &docObject{{keyID, "a"}, {keyLabel, "A"}}
	missing(options, replaces)
	for _, v := range []any{"avatars,uploads", `[{"id":"a","label":"A"},{"id":"b","label":"B"}]`, "", docRaw("2"), true, &docObject{{"a", "A"}, {"b", "B"}}} {
		replaces(set(options, CodeWrongType, v))
	}
	replaces(set(options, CodeTooFew, docArray{}))
	replaces(set(options, CodeTooFew, docArray{one}))
	for _, n := range []int{MaxOptions + 1, 100} {
		all = append(all, fault{
			name: fmt.Sprintf("%d options", n), path: options, code: CodeTooMany,
			apply: func(call *docObject) {
				for i := len(prompts[0].Input.(*Choice).Options); i < n; i++ {
					appendAt(call, options, &docObject{{keyID, fmt.Sprint("more", i)}, {keyLabel, "A"}})
				}
			},
		})
	}

	missing(keyPrompts, replaces)
	for _, v := range []any{docRaw("5"), true, false, `"name"`, "42", "null", "true"} {
		replaces(set(keyPrompts, CodeWrongType, v))
	}
	for _, v := range []string{"", " ", "\n\x1C\u0085\u3000"} {
		replaces(set(keyPrompts, CodeBlank, v))
	}
	for _, v := range []any{docArray{}, "[]", " [ ] "} {
		replaces(set(keyPrompts, CodeTooFew, v))
	}
	whole := compact(promptsDoc(faultless()))
	for _, v := range []string{
		"Which bucket?", "[", "{", `[{"id":"a"`, "]", "nul", "'a'", whole[:len(whole)-1], whole + " x", whole + whole, whole + ",", "\uFEFF" + whole,
		strings.Replace(whole, "}]", ",}]", 1), "```json\n" + whole + "\n```", `[{"id":"a","kind":"text","question":"a` + "\n" + `b"}]`, `["\x"]`, "[01]", "[1.]", "[NaN]",
	} {
		replaces(set(keyPrompts, CodeSyntax, v))
	}
	replaces(set(keyPrompts, CodeTooDeep, strings.Repeat("[", MaxDepth+1)+strings.Repeat("]", MaxDepth+1)))
	replaces(set(keyPrompts, CodeTooDeep, strings.Repeat(`{"a":`, 100_000)))
	for _, n := range []int{MaxPrompts + 1, 100} {
		all = append(all, fault{
			name: fmt.Sprintf("%d prompts", n), path: keyPrompts, code: CodeTooMany,
			apply: func(call *docObject) {
				for i := len(prompts); i < n; i++ {
					appendAt(call, keyPrompts, &docObject{{keyID, fmt.Sprint("more", i)}, {keyKind, "text"}, {keyQuestion, "A?"}})
				}
			},
		})
	}
	return all
}

// violationsOf returns the violations of a call, in the native form and, which has to make no
// difference, with the prompts in a string.
func violationsOf(t *testing.T, call *docObject) []Violation {
	t.Helper()
	check := func(text string) []Violation {
		e, err := ParseCall([]byte(text))
		if err == nil {
			return nil
		}
		var invalid *ValidationError
		if e != nil || !errors.As(err, &invalid) {
			t.Fatalf("ParseCall returns %+v and %#v", e, err)
		}
		result, callErr := Call([]byte(text))
		if !reflect.DeepEqual(callErr, err) || result != ErrorResult(err) {
			t.Errorf("Call returns %q and %v", result, callErr)
		}
		checkErrorText(t, result)
		for _, v := range invalid.Violations {
			checkViolation(t, v)
		}
		return invalid.Violations
	}
	violations := check(compact(call))
	if i := call.index(keyPrompts); i >= 0 {
		if prompts, ok := (*call)[i].value.(docArray); ok {
			inString := slices.Clone(*call)
			inString[i].value = compact(prompts)
			if v := check(compact(&inString)); !reflect.DeepEqual(v, violations) {
				t.Errorf("in a string: %v\nas an array: %v", v, violations)
			}
		}
	}
	return violations
}

func checkViolation(t *testing.T, v Violation) {
	t.Helper()
	if v.Path == "" || v.Code == "" || v.Got == "" || v.Want == "" || v.String() != v.Path+": got "+v.Got+", want "+v.Want {
		t.Errorf("a violation has to say it all: %+v", v)
	}
	if i := strings.IndexFunc(v.String(), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(v.String()) || len(v.String()) > 600 {
		t.Errorf("not short and printable: %q", v)
	}
}

func checkViolations(t *testing.T, got []Violation, want ...fault) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = got[i].Path == want[i].path && got[i].Code == want[i].code
	}
	if !ok {
		var wanted []string
		for _, f := range want {
			wanted = append(wanted, fmt.Sprintf("%s at %s (%s)", f.code, f.path, f.name))
		}
		t.Errorf("got %v\nwant %s", got, strings.Join(wanted, ", "))
	}
}

func TestFaultless(t *testing.T) {
	if v := violationsOf(t, arguments(faultless())); v != nil {
		t.Fatal(v)
	}
}

func TestOneFault(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			call := arguments(faultless())
			f.apply(call)
			checkViolations(t, violationsOf(t, call), f)

			// A prompt that comes as a single object is prompts[0] too.
			i := slices.IndexFunc(f.needs, func(path string) bool { return strings.Count(path, ".") == 1 })
			if !strings.HasPrefix(f.path, "prompts[") || i >= 0 {
				return
			}
			index := int(f.path[len("prompts[")] - '0')
			one, ok := (*call)[call.index(keyPrompts)].value.(docArray)[index].(*docObject)
			if !ok {
				return
			}
			call.set(keyPrompts, one)
			f.path = "prompts[0]" + f.path[len("prompts[0]"):]
			checkViolations(t, violationsOf(t, call), f)
			call.set(keyPrompts, compact(one))
			checkViolations(t, violationsOf(t, call), f)
		})
	}
}

func TestTwoFaults(t *testing.T) {
	// One fault of each path and code is enough here.
	var some []fault
	seen := map[string]bool{}
	for _, f := range faults() {
		if key := f.path + " " + string(f.code); !seen[key] && f.code != CodeTooDeep {
			seen[key] = true
			some = append(some, f)
		}
	}
	rank := func(f fault) int {
		i := slices.Index(violationOrder, f.path)
		if i < 0 {
			t.Fatalf("%s is not in the order of violations", f.path)
		}
		return i
	}
	pairs := 0
	for i, f := range some {
		for _, g := range some[:i] {
			if f.excludes(g) {
				continue
			}
			pairs++
			call := arguments(faultless())
			f.apply(call)
			g.apply(call)
			want := []fault{f, g}
			slices.SortFunc(want, func(a, b fault) int { return rank(a) - rank(b) })
			checkViolations(t, violationsOf(t, call), want...)
			if t.Failed() {
				t.Fatalf("%s and %s", f.name, g.name)
			}
		}
	}
	if pairs < 3500 {
		t.Errorf("only %d pairs of %d faults", pairs, len(some))
	}
}

// TestNoFault tries the other side of each rule.
func TestNoFault(t *testing.T) {
	ok := func(name string, apply func(call *docObject)) {
		t.Helper()
		call := arguments(faultless())
		apply(call)
		if v := violationsOf(t, call); v != nil {
			t.Errorf("%s: %v", name, v)
		}
	}
	set := func(path string, v any) {
		t.Helper()
		ok(fmt.Sprintf("%s = %.40s", path, compact(v)), func(call *docObject) { setAt(call, path, v) })
	}
	for _, rule := range textRules {
		for _, char := range []string{"x", "é", "好", "😀", "\x00"} {
			set(rule.path, strings.Repeat(char, rule.high))
			set(rule.path, "\uFEFF \u0085"+strings.Repeat(char, rule.high)+"\n")
		}
		if rule.low > 0 {
			set(rule.path, strings.Repeat("x", rule.low))
			continue
		}
		set(rule.path, nil)
		for _, blank := range blanks {
			set(rule.path, blank)
		}
		set(rule.path, strings.Repeat(" ", 2*MaxDefaultValue))
		ok("no "+rule.path, func(call *docObject) { removeAt(call, rule.path) })
	}
	for _, path := range idPaths {
		for _, id := range []string{"a", "z", "a9", "a0", "a_.-", "azz", "\ta\uFEFF", "a" + strings.Repeat("b", MaxID-1)} {
			set(path, id)
		}
	}
	for _, path := range flagPaths {
		set(path, nil)
		set(path, true)
		set(path, false)
		ok("no "+path, func(call *docObject) { removeAt(call, path) })
	}
	for i, path := range kindPaths {
		kind := faultless().Prompts[i].Kind()
		set(path, "\u2028"+string(kind)+"\x1C")
		set(path, "text") // the fields of the former kind are ignored now
		set(path, "confirm")
	}
	for _, n := range []int{MinOptions, MaxOptions} {
		ok(fmt.Sprintf("%d options", n), func(call *docObject) {
			options := docArray{}
			for i := range n {
				options = append(options, &docObject{{keyID, fmt.Sprint("o", i)}, {keyLabel, "the same label"}})
			}
			setAt(call, "prompts[0].options", options)
		})
	}
	for _, n := range []int{MinPrompts, MaxPrompts} {
		ok(fmt.Sprintf("%d prompts", n), func(call *docObject) {
			prompts := docArray{}
			for i := range n {
				prompts = append(prompts, &docObject{{keyID, fmt.Sprint("p", i)}, {keyKind, "text"}, {keyQuestion, "the same question"}})
			}
			call.set(keyPrompts, prompts)
		})
	}
	ok("the same option id in two prompts, and a prompt with the id of an option", func(call *docObject) {
		second := promptDoc(faultless().Prompts[0])
		second.set(keyID, "avatars")
		appendAt(call, keyPrompts, second)
	})
}

// TestBeyondTheCount: what is too many is one problem, whatever is in it.
func TestBeyondTheCount(t *testing.T) {
	call := arguments(faultless())
	for i := range 20 {
		appendAt(call, keyPrompts, &docObject{{keyID, fmt.Sprint("more", i)}, {keyKind, "text"}, {keyQuestion, "A?"}})
		appendAt(call, "prompts[0].options", &docObject{{keyID, fmt.Sprint("more", i)}, {keyLabel, "A"}})
	}
	for i := MaxPrompts; i < 23; i++ {
		setAt(call, fmt.Sprintf("prompts[%d]", i), docArray{})
	}
	for i := MaxOptions; i < 23; i++ {
		setAt(call, fmt.Sprintf("prompts[0].options[%d]", i), nil)
	}
	violations := violationsOf(t, call)
	checkViolations(t, violations,
		fault{path: "prompts", code: CodeTooMany}, fault{path: "prompts[0].options", code: CodeTooMany})
	want := []string{"prompts: got 23 prompts, want 1 to 5", "prompts[0].options: got 23 options, want 2 to 12"}
	for i, v := range violations {
		if v.String() != want[i] {
			t.Errorf("got %q, want %q", v, want[i])
		}
	}
	// The last that counts is still looked at.
	setAt(call, "prompts[4].question", nil)
	setAt(call, "prompts[0].options[11].label", nil)
	checkViolations(t, violationsOf(t, call),
		fault{path: "prompts", code: CodeTooMany}, fault{path: "prompts[0].options", code: CodeTooMany},
		fault{path: "prompts[0].options[11].label", code: CodeMissing}, fault{path: "prompts[4].question", code: CodeMissing})
}

// TestWithoutKind: only the fields that all kinds share are looked at.
func TestWithoutKind(t *testing.T) {
	for i, p := range faultless().Prompts {
		call := arguments(faultless())
		at := fmt.Sprintf("prompts[%d].", i)
		setAt(call, at+keyKind, "slider")
		for _, key := range kindKeys[p.Kind()] {
			setAt(call, at+key, docRaw("1"))
		}
		setAt(call, at+keyRequired, "no")
		checkViolations(t, violationsOf(t, call),
			fault{path: at + keyKind, code: CodeUnknownKind}, fault{path: at + keyRequired, code: CodeWrongType})
	}
}

// TestElder: a duplicate names the place of the first, also behind siblings that have no id.
func TestElder(t *testing.T) {
	for path, siblings := range map[string][]any{
		"prompts":            {nil, &docObject{{keyKind, "text"}, {keyQuestion, "A?"}}, docRaw("1")},
		"prompts[0].options": {nil, &docObject{{keyLabel, "A"}}, docRaw("1")},
	} {
		twin := &docObject{{keyID, "twin"}, {keyLabel, "A"}, {keyKind, "text"}, {keyQuestion, "A?"}}
		for _, sibling := range siblings {
			call := arguments(faultless())
			setAt(call, path, docArray{sibling, twin, twin, twin})
			if path != keyPrompts {
				setAt(call, path+"[0]", sibling)
			}
			violations := violationsOf(t, call)
			if len(violations) != 3 {
				t.Fatal(violations)
			}
			for i, v := range violations[1:] {
				want := fmt.Sprintf(`"twin" again, after %s[1].id`, path)
				if v.Path != fmt.Sprintf("%s[%d].id", path, i+2) || v.Code != CodeDuplicateID || v.Got != want {
					t.Errorf("beside %s: %v, want got %s", compact(sibling), v, want)
				}
			}
		}
	}
}

// TestSameViolations: a hundred runs, the same violations in the same order.
func TestSameViolations(t *testing.T) {
	call := arguments(faultless())
	for _, path := range flagPaths {
		setAt(call, path, "true")
	}
	for _, path := range idPaths {
		setAt(call, path, "the same")
	}
	setAt(call, keyTitle, docArray{})
	text := compact(call)
	_, first := ParseCall([]byte(text))
	want := 1 + len(flagPaths) + len(idPaths)
	if n := len(first.(*ValidationError).Violations); n != want {
		t.Fatalf("%d violations, want %d", n, want)
	}
	for range 100 {
		if _, err := ParseCall([]byte(text)); !reflect.DeepEqual(err, first) || err.Error() != first.Error() {
			t.Fatalf("got %v\nwant %v", err, first)
		}
	}
}

// foreignInput is an Input only because it embeds one.
type foreignInput struct{ Input }

// goFaults are the faults that only a value made in Go can have.
func goFaults() []struct {
	fault
	spoil func(e *Envelope)
} {
	type goFault = struct {
		fault
		spoil func(e *Envelope)
	}
	var all []goFault
	add := func(name, path string, code Code, spoil func(e *Envelope)) {
		all = append(all, goFault{fault{name: name, path: path, code: code}, spoil})
	}
	input := func(name string, code Code, in Input) {
		add(name, "prompts[1].kind", code, func(e *Envelope) { e.Prompts[1].Input = in })
	}
	add("skipped", keyPrompts, CodeIncomplete, func(e *Envelope) { e.Skipped = []Skipped{{PartPrompt, "prompts[3].kind", CodeUnknownKind}} })
	add("no prompts", keyPrompts, CodeTooFew, func(e *Envelope) { e.Prompts = nil })
	input("no input", CodeMissing, nil)
	input("nil *Choice", CodeMissing, (*Choice)(nil))
	input("nil *Confirm", CodeMissing, (*Confirm)(nil))
	input("nil *Text", CodeMissing, (*Text)(nil))
	input("a foreign input", CodeUnknownKind, foreignInput{&Text{}})
	input("a foreign input of nothing", CodeUnknownKind, foreignInput{})
	input("a pointer to a foreign input", CodeUnknownKind, &foreignInput{&Confirm{}})
	for _, s := range []string{"\xFF", "a\xC3", "a\xED\xA0\x80b"} {
		for i, rule := range textRules {
			add(fmt.Sprintf("%s = %q", rule.path, s), rule.path, CodeInvalidUTF8, func(e *Envelope) { *textFields(e)[i] = s })
		}
		for i, path := range idPaths {
			add(fmt.Sprintf("%s = %q", path, s), path, CodeBadID, func(e *Envelope) { *idFields(e)[i] = s })
		}
	}
	return all
}

// textFields returns the strings of e in the order of textRules.
func textFields(e *Envelope) []*string {
	fields := []*string{&e.Title}
	for i := range e.Prompts {
		p := &e.Prompts[i]
		fields = append(fields, &p.Question, &p.Hint)
		switch in := p.Input.(type) {
		case *Choice:
			for j := range in.Options {
				fields = append(fields, &in.Options[j].Label, &in.Options[j].Description)
			}
		case *Confirm:
			fields = append(fields, &in.ConfirmLabel, &in.CancelLabel)
		case *Text:
			fields = append(fields, &in.Placeholder, &in.DefaultValue)
		}
	}
	return fields
}

// idFields returns the ids of e in the order of idPaths.
func idFields(e *Envelope) []*string {
	var fields []*string
	for i := range e.Prompts {
		fields = append(fields, &e.Prompts[i].ID)
		if in, ok := e.Prompts[i].Input.(*Choice); ok {
			for j := range in.Options {
				fields = append(fields, &in.Options[j].ID)
			}
		}
	}
	return fields
}

func TestOneGoFault(t *testing.T) {
	if err := faultless().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, f := range goFaults() {
		t.Run(f.name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			e := faultless()
			f.spoil(e)
			result, err := e.Result()
			var invalid *ValidationError
			if !errors.As(err, &invalid) || result != "" {
				t.Fatalf("Result returns %q and %v", result, err)
			}
			checkViolations(t, invalid.Violations, f.fault)
			for _, v := range invalid.Violations {
				checkViolation(t, v)
			}
			if validateErr := e.Validate(); !reflect.DeepEqual(validateErr, err) {
				t.Errorf("Validate returns %v, Result %v", validateErr, err)
			}
		})
	}
	t.Run("a nil envelope", func(t *testing.T) {
		var invalid *ValidationError
		if err := (*Envelope)(nil).Validate(); !errors.As(err, &invalid) {
			t.Fatal(err)
		}
		checkViolations(t, invalid.Violations, fault{path: keyPrompts, code: CodeMissing})
	})
}

// TestEveryStrictCode: there is no strict code that no fault has, and no fault has another one.
func TestEveryStrictCode(t *testing.T) {
	hit := map[Code]bool{}
	for _, f := range faults() {
		hit[f.code] = true
	}
	for _, f := range goFaults() {
		hit[f.code] = true
	}
	for _, f := range argumentFaults() {
		hit[f.code] = true
	}
	strict := strictCodes(t)
	for _, code := range strict {
		if !hit[code] {
			t.Errorf("no fault has the code %q", code)
		}
		delete(hit, code)
	}
	if len(strict) == 0 || len(hit) > 0 {
		t.Errorf("%d strict codes are declared, but not: %v", len(strict), hit)
	}
}

// strictCodes returns the codes that are declared in validate.go before the first heading, which
// are those of the strict side, and checks that all codes there are documented and different.
func strictCodes(t *testing.T) []Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "validate.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	strict := true
	all := map[Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" || len(spec.Values) != 1 {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		code := Code(text)
		if spec.Comment.Text() == "" || all[code] {
			t.Errorf("%s is not documented, or %q has a second name", spec.Names[0].Name, code)
		}
		all[code] = true
		if strict = strict && spec.Doc == nil; strict {
			codes = append(codes, code)
		}
		return true
	})
	return codes
}
