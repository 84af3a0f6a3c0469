package integration_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// everySecond has a fault that affects the calls about every second claim.
const everySecond = `
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: story
steps:
- inject: {name: busy, seam: rpc, operation: DriverCreateBucket, nth: 2, every: 3, fail: Unavailable}
- apply: {kind: BucketClaim, metadata: {name: FIRST}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/FIRST: {status: {readyToUse: true}}}
- apply: {kind: BucketClaim, metadata: {name: SECOND}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/SECOND: {status: {readyToUse: true}}}
`

// TestReplayPlacesFaults replays claims in the other order. The fault affects the calls about the same claim as in the
// recording, although it is not the second one any more.
func TestReplayPlacesFaults(t *testing.T) {
	t.Parallel()
	order := func(first, second string) string {
		return strings.NewReplacer("FIRST", first, "SECOND", second).Replace(everySecond)
	}
	emu := emulatortest.Start(t, emulator.Options{})
	all, err := spec.Loader{ReadFile: fstest.MapFS{"story.yaml": {Data: []byte(order("a", "b"))}}.ReadFile}.Load("story.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kept := recorder.New(emu, recorder.Options{Dir: t.TempDir(), All: true, Program: "v1"})
	if result := engine.New(emu, engine.Options{Observer: kept}).Run(t.Context(), all[0]); result.Outcome != outcome.Passed {
		t.Fatalf("%s: %v", result.Outcome, result.Failures)
	}
	recorded, err := recording.ReadFile(kept.Path("story"))
	if err != nil {
		t.Fatal(err)
	}
	recorded.Files[0].Content = order("b", "a")
	got, err := replay.AsScenario(t.Context(), recorded, emu, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Divergence != nil || got.Result.Outcome != outcome.Passed {
		t.Errorf("the replay has %s, and differs:\n%v", got.Result.Outcome, got.Divergence)
	}
	if left := emu.Faults().List(); len(left) > 0 {
		t.Errorf("faults are left: %v", left)
	}
}
