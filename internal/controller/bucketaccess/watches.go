package bucketaccess

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// SetupWithManager adds the reconciler to a manager, with a watch on everything
// that an access may wait for.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	w := wake{cache: mgr.GetCache()}
	return builder.ControllerManagedBy(mgr).
		Named("bucketaccess").
		WithOptions(options).
		For(&v1alpha2.BucketAccess{}, builder.WithPredicates(accessChanged())).
		Watches(&v1alpha2.BucketAccessClass{}, handler.EnqueueRequestsFromMapFunc(w.byClass),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha2.BucketClaim{}, handler.EnqueueRequestsFromMapFunc(w.byClaim),
			builder.WithPredicates(claimChanged())).
		Watches(&v1alpha2.Bucket{}, handler.EnqueueRequestsFromMapFunc(w.byBucket),
			builder.WithPredicates(bucketChanged())).
		Complete(r.Runner())
}

// accessChanged lets through what asks something of the controller: a deletion,
// the end of the sidecar's cleaning up, what was removed by hand, and an edited
// status as long as it is the controller's. It holds back what the sidecar
// writes.
func accessChanged() predicate.Predicate {
	return predicate.TypedFuncs[client.Object]{
		CreateFunc: func(event.CreateEvent) bool { return true },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasAccess := e.ObjectOld.(*v1alpha2.BucketAccess)
			is, isAccess := e.ObjectNew.(*v1alpha2.BucketAccess)
			return !wasAccess || !isAccess ||
				was.Generation != is.Generation ||
				was.UID != is.UID ||
				!ownership.SidecarOwns(is) && !equality.Semantic.DeepEqual(was.Status, is.Status) ||
				ownership.SidecarOwns(was) && !ownership.SidecarOwns(is) ||
				ownership.SidecarOwns(was) && revalidated(was, is) ||
				controllerutil.ContainsFinalizer(was, v1alpha2.ProtectionFinalizer) &&
					!controllerutil.ContainsFinalizer(is, v1alpha2.ProtectionFinalizer)
		},
	}
}

// revalidated reports whether an access that somebody else has written says now
// that all is well with its claims, or says no more that one is missing.
func revalidated(was, is *v1alpha2.BucketAccess) bool {
	valid := func(access *v1alpha2.BucketAccess) bool {
		return meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	}
	return !valid(was) && valid(is) ||
		condition.ClaimMissing(was.Status.Conditions) && !condition.ClaimMissing(is.Status.Conditions)
}

// claimChanged lets through what accesses look at in a claim.
func claimChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasClaim := e.ObjectOld.(*v1alpha2.BucketClaim)
			is, isClaim := e.ObjectNew.(*v1alpha2.BucketClaim)
			return !wasClaim || !isClaim ||
				was.UID != is.UID ||
				was.Generation != is.Generation ||
				was.Status.BoundBucketName != is.Status.BoundBucketName ||
				!sameInvalidity(was, is) ||
				claimprotection.IsProtected(was) && !claimprotection.IsProtected(is)
		},
	}
}

// sameInvalidity reports whether what is wrong with a claim, if anything, is what
// it was.
func sameInvalidity(was, is *v1alpha2.BucketClaim) bool {
	before, after := invalidity(was), invalidity(is)
	if before == nil || after == nil {
		return before == after
	}
	return before.Reason == after.Reason && before.Message == after.Message
}

// bucketChanged lets through what accesses look at in a Bucket.
func bucketChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasBucket := e.ObjectOld.(*v1alpha2.Bucket)
			is, isBucket := e.ObjectNew.(*v1alpha2.Bucket)
			return !wasBucket || !isBucket ||
				was.UID != is.UID ||
				was.Generation != is.Generation ||
				was.Status.BucketID != is.Status.BucketID ||
				!slices.Equal(was.Status.Protocols, is.Status.Protocols)
		},
	}
}

// wake finds the accesses that an event concerns. It reads the cache as it is:
// an event handler must not wait for the cache to catch up.
type wake struct {
	cache client.Reader
}

// byClass wakes the accesses that wait for a class, or were refused by one of
// the same name.
func (w wake) byClass(ctx context.Context, class client.Object) []reconcile.Request {
	return w.listed(ctx, all, client.MatchingFields{index.AccessesWaitingForClass: class.GetName()})
}

// byClaim wakes the accesses that refer to a claim, handed off or not: the ones
// wait for it, the others keep it annotated.
func (w wake) byClaim(ctx context.Context, claim client.Object) []reconcile.Request {
	return w.listed(ctx, all, client.InNamespace(claim.GetNamespace()),
		client.MatchingFields{index.AccessesByClaim: claim.GetName()})
}

// byBucket wakes the accesses that wait for the Bucket of their claim.
func (w wake) byBucket(ctx context.Context, object client.Object) []reconcile.Request {
	bucket, ok := object.(*v1alpha2.Bucket)
	if !ok {
		return nil
	}
	ref := bucket.Spec.BucketClaimRef
	return w.listed(ctx, waiting, client.InNamespace(ref.Namespace), client.MatchingFields{index.AccessesByClaim: ref.Name})
}

func all(*v1alpha2.BucketAccess) bool { return true }

func waiting(access *v1alpha2.BucketAccess) bool { return !ownership.SidecarOwns(access) }

func (w wake) listed(
	ctx context.Context, concerned func(*v1alpha2.BucketAccess) bool, options ...client.ListOption,
) []reconcile.Request {
	accesses := &v1alpha2.BucketAccessList{}
	if err := w.cache.List(ctx, accesses, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		log.FromContext(ctx).Error(err, "list BucketAccesses")
		return nil
	}
	var requests []reconcile.Request
	for i := range accesses.Items {
		if concerned(&accesses.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&accesses.Items[i])})
		}
	}
	return requests
}
