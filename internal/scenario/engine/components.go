package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func (r *run) crash(ctx context.Context, s *spec.Step) (any, error) {
	return nil, r.each(ctx, *s.Crash, func(c emulator.Controllable) error {
		if err := c.Crash(); err != nil {
			return err
		}
		return startAgain(ctx, c, s.Forget)
	})
}

func (r *run) restart(ctx context.Context, s *spec.Step) (any, error) {
	return nil, r.each(ctx, *s.Restart, func(c emulator.Controllable) error {
		if err := c.Stop(ctx); err != nil {
			return err
		}
		return startAgain(ctx, c, s.Forget)
	})
}

// startAgain starts a component, with or without its data. If the data cannot be
// deleted, the component starts nevertheless, so that it runs after the scenario.
func startAgain(ctx context.Context, c emulator.Controllable, forget bool) error {
	var failed error
	if forget {
		failed = c.Forget(ctx)
	}
	return errors.Join(failed, c.Start(ctx))
}

func (r *run) start(ctx context.Context, s *spec.Step) (any, error) {
	return nil, r.each(ctx, *s.Start, func(c emulator.Controllable) error { return c.Start(ctx) })
}

func (r *run) stop(ctx context.Context, s *spec.Step) (any, error) {
	return nil, r.each(ctx, *s.Stop, func(c emulator.Controllable) error { return c.Stop(ctx) })
}

func (r *run) each(ctx context.Context, names spec.Names, do func(emulator.Controllable) error) error {
	for _, text := range names {
		name, err := r.variables.Text(ctx, text)
		if err != nil {
			return err
		}
		component, err := r.component(name)
		if err != nil {
			return err
		}
		if err := do(component); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) component(name string) (emulator.Controllable, error) {
	if actor := r.engine.emulator.Component(r.componentNamed(name)); actor != nil {
		return actor, nil
	}
	var names []string
	for _, c := range r.engine.emulator.Info().Components {
		names = append(names, c.Name)
	}
	return nil, fmt.Errorf("unknown component %q: must be one of %s", name, strings.Join(names, ", "))
}

// startStopped starts components that a scenario has stopped, so that they can clean
// up. Unless the scenario runs alone, it starts only its own: another scenario may
// have stopped the others.
func (r *run) startStopped(ctx context.Context) error {
	alone := r.engine.RunsAlone(r.scenario)
	if plane := r.engine.emulator.ControlPlane(); plane != nil {
		for _, process := range plane.ProcessNames() {
			if err := r.engine.emulator.Component(process).Start(ctx); err != nil {
				return err
			}
		}
	}
	if err := r.removeReplicas(ctx); err != nil {
		return err
	}
	return StartStopped(ctx, r.engine.emulator, func(c *emulator.Component) bool { return alone || r.owns(c) })
}

// StartStopped starts the components of an emulator that do not run, if belongs accepts them.
func StartStopped(ctx context.Context, emu *emulator.Emulator, belongs func(*emulator.Component) bool) error {
	for _, component := range emu.Components() {
		if state, _ := component.State(); state == emulator.StateRunning || !belongs(component) {
			continue
		}
		// A component that a fault has crashed may be restarting.
		if err := component.Start(ctx); err != nil && !errors.Is(err, emulator.ErrWrongState) {
			return err
		}
	}
	return nil
}

func (r *run) owns(component *emulator.Component) bool {
	for _, driver := range r.drivers {
		if component == driver.Driver || component == driver.Sidecar {
			return true
		}
	}
	return false
}

// removeReplicas stops the second replicas that the scenario has started.
func (r *run) removeReplicas(ctx context.Context) error {
	var failed []error
	alone := r.engine.RunsAlone(r.scenario)
	for _, component := range r.engine.emulator.Components() {
		first, ok := strings.CutSuffix(component.Name(), emulator.ReplicaSuffix)
		if !ok || !alone && !strings.HasSuffix(first, r.scope) {
			continue
		}
		failed = append(failed, component.Remove(ctx))
	}
	return errors.Join(failed...)
}
