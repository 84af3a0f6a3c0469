package sidecar_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// namesBucket has the driver name one ID for every Bucket.
func (cl *testCluster) namesBucket(id string) {
	cl.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
}

// namesAccount has the driver name one ID for every account.
func (cl *testCluster) namesAccount(id string) {
	cl.driver.Answer("DriverGenerateBucketAccessId", &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: id})
}

// A driver that names the ID of one Bucket for another is not believed: the end of
// the second would be the end of the first one's data.
// KEP: GRPC-GENERATEBUCKETID-11
func TestBucketIDOfAnotherBucket(t *testing.T) {
	cases := []struct {
		name   string
		reason string
		holder func(*testCluster) *v1alpha2.Bucket
	}{
		{"provisioned", "its data would be deleted", func(cl *testCluster) *v1alpha2.Bucket { return cl.readyBucket() }},
		{"existing", "COSI must not delete what it has not created", func(cl *testCluster) *v1alpha2.Bucket {
			cl.driver.AddBucket("old")
			return cl.readyBucket(existing("old"))
		}},
		{"existing, and not found yet", "an administrator waits for it",
			func(cl *testCluster) *v1alpha2.Bucket { return cl.bucket(existing("awaited")) }},
	}
	cl := newTestCluster(t)
	cl.start()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			cl := cl.in(t)
			cl.driver.Script("DriverGenerateBucketId", nil)
			first := tc.holder(cl)
			cl.namesBucket(cmp.Or(first.Status.BucketID, first.Spec.ExistingBucketID))
			before, created := cl.driver.Buckets(), len(cl.driver.Calls("DriverCreateBucket", "DriverDeleteBucket"))
			second := cl.bucket()
			cl.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
			if second.Status.ReadyToUse || second.Status.BucketID != "" {
				t.Errorf("%s: %+v", tc.reason, second.Status)
			}
			provisioned := meta.FindStatusCondition(second.Status.Conditions, v1alpha2.ConditionProvisioned)
			for _, want := range []string{"DriverGenerateBucketId", first.Name, cl.driver.Name()} {
				if !strings.Contains(provisioned.Message, want) {
					t.Errorf("the message does not name %s: %s", want, provisioned.Message)
				}
			}
			cl.releaseClaim(second)
			cl.Must(cl.Delete(t.Context(), second))
			cl.WaitGone(second)
			if diff := gocmp.Diff(before, cl.driver.Buckets()); diff != "" {
				t.Errorf("%s: buckets of the backend (-want +got):\n%s", tc.reason, diff)
			}
			if calls := cl.driver.Calls("DriverCreateBucket", "DriverDeleteBucket"); len(calls) != created {
				t.Errorf("calls by another's ID: %v", calls[created:])
			}
		})
	}
}

// An ID that is no longer used, or is used by another driver, is free.
func TestBucketIDThatIsFree(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	cl.namesBucket("same")
	foreign := cl.bucket(func(b *v1alpha2.Bucket) { b.Spec.DriverName = "another.test" })
	cl.ModifyStatus(foreign, func() { foreign.Status.BucketID = "same" })
	for range 3 {
		bucket := cl.readyBucket()
		cl.releaseClaim(bucket)
		cl.Must(cl.Delete(t.Context(), bucket))
		cl.WaitGone(bucket)
	}
}

// Of many Buckets that are named the same ID at the same time, one gets it.
func TestBucketIDOfManyAtOnce(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.Workers = 8
	cl.start()
	cl.namesBucket("same")
	buckets := make([]*v1alpha2.Bucket, 16)
	for i := range buckets {
		buckets[i] = cl.bucket()
	}
	outcome := map[string]int{}
	cl.Eventually(func() error {
		clear(outcome)
		for _, bucket := range buckets {
			if err := cl.Refresh(bucket); err != nil {
				return err
			}
			if provisioned := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisioned); provisioned != nil {
				outcome[provisioned.Reason]++
			}
		}
		if done := outcome[v1alpha2.ReasonProvisioned] + outcome[v1alpha2.ReasonInvalidDriverResponse]; done != len(buckets) {
			return fmt.Errorf("not all have come to an end: %v", outcome)
		}
		return nil
	})
	want := map[string]int{v1alpha2.ReasonProvisioned: 1, v1alpha2.ReasonInvalidDriverResponse: len(buckets) - 1}
	if diff := gocmp.Diff(want, outcome); diff != "" {
		t.Errorf("Buckets by their reasons (-want +got):\n%s", diff)
	}
}

// An account is one BucketAccess's as well: the end of the second would revoke the
// credentials of the first.
// KEP: GRPC-GENERATEACCESSID-12
func TestAccountIDOfAnotherAccess(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	first := cl.readyAccess(bucket)
	cl.namesAccount(first.Status.AccountID)
	second := cl.access([]*v1alpha2.Bucket{bucket})
	cl.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
	provisioned := meta.FindStatusCondition(second.Status.Conditions, v1alpha2.ConditionProvisioned)
	for _, want := range []string{"DriverGenerateBucketAccessId", first.Namespace + "/" + first.Name, cl.driver.Name()} {
		if !strings.Contains(provisioned.Message, want) {
			t.Errorf("the message does not name %s: %s", want, provisioned.Message)
		}
	}
	cl.Must(cl.Delete(t.Context(), second))
	cl.isHandedBack(second)
	if diff := gocmp.Diff([]string{first.Status.AccountID}, cl.driver.Accounts()); diff != "" {
		t.Errorf("accounts of the backend (-want +got):\n%s", diff)
	}
	if calls := cl.driver.Calls("DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("calls by another's ID: %v", calls)
	}

	cl.Must(cl.Delete(t.Context(), first))
	cl.isHandedBack(first)
	third := cl.readyAccess(bucket)
	if third.Status.AccountID != first.Status.AccountID {
		t.Errorf("status.accountID %q, want %q, which is free again", third.Status.AccountID, first.Status.AccountID)
	}
}
