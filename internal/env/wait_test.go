package env_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

// failingV1alpha1 are an access, its claim, and the Event of the claim.
func failingV1alpha1(message string, annotations map[string]string) []client.Object {
	meta := metav1.ObjectMeta{Namespace: "demo", Name: "photos", Generation: 1}
	access := &v1alpha1.BucketAccess{
		ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{BucketAccessClassName: "standard", BucketClaimName: "photos"},
	}
	claim := &v1alpha1.BucketClaim{ObjectMeta: meta, Spec: v1alpha1.BucketClaimSpec{BucketClassName: "standard"}}
	access.UID, claim.UID = "access", "claim"
	return []client.Object{
		access, claim,
		&v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}},
		&v1alpha1.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}},
		&corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "demo", Name: "why", Annotations: annotations},
			InvolvedObject: corev1.ObjectReference{UID: claim.UID}, Type: corev1.EventTypeWarning, Reason: "FailedCreateBucket", Message: message,
		},
	}
}

// TestWaitAccessEnds waits for accesses that get no credentials.
func TestWaitAccessEnds(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "demo", Name: "photos", UID: "1", Generation: 1}
	access := &v1alpha2.BucketAccess{ObjectMeta: meta, Spec: v1alpha2.BucketAccessSpec{
		BucketAccessClassName: "standard", BucketClaims: []v1alpha2.BucketClaimAccess{{BucketClaimName: "photos", AccessSecretName: "s"}},
	}}
	class := &v1alpha2.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	claim := func(class string, conditions ...metav1.Condition) *v1alpha2.BucketClaim {
		return &v1alpha2.BucketClaim{
			ObjectMeta: meta, Spec: v1alpha2.BucketClaimSpec{BucketClassName: class},
			Status: v1alpha2.BucketClaimStatus{Conditions: conditions},
		}
	}
	existing := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	condition := func(status metav1.ConditionStatus, message string) metav1.Condition {
		return metav1.Condition{
			Type: v1alpha2.ConditionProvisioned, Status: status, Reason: v1alpha2.ReasonDriverRefused, Message: message, ObservedGeneration: 1,
		}
	}
	for name, tc := range map[string]struct {
		reason  string
		version objectstorage.Version
		objects []client.Object
		want    string
		after   time.Duration // less than a second more
	}{
		"Final": {
			"COSI does not retry.", objectstorage.V1alpha2,
			[]client.Object{access, class, existing, claim("standard", condition(metav1.ConditionFalse, "quotaBytes is odd"))},
			`BucketClaim "photos": quotaBytes is odd`, 0,
		},
		"Missing": {
			"Another manifest may still create it.", objectstorage.V1alpha2, []client.Object{access, class, existing, claim("standrd")},
			`BucketClaim "photos": BucketClass "standrd" not found: did you mean "standard"?`, 5 * time.Second,
		},
		"MissingV1alpha1": {
			"So in v1alpha1.", objectstorage.V1alpha1, []client.Object{
				&v1alpha1.BucketAccess{ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{BucketAccessClassName: "standard", BucketClaimName: "photos"}},
				&v1alpha1.BucketClaim{ObjectMeta: meta, Spec: v1alpha1.BucketClaimSpec{BucketClassName: "other"}},
				&v1alpha1.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}},
			}, `BucketClaim "photos": BucketClass "other" not found: create it, or correct its name`, 5 * time.Second,
		},
		"Waiting": {
			"The end of the wait has the cause.", objectstorage.V1alpha2,
			[]client.Object{access, class, existing, claim("standard", condition(metav1.ConditionUnknown, "the driver is away"))},
			`BucketClaim "photos": the driver is away`, 30 * time.Second,
		},
		"RetriedV1alpha1": {
			"COSI retries.", objectstorage.V1alpha1, failingV1alpha1("DriverError: no quota", nil), `no quota`, 30 * time.Second,
		},
		"FinalV1alpha1": {
			"COSI does not retry.", objectstorage.V1alpha1,
			failingV1alpha1("DriverRefused: no quota", map[string]string{v1alpha1.FinalGenerationAnnotation: "1"}),
			`COSI does not retry until an object is corrected: BucketClaim "photos": no quota`, 0,
		},
		"CorrectedV1alpha1": {
			"The Event is about an earlier spec.", objectstorage.V1alpha1,
			failingV1alpha1("DriverRefused: no quota", map[string]string{v1alpha1.FinalGenerationAnnotation: "0"}), `no quota`, 30 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				scheme := runtime.NewScheme()
				if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
					t.Fatal(err)
				}
				c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.objects...).Build()
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				began := time.Now()
				_, err := env.WaitAccess(ctx, c, tc.version, client.ObjectKeyFromObject(access), "")
				if !errors.Is(err, env.ErrNotReady) || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s\nWaitAccess() = %v, want %s", tc.reason, err, tc.want)
				}
				if took := time.Since(began); took < tc.after || took > tc.after+time.Second {
					t.Errorf("%s\nWaitAccess() ended after %s, want %s", tc.reason, took, tc.after)
				}
			})
		})
	}
}
