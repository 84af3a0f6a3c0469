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
	for name, lose := range map[string]func(*testCluster, *v1alpha2.BucketAccess){
		"Orphaned": func(cl *testCluster, access *v1alpha2.BucketAccess) {
			cl.Must(cl.Delete(cl.Context(), access, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
			cl.Eventually(func() error { return cl.isUncontrolled(access) })
		},
		"OwnerStripped": func(cl *testCluster, access *v1alpha2.BucketAccess) {
			cl.stripOwner(access)
			cl.Must(cl.Delete(cl.Context(), access))
		},
		"AllStripped": func(cl *testCluster, access *v1alpha2.BucketAccess) {
			secret, err := cl.secret(access, 0)
			cl.Must(err)
			cl.Modify(secret, func() { secret.OwnerReferences, secret.Annotations = nil, nil })
			cl.Must(cl.Delete(cl.Context(), access))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			stop := cl.start()
			access := cl.readyAccess(cl.readyBucket())
			cl.settle()
			stop()
			lose(cl, access)
			cl.start()
			cl.isHandedBack(access)
			if _, err := cl.secret(access, 0); !apierrors.IsNotFound(err) {
				t.Errorf("the Secret outlives its access: %v", err)
			}
		})
	}
}

// An owner reference that is stripped from the Secret of a living access comes back.
func TestOwnerOfSecretIsRestored(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.settle()
	cl.stripOwner(access)
	cl.Eventually(func() error {
		secret, err := cl.secret(access, 0)
		if err == nil && !metav1.IsControlledBy(secret, access) {
			err = fmt.Errorf("owner references %v", secret.OwnerReferences)
		}
		return err
	})
	cl.settle()
	cl.Must(cl.isGranted(access))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

// The access vanishes without the sidecar, because a person has stripped its
// finalizer. Nothing holds its Secret any more, nor the namespace that it is in.
// Known failure: E92
func TestSecretOfVanishedAccessIsDeleted(t *testing.T) {
	for name, hasSidecar := range map[string]bool{"SidecarIsAway": false, "SidecarIsThere": true} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			stop := cl.start()
			access := cl.readyAccess(cl.readyBucket())
			secret, err := cl.secret(access, 0)
			cl.Must(err)
			cl.settle()
			if !hasSidecar {
				stop()
			}
			cl.Modify(access, func() { access.Finalizers = nil })
			cl.Must(client.IgnoreNotFound(cl.Delete(t.Context(), access, client.GracePeriodSeconds(0))))
			cl.ForceRemove(access)
			if !hasSidecar {
				cl.start()
			}
			cl.WaitGone(secret)
		})
	}
}

// An access of the name of one that has vanished takes over the Secret that was left.
func TestSecretOfPredecessorIsTakenOver(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	bucket := cl.readyBucket()
	before := cl.readyAccess(bucket)
	stop()
	secret, err := cl.secret(before, 0)
	cl.Must(err)
	cl.ForceRemove(before)
	after := cl.access([]*v1alpha2.Bucket{bucket}, namingSecret(secret.Name), func(a *v1alpha2.BucketAccess) { a.Name = before.Name })
	cl.start()
	cl.WaitReady(after)
	cl.Eventually(func() error {
		secret, err := cl.secret(after, 0)
		if err == nil && !metav1.IsControlledBy(secret, after) {
			err = fmt.Errorf("owner references %v", secret.OwnerReferences)
		}
		return err
	})
}

// stripOwner has the access not control its Secret any more.
func (cl *testCluster) stripOwner(access *v1alpha2.BucketAccess) {
	cl.Helper()
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	cl.Modify(secret, func() { secret.OwnerReferences = nil })
}

func (cl *testCluster) isUncontrolled(access *v1alpha2.BucketAccess) error {
	secret, err := cl.secret(access, 0)
	if err == nil && len(secret.OwnerReferences) > 0 {
		err = fmt.Errorf("owner references %v", secret.OwnerReferences)
	}
	return err
}
