package deploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

func names(objects []*unstructured.Unstructured) []string {
	var names []string
	for _, object := range objects {
		names = append(names, object.GetKind()+" "+object.GetName())
	}
	slices.Sort(names)
	return names
}

var (
	kinds = []string{
		"CustomResourceDefinition bucketaccessclasses.objectstorage.k8s.io",
		"CustomResourceDefinition bucketaccesses.objectstorage.k8s.io",
		"CustomResourceDefinition bucketclaims.objectstorage.k8s.io",
		"CustomResourceDefinition bucketclasses.objectstorage.k8s.io",
		"CustomResourceDefinition buckets.objectstorage.k8s.io",
	}
	rights = []string{
		"ClusterRole cosi-controller", "ClusterRole cosi-edit", "ClusterRole cosi-sidecar", "ClusterRole cosi-view",
		"ClusterRoleBinding cosi-controller", "ClusterRoleBinding cosi-sidecar",
		"Namespace cosi-system",
		"Role cosi-controller-leader-election", "Role cosi-sidecar-bridge", "Role cosi-sidecar-leader-election",
		"RoleBinding cosi-controller-leader-election", "RoleBinding cosi-sidecar-bridge", "RoleBinding cosi-sidecar-leader-election",
		"ServiceAccount cosi-controller", "ServiceAccount cosi-sidecar",
	}
	rightsV1alpha1 = []string{"ClusterRole cosi-sidecar-v1alpha1", "ClusterRoleBinding cosi-sidecar-v1alpha1"}
	namespaced     = slices.Concat([]string{
		"ClusterRole cosi-controller-cluster-scoped", "ClusterRole cosi-controller-namespaced",
		"ClusterRole cosi-sidecar-cluster-scoped", "ClusterRole cosi-sidecar-namespaced",
		"ClusterRoleBinding cosi-controller-cluster-scoped", "ClusterRoleBinding cosi-sidecar-cluster-scoped",
		"Role cosi-controller-events", "Role cosi-sidecar-events", "RoleBinding cosi-controller-events", "RoleBinding cosi-sidecar-events",
	}, slices.DeleteFunc(slices.Clone(rights), func(name string) bool {
		return strings.HasPrefix(name, "ClusterRole") && (strings.HasSuffix(name, " cosi-controller") || strings.HasSuffix(name, " cosi-sidecar"))
	}))
	controller = []string{
		"Deployment cosi-controller", "PodDisruptionBudget cosi-controller", "Service cosi-controller-metrics",
	}
	driver = []string{
		"BucketAccessClass fake", "BucketClass fake", "Deployment cosi-fake-driver", "Service cosi-fake-driver",
	}
)

