package realcluster_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

// rollingUpdate gives all containers of the components another image of the program.
func rollingUpdate(t *testing.T, s suite) {
	t.Helper()
	for _, name := range []string{controllerApp, driverApp} {
		var d appsv1.Deployment
		if err := s.Get(t.Context(), client.ObjectKey{Namespace: deploy.Namespace, Name: name}, &d); err != nil {
			t.Fatal(err)
		}
		before := d.DeepCopy()
		for i := range d.Spec.Template.Spec.Containers {
			image := &d.Spec.Template.Spec.Containers[i].Image
			if *image == realcluster.NextImage {
				*image = realcluster.ReleaseImage
			} else {
				*image = realcluster.NextImage
			}
		}
		if err := s.Patch(t.Context(), &d, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	s.waitComponents(t)
}

// drain evicts the Pods of the driver's node, and waits until they run on the other one.
func drain(t *testing.T, s suite) {
	t.Helper()
	driver := s.Pods(t, deploy.Namespace, driverApp)
	if len(driver) != 1 {
		t.Fatalf("%d Pods of the driver, want 1", len(driver))
	}
	node := driver[0].Spec.NodeName
	s.cordon(t, node, true)
	harness.Until(t, node+" is drained", func(ctx context.Context) (bool, error) {
		var pods corev1.PodList
		if err := s.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node}); err != nil {
			return false, err
		}
		var errs []error
		for _, pod := range pods.Items {
			eviction := &policyv1.Eviction{}
			eviction.Name, eviction.Namespace = pod.Name, pod.Namespace
			err := s.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction)
			if !apierrors.IsTooManyRequests(err) && !apierrors.IsNotFound(err) { // of the disruption budget
				errs = append(errs, err)
			}
		}
		return len(pods.Items) == 0, errors.Join(errs...)
	})
	s.waitComponents(t)
	s.cordon(t, node, false)
}

func (s suite) cordon(t *testing.T, node string, unschedulable bool) {
	t.Helper()
	object := &corev1.Node{}
	object.Name = node
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable))
	if err := s.Patch(t.Context(), object, patch); err != nil {
		t.Fatal(err)
	}
}

// restartNode kills the programs of the driver's node, and starts them again. The containers run on.
func restartNode(t *testing.T, s suite) {
	t.Helper()
	s.restart(t, (*realcluster.Node).Kill)
}

// crashNode also kills the containers.
func crashNode(t *testing.T, s suite) {
	t.Helper()
	s.restart(t, (*realcluster.Node).Crash)
}

// restart ends the driver's node, and starts it again.
func (s suite) restart(t *testing.T, end func(*realcluster.Node) error) {
	t.Helper()
	for _, pod := range s.Pods(t, deploy.Namespace, driverApp) {
		for _, node := range s.Nodes {
			if node.Name != pod.Spec.NodeName {
				continue
			}
			if err := end(node); err != nil {
				t.Fatal(err)
			}
			node.Start(t)
			s.WaitReady(t, node)
		}
	}
}

// renewCertificate has the API server use a new certificate.
func renewCertificate(t *testing.T, s suite) {
	t.Helper()
	s.RenewServing(t)
}
