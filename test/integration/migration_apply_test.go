// The tests of this file guard how internal/migrate reads a cluster and creates objects in
// it. Its plans are tested beside the code.

package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// migrated is the directory with the inputs of migrations, and their plans.
const migrated = "../../internal/migrate/testdata"

const labNamespace = "demo"

// readObjects reads a file of migrated.
func readObjects(t *testing.T, name string) []manifest.Located {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(migrated, name))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := manifest.DecodeFile(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// lab is a cluster whose kinds of COSI a test changes.
type lab struct {
	*testing.T

	config      *rest.Config
	dynamic     dynamic.Interface
	definitions clientset.Interface
	requests    *cluster.Requests
}

// newLab returns the cluster, with namespace demo and the kinds of v1alpha2. At the end it is the
// same, and has no objects of COSI.
func newLab(t *testing.T) *lab {
	t.Helper()
	others := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, others) })
	kind, err := controlplanetest.Kind()
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	// A control plane of its own: its watches change with the kinds.
	plane := controlplanetest.StartKind(t, kind, controlplane.Options{CRDs: kinds})
	if err := plane.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &lab{T: t, config: plane.AdminConfig(), requests: &cluster.Requests{}}
	l.config.QPS = -1
	l.config.Wrap(l.requests.Wrap)
	t.Cleanup(l.requests.CloseIdle)
	if l.dynamic, err = dynamic.NewForConfig(l.config); err != nil {
		t.Fatal(err)
	}
	if l.definitions, err = clientset.NewForConfig(l.config); err != nil {
		t.Fatal(err)
	}
	kubernetesClient, err := kubernetes.NewForConfig(l.config)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubernetesClient.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: labNamespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return l
}

// resources are the resources of all kinds, in the order in which users delete them.
var resources = []string{"bucketaccesses", "bucketclaims", "buckets", "bucketaccessclasses", "bucketclasses"}

func resourceOf(object *unstructured.Unstructured) string {
	if name := strings.ToLower(object.GetKind()); strings.HasSuffix(name, "s") {
		return name + "es"
	}
	return strings.ToLower(object.GetKind()) + "s"
}

func (l *lab) resource(version, resource, namespace string) dynamic.ResourceInterface {
	all := l.dynamic.Resource(schema.GroupVersionResource{Group: "objectstorage.k8s.io", Version: version, Resource: resource})
	if namespace == "" {
		return all
	}
	return all.Namespace(namespace)
}

// removeObjects deletes all objects as described in docs/migrating.md: without their finalizers.
func (l *lab) removeObjects(ctx context.Context, version string) {
	l.Helper()
	for _, resource := range resources {
		list, err := l.resource(version, resource, "").List(ctx, metav1.ListOptions{})
		if err != nil {
			l.Fatal(err)
		}
		for _, object := range list.Items {
			in := l.resource(version, resource, object.GetNamespace())
			_, err := in.Patch(ctx, object.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err == nil {
				err = in.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			}
			if err != nil && !apierrors.IsNotFound(err) {
				l.Fatal(err)
			}
		}
	}
}

// swap replaces the kinds of COSI.
func (l *lab) swap(ctx context.Context, to func() ([]*apiextensionsv1.CustomResourceDefinition, error)) {
	l.Helper()
	definitions, err := to()
	if err != nil {
		l.Fatal(err)
	}
	for _, definition := range definitions {
		err := l.definitions.ApiextensionsV1().CustomResourceDefinitions().Delete(ctx, definition.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			l.Fatal(err)
		}
	}
	harness.Eventually(l.T, "the kinds are deleted", func(context.Context) error {
		for _, definition := range definitions {
			left, err := l.definitions.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, definition.Name, metav1.GetOptions{})
			if err == nil {
				return fmt.Errorf("%s is still there: %+v %+v", definition.Name, left.ObjectMeta, left.Status)
			}
			if !apierrors.IsNotFound(err) {
				return fmt.Errorf("get %s: %w", definition.Name, err)
			}
		}
		return nil
	})
	if err := controlplane.InstallCRDs(ctx, l.config, definitions); err != nil {
		l.Fatal(err)
	}
}

// serveBoth adds v1alpha2 to a kind of v1alpha1.
func (l *lab) serveBoth(ctx context.Context) {
	l.Helper()
	definitions, err := crds.AllV1alpha1()
	if err != nil {
		l.Fatal(err)
	}
	second := *definitions[0].Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v1alpha2", false
	definitions[0].Spec.Versions = append(definitions[0].Spec.Versions, second)
	if err := controlplane.InstallCRDs(ctx, l.config, definitions[:1]); err != nil {
		l.Fatal(err)
	}
}

