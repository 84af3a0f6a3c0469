package realcluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

// pairs is how many claims and accesses are in flight during a disturbance.
const pairs = 12

// disturbance happens while claims and accesses are being provisioned, and again while they are being
// deleted.
type disturbance struct {
	name   string
	reason string
	run    func(*testing.T, suite)
	// own is set if the nodes have to be the test's own, and two.
	own bool
}

func disturbances() []disturbance {
	return []disturbance{
		{"LeaderKilled", "the standby takes over in the middle of a reconcile", killLeader, false},
		{"DriverKilled", "driver and sidecar are deleted in the middle of a call", killDriver, false},
		{"RollingUpdate", "every Pod is replaced by the next release", rollingUpdate, false},
		{"Drain", "every Pod is evicted from one node", drain, true},
		{"NodeRestart", "kubelet and containerd are killed, and start again", restartNode, true},
		{"NodeCrash", "kubelet, containerd and all containers are killed, and start again", crashNode, true},
		{"CertificateRenewal", "the API server gets a new certificate", renewCertificate, true},
	}
}

func testDisturbances(t *testing.T, s suite) {
	t.Helper()
	keepBackend(t, s)
	namespace := s.namespace(t)
	s.ApplyYAML(t, pair, namespace, "kept", "fake")
	s.useBucket(t, namespace, "kept", "keep")
	for _, d := range disturbances() {
		if !t.Run(d.name, func(t *testing.T) { testDisturbance(t, s, d) }) {
			t.Fatal(d.reason)
		}
	}
	s.useBucket(t, namespace, "kept", "check")
	s.useBucket(t, namespace, "kept", "empty")
	s.deletePair(t, namespace, "kept")
}

// testDisturbance expects that every claim and access becomes usable, and then goes, in spite of the
// disturbance.
func testDisturbance(t *testing.T, s suite, d disturbance) {
	t.Helper()
	if d.own && realcluster.InKind() {
		t.Skip("the nodes and certificates of kind are not the test's own")
	}
	namespace := s.namespace(t)
	for n := range pairs {
		s.ApplyYAML(t, pair, namespace, pairName(n), "fake")
	}
	s.waitPartly(t, namespace)
	d.run(t, s)
	for n := range pairs {
		s.waitReady(t, "BucketAccess", namespace, pairName(n))
	}
	s.useBucket(t, namespace, pairName(0), "use")

	for _, kind := range []string{"BucketAccess", "BucketClaim"} {
		if err := s.DeleteAllOf(t.Context(), cosi(kind, namespace, ""), client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
	}
	d.run(t, s)
	for n := range pairs {
		s.WaitGone(t, cosi("BucketClaim", namespace, pairName(n)))
	}
	s.waitBuckets(t, 1) // that is kept
	s.waitComponents(t)
}

func pairName(n int) string { return fmt.Sprintf("photos-%d", n) }

// useBucket runs a command of the application with a Secret, in a Job of that name.
func (s suite) useBucket(t *testing.T, namespace, secret, command string) {
	t.Helper()
	s.ApplyYAML(t, bucketJob, namespace, command, secret, realcluster.AppImage, "["+command+"]")
	s.waitJob(t, namespace, command)
}

// waitPartly waits until the first access is ready.
func (s suite) waitPartly(t *testing.T, namespace string) {
	t.Helper()
	harness.Eventually(t, "an access is ready", func(ctx context.Context) error {
		var err error
		for n := range pairs {
			if err = s.isReady(ctx, cosi("BucketAccess", namespace, pairName(n))); err == nil {
				return nil
			}
		}
		return err
	})
}

// waitComponents waits until all Pods of the components are ready.
func (s suite) waitComponents(t *testing.T) {
	t.Helper()
	s.WaitDeployed(t, deploy.Namespace, controllerApp)
	s.WaitDeployed(t, deploy.Namespace, driverApp)
}

// leader returns the Pod of the controller's leader.
func (s suite) leader(t *testing.T) corev1.Pod {
	t.Helper()
	lease, err := s.CoordinationV1().Leases(deploy.Namespace).Get(t.Context(), cosicontroller.LeaseName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holder := *lease.Spec.HolderIdentity
	for _, pod := range s.Pods(t, deploy.Namespace, controllerApp) {
		if strings.HasPrefix(holder, pod.Name+"_") {
			return pod
		}
	}
	t.Fatalf("no Pod of the controller is %q, which holds the Lease", holder)
	return corev1.Pod{}
}

func killLeader(t *testing.T, s suite) {
	t.Helper()
	leader := s.leader(t)
	s.kill(t, leader)
	harness.Eventually(t, "another Pod holds the Lease", func(ctx context.Context) error {
		lease, err := s.CoordinationV1().Leases(deploy.Namespace).Get(ctx, cosicontroller.LeaseName, metav1.GetOptions{})
		if err == nil && strings.HasPrefix(*lease.Spec.HolderIdentity, leader.Name+"_") {
			err = fmt.Errorf("it is still %s", leader.Name)
		}
		return err
	})
}

func killDriver(t *testing.T, s suite) {
	t.Helper()
	for _, pod := range s.Pods(t, deploy.Namespace, driverApp) {
		s.kill(t, pod)
	}
}

// kill deletes a Pod without a grace period.
func (s suite) kill(t *testing.T, pod corev1.Pod) {
	t.Helper()
	if err := client.IgnoreNotFound(s.Delete(t.Context(), &pod, client.GracePeriodSeconds(0))); err != nil {
		t.Fatal(err)
	}
}
