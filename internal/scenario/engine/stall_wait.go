package engine

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// errStalled means that no component acts on an object any more.
var errStalled = errors.New("condition not met, and all components are idle")

// objectMayStay returns a function that reports whether the state of an object may be final.
func (r *run) objectMayStay(object *unstructured.Unstructured) func(context.Context) (time.Duration, bool) {
	return func(ctx context.Context) (time.Duration, bool) {
		now := object.DeepCopy()
		if err := r.engine.client.Get(ctx, client.ObjectKeyFromObject(now), now); err != nil {
			return 0, false
		}
		return idle.MayStay(now)
	}
}

// cancelWhenStalled cancels a wait once no component acts any more, and the awaited state may be
// final. The returned function ends the detection and waits for its goroutine.
func (r *run) cancelWhenStalled(
	ctx context.Context, mayStay func(context.Context) (time.Duration, bool), cancel context.CancelCauseFunc,
) (stop func()) {
	stall := &idle.Stall{
		WaitQuiet: func(ctx context.Context, quiet time.Duration) bool {
			return r.idle.WaitQuiet(ctx, r.eventScope, quiet)
		},
		Idle:    func() bool { return r.idle.Idle(r.eventScope()) },
		Rested:  r.idle.Rested,
		MayStay: mayStay,
		Probe:   r.probeLatency,
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if stall.Wait(ctx) {
			cancel(errStalled)
		}
	}()
	return func() {
		cancel(nil)
		<-ended
	}
}

// probeLatency makes one round trip to the API server.
func (r *run) probeLatency(ctx context.Context) error {
	return idle.ProbeLatency(ctx, r.engine.client, r.namespace)
}

// lastProgress returns the last time after an event at which a component made progress for the
// scenario, or the zero time.
func (r *run) lastProgress(mark uint64) time.Time {
	return idle.LastProgress(r.engine.journal, r.ownScope(), mark)
}