// write creates objects of v1alpha1 with their status.
func (l *lab) write(objects []manifest.Located) {
	l.Helper()
	for _, object := range objects {
		object.SetResourceVersion("")
		object.SetUID("")
		in := l.resource("v1alpha1", resourceOf(object.Unstructured), object.GetNamespace())
		created, err := in.Create(l.Context(), object.Unstructured, metav1.CreateOptions{})
		if err != nil {
			l.Fatal(err)
		}
		if status, found := object.Object["status"]; found {
			created.Object["status"] = status
			if _, err := in.UpdateStatus(l.Context(), created, metav1.UpdateOptions{}); err != nil {
				l.Fatal(err)
			}
		}
	}
}

// printed returns the objects of a plan as users apply them.
func (l *lab) printed(plan *migrate.Plan) []manifest.Located {
	l.Helper()
	var page bytes.Buffer
	if err := plan.WriteYAML(&page); err != nil {
		l.Fatal(err)
	}
	objects, err := manifest.DecodeFile("new.yaml", page.Bytes())
	if err != nil {
		l.Fatal(err)
	}
	return objects
}

func (l *lab) apply(objects []manifest.Located, dryRun bool) *migrate.Report {
	l.Helper()
	report, err := migrate.Apply(l.Context(), l.config, objects, dryRun)
	if err != nil {
		l.Fatal(err)
	}
	return report
}

func names(references []migrate.Reference) []string {
	all := make([]string, len(references))
	for i, reference := range references {
		all[i] = reference.String()
	}
	return all
}

var ordinaryNames = []string{
	"BucketClass gold", "BucketAccessClass iam", "BucketAccessClass key", "Bucket bucket-0001",
	"BucketClaim demo/photos", "BucketAccess demo/app", "BucketAccess demo/job",
}

