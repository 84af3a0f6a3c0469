package bucket

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secret"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// provision is phase 2: the driver creates the bucket, or finds the one that
// exists already. A Bucket that has been through it makes no more calls.
type provision struct{ driver *driver.Driver }

func (p *provision) Walk(ctx context.Context, bucket *subject) (bool, error) {
	if provisioned(bucket.Object) {
		return true, nil
	}
	info, err := p.call(ctx, bucket.Object)
	if err != nil {
		return false, driver.ReasonFor(err)
	}
	protocols := driver.SupportedProtocols(info)
	rendered, err := secret.BucketInfo(info, protocols)
	if err != nil {
		return false, driver.InvalidResponse("bucket info: %v", err)
	}
	status := &bucket.Object.Status
	status.Protocols, status.BucketInfo = protocols, rendered
	if isStatic(bucket.Object) {
		status.BucketID = bucket.Object.Spec.ExistingBucketID
	}
	bucket.Succeed(fmt.Sprintf("driver %s has bucket %q", p.driver.Name(), shorten(status.BucketID)))
	return true, nil
}

func (p *provision) call(ctx context.Context, bucket *v1alpha2.Bucket) (*cosi.ObjectProtocolAndBucketInfo, error) {
	if isStatic(bucket) {
		return p.driver.GetBucket(ctx, bucket)
	}
	return p.driver.CreateBucket(ctx, bucket)
}

// shorten keeps an ID of two thousand characters out of a sentence.
func shorten(id string) string {
	const limit = 253
	if len(id) <= limit {
		return id
	}
	return id[:limit] + "..."
}
