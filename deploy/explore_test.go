package deploy_test

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	for _, object := range objects { // as kubectl apply --server-side --dry-run=server
		try := client.ApplyConfigurationFromUnstructured(object.DeepCopy())
		if err := c.Apply(t.Context(), try, client.DryRunAll, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
			t.Errorf("a dry run of %s %s: %v", object.GetKind(), object.GetName(), err)
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
