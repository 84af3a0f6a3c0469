package emulator

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/generation"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func (e *Emulator) backendPhases() []phase {
	switch {
	case e.opts.NoDriver, e.opts.Implementations.DriverCommand != nil: // see driverPhases
		return nil
	case e.opts.Driver != "":
		return []phase{{name: ComponentDriver, run: e.checkDriver}}
	default:
		phases := []phase{
			{name: "S3 " + ComponentStore, run: e.startS3},
			{name: "root key of the store", run: e.createRootKey},
		}
		for _, s := range service.Others(e.opts.Protocols) {
			start := func(ctx context.Context) error { return e.startService(ctx, s) }
			phases = append(phases, phase{name: s.Protocol().String() + " service", run: start})
		}
		if e.opts.StoreOnly {
			return phases
		}
		phases = append(phases, phase{name: ComponentDriver, run: e.startDriver, log: e.logOf(ComponentDriver)})
		if e.opts.BridgesFake() {
			phases = append(phases, phase{name: ComponentBridge, run: e.startOwnBridge, log: e.logOf(ComponentBridge)})
		}
		return phases
	}
}

func (e *Emulator) cosiPhases() []phase {
	phases := []phase{{name: ComponentController, run: e.startController, log: e.logOf(ComponentController)}}
	if e.opts.Pods {
		phases = append(phases,
			phase{name: ComponentNodeAdapter, run: e.startNodeAdapter, log: e.logOf(ComponentNodeAdapter)},
			phase{name: ComponentNode, run: e.startNode, log: e.logOf(ComponentNode)},
		)
	}
	if e.opts.NoDriver {
		return phases
	}
	phases = append(phases,
		phase{name: ComponentSidecar, run: e.startSidecar, log: e.logOf(ComponentSidecar)},
		phase{name: "classes", run: e.createClasses},
	)
	if len(e.opts.DriverNames) > 1 {
		phases = append(phases, phase{name: "further drivers", run: e.addDrivers})
	}
	return phases
}

func (e *Emulator) startComponent(ctx context.Context, name string, create component.Factory) error {
	return e.startNew(ctx, component.Options{Name: name, Create: create})
}

// startCOSI starts a controller or a sidecar. A command of the user's own is restarted when it exits, as
// in a Pod.
func (e *Emulator) startCOSI(ctx context.Context, name string, command []string, create component.Factory) error {
	isCommand := command != nil
	return e.startNew(ctx, component.Options{Name: name, Supervised: isCommand, MustWork: isCommand, Create: create})
}

func (e *Emulator) startStateful(ctx context.Context, name string, forget component.DataLoss, create component.Factory) error {
	return e.startNew(ctx, component.Options{Name: name, LoseData: forget, Create: create})
}

func (e *Emulator) startSupervised(ctx context.Context, name string, create component.Factory) error {
	return e.startNew(ctx, component.Options{Name: name, Supervised: true, Create: create})
}

func (e *Emulator) startNew(ctx context.Context, options component.Options) error {
	name := options.Name
	options.Journal, options.Failed, options.Faults = e.journal, e.fail, e.faults
	options.Earlier = e.earlier[name]
	options.Hooks = seam.Hooks{
		Outage: e.outage, Interfere: e.interfere, Returned: e.learnGranted, Tombstones: e.tombstones, Past: past{e},
		LeaseLost: func(by *fault.Applied) { e.leaseLost(name, by) }, //nolint:contextcheck // it is bounded by itself
	}
	c := newComponent(options)
	c.remove = func(ctx context.Context) error { return e.remove(ctx, c) }
	e.mu.Lock()
	if e.stopping { // Stop would not stop it
		e.mu.Unlock()
		return fmt.Errorf("start %s: %w: the emulator is stopped", name, ErrWrongState)
	}
	e.components = append(e.components, c)
	e.cleanups = append(e.cleanups, cleanup{of: c, do: c.own.Close})
	e.mu.Unlock()
	return c.Start(ctx)
}

func (e *Emulator) logger(i *seam.Incarnation) logr.Logger {
	return e.journal.Logger(i.Component(), i.Number(), e.opts.LogVerbosity)
}

func (e *Emulator) generation() generation.Generation { return generation.Of(e.opts.API) }

// startDriver starts the fake driver, whose socket is open to other processes, such as a sidecar
// outside the emulator.
func (e *Emulator) startDriver(ctx context.Context) error {
	socket := e.opts.Socket
	if socket == "" {
		socket = filepath.Join(e.info.Dir, "run", "cosi.sock")
	}
	socket, err := filepath.Abs(socket)
	if err != nil {
		return err
	}
	endpoint := "unix://" + socket
	e.info.DriverName, e.info.DriverEndpoint = fakedriver.DefaultName, endpoint
	if len(e.opts.DriverNames) > 0 {
		e.info.DriverName = e.opts.DriverNames[0]
	}
	e.info.DriverDialect = e.describeDialect(e.fakeDialect())
	e.speaks(endpoint, e.fakeDialect())
	loseData := e.loseDataOf(e.info.DriverName)
	return e.startStateful(ctx, ComponentDriver, loseData, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		opts := fakedriver.Options{Name: e.info.DriverName, Protocols: e.opts.Protocols}
		//nolint:contextcheck // the probe of a stale socket is bounded by itself
		return e.newDriver(opts, i, listenOn(endpoint))
	})
}

func (e *Emulator) startController(ctx context.Context) error {
	cfg, err := e.controllerUser(ctx)
	if err != nil {
		return err
	}
	command := e.opts.Implementations.ControllerCommand
	return e.startCOSI(ctx, ComponentController, command, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		return e.newController(cfg, i) //nolint:contextcheck // it is bounded by itself
	})
}

// learnGranted remembers the key in the response of an external driver to a sidecar.
func (e *Emulator) learnGranted(component, account string, response proto.Message) {
	suffix := strings.TrimSuffix(strings.TrimPrefix(component, ComponentSidecar), vocabulary.ReplicaSuffix)
	fake := e.component(ComponentDriver+suffix) != nil && e.store != nil
	if IsSidecar(component) && !fake {
		e.keys.AddGranted(component, account, response)
	}
}
