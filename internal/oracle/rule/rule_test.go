package rule

import (
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestBases verifies that each rule belongs to an oracle, and that the statements on which it rests exist.
func TestBases(t *testing.T) {
	t.Parallel()
	for i, b := range bases[LeakBucket:] {
		r := LeakBucket + Rule(i)
		if !slices.Contains(vocabulary.OracleNames(), b.oracle) {
			t.Errorf("rule %d has the oracle %q, which does not exist", r, b.oracle)
		}
		for _, id := range []string{b.kep, b.v1alpha1} {
			if id != "" && Sentence(id) == "" {
				t.Errorf("rule %d of %s rests on %s, which has no sentence", r, b.oracle, id)
			}
		}
	}
}

// TestSentence verifies that a sentence names its specification and section.
func TestSentence(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		OrderSecret.In(false): "KEP-1979, Deleting a BucketAccess (FLOW-REVOKE-3.2): It deletes the Secret before it revokes access",
		OrderSecret.In(true):  "",
		OrderOneCall.In(true): "v1alpha1, Calls in flight (A1-CALLS-1): " +
			"The COSI system is responsible that no more than one call is in flight for a bucket",
		"NONE-1": "",
	} {
		if got := Sentence(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
