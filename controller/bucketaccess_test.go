package controller_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

func multi(spec *v1alpha2.BucketAccessClassSpec) {
	spec.MultiBucketAccess = v1alpha2.MultiBucketAccessMultipleBuckets
}

// KEP: CHANGE-5, CHANGE-7, FLOW-GRANT-3.4, FLOW-GRANT-3.8.1, FLOW-GRANT-3.8.2
// KEP: COND-VALID-4, API-ACCESS-STATUS-3, API-ACCESS-STATUS-4, API-ACCESS-STATUS-5
// KEP: API-ACCESS-STATUS-6, GRPC-GENERATEACCESSID-8, REASON-10
func TestAccessIsHandedOff(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass(multi))
	one, first := cl.provisioned("one")
	two, second := cl.provisioned("two")
	access := cl.access("app", "one", "two")
	cl.Make(access)
	cl.handedOff(access)
	want := v1alpha2.BucketAccessStatus{
		DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey,
		Parameters: map[string]string{"role": "user"},
		AccessedBuckets: []v1alpha2.AccessedBucket{
			{BucketName: first.Name, BucketID: "backend-id", BucketClaimName: "one"},
			{BucketName: second.Name, BucketID: "backend-id", BucketClaimName: "two"},
		},
	}
	got := access.Status.DeepCopy()
	got.Conditions = nil
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	for conditionType, want := range map[string]metav1.ConditionStatus{
		v1alpha2.ConditionProvisioned:        metav1.ConditionUnknown,
		v1alpha2.ConditionResourcesValidated: metav1.ConditionTrue,
		v1alpha2.ConditionProvisionFailed:    metav1.ConditionUnknown,
	} {
		if c := meta.FindStatusCondition(access.Status.Conditions, conditionType); c == nil || c.Status != want {
			t.Errorf("condition %s is %v, want %s", conditionType, c, want)
		}
	}
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForDriver)
	if !controllerutil.ContainsFinalizer(access, v1alpha2.ProtectionFinalizer) {
		t.Errorf("access has no finalizer")
	}
	cluster.Await(cl.Cluster, one, "is annotated", protected)
	cluster.Await(cl.Cluster, two, "is annotated", protected)
}

