package integration_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/session"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestDefaultClass: there is a class default for claims that refer to it, and none that conflicts with a class that
// users create before.
func TestDefaultClass(t *testing.T) {
	s := newStage(t)
	running := s.start(ownPlane(t))
	defer s.stop(running)
	c := running.Emulator().Client()

	own := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: session.DefaultClass}, Spec: v1alpha2.BucketClassSpec{
		DriverName: running.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyRetain,
	}}
	if err := c.Create(t.Context(), own); err != nil {
		t.Fatalf("create a class of the name: %v", err)
	}
	s.expectPolicy(c, "of-own-class", v1alpha2.DeletionPolicyRetain)
	if err := c.Delete(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	s.expectPolicy(c, "of-no-class", v1alpha2.DeletionPolicyDelete)
	copied := &v1alpha2.BucketClass{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(own), copied); err != nil {
		t.Fatal(err)
	}
	if of := copied.Annotations[session.CopyOfAnnotation]; of != emulator.ClassStandard {
		t.Errorf("the class is a copy of %q, want %q", of, emulator.ClassStandard)
	}
	s.expectAccess(c, "of-no-class")
}

// expectAccess creates an access of the class default to a claim, and expects that it is granted.
func (s *stage) expectAccess(c client.Client, claim string) {
	s.t.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: claim},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: session.DefaultClass, Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: claim, AccessSecretName: claim,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly},
			}},
		},
	}
	if err := c.Create(s.t.Context(), access); err != nil {
		s.t.Fatal(err)
	}
	harness.Eventually(s.t, "the access "+claim+" is granted", func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(access), access); err != nil {
			return err
		}
		if !access.Status.ReadyToUse {
			return fmt.Errorf("the conditions are %v", access.Status.Conditions)
		}
		return nil
	})
}

// expectPolicy creates a claim of the class default, and expects a Bucket with a deletion policy for it.
func (s *stage) expectPolicy(c client.Client, name string, want v1alpha2.DeletionPolicy) {
	s.t.Helper()
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: session.DefaultClass},
	}
	if err := c.Create(s.t.Context(), claim); err != nil {
		s.t.Fatal(err)
	}
	harness.Eventually(s.t, "the claim "+name+" is ready", func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(claim), claim); err != nil {
			return err
		}
		if !claim.Status.ReadyToUse {
			return fmt.Errorf("the conditions are %v", claim.Status.Conditions)
		}
		return nil
	})
	bucket := &v1alpha2.Bucket{}
	if err := c.Get(s.t.Context(), client.ObjectKey{Name: claim.Status.BoundBucketName}, bucket); err != nil {
		s.t.Fatal(err)
	}
	if got := bucket.Spec.DeletionPolicy; got != want {
		s.t.Errorf("the Bucket of claim %s has policy %s, want %s", name, got, want)
	}
}
