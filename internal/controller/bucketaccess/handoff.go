package bucketaccess

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// handOff puts everything into the status that the sidecar needs to grant and to
// revoke the access, whatever becomes of the class. All of it goes out in one
// write: from then on the status belongs to the sidecar.
func handOff(v *visit, conditions condition.Set) {
	status := &v.access.Status
	status.DriverName = v.class.Spec.DriverName
	status.AuthenticationType = v.class.Spec.AuthenticationType
	status.Parameters = maps.Clone(v.class.Spec.Parameters)
	status.AccessedBuckets = make([]v1alpha2.AccessedBucket, len(v.buckets))
	for i, bucket := range v.buckets {
		status.AccessedBuckets[i] = v1alpha2.AccessedBucket{
			BucketName:      bucket.Name,
			BucketID:        bucket.Status.BucketID,
			BucketClaimName: v.claims[i].Name,
		}
	}
	conditions.Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForDriver,
		fmt.Sprintf("waiting for driver %q to grant the access", status.DriverName))
	conditions.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated,
		fmt.Sprintf("BucketAccessClass %q and all BucketClaims are valid", v.class.Name))
}
