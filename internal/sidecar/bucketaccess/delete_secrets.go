package bucketaccess

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// removal deletes the Secrets, and sees them gone, before the access is revoked:
// a Secret should not outlive the credentials in it. Secrets of the same name
// that are not this access's own stay.
type removal struct {
	secrets *secretStore
	cached  client.Reader
}

func (r *removal) Walk(ctx context.Context, access *subject) (bool, error) {
	for i := range access.Object.Spec.BucketClaims {
		if err := r.removeOne(ctx, access, access.Object.Spec.BucketClaims[i].AccessSecretName); err != nil {
			return false, err
		}
	}
	return !access.again, nil
}

func (r *removal) removeOne(ctx context.Context, s *subject, name string) error {
	access := s.Object
	secret, err := r.secrets.get(ctx, access, name)
	if err == nil && secret == nil {
		return r.doubt(ctx, s, name)
	}
	if err != nil || !metav1.IsControlledBy(secret, access) {
		return err
	}
	wasDeleting := !secret.DeletionTimestamp.IsZero()
	held, err := r.secrets.release(ctx, secret)
	if err != nil || wasDeleting && !held {
		return err
	}
	if err := r.secrets.remove(ctx, secret); err != nil || !held {
		return err
	}
	return reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
		"waiting for Secret %q, which is held by finalizers %v, to go before the access is revoked", name, secret.Finalizers)
}

// doubt has the access looked at again if the API server has no Secret and the cache
// has one: one of the two is out of date, and a Secret that stays would be held for ever.
func (r *removal) doubt(ctx context.Context, access *subject, name string) error {
	err := r.cached.Get(ctx, client.ObjectKey{Namespace: access.Object.Namespace, Name: name}, SecretMetadata())
	access.again = access.again || err == nil
	return client.IgnoreNotFound(err)
}
