package embedded_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
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
