package emulator_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// useBucketClass makes a BucketClass of the fake driver, for the story's claim.
func (s *story) useBucketClass(parameters map[string]string) {
	s.t.Helper()
	s.claim.Spec.BucketClassName = s.claim.Namespace
	s.create(&v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.claim.Namespace},
		Spec: v1alpha2.BucketClassSpec{
			DriverName: s.emu.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: maps.Clone(parameters),
		},
	})
}

// useAccessClass makes a BucketAccessClass of the fake driver, for the story's
// access.
func (s *story) useAccessClass(authentication v1alpha2.AuthenticationType, parameters map[string]string) {
	s.t.Helper()
	s.access.Spec.BucketAccessClassName = s.access.Namespace
	s.create(&v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.access.Namespace},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: s.emu.Info().DriverName, AuthenticationType: authentication,
			MultiBucketAccess: v1alpha2.MultiBucketAccessMultipleBuckets, Parameters: maps.Clone(parameters),
		},
	})
}

// another returns an access like the story's with another name, and another
// Secret.
func (s *story) another(name string) *v1alpha2.BucketAccess {
	access := s.access.DeepCopy()
	access.ObjectMeta = metav1.ObjectMeta{Namespace: s.access.Namespace, Name: name}
	access.Status = v1alpha2.BucketAccessStatus{}
	access.Spec.BucketClaims[0].AccessSecretName = name
	return access
}

// waitAccess waits until an access is ready, or not.
func (s *story) waitAccess(access *v1alpha2.BucketAccess, what string, holds func() bool) {
	s.t.Helper()
	harness.Until(s.t, "access "+access.Name+" "+what, func(ctx context.Context) (bool, error) {
		err := s.emu.Client().Get(ctx, keyOf(access), access)
		return holds(), err
	})
}

// TestClassParameters: the default classes have the parameters of the options.
func TestClassParameters(t *testing.T) {
	t.Parallel()
	bucket, access := map[string]string{"note": "of buckets"}, map[string]string{"note": "of accesses"}
	emu := emulatortest.Start(t, emulator.Options{BucketParameters: bucket, AccessParameters: access})
	var bucketClass v1alpha2.BucketClass
	var accessClass v1alpha2.BucketAccessClass
	name := client.ObjectKey{Name: emulator.ClassStandard}
	if err := errors.Join(emu.Client().Get(t.Context(), name, &bucketClass), emu.Client().Get(t.Context(), name, &accessClass)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bucket, bucketClass.Spec.Parameters); diff != "" {
		t.Errorf("BucketClass: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(access, accessClass.Spec.Parameters); diff != "" {
		t.Errorf("BucketAccessClass: -want, +got:\n%s", diff)
	}
}
