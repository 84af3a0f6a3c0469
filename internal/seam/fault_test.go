package seam_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// withFault returns an incarnation to which one fault applies.
func withFault(t *testing.T, match fault.Match, effect fault.Effect) (*seam.Incarnation, *fault.Set, *journal.Journal) {
	t.Helper()
	i, j := newIncarnation(t)
	set := fault.NewSet()
	if err := set.Add(fault.Fault{Name: "f", Match: match, Effect: effect}); err != nil {
		t.Fatal(err)
	}
	i.Inject(set, seam.Hooks{})
	return i, set, j
}

// applied returns the events to which a fault was applied, as "operation subject outcome".
func applied(t *testing.T, j *journal.Journal) []string {
	t.Helper()
	var all []string
	for _, e := range j.Since(0) {
		if e.Fault == "f" && e.Seam != journal.SeamProcess {
			all = append(all, e.Operation.String()+" "+e.Outcome)
		}
	}
	return all
}

func expectApplied(t *testing.T, j *journal.Journal, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, applied(t, j)); diff != "" {
		t.Errorf("operations that a fault affected: -want, +got:\n%s", diff)
	}
}

// BenchmarkCross measures an operation: without a set of faults, with an empty one, and with a
// fault for other operations. The first two must not differ.
func BenchmarkCross(b *testing.B) {
	full := fault.NewSet()
	if err := full.Add(fault.Fault{
		Name: "f", Match: fault.Match{Seam: journal.SeamStore, Operation: "AdminDelete*"}, Effect: fault.Effect{Hang: true},
	}); err != nil {
		b.Fatal(err)
	}
	op := journal.Operation{Name: "AdminGetBucket", Subject: "b"}
	nothing := func(context.Context) error { return nil }
	for _, bench := range []struct {
		name   string
		faults *fault.Set
	}{{"None", nil}, {"Empty", fault.NewSet()}, {"Other", full}} {
		b.Run(bench.name, func(b *testing.B) {
			i := seam.NewIncarnation(journal.New(journal.Options{MaxBytes: 1 << 20}), "actor", 1)
			defer i.Fence()
			i.Inject(bench.faults, seam.Hooks{})
			b.ReportAllocs()
			for b.Loop() {
				if err := i.Cross(b.Context(), journal.SeamStore, op, nil, nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSet measures the cost of a set of faults for an operation.
func BenchmarkSet(b *testing.B) {
	empty := fault.NewSet()
	operation := fault.Operation{Seam: journal.SeamAPI, Component: "controller", Operation: "update buckets/status", Subject: "b"}
	for b.Loop() {
		if empty.At(operation) != nil {
			b.Fatal("there is no fault")
		}
	}
}
