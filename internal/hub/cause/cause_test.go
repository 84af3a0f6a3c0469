package cause_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/hub/cause"
)

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: 1}
}

// waitingAccess is an access to the claim photos, which is not ready.
func waitingAccess() *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "rw", Generation: 1},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "standard",
			BucketClaims:          []v1alpha2.BucketClaimAccess{{BucketClaimName: "photos", AccessSecretName: "keys"}},
		},
		Status: v1alpha2.BucketAccessStatus{Conditions: []metav1.Condition{
			condition(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket, "waiting for the bucket of photos"),
		}},
	}
}

func claim(class string, status v1alpha2.BucketClaimStatus) v1alpha2.BucketClaim {
	return v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "photos", Generation: 1},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class}, Status: status,
	}
}

func lists(claims ...v1alpha2.BucketClaim) *hub.Lists {
	return &hub.Lists{
		Claims:        claims,
		BucketClasses: []v1alpha2.BucketClass{{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}},
		AccessClasses: []v1alpha2.BucketAccessClass{{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}},
	}
}

// refused has a Bucket whose call the driver rejects, and a claim that quotes it.
func refused() *hub.Lists {
	const message = "quotaBytes is odd"
	quoted := condition(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused, `Bucket "b": `+message)
	own := condition(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused, message)
	failed := condition(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused, message)
	all := lists(claim("standard", v1alpha2.BucketClaimStatus{BoundBucketName: "b", Conditions: []metav1.Condition{quoted}}))
	all.Buckets = []v1alpha2.Bucket{{
		ObjectMeta: metav1.ObjectMeta{Name: "b", Generation: 1}, Status: v1alpha2.BucketStatus{Conditions: []metav1.Condition{own, failed}},
	}}
	return all
}

// unserved has a Bucket of a driver without a sidecar.
func unserved(conditions []metav1.Condition) *hub.Lists {
	all := lists(claim("standard", v1alpha2.BucketClaimStatus{BoundBucketName: "b"}))
	all.Buckets = []v1alpha2.Bucket{{
		ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: v1alpha2.BucketSpec{DriverName: "nodriver"},
		Status: v1alpha2.BucketStatus{Conditions: conditions},
	}}
	return all
}

func TestOfAccess(t *testing.T) {
	noClass := waitingAccess()
	noClass.Spec.BucketAccessClassName = "standrd"
	pending := []metav1.Condition{condition(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonPending, "")}
	ready := waitingAccess()
	ready.Status.ReadyToUse = true
	retried := condition(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError, "unavailable")
	stale := refused()
	stale.Claims[0].Generation, stale.Buckets[0].Generation = 2, 2
	unwritable := condition(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed, "no quota")
	for name, tc := range map[string]struct {
		reason string
		all    *hub.Lists
		access *v1alpha2.BucketAccess
		want   cause.List
	}{
		"Ready": {"It has no cause.", lists(), ready, nil},
		"NoClaim": {"The access names it.", lists(), waitingAccess(), cause.List{
			{Object: `BucketAccess "rw"`, Message: `BucketClaim "photos" not found: create it, or correct its name`, Kind: cause.Missing},
		}},
		"NoSidecar": {"A Bucket that no sidecar has seen has no condition that names the cause.", unserved(nil), waitingAccess(), cause.List{
			{Object: `Bucket "b"`, Message: `no sidecar of driver "nodriver" has acted on it yet: 'cosi-emu status --drivers' lists the sidecars`},
			{Object: `BucketAccess "rw"`, Message: "waiting for the bucket of photos"},
		}},
		"NoSidecarOfV1alpha1": {"A translated Bucket has a condition without a cause.", unserved(pending), waitingAccess(), cause.List{
			{Object: `Bucket "b"`, Message: `no sidecar of driver "nodriver" has acted on it yet: 'cosi-emu status --drivers' lists the sidecars`},
			{Object: `BucketAccess "rw"`, Message: "waiting for the bucket of photos"},
		}},
		"NoClass": {"A misspelt class has a suggestion, and the access only waits.", lists(claim("standart", v1alpha2.BucketClaimStatus{})),
			waitingAccess(), cause.List{
				{Object: `BucketClaim "photos"`, Message: `BucketClass "standart" not found: did you mean "standard"?`, Kind: cause.Missing},
			}},
		"NoAccessClass": {"It is the access's own.", lists(claim("standard", v1alpha2.BucketClaimStatus{ReadyToUse: true})), noClass, cause.List{
			{Object: `BucketAccess "rw"`, Message: `BucketAccessClass "standrd" not found: did you mean "standard"?`, Kind: cause.Missing},
		}},
		"Rejected": {"The Bucket is the cause, and the claim only quotes it.", refused(), waitingAccess(), cause.List{
			{Object: `Bucket "b"`, Message: "quotaBytes is odd", Kind: cause.Final},
		}},
		"Corrected": {"A condition about an earlier spec is not final.", stale, waitingAccess(), cause.List{
			{Object: `Bucket "b"`, Message: "quotaBytes is odd"},
			{Object: `BucketAccess "rw"`, Message: "waiting for the bucket of photos"},
		}},
		"Unwritable": {"COSI retries, although ResourcesValidated is False.",
			lists(claim("standard", v1alpha2.BucketClaimStatus{Conditions: []metav1.Condition{unwritable}})), waitingAccess(), cause.List{
				{Object: `BucketClaim "photos"`, Message: "no quota"},
				{Object: `BucketAccess "rw"`, Message: "waiting for the bucket of photos"},
			}},
		"Retried": {"COSI retries.", lists(claim("standard", v1alpha2.BucketClaimStatus{Conditions: []metav1.Condition{retried}})),
			waitingAccess(), cause.List{
				{Object: `BucketClaim "photos"`, Message: "unavailable"},
				{Object: `BucketAccess "rw"`, Message: "waiting for the bucket of photos"},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, cause.OfAccess(tc.all, tc.access)); diff != "" {
				t.Errorf("%s\nOfAccess(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOfSecret(t *testing.T) {
	all := refused()
	all.Accesses = []v1alpha2.BucketAccess{*waitingAccess()}
	want := cause.List{{Object: `Bucket "b"`, Message: "quotaBytes is odd", Kind: cause.Final}}
	if diff := cmp.Diff(want, cause.OfSecret(all, types.NamespacedName{Namespace: "demo", Name: "keys"})); diff != "" {
		t.Errorf("OfSecret(): -want, +got:\n%s", diff)
	}
	if got := cause.OfSecret(all, types.NamespacedName{Namespace: "other", Name: "keys"}); got != nil {
		t.Errorf("OfSecret() = %v for a Secret of another namespace, want nothing", got)
	}
}
