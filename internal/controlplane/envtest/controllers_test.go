//go:build unix

package envtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestProgramsControllers(t *testing.T) {
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	ctx := testContext(t)
	c := start(t, controlplane.Options{CRDs: kinds})
	if err := c.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	t.Run("NamespaceIsDeleted", func(t *testing.T) { testNamespaceDeletion(ctx, t, c) })
	t.Run("OwnedObjectIsCollected", func(t *testing.T) { testCollection(ctx, t, c) })
	t.Run("CustomOwnerIsKnown", func(t *testing.T) { testCustomOwner(ctx, t, c) })
	t.Run("OwnServiceAccounts", func(t *testing.T) { testControllerRights(ctx, t, c) })
}

// testNamespaceDeletion also shows that a new namespace gets its default ServiceAccount, and that
// custom objects are deleted with their namespace.
func testNamespaceDeletion(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	kube := client(t, c)
	makeNamespace(ctx, t, c, "doomed")
	makeConfigMap(ctx, t, kube, "doomed", "something")
	harness.Until(t, "there is a default ServiceAccount", func(context.Context) (bool, error) {
		_, err := kube.CoreV1().ServiceAccounts("doomed").Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	if err := kube.CoreV1().Namespaces().Delete(ctx, "doomed", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the namespace is gone", func(context.Context) (bool, error) {
		_, err := kube.CoreV1().Namespaces().Get(ctx, "doomed", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func testCollection(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	kube := client(t, c)
	owner := makeConfigMap(ctx, t, kube, "default", "owner")
	makeConfigMap(ctx, t, kube, "default", "owned", metav1.OwnerReference{
		APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID,
	})
	if err := kube.CoreV1().ConfigMaps("default").Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the owned object is gone", func(context.Context) (bool, error) { return isGone(ctx, kube, "owned"), nil })
}

// testCustomOwner has a deadline below the 30 seconds in which the garbage collector looks for new
// kinds: it must find the custom ones earlier.
func testCustomOwner(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	kube := client(t, c)
	classes := dynamic.NewForConfigOrDie(c.AdminConfig()).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclasses"))
	class, err := classes.Create(ctx, bucketClass("owner"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	makeConfigMap(ctx, t, kube, "default", "owned-by-class", metav1.OwnerReference{
		APIVersion: class.GetAPIVersion(), Kind: class.GetKind(), Name: class.GetName(), UID: class.GetUID(),
	})
	if err := classes.Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the owned object is gone", func(context.Context) (bool, error) {
		if ctx.Err() != nil {
			t.Fatal("it took too long")
		}
		return isGone(ctx, kube, "owned-by-class"), nil
	})
}

// testControllerRights checks that each controller uses its own ServiceAccount.
func testControllerRights(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	accounts := client(t, c).CoreV1().ServiceAccounts(metav1.NamespaceSystem)
	for _, name := range []string{
		"namespace-controller", "generic-garbage-collector", "service-account-controller",
		"clusterrole-aggregation-controller", "resourcequota-controller",
	} {
		if _, err := accounts.Get(ctx, name, metav1.GetOptions{}); err != nil {
			t.Errorf("a controller does not act as a user of its own: %v", err)
		}
	}
}

// TestProgramsWorkloads: with Options.Pods, the controllers of workloads create Pods.
func TestProgramsWorkloads(t *testing.T) {
	ctx := testContext(t)
	c := start(t, controlplane.Options{Pods: true})
	if err := c.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	kube := client(t, c)
	labels := map[string]string{"app": "one"}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "example.com/app"}}},
	}
	meta, selector := metav1.ObjectMeta{Name: "one"}, &metav1.LabelSelector{MatchLabels: labels}
	_, deploymentErr := kube.AppsV1().Deployments("default").Create(ctx, &appsv1.Deployment{
		ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: new(int32(2)), Selector: selector, Template: template},
	}, metav1.CreateOptions{})
	_, setErr := kube.AppsV1().StatefulSets("default").Create(ctx, &appsv1.StatefulSet{
		ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1)), Selector: selector, Template: template},
	}, metav1.CreateOptions{})
	once := *template.DeepCopy()
	once.Spec.RestartPolicy = corev1.RestartPolicyNever
	job := &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: once}}
	_, jobErr := kube.BatchV1().Jobs("default").Create(ctx, job, metav1.CreateOptions{})
	if err := errors.Join(deploymentErr, setErr, jobErr); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"ReplicaSet": 2, "StatefulSet": 1, "Job": 1}
	harness.Eventually(t, "the workloads have Pods", func(context.Context) error {
		pods, err := kube.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		got := map[string]int{}
		for i := range pods.Items {
			for _, owner := range pods.Items[i].OwnerReferences {
				got[owner.Kind]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("Pods by the kinds of their owners: -want +got\n%s", diff)
		}
		return nil
	})
}

func makeConfigMap(
	ctx context.Context, t *testing.T, kube kubernetes.Interface, namespace, name string, owners ...metav1.OwnerReference,
) *corev1.ConfigMap {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
	made, err := kube.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func isGone(ctx context.Context, kube kubernetes.Interface, name string) bool {
	_, err := kube.CoreV1().ConfigMaps("default").Get(ctx, name, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}
