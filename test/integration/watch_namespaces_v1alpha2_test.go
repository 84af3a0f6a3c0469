package integration_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// TestWatchNamespacesV1alpha2 has a life of a claim and an access in two served namespaces, while Buckets and accesses of another
// namespace wait for exactly what controller and sidecar would do in a served one.
func TestWatchNamespacesV1alpha2(t *testing.T) {
	driver := drivertest.Start(t, newName("d")+".test")
	cl := newNamespacedCluster(t, objectstorage.V1alpha2, driver.Server, "")
	class, accessClass := cl.classesV1alpha2()
	bucket := func(edit func(*v1alpha2.Bucket)) *v1alpha2.Bucket {
		b := &v1alpha2.Bucket{
			ObjectMeta: metav1.ObjectMeta{Name: newName("elsewhere")},
			Spec: v1alpha2.BucketSpec{
				DriverName: cl.driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
				BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: cl.elsewhere, Name: "gone", UID: uuid.NewUUID()},
			},
		}
		edit(b)
		return b
	}
	leaving := bucket(func(b *v1alpha2.Bucket) {
		b.Finalizers = []string{v1alpha2.ProtectionFinalizer}
		metav1.SetMetaDataAnnotation(&b.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
	})
	cl.keeps(v1alpha2.ProtectionFinalizer,
		bucket(func(*v1alpha2.Bucket) {}), leaving, claimV1alpha2(cl.elsewhere, class), accessV1alpha2(cl.elsewhere, accessClass))
	cl.deleted(leaving)

	cl.startV1alpha2()
	for _, namespace := range cl.served {
		claim, access := claimV1alpha2(namespace, class), accessV1alpha2(namespace, accessClass)
		cl.Make(claim, access)
		cl.WaitReady(claim, access)
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "credentials"}}
		cl.Must(cl.Refresh(secret))
		cl.Must(cl.Refresh(claim))
		bound := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BoundBucketName}}
		cl.Remove(access)
		cl.WaitGone(access, secret)
		cl.Remove(claim)
		cl.WaitGone(claim, bound)
	}
	cl.expectUntouched(driver.Calls())
	cl.expectReads(cl.Requests, "bucketclaims", "bucketaccesses")
	cl.expectReads(cl.sidecar.Requests, "bucketaccesses", "secrets")
}

// TestWatchNamespacesNamespaceLeaves: when a namespace is not served any more, its objects wait for a component that serves it.
func TestWatchNamespacesNamespaceLeaves(t *testing.T) {
	driver := drivertest.Start(t, newName("d")+".test")
	cl := newNamespacedCluster(t, objectstorage.V1alpha2, driver.Server, "")
	class, accessClass := cl.classesV1alpha2()
	stop := cl.startV1alpha2()
	left := cl.served[1]
	claim, access := claimV1alpha2(left, class), accessV1alpha2(left, accessClass)
	cl.Make(claim, access)
	cl.WaitReady(claim, access)
	stop()

	cl.controller.WatchNamespaces, cl.options.WatchNamespaces = cl.served[:1], cl.served[:1]
	stop = cl.startV1alpha2()
	calls := len(driver.Calls("DriverRevokeBucketAccess", "DriverDeleteBucket"))
	cl.Remove(access, claim)
	cl.Settle()
	cl.sidecar.Settle()
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BoundBucketName}}
	for _, object := range []client.Object{access, claim, bucket} {
		cl.Must(cl.Refresh(object))
	}
	if after := len(driver.Calls("DriverRevokeBucketAccess", "DriverDeleteBucket")); after != calls {
		t.Errorf("the driver was called %d times about objects that are not served", after-calls)
	}
	stop()

	cl.controller.WatchNamespaces, cl.options.WatchNamespaces = cl.served, cl.served
	cl.startV1alpha2()
	cl.WaitGone(access, claim, bucket)
}

// classesV1alpha2 makes the classes of the driver, and returns their names.
func (cl *namespacedCluster) classesV1alpha2() (class, accessClass string) {
	cl.Helper()
	buckets := &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: newName("gold")},
		Spec:       v1alpha2.BucketClassSpec{DriverName: cl.driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete},
	}
	accesses := &v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: newName("keys")},
		Spec:       v1alpha2.BucketAccessClassSpec{DriverName: cl.driver, AuthenticationType: v1alpha2.AuthenticationTypeKey},
	}
	cl.Make(buckets, accesses)
	cl.Cleanup(func() { cl.ForceRemove(buckets); cl.ForceRemove(accesses) })
	return buckets.Name, accesses.Name
}

// startV1alpha2 starts controller and sidecar.
func (cl *namespacedCluster) startV1alpha2() (stop func()) {
	cl.Helper()
	controller, err := cosicontroller.New(cl.ConfigIn(cl.Namespace, deploy.ControllerServiceAccount), cl.controller)
	cl.Must(err)
	sidecar, err := cosisidecar.New(cl.Context(), cl.sidecar.ConfigIn(cl.Namespace, deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	runs := []*cluster.Run{cl.Start(controller), cl.Start(sidecar)}
	return func() {
		for _, run := range runs {
			run.Stop()
		}
	}
}

func claimV1alpha2(namespace, class string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
}

func accessV1alpha2(namespace, class string) *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "app"},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: class, Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: "credentials",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
}
