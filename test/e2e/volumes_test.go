package e2e_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestUsedAccessIsKept: an access that a Pod uses in a volume is not revoked, and says so, until the volume is removed.
// Design: CSI-NODE-6
func TestUsedAccessIsKept(t *testing.T) {
	cl := newTestCluster(t)
	claim, access := cl.claim("photos"), cl.access("app", "photos")
	cl.Make(cl.bucketClass(), cl.accessClass(), claim, access)
	cl.WaitReady(access)
	mark := v1alpha2.VolumeAnnotationPrefix + "1"
	cl.Modify(access, func() {
		user := v1alpha2.VolumeUser{Node: "node-1", Pod: "web", PodUID: "1"}
		metav1.SetMetaDataAnnotation(&access.ObjectMeta, mark, user.String())
	})
	message := cl.WaitCondition(access, v1alpha2.ConditionInUse, metav1.ConditionTrue, v1alpha2.ReasonVolumePublished)
	if message != "Pods use the access in volumes: web" {
		t.Errorf("the message is %q", message)
	}
	cl.Remove(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: access.Spec.BucketClaims[0].AccessSecretName}}
	if err := errors.Join(cl.Refresh(secret), cl.Refresh(access)); err != nil {
		t.Fatal(err)
	}
	if !secret.DeletionTimestamp.IsZero() || access.Status.ReadyToUse {
		t.Errorf("the Secret is deleted at %v, and the access is ready: %t; want neither", secret.DeletionTimestamp, access.Status.ReadyToUse)
	}
	cl.Modify(access, func() { delete(access.Annotations, mark) })
	cl.WaitGone(access, secret)
}
