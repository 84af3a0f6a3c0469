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
func (w *world) namesBucket(id string) {
	w.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
}

// namesAccount has the driver name one ID for every account.
func (w *world) namesAccount(id string) {
	w.driver.Answer("DriverGenerateBucketAccessId", &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: id})
}

// A driver that names the ID of one Bucket for another is not believed: the end of
// the second would be the end of the first one's data.
// KEP: GRPC-GENERATEBUCKETID-11
func TestBucketIDOfAnotherBucket(t *testing.T) {
	cases := []struct {
		name   string
		reason string
		holder func(*world) *v1alpha2.Bucket
	}{
		{"provisioned", "its data would be deleted", func(w *world) *v1alpha2.Bucket { return w.readyBucket() }},
		{"existing", "COSI must not delete what it has not created", func(w *world) *v1alpha2.Bucket {
			w.driver.AddBucket("old")
			return w.readyBucket(existing("old"))
		}},
		{"existing, and not found yet", "an administrator waits for it",
			func(w *world) *v1alpha2.Bucket { return w.bucket(existing("awaited")) }},
	}
	w := newWorld(t)
	w.start()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := w.in(t)
			w.driver.Script("DriverGenerateBucketId", nil)
			first := tc.holder(w)
			w.namesBucket(cmp.Or(first.Status.BucketID, first.Spec.ExistingBucketID))
			before, created := w.driver.Buckets(), len(w.driver.Calls("DriverCreateBucket", "DriverDeleteBucket"))
			second := w.bucket()
			w.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
			if second.Status.ReadyToUse || second.Status.BucketID != "" {
				t.Errorf("%s: %+v", tc.reason, second.Status)
			}
			provisioned := meta.FindStatusCondition(second.Status.Conditions, v1alpha2.ConditionProvisioned)
			for _, want := range []string{"DriverGenerateBucketId", first.Name, w.driver.Name()} {
				if !strings.Contains(provisioned.Message, want) {
					t.Errorf("the message does not name %s: %s", want, provisioned.Message)
				}
			}
			w.releaseClaim(second)
			w.Must(w.Delete(t.Context(), second))
			w.WaitGone(second)
			if diff := gocmp.Diff(before, w.driver.Buckets()); diff != "" {
				t.Errorf("%s: buckets of the backend (-want +got):\n%s", tc.reason, diff)
			}
			if calls := w.driver.Calls("DriverCreateBucket", "DriverDeleteBucket"); len(calls) != created {
				t.Errorf("calls by another's ID: %v", calls[created:])
			}
		})
	}
}

// An ID that is no longer used, or is used by another driver, is free.
func TestBucketIDThatIsFree(t *testing.T) {
	w := newWorld(t)
	w.start()
	w.namesBucket("same")
	foreign := w.bucket(func(b *v1alpha2.Bucket) { b.Spec.DriverName = "another.test" })
	w.ModifyStatus(foreign, func() { foreign.Status.BucketID = "same" })
	for range 3 {
		bucket := w.readyBucket()
		w.releaseClaim(bucket)
		w.Must(w.Delete(t.Context(), bucket))
		w.WaitGone(bucket)
	}
}

// Of many Buckets that are named the same ID at the same time, one gets it.
func TestBucketIDOfManyAtOnce(t *testing.T) {
	w := newWorld(t)
	w.options.Workers = 8
	w.start()
	w.namesBucket("same")
	buckets := make([]*v1alpha2.Bucket, 16)
	for i := range buckets {
		buckets[i] = w.bucket()
	}
	outcome := map[string]int{}
	w.Eventually(func() error {
		clear(outcome)
		for _, bucket := range buckets {
			if err := w.Refresh(bucket); err != nil {
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
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	first := w.readyAccess(bucket)
	w.namesAccount(first.Status.AccountID)
	second := w.access([]*v1alpha2.Bucket{bucket})
	w.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
	provisioned := meta.FindStatusCondition(second.Status.Conditions, v1alpha2.ConditionProvisioned)
	for _, want := range []string{"DriverGenerateBucketAccessId", first.Namespace + "/" + first.Name, w.driver.Name()} {
		if !strings.Contains(provisioned.Message, want) {
			t.Errorf("the message does not name %s: %s", want, provisioned.Message)
		}
	}
	w.Must(w.Delete(t.Context(), second))
	w.isHandedBack(second)
	if diff := gocmp.Diff([]string{first.Status.AccountID}, w.driver.Accounts()); diff != "" {
		t.Errorf("accounts of the backend (-want +got):\n%s", diff)
	}
	if calls := w.driver.Calls("DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("calls by another's ID: %v", calls)
	}

	w.Must(w.Delete(t.Context(), first))
	w.isHandedBack(first)
	third := w.readyAccess(bucket)
	if third.Status.AccountID != first.Status.AccountID {
		t.Errorf("status.accountID %q, want %q, which is free again", third.Status.AccountID, first.Status.AccountID)
	}
}
