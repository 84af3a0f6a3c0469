package e2e_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// never is the delay of retries: longer than any test.
const never = time.Hour

// driverName is the name of the driver of tests that need only one.
const driverName = "first.test"

// world is an emulator with a driver that does as it is told.
type world struct {
	emu    *emulator.Emulator
	driver *drivertest.Driver
}

// newWorld starts an emulator with a driver and its sidecar.
func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := newWorldWithoutSidecar(tb)
	w.addSidecar(tb, emulator.ComponentSidecar, w.driver)
	return w
}

// newWorldWithoutSidecar leaves it to the test when the sidecar comes. When the
// test has ended, nothing must be left: no goroutine, and nothing in the log or
// among the requests that must never be there.
func newWorldWithoutSidecar(tb testing.TB, change ...func(*emulator.Options)) *world {
	tb.Helper()
	controlplanetest.Start(tb)
	goroutines := goleak.IgnoreCurrent()
	tb.Cleanup(func() { leaks.Check(tb, goroutines) })
	w := &world{driver: drivertest.Start(tb, driverName)}
	options := emulator.Options{NoDriver: true, RetryBaseDelay: never, RetryMaxDelay: never}
	for _, c := range change {
		c(&options)
	}
	w.emu = emulatortest.Start(tb, options)
	tb.Cleanup(func() { w.expectDecency(tb) })
	return w
}

func (w *world) addSidecar(tb testing.TB, name string, d *drivertest.Driver) *emulator.Component {
	tb.Helper()
	component, err := w.emu.AddSidecar(tb.Context(), name, cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions()})
	if err != nil {
		tb.Fatal(err)
	}
	return component
}

// expectDecency looks for what is wrong in every flow.
func (w *world) expectDecency(tb testing.TB) {
	tb.Helper()
	for _, e := range w.history(tb) {
		switch {
		case strings.Contains(e.Message, "panic"):
			tb.Errorf("a component has panicked: %s", e)
		case e.Outcome == "Forbidden" && !strings.Contains(e.Message, "is being terminated"):
			tb.Errorf("a component lacks a right: %s", e)
		}
	}
}
