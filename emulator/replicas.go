package emulator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// ReplicaSuffix follows the name of a component in the name of its second replica.
const ReplicaSuffix = vocabulary.ReplicaSuffix

// addReplica starts a second replica of a controller or a sidecar, as in a rollout or a network
// partition without leader election. It is named after the first, with ReplicaSuffix, and is a
// component like any other, until it is removed.
func (e *Emulator) addReplica(ctx context.Context, name string) (*Component, error) {
	first := e.component(name)
	switch {
	case first == nil:
		return nil, fmt.Errorf("%w: unknown component %q", ErrOptions, name)
	case !canReplicate(name):
		return nil, fmt.Errorf("%w: there can be two controllers or sidecars, but the place of %s is taken", ErrOptions, name)
	case e.opts.leaderElectionEnabled():
		return nil, fmt.Errorf("%w: a second %s would only stand by, because the first holds its Lease", ErrOptions, name)
	case e.component(name+ReplicaSuffix) != nil:
		return nil, fmt.Errorf("%w: there are two of component %q already", ErrOptions, name)
	}
	if err := e.startComponent(ctx, name+ReplicaSuffix, first.create); err != nil {
		return nil, errors.Join(err, e.remove(context.WithoutCancel(ctx), e.component(name+ReplicaSuffix)))
	}
	return e.component(name + ReplicaSuffix), nil
}

// canReplicate reports whether a component has no listener.
func canReplicate(name string) bool {
	kind, _, _ := strings.Cut(name, ".")
	return (kind == ComponentController || kind == ComponentSidecar) && !strings.HasSuffix(name, ReplicaSuffix)
}

// unstartedReplica is a second replica, as a Controllable, before its start.
type unstartedReplica struct {
	emulator *Emulator
	of       string
}

func (s *unstartedReplica) Start(ctx context.Context) error {
	_, err := s.emulator.addReplica(ctx, s.of)
	return err
}

func (s *unstartedReplica) Stop(context.Context) error { return nil }

func (s *unstartedReplica) Crash() error {
	return fmt.Errorf("crash %s%s: %w: it is not running", s.of, ReplicaSuffix, ErrWrongState)
}

func (s *unstartedReplica) Forget(context.Context) error {
	return fmt.Errorf("forget %s%s: %w", s.of, ReplicaSuffix, ErrNothingKept)
}

func (s *unstartedReplica) Restart(ctx context.Context) error { return s.Start(ctx) }
