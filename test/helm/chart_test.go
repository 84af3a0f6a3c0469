package helm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/engine"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

const chartDir = "../../deploy/chart"

// variant is a way to install the chart.
type variant struct {
	name, values string
	version      objectstorage.Version
}

// variants are the default values, the examples of the README, and values that change as much as possible.
func variants(t *testing.T) []variant {
	t.Helper()
	all := []variant{
		{name: "Defaults"},
		{name: "V1alpha1", version: objectstorage.V1alpha1, values: `
api: v1alpha1
driver: {enabled: true}
bucketClasses: [{name: fake, deletionPolicy: Delete}]
bucketAccessClasses: [{name: fake, authenticationType: Key}]`},
		{name: "Everything", values: `
fullnameOverride: other
image: {digest: "sha256:` + strings.Repeat("a", 64) + `", pullPolicy: Always}
imagePullSecrets: [{name: registry}]
leaderElection: {namespace: leases}
metrics:
  secure: true
  serviceMonitor: {enabled: true, interval: 1m, labels: {release: prometheus}}
  prometheusRule: {enabled: true, labels: {release: prometheus}}
  dashboard: {enabled: true}
controller:
  podAnnotations: {example.com/team: storage}
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: storage, operator: Exists}]
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}
  priorityClassName: system-cluster-critical
  extraArgs: [--verbosity=1]
driver:
  enabled: true
  serviceAccountAnnotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/cosi"}
  podAnnotations: {example.com/team: storage}
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: storage, operator: Exists}]
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}
  priorityClassName: system-cluster-critical
  volumes: [{name: certificates, secret: {secretName: certificates}}]
sidecar: {extraArgs: [--driver-group=my-driver], secretParametersFrom: [cosi-system]}
fakeDriver: {extraArgs: [--verbosity=1], existingClaim: buckets}`},
		{name: "Namespaces", values: `
watchNamespaces: [team-a, team-b]
driver: {enabled: true}
sidecar: {secretParametersFrom: [cosi-system, team-a]}`},
		{name: "NamespacesV1alpha1", version: objectstorage.V1alpha1, values: `
api: v1alpha1
watchNamespaces: [team-a]
driver: {enabled: true}`},
		{name: "OneInstance", values: "controller: {replicas: 1}\nuserRoles: false"},
	}
	for _, example := range []string{"my-driver", "fake-driver"} {
		text, err := os.ReadFile(chartDir + "/examples/" + example + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, variant{name: example, values: string(text)})
	}
	return all
}

func (v variant) parse(t *testing.T) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(v.values), &values); err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	return values
}

// render returns the objects of the chart, as Helm makes them, in the order of their templates.
func render(ctx context.Context, release, namespace string, values map[string]any) ([]*unstructured.Unstructured, error) {
	chart, err := loader.Load(chartDir)
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true}
	all, err := util.ToRenderValues(chart, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.RenderWithContext(ctx, chart, all)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		decoded, err := manifest.Decode([]byte(files[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, files[name])
		}
		objects = append(objects, decoded...)
	}
	return objects, nil
}

func mustRender(t *testing.T, release, namespace string, values map[string]any) []*unstructured.Unstructured {
	t.Helper()
	objects, err := render(t.Context(), release, namespace, values)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestChartLint: Helm has no warning about any variant.
func TestChartLint(t *testing.T) {
	t.Parallel()
	for _, v := range variants(t) {
		lint := action.NewLint()
		lint.Strict, lint.Namespace = true, "storage"
		result := lint.Run([]string{chartDir}, v.parse(t))
		for _, err := range result.Errors {
			t.Errorf("%s: %v", v.name, err)
		}
		for _, message := range result.Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: %v", v.name, message)
			}
		}
	}
}