// TestMove moves a cluster: its objects are read under v1alpha1, which changes nothing, and created
// under v1alpha2, twice.
func TestMove(t *testing.T) {
	l := newLab(t)
	ctx := context.WithoutCancel(t.Context())
	t.Cleanup(func() { l.swap(ctx, crds.All) })
	l.swap(ctx, crds.AllV1alpha1)
	l.failsToRead(ctx, "an empty cluster", "has no objects of objectstorage.k8s.io/v1alpha1")
	l.write(readObjects(t, "ordinary.yaml"))

	plan := l.readOnly(ctx).Plan(migrate.Options{SecretSuffix: migrate.DefaultSecretSuffix})
	want, err := os.ReadFile(filepath.Join(migrated, "ordinary.golden.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := plan.WriteYAML(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the plan of the cluster differs from that of the file:\n%s", diff)
	}
	objects := l.printed(plan)
	if _, err := migrate.Apply(ctx, l.config, objects, false); !errors.Is(err, migrate.ErrVersion) {
		t.Errorf("apply beside v1alpha1: %v, want ErrVersion", err)
	}

	l.serveBoth(ctx)
	l.failsToRead(ctx, "a cluster of both versions", "serves v1alpha1 and v1alpha2")
	if _, err := migrate.Apply(ctx, l.config, objects, false); !errors.Is(err, migrate.ErrVersion) {
		t.Errorf("apply to a cluster of both versions: %v, want ErrVersion", err)
	}

	l.removeObjects(ctx, "v1alpha1")
	l.swap(ctx, crds.All)
	l.failsToRead(ctx, "a cluster of v1alpha2", "serves versions [v1alpha2]")
	if diff := cmp.Diff(ordinaryNames, names(l.apply(objects, false).Created)); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	again := l.apply(objects, false)
	unchanged := &migrate.Report{Created: []migrate.Reference{}, Different: []migrate.Difference{}, Skipped: again.Skipped}
	if diff := cmp.Diff(unchanged, again); diff != "" {
		t.Errorf("applied again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(ordinaryNames, names(again.Skipped)); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	l.removeObjects(ctx, "v1alpha2")
}

// readOnly reads the objects of v1alpha1, and checks that it changes nothing and reads no Secret.
func (l *lab) readOnly(ctx context.Context) *migrate.Inventory {
	l.Helper()
	before := len(l.requests.All())
	inventory, err := migrate.FromCluster(ctx, l.config)
	if err != nil {
		l.Fatal(err)
	}
	for _, request := range l.requests.All()[before:] {
		if request.Method != http.MethodGet || strings.Contains(request.Path, "secrets") {
			l.Errorf("migrate sent %s", request)
		}
	}
	return inventory
}

// failsToRead expects that reading a cluster fails, with an error that contains a text.
func (l *lab) failsToRead(ctx context.Context, cluster, want string) {
	l.Helper()
	if _, err := migrate.FromCluster(ctx, l.config); err == nil || !strings.Contains(err.Error(), want) {
		l.Errorf("read %s: %v, want %q", cluster, err, want)
	}
}

// TestPlansAreValid: the API server accepts all plans.
func TestPlansAreValid(t *testing.T) {
	l := newLab(t)
	plans, err := filepath.Glob(filepath.Join(migrated, "*.golden.yaml"))
	if err != nil || len(plans) == 0 {
		t.Fatalf("plans %v, %v", plans, err)
	}
	for _, plan := range plans {
		t.Run(strings.TrimSuffix(filepath.Base(plan), ".golden.yaml"), func(t *testing.T) {
			objects := readObjects(t, filepath.Base(plan))
			report := l.apply(objects, true)
			if len(report.Created) != len(objects) || !report.DryRun {
				t.Errorf("%d of %d objects would be created", len(report.Created), len(objects))
			}
		})
	}
	for _, resource := range resources {
		list, err := l.resource("v1alpha2", resource, "").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) > 0 {
			t.Errorf("a dry run has created %d %s, %v", len(list.Items), resource, err)
		}
	}
}

// TestApplyDifferent: existing objects with differences are reported, nothing is changed, and
// nothing is created. COSI's own additions are no difference.
func TestApplyDifferent(t *testing.T) {
	l := newLab(t)
	ctx := context.WithoutCancel(t.Context())
	t.Cleanup(func() { l.removeObjects(ctx, "v1alpha2") })
	objects := readObjects(t, "ordinary.golden.yaml")
	l.apply(objects[:4], false)
	buckets := l.resource("v1alpha2", "buckets", "")
	patch := func(data string) {
		t.Helper()
		if _, err := buckets.Patch(ctx, "bucket-0001", types.MergePatchType, []byte(data), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	patch(`{"metadata": {"finalizers": ["objectstorage.k8s.io/protection"], "annotations": {"a": "b"}, "labels": {"c": "d"}},
		"spec": {"bucketClaimRef": {"uid": "6c8b8b5e-0000-4000-8000-000000000002"}}}`)
	const lost = `spec.bucketClaimRef.uid: it is "6c8b8b5e-0000-4000-8000-000000000002", of a BucketClaim demo/photos ` +
		"that does not exist any more: delete the Bucket, and run the command again"
	bucket := migrate.Reference{Kind: "Bucket", Name: "bucket-0001"}
	if diff := cmp.Diff([]migrate.Difference{{Object: bucket, Fields: []string{lost}}}, l.apply(objects, true).Different); diff != "" {
		t.Errorf("bound to a claim that is gone (-want +got):\n%s", diff)
	}
	patch(`{"metadata": {"labels": {"team": "other"}}, "spec": {"deletionPolicy": "Delete"}}`)
	report := l.apply(objects, false)
	want := []migrate.Difference{{Object: bucket, Fields: []string{
		`metadata.labels[team]: it is "other", not "photos"`, `spec.deletionPolicy: it is "Delete", not "Retain"`, lost,
	}}}
	if diff := cmp.Diff(want, report.Different); diff != "" || len(report.Created) > 0 {
		t.Errorf("created %v, different (-want +got):\n%s", report.Created, diff)
	}
	if err := buckets.Delete(ctx, "bucket-0001", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if fields := l.apply(objects, false).Different[0].Fields; fields[0] != "metadata.deletionTimestamp: it is being deleted" {
		t.Errorf("an object that is being deleted: %v", fields)
	}
	claims := l.resource("v1alpha2", "bucketclaims", labNamespace)
	if _, err := claims.Get(ctx, "photos", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a BucketClaim was created beside a difference: %v", err)
	}
}

// TestApplyRejects: if one object is invalid, none is created.
func TestApplyRejects(t *testing.T) {
	l := newLab(t)
	for name, tc := range map[string]struct {
		change func(object *unstructured.Unstructured)
		says   string
	}{
		"Invalid": {func(object *unstructured.Unstructured) {
			object.Object["spec"].(map[string]any)["protocol"] = "NFS" //nolint:forcetypeassert // a failure of the test
		}, "BucketAccess demo/job: "},
		"UnknownField": {func(object *unstructured.Unstructured) {
			object.Object["spec"].(map[string]any)["extra"] = "x" //nolint:forcetypeassert // a failure of the test
		}, `unknown field "spec.extra"`},
		"NoNamespace": {func(object *unstructured.Unstructured) { object.SetNamespace("absent") }, `namespaces "absent" not found`},
		"Old": {func(object *unstructured.Unstructured) { object.SetAPIVersion("objectstorage.k8s.io/v1alpha1") },
			"it is of v1alpha1: translate it with 'cosi-emu migrate' first"},
		"NotCOSI": {func(object *unstructured.Unstructured) { object.SetAPIVersion("v1") }, "it is not an object of COSI"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := readObjects(t, "ordinary.golden.yaml")
			tc.change(objects[len(objects)-1].Unstructured)
			_, err := migrate.Apply(t.Context(), l.config, objects, false)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one with %q", err, tc.says)
			}
			_, err = l.resource("v1alpha2", "bucketclasses", "").Get(t.Context(), "gold", metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				t.Errorf("a BucketClass was created: %v", err)
			}
		})
	}
	if _, err := migrate.Apply(t.Context(), l.config, nil, false); !errors.Is(err, migrate.ErrInput) {
		t.Errorf("apply nothing: %v, want ErrInput", err)
	}
}
