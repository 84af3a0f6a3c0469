package realcluster_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

// shortScenario has few operations: the scenario of deploy/explore takes an hour.
const shortScenario = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: claim
steps:
- apply:
    kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: missing, protocols: [S3]}
- expect:
    BucketClaim/photos: {status: {readyToUse: false}}
- delete: [BucketClaim/photos]
- expect:
    BucketClaim/photos: absent
- settle:
`

const exploreName = "cosi-explore" // of the namespace, the Secret and the Job

// testExplore runs the Job of deploy/explore, whose Pods store their states in a bucket of this cluster, and
// joins the states.
func testExplore(t *testing.T, s suite) {
	t.Helper()
	namespace := s.ApplyYAML(t, "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", exploreName)[0]
	bucket, err := os.ReadFile("../../deploy/explore/bucket.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.ApplyYAML(t, "%s", bucket)
	s.waitReady(t, "BucketAccess", exploreName, exploreName)
	objects := deploytest.Build(t, "../../deploy/explore")
	for _, object := range objects {
		if object.GetKind() == "ConfigMap" {
			if err := unstructured.SetNestedField(object.Object, shortScenario, "data", "scenario.yaml"); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.ApplyObjects(t, objects)
	s.waitJob(t, exploreName, exploreName)
	s.expectMerged(t)
	s.useBucket(t, exploreName, exploreName, "empty") // the driver deletes no bucket with objects
	if err := s.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s.WaitGone(t, namespace)
	s.waitBuckets(t, 0)
}

// expectMerged joins the states of all Pods, and reads the report from the log.
func (s suite) expectMerged(t *testing.T) {
	t.Helper()
	s.ApplyYAML(t, bucketJob, exploreName, "merge", exploreName, realcluster.ReleaseImage,
		"[explore, merge, s3://$(BUCKET_NAME)/explore/, --state=/tmp/all.state, --output=json]")
	s.waitJob(t, exploreName, "merge")
	var pods corev1.PodList
	if err := s.List(t.Context(), &pods, client.InNamespace(exploreName), client.MatchingLabels{"job-name": "merge"}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 1 {
		t.Fatalf("%d Pods joined the states, want 1", len(pods.Items))
	}
	out, err := s.CoreV1().Pods(exploreName).GetLogs(pods.Items[0].Name, &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Merged        int   `json:"merged"`
		Tried         int   `json:"tried"`
		MissingShards []any `json:"missingShards"`
		Findings      []any `json:"findings"`
	}
	if err := json.Unmarshal(out[bytes.IndexByte(out, '{'):], &report); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if report.Merged != 4 || report.Tried == 0 || len(report.MissingShards)+len(report.Findings) > 0 {
		t.Errorf("want 4 states without findings, got:\n%s", out)
	}
}
