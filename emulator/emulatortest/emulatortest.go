// Package emulatortest gives tests an emulator. The tests of a binary use one control plane after
// another; of tests in parallel, each has another one. Each test has its own controller, sidecar,
// driver and store, which take a tenth of a second, and all its objects are deleted when it ends.
//
//	func TestMyApp(t *testing.T) {
//		emu := emulatortest.Start(t, emulator.Options{})
//		claim := emulatortest.Claim(t, emu, emulatortest.Namespace(t), "photos")
//		credentials := emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadWrite)
//		...
//	}
//
// No TestMain is needed: the processes end with the test binary, however it ends.
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
	// Only a failing test waits that long: the limits leave room for a busy machine.
	startTimeout = 5 * time.Minute
	stopTimeout  = 5 * time.Minute
)

// clusters is locked by the test that uses a Cluster, in which two controllers would disturb each other.
var clusters sync.Mutex

// Start starts an emulator for a test, on a control plane of the test binary unless the options
// select another or a Cluster. It is embedded, unless the environment variable
// COSI_EMU_TEST_CONTROL_PLANE selects another kind. Parallel tests have control planes of their own;
// those with a Cluster wait for each other here. When the test ends, Start deletes the objects of
// COSI, and the Secrets, ConfigMaps and ServiceAccounts in namespace default unless it is a Cluster's, and stops the
// emulator; the test fails if an object cannot be deleted. After a failed test,
// the journal remains in a file, whose path is logged.
func Start(tb testing.TB, opts emulator.Options) *emulator.Emulator {
	tb.Helper()
	silenceLibraries()
	// A snapshot and a node have a control plane of their own.
	switch {
	case opts.ControlPlane != nil || opts.Snapshot != "" || opts.Pods:
	case opts.Cluster != nil:
		clusters.Lock()
		tb.Cleanup(clusters.Unlock)
	default:
		opts.ControlPlane = controlplanetest.Borrow(tb, opts.API)
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

// Namespace creates a namespace, which is deleted when the test ends, and returns its name. It is in the control plane
// of the emulator that the test, or one of which it is a part, has started last.
func Namespace(tb testing.TB) string {
	tb.Helper()
	if plane := controlplanetest.Borrowed(tb); plane != nil {
		return controlplanetest.NamespaceIn(tb, plane)
	}
	return controlplanetest.Namespace(tb)
}

// NamespaceIn is Namespace in the control plane of an emulator.
func NamespaceIn(tb testing.TB, emu *emulator.Emulator) string {
	tb.Helper()
	if plane := emu.ControlPlane(); plane != nil {
		return controlplanetest.NamespaceIn(tb, plane)
	}
	// The control plane of the test binary is the existing cluster of the emulator.
	return controlplanetest.NamespaceIn(tb, controlplanetest.StartVersion(tb, emu.Info().API))
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
