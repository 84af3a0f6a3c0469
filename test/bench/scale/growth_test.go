package scale

import (
	"testing"
)

// TestLongGrowth has one control plane stand for two, which is all the same to the
// course of the measurement.
func TestLongGrowth(t *testing.T) {
	s := newTestEnvironment(t)
	g := &growth{few: &among{env: s, claims: 1}, many: &among{env: s, claims: 2}, batch: 2}
	figures, err := g.run(t.Context(), 2, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, figures, 2)
	if g.few.left == "" || g.many.left == "" {
		t.Error("the writes were not repeated")
	}
}
