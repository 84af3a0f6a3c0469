package scale

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// TestLongBurst holds the bars that are no matter of time, and makes sure that every
// write of the components can be repeated.
func TestLongBurst(t *testing.T) {
	const pairs = 3
	r := &burst{pairs: pairs, asked: newRequestCounts()}
	if err := r.run(t.Context(), newTestEnvironment(t)); err != nil {
		t.Fatal(err)
	}
	figures := r.figures()
	checkFigures(t, figures, 4)
	for _, f := range figures[1:] {
		if !f.Met {
			t.Errorf("%s: %v %s is over the bar of %v: %v", f.Name, f.Value, f.Unit, f.Bar, f.Notes)
		}
	}
	created := 2 * pairs
	if want := created + total(r.asked.writes()) + total(r.asked.events()) - r.asked.conflicts; r.writes != want {
		t.Errorf("the baseline repeats %d writes, but the components and the user have made %d", r.writes, want)
	}
	for operation, needed := range needs(pairFlow) {
		if made := r.asked.writes()[operation]; made < needed*pairs {
			t.Errorf("the flow needs %d of %q for a pair, but %d were made for %d pairs", needed, operation, made, pairs)
		}
	}
}

// checkFigures wants a number of figures, and something in each.
func checkFigures(t *testing.T, figures []figure.Figure, count int) {
	t.Helper()
	if len(figures) != count {
		t.Fatalf("%d figures, want %d: %v", len(figures), count, figures)
	}
	for _, f := range figures {
		if f.Name == "" || f.Unit == "" || f.Bar <= 0 || len(f.Notes) == 0 {
			t.Errorf("the figure is incomplete: %+v", f)
		}
		if f.Measured != nil && (f.Measured.Median <= 0 || f.Baseline.Median <= 0) {
			t.Errorf("%s: something took no time: %v against %v", f.Name, f.Measured, f.Baseline)
		}
	}
}

func TestFlow(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"patch bucketclaims": 2, "patch bucketclaims/status": 2,
		"create buckets": 1, "patch buckets": 1, "patch buckets/status": 2,
		"patch bucketaccesses": 1, "patch bucketaccesses/status": 3,
		"create secrets": 1,
	}
	if diff := cmp.Diff(want, needs(pairFlow)); diff != "" {
		t.Errorf("the KEP's minimum: -want, +got:\n%s", diff)
	}
}

// BenchmarkPair is for profiles of controller and sidecar: pairs are created one
// after another, and nothing else is in this process but the driver.
func BenchmarkPair(b *testing.B) {
	s, m := newTestEnvironment(b), newRequestCounter()
	err := s.withComponents(b.Context(), m, func() error {
		for b.Loop() {
			namespace, err := CreateNamespace(b.Context(), s.admin, "scale-")
			if err != nil {
				return err
			}
			if err := s.create(b.Context(), batch{namespace: namespace, count: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(per(total(m.read().writes()), b.N), "writes/op")
}
