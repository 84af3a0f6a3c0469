package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
)

// identity is phase 1 of granting access: the driver names the ID of the account
// to be, and the status keeps it.
type identity struct {
	driver *driver.Driver
	ids    *uniqueid.Register[*v1alpha2.BucketAccess]
}

func (i *identity) Walk(ctx context.Context, access *subject) (bool, error) {
	if access.Object.Status.AccountID != "" {
		return true, nil
	}
	id, err := i.driver.GenerateBucketAccessID(ctx, access.Object)
	if err != nil {
		return false, driver.ReasonFor(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the access deleted before the next write, nobody would know which
	// account to revoke, and its credentials would stay valid for ever.
	return true, i.ids.Enter(ctx, access.Object, id, func() error { return access.Identify(ctx, id) })
}

// registered are BucketAccesses by the IDs of their accounts, until these have been
// revoked.
var registered = uniqueid.Kind[*v1alpha2.BucketAccess]{
	Noun:    "BucketAccess",
	Method:  "DriverGenerateBucketAccessId",
	New:     func() *v1alpha2.BucketAccess { return &v1alpha2.BucketAccess{} },
	NewList: func() client.ObjectList { return &v1alpha2.BucketAccessList{} },
	Driver:  func(a *v1alpha2.BucketAccess) string { return a.Status.DriverName },
	ID: func(a *v1alpha2.BucketAccess) string {
		if v1alpha2.IsSidecarCleanupFinished(a) {
			return ""
		}
		return a.Status.AccountID
	},
}
