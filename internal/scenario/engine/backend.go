package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// backendDelay is the time between two comparisons with the backend.
const backendDelay = 20 * time.Millisecond

// backend changes the backend, and then compares its state with the expected one. While components
// act, it waits: the driver may still have to delete the bucket of a deleted claim.
func (r *run) backend(ctx context.Context, s *spec.Step) (any, error) {
	if err := r.changeBackend(ctx, s.Backend); err != nil {
		return nil, err
	}
	failure, err := r.backendFailure(ctx, s.Backend)
	if failure == nil || err != nil {
		return nil, err
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	isFinal := func(context.Context) (time.Duration, bool) { return idle.LongQuiet, true }
	defer r.cancelWhenStalled(waiting, isFinal, giveUp)()
	for waiting.Err() == nil {
		idle.Pause(waiting, backendDelay)
		if failure, err = r.backendFailure(ctx, s.Backend); failure == nil || err != nil {
			return nil, err
		}
	}
	return nil, failure
}

// backendFailure compares once. It distinguishes a difference from a state that cannot be compared.
func (r *run) backendFailure(ctx context.Context, b *spec.Backend) (*outcome.Failure, error) {
	err := r.compareBackends(ctx, b)
	if failure, ok := errors.AsType[*outcome.Failure](err); ok {
		return failure, nil
	}
	return nil, err
}

func (r *run) compareBackends(ctx context.Context, b *spec.Backend) error {
	if r.engine.ownDriver() {
		return r.compareCalls(ctx, b)
	}
	truth, err := r.backendState(ctx)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		kind     string
		expected spec.Named
		got      map[string]any
		only     bool
	}{
		{"bucket", b.Buckets, truth.buckets, b.Only},
		{"account", b.Accounts, truth.accounts, b.Only},
		{"policy of bucket", b.Policies, truth.policies, false},
	} {
		if err := r.compareBackend(ctx, part.kind, part.expected, part.got, part.only); err != nil {
			return err
		}
	}
	return r.compareObjects(ctx, b.Objects)
}

func (r *run) compareBackend(ctx context.Context, kind string, expected spec.Named, got map[string]any, only bool) error {
	var known []string
	for _, one := range expected {
		name, err := r.variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
		value, ok := got[name]
		if !ok {
			value = match.Missing
		}
		differences, err := match.Match(one.Pattern, value, r.variables.Now(ctx))
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return &outcome.Failure{
				Message: fmt.Sprintf("backend %s %q: condition not met", kind, name), Differences: differences,
				Expected: render.Expected(one.Pattern, r.variables.Now(ctx)), Got: render.YAML(got[name]),
			}
		}
	}
	for name := range got {
		if only && !slices.Contains(known, name) && r.isOwn(name) {
			return &outcome.Failure{Message: fmt.Sprintf("unexpected backend %s %q", kind, name), Got: render.YAML(got[name])}
		}
	}
	return nil
}

// isOwn reports whether a bucket or account belongs to this scenario.
func (r *run) isOwn(name string) bool {
	scope := r.ownScope()
	scope.Namespaces = nil
	return scope.Names(name)
}