// TestAccessWrites holds the controller to the fewest writes that there can be,
// in the order that keeps the claim from going in between.
// KEP: FLOW-GRANT-3.5, FLOW-GRANT-3.8.2
// Design: CK-ATTACH-6
func TestAccessWrites(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	cl.provisioned("data")
	before := cl.Settle()
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.Settle()
	of := "PATCH /apis/objectstorage.k8s.io/v1alpha2/namespaces/" + cl.Namespace
	want := []string{of + "/bucketaccesses/app 200", of + "/bucketclaims/data 200", of + "/bucketaccesses/app/status 200"}
	if diff := cmp.Diff(want, texts(cl.Requests.Writes()[before:])); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestE13E14AccessWaits: whatever an access waits for wakes it when it comes. A
// wait that a retry would have to end does not end within the test.
// KEP: OVER-1, FLOW-GRANT-3.1, FLOW-GRANT-3.3, FLOW-GRANT-3.4, FLOW-GRANT-3.6, FLOW-GRANT-3.6.1
// KEP: COND-VALID-3, COND-ACCESS-2, REASON-6, REASON-7
func TestE13E14AccessWaits(t *testing.T) {
	cl := prepare(t)
	cl.startController(func(o *cosicontroller.Options) { o.RetryBaseDelay, o.RetryMaxDelay = time.Hour, time.Hour })
	access := cl.access("app", "data")
	cl.Make(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketAccessClassNotFound)
	if len(access.Finalizers) > 0 {
		t.Errorf("access has finalizers %v before anything was done for it", access.Finalizers)
	}
	cl.Settle()
	cl.Make(newAccessClass())
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	cl.Settle()
	claim := cl.claim("data")
	cl.Make(claim)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	cluster.Await(cl.Cluster, claim, "is held while the access waits", protected)
	cl.Settle()
	cl.Make(class())
	bucket := cl.bucketOf(claim)
	cl.report(bucket, identify)
	cl.Settle()
	cl.Must(cl.Refresh(access))
	if access.Status.DriverName != "" {
		t.Errorf("the access was handed off before the Bucket had protocols")
	}
	cl.report(bucket, provision)
	cl.handedOff(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	cl.loseNoWrite(claim)
}

// TestClaimConflictIsRetriedAtOnce: an access annotates a claim between the read
// and the write of the claim's own reconciler. The watch on the annotation retries
// the write, not a back-off, which would not end within the test.
func TestClaimConflictIsRetriedAtOnce(t *testing.T) {
	cl := prepare(t)
	asked, annotated := make(chan struct{}), make(chan struct{})
	var once sync.Once
	cl.Requests.Intercept(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPatch || path.Base(path.Dir(r.URL.Path)) != "bucketclaims" {
			return nil, nil
		}
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		patch, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		before := asked // the access annotates when the claim's reconciler has asked for the finalizer
		if strings.Contains(string(patch), v1alpha2.ProtectionFinalizer) {
			once.Do(func() { close(asked) })
			before = annotated
		}
		select {
		case <-before:
		case <-r.Context().Done():
		}
		return nil, r.Context().Err()
	})
	cl.startController(func(o *cosicontroller.Options) { o.RetryBaseDelay, o.RetryMaxDelay = time.Hour, time.Hour })
	cl.Make(class(), newAccessClass(), cl.access("app", "data"))
	claim := cl.claim("data")
	cl.Make(claim)
	cluster.Await(cl.Cluster, claim, "is annotated", protected)
	close(annotated)
	cl.bucketOf(claim)
	cl.Settle()
	cl.loseNoWrite(claim)
	if lost := cl.answers(http.StatusConflict); lost != 1 {
		t.Errorf("%d conflicts, want the 1 that this test provokes", lost)
	}
}

// loseNoWrite fails the test if a write failed. One kind of failure is allowed:
// the claim's reconciler adds the finalizer with a lock, which is lost to an access
// that annotates the claim at the same time. The reconciler must then succeed the
// next time: the claim has two changes of its metadata in any case.
func (cl *testCluster) loseNoWrite(claim *v1alpha2.BucketClaim) {
	cl.Helper()
	written := 0
	for _, c := range cl.Requests.Writes() {
		isClaim := c.Method == http.MethodPatch && strings.HasSuffix(c.Path, "/bucketclaims/"+claim.Name)
		switch {
		case isClaim && c.Status == http.StatusOK:
			written++
		case isClaim && c.Status == http.StatusConflict && written < 2:
		case c.Status >= http.StatusBadRequest:
			cl.Errorf("failed write: %s", c)
		}
	}
	if written != 2 {
		cl.Errorf("the claim's metadata was written %d times, want 2: the finalizer and the annotation", written)
	}
}

// KEP: ARCH-1, FLOW-GRANT-3.2, COND-ACCESS-3, EVENT-ACCESS-2
func TestAccessIsRejected(t *testing.T) {
	cases := []struct {
		name   string
		class  func(*v1alpha2.BucketAccessClassSpec)
		spec   func(*v1alpha2.BucketAccessSpec)
		reason string
	}{
		// KEP: REASON-22
		{"two claims", func(*v1alpha2.BucketAccessClassSpec) {}, func(s *v1alpha2.BucketAccessSpec) {
			s.BucketClaims = append(s.BucketClaims, v1alpha2.BucketClaimAccess{
				BucketClaimName: "other", AccessSecretName: "other", AccessModes: s.BucketClaims[0].AccessModes,
			})
		}, v1alpha2.ReasonMultiBucketDisallowed},
		// KEP: REASON-24
		{"E12 other driver", func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = "another.driver" },
			func(*v1alpha2.BucketAccessSpec) {}, v1alpha2.ReasonDriverMismatch},
		// KEP: API-ACCESS-SPEC-7
		{"other protocol", func(*v1alpha2.BucketAccessClassSpec) {},
			func(s *v1alpha2.BucketAccessSpec) { s.Protocol = v1alpha2.ProtocolAzure }, v1alpha2.ReasonProtocolNotSupported},
		// KEP: API-ACCESS-SPEC-9, REASON-23
		{"no ServiceAccount", func(s *v1alpha2.BucketAccessClassSpec) {
			s.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
		}, func(*v1alpha2.BucketAccessSpec) {}, v1alpha2.ReasonServiceAccountRequired},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			cl.Make(class(), newAccessClass(tc.class))
			claim, _ := cl.provisioned("data")
			before := cl.Settle()
			access := cl.access("app", "data")
			tc.spec(&access.Spec)
			cl.Make(access)
			cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			if access.Status.DriverName != "" || len(access.Status.AccessedBuckets) > 0 {
				t.Errorf("a rejected access was handed off: %+v", access.Status)
			}
			if writes := cl.Settle() - before; writes != 1 {
				t.Errorf("%d writes for a rejection, want 1: %v", writes, cl.Requests.Writes()[before:])
			}
			cluster.Await(cl.Cluster, claim, "is not held by a rejected access", unprotected)
			cl.Eventually(func() error {
				events, want := cl.Events(access), "Warning: "+tc.reason+": "
				if len(events) != 1 || !strings.HasPrefix(events[v1alpha2.ReasonFailedGrantAccess], want) {
					return fmt.Errorf("events %v", events)
				}
				return nil
			})
		})
	}
}

