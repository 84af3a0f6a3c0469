package bucket

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
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// SetupWithManager adds the reconciler to a manager.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named("bucket").
		WithOptions(options).
		For(&v1alpha2.Bucket{}, builder.WithPredicates(bucketPredicate())).
		Watches(&v1alpha2.BucketClaim{}, handler.EnqueueRequestsFromMapFunc(mapClaim), builder.WithPredicates(claimPredicate())).
		Watches(&v1alpha2.BucketAccess{}, handler.EnqueueRequestsFromMapFunc(mapAccess), builder.WithPredicates(accessPredicate())).
		Complete(cosireconcile.Traced(r.TracerProvider, "Bucket", r))
}

// bucketPredicate selects events that may leave a Bucket without its claim, and the failures of its
// deletion.
func bucketPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.Bucket) bool {
		return was.UID != is.UID ||
			was.Generation != is.Generation ||
			v1alpha2.IsBucketClaimBeingDeleted(was) && !v1alpha2.IsBucketClaimBeingDeleted(is) ||
			!is.DeletionTimestamp.IsZero() && !equality.Semantic.DeepEqual(was.Status.Conditions, is.Status.Conditions)
	})
	p.DeleteFunc = cosireconcile.Never[event.DeleteEvent]
	return p
}

// claimPredicate selects the end of a claim, also when another one has its name.
func claimPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.BucketClaim) bool { return was.UID != is.UID })
	p.CreateFunc = cosireconcile.Never[event.CreateEvent]
	return p
}

// accessPredicate selects the end of a granted access.
func accessPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha2.BucketAccess) bool {
		return was.UID != is.UID || ownership.SidecarOwns(was) && !ownership.SidecarOwns(is)
	})
	p.CreateFunc = cosireconcile.Never[event.CreateEvent]
	return p
}

// mapClaim maps a claim to its Bucket, whose name follows from immutable fields.
func mapClaim(_ context.Context, object client.Object) []reconcile.Request {
	claim, ok := object.(*v1alpha2.BucketClaim)
	if !ok {
		return nil
	}
	return []reconcile.Request{request(NameOf(claim))}
}

func mapAccess(_ context.Context, object client.Object) []reconcile.Request {
	access, ok := object.(*v1alpha2.BucketAccess)
	if !ok {
		return nil
	}
	var requests []reconcile.Request
	for _, name := range bucketNames(access) {
		requests = append(requests, request(name))
	}
	return requests
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}
