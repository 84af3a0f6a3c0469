package emulator_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// testAsProgram returns a program that runs one test of this binary, which reads the arguments from flag.Args. It is a
// script, because the arguments of a container replace those of its image.
func testAsProgram(t *testing.T, test string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), test)
	script := fmt.Sprintf("#!/bin/sh\nexec %s -test.run='^%s$' -- \"$@\"\n", binary, test)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

// startWithJobs starts an emulator that runs Pods. The image of the AWS CLI is this test binary.
func startWithJobs(t *testing.T) *emulator.Emulator {
	t.Helper()
	return emulatortest.Start(t, emulator.Options{
		Pods: true, ControlPlaneKind: emulator.ControlPlaneEmbedded, RetryBaseDelay: time.Millisecond,
		Images: []emulator.Image{
			{Pattern: "busybox"}, {Pattern: "amazon/aws-cli", Command: []string{testAsProgram(t, "TestPodClient")}},
		},
	})
}

// TestPodClient is the AWS CLI of the other tests: s3 cp FROM TO, with s3://BUCKET/KEY, a file, or - for the output. With
// --recursive, FROM and TO are buckets.
func TestPodClient(t *testing.T) {
	args := flag.Args()
	if len(args) < 4 || args[0] != "s3" || args[1] != "cp" {
		t.Skip("it is no test")
	}
	app := openBucket(environment())
	do, args := copyObject, args[2:]
	if args[0] == "--recursive" {
		do, args = copyAll, args[1:]
	}
	if err := do(t.Context(), app.client, args[0], args[1]); err != nil {
		t.Fatal(err)
	}
}

// environment returns the variables of this process.
func environment() map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

func copyAll(ctx context.Context, c *s3.Client, from, to string) error {
	source, _ := strings.CutPrefix(from, "s3://")
	target, _ := strings.CutPrefix(to, "s3://")
	keys, err := bucket{c, &source}.list(ctx)
	for _, key := range keys {
		input := &s3.CopyObjectInput{Bucket: &target, Key: &key, CopySource: new(source + "/" + key)}
		_, failed := c.CopyObject(ctx, input)
		err = errors.Join(err, failed)
	}
	return err
}

func copyObject(ctx context.Context, c *s3.Client, from, to string) error {
	if name, isRemote := strings.CutPrefix(from, "s3://"); isRemote {
		source, key, _ := strings.Cut(name, "/")
		out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &source, Key: &key})
		if err != nil {
			return err
		}
		content, err := io.ReadAll(out.Body)
		if to == "-" {
			_, failed := os.Stdout.Write(append(content, '\n'))
			return errors.Join(err, failed)
		}
		return errors.Join(err, os.WriteFile(to, content, 0o600))
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	target, key, _ := strings.Cut(strings.TrimPrefix(to, "s3://"), "/")
	return bucket{c, &target}.put(ctx, key, string(content))
}

// awaitJob waits until a Job has a condition, and returns its Pods.
func (s *podStory) awaitJob(job *batchv1.Job, kind batchv1.JobConditionType) []corev1.Pod {
	s.t.Helper()
	harness.Eventually(s.t, "condition "+string(kind), func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(job), job); err != nil {
			return err
		}
		if !slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == kind && c.Status == corev1.ConditionTrue
		}) {
			return fmt.Errorf("Job %s has the status %+v", job.Name, job.Status)
		}
		return nil
	})
	return s.podsOf(job)
}

func (s *podStory) podsOf(job *batchv1.Job) []corev1.Pod {
	s.t.Helper()
	list := &corev1.PodList{}
	err := s.emu.Client().List(s.t.Context(), list, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// roundTrip returns a Job that writes an object with the credentials of the access, and reads it back.
func (s *podStory) roundTrip(script string) *batchv1.Job {
	secret := corev1.LocalObjectReference{Name: s.access.Spec.BucketClaims[0].AccessSecretName}
	key := v1alpha2.SecretKeyBucketName
	mounts := []corev1.VolumeMount{{Name: "creds", MountPath: "/creds", ReadOnly: true}, {Name: "data", MountPath: "/data"}}
	run := func(name, script string) corev1.Container {
		return corev1.Container{Name: name, Image: shell, Command: []string{"sh", "-ec", script}, VolumeMounts: mounts}
	}
	aws := func(name string, args ...string) corev1.Container {
		return corev1.Container{
			Name: name, Image: "amazon/aws-cli:2.17", Args: append([]string{"s3", "cp"}, args...), VolumeMounts: mounts,
			EnvFrom: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: secret}}},
		}
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: "round-trip"},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32(2)), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(1)),
			Volumes: []corev1.Volume{
				{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "creds", VolumeSource: corev1.VolumeSource{
					Secret: &corev1.SecretVolumeSource{SecretName: secret.Name, Items: []corev1.KeyToPath{{Key: key, Path: key}}},
				}},
			},
			InitContainers: []corev1.Container{
				run("write", script+`echo "hello from $HOSTNAME to $(cat /creds/BUCKET_NAME)" > /data/out`),
				aws("put", "/data/out", "s3://$(BUCKET_NAME)/greeting"),
				aws("get", "s3://$(BUCKET_NAME)/greeting", "/data/in"),
			},
			Containers: []corev1.Container{run("compare", "cmp /data/out /data/in; cat /data/in")},
		}}},
	}
}

