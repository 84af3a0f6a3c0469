package integration_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/deploy"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// TestWatchNamespacesV1alpha1 is TestWatchNamespacesV1alpha2 for the kinds of v1alpha1. An administrator's Bucket passes
// from a claim to the administrator, who deletes it.
func TestWatchNamespacesV1alpha1(t *testing.T) {
	driver := drivertest.StartV1alpha1(t, newName("d")+".test")
	cl := newNamespacedCluster(t, objectstorage.V1alpha1, driver.Server, "", "/v1alpha1")
	class := &v1alpha1.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: newName("gold")}, DriverName: cl.driver, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
	}
	accessClass := &v1alpha1.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: newName("keys")}, DriverName: cl.driver, AuthenticationType: v1alpha1.AuthenticationTypeKey,
	}
	cl.Make(class, accessClass)
	t.Cleanup(func() { cl.ForceRemove(class); cl.ForceRemove(accessClass) })

	leaving := cl.bucketElsewhere(v1alpha1.BucketFinalizer, v1alpha1.BucketAccessBucketFinalizer)
	cl.keeps(v1alpha1.SecretFinalizer, cl.bucketElsewhere(), leaving,
		claimV1alpha1(cl.elsewhere, class.Name), accessV1alpha1(cl.elsewhere, accessClass.Name))
	cl.deleted(leaving)

	controller, err := controllerv1alpha1.New(cl.ConfigIn(cl.Namespace, deploy.ControllerServiceAccount), cl.controller)
	cl.Must(err)
	sidecar, err := sidecarv1alpha1.New(t.Context(), cl.sidecar.ConfigIn(cl.Namespace, deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	cl.Start(controller)
	cl.Start(sidecar)
	for _, namespace := range cl.served {
		cl.liveV1alpha1(claimV1alpha1(namespace, class.Name), accessClass.Name)
	}
	existing := cl.bucketElsewhere()
	existing.Spec.BucketClaim, existing.Spec.ExistingBucketID = &corev1.ObjectReference{}, newName("old")
	existing.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	driver.AddBucket(existing.Spec.ExistingBucketID)
	cl.Make(existing)
	claim := claimV1alpha1(cl.served[0], "")
	claim.Spec.ExistingBucketName = existing.Name
	cl.liveV1alpha1(claim, accessClass.Name)
	cl.Remove(existing)
	cl.WaitGone(existing)
	cl.expectUntouched(driver.Calls())
	cl.expectReads(cl.Requests, "bucketclaims", "bucketaccesses")
	cl.expectReads(cl.sidecar.Requests, "bucketclaims", "bucketaccesses", "secrets")
}

// liveV1alpha1 makes a claim and an access to it, and deletes both when the access is granted.
func (cl *namespacedCluster) liveV1alpha1(claim *v1alpha1.BucketClaim, class string) {
	cl.Helper()
	access := accessV1alpha1(claim.Namespace, class)
	cl.Make(claim, access)
	cluster.Await(cl.Cluster, access, "is granted", func(a *v1alpha1.BucketAccess) error {
		if !a.Status.AccessGranted {
			return fmt.Errorf("status %+v", a.Status)
		}
		return nil
	})
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: "credentials"}}
	cl.Must(cl.Refresh(secret))
	cl.Remove(access)
	cl.WaitGone(access, secret)
	cl.Remove(claim)
	cl.WaitGone(claim)
}

// bucketElsewhere returns a Bucket for a claim of the namespace that is not served.
func (cl *namespacedCluster) bucketElsewhere(finalizers ...string) *v1alpha1.Bucket {
	return &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: newName("elsewhere"), Finalizers: finalizers},
		Spec: v1alpha1.BucketSpec{
			DriverName: cl.driver, BucketClassName: "gold", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Protocols:   []v1alpha1.Protocol{v1alpha1.ProtocolS3},
			BucketClaim: &corev1.ObjectReference{Namespace: cl.elsewhere, Name: "gone", UID: uuid.NewUUID()},
		},
	}
}

func claimV1alpha1(namespace, class string) *v1alpha1.BucketClaim {
	return &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos"},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}
}

func accessV1alpha1(namespace, class string) *v1alpha1.BucketAccess {
	return &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "app"},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: "photos", BucketAccessClassName: class, CredentialsSecretName: "credentials", Protocol: v1alpha1.ProtocolS3,
		},
	}
}