// TestChartRejects: values that cannot work are rejected with the name of the value.
func TestChartRejects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, values, want string }{
		{"unknown value", "controler: {enabled: false}", "'controler' not allowed"},
		{"unknown nested value", "driver: {enable: true}", "'enable' not allowed"},
		{"wrong type", "controller: {replicas: two}", "/controller/replicas"},
		{"unknown version", "api: v1beta1", "/api"},
		{"driver without image", "driver: {enabled: true, container: {args: [--a]}}", "'image'"},
		{"class without name", "bucketClasses: [{deletionPolicy: Delete}]", "'name'"},
		{"flag without hyphen", "sidecar: {extraArgs: [verbosity]}", "/sidecar/extraArgs/0"},
		{"pattern for a namespace", "sidecar: {secretParametersFrom: ['team-*']}", "/sidecar/secretParametersFrom/0"},
		{"pattern for watched namespaces", "watchNamespaces: ['team-*']", "/watchNamespaces/0"},
		{"watched namespaces as text", "watchNamespaces: team-a,team-b", "/watchNamespaces"},
		{"namespace twice", "watchNamespaces: [team-a, team-a]", "/watchNamespaces"},
		{"two fake drivers", "driver: {enabled: true, replicas: 2}", "driver.replicas must be 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := render(t.Context(), "cosi", "storage", variant{values: tc.values}.parse(t))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, and should contain %q", err, tc.want)
			}
		})
	}
}

// TestChartSchema: each value of the schema has a default.
func TestChartSchema(t *testing.T) {
	t.Parallel()
	chart, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(chartDir + "/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	defaults, err := util.CoalesceValues(chart, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkDefaults(t, "", schema, defaults)
}

func checkDefaults(t *testing.T, prefix string, schema, defaults map[string]any) {
	t.Helper()
	properties, _, err := unstructured.NestedMap(schema, "properties")
	if err != nil {
		t.Fatal(err)
	}
	for name, property := range properties {
		value, has := defaults[name]
		if !has && name != "global" { // which Helm gives to charts that another chart contains
			t.Errorf("the schema has %s%s, and values.yaml does not", prefix, name)
		}
		below, _ := property.(map[string]any)
		values, _ := value.(map[string]any)
		if below["additionalProperties"] == false {
			checkDefaults(t, prefix+name+".", below, values)
		}
	}
}

// TestChartSameAsKustomize: with a release cosi in cosi-system, the chart has the objects of the kustomizations.
func TestChartSameAsKustomize(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, values string
		dirs         []string
	}{
		{"V1alpha2", "driver: {enabled: true}", []string{"rbac", "controller", "example-driver"}},
		{"V1alpha1", "{api: v1alpha1, driver: {enabled: true}}", []string{"v1alpha1", "v1alpha1/example-driver"}},
		{
			"SecureMetrics", "{controller: {enabled: false}, driver: {enabled: true}, metrics: {secure: true}}",
			[]string{"secure-metrics"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			values := variant{values: tc.values}.parse(t)
			values["image"] = map[string]any{"repository": "cosi-emu", "tag": "dev"}
			got := normalized(mustRender(t, "cosi", "cosi-system", values))
			for _, dir := range tc.dirs {
				for name, want := range normalized(deploytest.Build(t, "../../deploy/"+dir)) {
					if tc.name == "SecureMetrics" && strings.HasPrefix(name, "ClusterRoleBinding") { // no controller here
						want["subjects"] = want["subjects"].([]any)[1:] //nolint:forcetypeassert // a list of subjects
					}
					if diff := cmp.Diff(want, got[name]); diff != "" {
						t.Errorf("%s %s (-kustomize +chart):\n%s", dir, name, diff)
					}
				}
			}
		})
	}
}

// TestChartNamespaces: with watchNamespaces, the components have the rights of deploy/rbac-namespaced and no others.
func TestChartNamespaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, values string
		dirs         []string
	}{
		{"V1alpha2", "{watchNamespaces: [team-a, team-b], driver: {enabled: true}}", []string{"rbac-namespaced"}},
		{
			"V1alpha1", "{api: v1alpha1, watchNamespaces: [team-a, team-b], driver: {enabled: true}}",
			[]string{"rbac-namespaced", "rbac-namespaced/v1alpha1"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var want []*unstructured.Unstructured
			for _, dir := range tc.dirs {
				want = append(want, deploytest.Build(t, "../../deploy/"+dir)...)
				for _, namespace := range []string{"team-a", "team-b"} {
					for _, object := range deploytest.Build(t, "../../deploy/"+dir+"/served") {
						object.SetNamespace(namespace)
						want = append(want, object)
					}
				}
			}
			got := mustRender(t, "cosi", "cosi-system", variant{values: tc.values}.parse(t))
			if diff := cmp.Diff(rights(want), rights(got)); diff != "" {
				t.Errorf("-kustomize, +chart:\n%s", diff)
			}
			for name, template := range deploytest.PodTemplates(t, got) {
				component := template.Spec.Containers[len(template.Spec.Containers)-1] // the driver comes before the sidecar
				if !slices.Contains(component.Args, "--watch-namespaces=team-a,team-b") {
					t.Errorf("%s has the flags %v", name, component.Args)
				}
			}
		})
	}
}

