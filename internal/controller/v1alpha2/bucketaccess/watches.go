package bucketaccess

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// SetupWithManager adds the reconciler to a manager, with a watch on everything that an access may
// wait for.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	m := mapper{cache: mgr.GetCache(), namespaces: r.Namespaces}
	return builder.ControllerManagedBy(mgr).
		Named("bucketaccess").
		WithOptions(options).
		For(&v1alpha2.BucketAccess{}, builder.WithPredicates(accessPredicate())).
		Watches(&v1alpha2.BucketAccessClass{}, handler.EnqueueRequestsFromMapFunc(m.mapClass),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha2.BucketClaim{}, handler.EnqueueRequestsFromMapFunc(m.mapClaim),
			builder.WithPredicates(cosireconcile.OnUpdate(claimChanged))).
		Watches(&v1alpha2.Bucket{}, handler.EnqueueRequestsFromMapFunc(m.mapBucket),
			builder.WithPredicates(cosireconcile.OnUpdate(bucketChanged))).
		Complete(cosireconcile.Traced(r.TracerProvider, "BucketAccess", r.Runner()))
}

// accessPredicate selects the events of an access that require the controller: a deletion, the end
// of the sidecar's cleanup, a finalizer or annotation removed by hand, and an edited status while
// it belongs to the controller. It ignores the sidecar's writes.
func accessPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.BucketAccess) bool {
		return was.Generation != is.Generation ||
			was.UID != is.UID ||
			!ownership.SidecarOwns(is) && !equality.Semantic.DeepEqual(was.Status, is.Status) ||
			ownership.SidecarOwns(was) && !ownership.SidecarOwns(is) ||
			ownership.SidecarOwns(was) && revalidated(was, is) ||
			cosireconcile.LostFinalizer(was, is)
	})
	p.DeleteFunc = cosireconcile.Never[event.DeleteEvent]
	return p
}

// revalidated reports whether another writer has declared the claims of an access valid, or has
// withdrawn that one is missing.
func revalidated(was, is *v1alpha2.BucketAccess) bool {
	isValid := func(access *v1alpha2.BucketAccess) bool {
		return meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	}
	return !isValid(was) && isValid(is) ||
		condition.ClaimMissing(was.Status.Conditions) && !condition.ClaimMissing(is.Status.Conditions)
}

func claimChanged(was, is *v1alpha2.BucketClaim) bool {
	return was.UID != is.UID ||
		was.Generation != is.Generation ||
		was.Status.BoundBucketName != is.Status.BoundBucketName ||
		!sameInvalidity(was, is) ||
		claimprotection.IsProtected(was) && !claimprotection.IsProtected(is)
}

// sameInvalidity reports whether a claim is invalid for the same reason as before,
// or still valid.
func sameInvalidity(was, is *v1alpha2.BucketClaim) bool {
	before, after := invalidity(was), invalidity(is)
	if before == nil || after == nil {
		return before == after
	}
	return before.Reason == after.Reason && before.Message == after.Message
}

func bucketChanged(was, is *v1alpha2.Bucket) bool {
	return was.UID != is.UID ||
		was.Generation != is.Generation ||
		was.Status.BucketID != is.Status.BucketID ||
		!slices.Equal(was.Status.Protocols, is.Status.Protocols)
}

// mapper finds the accesses that an event concerns.
type mapper struct {
	cache      client.Reader
	namespaces watched.Namespaces
}

// mapClass maps a class to the accesses that wait for it, or that an earlier one of its name has
// rejected.
func (m mapper) mapClass(ctx context.Context, class client.Object) []reconcile.Request {
	return m.list(ctx, client.MatchingFields{index.AccessesWaitingForClass: class.GetName()})
}

// mapClaim maps a claim to the accesses that refer to it, handed off or not: some wait for it, the
// others keep it annotated.
func (m mapper) mapClaim(ctx context.Context, claim client.Object) []reconcile.Request {
	return m.list(ctx, client.InNamespace(claim.GetNamespace()), client.MatchingFields{index.AccessesByClaim: claim.GetName()})
}

// mapBucket maps a Bucket to the accesses to its claim, handed off or not: some wait for it, and it tells with which claim the
// others were handed off.
func (m mapper) mapBucket(ctx context.Context, object client.Object) []reconcile.Request {
	bucket, ok := object.(*v1alpha2.Bucket)
	if !ok || !m.namespaces.Has(bucket.Spec.BucketClaimRef.Namespace) {
		return nil
	}
	ref := bucket.Spec.BucketClaimRef
	return m.list(ctx, client.InNamespace(ref.Namespace), client.MatchingFields{index.AccessesByClaim: ref.Name})
}

func (m mapper) list(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return cosireconcile.ListRequests[*v1alpha2.BucketAccess](ctx, m.cache, &v1alpha2.BucketAccessList{}, nil, options...)
}
