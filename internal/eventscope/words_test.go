package eventscope_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

//nolint:lll // one case a line
func TestName(t *testing.T) {
	tests := map[string]struct{ reason, scenario, want string }{
		"Short":  {reason: "The name, and a number.", scenario: "claim", want: "claim-7"},
		"Long":   {reason: "Cut, for what comes behind it.", scenario: "a-scenario-with-a-name-that-is-long", want: "a-scenario-with-a-name-that-is-7"},
		"Hyphen": {reason: "Not two hyphens.", scenario: "a-scenario-with-a-name-that-ii-long", want: "a-scenario-with-a-name-that-ii-7"},
		"Cut":    {reason: "Cut behind a hyphen.", scenario: "a-scenario-with-a-name-of-hers-long", want: "a-scenario-with-a-name-of-hers-7"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := eventscope.Name(tc.scenario, 7); got != tc.want {
				t.Errorf("%s\nName(%q) = %q, want %q", tc.reason, tc.scenario, got, tc.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	tests := map[string]struct {
		reason, text string
		mentioned    bool
		want         string
	}{
		"Nothing": {reason: "Of another.", text: "b-1/photos", want: "b-1/photos"},
		"Whole":   {reason: "It is it.", text: "a-1", mentioned: true, want: "<scope>"},
		"Part":    {reason: "In a name.", text: "driver.a-1/photos", mentioned: true, want: "driver.<scope>/photos"},
		"Longer":  {reason: "Another, of which it is the beginning.", text: "a-12", want: "a-12"},
		"Both":    {reason: "The other comes first.", text: "a-12 a-1, a-1", mentioned: true, want: "a-12 <scope>, <scope>"},
		"Again":   {reason: "One behind the other.", text: "a-1/a-1", mentioned: true, want: "<scope>/<scope>"},
		"Inside":  {reason: "Another, of which it is the end.", text: "data-1", want: "data-1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := eventscope.Mentions(tc.text, "a-1"); got != tc.mentioned {
				t.Errorf("%s\nMentions(%q) = %t, want %t", tc.reason, tc.text, got, tc.mentioned)
			}
			if got := eventscope.Replace(tc.text, "a-1", "<scope>"); got != tc.want {
				t.Errorf("%s\nReplace(%q) = %q, want %q", tc.reason, tc.text, got, tc.want)
			}
		})
	}
}

func TestUID(t *testing.T) {
	const text = "bc-5f07a034-04f3-4d98-a790-f6a74438991e/x, 5f07a034-04f3-4d98-a790"
	if got, want := eventscope.UID.ReplaceAllString(text, "<uid>"), "bc-<uid>/x, 5f07a034-04f3-4d98-a790"; got != want {
		t.Errorf("ReplaceAllString() = %q, want %q", got, want)
	}
}
