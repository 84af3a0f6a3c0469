package bucketaccess

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// revocation has the driver take the access away. Without an account ID nothing
// was ever granted.
type revocation struct{ driver *driver.Driver }

func (r *revocation) Walk(ctx context.Context, access *subject) (bool, error) {
	if access.Object.Status.AccountID == "" {
		return true, nil
	}
	if err := r.driver.RevokeBucketAccess(ctx, access.Object); err != nil {
		return false, driver.ReasonFor(err)
	}
	access.Deprovisioned(fmt.Sprintf("driver %s has revoked the access", r.driver.Name()))
	return true, nil
}
