package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
)

// generateID is phase 1 of granting access: the driver generates the ID of the account, and the
// status persists it.
func (a *attempt) generateID(ctx context.Context) error {
	if a.Object.Status.AccountID != "" {
		return nil
	}
	id, err := a.driver.GenerateBucketAccessID(ctx, a.Object)
	if err != nil {
		return connection.ReasonFor(err)
	}
	// The ID is persisted before the driver creates its account. Otherwise, if the access were
	// deleted before the next write, nothing would record which account to revoke, and its
	// credentials would stay valid.
	return a.ids.Save(ctx, a.Patcher, id)
}

// byID finds BucketAccesses by the IDs of their accounts, until these have been
// revoked.
var byID = uniqueid.Index[*v1alpha2.BucketAccess]{
	Kind:    "BucketAccess",
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
	StatusID: func(a *v1alpha2.BucketAccess) *string { return &a.Status.AccountID },
}
