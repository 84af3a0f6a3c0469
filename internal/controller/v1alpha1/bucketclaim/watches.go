package bucketclaim

import (
	"context"
	"fmt"

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

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Names of the indexes, for client.MatchingFields.
const (
	// claimsWaitingForClass indexes unbound BucketClaims by the name of their BucketClass.
	claimsWaitingForClass = "cosi.claims.waiting-for-class"
	// claimsByBucket indexes BucketClaims by the names of all Buckets that may be theirs, whatever
	// claim the Bucket refers to.
	claimsByBucket = "cosi.claims.by-bucket"
	// accessesByClaim indexes BucketAccesses by the name of their BucketClaim, to be combined with
	// a namespace.
	accessesByClaim = "cosi.accesses.by-claim"
)

// Index adds the indexes to a cache that has not been started.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	for _, i := range []struct {
		name   string
		object client.Object
		values client.IndexerFunc
	}{
		{claimsWaitingForClass, &v1alpha1.BucketClaim{}, cosireconcile.IndexBy(unboundClaimsClass)},
		{claimsByBucket, &v1alpha1.BucketClaim{}, cosireconcile.IndexBy(names)},
		{accessesByClaim, &v1alpha1.BucketAccess{}, cosireconcile.IndexBy(func(access *v1alpha1.BucketAccess) []string {
			return []string{access.Spec.BucketClaimName}
		})},
	} {
		if err := indexer.IndexField(ctx, i.object, i.name, i.values); err != nil {
			return fmt.Errorf("index %s: %w", i.name, err)
		}
	}
	return nil
}

func unboundClaimsClass(claim *v1alpha1.BucketClaim) []string {
	if claim.Status.BucketName != "" || claim.Spec.BucketClassName == "" {
		return nil
	}
	return []string{claim.Spec.BucketClassName}
}

// SetupWithManager adds the reconciler to a manager, with a watch on everything that a claim may
// wait for.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, options controller.Options) error {
	m := mapper{cache: mgr.GetCache(), namespaces: r.Namespaces}
	return builder.ControllerManagedBy(mgr).
		Named("bucketclaim").
		WithOptions(options).
		For(&v1alpha1.BucketClaim{}, builder.WithPredicates(claimPredicate())).
		Watches(&v1alpha1.BucketClass{}, handler.EnqueueRequestsFromMapFunc(m.mapClass),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Bucket{}, handler.EnqueueRequestsFromMapFunc(m.mapBucket),
			builder.WithPredicates(cosireconcile.OnUpdate(bucketChanged))).
		Watches(&v1alpha1.BucketAccess{}, handler.EnqueueRequestsFromMapFunc(mapAccess),
			builder.WithPredicates(accessPredicate())).
		Complete(cosireconcile.Traced(r.TracerProvider, "BucketClaim", r.Runner()))
}

// claimPredicate selects the events of a claim that need a reconcile. An edited status is one. It
// cannot be distinguished from the controller's own write, after which a reconcile costs no
// request.
func claimPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha1.BucketClaim) bool {
		return was.Generation != is.Generation ||
			was.UID != is.UID ||
			isKept(was) && !isKept(is) ||
			!equality.Semantic.DeepEqual(was.Status, is.Status)
	})
	p.DeleteFunc = cosireconcile.Never[event.DeleteEvent]
	return p
}

// bucketChanged reports changes of fields that a claim copies or waits for.
func bucketChanged(was, is *v1alpha1.Bucket) bool {
	return was.Generation != is.Generation ||
		was.UID != is.UID ||
		!equality.Semantic.DeepEqual(was.Status, is.Status)
}

// accessPredicate selects the end of an access, and the moment when it names another claim:
// the field is not immutable.
func accessPredicate() predicate.Predicate {
	p := cosireconcile.OnUpdate(func(was, is *v1alpha1.BucketAccess) bool {
		return was.UID != is.UID || was.Spec.BucketClaimName != is.Spec.BucketClaimName
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
	return m.list(ctx, client.MatchingFields{claimsWaitingForClass: class.GetName()})
}

// mapBucket maps a Bucket to the claim that it refers to, and to claims that name it, which may be
// others.
func (m mapper) mapBucket(ctx context.Context, object client.Object) []reconcile.Request {
	bucket, ok := object.(*v1alpha1.Bucket)
	if !ok {
		return nil
	}
	requests := m.list(ctx, client.MatchingFields{claimsByBucket: bucket.Name})
	if ref := referenceOf(bucket); ref.Name != "" && m.namespaces.Has(ref.Namespace) {
		requests = append(requests, request(ref.Namespace, ref.Name))
	}
	return requests
}

func mapAccess(_ context.Context, object client.Object) []reconcile.Request {
	access, ok := object.(*v1alpha1.BucketAccess)
	if !ok {
		return nil
	}
	return []reconcile.Request{request(access.Namespace, access.Spec.BucketClaimName)}
}

func (m mapper) list(ctx context.Context, fields client.MatchingFields) []reconcile.Request {
	return cosireconcile.ListRequests[*v1alpha1.BucketClaim](ctx, m.cache, &v1alpha1.BucketClaimList{}, nil, fields)
}

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}
