package emulator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestBridge uses a bucket of the fake driver behind a bridge, and looks at what the
// driver is asked: nothing that only v1alpha2 has.
func TestBridge(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{Bridge: true})
	if !emu.Bridged() {
		t.Error("Bridged() = false, want true")
	}
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	if err := openBucket(s.secret()).put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatal(err)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()

	asked := map[string]map[string]bool{emulator.ComponentSidecar: {}, emulator.ComponentDriver: {}}
	for _, e := range emu.Journal().Since(0) {
		if methods := asked[e.Component]; methods != nil && e.Seam == journal.SeamRPC {
			methods[e.Operation.Name] = true
		}
	}
	methods := map[string]bool{
		"DriverCreateBucket": true, "DriverDeleteBucket": true, "DriverGrantBucketAccess": true,
		"DriverRevokeBucketAccess": true, "DriverGetInfo": true,
	}
	want := map[string]map[string]bool{emulator.ComponentDriver: methods, emulator.ComponentSidecar: {
		"DriverGenerateBucketId": true, "DriverGenerateBucketAccessId": true,
	}}
	for name := range methods {
		want[emulator.ComponentSidecar][name] = true
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
}
