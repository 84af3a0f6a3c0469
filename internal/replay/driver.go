package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
)

// Drivers returns the drivers to start an emulator with. They answer as in the recording.
func Drivers(r *recording.Recording) (emulator.Implementations, error) {
	sidecars := Sidecars(r.Events)
	if len(sidecars) == 0 {
		return emulator.Implementations{}, fmt.Errorf("the recording of %q has no driver calls", r.Scenario)
	}
	return emulator.Implementations{Driver: func(o fakedriver.Options) (emulator.Server, error) {
		return NewRecordedDriver(RecordedDriverOptions{
			Recording: r, Sidecar: sidecarOf(o.Name, r.Namespace, sidecars), Name: o.Name,
			Protocols: o.Protocols, ServerOptions: o.ServerOptions,
		}), nil
	}}, nil
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

// AsDriver runs the scenario of a recording on an emulator that was started with
// Drivers. There is no backend: S3 steps are skipped, and operations of drivers and
// store are not compared.
func AsDriver(ctx context.Context, r *recording.Recording, emu *emulator.Emulator, options engine.Options) (Replay, error) {
	options.NoBackend = true
	return replay(ctx, r, emu, options, func(e journal.Event) bool {
		return e.Seam != journal.SeamStore && !isDriver(e.Component) && e.Seam != journal.SeamProcess
	})
}

func isDriver(component string) bool {
	services := []string{emulator.ComponentDriver, emulator.ComponentStore, emulator.ComponentGCS, emulator.ComponentAzure}
	return slices.Contains(services, component) || strings.HasPrefix(component, emulator.ComponentDriver+".")
}
