package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

// belongings are the objects that a scenario has made, in their order.
type belongings struct {
	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

func (b *belongings) add(object *unstructured.Unstructured) {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.addNamed(named)
}

// addObject adds a typed object, whose kind must be set.
func (b *belongings) addObject(object client.Object) {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.addNamed(named)
}

func (b *belongings) addNamed(named *unstructured.Unstructured) {
	b.mu.Lock()
	defer b.mu.Unlock()
	same := func(other *unstructured.Unstructured) bool { return subjectOf(other) == subjectOf(named) }
	if !slices.ContainsFunc(b.objects, same) {
		b.objects = append(b.objects, named)
	}
}

// backwards returns the objects, the last first.
func (b *belongings) backwards() []*unstructured.Unstructured {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.objects)
	slices.Reverse(all)
	return all
}

// cleanUp deletes what the scenario has made, with the help of the components, and
// finds what is left.
func (r *run) cleanUp(ctx context.Context) error {
	if err := r.wakeAll(ctx); err != nil {
		return err
	}
	var left []error
	for _, object := range r.belongings.backwards() {
		if err := client.IgnoreNotFound(r.engine.client.Delete(ctx, object)); err != nil {
			left = append(left, err)
		}
	}
	for _, object := range r.belongings.backwards() {
		left = append(left, r.gone(ctx, object))
	}
	left = append(left, r.dropRetained(ctx), r.dropNamespace(ctx), r.dropDrivers(ctx))
	return errors.Join(left...)
}

// absent is the pattern of what has been deleted.
var absent = document.Pattern{Word: document.Absent}

// gone waits until an object is gone; if it does not go, its finalizers are taken
// off, and that is a failure: something would have leaked.
func (r *run) gone(ctx context.Context, object *unstructured.Unstructured) error {
	wait := &waiting{run: r, object: object, pattern: absent}
	waitCtx, cancel := context.WithTimeoutCause(ctx, cleanUpTimeout/3, &timeoutError{cleanUpTimeout / 3})
	defer cancel()
	_, err := wait.until(waitCtx)
	if err == nil {
		return nil
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	return errors.Join(&Failure{
		Position: r.scenario.Position, Subject: subjectOf(object), Got: gotYAML(wait.last),
		Message: subjectOf(object) + " could not be deleted after the last step: " + err.Error(),
	}, client.IgnoreNotFound(r.engine.client.Patch(ctx, object, patch)))
}

// dropRetained deletes the Buckets that the scenario's claims have left behind by
// their deletion policy, and what they stand for.
func (r *run) dropRetained(ctx context.Context) error {
	var buckets cosiapi.BucketList
	if err := r.engine.client.List(ctx, &buckets); err != nil {
		return err
	}
	var failed []error
	for i := range buckets.Items {
		bucket := &buckets.Items[i]
		if bucket.Spec.BucketClaimRef.Namespace != r.namespace {
			continue
		}
		if bucket.Spec.DeletionPolicy != cosiapi.DeletionPolicyRetain {
			failed = append(failed, &Failure{
				Position: r.scenario.Position, Subject: "Bucket/" + bucket.Name,
				Message: fmt.Sprintf("the Bucket %s is left, although its policy is %s", bucket.Name, bucket.Spec.DeletionPolicy),
			})
		}
		failed = append(failed, client.IgnoreNotFound(r.engine.client.Delete(ctx, bucket)))
	}
	return errors.Join(failed...)
}

func (r *run) makeNamespace(ctx context.Context) error {
	if r.engine.options.Namespace != "" {
		return nil
	}
	return r.engine.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}})
}

// dropNamespace does not wait: the namespace controller takes its time.
func (r *run) dropNamespace(ctx context.Context) error {
	if r.engine.options.Namespace != "" {
		return nil
	}
	return client.IgnoreNotFound(r.engine.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}))
}
