package parts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cosi-emu/cosi-emu/test/bench/parts"
)

// TestOf verifies that a sample counts for the innermost part on its stack.
func TestOf(t *testing.T) {
	const project = "github.com/cosi-emu/cosi-emu/"
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples"}, {Type: "cpu"}}}
	for _, stack := range [][]string{ // from the innermost call on
		{"encoding/json.Marshal", "k8s.io/client-go/rest.(*Request).Do", project + "internal/reconcile.walk"},
		{"runtime.mallocgc", project + "internal/reconcile.walk", "sigs.k8s.io/controller-runtime/pkg/internal/controller.Start"},
		{"runtime.scanObject", "runtime.gcBgMarkWorker"},
		{"runtime.mallocgc", project + "internal/controlplane/memstore.put"},
		{"runtime.findRunnable"},
	} {
		sample := &profile.Sample{Value: []int64{1, 10}}
		for _, name := range stack {
			sample.Location = append(sample.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		p.Sample = append(p.Sample, sample)
	}
	want := map[string]int64{parts.Client: 10, parts.Components: 10, parts.Collection: 10, parts.Server: 10, parts.Other: 10}
	if diff := cmp.Diff(want, parts.Of(p, "cpu")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
