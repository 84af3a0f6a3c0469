package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// TestInterfereV1alpha1 has the administrator change objects of v1alpha1.
func TestInterfereV1alpha1(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{API: objectstorage.V1alpha1, NoDriver: true})
	if err := emu.Component(emulator.ComponentController).Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	claim := &v1alpha1.BucketClaim{ObjectMeta: metaOf("photos"), Spec: v1alpha1.BucketClaimSpec{
		Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
	}}
	access := &v1alpha1.BucketAccess{ObjectMeta: metaOf("app")}
	bucket := v1alpha1.Bucket{ObjectMeta: metaOf("archive"), Spec: v1alpha1.BucketSpec{
		DriverName: "one.test", DeletionPolicy: v1alpha1.DeletionPolicyDelete, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
		BucketClaim: &corev1.ObjectReference{Namespace: namespace, Name: "photos", UID: "1"},
	}}
	bucket.Namespace = ""
	seen, flipped, recreated, changed := bucket.DeepCopy(), bucket.DeepCopy(), bucket.DeepCopy(), bucket.DeepCopy()
	for name, tc := range map[string]struct {
		kind   string
		object client.Object
		what   fault.Interference
		want   []string
		edited func() any
		is     any
	}{
		"EditClaim": {
			"BucketClaim", claim, fault.EditStatus, []string{"patch bucketclaims/status"},
			func() any { return claim.Status }, v1alpha1.BucketClaimStatus{BucketReady: true},
		},
		"EditAccess": {
			"BucketAccess", access, fault.EditStatus, []string{"patch bucketaccesses/status"},
			func() any { return access.Status }, v1alpha1.BucketAccessStatus{AccessGranted: true},
		},
		"EditBucket": {
			"Bucket", seen, fault.EditStatus, []string{"patch buckets/status"},
			func() any { return seen.Status }, v1alpha1.BucketStatus{BucketReady: true},
		},
		"FlipPolicy": {
			"Bucket", flipped, fault.FlipPolicy, []string{"patch buckets"},
			func() any { return flipped.Spec.DeletionPolicy }, v1alpha1.DeletionPolicyRetain,
		},
		"RecreateBucket": {
			"Bucket", recreated, fault.ForceRecreate, []string{"delete buckets", "patch buckets", "create buckets"},
			func() any { return *recreated.Spec.BucketClaim }, corev1.ObjectReference{Namespace: namespace, Name: "photos"},
		},
		"BucketWithOtherSpec": {
			"Bucket", changed, fault.ForceRecreateOtherSpec, []string{"delete buckets", "patch buckets", "create buckets"},
			func() any { return changed.Spec.DeletionPolicy }, v1alpha1.DeletionPolicyRetain,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := emu.Client().Create(t.Context(), tc.object); err != nil {
				t.Fatal(err)
			}
			mark := emu.Journal().Mark()
			interfereWith(t, emu, tc.what, tc.kind, tc.object)
			if diff := cmp.Diff(tc.want, requestsSince(t, emu, mark)); diff != "" {
				t.Errorf("requests: -want, +got:\n%s", diff)
			}
			if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(tc.object), tc.object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.is, tc.edited()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			release(t, emu, tc.object)
		})
	}
}