// TestRejectedAccessIsRetriedWithANewClass: the class is replaced by one that allows it.
// KEP: FLOW-GRANT-3.2, RETRY-7
func TestRejectedAccessIsRetriedWithANewClass(t *testing.T) {
	cl := start(t)
	wrong := newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = "another.driver" })
	cl.Make(class(), wrong)
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
	cl.Must(cl.Delete(context.Background(), wrong))
	cl.Make(newAccessClass())
	cl.handedOff(access)
	cluster.Await(cl.Cluster, claim, "is held", protected)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

// TestRejectedAccessReleasesTheClaim: the claim is protected while the access waits, and
// released when the access is rejected. Nothing reconciles in a loop.
func TestRejectedAccessReleasesTheClaim(t *testing.T) {
	cl := start(t)
	cl.Make(newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = "another.driver" }))
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(claim, access)
	cluster.Await(cl.Cluster, claim, "is held while the access waits", protected)
	cl.Make(class())
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
	cluster.Await(cl.Cluster, claim, "is released", unprotected)
	cl.Settle()
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
}

// TestE23AccessToDeletingClaim: a claim on its way out gets no new accesses, and
// those that ask for it do not hold it up.
// KEP: FLOW-GRANT-0, FLOW-GRANT-3.7, COND-ACCESS-4, REASON-18
func TestAccessToDeletingClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	holder := cl.access("holder", "data")
	cl.Make(holder)
	cl.handedOff(holder)
	cl.Must(cl.Delete(context.Background(), claim))
	late := cl.access("late", "data")
	cl.Make(late)
	cl.WaitCondition(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	cl.Must(cl.Delete(context.Background(), holder))
	cl.finishCleanup(holder)
	cl.WaitGone(holder)
	cl.WaitGone(claim)
	again, _ := cl.provisioned("data")
	cl.handedOff(late)
	cluster.Await(cl.Cluster, again, "is held", protected)
}

func (cl *testCluster) removeAnnotation(claim *v1alpha2.BucketClaim) {
	cl.Helper()
	cl.Must(cl.Refresh(claim))
	before := claim.DeepCopy()
	delete(claim.Annotations, v1alpha2.HasBucketAccessReferencesAnnotation)
	if len(before.Annotations) == len(claim.Annotations) {
		cl.Must(errors.New("there was no annotation to remove"))
	}
	cl.Must(cl.Patch(context.Background(), claim, client.MergeFrom(before)))
}
