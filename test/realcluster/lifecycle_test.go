package realcluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

// applications are Pods that use the Secret "photos": as variables, and as files. Each is ready as long as
// it can store objects.
const applications = `
apiVersion: v1
kind: Pod
metadata: {name: variables, namespace: %[1]s}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
    image: %[2]s
    args: [serve]
    envFrom: [{secretRef: {name: photos}}]
    readinessProbe: {httpGet: {port: 8080}, timeoutSeconds: 20, periodSeconds: 2}
---
apiVersion: v1
kind: Pod
metadata: {name: files, namespace: %[1]s}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
    image: %[2]s
    args: [serve, --files=/secret]
    readinessProbe: {httpGet: {port: 8080}, timeoutSeconds: 20, periodSeconds: 2}
    volumeMounts: [{name: secret, mountPath: /secret}]
  volumes: [{name: secret, secret: {secretName: photos}}]
`

// testLifecycle has Pods and a Job wait for a Secret, use it, and end.
func testLifecycle(t *testing.T, s suite) {
	t.Helper()
	namespace := s.namespace(t)
	s.ApplyYAML(t, applications, namespace, realcluster.AppImage)
	s.ApplyYAML(t, bucketJob, namespace, "use", "photos", realcluster.AppImage, "[use]")
	s.waitEvent(t, namespace, "files", "FailedMount")
	s.waitEvent(t, namespace, "variables", "Failed")

	s.ApplyYAML(t, pair, namespace, "photos", "fake")
	s.waitReady(t, "BucketClaim", namespace, "photos")
	s.waitReady(t, "BucketAccess", namespace, "photos")
	s.waitPodReady(t, namespace, "variables")
	s.waitPodReady(t, namespace, "files")
	s.waitJob(t, namespace, "use")

	for _, name := range []string{"variables", "files"} {
		pod := &corev1.Pod{}
		pod.Namespace, pod.Name = namespace, name
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		if err := s.Delete(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		s.WaitGone(t, pod)
	}
	s.deletePair(t, namespace, "photos")
}

// testChart installs the Helm chart in a namespace of its own, in the place of what v1alpha1 has left, and uses it.
func testChart(t *testing.T, s suite) {
	t.Helper()
	const dir, namespace = "../../deploy/chart", "storage"
	object := &corev1.Namespace{}
	object.Name = namespace
	if err := s.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	s.Install(t, deploytest.Template(t, dir, namespace, "--values", dir+"/examples/fake-driver.yaml",
		"--set", "controller.enabled=true,image.repository=cosi-emu,image.tag=dev"))
	user := s.namespace(t)
	s.ApplyYAML(t, pair, user, "photos", "fake")
	s.waitReady(t, "BucketAccess", user, "photos")
	s.useBucket(t, user, "photos", "use")
	s.deletePair(t, user, "photos")
}

// testBridge has a driver of v1alpha1 serve claims, in the Pod of deploy/bridge.
func testBridge(t *testing.T, s suite) {
	t.Helper()
	const dir = "../../deploy/bridge"
	s.ApplyDir(t, dir)
	classes := s.ApplyYAML(t, `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClass
metadata: {name: old}
spec: {driverName: old.example.com, deletionPolicy: Delete}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccessClass
metadata: {name: old}
spec: {driverName: old.example.com, authenticationType: Key}
`)
	namespace := s.namespace(t)
	s.ApplyYAML(t, pair, namespace, "photos", "old")
	s.waitReady(t, "BucketAccess", namespace, "photos")
	s.deletePair(t, namespace, "photos")
	s.waitBuckets(t, 0)
	for _, class := range classes {
		if err := s.Delete(t.Context(), class); err != nil {
			t.Error(err)
		}
	}
	s.DeleteDir(t, dir)
}

func (s suite) waitEvent(t *testing.T, namespace, pod, reason string) {
	t.Helper()
	harness.Eventually(t, "Event "+reason+" of Pod "+pod, func(ctx context.Context) error {
		var events corev1.EventList
		if err := s.List(ctx, &events, client.InNamespace(namespace)); err != nil {
			return err
		}
		var got []string
		for _, event := range events.Items {
			if event.InvolvedObject.Name == pod && event.Reason == reason {
				return nil
			}
			got = append(got, event.InvolvedObject.Name+": "+event.Reason+": "+event.Message)
		}
		return fmt.Errorf("Events:\n%s", strings.Join(got, "\n"))
	})
}

func (s suite) waitPodReady(t *testing.T, namespace, name string) {
	t.Helper()
	harness.Eventually(t, "Pod "+name, func(ctx context.Context) error {
		var pod corev1.Pod
		if err := s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &pod); err != nil {
			return err
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("it is not ready: %+v", pod.Status)
	})
}

func (s suite) waitJob(t *testing.T, namespace, name string) {
	t.Helper()
	harness.Until(t, "Job "+name, func(ctx context.Context) (bool, error) {
		var job batchv1.Job
		if err := s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &job); err != nil {
			return false, err
		}
		for _, condition := range job.Status.Conditions {
			if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
				return false, fmt.Errorf("it failed: %+v", job.Status)
			}
		}
		return job.Status.Succeeded == *job.Spec.Completions && job.Status.CompletionTime != nil, nil
	})
}

// waitBuckets waits until so many Buckets exist.
func (s suite) waitBuckets(t *testing.T, want int) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("%d Buckets exist", want), func(ctx context.Context) error {
		buckets, err := s.buckets(ctx)
		if err == nil && len(buckets.Items) != want {
			err = fmt.Errorf("%d Buckets exist: %v", len(buckets.Items), buckets.Items)
		}
		return err
	})
}
