package emulator_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestAfter verifies that an emulator goes on where another one has stopped: with its data, also those of the bridges of
// added drivers, its journal, and the keys that it has issued.
func TestAfter(t *testing.T) {
	t.Parallel()
	opts := emulator.Options{
		DataDir: filepath.Join(t.TempDir(), "data"), ControlPlaneKind: emulator.ControlPlaneEmbedded, Dialect: dialects.V1alpha1,
	}
	first, stop := startOwn(t, opts)
	s := newStory(t, first)
	s.create(s.claim, s.access)
	s.waitReady()
	addDriver := func(emu *emulator.Emulator) {
		t.Helper()
		if _, err := emu.AddDriver(t.Context(), emulator.DriverOptions{Name: "other.test"}); err != nil {
			t.Fatal(err)
		}
	}
	addDriver(first)
	opts.After = first
	if _, err := emulator.Start(t.Context(), opts); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("start beside the emulator that runs: got %v, want ErrOptions", err)
	}
	stop()
	other := opts
	other.API, other.Dialect, other.DataDir = objectstorage.V1alpha1, "", ""
	if _, err := emulator.Start(t.Context(), other); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("start with the kinds of another version: got %v, want ErrOptions", err)
	}

	mark := first.Journal().Mark()
	second, _ := startOwn(t, opts)
	addDriver(second)
	if second.Journal() != first.Journal() || second.Journal().Mark() <= mark {
		t.Error("the journal is another one")
	}
	wantSecondIncarnations(t, second, mark)
	s.emu = second
	s.waitReady()
	wantKeysKnown(t, second)
}

// wantSecondIncarnations verifies that each component has started for the second time since a mark in the journal.
func wantSecondIncarnations(t *testing.T, second *emulator.Emulator, mark uint64) {
	t.Helper()
	incarnations := map[string]int{}
	for _, e := range second.Journal().Since(mark) {
		if e.Seam == journal.SeamProcess && e.Operation.Name == journal.StepReady && e.Incarnation > 0 {
			incarnations[e.Component] = e.Incarnation
		}
	}
	want := map[string]int{}
	for _, c := range second.Components() {
		want[c.Name()] = 2
	}
	if diff := cmp.Diff(want, incarnations); diff != "" || len(want) < 6 {
		t.Errorf("incarnations: -want, +got:\n%s", diff)
	}
}

// wantKeysKnown verifies that an emulator knows the latest key that an earlier one has issued.
func wantKeysKnown(t *testing.T, second *emulator.Emulator) {
	t.Helper()
	issued := second.Keys().Issued(time.Time{})
	if len(issued) == 0 {
		t.Fatal("the keys of the first emulator are not known")
	}
	key := issued[len(issued)-1]
	if opened, err := second.Keys().Try(t.Context(), key, key.Buckets[0]); !opened || err != nil {
		t.Errorf("a key of the first emulator opens its bucket: %t, %v", opened, err)
	}
}
