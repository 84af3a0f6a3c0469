package gcs_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// story is a claim of GCS and an access to it, in a namespace of their own.
type story struct {
	t      *testing.T
	emu    *emulator.Emulator
	claim  *v1alpha2.BucketClaim
	access *v1alpha2.BucketAccess
}

func newStory(t *testing.T, emu *emulator.Emulator, modes v1alpha2.BucketAccessModes) *story {
	t.Helper()
	namespace := emulatortest.Namespace(t)
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolGCS}},
	}
	return &story{t: t, emu: emu, claim: claim, access: newAccess(claim, "photos-rw", modes)}
}

// newAccess is an access to a claim, which has a Secret of the same name.
func newAccess(claim *v1alpha2.BucketClaim, name string, modes v1alpha2.BucketAccessModes) *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolGCS,
			BucketClaims: []v1alpha2.BucketClaimAccess{{BucketClaimName: claim.Name, AccessSecretName: name, AccessModes: modes}},
		},
	}
}

func (s *story) create(objects ...client.Object) {
	s.t.Helper()
	for _, object := range objects {
		if err := s.emu.Client().Create(s.t.Context(), object); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *story) delete(object client.Object) {
	s.t.Helper()
	if err := s.emu.Client().Delete(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) waitReady() {
	s.t.Helper()
	harness.Eventually(s.t, "claim and access become ready", func(ctx context.Context) error {
		for _, object := range []client.Object{s.claim, s.access} {
			if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return err
			}
		}
		if !s.claim.Status.ReadyToUse || !s.access.Status.ReadyToUse {
			return fmt.Errorf("the claim's status is %+v, the access's is %+v", s.claim.Status, s.access.Status)
		}
		return nil
	})
}

func (s *story) waitGone(object client.Object) {
	s.t.Helper()
	harness.Eventually(s.t, "object goes", func(ctx context.Context) error {
		err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
		if err == nil {
			return fmt.Errorf("%T %s exists", object, object.GetName())
		}
		return client.IgnoreNotFound(err)
	})
}

// secret returns the Secret of the access as an application reads it.
func (s *story) secret() map[string]string {
	s.t.Helper()
	secret := &corev1.Secret{}
	if err := s.emu.Client().Get(s.t.Context(), client.ObjectKeyFromObject(s.access), secret); err != nil {
		s.t.Fatal(err)
	}
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}
