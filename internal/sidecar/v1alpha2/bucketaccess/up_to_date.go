package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
)

// checkUpToDate ends the reconcile of a granted access whose Secrets have not changed since the
// last reconcile, and whose credentials do not expire soon. It normally makes no call.
func (a *attempt) checkUpToDate(ctx context.Context) error {
	if !statusOf(a.Object).IsProvisioned() || a.isDue() {
		return nil
	}
	for i := range a.Object.Spec.BucketClaims {
		upToDate, err := a.isUpToDate(ctx, a.Object.Spec.BucketClaims[i].AccessSecretName)
		if err != nil || !upToDate {
			return err
		}
	}
	return cosireconcile.ErrDone
}

// isUpToDate asks the API server if the cache disagrees with the remembered version, because the
// cache may lack the reconciler's own latest write. Otherwise the API server's answer is outdated,
// and the access is reconciled again: the watch may have no further event of the Secret.
func (a *attempt) isUpToDate(ctx context.Context, name string) (bool, error) {
	left, known := a.versions.Get(a.Object, name)
	if !known {
		return false, nil
	}
	key := client.ObjectKey{Namespace: a.Object.Namespace, Name: name}
	cached, err := secretstore.ReadVersion(ctx, a.cached, key)
	if err != nil || cached == left {
		return err == nil, err
	}
	live, err := secretstore.ReadVersion(ctx, a.secrets.Client, key)
	if err != nil || live != left {
		return false, err
	}
	if !cached.Before(left) {
		a.Requeue()
	}
	return true, nil
}
