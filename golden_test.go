package clarify

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const contractDir = "testdata/contract"

// contractEnvelopes is what Parse makes of the contract's examples: testdata/contract/NAME.json as
// published, NAME.canonical.json as this library writes it.
var contractEnvelopes = map[string]*Envelope{
	"choice": {
		Title: "Which bucket?",
		Prompts: []Prompt{{
			ID:       "bucket",
			Question: "Which bucket should I delete?",
			Input: &Choice{Options: []Option{
				{ID: "avatars", Label: "avatars", Description: "64 files"},
				{ID: "uploads", Label: "uploads", Description: "12 files"},
			}},
		}},
	},
	"confirm": {
		Prompts: []Prompt{{
			ID:       "confirm_delete",
			Question: "Delete bucket avatars and all of its files?",
			Hint:     "This cannot be undone.",
			Input:    &Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep it", Danger: true},
		}},
	},
	"text": {
		Title: "Create database",
		Prompts: []Prompt{{
			ID:       "name",
			Question: "Database name",
			Input:    &Text{Placeholder: "main"},
		}, {
			ID:       "id_mode",
			Question: "Database ID",
			Input: &Choice{Options: []Option{
				{ID: "unique", Label: "Auto-generate (unique())"},
				{ID: "custom", Label: "I'll provide a custom ID"},
			}},
		}},
	},
}

func TestContractExamples(t *testing.T) {
	for name, want := range contractEnvelopes {
		t.Run(name, func(t *testing.T) {
			published := readFile(t, contractDir, name+".json")
			canonical := readFile(t, contractDir, name+".canonical.json")

			got, err := Parse(published)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("Parse: got %+v, want %+v", got, want)
			}
			if b, err := got.AppendJSON(nil); err != nil || string(b) != canonical {
				t.Errorf("AppendJSON: got  %s, %v\nwant %s", b, err, canonical)
			}
			// An envelope is a call's arguments too: its protocol is an unknown field there.
			if result, err := Call([]byte(published)); err != nil || result != canonical {
				t.Errorf("Call: got  %s, %v\nwant %s", result, err, canonical)
			}
			if result, err := want.Result(); err != nil || result != canonical {
				t.Errorf("Result: got  %s, %v\nwant %s", result, err, canonical)
			}
		})
	}
}

// TestContractFiles finds an example that no test reads, and a directory that is empty.
func TestContractFiles(t *testing.T) {
	entries, err := os.ReadDir(contractDir)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok {
			t.Errorf("%s is not a JSON file", entry.Name())
			continue
		}
		name = strings.TrimSuffix(name, ".canonical")
		if parts[name]++; contractEnvelopes[name] == nil {
			t.Errorf("%s has no Go value in contractEnvelopes", entry.Name())
		}
	}
	if len(parts) != 3 || len(contractEnvelopes) != 3 {
		t.Errorf("%d examples and %d Go values, want the contract's 3", len(parts), len(contractEnvelopes))
	}
	for name, n := range parts {
		if n != 2 {
			t.Errorf("%s has no partner: want %s.json and %s.canonical.json", name, name, name)
		}
	}
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
