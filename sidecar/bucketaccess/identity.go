package bucketaccess

import (
	"context"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/verdict"
)

// identity is phase 1 of granting access: the driver names the ID of the account
// to be, and the status keeps it.
type identity struct{ driver *driver.Driver }

func (i *identity) Walk(ctx context.Context, access *subject) (bool, error) {
	if access.Object.Status.AccountID != "" {
		return true, nil
	}
	id, err := i.driver.GenerateBucketAccessID(ctx, access.Object)
	if err != nil {
		return false, verdict.Of(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the access deleted before the next write, nobody would know which
	// account to revoke, and its credentials would stay valid for ever.
	return true, access.Identify(ctx, id)
}
