package bucketaccess

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/announcement"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// identity is phase 1 of granting access: the driver names the ID of the account
// to be, and the status keeps it.
type identity struct{ driver *driver.Driver }

func (i *identity) walk(ctx context.Context, access *subject) (bool, error) {
	if access.Object.Status.AccountID != "" {
		return true, nil
	}
	id, err := i.driver.GenerateBucketAccessID(ctx, access.Object)
	if err != nil {
		return false, finding.FromDriver(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the access deleted before the next write, nobody would know which
	// account to revoke, and its credentials would stay valid for ever.
	access.Object.Status.AccountID = id
	conclude(access.Object, nil)
	err = access.SaveStatus(ctx, announcement.Provision)
	if apierrors.IsInvalid(err) {
		access.Object.Status.AccountID = ""
		return false, finding.InvalidResponse("the API server does not accept account ID %q", id)
	}
	return err == nil, err
}
