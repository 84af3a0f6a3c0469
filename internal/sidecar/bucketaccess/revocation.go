package bucketaccess

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// revoke has the driver revoke the access. Without an account ID nothing was ever
// granted.
func (a *attempt) revoke(ctx context.Context) error {
	if a.Object.Status.AccountID == "" {
		return nil
	}
	// Revoked is the account that the access has now, on the buckets that it has now.
	if err := a.Reload(ctx); err != nil {
		return err
	}
	if err := a.driver.RevokeBucketAccess(ctx, a.Object); err != nil {
		return driver.ReasonFor(err)
	}
	a.Event(v1alpha2.ReasonDeprovisioned, fmt.Sprintf("driver %s has revoked the access", a.driver.Name()))
	return nil
}
