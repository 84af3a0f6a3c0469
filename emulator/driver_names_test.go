package emulator_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// TestDriverNamesAreRecorded: a data directory and a snapshot are used by drivers of the same names as
// before.
func TestDriverNamesAreRecorded(t *testing.T) {
	names := []string{"a.test", "b.test"}
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "file")
	emu, stop := startOwn(t, emulator.Options{DataDir: data, DriverNames: names, ControlPlaneKind: emulator.ControlPlaneEmbedded})
	info, err := emu.SaveSnapshot(t.Context(), file, false)
	if diff := cmp.Diff(names, info.DriverNames); diff != "" || err != nil {
		t.Errorf("names in the snapshot: %v (-want +got):\n%s", err, diff)
	}
	stop()
	for name, tc := range map[string]struct {
		reason string
		opts   emulator.Options
		err    string
	}{
		"Directory": {reason: "no name is given", opts: emulator.Options{DataDir: data}},
		"Snapshot":  {reason: "no name is given", opts: emulator.Options{Snapshot: file}},
		"More": {
			reason: "further drivers", opts: emulator.Options{DataDir: data, DriverNames: []string{"a.test", "b.test", "c.test"}},
		},
		"OtherOfData": {
			reason: "b's objects", opts: emulator.Options{DataDir: data, DriverNames: []string{"a.test"}}, err: "--driver-name b.test",
		},
		"OtherOfSnapshot": {
			reason: "a's objects", opts: emulator.Options{Snapshot: file, DriverNames: []string{"b.test"}}, err: "--driver-name a.test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.opts.ControlPlaneKind = emulator.ControlPlaneEmbedded
			if tc.err != "" {
				_, err := emulator.Start(t.Context(), tc.opts)
				if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			again, stop := startOwn(t, tc.opts)
			defer stop()
			if first := again.Info().DriverName; first != "a.test" || again.Component("sidecar.b.test") == nil {
				t.Errorf("%s: the first driver is %s, and the sidecar of the second is %v", tc.reason, first, again.Component("sidecar.b.test"))
			}
		})
	}
}
