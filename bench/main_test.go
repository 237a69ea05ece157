package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clarify-protocol/clarify-go"
)

// TestBench runs every work once, for as short a time as possible. The times mean nothing then, but
// every work runs without an error, and every bound is compared.
func TestBench(t *testing.T) {
	var out strings.Builder
	_, err := bench(&out, 1, time.Microsecond, 1)
	require.NoError(t, err)
	for _, p := range peers {
		assert.GreaterOrEqual(t, strings.Count(out.String(), "| "+p.name+" "), 2, "%s is missing in a table", p.name)
	}
	// parse: 2 envelopes × 2 times + allocations; call: 2; append: 2 + 3 × allocations; check: 2 × 2;
	// refuse: 3 × 2; an error: 2; growth: time + memory.
	const want = 5 + 2 + 5 + 4 + 6 + 2 + 2
	assert.Contains(t, out.String(), fmt.Sprintf(" of %d bounds hold.", want))
}

func TestBenchRefusesNonsense(t *testing.T) {
	for _, test := range []struct {
		rounds   int
		duration time.Duration
		factor   float64
	}{{0, time.Second, 1}, {1, 0, 1}, {1, time.Second, -1}} {
		_, err := bench(new(strings.Builder), test.rounds, test.duration, test.factor)
		assert.Error(t, err, "%v", test)
	}
}

func TestJudge(t *testing.T) {
	j := judge{factor: 2}
	assert.Equal(t, "≤ 2 holds", j.time("a", "1.9", 1.9, 1))
	assert.Equal(t, "≤ 2 MISSED", j.time("b", "2.1", 2.1, 1))
	assert.Equal(t, "", j.time("c", "9", 9, unbounded))
	assert.Equal(t, ", ≤ 0 holds", j.exactly("d", "0", 0, 0))
	assert.Equal(t, ", ≤ 0 MISSED", j.exactly("e", "1", 1, 0))
	assert.Equal(t, judge{2, 4, []string{"b: 2.1, want ≤ 2", "e: 1, want ≤ 0"}}, j)
}

func TestMedian(t *testing.T) {
	samples := []sample{{time: 9}, {time: 1}, {time: 4}, {time: 2}}
	of := func(_ int, s sample) float64 { return s.time }
	assert.Equal(t, 3.0, median(samples, of))
	assert.Equal(t, 4.0, median(samples[:3], of))
}

// TestInputs checks that the inputs are what the tables call them.
func TestInputs(t *testing.T) {
	assert.InDelta(t, 700, len(envelope("small")), 50, "small has about 0.7 KB")
	kinds := map[clarify.Kind]int{}
	for _, p := range parse(t, "small").Prompts {
		kinds[p.Kind()]++
	}
	assert.Equal(t, map[clarify.Kind]int{clarify.KindChoice: 1, clarify.KindConfirm: 1, clarify.KindText: 1}, kinds)
	full := parse(t, "full")
	assert.Len(t, full.Prompts, clarify.MaxPrompts)
	for _, p := range full.Prompts {
		options := p.Input.(*clarify.Choice).Options
		assert.Len(t, options, clarify.MaxOptions, p.ID)
		for _, o := range options {
			assert.NotEmpty(t, o.Description, "%s.%s", p.ID, o.ID)
		}
	}
	assert.Equal(t, full, parse(t, "pretty"))
	for name, valid := range map[string]bool{
		"list": true, "escaped list": true, "list that names the protocol": true,
		"prose": false, "long error": false, "cut envelope": false,
	} {
		text := foreign(name)
		assert.GreaterOrEqual(t, len(text), large*95/100, name)
		assert.LessOrEqual(t, len(text), clarify.MaxSize, name)
		assert.Equal(t, valid, json.Valid([]byte(text)), name)
	}
	e, err := clarify.Parse(growing(10_000))
	require.NoError(t, err)
	assert.Len(t, e.Prompts, 10_000)
}

func parse(t *testing.T, name string) *clarify.Envelope {
	t.Helper()
	e, err := clarify.Parse(envelope(name))
	require.NoError(t, err)
	require.Empty(t, e.Skipped, name)
	return e
}

// TestSameWork checks that all decoders and encoders do the same with every input.
func TestSameWork(t *testing.T) {
	for _, name := range envelopes {
		text := envelope(name)
		want := new(flatEnvelope)
		require.NoError(t, json.Unmarshal([]byte(text), want))
		for _, d := range decoders {
			got := new(flatEnvelope)
			require.NoError(t, d.decode(text, []byte(text), got), "%s, %s", d.name, name)
			assert.Equal(t, want, got, "%s, %s", d.name, name)
		}
		for _, enc := range encoders {
			got := new(flatEnvelope)
			data, err := enc.encode(want)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, got), "%s, %s", enc.name, name)
			assert.Equal(t, want, got, "%s, %s", enc.name, name)
		}
		result, err := clarify.Call(callOf(text))
		require.NoError(t, err)
		canonical, err := parse(t, name).AppendJSON(nil)
		require.NoError(t, err)
		assert.Equal(t, string(canonical), result, name)
	}
}

// TestValidatorsValidate checks that each validator that is measured refuses what it can see.
func TestValidatorsValidate(t *testing.T) {
	tags := tagValidator()
	for _, test := range []struct{ what, old, new string }{
		{"an upper-case id", `"id":"bucket"`, `"id":"Bucket"`},
		{"an unknown kind", `"kind":"text"`, `"kind":"slider"`},
		{"no question", `"question":"Why should it go?",`, ``},
		{"a long hint", `This cannot be undone.`, strings.Repeat("é", clarify.MaxHint+1)},
		{"one option", `,{"id":"uploads","label":"uploads","description":"12 files, 3 MB"}`, ``},
		{"another protocol", clarify.Protocol, "appwrite.clarify/v2"},
	} {
		text := envelope("small")
		require.Equal(t, 1, strings.Count(text, test.old), test.what)
		text = strings.Replace(text, test.old, test.new, 1)
		var decoded any
		flat := new(flatEnvelope)
		must(json.Unmarshal([]byte(text), &decoded))
		must(json.Unmarshal([]byte(text), flat))
		for _, v := range schemaValidators() {
			assert.Error(t, v.validate(decoded), "%s accepts %s", v.name, test.what)
		}
		assert.Error(t, tags.Struct(flat), "%s accepts %s", nameValidator, test.what)
		if test.old != clarify.Protocol { // a call has none
			_, err := clarify.ParseCall(callOf(text))
			assert.Error(t, err, test.what)
		}
	}
}