// rights returns the content of the objects of RBAC, by kind, namespace and name.
func rights(objects []*unstructured.Unstructured) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, object := range objects {
		if object.GroupVersionKind().Group != "rbac.authorization.k8s.io" {
			continue
		}
		for _, content := range normalized([]*unstructured.Unstructured{object}) {
			found[object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName()] = content
		}
	}
	return found
}

// TestChartPlacement: an administrator selects the nodes of the controller, and of a driver with its sidecar.
// Design: CK-DEPLOY-10
func TestChartPlacement(t *testing.T) {
	t.Parallel()
	const values = `
controller: {nodeSelector: {pool: storage}, tolerations: [{key: storage, operator: Exists}]}
driver: {enabled: true, nodeSelector: {pool: storage}, tolerations: [{key: storage, operator: Exists}]}`
	templates := deploytest.PodTemplates(t, mustRender(t, "cosi", "cosi-system", variant{values: values}.parse(t)))
	if len(templates) != 2 {
		t.Errorf("%d workloads, want the controller and the driver", len(templates))
	}
	want := corev1.PodSpec{
		NodeSelector: map[string]string{"pool": "storage"},
		Tolerations:  []corev1.Toleration{{Key: "storage", Operator: corev1.TolerationOpExists}},
	}
	for name, template := range templates {
		got := corev1.PodSpec{NodeSelector: template.Spec.NodeSelector, Tolerations: template.Spec.Tolerations}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestChartSecretParameters: the sidecar may read the Secrets for drivers of a namespace that it does not watch.
// Design: CK-SECRET-7
func TestChartSecretParameters(t *testing.T) {
	t.Parallel()
	values := "{watchNamespaces: [team-a], driver: {enabled: true}, sidecar: {secretParametersFrom: [backend, team-a]}}"
	var in []string
	for _, object := range mustRender(t, "cosi", "cosi-system", variant{values: values}.parse(t)) {
		if object.GetName() == "cosi-sidecar-secret-parameters" {
			in = append(in, object.GetKind()+" "+object.GetNamespace())
		}
	}
	if diff := cmp.Diff([]string{"Role backend", "RoleBinding backend"}, in); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// normalized returns the content of objects without the differences that a release causes: labels, the name of the driver's
// objects, and when an image is pulled. Namespaces, definitions and classes are not part of the templates.
func normalized(objects []*unstructured.Unstructured) map[string]map[string]any {
	normalized := map[string]map[string]any{}
	for _, object := range objects {
		if slices.Contains([]string{"Namespace", "CustomResourceDefinition", "BucketClass", "BucketAccessClass"}, object.GetKind()) {
			continue
		}
		text, _ := object.MarshalJSON() // it was JSON before
		text = []byte(strings.ReplaceAll(string(text), "cosi-fake-driver", "cosi-driver"))
		var content map[string]any
		_ = json.Unmarshal(text, &content)
		strip(content)
		normalized[object.GetKind()+" "+strings.ReplaceAll(object.GetName(), "cosi-fake-driver", "cosi-driver")] = content
	}
	return normalized
}

func strip(value any) {
	switch value := value.(type) {
	case map[string]any:
		if labels, _ := value["labels"].(map[string]any); labels != nil {
			maps.DeleteFunc(labels, func(name string, _ any) bool { return !strings.Contains(name, "aggregate") })
			if len(labels) == 0 {
				delete(value, "labels")
			}
		}
		for _, name := range []string{"imagePullPolicy", "app.kubernetes.io/instance"} {
			delete(value, name)
		}
		for _, field := range value {
			strip(field)
		}
	case []any:
		for _, item := range value {
			strip(item)
		}
	}
}

// TestChartMonitors: each ServiceMonitor selects one Service, which selects Pods with a port of that name.
func TestChartMonitors(t *testing.T) {
	t.Parallel()
	values := variant{values: "{driver: {enabled: true}, metrics: {serviceMonitor: {enabled: true}}}"}.parse(t)
	objects := mustRender(t, "cosi", "storage", values)
	monitors := 0
	for _, monitor := range objects {
		if monitor.GetKind() != "ServiceMonitor" {
			continue
		}
		monitors++
		labels, _, _ := unstructured.NestedStringMap(monitor.Object, "spec", "selector", "matchLabels")
		var selected []string
		for _, service := range objects {
			if service.GetKind() == "Service" && contains(service.GetLabels(), labels) {
				selected = append(selected, service.GetName())
				expectPods(t, objects, service)
			}
		}
		if !slices.Equal(selected, []string{monitor.GetName()}) {
			t.Errorf("%s selects the Services %v", monitor.GetName(), selected)
		}
	}
	if monitors != 2 {
		t.Errorf("there are %d ServiceMonitors", monitors)
	}
}

func contains(labels, selector map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return true
}

func expectPods(t *testing.T, objects []*unstructured.Unstructured, service *unstructured.Unstructured) {
	t.Helper()
	selector, _, _ := unstructured.NestedStringMap(service.Object, "spec", "selector")
	for _, template := range deploytest.PodTemplates(t, objects) {
		if !contains(template.Labels, selector) {
			continue
		}
		for _, container := range template.Spec.Containers {
			if slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool { return port.Name == "metrics" }) {
				return
			}
		}
	}
	t.Errorf("the Service %s selects no Pods with a port metrics", service.GetName())
}

// TestChartAccepted applies each variant to the embedded API server. It has no kinds of workloads and networks: they
// must have the fields of their types.
func TestChartAccepted(t *testing.T) {
	for _, v := range variants(t) {
		t.Run(v.name, func(t *testing.T) {
			plane := controlplanetest.StartVersion(t, v.version)
			c, err := client.New(plane.AdminConfig(), client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			served, others := split(c, mustRender(t, "cosi", controlplanetest.NamespaceIn(t, plane), v.parse(t)))
			apply(t, c, served)
			for _, object := range others {
				expectFields(t, object)
			}
		})
	}
}

// split returns the objects whose kinds the API server serves, and the others.
func split(c client.Client, objects []*unstructured.Unstructured) (served, others []*unstructured.Unstructured) {
	for _, object := range objects {
		kind := object.GroupVersionKind()
		// It names Deployments to reject them with an advice.
		if _, err := c.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version); err != nil || kind.Group == "apps" {
			others = append(others, object)
		} else {
			served = append(served, object)
		}
	}
	return served, others
}

func expectFields(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	typed, err := clientgoscheme.Scheme.New(object.GroupVersionKind())
	if runtime.IsNotRegisteredError(err) {
		return // a kind of the Prometheus operator
	}
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true)
	}
	if err != nil {
		t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

func apply(t *testing.T, c client.Client, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, object := range objects { // a release uses the Leases of another one's namespace
		if object.GetNamespace() == "" {
			continue
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: object.GetNamespace()}}
		if err := client.IgnoreAlreadyExists(c.Create(t.Context(), namespace)); err != nil {
			t.Fatal(err)
		}
	}
	if err := manifest.Apply(t.Context(), client.WithFieldValidation(c, metav1.FieldValidationStrict), objects); err != nil {
		t.Error(err)
	}
}

// TestProgramsChart has kube-apiserver judge each variant, and the Pods, in a namespace of the strictest kind.
func TestProgramsChart(t *testing.T) {
	kinds, err := crds.For(objectstorage.V1alpha2)
	if err != nil {
		t.Fatal(err)
	}
	plane := controlplanetest.StartKind(t, kind.Envtest, controlplane.Options{CRDs: kinds})
	for _, v := range variants(t) {
		if v.version != "" {
			continue // one control plane is enough
		}
		t.Run(v.name, func(t *testing.T) {
			c, err := client.New(plane.AdminConfig(), client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			namespace := controlplanetest.NamespaceIn(t, plane)
			strict := client.RawPatch("application/merge-patch+json",
				[]byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`))
			if err := c.Patch(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, strict); err != nil {
				t.Fatal(err)
			}
			objects := slices.DeleteFunc(mustRender(t, "cosi", namespace, v.parse(t)), func(object *unstructured.Unstructured) bool {
				return object.GroupVersionKind().Group == "monitoring.coreos.com"
			})
			apply(t, c, objects)
			for name, template := range deploytest.PodTemplates(t, objects) {
				pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
				pod.Namespace, pod.GenerateName = namespace, name+"-"
				if err := c.Create(t.Context(), pod, client.DryRunAll); err != nil {
					t.Errorf("the Pods of %s are not admitted: %v", name, err)
				}
			}
		})
	}
}
