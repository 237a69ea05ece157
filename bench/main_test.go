package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clarify-protocol/clarify-go"
)

// TestBench runs everything once, as short as it can be. Times mean nothing then, but every work is
// done without an error, and every bound is judged.
func TestBench(t *testing.T) {
	var out strings.Builder
	if _, err := bench(&out, 1, time.Microsecond, 1); err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		if strings.Count(out.String(), "| "+p.name+" ") < 2 { // in both tables
			t.Errorf("%s is missing in\n%s", p.name, &out)
		}
	}
	// parse: 2 envelopes × 2 times + allocations; call: 2; append: 2 + 3 × allocations; check: 2 × 2;
	// refuse: 3 × 2; an error: 2; growth: time + memory.
	const want = 5 + 2 + 5 + 4 + 6 + 2 + 2
	if !strings.Contains(out.String(), fmt.Sprintf(" of %d bounds hold.", want)) {
		t.Errorf("not %d bounds in\n%s", want, &out)
	}
}

func TestBenchRefusesNonsense(t *testing.T) {
	for _, test := range []struct {
		rounds   int
		duration time.Duration
		factor   float64
	}{{0, time.Second, 1}, {1, 0, 1}, {1, time.Second, -1}} {
		if _, err := bench(new(strings.Builder), test.rounds, test.duration, test.factor); err == nil {
			t.Errorf("%v: no error", test)
		}
	}
}

func TestJudge(t *testing.T) {
	j := judge{factor: 2}
	for _, test := range []struct{ got, want string }{
		{j.time("a", "1.9", 1.9, 1), "≤ 2 holds"},
		{j.time("b", "2.1", 2.1, 1), "≤ 2 MISSED"},
		{j.time("c", "9", 9, unbounded), ""},
		{j.exactly("d", "0", 0, 0), ", ≤ 0 holds"},
		{j.exactly("e", "1", 1, 0), ", ≤ 0 MISSED"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
	if want := []string{"b: 2.1, want ≤ 2", "e: 1, want ≤ 0"}; j.bounds != 4 || !reflect.DeepEqual(j.missed, want) {
		t.Errorf("got %d bounds, missed %q", j.bounds, j.missed)
	}
}

func TestMedian(t *testing.T) {
	samples := []sample{{time: 9}, {time: 1}, {time: 4}, {time: 2}}
	of := func(_ int, s sample) float64 { return s.time }
	if got := median(samples, of); got != 3 {
		t.Errorf("of four: got %v, want 3", got)
	}
	if got := median(samples[:3], of); got != 4 {
		t.Errorf("of three: got %v, want 4", got)
	}
}

// TestInputs: the inputs are what the tables call them.
func TestInputs(t *testing.T) {
	if n := len(envelope("small")); n < 650 || n > 750 {
		t.Errorf("small has %d bytes, want about 0.7 KB", n)
	}
	kinds := map[clarify.Kind]int{}
	for _, p := range parse(t, "small").Prompts {
		kinds[p.Kind()]++
	}
	if want := (map[clarify.Kind]int{clarify.KindChoice: 1, clarify.KindConfirm: 1, clarify.KindText: 1}); !reflect.DeepEqual(kinds, want) {
		t.Errorf("small has %v", kinds)
	}
	full := parse(t, "full")
	if len(full.Prompts) != clarify.MaxPrompts {
		t.Errorf("full has %d prompts", len(full.Prompts))
	}
	for _, p := range full.Prompts {
		options := p.Input.(*clarify.Choice).Options
		if len(options) != clarify.MaxOptions {
			t.Errorf("%s has %d options", p.ID, len(options))
		}
		for _, o := range options {
			if o.Description == "" {
				t.Errorf("%s.%s is not described", p.ID, o.ID)
			}
		}
	}
	if !reflect.DeepEqual(parse(t, "pretty"), full) {
		t.Error("pretty is not full")
	}
	for name, valid := range map[string]bool{
		"list": true, "escaped list": true, "list that names the protocol": true,
		"prose": false, "long error": false, "cut envelope": false,
	} {
		text := foreign(name)
		if len(text) < large*95/100 || len(text) > clarify.MaxSize {
			t.Errorf("%s has %d bytes, want about %d", name, len(text), large)
		}
		if json.Valid([]byte(text)) != valid {
			t.Errorf("%s: valid is %v", name, !valid)
		}
	}
	if e, err := clarify.Parse(growing(10_000)); err != nil || len(e.Prompts) != 10_000 {
		t.Errorf("growing: %v", err)
	}
}

func parse(t *testing.T, name string) *clarify.Envelope {
	t.Helper()
	e, err := clarify.Parse(envelope(name))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Skipped) > 0 {
		t.Fatalf("%s: %v", name, e.Skipped)
	}
	return e
}

// TestSameWork: all decoders and encoders do the same with every input.
func TestSameWork(t *testing.T) {
	for _, name := range envelopes {
		text := envelope(name)
		want := new(flatEnvelope)
		if err := json.Unmarshal([]byte(text), want); err != nil {
			t.Fatal(err)
		}
		for _, d := range decoders {
			got := new(flatEnvelope)
			if err := d.decode(text, []byte(text), got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s decodes %s as %+v, %v", d.name, name, got, err)
			}
		}
		for _, enc := range encoders {
			got := new(flatEnvelope)
			data, err := enc.encode(want)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s encodes %s as %s, %v", enc.name, name, data, err)
			}
		}
		result, err := clarify.Call(callOf(text))
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := parse(t, name).AppendJSON(nil)
		if err != nil || result != string(canonical) {
			t.Errorf("%s: Call has %s, Parse %s, %v", name, result, canonical, err)
		}
	}
}

// TestValidatorsValidate: each validator that is measured refuses what it can see.
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
		if strings.Count(text, test.old) != 1 {
			t.Fatalf("%s: %q is not once in small", test.what, test.old)
		}
		text = strings.Replace(text, test.old, test.new, 1)
		var decoded any
		flat := new(flatEnvelope)
		must(json.Unmarshal([]byte(text), &decoded))
		must(json.Unmarshal([]byte(text), flat))
		for _, v := range schemaValidators() {
			if v.validate(decoded) == nil {
				t.Errorf("%s accepts %s", v.name, test.what)
			}
		}
		if tags.Struct(flat) == nil {
			t.Errorf("%s accepts %s", nameValidator, test.what)
		}
		if test.old == clarify.Protocol {
			continue // a call has none
		}
		if _, err := clarify.ParseCall(callOf(text)); err == nil {
			t.Errorf("clarify accepts %s", test.what)
		}
	}
}
