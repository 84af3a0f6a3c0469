package emulator

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Names of the ready-made classes.
const (
	// ClassStandard is a BucketClass with deletion policy Delete, and a
	// BucketAccessClass with keys for one bucket.
	ClassStandard = "standard"
	// ClassStandardRetain is a BucketClass with deletion policy Retain.
	ClassStandardRetain = "standard-retain"
	// ClassMultiBucket is a BucketAccessClass with keys for several buckets.
	ClassMultiBucket = "multi-bucket"
)

// createClasses makes the ready-made classes of a driver, where there are none
// of that name yet.
func createClasses(ctx context.Context, c client.Client, driver string) error {
	for _, class := range classes(driver) {
		if err := c.Create(ctx, class); client.IgnoreAlreadyExists(err) != nil {
			return fmt.Errorf("create class %s: %w", class.GetName(), err)
		}
	}
	return nil
}

func classes(driver string) []client.Object {
	bucketClass := func(name string, policy cosiapi.DeletionPolicy) client.Object {
		return &cosiapi.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       cosiapi.BucketClassSpec{DriverName: driver, DeletionPolicy: policy},
		}
	}
	accessClass := func(name string, multi cosiapi.MultiBucketAccess) client.Object {
		return &cosiapi.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: cosiapi.BucketAccessClassSpec{
				DriverName:         driver,
				AuthenticationType: cosiapi.AuthenticationTypeKey,
				MultiBucketAccess:  multi,
			},
		}
	}
	return []client.Object{
		bucketClass(ClassStandard, cosiapi.DeletionPolicyDelete),
		bucketClass(ClassStandardRetain, cosiapi.DeletionPolicyRetain),
		accessClass(ClassStandard, cosiapi.MultiBucketAccessSingleBucket),
		accessClass(ClassMultiBucket, cosiapi.MultiBucketAccessMultipleBuckets),
	}
}
