package emulator

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Names of the default classes.
const (
	// ClassStandard is a BucketClass with deletion policy Delete, and a
	// BucketAccessClass with keys for one bucket.
	ClassStandard = "standard"
	// ClassStandardRetain is a BucketClass with deletion policy Retain.
	ClassStandardRetain = "standard-retain"
	// ClassMultiBucket is a BucketAccessClass with keys for several buckets; it does not exist in
	// v1alpha1.
	ClassMultiBucket = "multi-bucket"
)

func (e *Emulator) createClasses(ctx context.Context) error {
	parameters := e.opts.BucketParameters
	if parameters == nil && e.opts.fake() {
		// On a laptop, the deletion of a claim should succeed although its bucket contains objects.
		parameters = map[string]string{fakedriver.ParameterNonEmptyDeletion: fakedriver.NonEmptyPurge}
	}
	create := e.createClass
	if e.opts.Cluster != nil {
		create = e.createInCluster
	}
	for _, class := range e.generation().classes(e.info.DriverName, parameters, e.opts.AccessParameters) {
		if err := create(ctx, class); err != nil {
			return err
		}
	}
	return nil
}

func (e *Emulator) createClass(ctx context.Context, class client.Object) error {
	if err := client.IgnoreAlreadyExists(e.client.Create(ctx, class)); err != nil {
		return fmt.Errorf("create class %s: %w", class.GetName(), err)
	}
	return nil
}

// classesV1alpha1 are the default classes of v1alpha1, in which an access is for one bucket.
func classesV1alpha1(driver string, bucketParameters, accessParameters map[string]string) []client.Object {
	bucketClass := func(name string, policy v1alpha1.DeletionPolicy) client.Object {
		return &v1alpha1.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: driver, DeletionPolicy: policy, Parameters: bucketParameters,
		}
	}
	return []client.Object{
		bucketClass(ClassStandard, v1alpha1.DeletionPolicyDelete),
		bucketClass(ClassStandardRetain, v1alpha1.DeletionPolicyRetain),
		&v1alpha1.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: ClassStandard},
			DriverName: driver, AuthenticationType: v1alpha1.AuthenticationTypeKey, Parameters: accessParameters,
		},
	}
}

func classes(driver string, bucketParameters, accessParameters map[string]string) []client.Object {
	bucketClass := func(name string, policy v1alpha2.DeletionPolicy) client.Object {
		return &v1alpha2.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: policy, Parameters: bucketParameters},
		}
	}
	accessClass := func(name string, multi v1alpha2.MultiBucketAccess) client.Object {
		return &v1alpha2.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha2.BucketAccessClassSpec{
				DriverName:         driver,
				AuthenticationType: v1alpha2.AuthenticationTypeKey,
				MultiBucketAccess:  multi,
				Parameters:         accessParameters,
			},
		}
	}
	return []client.Object{
		bucketClass(ClassStandard, v1alpha2.DeletionPolicyDelete),
		bucketClass(ClassStandardRetain, v1alpha2.DeletionPolicyRetain),
		accessClass(ClassStandard, v1alpha2.MultiBucketAccessSingleBucket),
		accessClass(ClassMultiBucket, v1alpha2.MultiBucketAccessMultipleBuckets),
	}
}
