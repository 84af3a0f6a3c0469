package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/backend"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func (r *run) end(ctx context.Context) error {
	failed := append(r.cleanUp(ctx), r.observe(ctx, afterTheCleanUp))
	for _, failure := range r.oracleFailures() {
		failed = append(failed, &failure)
	}
	for _, untried := range r.engine.emulator.Keys().NotTried() {
		r.result.Notes = append(r.result.Notes, untried.Error())
	}
	return errors.Join(append(failed, r.storage.CleanUp(ctx), r.deleteNamespace(ctx), r.removeDrivers(ctx))...)
}

// cleanUp deletes the scenario's objects in reverse order, while the components run.
// It returns an error for each remaining object.
func (r *run) cleanUp(ctx context.Context) []error {
	failed := []error{r.storage.Empty(ctx)}
	var deleted []*unstructured.Unstructured
	for _, object := range r.created.Reversed() {
		err := r.engine.client.Delete(ctx, object)
		switch {
		case err == nil:
			deleted = append(deleted, object)
		case !apierrors.IsNotFound(err):
			failed = append(failed, err)
		}
	}
	for _, object := range deleted {
		failed = append(failed, r.awaitDeletion(ctx, object))
	}
	return append(failed, r.deleteBuckets(ctx, deleted))
}

// absent matches deleted objects.
var absent = spec.Pattern{Word: spec.Absent}

// awaitDeletion waits until an object is deleted. After the timeout it removes the
// finalizers and fails, because the backend may keep the object's data.
func (r *run) awaitDeletion(ctx context.Context, object *unstructured.Unstructured) error {
	wait := &objectWait{run: r, object: object, pattern: absent}
	if matched, err := wait.get(ctx); matched || err != nil {
		return err
	}
	limit := r.engine.timeouts.Scale(cleanUpTimeout / 3)
	mark := r.engine.journal.Mark()
	timed, cancel := r.engine.timeouts.WithProgress(ctx, limit, func() time.Time { return r.lastProgress(mark) })
	defer cancel()
	waitCtx, giveUp := context.WithCancelCause(timed)
	defer r.cancelWhenStalled(waitCtx, r.objectMayStay(object), giveUp)()
	_, err := wait.until(waitCtx)
	if err == nil {
		return nil
	}
	r.result.Forced = cmp.Or(r.result.Forced, r.engine.journal.Mark())
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	failure := &outcome.Failure{
		Position: r.scenario.Position, Subject: subjectOf(object), Got: render.Got(wait.last),
		Message: subjectOf(object) + " not deleted after the last step: " + err.Error(),
	}
	return errors.Join(r.explain(timed, failure, mark), client.IgnoreNotFound(r.engine.client.Patch(ctx, object, patch)))
}

// deleteBuckets deletes the Buckets that the scenario's claims left behind because of
// their deletion policy, and waits until all Buckets of the scenario are gone.
// CleanUp of the backend deletes the retained buckets in the store. The Bucket of a claim that was deleted before, by a
// step, is the oracles' business.
func (r *run) deleteBuckets(ctx context.Context, deleted []*unstructured.Unstructured) error {
	buckets := &unstructured.UnstructuredList{}
	buckets.SetGroupVersionKind(r.scenario.API().GroupVersion().WithKind("BucketList"))
	if err := r.engine.client.List(ctx, buckets); err != nil {
		return err
	}
	var failed []error
	for i := range buckets.Items {
		bucket := &buckets.Items[i]
		if !r.hasNamespace(claimNamespace(bucket)) {
			continue
		}
		policy, _, _ := unstructured.NestedString(bucket.Object, "spec", "deletionPolicy")
		if policy != string(v1alpha2.DeletionPolicyRetain) && bucket.GetDeletionTimestamp().IsZero() && hasClaim(deleted, bucket) {
			failed = append(failed, &outcome.Failure{
				Position: r.scenario.Position, Subject: "Bucket/" + bucket.GetName(),
				Message: fmt.Sprintf("Bucket/%s still exists, but its deletion policy is %s", bucket.GetName(), policy),
			})
		}
		named := &unstructured.Unstructured{}
		named.SetGroupVersionKind(bucket.GroupVersionKind())
		named.SetName(bucket.GetName())
		if err := client.IgnoreNotFound(r.engine.client.Delete(ctx, named)); err != nil {
			failed = append(failed, err)
			continue
		}
		failed = append(failed, r.awaitDeletion(ctx, named))
	}
	return errors.Join(failed...)
}

// hasClaim reports whether the claim of a Bucket is among the objects.
func hasClaim(objects []*unstructured.Unstructured, bucket *unstructured.Unstructured) bool {
	return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "BucketClaim" && o.GetNamespace() == claimNamespace(bucket) && o.GetName() == fieldOfClaim(bucket, "name")
	})
}

func claimNamespace(bucket *unstructured.Unstructured) string {
	return fieldOfClaim(bucket, "namespace")
}

// fieldOfClaim returns a field of the reference to a Bucket's claim, or "".
func fieldOfClaim(bucket *unstructured.Unstructured, name string) string {
	for _, field := range []string{"bucketClaimRef", "bucketClaim"} { // of v1alpha2, and of v1alpha1
		if value, found, _ := unstructured.NestedString(bucket.Object, "spec", field, name); found {
			return value
		}
	}
	return ""
}

// EmptyBuckets deletes the objects in all buckets of the store, as the store's
// administrator.
func (e *Engine) EmptyBuckets(ctx context.Context) error { return backend.EmptyAll(ctx, e.store()) }
