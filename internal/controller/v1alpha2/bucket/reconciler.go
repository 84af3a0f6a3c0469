package bucket

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// maxReported is the number of Buckets whose latest failure is remembered.
const maxReported = 4096

// Reconciler reconciles Buckets whose claim has vanished.
type Reconciler struct {
	Client client.Client
	// Live reads from the API server, where a stale answer would do harm.
	Live      client.Reader
	Recorder  events.EventRecorder
	APIErrors *cosievents.APIErrors
	// Namespaces are those whose claims the controller sees. A Bucket for a claim of another namespace is left alone.
	Namespaces watched.Namespaces
	// TracerProvider receives a span for each reconcile; nil for none.
	TracerProvider trace.TracerProvider

	reported *lru.Cache // of types.UID to string
}

// New returns a Reconciler. The client reads from a cache, the other reader from the
// API server.
func New(cached client.Client, live client.Reader, recorder events.EventRecorder, apiErrors *cosievents.APIErrors) *Reconciler {
	return &Reconciler{Client: cached, Live: live, Recorder: recorder, APIErrors: apiErrors, reported: lru.New(maxReported)}
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	bucket := &v1alpha2.Bucket{}
	if err := r.Client.Get(ctx, request.NamespacedName, bucket); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	// The claim of another namespace is not in the cache, and perhaps the controller may not ask the API server for it:
	// that it was not found would mean nothing.
	if !r.Namespaces.Has(bucket.Spec.BucketClaimRef.Namespace) {
		return reconcile.Result{}, nil
	}
	err := r.reconcile(ctx, bucket)
	return cosireconcile.ResultOf(ctx, r.APIErrors.Record(bucket, cosievents.Deprovision, err))
}

func (r *Reconciler) reconcile(ctx context.Context, bucket *v1alpha2.Bucket) error {
	claim, err := claimOf(ctx, r.Client, bucket)
	switch {
	case err != nil, claim != nil && claim.DeletionTimestamp.IsZero():
		return err
	case v1alpha2.IsBucketClaimBeingDeleted(bucket):
		r.reportFailure(bucket)
		return nil
	case claim != nil, bucket.Spec.BucketClaimRef.UID == "":
		return nil // the reconciler of claims announces, or there is nothing to announce
	default:
		return r.announceVanished(ctx, bucket)
	}
}

// announceVanished announces a Bucket whose claim is not in the cache, once the API server has
// confirmed that the claim does not exist, and that no access uses the Bucket. A claim never comes
// back: another one of its name has another UID.
func (r *Reconciler) announceVanished(ctx context.Context, bucket *v1alpha2.Bucket) error {
	claim, err := claimOf(ctx, r.Live, bucket)
	if err != nil {
		return err
	}
	ref := bucket.Spec.BucketClaimRef
	if claim != nil { // the cache is outdated, and its watch may have no further event
		return apierrors.NewConflict(v1alpha2.Resource("bucketclaims"), ref.Name,
			fmt.Errorf("the cache does not have the BucketClaim with UID %s yet", ref.UID))
	}
	if inUse, err := r.isInUse(ctx, bucket); err != nil || inUse {
		return err
	}
	if err := Announce(ctx, r.Client, bucket); err != nil {
		return err
	}
	r.Recorder.Eventf(bucket, nil, corev1.EventTypeNormal, v1alpha2.ReasonBucketClaimNotFound, string(cosievents.Deprovision),
		"BucketClaim %s/%s with UID %s does not exist any more; this Bucket is not used any more and can be deleted",
		ref.Namespace, ref.Name, ref.UID)
	return nil
}

// claimOf returns the claim that a Bucket is bound to, or nil, also for another claim of its name.
func claimOf(ctx context.Context, from client.Reader, bucket *v1alpha2.Bucket) (*v1alpha2.BucketClaim, error) {
	ref, claim := bucket.Spec.BucketClaimRef, &v1alpha2.BucketClaim{}
	key := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	err := from.Get(ctx, key, claim)
	switch {
	case apierrors.IsNotFound(err), err == nil && claim.UID != ref.UID:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get BucketClaim %s: %w", key, err)
	default:
		return claim, nil
	}
}

// isInUse asks the API server whether an access was granted, or is about to be, to the bucket. The
// end of the access causes the next reconcile.
func (r *Reconciler) isInUse(ctx context.Context, bucket *v1alpha2.Bucket) (bool, error) {
	list, namespace := &v1alpha2.BucketAccessList{}, bucket.Spec.BucketClaimRef.Namespace
	if err := r.Live.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return false, fmt.Errorf("list BucketAccesses of namespace %s: %w", namespace, err)
	}
	return slices.ContainsFunc(list.Items, func(access v1alpha2.BucketAccess) bool {
		return ownership.SidecarOwns(&access) && slices.Contains(bucketNames(&access), bucket.Name)
	}), nil
}

// bucketNames are the names of the Buckets with which an access was handed off.
func bucketNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Status.AccessedBuckets))
	for i := range access.Status.AccessedBuckets {
		names = append(names, access.Status.AccessedBuckets[i].BucketName)
	}
	return names
}
