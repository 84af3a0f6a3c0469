package controller_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketclaim"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// TestClassIsDeletedOrReplaced: deleting or replacing a class changes nothing in what
// was provisioned from it. Deletion does not need the class.
// KEP: LIFE-8, LIFE-9, API-ACCESS-STATUS-4, API-ACCESS-STATUS-5, API-ACCESS-STATUS-6
func TestClassIsDeletedOrReplaced(t *testing.T) {
	h := start(t)
	bucketClass, keys := class(), newAccessClass()
	h.make(bucketClass, keys)
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	spec, status := bucket.Spec.DeepCopy(), access.Status.DeepCopy()

	h.must(h.Delete(context.Background(), bucketClass))
	h.must(h.Delete(context.Background(), keys))
	h.make(
		class(retain, func(s *v1alpha2.BucketClassSpec) { s.DriverName, s.Parameters = "other.test", nil }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) {
			s.DriverName, s.AuthenticationType, s.Parameters = "other.test", v1alpha2.AuthenticationTypeServiceAccount, nil
		}),
	)
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	h.must(refresh(context.Background(), h, access))
	if diff := cmp.Diff(spec, &bucket.Spec); diff != "" {
		t.Errorf("spec of the Bucket (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(status, &access.Status); diff != "" {
		t.Errorf("status of the access (-before +after):\n%s", diff)
	}

	h.must(h.DeleteAllOf(context.Background(), &v1alpha2.BucketClass{}))
	h.must(h.DeleteAllOf(context.Background(), &v1alpha2.BucketAccessClass{}))
	h.must(h.Delete(context.Background(), access))
	h.finishCleanup(access)
	h.vanishes(access)
	h.must(h.Delete(context.Background(), claim))
	awaits(h, bucket, "may go", beingDeleted)
	h.releaseBucket(bucket)
	h.vanishes(claim)
}

// TestInvalidClass: a class of which no Bucket can be made. The API server checks
// a class as it does a Bucket, so only another version of the API can have let it
// in: the test stands between the reconciler and the API server.
// KEP: COND-CLAIM-4, REASON-14
func TestInvalidClass(t *testing.T) {
	h := prepare(t)
	h.make(class())
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
	h.make(claim)
	recorder := events.NewFakeRecorder(10)
	reconciler := &bucketclaim.Reconciler{
		Client: noBuckets{h.Client}, Live: h.Client, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder),
		Protector: claimprotection.New(h.Client, h.Client),
	}
	result, _ := reconciler.Runner().ReconcileObject(context.Background(), claim)
	if !result.IsZero() {
		t.Errorf("a class that no retry can mend is retried: %+v", result)
	}
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
}

// noBuckets is an API server that finds every new Bucket invalid.
type noBuckets struct{ client.Client }

func (c noBuckets) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if _, isBucket := object.(*v1alpha2.Bucket); isBucket {
		return apierrors.NewInvalid(v1alpha2.SchemeGroupVersion.WithKind("Bucket").GroupKind(), object.GetName(), nil)
	}
	return c.Client.Create(ctx, object, options...)
}
