package deploy_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

func exploreJob(t *testing.T) *batchv1.Job {
	t.Helper()
	for _, object := range deploytest.Build(t, "explore") {
		if object.GetKind() != "Job" {
			continue
		}
		job := &batchv1.Job{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, job, true); err != nil {
			t.Fatal(err)
		}
		return job
	}
	t.Fatal("there is no Job")
	return nil
}

// TestExploreJob verifies that the Job has as many Pods as shards, and that each container gets the
// variables in its command line.
func TestExploreJob(t *testing.T) {
	job := exploreJob(t)
	container := job.Spec.Template.Spec.Containers[0]
	if job.Spec.Completions == nil || !slices.Contains(container.Args, "--shard=index/"+strconv.Itoa(int(*job.Spec.Completions))) {
		t.Errorf("%v completions, and the shards are another number: %v", job.Spec.Completions, container.Args)
	}
	if mode := job.Spec.CompletionMode; mode == nil || *mode != batchv1.IndexedCompletion {
		t.Errorf("the Pods have no index: %v", mode)
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if codes := rule.OnExitCodes; codes != nil && *codes.ContainerName != container.Name {
			t.Errorf("a rule is for container %q, and the container is %q", *codes.ContainerName, container.Name)
		}
	}
	if example := templates(t)["cosi-fake-driver"].Spec.Containers[0]; container.Image != example.Image {
		t.Errorf("the image is %s, and that of the components %s", container.Image, example.Image)
	}
}

// TestExploreScenario verifies that the scenario of the Job is the base lifecycle.
func TestExploreScenario(t *testing.T) {
	base, err := os.ReadFile("../internal/explore/testdata/lifecycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := os.ReadFile("explore/scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(scenario, base) {
		t.Error("deploy/explore/scenario.yaml differs from the base lifecycle; copy it again")
	}
}

// dryRun is kubectl apply --server-side --dry-run=server.
func dryRun(t *testing.T, c client.Client, object *unstructured.Unstructured) error {
	t.Helper()
	try := client.ApplyConfigurationFromUnstructured(object.DeepCopy())
	if err := c.Apply(t.Context(), try, client.DryRunAll, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		return fmt.Errorf("a dry run of %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// TestDryRunExplore: on a new cluster without COSI, a dry run requires the namespace, and nothing else.
func TestDryRunExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	for _, chosen := range []kind.Kind{kind.Embedded, kind.Envtest} {
		t.Run(string(chosen), func(t *testing.T) {
			plane := controlplanetest.StartKind(t, chosen, controlplane.Options{Pods: true})
			c, err := client.New(plane.AdminConfig(), client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			objects := deploytest.Build(t, "explore")
			for _, object := range objects {
				if chosen == kind.Embedded { // it rejects fields that it does not implement
					unstructured.RemoveNestedField(object.Object, "spec", "podFailurePolicy")
					unstructured.RemoveNestedField(object.Object, "spec", "backoffLimitPerIndex")
				}
			}
			dryRunExplore(t, c, objects)
		})
	}
}

func dryRunExplore(t *testing.T, c client.Client, objects []*unstructured.Unstructured) {
	t.Helper()
	isNamespace := func(o *unstructured.Unstructured) bool { return o.GetKind() == "Namespace" }
	at := slices.IndexFunc(objects, isNamespace)
	if at < 0 {
		t.Fatal("no namespace")
	}
	namespace, others := objects[at], slices.DeleteFunc(slices.Clone(objects), isNamespace)
	for _, object := range others {
		if err := dryRun(t, c, object); !apierrors.IsNotFound(err) {
			t.Errorf("without the namespace: %v, want the error that docs/explore.md describes", err)
		}
	}
	text, err := os.ReadFile("explore/namespace.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := manifest.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := manifest.Apply(t.Context(), c, decoded); err != nil {
		t.Fatal(err)
	}
	for _, object := range append(others, namespace) {
		if err := dryRun(t, c, object); err != nil {
			t.Error(err)
		}
	}
}

// TestApplyExplore applies the Job, the claim and the access for its bucket, and a Pod of it. An
// API server without Jobs gets all but the Job.
func TestApplyExplore(t *testing.T) {
	c := connect(t)
	objects := slices.Concat(deploytest.Build(t, "../apis/crds"), deploytest.Build(t, "explore"))
	bucket, err := os.ReadFile("explore/bucket.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := manifest.Decode(bucket)
	if err != nil {
		t.Fatal(err)
	}
	job := exploreJob(t)
	if _, err := c.RESTMapper().RESTMapping(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind()); apimeta.IsNoMatchError(err) {
		t.Log("this API server has no Jobs")
		objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Job" })
	}
	if err := manifest.Apply(t.Context(), c, append(objects, decoded...)); err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if err := dryRun(t, c, object); err != nil {
			t.Error(err)
		}
	}
	pod := &corev1.Pod{ObjectMeta: job.Spec.Template.ObjectMeta, Spec: job.Spec.Template.Spec}
	pod.Namespace, pod.GenerateName = job.Namespace, job.Name+"-"
	if err := c.Create(t.Context(), pod); err != nil {
		t.Errorf("the Pods are not admitted: %v", err)
	}
	if secret := pod.Spec.Containers[0].EnvFrom[0].SecretRef.Name; !strings.Contains(string(bucket), "accessSecretName: "+secret) {
		t.Errorf("the Pods read the Secret %s, and the BucketAccess has another", secret)
	}
}
