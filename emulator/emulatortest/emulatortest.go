// Package emulatortest gives tests an emulator. The control plane, which takes
// seconds to start, is shared by the tests of a binary; controller, sidecar,
// driver and store are started for each test, which takes a tenth of a second,
// and everything that the test has made is removed when it ends.
//
//	func TestMyApp(t *testing.T) {
//		emu := emulatortest.Start(t, emulator.Options{})
//		claim := emulatortest.Claim(t, emu, emulatortest.Namespace(t), "photos")
//		credentials := emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadWrite)
//		...
//	}
//
// No TestMain is needed: the processes end with the test binary, however it
// ends.
package emulatortest

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/failurelog"
)

const (
	// Only what fails takes that long: they leave room for a busy machine.
	startTimeout = 5 * time.Minute
	stopTimeout  = 5 * time.Minute
)

// exclusive lets one emulator at a time use the shared control plane.
var exclusive sync.Mutex

// Start starts an emulator for a test, on the shared control plane unless the
// options name another, or a Cluster that leads to it. The shared one is embedded, unless the
// environment variable COSI_EMU_TEST_CONTROL_PLANE selects another kind. Tests that run in parallel wait for each other here.
// When the test ends, the objects of COSI are deleted, what cannot be deleted
// fails the test, and the emulator is stopped. If the test has failed, the
// journal is kept in a file, whose path is logged.
func Start(tb testing.TB, opts emulator.Options) *emulator.Emulator {
	tb.Helper()
	silenceLibraries()
	if opts.ControlPlane == nil && opts.Snapshot == "" { // which has a control plane of its own
		exclusive.Lock()
		tb.Cleanup(exclusive.Unlock)
		plane := controlplanetest.StartVersion(tb, opts.API)
		if opts.Cluster == nil {
			opts.ControlPlane = plane
		}
	}
	ctx, cancel := context.WithTimeout(tb.Context(), startTimeout)
	defer cancel()
	emu, err := emulator.Start(ctx, opts)
	if err != nil {
		tb.Fatalf("start an emulator for the test: %v", err)
	}
	tb.Cleanup(func() { end(tb, emu) })
	return emu
}

// Namespace makes a namespace for the test and returns its name. It is deleted
// when the test ends.
func Namespace(tb testing.TB) string {
	tb.Helper()
	return controlplanetest.Namespace(tb)
}

// NamespaceIn is Namespace in the control plane of an emulator, which may serve another version
// of the COSI kinds than the default.
func NamespaceIn(tb testing.TB, emu *emulator.Emulator) string {
	tb.Helper()
	return controlplanetest.NamespaceIn(tb, controlplanetest.StartVersion(tb, emu.API()))
}

func end(tb testing.TB, emu *emulator.Emulator) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := cleanUp(ctx, emu); err != nil {
		tb.Errorf("clean up after the test: %v", err)
	}
	if tb.Failed() {
		keepJournal(tb, emu.Journal())
	}
	if err := emu.Stop(ctx); err != nil {
		tb.Errorf("stop the emulator: %v", err)
	}
}

// keepJournal keeps the journal of a failed test in a file.
func keepJournal(tb testing.TB, j *journal.Journal) {
	tb.Helper()
	failurelog.Keep(tb, "journal", func(w io.Writer) error {
		for _, event := range j.Since(0) {
			if _, err := fmt.Fprintln(w, event); err != nil {
				return err
			}
		}
		return nil
	})
}
