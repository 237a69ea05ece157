package clarifytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/clarify-protocol/clarify-go/internal/text"
)

// IsText reports whether the suite's results are texts; the others' are JSON.
func (s Suite) IsText() bool { return s == Engine || s == Summary }

// Check compares got with what v wants. It returns nil if they are equal; else what
// differs, a line for each difference: where it is, what was got and what is wanted.
// JSON is compared as values: the order of keys, white space and escapes do not count.
func (v Vector) Check(got string) (differences []string) {
	switch {
	case v.Suite == Summary && got != v.want:
		return []string{fmt.Sprintf("got %s, want %s", quote(got), quote(v.want))}
	case v.Suite == Summary:
		return nil
	case v.want == "": // a call that is refused
		if !strings.HasPrefix(got, "Error:") || strings.ContainsAny(got, "\r\n") {
			return []string{fmt.Sprintf("got %s, want a refusal: one line that starts with Error:", quote(got))}
		}
		return nil
	}
	if v.Suite == Engine && strings.HasPrefix(got, "Error:") {
		return []string{fmt.Sprintf("the call was refused: got %s, want the envelope %s", quote(got), cut(v.want, 500))}
	}
	gotValue, err := decode(got)
	if err != nil {
		return []string{fmt.Sprintf("got %s, which is not JSON: %v; want %s", quote(got), err, cut(v.want, 500))}
	}
	want, err := decode(v.want)
	if err != nil {
		panic(err) // it is embedded
	}
	return differ(nil, "", gotValue, want)
}

func decode(s string) (v any, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// maxDifferences is how many differences of a vector are listed.
const maxDifferences = 10

// differ appends to list how got differs from want, which stand at path.
func differ(list []string, path string, got, want any) []string {
	if len(list) == maxDifferences {
		return list
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(want))
		for _, key := range slices.Sorted(maps.Keys(got)) {
			if _, ok := want[key]; !ok {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			at := path + "." + key
			g, isGot := got[key]
			w, isWanted := want[key]
			switch {
			case isGot && isWanted:
				list = differ(list, at, g, w)
			case len(list) == maxDifferences:
			case isWanted:
				list = append(list, fmt.Sprintf("%s: got nothing, want %s", at, inJSON(w)))
			default:
				list = append(list, fmt.Sprintf("%s: got %s, want nothing", at, inJSON(g)))
			}
		}
		return list
	case []any:
		got, ok := got.([]any)
		if !ok {
			break
		}
		if len(got) != len(want) {
			return append(list, fmt.Sprintf("%s: got %d elements, %s, want %d, %s", where(path), len(got), inJSON(got), len(want), inJSON(want)))
		}
		for i := range want {
			list = differ(list, fmt.Sprintf("%s[%d]", path, i), got[i], want[i])
		}
		return list
	default:
		if got == want && !isContainer(got) {
			return list
		}
	}
	return append(list, fmt.Sprintf("%s: got %s, want %s", where(path), inJSON(got), inJSON(want)))
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func where(path string) string {
	if path == "" {
		return "the whole"
	}
	return path
}

func inJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // it was JSON before
	return cut(strings.TrimSpace(b.String()), 200)
}

func quote(s string) string { return inJSON(cut(s, 500)) }

// cut returns at most n bytes of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Cut(s, n) + "…"
}
