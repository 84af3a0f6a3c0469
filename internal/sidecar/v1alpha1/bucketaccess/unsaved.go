package bucketaccess

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

// unsaved has the accounts that the driver has returned and that no BucketAccess records yet. If
// an administrator removes the finalizers of the access in that moment, only the sidecar knows the
// accounts. It is safe for concurrent use.
type unsaved struct {
	mu       sync.Mutex
	accounts map[client.ObjectKey][]unsavedAccount
}

type unsavedAccount struct {
	access                    types.UID
	bucket, bucketID, account string
}

func (u *unsaved) add(access client.ObjectKey, added unsavedAccount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.accounts == nil {
		u.accounts = map[client.ObjectKey][]unsavedAccount{}
	}
	if !slices.Contains(u.accounts[access], added) {
		u.accounts[access] = append(u.accounts[access], added)
	}
}

func (u *unsaved) remove(access client.ObjectKey, done func(unsavedAccount) bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.accounts[access] = slices.DeleteFunc(u.accounts[access], done); len(u.accounts[access]) == 0 {
		delete(u.accounts, access)
	}
}

// without returns the accounts of accesses of that name which are not the one with the UID.
func (u *unsaved) without(access client.ObjectKey, uid types.UID) []unsavedAccount {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(u.accounts[access]), func(a unsavedAccount) bool { return a.access == uid })
}

// settleUnsaved saves the account of this access after an earlier write has failed, and revokes the accounts
// of earlier accesses of its name. Without its Bucket, no later call of the driver would return the account again.
func (a *attempt) settleUnsaved(ctx context.Context) error {
	key := client.ObjectKeyFromObject(a.Object)
	for _, own := range a.unsaved.without(key, "") {
		if own.access != a.Object.UID {
			continue
		}
		if own.account == a.Object.Status.AccountID { // the answer to the write was lost
			a.unsaved.remove(key, func(saved unsavedAccount) bool { return saved == own })
			continue
		}
		if err := a.Reload(ctx); err != nil {
			return err
		}
		if err := a.saveAccount(ctx, own); err != nil {
			return err
		}
	}
	return a.revokeUnsaved(ctx, key, a.Object.UID)
}

// revokeUnsaved lets the driver revoke the accounts of an access of that name that has vanished before
// its account was saved. The one with the UID, if any, is still there.
func (r *reconciler) revokeUnsaved(ctx context.Context, access client.ObjectKey, uid types.UID) error {
	for _, lost := range r.unsaved.without(access, uid) {
		holder := &v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: access.Namespace, Name: access.Name}}
		err := r.line.Call(holder, func() error {
			return connection.ReasonFor(r.driver.RevokeBucketAccess(ctx, lost.bucketID, lost.account))
		}, driver.Turns(lost.bucket, lost.bucketID)...)
		if err != nil {
			return err
		}
		r.unsaved.remove(access, func(a unsavedAccount) bool { return a == lost })
	}
	return nil
}
