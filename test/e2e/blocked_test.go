package e2e_test

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
	if err := s.Refresh(claim); err != nil {
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
	s.Make(s.bucketClass(), slowClass, s.accessClass(forSeveralBuckets), quick, slow, access)
	s.WaitReady(quick)
	message := s.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if !strings.Contains(message, `"slow"`) {
		t.Errorf("the message does not name the claim: %s", message)
	}
	for _, claim := range []*v1alpha2.BucketClaim{quick, slow} {
		s.Eventually(func() error {
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
	s.WaitReady(slow, access)
}

// TestClaimInUse: a claim with an access stays until the access is gone, and gets
// no new one.
// KEP: FLOW-DELETE-0.4, FLOW-GRANT-0
func TestClaimInUse(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim, access := s.claim("data"), s.access("app", "data")
	s.Make(s.bucketClass(), s.accessClass(), claim, access)
	s.WaitReady(claim, access)
	s.Remove(claim)
	message := s.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, "app") {
		t.Errorf("the message does not name the access: %s", message)
	}
	late := s.access("late", "data")
	s.Make(late)
	s.WaitCondition(late, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	s.WaitCondition(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	s.expectSecret(access, 0, s3Data(access, bucketID(claim)))

	s.Remove(access)
	s.WaitGone(access, claim, bucketOf(claim))
	if buckets, accounts := s.driver.Buckets(), s.driver.Accounts(); len(buckets)+len(accounts) > 0 {
		t.Errorf("left in the backend: buckets %v, accounts %v", buckets, accounts)
	}
	// The claim is gone: the rejected access now waits for another of its name.
	s.WaitCondition(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	s.Remove(late)
	s.WaitGone(late)
}

// TestBucketOfALiveClaim: an administrator's deletion of a Bucket waits for the
// claim.
// KEP: FLOW-DELETE-0.3
func TestBucketOfALiveClaim(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim := s.claim("data")
	s.Make(s.bucketClass(), s.accessClass(), claim)
	s.WaitReady(claim)
	bucket := bucketOf(claim)
	s.Remove(bucket)
	message := s.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, s.Namespace+"/data") {
		t.Errorf("the message does not name the claim: %s", message)
	}
	s.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	if !slices.Contains(s.driver.Buckets(), bucketID(claim)) {
		t.Error("the backend's bucket is gone")
	}
	access := s.access("app", "data")
	s.Make(access)
	s.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	s.Remove(access, claim)
	s.WaitGone(access, claim, bucket)
	if buckets := s.driver.Buckets(); len(buckets) > 0 {
		t.Errorf("left in the backend: %v", buckets)
	}
}

// TestRejectedRevocation: an access that the driver does not revoke stays, for all
// to see, and the driver is asked again when it has come back.
func TestRejectedRevocation(t *testing.T) {
	s := newWorld(t).newScene(t)
	claim, access := s.claim("data"), s.access("app", "data")
	s.Make(s.bucketClass(), s.accessClass(), claim, access)
	s.WaitReady(claim, access)
	s.driver.Fail("DriverRevokeBucketAccess", codes.InvalidArgument, "not today")
	s.Remove(access)
	message := s.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if !strings.Contains(message, "not today") {
		t.Errorf("the message is not the driver's: %s", message)
	}
	s.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	s.WaitGone(secretOf(access, 0))
	s.driver.Stop() // in these tests no time passes until a retry
	s.driver.Script("DriverRevokeBucketAccess", nil)
	s.driver.Serve()
	s.WaitGone(access)
	s.Eventually(func() error { return s.expectUnheld(claim) })
	if accounts := s.driver.Accounts(); len(accounts) > 0 {
		t.Errorf("accounts left: %v", accounts)
	}
}
