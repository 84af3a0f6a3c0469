package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// rejection is an access that its class, its claims or its Secrets rule out.
type rejection struct {
	class  func(*v1alpha2.BucketAccessClass)
	claims []string
	access func(*v1alpha2.BucketAccess)
	reason string
	// says is the text that the user has to read.
	says string
}

func disallow(category string, mode v1alpha2.BucketAccessMode) func(*v1alpha2.BucketAccessClass) {
	return func(class *v1alpha2.BucketAccessClass) {
		modes := []v1alpha2.BucketAccessMode{mode}
		class.Spec.DisallowedBucketAccessModes = &v1alpha2.DisallowedBucketAccessModes{}
		switch disallowed := class.Spec.DisallowedBucketAccessModes; category {
		case "objectData":
			disallowed.ObjectData = modes
		case "objectMetadata":
			disallowed.ObjectMetadata = modes
		case "bucketMetadata":
			disallowed.BucketMetadata = modes
		}
	}
}

func ask(category string, mode v1alpha2.BucketAccessMode) func(*v1alpha2.BucketAccess) {
	return func(access *v1alpha2.BucketAccess) {
		modes := &access.Spec.BucketClaims[0].AccessModes
		*modes = v1alpha2.BucketAccessModes{}
		switch category {
		case "objectData":
			modes.ObjectData = mode
		case "objectMetadata":
			modes.ObjectMetadata = mode
		case "bucketMetadata":
			modes.BucketMetadata = mode
		}
	}
}

var (
	categories = []string{"objectData", "objectMetadata", "bucketMetadata"}
	modes      = []v1alpha2.BucketAccessMode{
		v1alpha2.BucketAccessModeReadWrite, v1alpha2.BucketAccessModeReadOnly, v1alpha2.BucketAccessModeWriteOnly,
	}
)

func rejections() map[string]rejection {
	all := map[string]rejection{
		"several claims, nothing said of them": {
			claims: []string{"a", "b"}, reason: v1alpha2.ReasonMultiBucketDisallowed, says: "2 entries",
		},
		"several claims, single bucket": {
			class: func(class *v1alpha2.BucketAccessClass) {
				class.Spec.MultiBucketAccess = v1alpha2.MultiBucketAccessSingleBucket
			},
			claims: []string{"a", "b"}, reason: v1alpha2.ReasonMultiBucketDisallowed, says: "2 entries",
		},
		"no service account": {
			class: func(class *v1alpha2.BucketAccessClass) {
				class.Spec.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
			},
			reason: v1alpha2.ReasonServiceAccountRequired, says: "serviceAccountName",
		},
		"one Secret for two claims": {
			class: forSeveralBuckets, claims: []string{"a", "b"},
			access: func(access *v1alpha2.BucketAccess) { access.Spec.BucketClaims[1].AccessSecretName = "app-a" },
			reason: v1alpha2.ReasonSecretConflict, says: `"app-a"`,
		},
		"another driver's class": {
			class:  func(class *v1alpha2.BucketAccessClass) { class.Spec.DriverName = "other.test" },
			reason: v1alpha2.ReasonDriverMismatch, says: `"other.test"`,
		},
		"a protocol that the bucket does not have": {
			access: func(access *v1alpha2.BucketAccess) { access.Spec.Protocol = v1alpha2.ProtocolGCS },
			reason: v1alpha2.ReasonProtocolNotSupported, says: "GCS",
		},
	}
	for _, category := range categories {
		for _, mode := range modes {
			all[fmt.Sprintf("%s of %s", mode, category)] = rejection{
				class: disallow(category, mode), access: ask(category, mode),
				reason: v1alpha2.ReasonAccessModeDisallowed, says: fmt.Sprintf("%s of %s", mode, category),
			}
		}
	}
	return all
}

