package engine

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errUnheard means that a watch has ended before its event came.
var errUnheard = errors.New("the watch has ended")

// roundTrip writes an object that nobody cares for, and waits until a watch tells of
// it: the least that a component needs to act on something. The object is deleted
// again.
func (r *run) roundTrip(ctx context.Context) error {
	watcher, err := r.engine.client.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(r.namespace))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, GenerateName: "round-trip-"}}
	if err := r.engine.client.Create(ctx, probe); err != nil {
		return err
	}
	return errors.Join(heard(ctx, watcher, probe.UID), client.IgnoreNotFound(r.engine.client.Delete(ctx, probe)))
}

// heard waits until a watch tells of an object.
func heard(ctx context.Context, watcher watch.Interface, uid types.UID) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-watcher.ResultChan():
			if !open {
				return errUnheard
			}
			if config, ok := event.Object.(*corev1.ConfigMap); ok && config.UID == uid {
				return nil
			}
		}
	}
}
