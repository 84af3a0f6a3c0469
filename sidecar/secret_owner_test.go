package sidecar_test

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// A Secret that its access does not control any more still goes with the access, and
// before the access is revoked.
// Known failure: E92
func TestSecretWithoutOwnerIsDeleted(t *testing.T) {
	for name, lose := range map[string]func(*world, *v1alpha2.BucketAccess){
		"Orphaned": func(w *world, access *v1alpha2.BucketAccess) {
			w.Must(w.Delete(w.Context(), access, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
			w.Eventually(func() error { return w.isUncontrolled(access) })
		},
		"OwnerStripped": func(w *world, access *v1alpha2.BucketAccess) {
			w.stripOwner(access)
			w.Must(w.Delete(w.Context(), access))
		},
		"AllStripped": func(w *world, access *v1alpha2.BucketAccess) {
			secret, err := w.secret(access, 0)
			w.Must(err)
			w.Modify(secret, func() { secret.OwnerReferences, secret.Annotations = nil, nil })
			w.Must(w.Delete(w.Context(), access))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			stop := w.start()
			access := w.readyAccess(w.readyBucket())
			w.settle()
			stop()
			lose(w, access)
			w.start()
			w.isHandedBack(access)
			if _, err := w.secret(access, 0); !apierrors.IsNotFound(err) {
				t.Errorf("the Secret outlives its access: %v", err)
			}
		})
	}
}

// An owner reference that is stripped from the Secret of a living access comes back.
func TestOwnerOfSecretIsRestored(t *testing.T) {
	w := newWorld(t)
	w.start()
	access := w.readyAccess(w.readyBucket())
	w.settle()
	w.stripOwner(access)
	w.Eventually(func() error {
		secret, err := w.secret(access, 0)
		if err == nil && !metav1.IsControlledBy(secret, access) {
			err = fmt.Errorf("owner references %v", secret.OwnerReferences)
		}
		return err
	})
	w.settle()
	w.Must(w.isGranted(access))
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

// The access vanishes without the sidecar, because a person has stripped its
// finalizer. Nothing holds its Secret any more, nor the namespace that it is in.
// Known failure: E92
func TestSecretOfVanishedAccessIsDeleted(t *testing.T) {
	for name, hasSidecar := range map[string]bool{"SidecarIsAway": false, "SidecarIsThere": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			stop := w.start()
			access := w.readyAccess(w.readyBucket())
			secret, err := w.secret(access, 0)
			w.Must(err)
			w.settle()
			if !hasSidecar {
				stop()
			}
			w.Modify(access, func() { access.Finalizers = nil })
			w.Must(client.IgnoreNotFound(w.Delete(t.Context(), access, client.GracePeriodSeconds(0))))
			w.ForceRemove(access)
			if !hasSidecar {
				w.start()
			}
			w.WaitGone(secret)
		})
	}
}

// An access of the name of one that has vanished takes over the Secret that was left.
func TestSecretOfPredecessorIsTakenOver(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	bucket := w.readyBucket()
	before := w.readyAccess(bucket)
	stop()
	secret, err := w.secret(before, 0)
	w.Must(err)
	w.ForceRemove(before)
	after := w.access([]*v1alpha2.Bucket{bucket}, namingSecret(secret.Name), func(a *v1alpha2.BucketAccess) { a.Name = before.Name })
	w.start()
	w.WaitReady(after)
	w.Eventually(func() error {
		secret, err := w.secret(after, 0)
		if err == nil && !metav1.IsControlledBy(secret, after) {
			err = fmt.Errorf("owner references %v", secret.OwnerReferences)
		}
		return err
	})
}

// stripOwner has the access not control its Secret any more.
func (w *world) stripOwner(access *v1alpha2.BucketAccess) {
	w.Helper()
	secret, err := w.secret(access, 0)
	w.Must(err)
	w.Modify(secret, func() { secret.OwnerReferences = nil })
}

func (w *world) isUncontrolled(access *v1alpha2.BucketAccess) error {
	secret, err := w.secret(access, 0)
	if err == nil && len(secret.OwnerReferences) > 0 {
		err = fmt.Errorf("owner references %v", secret.OwnerReferences)
	}
	return err
}