// TestRejectedAccess: the conditions of an access report why it is rejected; it has no consequence:
// no call, no Secret, no hold on the claims.
// KEP: COND-ACCESS-3, REASON-21
func TestRejectedAccess(t *testing.T) {
	cl := newTestCluster(t)
	for name, tc := range rejections() {
		t.Run(name, func(t *testing.T) {
			cl := cl.inNamespace(t)
			class := cl.accessClass()
			if tc.class != nil {
				tc.class(class)
			}
			cl.Make(cl.bucketClass(), class)
			claims := tc.claims
			if claims == nil {
				claims = []string{"a"}
			}
			access := cl.access("app", claims...)
			if tc.access != nil {
				tc.access(access)
			}
			for _, name := range claims {
				claim := cl.claim(name)
				cl.Make(claim)
				cl.WaitReady(claim)
			}
			cl.Make(access)
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			message := cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			if !strings.Contains(message, tc.says) {
				t.Errorf("message %q does not mention %s", message, tc.says)
			}
			cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionUnknown, v1alpha2.ReasonPending)
			cl.expectNoConsequence(access)
			cl.Remove(access)
			cl.WaitGone(access)
		})
	}
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("driver calls for a rejected object: %v", calls)
	}
}

func (cl *testCluster) expectNoConsequence(access *v1alpha2.BucketAccess) {
	cl.Helper()
	for n, wanted := range access.Spec.BucketClaims {
		cl.WaitGone(secretOf(access, n))
		claim := cl.claim(wanted.BucketClaimName)
		if err := cl.expectUnheld(claim); err != nil {
			cl.Error(err)
		}
	}
}

// TestAllowedModes: a class that disallows one mode allows the others, and all
// modes of the other categories.
// KEP: API-ACCESSCLASS-6
func TestAllowedModes(t *testing.T) {
	cl := newTestCluster(t)
	claim := cl.claim("data")
	cl.Make(cl.bucketClass(), claim, cl.accessClass(disallow("objectData", v1alpha2.BucketAccessModeReadWrite)))
	for i, change := range []func(*v1alpha2.BucketAccess){
		ask("objectData", v1alpha2.BucketAccessModeReadOnly),
		ask("objectMetadata", v1alpha2.BucketAccessModeReadWrite),
		ask("bucketMetadata", v1alpha2.BucketAccessModeReadWrite),
	} {
		access := cl.access(fmt.Sprintf("app-%d", i), "data")
		change(access)
		cl.Make(access)
		cl.WaitReady(access)
	}
}

// TestForeignSecret: a Secret that COSI did not create is left alone, before the driver
// is asked for anything that would have to be written into it.
func TestForeignSecret(t *testing.T) {
	cl := newTestCluster(t)
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "app-data"}, StringData: map[string]string{"password": "x"},
	}
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(foreign, cl.bucketClass(), cl.accessClass(), claim, access)
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	message := cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	if !strings.Contains(message, `"app-data"`) {
		t.Errorf("the message does not name the Secret: %s", message)
	}
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
	version := foreign.ResourceVersion
	cl.Remove(access)
	cl.WaitGone(access)
	cl.Must(cl.Refresh(foreign))
	if foreign.ResourceVersion != version {
		t.Errorf("the foreign Secret was written: %+v", foreign.ObjectMeta)
	}
}

// TestDriverRejectsAccess: a permanent error of the driver is reported once, and the driver is
// called once.
func TestDriverRejectsAccess(t *testing.T) {
	cl := newTestCluster(t)
	for _, method := range []string{"DriverGenerateBucketAccessId", "DriverGrantBucketAccess"} {
		reject := func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
			if strings.Contains(fmt.Sprint(request), "reject-"+method) {
				return nil, status.Error(codes.OutOfRange, "bucket metadata cannot be written")
			}
			return next()
		}
		cl.driver.Script(method, reject)
		t.Run(method, func(t *testing.T) {
			cl := cl.inNamespace(t)
			claim, access := cl.claim("data"), cl.access("app", "data")
			cl.Make(cl.bucketClass(), claim)
			cl.WaitReady(claim)
			cl.settle(t) // an event of the Bucket has the access tried once more
			cl.Make(access, cl.accessClass(func(class *v1alpha2.BucketAccessClass) {
				class.Spec.Parameters = map[string]string{"please": "reject-" + method}
			}))
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
			message := cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
			if !strings.Contains(message, "bucket metadata cannot be written") {
				t.Errorf("the message is not the driver's: %s", message)
			}
			cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
			cl.settle(t)
			about := accountID(access)
			if method == "DriverGenerateBucketAccessId" {
				about = v1alpha2.AccountNameForAccess(access.UID)
			}
			if got := count(cl.driver, method, about); got != 1 {
				t.Errorf("%d calls, want one", got)
			}
			cl.Remove(access, claim)
			cl.WaitGone(access, claim)
		})
	}
}
