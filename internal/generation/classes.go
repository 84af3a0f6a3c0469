package generation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Classes describe the default classes of a driver.
type Classes struct {
	// Standard is the name of a BucketClass with deletion policy Delete, and of a BucketAccessClass for
	// one bucket.
	Standard string
	// StandardRetain is the name of a BucketClass with deletion policy Retain.
	StandardRetain string
	// MultiBucket is the name of a BucketAccessClass of v1alpha2 for several buckets.
	MultiBucket string

	Driver                             string
	BucketParameters, AccessParameters map[string]string
}

// classesV1alpha1 are the default classes of v1alpha1, in which an access is for one bucket.
func classesV1alpha1(c Classes) []client.Object {
	bucketClass := func(name string, policy v1alpha1.DeletionPolicy) client.Object {
		return &v1alpha1.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: c.Driver, DeletionPolicy: policy, Parameters: c.BucketParameters,
		}
	}
	return []client.Object{
		bucketClass(c.Standard, v1alpha1.DeletionPolicyDelete),
		bucketClass(c.StandardRetain, v1alpha1.DeletionPolicyRetain),
		&v1alpha1.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: c.Standard},
			DriverName: c.Driver, AuthenticationType: v1alpha1.AuthenticationTypeKey, Parameters: c.AccessParameters,
		},
	}
}

// classesV1alpha2 are the default classes of v1alpha2.
func classesV1alpha2(c Classes) []client.Object {
	bucketClass := func(name string, policy v1alpha2.DeletionPolicy) client.Object {
		return &v1alpha2.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       v1alpha2.BucketClassSpec{DriverName: c.Driver, DeletionPolicy: policy, Parameters: c.BucketParameters},
		}
	}
	accessClass := func(name string, multi v1alpha2.MultiBucketAccess) client.Object {
		return &v1alpha2.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha2.BucketAccessClassSpec{
				DriverName:         c.Driver,
				AuthenticationType: v1alpha2.AuthenticationTypeKey,
				MultiBucketAccess:  multi,
				Parameters:         c.AccessParameters,
			},
		}
	}
	return []client.Object{
		bucketClass(c.Standard, v1alpha2.DeletionPolicyDelete),
		bucketClass(c.StandardRetain, v1alpha2.DeletionPolicyRetain),
		accessClass(c.Standard, v1alpha2.MultiBucketAccessSingleBucket),
		accessClass(c.MultiBucket, v1alpha2.MultiBucketAccessMultipleBuckets),
	}
}
