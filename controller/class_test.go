package controller_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestClassIsDeletedOrReplaced: deleting or replacing a class changes nothing in what
// was provisioned from it. Deletion does not need the class.
// KEP: LIFE-8, LIFE-9, API-ACCESS-STATUS-4, API-ACCESS-STATUS-5, API-ACCESS-STATUS-6
func TestClassIsDeletedOrReplaced(t *testing.T) {
	h := start(t)
	bucketClass, keys := class(), newAccessClass()
	h.make(bucketClass, keys)
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	spec, status := bucket.Spec.DeepCopy(), access.Status.DeepCopy()

	h.must(h.Delete(context.Background(), bucketClass))
	h.must(h.Delete(context.Background(), keys))
	h.make(
		class(retain, func(s *v1alpha2.BucketClassSpec) { s.DriverName, s.Parameters = "other.test", nil }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) {
			s.DriverName, s.AuthenticationType, s.Parameters = "other.test", v1alpha2.AuthenticationTypeServiceAccount, nil
		}),
	)
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	h.must(refresh(context.Background(), h, access))
	if diff := cmp.Diff(spec, &bucket.Spec); diff != "" {
		t.Errorf("spec of the Bucket (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(status, &access.Status); diff != "" {
		t.Errorf("status of the access (-before +after):\n%s", diff)
	}

	h.must(h.DeleteAllOf(context.Background(), &v1alpha2.BucketClass{}))
	h.must(h.DeleteAllOf(context.Background(), &v1alpha2.BucketAccessClass{}))
	h.must(h.Delete(context.Background(), access))
	h.finishCleanup(access)
	h.vanishes(access)
	h.must(h.Delete(context.Background(), claim))
	awaits(h, bucket, "may go", beingDeleted)
	h.releaseBucket(bucket)
	h.vanishes(claim)
}
