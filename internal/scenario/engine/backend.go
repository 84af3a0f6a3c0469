package engine

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/internal/scenario/backend"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/storeadmin"
)

// backendDelay is the time between two comparisons with the backend.
const backendDelay = 20 * time.Millisecond

// backend changes the backend, and then compares its state with the expected one. While components
// act, it waits: the driver may still have to delete the bucket of a deleted claim.
func (r *run) backend(ctx context.Context, s *spec.Step) (any, error) {
	if err := r.storage.Change(ctx, s.Backend); err != nil {
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
		latest, err := r.backendFailure(ctx, s.Backend)
		switch {
		case ctx.Err() != nil && err != nil: // the time is over before the answer is there
		case latest == nil || err != nil:
			return nil, err
		default:
			failure = latest
		}
	}
	return nil, failure
}

// backendFailure compares once. It distinguishes a difference from a state that cannot be compared.
func (r *run) backendFailure(ctx context.Context, b *spec.Backend) (*outcome.Failure, error) {
	err := r.storage.Compare(ctx, b)
	if failure, ok := errors.AsType[*outcome.Failure](err); ok {
		return failure, nil
	}
	return nil, err
}

// isOwn reports whether a bucket or account belongs to this scenario.
func (r *run) isOwn(name string) bool {
	scope := r.ownScope()
	scope.Namespaces = nil
	return scope.Names(name)
}

// observeBackend records the changes of the backend from now on.
func (r *run) observeBackend() {
	r.external = &backend.External{Watcher: r.watcher}
	r.driverCalls = &backend.Calls{Journal: r.engine.journal, After: r.result.From - 1}
	r.storage = r.newStorage()
}

// newStorage returns the backend of the scenario.
func (r *run) newStorage() backend.Backend {
	scenario := backend.Scenario{Variables: r.variables, Puts: r.puts, External: r.external, IsOwn: r.isOwn}
	if r.engine.ownDriver() {
		dial := func(ctx context.Context) (*grpc.ClientConn, error) { return r.dial(ctx, spec.Text{}) }
		return &backend.Driver{Scenario: scenario, Calls: r.driverCalls, Dial: dial}
	}
	return &backend.Store{Scenario: scenario, Store: r.engine.store()}
}

// store returns the store with the rights of its administrator.
func (e *Engine) store() storeadmin.Store {
	return storeadmin.Store{Store: e.emulator.Store(), Info: e.emulator.Info}
}
