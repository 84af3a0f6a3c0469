// Package abandoned deletes the Secrets of vanished accesses. An access vanishes without its
// sidecar if a user removes its finalizer. Its Secret has a finalizer of its own, which no
// component would ever remove, so the namespace of the Secret would stay Terminating.
package abandoned

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconciler reconciles the Secrets for accesses of one driver.
type Reconciler[T client.Object] struct {
	// Accesses are the driver's.
	Accesses Accesses[T]
	// Cached has the BucketAccesses, and the metadata of Secrets.
	Cached client.Reader
	// Live reads and writes without a cache.
	Live client.Client
}

// Reconcile implements reconcile.Reconciler. It makes no request as long as the access exists.
func (r *Reconciler[T]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := r.Cached.Get(ctx, request.NamespacedName, secret); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if needed, err := r.isNeeded(ctx, r.Cached, secret); err != nil || needed {
		return reconcile.Result{}, err
	}
	err := r.remove(ctx, request.NamespacedName)
	if apierrors.IsConflict(err) { // another writer was faster
		return reconcile.Result{Requeue: true}, nil //nolint:staticcheck // RequeueAfter would reset the back-off
	}
	return reconcile.Result{}, client.IgnoreNotFound(err)
}

// isNeeded reports whether an access needs the Secret, or the Secret is another driver's.
func (r *Reconciler[T]) isNeeded(ctx context.Context, from client.Reader, secret client.Object) (bool, error) {
	name, isOurs := r.Accesses.accessOf(secret)
	if !isOurs {
		return true, nil
	}
	access := r.Accesses.New()
	err := from.Get(ctx, client.ObjectKey{Namespace: secret.GetNamespace(), Name: name}, access)
	return err == nil && slices.Contains(r.Accesses.SecretNames(access), secret.GetName()), client.IgnoreNotFound(err)
}

// remove deletes the Secret, and then releases it, if it still is one of an access that has
// vanished. Both writes are locked to the version that it has read.
func (r *Reconciler[T]) remove(ctx context.Context, key client.ObjectKey) error {
	secret := &corev1.Secret{}
	if err := r.Live.Get(ctx, key, secret); err != nil {
		return err
	}
	if needed, err := r.isNeeded(ctx, r.Live, secret); err != nil || needed {
		return err
	}
	// The finalizer marks the Secret as ours, so it is removed last: the deletion is an event, and
	// causes the next reconcile.
	if secret.DeletionTimestamp.IsZero() {
		return r.Live.Delete(ctx, secret, client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion})
	}
	stored := secret.DeepCopy()
	controllerutil.RemoveFinalizer(secret, r.Accesses.Finalizer)
	return r.Live.Patch(ctx, secret, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
}
