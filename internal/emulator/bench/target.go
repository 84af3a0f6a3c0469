package bench

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
)

// target is an emulator that is measured from outside, as its users see it.
type target struct {
	client  client.WithWatch
	journal *reader
}

func newTarget(c client.WithWatch, journal string) *target {
	return &target{client: c, journal: &reader{path: journal}}
}

// namespace makes a namespace for objects, which goes with the emulator, and
// returns its name.
func (t *target) namespace(ctx context.Context) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}}
	if err := t.client.Create(ctx, namespace); err != nil {
		return "", fmt.Errorf("create a namespace: %w", err)
	}
	return namespace.Name, nil
}

func newClaim(namespace, name, class string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
}

func newAccess(namespace, name, claim string) *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard,
			Protocol:              v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName:  claim,
				AccessSecretName: name,
				AccessModes:      v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
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
