package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// prefilled is a status that a user wrote before COSI. It is about
// an object that waits: for a class, or for a driver that rejects the creation.
type prefilled struct {
	what   string
	object func(*testCluster) client.Object
	status func(client.Object)
	// The object ends with this condition.
	condition string
	want      metav1.ConditionStatus
	reason    string
	// heals is set if the object becomes ready once the obstacle is gone.
	heals bool
}

func waitingClaim(cl *testCluster) client.Object { return cl.claim("data") }

func waitingAccess(cl *testCluster) client.Object {
	cl.Make(cl.bucketClass(), cl.claim("data"))
	return cl.access("app", "data")
}

// rejectedBucket is the Bucket of a claim whose class the driver rejects.
func rejectedBucket(cl *testCluster) client.Object {
	claim := cl.claim("data")
	cl.Make(claim, cl.bucketClass(func(class *v1alpha2.BucketClass) { class.Spec.Parameters = map[string]string{"please": "reject"} }))
	cl.Eventually(func() error {
		bucket := &v1alpha2.Bucket{}
		bucket.Name = v1alpha2.BucketNameForClaim(claim.UID)
		return cl.Refresh(bucket)
	})
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(claim.UID)}}
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	return bucket
}

func lie(object client.Object) {
	h := handleOf(object)
	h.set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue)
	*h.ready = true
}

func onAccess(change func(*v1alpha2.BucketAccess)) func(client.Object) {
	return func(object client.Object) {
		if access, ok := object.(*v1alpha2.BucketAccess); ok {
			change(access)
		}
	}
}

func onClaim(change func(*v1alpha2.BucketClaim)) func(client.Object) {
	return func(object client.Object) {
		if claim, ok := object.(*v1alpha2.BucketClaim); ok {
			change(claim)
		}
	}
}

func onBucket(change func(*v1alpha2.Bucket)) func(client.Object) {
	return func(object client.Object) {
		if bucket, ok := object.(*v1alpha2.Bucket); ok {
			change(bucket)
		}
	}
}

// handedOver fills in the controller's part of an access to Buckets of claims.
func handedOver(driver string, claims ...string) func(client.Object) {
	return onAccess(func(access *v1alpha2.BucketAccess) {
		access.Status.DriverName = driver
		access.Status.AuthenticationType = v1alpha2.AuthenticationTypeKey
		for _, claim := range claims {
			access.Status.AccessedBuckets = append(access.Status.AccessedBuckets, v1alpha2.AccessedBucket{
				BucketName: "bucket-of-" + claim, BucketID: "id-of-" + claim, BucketClaimName: claim,
			})
		}
	})
}

var prefilledStatuses = map[string]prefilled{
	"claim, provisioned but not bound": {
		what: theClaim, object: waitingClaim, status: lie,
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketClassNotFound, heals: true,
	},
	"claim, ready but not provisioned": {
		what: theClaim, object: waitingClaim, status: func(o client.Object) { *handleOf(o).ready = true },
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketClassNotFound, heals: true,
	},
	"claim, with protocols only": {
		what: theClaim, object: waitingClaim,
		status: onClaim(func(claim *v1alpha2.BucketClaim) {
			claim.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS}
		}),
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketClassNotFound, heals: true,
	},
	"claim, bound to a Bucket that cannot be its own": {
		what: theClaim, object: waitingClaim,
		status:    onClaim(func(claim *v1alpha2.BucketClaim) { claim.Status.BoundBucketName = "another" }),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDegraded,
	},
	"claim, bound to a Bucket that was never made": {
		what: theClaim, object: waitingClaim,
		status: onClaim(func(claim *v1alpha2.BucketClaim) {
			claim.Status.BoundBucketName = v1alpha2.BucketNameForClaim(claim.UID)
		}),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonBucketLost,
	},
	"Bucket, provisioned without protocols": {
		what: theBucket, object: rejectedBucket, status: lie,
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDriverRefused,
	},
	"Bucket, ready": {
		what: theBucket, object: rejectedBucket, status: func(o client.Object) { *handleOf(o).ready = true },
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDriverRefused,
	},
	"Bucket, with protocols only": {
		what: theBucket, object: rejectedBucket,
		status:    onBucket(func(bucket *v1alpha2.Bucket) { bucket.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS} }),
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDriverRefused,
	},
	"access, granted but not handed over": {
		what: theAccess, object: waitingAccess, status: lie,
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketAccessClassNotFound, heals: true,
	},
	"access, with an account but no driver": {
		what: theAccess, object: waitingAccess,
		status:    onAccess(func(access *v1alpha2.BucketAccess) { access.Status.AccountID = "made-up" }),
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketAccessClassNotFound, heals: true,
	},
	"access, with buckets but no driver": {
		what: theAccess, object: waitingAccess, status: handedOver("", "data"),
		condition: v1alpha2.ConditionProvisioned, want: metav1.ConditionUnknown, reason: v1alpha2.ReasonBucketAccessClassNotFound,
	},
	"access, with a driver and nothing else": {
		what: theAccess, object: waitingAccess,
		status:    onAccess(func(access *v1alpha2.BucketAccess) { access.Status.DriverName = driverName }),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDegraded,
	},
	"access, to the Bucket of a claim that it does not name": {
		what: theAccess, object: waitingAccess, status: handedOver(driverName, "other"),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDegraded,
	},
	"access, to more Buckets than claims": {
		what: theAccess, object: waitingAccess, status: handedOver(driverName, "data", "other"),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonDegraded,
	},
	"access, to a Bucket that does not exist": {
		what: theAccess, object: waitingAccess, status: handedOver(driverName, "data"),
		condition: v1alpha2.ConditionResourcesValidated, want: metav1.ConditionFalse, reason: v1alpha2.ReasonBucketLost,
	},
	"access, of an unknown driver": {
		what: theAccess, object: waitingAccess, status: handedOver("absent.test", "data"),
	},
}

