package suite

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// target is an emulator that is measured from outside, as its users see it.
type target struct {
	client  client.WithWatch
	journal *reader
}

func newTarget(c client.WithWatch, journal string) *target {
	return &target{client: c, journal: &reader{path: journal}}
}

// await reads a watch until the condition holds of an object, or ctx is done.
func await[T client.Object](ctx context.Context, watcher watch.Interface, holds func(T) bool) error {
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open || event.Type == watch.Error {
				return fmt.Errorf("the API server has ended a watch: %v", event.Object)
			}
			if object, ok := event.Object.(T); ok && holds(object) {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
