package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// deleteSecrets deletes the Secrets, and waits until they are gone, before the
// access is revoked: a Secret must not outlive the credentials in it. Secrets of
// the same names that do not belong to this access stay.
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

// deleteSecret reports whether the Secret is known to be gone, or not to belong to
// the access.
func (a *attempt) deleteSecret(ctx context.Context, name string) (gone bool, err error) {
	secret, err := a.secrets.get(ctx, a.Object, name)
	if err == nil && secret == nil {
		return a.isGoneFromCache(ctx, name)
	}
	if err != nil {
		return true, err
	}
	if belongs, err := a.belongs(ctx, secret); err != nil || !belongs {
		return true, err
	}
	return a.deleteOwn(ctx, secret)
}

// deleteOwn deletes a Secret that belongs to the access.
func (a *attempt) deleteOwn(ctx context.Context, secret *corev1.Secret) (gone bool, err error) {
	wasDeleting := !secret.DeletionTimestamp.IsZero()
	if !wasDeleting && !metav1.IsControlledBy(secret, a.Object) {
		// Only the finalizer says whose it is, so the finalizer is removed last.
		return false, a.secrets.remove(ctx, secret)
	}
	held, err := a.secrets.release(ctx, secret)
	if err != nil || wasDeleting && !held {
		return true, err
	}
	if err := a.secrets.remove(ctx, secret); err != nil || !held {
		return true, err
	}
	return false, reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
		"waiting for Secret %q, which is held by finalizers %v, to be deleted before the access is revoked", secret.Name, secret.Finalizers)
}

// isGoneFromCache is asked about a Secret that the API server does not have. If the
// cache has it, one of the two is out of date. A Secret that stays would keep its
// finalizer, so the access is reconciled again before it is revoked.
func (a *attempt) isGoneFromCache(ctx context.Context, name string) (bool, error) {
	err := a.cached.Get(ctx, client.ObjectKey{Namespace: a.Object.Namespace, Name: name}, SecretMetadata())
	return err != nil, client.IgnoreNotFound(err)
}
