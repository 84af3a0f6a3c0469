package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// secretStore reads and writes access Secrets, always at the API server itself.
type secretStore struct{ client client.Client }

// get returns the Secret of that name, or nil.
func (s *secretStore) get(ctx context.Context, access *v1alpha2.BucketAccess, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.client.Get(ctx, client.ObjectKey{Namespace: access.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, writeError(name, err)
}

// create makes the Secret of a claim, without data.
func (s *secretStore) create(
	ctx context.Context, access *v1alpha2.BucketAccess, claim *v1alpha2.BucketClaimAccess,
) (*corev1.Secret, error) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: access.Namespace, Name: claim.AccessSecretName},
		Type:       corev1.SecretTypeOpaque,
	}
	if err := s.decorate(secret, access, claim); err != nil {
		return nil, err
	}
	return secret, writeError(secret.Name, s.client.Create(ctx, secret))
}

// release removes the finalizer. It reports whether the Secret still has other
// finalizers.
func (s *secretStore) release(ctx context.Context, secret *corev1.Secret) (held bool, err error) {
	stored := secret.DeepCopy()
	if controllerutil.RemoveFinalizer(secret, v1alpha2.ProtectionFinalizer) {
		patch := client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
		if err := s.client.Patch(ctx, secret, patch); err != nil {
			return false, writeError(secret.Name, err)
		}
	}
	return len(secret.Finalizers) > 0, nil
}

// remove deletes a Secret as it was read, but no later one of its name.
func (s *secretStore) remove(ctx context.Context, secret *corev1.Secret) error {
	err := s.client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion})
	return writeError(secret.Name, client.IgnoreNotFound(err))
}

// decorate sets what a Secret needs beside its data.
func (s *secretStore) decorate(secret *corev1.Secret, access *v1alpha2.BucketAccess, claim *v1alpha2.BucketClaimAccess) error {
	controllerutil.AddFinalizer(secret, v1alpha2.ProtectionFinalizer)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.BucketAccessReferenceAnnotation, access.Namespace+"/"+access.Name)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.BucketClaimReferenceAnnotation, access.Namespace+"/"+claim.BucketClaimName)
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha2.DriverNameAnnotation, access.Status.DriverName)
	return controllerutil.SetControllerReference(access, secret, s.client.Scheme())
}

// SecretMetadata returns an empty Secret, to read or watch without its data.
func SecretMetadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}

// writeError returns a *reasons.Error if the API server rejects a request. It does not
// repeat the message, which may quote the Secret. A conflict is no rejection, and
// neither is an API server that cannot be reached.
func writeError(secret string, err error) error {
	reason := apierrors.ReasonForError(err)
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), reason == metav1.StatusReasonUnknown:
		return err
	default:
		return reasons.Unwritable(v1alpha2.ReasonSecretWriteFailed, "the API server rejects a request for Secret %q: %s", secret, reason)
	}
}
