package flows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// expectUnheld returns an error while a claim bears the annotation of accesses.
func (s *scene) expectUnheld(claim *v1alpha2.BucketClaim) error {
	if err := s.refresh(claim); err != nil {
		return err
	}
	if _, held := claim.Annotations[v1alpha2.HasBucketAccessReferencesAnnotation]; held {
		return errors.New("the claim is held by an access")
	}
	return nil
}

// TestAccessWaitsForItsBuckets: the driver hears of an access when all its
// buckets are there. The claims are held from the beginning.
func TestAccessWaitsForItsBuckets(t *testing.T) {
	s := newWorld(t).newScene(t)
	hold := make(chan struct{})
	s.driver.Script("DriverCreateBucket", func(ctx context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if !strings.Contains(fmt.Sprint(request), "slow") {
			return next()
		}
		select {
		case <-hold:
		case <-ctx.Done():
		}
		return next()
	})
	slowClass := s.bucketClass(func(class *v1alpha2.BucketClass) {
		class.Name += "-slow"
		class.Spec.Parameters = map[string]string{"speed": "slow"}
	})
	quick, slow, access := s.claim("quick"), s.claim("slow"), s.access("app", "quick", "slow")
	slow.Spec.BucketClassName = slowClass.Name
	s.make(s.bucketClass(), slowClass, s.accessClass(forSeveralBuckets), quick, slow, access)
	s.ready(quick)
	message := s.says(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if !strings.Contains(message, `"slow"`) {
		t.Errorf("the message does not name the claim: %s", message)
	}
	for _, claim := range []*v1alpha2.BucketClaim{quick, slow} {
		s.eventually(func() error {
			if err := s.expectUnheld(claim); err == nil {
				return fmt.Errorf("claim %s is not held", claim.Name)
			}
			return nil
		})
	}
	if calls := s.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("the driver has heard of the access: %v", calls)
	}
	close(hold)
	s.ready(slow, access)
}

// TestClaimInUse: a claim with an access stays until the access is gone, and gets
// no new one.
func TestClaimInUse(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim, access := s.claim("data"), s.access("app", "data")
	s.make(s.bucketClass(), s.accessClass(), claim, access)
	s.ready(claim, access)
	s.remove(claim)
	message := s.says(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, "app") {
		t.Errorf("the message does not name the access: %s", message)
	}
	late := s.access("late", "data")
	s.make(late)
	s.says(late, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	s.says(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	s.expectSecret(access, 0, s3Data(access, bucketID(claim)))

	s.remove(access)
	s.gone(access, claim, bucketOf(claim))
	if buckets, accounts := s.driver.Buckets(), s.driver.Accounts(); len(buckets)+len(accounts) > 0 {
		t.Errorf("left in the backend: buckets %v, accounts %v", buckets, accounts)
	}
	// The claim is gone: the refused access now waits for another of its name.
	s.says(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	s.remove(late)
	s.gone(late)
}

// TestBucketOfALiveClaim: an administrator's deletion of a Bucket waits for the
// claim.
func TestBucketOfALiveClaim(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim := s.claim("data")
	s.make(s.bucketClass(), s.accessClass(), claim)
	s.ready(claim)
	bucket := bucketOf(claim)
	s.remove(bucket)
	message := s.says(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, s.namespace+"/data") {
		t.Errorf("the message does not name the claim: %s", message)
	}
	s.says(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	if !slices.Contains(s.driver.Buckets(), bucketID(claim)) {
		t.Error("the backend's bucket is gone")
	}
	access := s.access("app", "data")
	s.make(access)
	s.says(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	s.remove(access, claim)
	s.gone(access, claim, bucket)
	if buckets := s.driver.Buckets(); len(buckets) > 0 {
		t.Errorf("left in the backend: %v", buckets)
	}
}

// TestRefusedRevocation: an access that the driver does not revoke stays, for all
// to see, and the driver is asked again when it has come back.
func TestRefusedRevocation(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim, access := s.claim("data"), s.access("app", "data")
	s.make(s.bucketClass(), s.accessClass(), claim, access)
	s.ready(claim, access)
	s.driver.Fail("DriverRevokeBucketAccess", codes.InvalidArgument, "not today")
	s.remove(access)
	message := s.says(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
	if !strings.Contains(message, "not today") {
		t.Errorf("the message is not the driver's: %s", message)
	}
	s.says(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	s.gone(secretOf(access, 0))
	s.settle(t)
	// The removal of the Secret, which precedes the call, may wake the access
	// once more.
	if got := count(s.driver, "DriverRevokeBucketAccess", accountID(access)); got > 2 {
		t.Errorf("%d calls for what was refused", got)
	}
	s.driver.Stop()
	s.driver.Script("DriverRevokeBucketAccess", nil)
	s.driver.Serve()
	s.gone(access)
	s.eventually(func() error { return s.expectUnheld(claim) })
	if accounts := s.driver.Accounts(); len(accounts) > 0 {
		t.Errorf("accounts left: %v", accounts)
	}
}
