package emulator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Controllable can be stopped, started and killed: a Component, or a process of the control plane.
type Controllable interface {
	// Start starts it, and returns when it is ready. A running process of the control plane keeps
	// running.
	Start(ctx context.Context) error
	// Stop stops it gracefully.
	Stop(ctx context.Context) error
	// Crash kills it.
	Crash() error
	// Restart stops it, and starts it again.
	Restart(ctx context.Context) error
	// Forget deletes the persistent data; the component must not run. Only the store and fake
	// drivers have data; for others the error is ErrNothingKept.
	Forget(ctx context.Context) error
}

// Component returns a component, or a process of the control plane, by its name, or nil. The second
// replica of a controller or sidecar, which Start adds, has the same name with ReplicaSuffix. The process of a
// container is pod/NAMESPACE/POD/CONTAINER. An
// existing cluster has components only.
func (e *Emulator) Component(name string) Controllable {
	if c := e.component(name); c != nil {
		return c
	}
	if first, ok := strings.CutSuffix(name, ReplicaSuffix); ok && e.component(first) != nil && canReplicate(first) {
		return &unstartedReplica{e, first}
	}
	if c := e.podContainerNamed(name); c != nil {
		return c
	}
	if e.plane == nil {
		return nil
	}
	if slices.Contains(e.plane.ProcessNames(), name) {
		return &planeProcess{e, name}
	}
	return nil
}

// planeProcess is a process of the control plane. The journal records its steps.
type planeProcess struct {
	emulator *Emulator
	name     string
}

// Start implements Controllable. It waits until no fault keeps the process down.
func (p *planeProcess) Start(ctx context.Context) error {
	if err := p.emulator.outages.await(ctx, p.name); err != nil || p.emulator.plane.PID(p.name) != 0 {
		return err
	}
	return p.step(journal.StepReady, p.emulator.plane.StartComponent(ctx, p.name))
}

// Stop implements Controllable.
func (p *planeProcess) Stop(ctx context.Context) error {
	return p.step(journal.StepStop, p.emulator.plane.StopComponent(ctx, p.name))
}

// Crash implements Controllable.
func (p *planeProcess) Crash() error {
	return p.step(journal.StepCrash, p.emulator.plane.KillComponent(p.name))
}

// Restart implements Controllable.
func (p *planeProcess) Restart(ctx context.Context) error {
	if err := p.Stop(ctx); err != nil {
		return err
	}
	return p.Start(ctx)
}

// Forget implements Controllable.
func (p *planeProcess) Forget(context.Context) error {
	return fmt.Errorf("forget %s: %w: a control plane that loses its objects is another one", p.name, ErrNothingKept)
}

func (p *planeProcess) step(name string, err error) error {
	p.emulator.record(p.name, name, "", err)
	return err
}
