package bucketclaim

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
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
)

// SetupWithManager adds the reconciler to a manager, with a watch on everything
// that a claim may wait for.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	w := wake{cache: mgr.GetCache()}
	return builder.ControllerManagedBy(mgr).
		Named("bucketclaim").
		WithOptions(options).
		For(&v1alpha2.BucketClaim{}, builder.WithPredicates(claimChanged())).
		Watches(&v1alpha2.BucketClass{}, handler.EnqueueRequestsFromMapFunc(w.byClass),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha2.Bucket{}, handler.EnqueueRequestsFromMapFunc(w.byBucket),
			builder.WithPredicates(bucketChanged())).
		Watches(&v1alpha2.BucketAccess{}, handler.EnqueueRequestsFromMapFunc(byAccess),
			builder.WithPredicates(accessLetGo())).
		Complete(r.Runner())
}

// claimChanged lets through what asks something of the controller. A status that
// somebody has edited does, and cannot be told from one that the controller has
// written; another look at its own costs no request. So does the annotation: the
// reconciler of accesses may have set it between a read and a write of this one,
// which then fails with a conflict. The finalizer is looked at only if it was
// removed.
func claimChanged() predicate.Predicate {
	return predicate.TypedFuncs[client.Object]{
		CreateFunc: func(event.CreateEvent) bool { return true },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasClaim := e.ObjectOld.(*v1alpha2.BucketClaim)
			is, isClaim := e.ObjectNew.(*v1alpha2.BucketClaim)
			return !wasClaim || !isClaim ||
				was.Generation != is.Generation ||
				was.UID != is.UID ||
				claimprotection.IsProtected(was) != claimprotection.IsProtected(is) ||
				lostFinalizer(was, is) ||
				!equality.Semantic.DeepEqual(was.Status, is.Status)
		},
	}
}

func lostFinalizer(was, is client.Object) bool {
	return controllerutil.ContainsFinalizer(was, v1alpha2.ProtectionFinalizer) &&
		!controllerutil.ContainsFinalizer(is, v1alpha2.ProtectionFinalizer)
}

// bucketChanged lets through what a claim mirrors or waits for.
func bucketChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasBucket := e.ObjectOld.(*v1alpha2.Bucket)
			is, isBucket := e.ObjectNew.(*v1alpha2.Bucket)
			return !wasBucket || !isBucket ||
				was.Generation != is.Generation ||
				was.UID != is.UID ||
				!equality.Semantic.DeepEqual(was.Status, is.Status)
		},
	}
}

// accessLetGo lets through the end of an access, and the moment when one is
// refused for good. One that the sidecar has cleaned up still has to go through
// its own finalization, which releases the claims.
func accessLetGo() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasAccess := e.ObjectOld.(*v1alpha2.BucketAccess)
			is, isAccess := e.ObjectNew.(*v1alpha2.BucketAccess)
			return wasAccess && isAccess && !ownership.IsRejected(was) && ownership.IsRejected(is)
		},
	}
}

// wake finds the claims that an event concerns. It reads the cache as it is: an
// event handler must not wait for the cache to catch up.
type wake struct {
	cache client.Reader
}

// byClass wakes the claims that wait for a class.
func (w wake) byClass(ctx context.Context, class client.Object) []reconcile.Request {
	return w.listed(ctx, client.MatchingFields{index.ClaimsWaitingForClass: class.GetName()})
}

// byBucket wakes the claim that the Bucket belongs to, and those that name it as
// their existing Bucket, which need not be the same.
func (w wake) byBucket(ctx context.Context, object client.Object) []reconcile.Request {
	bucket, ok := object.(*v1alpha2.Bucket)
	if !ok {
		return nil
	}
	ref := bucket.Spec.BucketClaimRef
	requests := w.listed(ctx, client.MatchingFields{index.ClaimsByExistingBucket: bucket.Name})
	return append(requests, request(ref.Namespace, ref.Name))
}

// byAccess wakes the claims that an access refers to.
func byAccess(_ context.Context, object client.Object) []reconcile.Request {
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

func (w wake) listed(ctx context.Context, fields client.MatchingFields) []reconcile.Request {
	claims := &v1alpha2.BucketClaimList{}
	if err := w.cache.List(ctx, claims, fields, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list BucketClaims", "fields", fields)
		return nil
	}
	requests := make([]reconcile.Request, 0, len(claims.Items))
	for i := range claims.Items {
		requests = append(requests, request(claims.Items[i].Namespace, claims.Items[i].Name))
	}
	return requests
}

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}
