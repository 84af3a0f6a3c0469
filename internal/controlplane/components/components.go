// Package components finds the components of a control plane by name, and stops and starts them.
package components

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// Component is a part of a control plane that can be stopped and started. Its methods may be called
// concurrently.
type Component interface {
	// Process describes its operating system process.
	Process() controlplane.Process
	// Start starts it unless it runs, and returns when it is ready, or a *controlplane.StartError
	// when ctx ends or after timeout.
	Start(ctx context.Context, timeout time.Duration) error
	// Stop stops it if it runs, and waits for it. It is killed when ctx ends or after grace.
	Stop(ctx context.Context, grace time.Duration) error
	// Kill ends it at once if it runs.
	Kill() error
}

// Set is the components of one control plane. It has the methods of controlplane.Components, except
// Failed.
type Set[C Component] struct {
	// InOrder is the order of their starts.
	InOrder []C
	// StartTimeout and StopGrace are the limits of controlplane.Options.
	StartTimeout, StopGrace time.Duration
}

// Processes returns the components in the order of their starts.
func (s *Set[C]) Processes() []controlplane.Process {
	processes := make([]controlplane.Process, 0, len(s.InOrder))
	for _, component := range s.InOrder {
		processes = append(processes, component.Process())
	}
	return processes
}

// ProcessNames returns the names of the components in the same order.
func (s *Set[C]) ProcessNames() []string {
	names := make([]string, 0, len(s.InOrder))
	for _, process := range s.Processes() {
		names = append(names, process.Name)
	}
	return names
}

// Has reports whether there is a component of that name.
func (s *Set[C]) Has(name string) bool {
	_, err := s.Component(name)
	return err == nil
}

// PID returns the process ID of a component, or 0 if it does not run.
func (s *Set[C]) PID(name string) int { return s.process(name).PID }

// LogFile returns the file with the output of a component.
func (s *Set[C]) LogFile(name string) string { return s.process(name).LogFile }

// StartComponent starts a component that StopComponent stopped, or KillComponent killed, or that
// ended by itself, with the same address, identity and data as before. It is no error if the
// component runs.
func (s *Set[C]) StartComponent(ctx context.Context, name string) error {
	component, err := s.Component(name)
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	return component.Start(ctx, s.StartTimeout)
}

// StopComponent stops one component, as if its machine were down: components that depend on it
// continue, and may fail. It is no error if the component does not run.
func (s *Set[C]) StopComponent(ctx context.Context, name string) error {
	component, err := s.Component(name)
	if err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return component.Stop(ctx, s.StopGrace)
}

// KillComponent kills one component, as kill -9 does, and returns when it is dead. It is no
// error if the component does not run.
func (s *Set[C]) KillComponent(name string) error {
	component, err := s.Component(name)
	if err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return component.Kill()
}

func (s *Set[C]) process(name string) controlplane.Process {
	processes := s.Processes()
	i := slices.IndexFunc(processes, func(p controlplane.Process) bool { return p.Name == name })
	if i < 0 {
		return controlplane.Process{}
	}
	return processes[i]
}

// Component returns a component by its name, or controlplane.ErrNoComponent.
func (s *Set[C]) Component(name string) (C, error) {
	i := slices.IndexFunc(s.InOrder, func(component C) bool { return component.Process().Name == name })
	if i < 0 {
		var none C
		return none, controlplane.ErrNoComponent
	}
	return s.InOrder[i], nil
}
