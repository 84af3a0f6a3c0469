package bucket

import (
	"context"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

var byID = uniqueid.Index[*v1alpha1.Bucket]{
	Kind:    "Bucket",
	Method:  "DriverCreateBucket",
	New:     func() *v1alpha1.Bucket { return &v1alpha1.Bucket{} },
	NewList: func() client.ObjectList { return &v1alpha1.BucketList{} },
	Driver:  func(b *v1alpha1.Bucket) string { return strings.ToLower(b.Spec.DriverName) },
	ID: func(b *v1alpha1.Bucket) string {
		if !b.DeletionTimestamp.IsZero() && !isProtected(b) {
			return ""
		}
		return bucketID(b)
	},
	StatusID: func(b *v1alpha1.Bucket) *string { return &b.Status.BucketID },
}

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return byID.AddTo(ctx, indexer)
}

// Served are the Buckets that a sidecar serves. It leaves all others alone, because it does not see their claims and
// accesses.
type Served struct {
	Driver *driver.Driver
	// Namespaces have the claims. A Bucket without a claim is served, too.
	Namespaces watched.Namespaces
}

func (s Served) has(bucket *v1alpha1.Bucket) bool {
	return s.Driver.Serves(bucket.Spec.DriverName) && s.Namespaces.HasClaim(bucket.Spec.BucketClaim)
}

// Predicate selects the events after which a served Bucket has to be
// reconciled. The reconciler's own writes are not among them.
func Predicate(served Served) predicate.TypedPredicate[*v1alpha1.Bucket] {
	return predicate.And(
		predicate.NewTypedPredicateFuncs(served.has),
		predicate.TypedFuncs[*v1alpha1.Bucket]{
			UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha1.Bucket]) bool { return changed(e.ObjectOld, e.ObjectNew) },
		})
}

// changed reports whether another writer has changed an input of the reconciler since its last
// reconcile.
func changed(before, after *v1alpha1.Bucket) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		isProtected(before) && !isProtected(after) ||
		cosireconcile.LostDriverLabel(before, after) ||
		isAccessed(before) && !isAccessed(after) ||
		statusChanged(&before.Status, &after.Status)
}

// statusChanged reports whether another writer has changed a status: the reconciler itself only
// makes a Bucket ready, with an ID that stays.
func statusChanged(before, after *v1alpha1.BucketStatus) bool {
	switch {
	case before.BucketReady && !after.BucketReady:
		return true
	case !before.BucketReady && after.BucketReady && after.BucketID == "":
		return true
	default:
		return before.BucketID != "" && before.BucketID != after.BucketID
	}
}

// PendingRequests returns requests for the served Buckets that are not ready, or that
// are being deleted.
func PendingRequests(ctx context.Context, cache client.Reader, served Served) []reconcile.Request {
	return cosireconcile.ListRequests(ctx, cache, &v1alpha1.BucketList{}, func(bucket *v1alpha1.Bucket) bool {
		return served.has(bucket) && (!bucket.Status.BucketReady || !bucket.DeletionTimestamp.IsZero())
	})
}
