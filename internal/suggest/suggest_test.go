package suggest_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

func TestFrom(t *testing.T) {
	for name, tc := range map[string]struct {
		name  string
		known []string
		want  string
	}{
		"Swapped": {"setle", []string{"expect", "settle"}, `did you mean "settle"?`},
		"Case":    {"Settle", []string{"expect", "settle"}, `did you mean "settle"?`},
		"Nearest": {"patch bucket", []string{"patch bucketclaims", "patch buckets"}, `did you mean "patch buckets"?`},
		"TwoOff":  {"stle", []string{"settle"}, `did you mean "settle"?`},
		"TooFar":  {"wait", []string{"expect", "settle"}, "it can be expect, settle"},
		"Nothing": {"wait", nil, "there are none"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := suggest.From(tc.name, tc.known); got != tc.want {
				t.Errorf("From(%q, %q) = %q, want %q", tc.name, tc.known, got, tc.want)
			}
		})
	}
}
