package bucketaccess

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// handOff writes everything into the status that the sidecar needs to grant and to revoke the
// access, so that changes of the class have no effect. The runner writes it in one request. After
// that, the status belongs to the sidecar.
func (a *attempt) handOff(context.Context) error {
	status, conditions := &a.Object.Status, a.conditions()
	status.ReadyToUse = false
	status.DriverName = a.class.Spec.DriverName
	status.AuthenticationType = a.class.Spec.AuthenticationType
	status.Parameters = maps.Clone(a.class.Spec.Parameters)
	status.AccessedBuckets = make([]v1alpha2.AccessedBucket, len(a.buckets))
	for i, bucket := range a.buckets {
		status.AccessedBuckets[i] = v1alpha2.AccessedBucket{
			BucketName:      bucket.Name,
			BucketID:        bucket.Status.BucketID,
			BucketClaimName: a.claims[i].Name,
		}
	}
	conditions.Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForDriver,
		fmt.Sprintf("waiting for driver %q to grant the access", status.DriverName))
	conditions.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated,
		fmt.Sprintf("BucketAccessClass %q and all BucketClaims are valid", a.class.Name))
	return nil
}
