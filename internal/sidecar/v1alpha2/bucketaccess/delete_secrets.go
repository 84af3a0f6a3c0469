package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
)

// deleteSecrets deletes the Secrets, and waits for the end of the deletion, before the access is
// revoked: a Secret must not outlive the credentials in it. Secrets of the same names that do not
// belong to this access stay.
func (a *attempt) deleteSecrets(ctx context.Context) error {
	unsure := false
	for i := range a.Object.Spec.BucketClaims {
		gone, err := a.deleteSecret(ctx, a.Object.Spec.BucketClaims[i].AccessSecretName)
		if err != nil {
			return err
		}
		unsure = unsure || !gone
	}
	if unsure {
		a.Requeue()
		return cosireconcile.ErrDone
	}
	return nil
}

// deleteSecret reports whether the Secret is confirmed to be deleted, or not to belong to the
// access.
func (a *attempt) deleteSecret(ctx context.Context, name string) (gone bool, err error) {
	secret, err := a.secrets.Get(ctx, client.ObjectKey{Namespace: a.Object.Namespace, Name: name})
	if err == nil && secret == nil {
		return a.isGoneFromCache(ctx, name)
	}
	if err != nil {
		return true, err
	}
	if belongs, err := a.belongs(ctx, secret); err != nil || !belongs {
		return true, err
	}
	return a.secrets.Delete(ctx, secret, a.Object)
}

// isGoneFromCache is asked about a Secret that the API server does not have. If the cache has it,
// one of the two is outdated. A remaining Secret would keep its finalizer, so the access is
// reconciled again before it is revoked.
func (a *attempt) isGoneFromCache(ctx context.Context, name string) (bool, error) {
	err := a.cached.Get(ctx, client.ObjectKey{Namespace: a.Object.Namespace, Name: name}, secretstore.Metadata())
	return err != nil, client.IgnoreNotFound(err)
}
