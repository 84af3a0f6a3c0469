package emulator

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Second is behind the name of a component in the name of its second instance.
const Second = ".2"

// AddSecond starts a second instance of a controller or a sidecar beside the first,
// as happens where no Lease keeps them apart: a rollout, a partition. It has the
// name of the first and Second, and is a component like any other until
// RemoveSecond.
func (e *Emulator) AddSecond(ctx context.Context, name string) (*Component, error) {
	first := e.Component(name)
	switch {
	case first == nil:
		return nil, fmt.Errorf("%w: there is no component %q", ErrOptions, name)
	case !instantiable(name):
		return nil, fmt.Errorf("%w: there can be two controllers or sidecars, but the place of %s is taken", ErrOptions, name)
	case e.Elects():
		return nil, fmt.Errorf("%w: a second %s would only stand by, because the first holds its Lease", ErrOptions, name)
	case e.Component(name+Second) != nil:
		return nil, fmt.Errorf("%w: there are two of component %q already", ErrOptions, name)
	}
	if err := e.startComponent(ctx, name+Second, first.create); err != nil {
		return nil, errors.Join(err, e.RemoveSecond(context.WithoutCancel(ctx), name))
	}
	return e.Component(name + Second), nil
}

// RemoveSecond stops the second instance of a component, if there is one.
func (e *Emulator) RemoveSecond(ctx context.Context, name string) error {
	return e.remove(ctx, e.Component(name+Second))
}

// instantiable reports whether a component listens nowhere.
func instantiable(name string) bool {
	kind, _, _ := strings.Cut(name, ".")
	return (kind == ComponentController || kind == ComponentSidecar) && !strings.HasSuffix(name, Second)
}

// second is the second instance of a component as an Actor, before it is started.
type second struct {
	emulator *Emulator
	of       string
}

// Start implements Actor.
func (s *second) Start(ctx context.Context) error {
	_, err := s.emulator.AddSecond(ctx, s.of)
	return err
}

// Stop implements Actor.
func (s *second) Stop(context.Context) error { return nil }

// Crash implements Actor.
func (s *second) Crash() error {
	return fmt.Errorf("crash %s%s: %w: it is not running", s.of, Second, ErrWrongState)
}

// Forget implements Actor.
func (s *second) Forget(context.Context) error {
	return fmt.Errorf("forget %s%s: %w", s.of, Second, ErrNothingKept)
}

// Restart implements Actor.
func (s *second) Restart(ctx context.Context) error { return s.Start(ctx) }