// TestPodJob runs a Job as the suites of drivers have them: it exists before the access, reads the Secret, and makes a
// round trip. A run that fails is repeated. The deletion of the Job deletes its Pods.
// Pod: POD-JOB-1
func TestPodJob(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithJobs(t))
	tried := filepath.Join(t.TempDir(), "tried")
	job := s.roundTrip(fmt.Sprintf("[ -e %[1]s ] || { touch %[1]s; exit 3; }\n", tried))
	s.create(job, s.claim, s.access)
	runs := s.awaitJob(job, batchv1.JobComplete)
	if job.Status.Succeeded != 1 || job.Status.Failed != 1 || len(runs) != 2 {
		t.Errorf("status %+v with %d Pods, want a failure and a success", job.Status, len(runs))
	}
	for i := range runs {
		pod := &runs[i]
		if pod.Status.Phase != corev1.PodSucceeded {
			continue
		}
		want := fmt.Sprintf("hello from %s to %s\n", pod.Name, s.secret()[v1alpha2.SecretKeyBucketName])
		if got := s.logs(pod, corev1.PodLogOptions{}); got != want {
			t.Errorf("output %q, want %q", got, want)
		}
	}
	if err := s.emu.Client().Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	s.waitGone(job)
	if left := s.podsOf(job); len(left) > 0 {
		t.Errorf("%d Pods are left", len(left))
	}
}

// TestPodJobEnds ends Jobs before their Pods end by themselves: by a deadline, by too many failures, with the namespace.
func TestPodJobEnds(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithJobs(t))
	job := func(name, script string) *batchv1.Job {
		return &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: name},
			Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: s.pod(name, script).Spec}},
		}
	}
	late, broken, endless := job("late", "exec sleep 600"), job("broken", "exit 4"), job("endless", "exec sleep 600")
	late.Spec.ActiveDeadlineSeconds = new(int64(1))
	broken.Spec.BackoffLimit = new(int32(1))
	broken.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	s.create(late, broken, endless)
	for job, reason := range map[*batchv1.Job]string{late: batchv1.JobReasonDeadlineExceeded, broken: batchv1.JobReasonBackoffLimitExceeded} {
		s.awaitJob(job, batchv1.JobFailed)
		if last := job.Status.Conditions[len(job.Status.Conditions)-1]; last.Reason != reason {
			t.Errorf("Job %s failed with %s, want %s", job.Name, last.Reason, reason)
		}
		harness.Eventually(t, "the end of the Pods of Job "+job.Name, func(context.Context) error { // an ended Pod may be there a moment longer
			if left := s.podsOf(job); len(left) > 0 {
				return fmt.Errorf("%d Pods", len(left))
			}
			return nil
		})
	}
	harness.Eventually(t, "a Pod of the last Job", func(context.Context) error {
		if all := s.podsOf(endless); len(all) != 1 || !isReady(&all[0]) {
			return fmt.Errorf("%d Pods", len(all))
		}
		return nil
	})
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: endless.Namespace}}
	s.delete(namespace)
	s.waitGone(namespace)
}

// TestPodRecipes runs the Jobs of docs/recipes.md. The reader reads what the application has written, and the backup
// copies it.
func TestPodRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newPodStory(t, startWithJobs(t))
	kept := s.claim.DeepCopy()
	kept.Name = "photos-backup"
	s.create(s.claim, kept, s.access)
	s.waitReady()
	if err := openBucket(s.secret()).put(t.Context(), "hello", "world"); err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{"reader": "world\n", "backup": ""}
	for section := range strings.SplitSeq(string(page), "\n## ") {
		if !strings.Contains(section, "\nkind: Job\n") {
			continue
		}
		for _, name := range s.applyRecipe(section) {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: name}}
			runs := s.awaitJob(job, batchv1.JobComplete)
			want, isKnown := outputs[name]
			if got := s.logs(&runs[0], corev1.PodLogOptions{}); !isKnown || !strings.HasPrefix(got, want) {
				t.Errorf("Job %s: output %q, want %q", name, got, want)
			}
			delete(outputs, name)
		}
	}
	if len(outputs) > 0 {
		t.Errorf("these Jobs are missing: %v", outputs)
	}
}

// applyRecipe creates the objects of a recipe in the namespace of the story, and returns the names of its Jobs.
func (s *podStory) applyRecipe(section string) (jobs []string) {
	s.t.Helper()
	for _, block := range strings.Split(section, "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		objects, err := manifest.Decode([]byte(text))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, object := range objects {
			if object.GetNamespace() != "" {
				object.SetNamespace(s.claim.Namespace)
			}
			if object.GetKind() == "Job" {
				jobs = append(jobs, object.GetName())
			}
		}
		if err := manifest.Apply(s.t.Context(), s.emu.Client(), objects); err != nil {
			s.t.Fatal(err)
		}
	}
	return jobs
}
