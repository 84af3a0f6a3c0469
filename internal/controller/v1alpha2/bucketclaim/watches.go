package bucketclaim

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
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
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// SetupWithManager adds the reconciler to a manager, with a watch on everything that a claim may
// wait for.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	m := mapper{cache: mgr.GetCache(), namespaces: r.Namespaces}
	return builder.ControllerManagedBy(mgr).
		Named("bucketclaim").
		WithOptions(options).
		For(&v1alpha2.BucketClaim{}, builder.WithPredicates(claimPredicate())).
		Watches(&v1alpha2.BucketClass{}, handler.EnqueueRequestsFromMapFunc(m.mapClass),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha2.Bucket{}, handler.EnqueueRequestsFromMapFunc(m.mapBucket),
			builder.WithPredicates(cosireconcile.OnUpdate(bucketChanged))).
		Watches(&v1alpha2.BucketAccess{}, handler.EnqueueRequestsFromMapFunc(mapAccess),
			builder.WithPredicates(accessPredicate())).
		Complete(cosireconcile.Traced(r.TracerProvider, "BucketClaim", r.Runner()))
}

// claimPredicate selects the events of a claim that need a reconcile. An edited status is one. It
// cannot be distinguished from the controller's own write, after which a reconcile costs no
// request. The annotation is another: the reconciler of accesses may have set it between a read and
// a write of this one, which then fails with a conflict.
func claimPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.BucketClaim) bool {
		return was.Generation != is.Generation ||
			was.UID != is.UID ||
			claimprotection.IsProtected(was) != claimprotection.IsProtected(is) ||
			cosireconcile.LostFinalizer(was, is) ||
			!equality.Semantic.DeepEqual(was.Status, is.Status)
	})
	p.DeleteFunc = cosireconcile.Never[event.DeleteEvent]
	return p
}

// bucketChanged reports changes of a Bucket that its claim copies or waits for.
func bucketChanged(was, is *v1alpha2.Bucket) bool {
	return was.Generation != is.Generation ||
		was.UID != is.UID ||
		v1alpha2.IsBucketClaimBeingDeleted(was) != v1alpha2.IsBucketClaimBeingDeleted(is) ||
		!equality.Semantic.DeepEqual(was.Status, is.Status)
}

// accessPredicate selects the end of an access, and its rejection. An access that the sidecar has
// cleaned up is not selected: its own deletion releases the claims.
func accessPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.BucketAccess) bool {
		return !ownership.IsRejected(was) && ownership.IsRejected(is)
	})
	p.CreateFunc = cosireconcile.Never[event.CreateEvent]
	return p
}

// mapper finds the claims that an event concerns.
type mapper struct {
	cache      client.Reader
	namespaces watched.Namespaces
}

func (m mapper) mapClass(ctx context.Context, class client.Object) []reconcile.Request {
	return m.list(ctx, client.MatchingFields{index.ClaimsWaitingForClass: class.GetName()})
}

// mapBucket maps a Bucket to the claim that it belongs to, and to claims whose Bucket must have its
// name, which may be others.
func (m mapper) mapBucket(ctx context.Context, object client.Object) []reconcile.Request {
	bucket, ok := object.(*v1alpha2.Bucket)
	if !ok {
		return nil
	}
	ref := bucket.Spec.BucketClaimRef
	requests := m.list(ctx, client.MatchingFields{index.ClaimsByBucket: bucket.Name})
	if m.namespaces.Has(ref.Namespace) {
		requests = append(requests, request(ref.Namespace, ref.Name))
	}
	return requests
}

func mapAccess(_ context.Context, object client.Object) []reconcile.Request {
	access, ok := object.(*v1alpha2.BucketAccess)
	if !ok {
		return nil
	}
	var requests []reconcile.Request
	for _, name := range index.ClaimNames(access) {
		requests = append(requests, request(access.Namespace, name))
	}
	return requests
}

func (m mapper) list(ctx context.Context, fields client.MatchingFields) []reconcile.Request {
	return cosireconcile.ListRequests[*v1alpha2.BucketClaim](ctx, m.cache, &v1alpha2.BucketClaimList{}, nil, fields)
}

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}
