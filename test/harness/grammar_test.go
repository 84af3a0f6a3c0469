package harness_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestGrammarMistake(t *testing.T) {
	for output, want := range map[string]string{
		"it needs a access":            "a access",
		"A object is missing":          "A object",
		"done:\n1 runs in 2 sandboxes": "1 runs",
		"2 runs in 1 sandboxes":        "in 1 sandboxes",
		"with a one-time key, a and b": "",
		"step 1 fails":                 "",
		"none of 1 matches":            "",
		"11 objects in 1 namespace":    "",
	} {
		if got := harness.GrammarMistake(output); got != want {
			t.Errorf("GrammarMistake(%q) = %q, want %q", output, got, want)
		}
	}
}
