package emulator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// upgraded is a driver that restarts in other dialects.
type upgraded struct {
	*dialectdriver.Driver

	socket string
	stop   func()
}

func newUpgraded(t *testing.T, dialect dialects.Dialect) *upgraded {
	t.Helper()
	u := &upgraded{
		Driver: &dialectdriver.Driver{Dialect: dialect, IDOf: func(name string) string { return "loc." + name }},
		socket: filepath.Join(t.TempDir(), "d.sock"),
	}
	u.stop = u.ListenAt(t, u.socket)
	return u
}

// restart ends the driver, and starts one of another dialect.
func (u *upgraded) restart(t *testing.T, dialect dialects.Dialect) {
	t.Helper()
	u.stop()
	u.Dialect = dialect
	u.stop = u.ListenAt(t, u.socket)
}

// TestDriverUpgrade: a driver restarts in other dialects while the emulator runs. Buckets from
// before can be used and deleted afterwards, and the emulator shows the driver's dialect.
func TestDriverUpgrade(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]dialects.Dialect{
		"FromDraft": {dialects.OneMode, dialects.BucketIDs, dialects.KEP},
		"FromKEP":   {dialects.KEP, dialects.OneModeGet, dialects.KEP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver := newUpgraded(t, steps[0])
			emu := emulatortest.Start(t, emulator.Options{Driver: "unix://" + driver.socket})
			if bridged := isBridged(emu); bridged != (steps[0] != dialects.KEP) {
				t.Errorf("behind a bridge: %t with a driver of %s", bridged, steps[0])
			}
			var stories []*story
			for i, dialect := range steps {
				if i > 0 {
					driver.restart(t, dialect)
				}
				s := newStory(t, emu)
				s.create(s.claim, s.access)
				s.waitReady()
				stories = append(stories, s)
				wantDialect(t, emu, dialect)
			}
			for _, s := range stories {
				s.delete(s.access)
				s.waitGone(s.access)
				s.delete(s.claim)
				s.waitDeprovisioned()
			}
			if left := driver.Left(); left != nil {
				t.Errorf("left at the driver: %v", left)
			}
			wantBridgeLog(t, emu, steps[1])
		})
	}
}

// wantBridgeLog checks that the log of the bridge names the dialect of its driver.
func wantBridgeLog(t *testing.T, emu *emulator.Emulator, dialect dialects.Dialect) {
	t.Helper()
	named := func(e journal.Event) bool {
		return e.Component == emulator.ComponentBridge && strings.Contains(e.String(), "bridge to a driver of "+dialect.Protocol())
	}
	if !slices.ContainsFunc(emu.Journal().Since(0), named) {
		t.Errorf("the log of the bridge does not name the dialect %s", dialect)
	}
}

// wantDialect waits until the emulator shows that its driver speaks a dialect.
func wantDialect(t *testing.T, emu *emulator.Emulator, dialect dialects.Dialect) {
	t.Helper()
	want := string(dialect)
	if dialect == dialects.KEP {
		want = ""
	}
	harness.Eventually(t, "the emulator shows the dialect "+string(dialect), func(context.Context) error {
		if got := emu.Info().DriverDialect; got != want {
			return fmt.Errorf("it shows %q", got)
		}
		return nil
	})
}

// TestJoinedDriverUpgrade: an additional driver gets a bridge when it needs one, which ends with it.
func TestJoinedDriverUpgrade(t *testing.T) {
	t.Parallel()
	driver := newUpgraded(t, dialects.KEP)
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	joined, err := emu.AddDriver(t.Context(), emulator.DriverOptions{Name: "upgraded", Endpoint: "unix://" + driver.socket})
	if err != nil {
		t.Fatal(err)
	}
	driver.restart(t, dialects.OneMode)
	bridge := emulator.ComponentBridge + ".upgraded"
	harness.Eventually(t, "there is a bridge", func(context.Context) error {
		if emu.Component(bridge) == nil {
			return fmt.Errorf("there is no component %s", bridge)
		}
		return nil
	})
	if err := joined.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if emu.Component(bridge) != nil {
		t.Error("the bridge runs after its driver was removed")
	}
}

// TestStoredIDs: an emulator that starts on data with IDs of a driver of an earlier dialect has a
// bridge, also if the driver speaks the KEP's dialect by now.
func TestStoredIDs(t *testing.T) {
	driver := newUpgraded(t, dialects.OneMode)
	options := emulator.Options{
		Driver: "unix://" + driver.socket, DataDir: filepath.Join(t.TempDir(), "data"), ControlPlaneKind: emulator.ControlPlaneEmbedded,
	}
	emu, stop := startOwn(t, options)
	s := newStory(t, emu)
	s.claim.Namespace, s.access.Namespace = "default", "default" // of the emulator's own API server
	s.create(s.claim, s.access)
	s.waitReady()
	stop()
	driver.restart(t, dialects.KEP)
	emu, stop = startOwn(t, options)
	defer stop()
	s.emu = emu
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()
	if diff := cmp.Diff([]string(nil), driver.Left()); diff != "" || !isBridged(emu) {
		t.Errorf("behind a bridge: %t; left at the driver (-want +got):\n%s", isBridged(emu), diff)
	}
}
