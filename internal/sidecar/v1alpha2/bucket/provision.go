package bucket

import (
	"context"
	"fmt"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secret"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// provision is phase 2: the driver creates the bucket, or finds the existing one. A provisioned
// Bucket causes no more calls.
func (a *attempt) provision(ctx context.Context) error {
	if statusOf(a.Object).IsProvisioned() {
		return nil
	}
	if err := a.rejections.Once(a.driver.Conn, a.Object, inputs(a.Object), func() error { return a.callDriver(ctx) }); err != nil {
		return err
	}
	status := &a.Object.Status
	if isStatic(a.Object) {
		status.BucketID = a.Object.Spec.ExistingBucketID
	}
	statusOf(a.Object).Succeed(fmt.Sprintf("driver %s has bucket %q", a.driver.Name(), shorten(status.BucketID)))
	return nil
}

// callDriver writes the driver's answer into the status.
func (a *attempt) callDriver(ctx context.Context) error {
	info, err := a.askDriver(ctx)
	if err != nil {
		return err
	}
	protocols := driver.SupportedProtocols(info)
	rendered, err := secret.BucketInfo(info, protocols)
	if err != nil {
		return connection.InvalidResponse("bucket info: %v", err)
	}
	a.Object.Status.Protocols, a.Object.Status.BucketInfo = protocols, rendered
	return nil
}

func (a *attempt) askDriver(ctx context.Context) (info *cosiv1alpha2.ObjectProtocolAndBucketInfo, err error) {
	if isStatic(a.Object) {
		info, err = a.driver.GetBucket(ctx, a.Object)
		return info, connection.ReasonFor(err)
	}
	return info, a.line.Call(a.Object, func() error {
		// The cache may not show yet that the Bucket is being deleted, or that another replica has
		// deleted its bucket.
		if err := cosireconcile.ConfirmCurrent(ctx, a.live, a.Object); err != nil {
			return err
		}
		info, err = a.driver.CreateBucket(ctx, a.Object)
		return connection.ReasonFor(err)
	}, a.Object.Status.BucketID)
}

// shorten keeps an ID of two thousand characters out of a sentence.
func shorten(id string) string {
	const limit = 253
	if len(id) <= limit {
		return id
	}
	return id[:limit] + "..."
}
