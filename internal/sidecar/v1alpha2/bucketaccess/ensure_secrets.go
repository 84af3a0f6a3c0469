package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// ensureSecrets creates the Secrets, empty, before the driver is asked for anything: credentials
// without a place to store them must not exist. An existing Secret that does not belong to this
// access is never touched.
func (a *attempt) ensureSecrets(ctx context.Context) error {
	a.reserved = make(map[string]*corev1.Secret, len(a.Object.Spec.BucketClaims))
	for i := range a.Object.Spec.BucketClaims {
		claim := &a.Object.Spec.BucketClaims[i]
		secret, err := a.ensureSecret(ctx, claim)
		if err != nil {
			return err
		}
		a.reserved[claim.AccessSecretName] = secret
	}
	return nil
}

func (a *attempt) ensureSecret(ctx context.Context, claim *v1alpha2.BucketClaimAccess) (*corev1.Secret, error) {
	secret, err := a.secrets.Get(ctx, client.ObjectKey{Namespace: a.Object.Namespace, Name: claim.AccessSecretName})
	switch {
	case err != nil:
		return nil, err
	case secret == nil:
		return a.createSecret(ctx, claim)
	}
	belongs, err := a.belongs(ctx, secret)
	switch {
	case err != nil:
		return nil, err
	case !belongs:
		return nil, reasons.Invalid(v1alpha2.ReasonSecretConflict,
			"Secret %q exists and does not belong to this BucketAccess: delete it, or create a BucketAccess that names another Secret", secret.Name)
	case !secret.DeletionTimestamp.IsZero():
		return a.replaceSecret(ctx, claim, secret)
	case secret.Immutable != nil && *secret.Immutable:
		// The driver must not make new credentials that cannot be written: it may
		// make those in the Secret invalid by it.
		return nil, reasons.Invalid(v1alpha2.ReasonSecretWriteFailed,
			"Secret %q is immutable: delete it, and the sidecar creates it again", secret.Name)
	default:
		return secret, nil
	}
}

// replaceSecret releases a Secret that has been deleted, and creates it again.
func (a *attempt) replaceSecret(
	ctx context.Context, claim *v1alpha2.BucketClaimAccess, secret *corev1.Secret,
) (*corev1.Secret, error) {
	held, err := a.secrets.Release(ctx, secret)
	switch {
	case err != nil:
		return nil, err
	case held:
		return nil, reasons.Waiting(v1alpha2.ReasonSecretWriteFailed,
			"Secret %q has been deleted, and cannot be created again before its finalizers %v are removed", secret.Name, secret.Finalizers)
	default:
		return a.createSecret(ctx, claim)
	}
}

// createSecret creates the Secret of a claim, without data.
func (a *attempt) createSecret(ctx context.Context, claim *v1alpha2.BucketClaimAccess) (*corev1.Secret, error) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.Object.Namespace, Name: claim.AccessSecretName},
		Type:       corev1.SecretTypeOpaque,
	}
	if err := a.decorate(secret, claim); err != nil {
		return nil, err
	}
	return secret, a.secrets.Create(ctx, secret)
}

// decorate sets the metadata of a Secret.
func (a *attempt) decorate(secret *corev1.Secret, claim *v1alpha2.BucketClaimAccess) error {
	access := a.Object
	controllerutil.AddFinalizer(secret, v1alpha2.ProtectionFinalizer)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.BucketAccessReferenceAnnotation, access.Namespace+"/"+access.Name)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.BucketClaimReferenceAnnotation, access.Namespace+"/"+claim.BucketClaimName)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.DriverNameAnnotation, access.Status.DriverName)
	return controllerutil.SetControllerReference(access, secret, a.secrets.Client.Scheme())
}
