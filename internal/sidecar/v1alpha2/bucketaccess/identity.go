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
	var id string
	err := a.rejections.Once(a.driver.Conn, a.Object, inputs(a.Object), func() (err error) {
		id, err = a.driver.GenerateBucketAccessID(ctx, a.Object)
		return connection.ReasonFor(err)
	})
	if err != nil {
		return err
	}
	// The ID is persisted before the driver creates its account. Otherwise, if the access were
	// deleted before the next write, nothing would record which account to revoke, and its
	// credentials would stay valid.
	return a.ids.Save(ctx, a.Patcher, id)
}

// inputs are what the calls for an access depend on. They have the account: phase 2 asks something
// else than phase 1.
func inputs(access *v1alpha2.BucketAccess) any {
	status := access.Status.DeepCopy()
	status.ReadyToUse, status.Conditions = false, nil
	return [...]any{access.Generation, status}
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
