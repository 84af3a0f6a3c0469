package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// always watches objects for a time, or while steps run. It fails as soon as one
// object does not match.
func (r *run) always(ctx context.Context, s *spec.Step) (any, error) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	failed := make([]error, len(s.Always.Objects)+1) // the last error comes from the steps
	var all sync.WaitGroup
	for i := range s.Always.Objects {
		all.Go(func() {
			if failed[i] = r.hold(watching, &s.Always.Objects[i]); failed[i] != nil {
				stop()
			}
		})
	}
	if s.Always.For != 0 {
		idle.Pause(watching, time.Duration(s.Always.For))
	} else {
		failed[len(failed)-1] = r.steps(watching, s.Always.While)
	}
	stop()
	all.Wait()
	return nil, firstCause(failed)
}

// hold returns when the context ends, or with a failure when the object does not
// match.
func (r *run) hold(ctx context.Context, expectation *spec.Expectation) error {
	object, err := r.referred(ctx, expectation.Object)
	if err != nil {
		return err
	}
	w := &objectWait{run: r, object: object, pattern: r.demanded(expectation), forDifference: true}
	_, err = w.until(ctx)
	if failure, ok := errors.AsType[*outcome.Failure](err); ok && ctx.Err() != nil && !failure.Broken {
		return nil // it has matched until the end
	}
	if err != nil {
		return err
	}
	return &outcome.Failure{
		Message: subjectOf(object) + ": condition no longer met", Subject: subjectOf(object), Differences: w.differences,
		Expected: render.Expected(expectation.Pattern, r.variables.Now(ctx)), Got: render.Got(w.last),
	}
}
