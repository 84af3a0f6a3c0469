package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
)

// RecordedDrivers are the drivers of a recording, for one emulator.
type RecordedDrivers struct {
	recording *recording.Recording
	sidecars  []string
	journal   atomic.Pointer[journal.Journal] // of the emulator, once it runs
}

// Drivers returns the drivers of a recording.
func Drivers(r *recording.Recording) (*RecordedDrivers, error) {
	sidecars := Sidecars(r.Events)
	if len(sidecars) == 0 {
		return nil, fmt.Errorf("the recording of %q has no driver calls", r.Scenario)
	}
	return &RecordedDrivers{recording: r, sidecars: sidecars}, nil
}

// Implementations returns the drivers to start an emulator with. They answer as in the recording.
func (d *RecordedDrivers) Implementations() emulator.Implementations {
	return emulator.Implementations{Driver: func(o fakedriver.Options) (emulator.Server, error) {
		return NewRecordedDriver(RecordedDriverOptions{
			Recording: d.recording, Sidecar: sidecarOf(o.Name, d.recording.Namespace, d.sidecars), Name: o.Name,
			Protocols: o.Protocols, Events: d.events, ServerOptions: o.ServerOptions,
		}), nil
	}}
}

func (d *RecordedDrivers) events(seq uint64) []journal.Event {
	if j := d.journal.Load(); j != nil {
		return j.Since(seq)
	}
	return nil
}

// sidecarOf finds the recorded sidecar of a driver by its name, without the number of
// the scope. The default is the sidecar of the emulator's own driver.
func sidecarOf(driver, scope string, sidecars []string) string {
	stem := func(name string) string { return varying(scope).ReplaceAllString(name, "") }
	for _, sidecar := range sidecars {
		if name, ok := strings.CutPrefix(sidecar, emulator.ComponentSidecar+"."); ok && stem(name) == stem(driver) {
			return sidecar
		}
	}
	return emulator.ComponentSidecar
}

// Replay runs the scenario of the recording on the emulator that was started with the drivers. There is no backend: S3 steps are skipped,
// and operations of drivers and store are not compared.
func (d *RecordedDrivers) Replay(ctx context.Context, emu *emulator.Emulator, options engine.Options) (Replay, error) {
	options.NoBackend = true
	d.journal.Store(emu.Journal())
	return replay(ctx, d.recording, emu, options, func(e journal.Event) bool {
		return e.Seam != journal.SeamStore && !isDriver(e.Component) && e.Seam != journal.SeamProcess
	})
}

func isDriver(component string) bool {
	services := []string{emulator.ComponentDriver, emulator.ComponentStore, emulator.ComponentGCS, emulator.ComponentAzure}
	return slices.Contains(services, component) || strings.HasPrefix(component, emulator.ComponentDriver+".")
}
