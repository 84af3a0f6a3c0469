package controller_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestClassIsDeletedOrReplaced: deleting or replacing a class does not change the objects that were
// provisioned from it. Deletion does not need the class.
// KEP: LIFE-8, LIFE-9, API-ACCESS-STATUS-4, API-ACCESS-STATUS-5, API-ACCESS-STATUS-6
func TestClassIsDeletedOrReplaced(t *testing.T) {
	cl := start(t)
	bucketClass, keys := class(), newAccessClass()
	cl.Make(bucketClass, keys)
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	spec, status := bucket.Spec.DeepCopy(), access.Status.DeepCopy()

	cl.Must(cl.Delete(context.Background(), bucketClass))
	cl.Must(cl.Delete(context.Background(), keys))
	cl.Make(
		class(retain, func(s *v1alpha2.BucketClassSpec) { s.DriverName, s.Parameters = "other.test", nil }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) {
			s.DriverName, s.AuthenticationType, s.Parameters = "other.test", v1alpha2.AuthenticationTypeServiceAccount, nil
		}),
	)
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	cl.Must(cl.Refresh(access))
	if diff := cmp.Diff(spec, &bucket.Spec); diff != "" {
		t.Errorf("spec of the Bucket (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(status, &access.Status); diff != "" {
		t.Errorf("status of the access (-before +after):\n%s", diff)
	}

	cl.Must(cl.DeleteAllOf(context.Background(), &v1alpha2.BucketClass{}))
	cl.Must(cl.DeleteAllOf(context.Background(), &v1alpha2.BucketAccessClass{}))
	cl.Must(cl.Delete(context.Background(), access))
	cl.finishCleanup(access)
	cl.WaitGone(access)
	cl.Must(cl.Delete(context.Background(), claim))
	cluster.Await(cl.Cluster, bucket, "may go", beingDeleted)
	cl.releaseBucket(bucket)
	cl.WaitGone(claim)
}
