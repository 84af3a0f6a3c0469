package bucketaccess

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// targets looks at the Buckets that access is wanted to. What is wrong for good
// is reported before what time will mend.
type targets struct {
	client client.Reader
	driver *driver.Driver
}

func (t *targets) Walk(ctx context.Context, access *subject) (bool, error) {
	var waiting error
	for _, accessed := range access.Object.Status.AccessedBuckets {
		bucket := &v1alpha2.Bucket{}
		err := t.client.Get(ctx, client.ObjectKey{Name: accessed.BucketName}, bucket)
		switch {
		case apierrors.IsNotFound(err):
			return false, reasons.Invalid(v1alpha2.ReasonBucketLost, "Bucket %q, of BucketClaim %q, has gone missing",
				accessed.BucketName, accessed.BucketClaimName)
		case err != nil:
			return false, err
		}
		if err := t.refuse(bucket, accessed); err != nil {
			return false, err
		}
		if !usable(bucket) {
			waiting = reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "Bucket %q is not provisioned yet", bucket.Name)
			continue
		}
		if !slices.Contains(bucket.Status.Protocols, access.Object.Spec.Protocol) {
			return false, reasons.Invalid(v1alpha2.ReasonProtocolNotSupported, "Bucket %q supports %v, but spec.protocol is %s",
				bucket.Name, bucket.Status.Protocols, access.Object.Spec.Protocol)
		}
	}
	return waiting == nil, waiting
}

// refuse has the checks that a Bucket must pass provisioned or not.
func (t *targets) refuse(bucket *v1alpha2.Bucket, accessed v1alpha2.AccessedBucket) error {
	id := bucket.Status.BucketID
	switch {
	case bucket.Spec.DriverName != t.driver.Name():
		return reasons.Invalid(v1alpha2.ReasonDriverMismatch, "Bucket %q is of driver %s, but the access is of driver %s",
			bucket.Name, bucket.Spec.DriverName, t.driver.Name())
	case v1alpha2.IsBucketClaimBeingDeleted(bucket):
		return reasons.Invalid(v1alpha2.ReasonBucketClaimDeleting, "BucketClaim %q is being deleted", accessed.BucketClaimName)
	case !bucket.DeletionTimestamp.IsZero():
		return reasons.Invalid(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	case id != "" && id != accessed.BucketID:
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"Bucket %q does not have the bucket ID any more that status.accessedBuckets says: it is another bucket", bucket.Name)
	}
	return nil
}

func usable(bucket *v1alpha2.Bucket) bool {
	return bucket.Status.BucketID != "" && meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha2.ConditionProvisioned)
}