// TestPrefilledStatus: a status that a user has written too early is corrected or
// reported, and blocks no deletion.
func TestPrefilledStatus(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script("DriverCreateBucket", func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if asked, ok := request.(interface{ GetParameters() map[string]string }); ok && asked.GetParameters()["please"] == "reject" {
			return nil, status.Error(codes.InvalidArgument, "such buckets cannot be made")
		}
		return next()
	})
	for name, tc := range prefilledStatuses {
		t.Run(name, func(t *testing.T) {
			cl := cl.inNamespace(t)
			object := tc.object(cl)
			if tc.what != theBucket {
				cl.Make(object)
			}
			cl.ModifyStatus(object, func() { tc.status(object) })
			if tc.condition != "" {
				cl.WaitCondition(object, tc.condition, tc.want, tc.reason)
				cl.Eventually(func() error { return cl.notReady(object) })
			}
			cl.settle(t)
			if tc.condition != "" {
				cl.WaitCondition(object, tc.condition, tc.want, tc.reason)
			}
			if tc.heals {
				cl.Make(cl.missing(tc.what))
				cl.WaitReady(object)
			}
			cl.clear()
		})
	}
	cl.settle(t)
	if buckets, accounts := cl.driver.Buckets(), cl.driver.Accounts(); len(buckets)+len(accounts) > 0 {
		t.Errorf("left in the backend: buckets %v, accounts %v", buckets, accounts)
	}
}

// missing is the class that the object waits for.
func (cl *testCluster) missing(what string) client.Object {
	if what == theAccess {
		return cl.accessClass()
	}
	return cl.bucketClass()
}

// clear deletes all objects of the namespace, and waits for it to go.
func (cl *testCluster) clear() {
	cl.Helper()
	accesses, claims := &v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}
	cl.Must(cl.List(cl.Context(), accesses, client.InNamespace(cl.Namespace)))
	cl.Must(cl.List(cl.Context(), claims, client.InNamespace(cl.Namespace)))
	objects := slices.Concat(objectsOf(accesses.Items), objectsOf(claims.Items))
	cl.Remove(objects...)
	cl.WaitGone(objects...)
}

func objectsOf[T any, P interface {
	*T
	client.Object
}](items []T) []client.Object {
	objects := make([]client.Object, len(items))
	for i := range items {
		objects[i] = P(&items[i])
	}
	return objects
}

// notReady returns an error while an object is ready.
func (cl *testCluster) notReady(object client.Object) error {
	if err := cl.Refresh(object); err != nil {
		return err
	}
	if ready, conditions := cluster.Status(object); ready {
		return fmt.Errorf("%s says that it is ready, with the conditions %v", object.GetName(), cluster.Lines(conditions))
	}
	return nil
}
