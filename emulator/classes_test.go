package emulator_test

import (
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// useBucketClass makes a BucketClass of the fake driver, for the story's claim.
func (s *story) useBucketClass(parameters map[string]string) {
	s.t.Helper()
	s.claim.Spec.BucketClassName = s.claim.Namespace
	s.create(&cosiapi.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.claim.Namespace},
		Spec: cosiapi.BucketClassSpec{
			DriverName: s.emu.Info().DriverName, DeletionPolicy: cosiapi.DeletionPolicyDelete, Parameters: maps.Clone(parameters),
		},
	})
}

// useAccessClass makes a BucketAccessClass of the fake driver, for the story's
// access.
func (s *story) useAccessClass(authentication cosiapi.AuthenticationType, parameters map[string]string) {
	s.t.Helper()
	s.access.Spec.BucketAccessClassName = s.access.Namespace
	s.create(&cosiapi.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.access.Namespace},
		Spec: cosiapi.BucketAccessClassSpec{
			DriverName: s.emu.Info().DriverName, AuthenticationType: authentication,
			MultiBucketAccess: cosiapi.MultiBucketAccessMultipleBuckets, Parameters: maps.Clone(parameters),
		},
	})
}

// another returns an access like the story's with another name, and another
// Secret.
func (s *story) another(name string) *cosiapi.BucketAccess {
	access := s.access.DeepCopy()
	access.ObjectMeta = metav1.ObjectMeta{Namespace: s.access.Namespace, Name: name}
	access.Status = cosiapi.BucketAccessStatus{}
	access.Spec.BucketClaims[0].AccessSecretName = name
	return access
}

// waitAccess waits until an access is ready, or not.
func (s *story) waitAccess(access *cosiapi.BucketAccess, what string, holds func() bool) {
	s.t.Helper()
	harness.Until(s.t, "access "+access.Name+" "+what, func(ctx context.Context) (bool, error) {
		err := s.emu.Client().Get(ctx, keyOf(access), access)
		return holds(), err
	})
}
