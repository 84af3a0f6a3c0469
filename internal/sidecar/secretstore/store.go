// Package secretstore reads, writes and deletes the Secrets with the credentials of sidecars. Every
// write is locked to the version that was read.
package secretstore

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

// Store reads and writes access Secrets, always at the API server itself.
type Store struct {
	Client client.Client
	// Finalizer protects the Secrets.
	Finalizer string
}

// Get returns the Secret of that name, or nil.
func (s *Store) Get(ctx context.Context, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.Client.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, writeError(key.Name, err)
}

// Create creates a Secret.
func (s *Store) Create(ctx context.Context, secret *corev1.Secret) error {
	return writeError(secret.Name, s.Client.Create(ctx, secret))
}

// Update writes a Secret, unless it has changed since it was read.
func (s *Store) Update(ctx context.Context, secret *corev1.Secret) error {
	return writeError(secret.Name, s.Client.Update(ctx, secret))
}

// Release removes the finalizer. It reports whether the Secret still has other finalizers.
func (s *Store) Release(ctx context.Context, secret *corev1.Secret) (held bool, err error) {
	stored := secret.DeepCopy()
	if controllerutil.RemoveFinalizer(secret, s.Finalizer) {
		patch := client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
		if err := s.Client.Patch(ctx, secret, patch); err != nil {
			return false, writeError(secret.Name, err)
		}
	}
	return len(secret.Finalizers) > 0, nil
}

// Delete deletes a Secret of an owner, as it was read. It reports whether the Secret is
// gone: if the Secret has lost its owner, or if other finalizers hold it, it is not.
func (s *Store) Delete(ctx context.Context, secret *corev1.Secret, owner client.Object) (gone bool, err error) {
	wasDeleting := !secret.DeletionTimestamp.IsZero()
	if !wasDeleting && !metav1.IsControlledBy(secret, owner) {
		// Only the finalizer identifies the owner, so it is removed last.
		return false, s.remove(ctx, secret)
	}
	held, err := s.Release(ctx, secret)
	if err != nil || wasDeleting && !held {
		return true, err
	}
	if err := s.remove(ctx, secret); err != nil || !held {
		return true, err
	}
	return false, reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
		"waiting for Secret %q, which is held by finalizers %v, to be deleted before the access is revoked", secret.Name, secret.Finalizers)
}

// remove deletes a Secret as it was read, but no later one of its name.
func (s *Store) remove(ctx context.Context, secret *corev1.Secret) error {
	err := s.Client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion})
	return writeError(secret.Name, client.IgnoreNotFound(err))
}

// Metadata returns an empty Secret, to read or watch without its data.
func Metadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}

// writeError returns a *reasons.Error if the API server rejects a request. It does not repeat the
// message, which may quote the Secret. A conflict is no rejection, and neither is an unreachable
// API server.
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
