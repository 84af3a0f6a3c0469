package engine

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/hub/cause"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// causes returns the causes for which an object of COSI, or an access Secret, is not ready. It returns none for
// objects that are being deleted, and for other kinds.
func (r *run) causes(ctx context.Context, object *unstructured.Unstructured) cause.List {
	gvk, key := object.GroupVersionKind(), client.ObjectKeyFromObject(object)
	if gvk.Group != v1alpha2.GroupName && gvk.Kind != "Secret" {
		return nil
	}
	all, err := hub.Read(ctx, r.engine.client, r.scenario.API(), hub.Options{Namespace: key.Namespace})
	if err != nil {
		return nil // the wait reports the errors of the API
	}
	switch gvk.Kind {
	case "BucketClaim":
		return causesNamed(all.Claims, key, func(c *v1alpha2.BucketClaim) cause.List { return cause.OfClaim(&all, c) })
	case "BucketAccess":
		return causesNamed(all.Accesses, key, func(a *v1alpha2.BucketAccess) cause.List { return cause.OfAccess(&all, a) })
	case "Bucket":
		return causesNamed(all.Buckets, key, func(b *v1alpha2.Bucket) cause.List { return cause.OfBucket(&all, b) })
	case "Secret":
		return cause.OfSecret(&all, key)
	}
	return nil
}

// causesNamed returns the causes of the object with a name.
func causesNamed[T any, O interface {
	*T
	client.Object
}](all []T, key client.ObjectKey, causes func(O) cause.List) cause.List {
	for i := range all {
		if object := O(&all[i]); client.ObjectKeyFromObject(object) == key && object.GetDeletionTimestamp() == nil {
			return causes(object)
		}
	}
	return nil
}

// mayWaitInVain returns a function that reports whether waiting for an object helps no more: COSI has rejected it, or
// it names an object that does not exist. Other steps that run at the same time may still correct it.
func (r *run) mayWaitInVain(object *unstructured.Unstructured) func(context.Context) (time.Duration, bool) {
	return func(ctx context.Context) (time.Duration, bool) {
		if r.branches.Load() > 0 {
			return 0, false
		}
		switch r.causes(ctx, object).Kind() {
		case cause.Final:
			return idle.LongQuiet, true
		case cause.Missing:
			return idle.ProtectedQuiet, true
		default:
			return 0, false
		}
	}
}

// untilInVain is until, but gives up once waiting helps no more.
func (w *objectWait) untilInVain(ctx context.Context) (any, error) {
	if w.pattern.Word == spec.Absent {
		return w.until(ctx)
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	defer w.run.cancelWhenStalled(waiting, w.run.mayWaitInVain(w.object), giveUp)()
	value, err := w.until(waiting)
	return value, w.withCauses(ctx, err)
}

// withCauses adds to a failure why the object is not ready.
func (w *objectWait) withCauses(ctx context.Context, err error) error {
	failure, ok := errors.AsType[*outcome.Failure](err)
	if !ok {
		return err
	}
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAttemptTimeout)
	defer cancel()
	causes := w.run.causes(looking, w.object)
	if causes.Kind() != cause.Waiting {
		failure.Message += ": " + causes.String()
		failure.Terminal = true
		return err
	}
	for _, c := range causes {
		failure.Notes = append(failure.Notes, c.String())
	}
	return err
}
