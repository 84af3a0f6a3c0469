package embedded_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// TestUnserved: a client finds the kinds of workloads, and learns from the answers what to do.
func TestUnserved(t *testing.T) {
	config := start(t, controlplane.Options{NoControllers: true}).AdminConfig()
	groups, err := restmapper.GetAPIGroupResources(discovery.NewDiscoveryClientForConfigOrDie(config))
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for kind, version := range map[string]schema.GroupVersion{
		"Deployment": {Group: "apps", Version: "v1"}, "StatefulSet": {Group: "apps", Version: "v1"},
		"Job": {Group: "batch", Version: "v1"}, "CronJob": {Group: "batch", Version: "v1"},
	} {
		if _, err := mapper.RESTMapping(version.WithKind(kind).GroupKind(), version.Version); err != nil {
			t.Errorf("discovery: %v", err)
		}
	}
	kube := kubernetes.NewForConfigOrDie(config)
	_, createErr := kube.AppsV1().Deployments("default").Create(t.Context(),
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "app"}}, metav1.CreateOptions{})
	_, listErr := kube.BatchV1().Jobs("").List(t.Context(), metav1.ListOptions{})
	for want, err := range map[string]error{"deployments.apps": createErr, "jobs.batch": listErr} {
		if !apierrors.IsMethodNotSupported(err) || !strings.Contains(err.Error(), "does not run "+want) ||
			!strings.Contains(err.Error(), "cosi-emu up --pods --control-plane envtest") {
			t.Errorf("got %v, want an error about %s that names the remedy", err, want)
		}
	}
	_, err = kube.AppsV1().ControllerRevisions("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("an unknown resource: got %v, want NotFound", err)
	}
}

// TestServedJobs: with a node for Pods, Jobs are served. The other kinds answer as before, and so do the fields of Jobs
// that the controller does not honour.
func TestServedJobs(t *testing.T) {
	config := start(t, controlplane.Options{NoControllers: true, Pods: true}).AdminConfig()
	kube, ctx := kubernetes.NewForConfigOrDie(config), t.Context()
	if _, err := kube.BatchV1().Jobs("").List(ctx, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	_, listErr := kube.BatchV1().CronJobs("").List(ctx, metav1.ListOptions{})
	_, getErr := kube.BatchV1().CronJobs("default").Get(ctx, "one", metav1.GetOptions{})
	one := metav1.ObjectMeta{Name: "one"}
	_, createErr := kube.BatchV1().CronJobs("default").Create(ctx, &batchv1.CronJob{ObjectMeta: one}, metav1.CreateOptions{})
	_, setErr := kube.AppsV1().ReplicaSets("default").List(ctx, metav1.ListOptions{})
	for _, err := range []error{listErr, getErr, createErr, setErr} {
		if !apierrors.IsMethodNotSupported(err) || !strings.Contains(err.Error(), "--pods --control-plane envtest") {
			t.Errorf("got %v, want an error that names the remedy", err)
		}
	}
	spec := batchv1.JobSpec{
		CompletionMode: new(batchv1.IndexedCompletion), Completions: new(int32(1)),
		PodFailurePolicy: &batchv1.PodFailurePolicy{}, SuccessPolicy: &batchv1.SuccessPolicy{},
		BackoffLimitPerIndex: new(int32(1)), MaxFailedIndexes: new(int32(1)),
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "app", Image: "app"}},
		}},
	}
	_, err := kube.BatchV1().Jobs("default").Create(ctx, &batchv1.Job{ObjectMeta: one, Spec: spec}, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want Invalid", err)
	}
	for _, name := range []string{"podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes"} {
		if !strings.Contains(err.Error(), "spec."+name+": Forbidden: the embedded control plane does not serve it") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
