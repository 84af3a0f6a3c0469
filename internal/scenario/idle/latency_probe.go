package idle

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errWatchEnded means that a watch ended before it delivered the event.
var errWatchEnded = errors.New("the watch has ended")

// ProbeLatency creates an object that no component uses, and waits until a watch delivers it. A
// component needs at least this time to react. The object is deleted again.
func ProbeLatency(ctx context.Context, c client.WithWatch, namespace string) error {
	watcher, err := c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "round-trip-"}}
	if err := c.Create(ctx, probe); err != nil {
		return err
	}
	return errors.Join(awaitObject(ctx, watcher, probe.UID), client.IgnoreNotFound(c.Delete(ctx, probe)))
}

// awaitObject waits until a watch delivers an object.
func awaitObject(ctx context.Context, watcher watch.Interface, uid types.UID) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-watcher.ResultChan():
			if !open {
				return errWatchEnded
			}
			if config, ok := event.Object.(*corev1.ConfigMap); ok && config.UID == uid {
				return nil
			}
		}
	}
}
