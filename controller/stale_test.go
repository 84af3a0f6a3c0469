package controller_test

import (
	"context"
	"testing"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketclaim"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
)

// The tests in this file hand a reconciler an object that is out of date, as a
// cache that is behind would.

// TestE09StaleClaim: the cache does not know yet that the claim was bound, and
// its Bucket has been removed by force.
// KEP: FLOW-CREATE-0, FLOW-CREATE-2.4
func TestE09StaleClaim(t *testing.T) {
	h := prepare(t)
	h.make(class())
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
	h.make(claim)
	stale := claim.DeepCopy()
	claim.Status.BoundBucketName = v1alpha2.BucketNameForClaim(claim.UID)
	h.must(h.Status().Update(context.Background(), claim))

	reconciler := &bucketclaim.Reconciler{
		Client: h.Client, Live: h.Client, Recorder: events.NewFakeRecorder(10), Protector: claimprotection.New(h.Client, h.Client),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), stale)
	if err != nil || result.IsZero() {
		t.Errorf("reconcile of a stale claim: result %+v, error %v; want a quiet retry", result, err)
	}
	buckets := &v1alpha2.BucketList{}
	h.must(h.List(context.Background(), buckets))
	if len(buckets.Items) > 0 {
		t.Errorf("a Bucket was created for a claim that had one: %v", buckets.Items)
	}
}

// TestStaleAccess: the cache does not know yet that the access was handed off.
// Letting it go would leave its credentials behind.
func TestStaleAccess(t *testing.T) {
	h := prepare(t)
	access := h.access("app", "data")
	access.Finalizers = []string{v1alpha2.ProtectionFinalizer}
	h.make(access)
	h.must(h.Delete(context.Background(), access))
	h.must(refresh(context.Background(), h, access))
	stale := access.DeepCopy()
	access.Status.DriverName = driver
	h.must(h.Status().Update(context.Background(), access))

	reconciler := &bucketaccess.Reconciler{
		Client: h.Client, Recorder: events.NewFakeRecorder(10), Protector: claimprotection.New(h.Client, h.Client),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), stale)
	if err != nil || result.IsZero() {
		t.Errorf("reconcile of a stale access: result %+v, error %v; want a quiet retry", result, err)
	}
	h.must(h.Get(context.Background(), client.ObjectKeyFromObject(access), access))
	if !controllerutil.ContainsFinalizer(access, v1alpha2.ProtectionFinalizer) {
		t.Errorf("the finalizer of an access that the sidecar owns was removed")
	}
}

// TestStaleClaimKeepsItsFinalizer: the cache does not show yet that a new access
// requires the claim.
func TestStaleClaimKeepsItsFinalizer(t *testing.T) {
	h := prepare(t)
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
	h.make(claim)
	h.must(h.Delete(context.Background(), claim))
	h.must(refresh(context.Background(), h, claim))
	stale := claim.DeepCopy()
	protector := claimprotection.New(h.Client, h.Client)
	h.must(protector.Protect(context.Background(), claim))

	reconciler := &bucketclaim.Reconciler{
		Client: noAccesses{h.Client}, Live: h.Client, Recorder: events.NewFakeRecorder(10),
		Protector: claimprotection.New(noAccesses{h.Client}, h.Client),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), stale)
	if err != nil || result.IsZero() {
		t.Errorf("reconcile of a stale claim: result %+v, error %v; want a quiet retry", result, err)
	}
	h.must(protected(claimNow(h, claim)))
}

// noAccesses is a cache that has no BucketAccess.
type noAccesses struct{ client.Client }

func (noAccesses) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// TestReleaseAsksTheAPIServer: the cache has not seen the handed-off access that needs
// the claim. It is asked about until the cache is known to be recent.
func TestReleaseAsksTheAPIServer(t *testing.T) {
	h := prepare(t)
	claim, access := h.claim("data"), h.access("app", "data")
	h.make(claim, access)
	access.Status.DriverName = driver
	h.must(h.Status().Update(context.Background(), access))
	live := &countingReader{Reader: h.Client}
	protector := claimprotection.New(noAccesses{h.Client}, live)
	h.must(protector.Protect(context.Background(), claim))
	for range 2 {
		h.must(protector.Unprotect(context.Background(), claim))
		h.must(protected(claimNow(h, claim)))
		if inUse, err := protector.HasHandedOff(context.Background(), claim); err != nil || !inUse {
			t.Errorf("HasHandedOff returns %t, %v; want true", inUse, err)
		}
	}
	h.must(h.Delete(context.Background(), access))
	h.must(protector.Unprotect(context.Background(), claim))
	h.must(unprotected(claimNow(h, claim)))

	before := live.lists
	h.must(protector.Protect(context.Background(), claim))
	h.must(protector.Unprotect(context.Background(), claim))
	inUse, err := protector.HasHandedOff(context.Background(), claim)
	if err != nil || inUse {
		t.Errorf("HasHandedOff returns %t, %v; want false", inUse, err)
	}
	if live.lists != before {
		t.Errorf("%d lists of a namespace of which the cache has everything", live.lists-before)
	}
}

// countingReader counts lists.
type countingReader struct {
	client.Reader
	lists int
}

func (r *countingReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	r.lists++
	return r.Reader.List(ctx, list, opts...)
}
