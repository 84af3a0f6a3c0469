package emulator_test

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestDialectIsRecorded: without a dialect, the driver of a data directory speaks the dialect that its
// objects and IDs were made with. Another one is rejected, as is another version of the kinds.
func TestDialectIsRecorded(t *testing.T) {
	embedded := func(o emulator.Options) emulator.Options {
		o.ControlPlaneKind = emulator.ControlPlaneEmbedded
		return o
	}
	for name, tc := range map[string]struct {
		first  emulator.Options
		second emulator.Options
		want   string // the dialect that Info names
		err    string
	}{
		"NoneAfterOne":  {emulator.Options{Dialect: dialects.OneMode}, emulator.Options{}, "one-mode", ""},
		"Same":          {emulator.Options{Dialect: dialects.OneMode}, emulator.Options{Dialect: dialects.OneMode}, "one-mode", ""},
		"OtherAfterOne": {emulator.Options{Dialect: dialects.OneMode}, emulator.Options{Dialect: dialects.KEP}, "", "leave the dialect out"},
		"OneAfterNone":  {emulator.Options{}, emulator.Options{Dialect: dialects.OneMode}, "", "its driver speaks COSI v1alpha2, dialect kep"},
		"DefaultBySelf": {emulator.Options{}, emulator.Options{Dialect: dialects.KEP}, "", ""},
		"NoneAfterOld":  {emulator.Options{API: objectstorage.V1alpha1}, emulator.Options{}, "", ""},
		"NewAfterOld": {
			emulator.Options{API: objectstorage.V1alpha1}, emulator.Options{API: objectstorage.V1alpha2}, "", "objects of v1alpha1",
		},
		"BridgedAfterOld": {emulator.Options{Dialect: dialects.V1alpha1}, emulator.Options{}, "v1alpha1", ""},
		"NotBridged": {
			emulator.Options{Dialect: dialects.V1alpha1},
			emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS}}, "",
			"a driver of COSI v1alpha1 has one protocol",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.first.DataDir = filepath.Join(t.TempDir(), "data")
			tc.second.DataDir = tc.first.DataDir
			first, stop := startOwn(t, embedded(tc.first))
			api := first.Info().API
			stop()
			if tc.err != "" {
				_, err := emulator.Start(t.Context(), embedded(tc.second))
				if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("Start() = %v, want %q", err, tc.err)
				}
				return
			}
			second, stop := startOwn(t, embedded(tc.second))
			defer stop()
			if got := second.Info().DriverDialect; got != tc.want || second.Info().API != api || isBridged(second) != (tc.want != "") {
				t.Errorf("dialect %q of %s, behind a bridge: %t, want %q of %s", got, second.Info().API, isBridged(second), tc.want, api)
			}
		})
	}
}

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

// TestServicesAreRecorded: a later start without options serves the buckets of a data directory as before, at the
// same addresses. Options that leave a protocol out are rejected.
func TestServicesAreRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	options := func(o emulator.Options) emulator.Options {
		o.ControlPlaneKind, o.DataDir = emulator.ControlPlaneEmbedded, dir
		return o
	}
	both := []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS}
	first, stop := startOwn(t, options(emulator.Options{Protocols: both, TLS: true}))
	endpoints := func(info emulator.Info) []string { return []string{info.S3Endpoint, info.GCSEndpoint} }
	want := endpoints(first.Info())
	stop()
	second, stop := startOwn(t, options(emulator.Options{}))
	if diff := cmp.Diff(want, endpoints(second.Info())); diff != "" {
		t.Errorf("endpoints after a restart: -before, +after:\n%s", diff)
	}
	stop()
	port := harness.FreePort(t)
	third, stop := startOwn(t, options(emulator.Options{GCSPort: port}))
	if got, want := third.Info().GCSEndpoint, "https://127.0.0.1:"+strconv.Itoa(port); got != want {
		t.Errorf("the GCS service listens at %s with another port, want %s", got, want)
	}
	stop()
	_, err := emulator.Start(t.Context(), options(emulator.Options{AzurePort: port}))
	if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), "Azure is not among the protocols") {
		t.Errorf("Start() with a port of a service that the directory lacks = %v, want it rejected", err)
	}
	_, err = emulator.Start(t.Context(), options(emulator.Options{Protocols: both[:1]}))
	if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), "its driver has protocol GCS") {
		t.Errorf("Start() without a protocol = %v, want it rejected", err)
	}
}
