package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/variables"
)

// parallel runs lists of steps at the same time. If one fails, the others are
// cancelled.
func (r *run) parallel(ctx context.Context, s *spec.Step) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.branches.Add(1)
	defer r.branches.Add(-1)
	failed := make([]error, len(s.Parallel))
	var all sync.WaitGroup
	for i, branch := range s.Parallel {
		all.Go(func() {
			if failed[i] = r.steps(ctx, branch); failed[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return nil, firstCause(failed)
}

// firstCause returns the first error that no cancellation has caused, if there is one.
func firstCause(failed []error) error {
	var cut error
	for _, err := range failed {
		failure, ok := errors.AsType[*outcome.Failure](err)
		if ok && !failure.Broken {
			return err
		}
		if err != nil && cut == nil {
			cut = err
		}
	}
	return cut
}

func (r *run) repeat(ctx context.Context, s *spec.Step) (any, error) {
	for i := range s.Repeat.Times {
		if err := r.steps(variables.WithLocal(ctx, "index", int64(i)), s.Repeat.Steps); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (r *run) forEach(ctx context.Context, s *spec.Step) (any, error) {
	for i := range s.ForEach.In {
		row, err := r.variables.Evaluate(ctx, &s.ForEach.In[i])
		if err != nil {
			return nil, err
		}
		inner := variables.WithLocal(variables.WithLocal(ctx, "index", int64(i)), s.ForEach.RowName(), row)
		if err := r.steps(inner, s.ForEach.Steps); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (r *run) use(ctx context.Context, s *spec.Step) (any, error) {
	return nil, r.steps(ctx, s.Included)
}

func (r *run) mark(_ context.Context, s *spec.Step) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marks[s.Mark] = r.engine.journal.Mark()
	r.engine.emulator.Faults().Mark(r.scoped(s.Mark))
	return nil, nil
}
