package helm_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// TestChartLifecycle: the ServiceAccounts of two releases, of the controller and of a driver in another namespace, have the rights
// for a life of a claim and an access, and for the Leases.
func TestChartLifecycle(t *testing.T) {
	c := cluster.New(t, "")
	driverNamespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace + "-driver"}}
	c.Make(driverNamespace)
	driver := drivertest.New(t, "chart.example.com")
	driver.Serve()
	install(t, c, "tools", c.Namespace, "userRoles: false")
	install(t, c, "mine", driverNamespace.Name, `
controller: {enabled: false}
leaderElection: {namespace: `+c.Namespace+`}
driver: {enabled: true, name: chart.example.com, container: {image: example.com/driver}}
bucketClasses: [{name: chart, deletionPolicy: Delete}]
bucketAccessClasses: [{name: chart, authenticationType: Key}]`)

	controller, err := cosicontroller.New(c.ConfigIn(c.Namespace, "tools-cosi-controller"), cosicontroller.Options{
		LeaderElection: true, LeaderElectionNamespace: c.Namespace,
	})
	c.Must(err)
	c.Start(controller)
	sidecar, err := cosisidecar.New(t.Context(), c.ConfigIn(driverNamespace.Name, "mine-cosi-sidecar"), cosisidecar.Options{
		Endpoint: drivertest.Endpoint, DialOptions: driver.DialOptions(),
		LeaderElection: true, LeaderElectionNamespace: c.Namespace, DriverGroup: driverNamespace.Name,
	})
	c.Must(err)
	c.Start(sidecar)

	claim := &v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: "photos"}}
	claim.Spec.BucketClassName = "chart"
	claim.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3}
	access := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: "photos"}}
	access.Spec.BucketAccessClassName = "chart"
	access.Spec.Protocol = v1alpha2.ProtocolS3
	access.Spec.BucketClaims = []v1alpha2.BucketClaimAccess{{
		BucketClaimName: "photos", AccessSecretName: "photos",
		AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
	}}
	c.Make(claim, access)
	c.WaitReady(claim, access)
	c.Remove(access, claim)
	c.WaitGone(access, claim)
	c.Eventually(func() error {
		return c.Gone(&v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BoundBucketName}})
	})
	if left := append(driver.Buckets(), driver.Accounts()...); len(left) > 0 {
		t.Errorf("the driver still has %v", left)
	}
}

// install applies a release without its workloads, which the API server has no kinds of, and which the test runs itself.
func install(t *testing.T, c *cluster.Cluster, release, namespace, values string) {
	t.Helper()
	served, _ := split(c, mustRender(t, release, namespace, variant{values: values}.parse(t)))
	c.Must(manifest.Apply(t.Context(), c, served))
}
