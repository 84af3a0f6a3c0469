package bucketaccess

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// revoke has the driver revoke the access. Without an account ID nothing was ever
// granted.
func (a *attempt) revoke(ctx context.Context) error {
	if a.Object.Status.AccountID == "" {
		return nil
	}
	err := a.line.Call(a.Object, func() error {
		// The cache may be outdated: the current account, on the current buckets, counts.
		if err := a.Reload(ctx); err != nil {
			return err
		}
		return connection.ReasonFor(a.driver.RevokeBucketAccess(ctx, a.Object))
	}, bucketIDs(a.Object)...)
	if err != nil {
		return err
	}
	a.Event(v1alpha2.ReasonDeprovisioned, fmt.Sprintf("driver %s has revoked the access", a.driver.Name()))
	return nil
}

func bucketIDs(access *v1alpha2.BucketAccess) []string {
	ids := make([]string, 0, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		ids = append(ids, accessed.BucketID)
	}
	return ids
}
