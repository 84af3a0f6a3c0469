package suite

import (
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
)

// newTestTarget is an emulator in this process.
func newTestTarget(tb testing.TB) *target {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it needs a control plane")
	}
	emu := emulatortest.Start(tb, emulator.Options{})
	return newTarget(emu.Client(), emu.Info().Journal)
}

// TestMeasureClaims only makes sure that the measurement still fits its subject; no test judges how
// long anything takes.
func TestMeasureClaims(t *testing.T) {
	figures, err := newTestTarget(t).measureClaims(t.Context(), 2, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Measured.Median <= 0 || f.Baseline.Median <= 0 || f.Value <= 0 {
			t.Errorf("%s: something took no time: %v against %v", f.Name, f.Measured, f.Baseline)
		}
	}
}

// TestMeasureLoaded also holds the bar for silence, which is no matter of time.
func TestMeasureLoaded(t *testing.T) {
	target := newTestTarget(t)
	if err := target.createLoad(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	silence, err := target.measureSilence(t.Context(), 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if !silence.Met {
		t.Errorf("a settled emulator is not silent: %v", silence.Notes)
	}
}

// BenchmarkClaim is for profiles of everything that a claim causes: controller,
// sidecar, driver and store are in this process.
func BenchmarkClaim(b *testing.B) {
	target := newTestTarget(b)
	namespace := emulatortest.Namespace(b)
	watcher, err := target.client.Watch(b.Context(), &v1alpha2.BucketClaimList{}, client.InNamespace(namespace))
	if err != nil {
		b.Fatal(err)
	}
	defer watcher.Stop()
	var writes, count int
	for b.Loop() {
		trip, err := target.measure(b.Context(), watcher, scale.NewClaim(namespace, "claim-"+strconv.Itoa(count), emulator.ClassStandard))
		if err != nil {
			b.Fatal(err)
		}
		writes += len(trip.writes)
		count++
	}
	b.ReportMetric(float64(writes)/float64(count), "writes/op")
}
