package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// reservation makes the Secrets, empty, before the driver is asked for
// anything: credentials that could be written nowhere should not exist. A Secret
// that is there already and is not this access's own is never touched.
type reservation struct{ secrets *secretStore }

func (r *reservation) Walk(ctx context.Context, access *subject) (bool, error) {
	access.secrets = make(map[string]*corev1.Secret, len(access.Object.Spec.BucketClaims))
	for i := range access.Object.Spec.BucketClaims {
		claim := &access.Object.Spec.BucketClaims[i]
		secret, err := r.reserve(ctx, access.Object, claim)
		if err != nil {
			return false, err
		}
		access.secrets[claim.AccessSecretName] = secret
	}
	return true, nil
}

func (r *reservation) reserve(
	ctx context.Context, access *v1alpha2.BucketAccess, claim *v1alpha2.BucketClaimAccess,
) (*corev1.Secret, error) {
	secret, err := r.secrets.get(ctx, access, claim.AccessSecretName)
	switch {
	case err != nil:
		return nil, err
	case secret == nil:
		return r.secrets.create(ctx, access, claim)
	case !metav1.IsControlledBy(secret, access):
		return nil, reasons.Invalid(v1alpha2.ReasonSecretConflict,
			"Secret %q exists and is not of this BucketAccess: delete it, or make a BucketAccess that names another", secret.Name)
	case !secret.DeletionTimestamp.IsZero():
		return r.replace(ctx, access, claim, secret)
	default:
		return secret, nil
	}
}

// replace lets a Secret go that somebody has deleted, and makes it anew.
func (r *reservation) replace(
	ctx context.Context, access *v1alpha2.BucketAccess, claim *v1alpha2.BucketClaimAccess, secret *corev1.Secret,
) (*corev1.Secret, error) {
	held, err := r.secrets.release(ctx, secret)
	switch {
	case err != nil:
		return nil, err
	case held:
		return nil, reasons.Waiting(v1alpha2.ReasonSecretWriteFailed,
			"Secret %q has been deleted, and cannot be made anew before its finalizers %v are gone", secret.Name, secret.Finalizers)
	default:
		return r.secrets.create(ctx, access, claim)
	}
}