func TestBuild(t *testing.T) {
	for _, tc := range []struct {
		name, dir, reason string
		want              []string
	}{
		{"Kinds", "../apis/crds", "every generated file, and no other", kinds},
		{"RBAC", "rbac", "the rights alone", rights},
		{"Controller", "controller", "the controller alone", controller},
		// KEP: FLOW-INSTALL-2, PRR-1
		{"All", ".", "all that COSI needs but drivers", slices.Concat(kinds, rights, controller)},
		// KEP: FLOW-INSTALL-3
		{"Driver", "example-driver", "a driver for it", driver},
		{"DriverRights", "driver-rbac", "the rights of a driver that reads objects", []string{
			"ClusterRole cosi-driver", "ClusterRoleBinding cosi-driver", "ServiceAccount cosi-driver",
		}},
		{"Bridge", "bridge", "a driver of v1alpha1 for it", []string{"Deployment cosi-old-driver"}},
		{"RBACV1alpha1", "rbac/v1alpha1", "the additional rights of a sidecar of v1alpha1", rightsV1alpha1},
		{"Namespaced", "rbac-namespaced", "the rights in the whole cluster are replaced, the others stay", namespaced},
		{"Served", "rbac-namespaced/served", "the rights in one namespace", []string{"RoleBinding cosi-controller", "RoleBinding cosi-sidecar"}},
		{"NamespacedV1alpha1", "rbac-namespaced/v1alpha1", "the additional rights of a sidecar of v1alpha1", []string{
			"ClusterRole cosi-sidecar-v1alpha1-cluster-scoped", "ClusterRole cosi-sidecar-v1alpha1-namespaced",
			"ClusterRoleBinding cosi-sidecar-v1alpha1-cluster-scoped",
		}},
		{"ServedV1alpha1", "rbac-namespaced/v1alpha1/served", "the additional right in one namespace", []string{
			"RoleBinding cosi-sidecar-v1alpha1",
		}},
		{"V1alpha1", "v1alpha1", "all that COSI v1alpha1 needs but drivers", slices.Concat(kinds, rights, rightsV1alpha1, controller)},
		{"DriverV1alpha1", "v1alpha1/example-driver", "the same driver, and classes of v1alpha1", driver},
		{"SecureMetrics", "secure-metrics", "the rights for HTTPS", []string{
			"ClusterRole cosi-metrics-auth", "ClusterRole cosi-metrics-reader", "ClusterRoleBinding cosi-metrics-auth",
		}},
		// Design: CSI-ARCH-1
		{"Node", "node", "the node adapter", []string{
			"CSIDriver objectstorage.k8s.io", "ClusterRole cosi-node", "ClusterRoleBinding cosi-node", "DaemonSet cosi-node",
			"Namespace cosi-node", "ServiceAccount cosi-node", "ValidatingAdmissionPolicy cosi-node", "ValidatingAdmissionPolicyBinding cosi-node",
		}},
		{"NodeExample", "node/example", "a Pod with its rights", []string{
			"Pod photos-app", "Role photos-app", "RoleBinding photos-app", "ServiceAccount photos-app",
		}},
		{"Explore", "explore", "exploration on several machines", []string{
			"ConfigMap cosi-explore", "Job cosi-explore", "Namespace cosi-explore",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			slices.Sort(tc.want)
			if diff := cmp.Diff(tc.want, names(deploytest.Build(t, tc.dir))); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVersion verifies that the components of deploy/v1alpha1 have that version, and the classes, too.
func TestVersion(t *testing.T) {
	objects := slices.Concat(deploytest.Build(t, "v1alpha1"), deploytest.Build(t, "v1alpha1/example-driver"))
	templates := deploytest.PodTemplates(t, objects)
	for _, tc := range []struct{ deployment, container, flag string }{
		{"cosi-controller", "controller", "--api=v1alpha1"},
		{"cosi-fake-driver", "driver", "--dialect=v1alpha1"},
		{"cosi-fake-driver", "sidecar", "--api=v1alpha1"},
	} {
		args := container(t, templates[tc.deployment].Spec.Containers, tc.container).Args
		if !slices.Contains(args, tc.flag) {
			t.Errorf("%s/%s has no flag %s in %v", tc.deployment, tc.container, tc.flag, args)
		}
	}
	for _, object := range objects {
		if object.GetAPIVersion() == group+"/v1alpha2" {
			t.Errorf("%s %s has version v1alpha2", object.GetKind(), object.GetName())
		}
	}
}

// TestRBAC verifies that the emulator and a cluster get the same rights, in the same order.
func TestRBAC(t *testing.T) {
	files, err := deploy.RBAC()
	if err != nil {
		t.Fatal(err)
	}
	var embedded []*unstructured.Unstructured
	for _, file := range files {
		objects, err := manifest.Decode(file.Data)
		if err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		embedded = append(embedded, objects...)
	}
	if diff := cmp.Diff(deploytest.Build(t, "rbac"), embedded); diff != "" {
		t.Errorf("-cluster, +emulator:\n%s", diff)
	}
	accounts := []string{deploy.Namespace, deploy.ControllerServiceAccount, deploy.SidecarServiceAccount}
	for _, object := range embedded {
		accounts = slices.DeleteFunc(accounts, func(name string) bool {
			return name == object.GetName() && (object.GetKind() == "ServiceAccount" || object.GetKind() == "Namespace")
		})
	}
	if len(accounts) > 0 {
		t.Errorf("the constants name %v, the manifests do not", accounts)
	}
}

func templates(t *testing.T) map[string]corev1.PodTemplateSpec {
	t.Helper()
	templates := deploytest.PodTemplates(t, slices.Concat(deploytest.Build(t, "controller"), deploytest.Build(t, "example-driver")))
	if len(templates) != 2 {
		t.Fatalf("%d Deployments, want 2", len(templates))
	}
	return templates
}

func TestImages(t *testing.T) {
	images := map[string]bool{}
	for _, template := range templates(t) {
		for _, container := range template.Spec.Containers {
			images[container.Image] = true
		}
	}
	if len(images) != 1 {
		t.Errorf("there is one image, but the containers name %v", images)
	}
}

// TestPorts expects that the program's flags make it listen at each probe and each named port.
func TestPorts(t *testing.T) {
	flags := map[string]string{
		"metrics": "--metrics-bind-address", "probes": "--health-probe-bind-address", "s3": "--s3-bind-address",
	}
	for name, template := range templates(t) {
		for _, container := range template.Spec.Containers {
			t.Run(name+"/"+container.Name, func(t *testing.T) {
				for _, port := range container.Ports {
					if flag := fmt.Sprintf("%s=:%d", flags[port.Name], port.ContainerPort); !slices.Contains(container.Args, flag) {
						t.Errorf("port %s has no flag %s in %v", port.Name, flag, container.Args)
					}
				}
				checkProbes(t, container)
			})
		}
	}
}

func checkProbes(t *testing.T, container corev1.Container) {
	t.Helper()
	if container.LivenessProbe == nil || container.ReadinessProbe == nil {
		t.Error("there should be a liveness and a readiness probe")
	}
	if probe := container.LivenessProbe; probe != nil && probe.TimeoutSeconds < 10 {
		t.Errorf("the liveness probe times out after %d s, which a container on a busy node can take", probe.TimeoutSeconds)
	}
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
		if probe == nil {
			continue
		}
		var port intstr.IntOrString
		if probe.HTTPGet != nil {
			port = probe.HTTPGet.Port
		} else {
			port = probe.TCPSocket.Port
		}
		if !slices.ContainsFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == port.StrVal }) {
			t.Errorf("a probe asks port %s, which is not named among %v", port.String(), container.Ports)
		}
	}
}

// TestServices expects that each Service finds Pods, and one of their ports.
func TestServices(t *testing.T) {
	pods := templates(t)
	for _, object := range slices.Concat(deploytest.Build(t, "controller"), deploytest.Build(t, "example-driver")) {
		if object.GetKind() != "Service" {
			continue
		}
		template := pods[strings.TrimSuffix(object.GetName(), "-metrics")]
		selector, _, _ := unstructured.NestedStringMap(object.Object, "spec", "selector")
		for key, value := range selector {
			if template.Labels[key] != value {
				t.Errorf("Service %s selects %s=%s, the Pods have %v", object.GetName(), key, value, template.Labels)
			}
		}
		ports, _, _ := unstructured.NestedSlice(object.Object, "spec", "ports")
		for _, port := range ports {
			if !hasPort(template, port) {
				t.Errorf("Service %s has port %v, the Pods have none of that name", object.GetName(), port)
			}
		}
	}
}

func hasPort(template corev1.PodTemplateSpec, servicePort any) bool {
	port, _ := servicePort.(map[string]any)
	for _, container := range template.Spec.Containers {
		for _, p := range container.Ports {
			if p.Name == port["targetPort"] {
				return true
			}
		}
	}
	return false
}

// TestToken verifies that of a driver and its sidecar only the sidecar has a token.
// Design: CK-WHY-3
func TestToken(t *testing.T) {
	spec := templates(t)["cosi-fake-driver"].Spec
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		t.Error("every container gets the token")
	}
	for _, container := range spec.Containers {
		mounted := slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "token" })
		if mounted != (container.Name == "sidecar") {
			t.Errorf("container %s has the token: %t", container.Name, mounted)
		}
	}
}
