package realcluster

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// ApplyDir applies a kustomization, as `kubectl apply -k` does, and waits for its Deployments and DaemonSets.
func (c *Cluster) ApplyDir(tb testing.TB, dir string) {
	tb.Helper()
	c.Install(tb, deploytest.Build(tb, dir))
}

// Install applies objects, and waits for the Deployments and DaemonSets among them.
func (c *Cluster) Install(tb testing.TB, objects []*unstructured.Unstructured) {
	tb.Helper()
	c.ApplyObjects(tb, objects)
	for _, object := range objects {
		switch object.GetKind() {
		case "Deployment":
			c.WaitDeployed(tb, object.GetNamespace(), object.GetName())
		case "DaemonSet":
			c.WaitOnNodes(tb, object.GetNamespace(), object.GetName())
		}
	}
}

// DeleteDir deletes the objects of a kustomization, and waits until they are gone.
func (c *Cluster) DeleteDir(tb testing.TB, dir string) {
	tb.Helper()
	objects := deploytest.Build(tb, dir)
	for _, object := range objects {
		err := c.Delete(harness.Context(tb), object, client.PropagationPolicy("Foreground"))
		if client.IgnoreNotFound(err) != nil {
			tb.Fatal(err)
		}
	}
	for _, object := range objects {
		c.WaitGone(tb, object)
	}
}

// ApplyYAML applies YAML documents.
func (c *Cluster) ApplyYAML(tb testing.TB, format string, args ...any) []*unstructured.Unstructured {
	tb.Helper()
	objects, err := manifest.Decode(fmt.Appendf(nil, format, args...))
	if err != nil {
		tb.Fatal(err)
	}
	c.ApplyObjects(tb, objects)
	return objects
}

// ApplyObjects applies objects. It waits for the kinds of the objects, which an API server serves a moment after their definition.
func (c *Cluster) ApplyObjects(tb testing.TB, objects []*unstructured.Unstructured) {
	tb.Helper()
	harness.Until(tb, "objects are applied", func(ctx context.Context) (bool, error) {
		err := manifest.Apply(ctx, c.Client, objects)
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			return false, err
		}
		return err == nil, c.Err()
	})
}

// WaitDeployed waits until all Pods of a Deployment have its template, and are available.
func (c *Cluster) WaitDeployed(tb testing.TB, namespace, name string) {
	tb.Helper()
	harness.Eventually(tb, "Deployment "+name, func(ctx context.Context) error {
		var d appsv1.Deployment
		if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &d); err != nil {
			return err
		}
		want, got := *d.Spec.Replicas, d.Status
		if got.ObservedGeneration != d.Generation || got.UpdatedReplicas != want || got.AvailableReplicas != want || got.Replicas != want {
			return fmt.Errorf("want %d Pods, got %+v", want, got)
		}
		return nil
	})
}

// WaitOnNodes waits until a DaemonSet has an available Pod with its template on each node.
func (c *Cluster) WaitOnNodes(tb testing.TB, namespace, name string) {
	tb.Helper()
	harness.Eventually(tb, "DaemonSet "+name, func(ctx context.Context) error {
		var d appsv1.DaemonSet
		if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &d); err != nil {
			return err
		}
		want, got := int32(len(c.Nodes)), d.Status //nolint:gosec // a few
		if got.ObservedGeneration != d.Generation || got.UpdatedNumberScheduled != want || got.NumberAvailable != want {
			return fmt.Errorf("want %d Pods, got %+v", want, got)
		}
		return nil
	})
}

// WaitGone waits until an object is deleted.
func (c *Cluster) WaitGone(tb testing.TB, object client.Object) {
	tb.Helper()
	name := fmt.Sprintf("%s %s", object.GetObjectKind().GroupVersionKind().Kind, client.ObjectKeyFromObject(object))
	harness.Eventually(tb, name+" is gone", func(ctx context.Context) error {
		current := &unstructured.Unstructured{}
		current.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
		err := c.Get(ctx, client.ObjectKeyFromObject(object), current)
		if err == nil {
			return fmt.Errorf("it exists: %v", current.Object)
		}
		return client.IgnoreNotFound(err)
	})
}

// Pods returns the Pods of an application that are not being deleted, in the namespace of the components.
func (c *Cluster) Pods(tb testing.TB, namespace, app string) []corev1.Pod {
	tb.Helper()
	var pods corev1.PodList
	if err := c.List(harness.Context(tb), &pods, client.InNamespace(namespace),
		client.MatchingLabels{"app.kubernetes.io/name": app}); err != nil {
		tb.Fatal(err)
	}
	var running []corev1.Pod
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			running = append(running, pod)
		}
	}
	return running
}
