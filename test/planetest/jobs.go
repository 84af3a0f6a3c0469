package planetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// newJob returns a Job with one container.
func newJob(name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "app", Image: "example.com/app"}},
		}}},
	}
}

// jobs are the Jobs of one test.
type jobs struct {
	*fixture

	namespace string
}

func (f *fixture) jobs(t *testing.T) *jobs {
	t.Helper()
	j := &jobs{f, f.namespace(t)}
	until(t, "the ServiceAccount exists", func() bool {
		_, err := f.kube.CoreV1().ServiceAccounts(j.namespace).Get(testContext(t), "default", metav1.GetOptions{})
		return err == nil
	})
	return j
}

func (j *jobs) create(t *testing.T, job *batchv1.Job) *batchv1.Job {
	t.Helper()
	return must(j.kube.BatchV1().Jobs(j.namespace).Create(testContext(t), job, metav1.CreateOptions{}))(t)
}

// await returns a Job as soon as it is right.
func (j *jobs) await(t *testing.T, name, what string, right func(*batchv1.JobStatus) bool) *batchv1.Job {
	t.Helper()
	var job *batchv1.Job
	until(t, what, func() bool {
		job = must(j.kube.BatchV1().Jobs(j.namespace).Get(testContext(t), name, metav1.GetOptions{}))(t)
		return right(&job.Status)
	})
	return job
}

func isTrue(kind batchv1.JobConditionType) func(*batchv1.JobStatus) bool {
	return func(s *batchv1.JobStatus) bool {
		return slices.ContainsFunc(s.Conditions, func(c batchv1.JobCondition) bool { return c.Type == kind && c.Status == corev1.ConditionTrue })
	}
}

// pods returns the Pods of a Job that have not ended, in the order of their indexes, once there are as many as expected.
func (j *jobs) pods(t *testing.T, job string, want int) []corev1.Pod {
	t.Helper()
	var running []corev1.Pod
	until(t, fmt.Sprintf("%d Pods run", want), func() bool {
		all := must(j.kube.CoreV1().Pods(j.namespace).List(testContext(t), metav1.ListOptions{LabelSelector: "job-name=" + job}))(t)
		running = slices.DeleteFunc(all.Items, func(p corev1.Pod) bool {
			return p.Status.Phase != corev1.PodPending || p.DeletionTimestamp != nil
		})
		return len(running) == want
	})
	slices.SortFunc(running, func(a, b corev1.Pod) int { return cmp.Compare(a.Spec.Hostname, b.Spec.Hostname) })
	return running
}

// end ends a Pod.
func (j *jobs) end(t *testing.T, pod *corev1.Pod, phase corev1.PodPhase) {
	t.Helper()
	pod = pod.DeepCopy()
	pod.Status.Phase = phase
	must(j.kube.CoreV1().Pods(j.namespace).UpdateStatus(testContext(t), pod, metav1.UpdateOptions{}))(t)
}

// events waits for the reasons of the Events of a Job, sorted and without repetitions.
func (j *jobs) events(t *testing.T, job string, want ...string) {
	t.Helper()
	var got []string
	defer func() {
		if t.Failed() {
			t.Logf("Events %q, want %q", got, want)
		}
	}()
	until(t, "the Events exist", func() bool {
		list := must(j.kube.CoreV1().Events(j.namespace).List(testContext(t), metav1.ListOptions{FieldSelector: "involvedObject.name=" + job}))(t)
		got = nil
		for i := range list.Items {
			got = append(got, list.Items[i].Reason)
		}
		slices.Sort(got)
		got = slices.Compact(got)
		return slices.Equal(got, want)
	})
}

// conditions returns the conditions of a Job that are true, with their reasons.
func conditions(job *batchv1.Job) []string {
	var all []string
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			all = append(all, string(c.Type)+" "+c.Reason)
		}
	}
	return all
}

// testJobDefaults creates a Job as clients do, and reads it back.
func (f *fixture) testJobDefaults(t *testing.T) {
	j := f.jobs(t)
	job := newJob("one")
	job.Spec.Suspend = new(true)
	job.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{}
	got := j.create(t, job)
	text := strings.ReplaceAll(string(must(yaml.Marshal(got.Spec))(t)), string(got.UID), "UID")
	const want = `backoffLimit: 6
completionMode: NonIndexed
completions: 1
manualSelector: false
parallelism: 1
podReplacementPolicy: TerminatingOrFailed
selector:
  matchLabels:
    batch.kubernetes.io/controller-uid: UID
suspend: true
template:
  metadata:
    labels:
      batch.kubernetes.io/controller-uid: UID
      batch.kubernetes.io/job-name: one
      controller-uid: UID
      job-name: one
  spec:
    containers:
    - image: example.com/app
      imagePullPolicy: Always
      name: app
      resources: {}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
    dnsPolicy: ClusterFirst
    restartPolicy: Never
    schedulerName: default-scheduler
    securityContext: {}
    terminationGracePeriodSeconds: 30
`
	if diff := gocmp.Diff(want, text); diff != "" {
		t.Errorf("spec: -want +got\n%s", diff)
	}
	if got.Generation != 1 || len(got.Labels) != 4 { // those of the template
		t.Errorf("generation %d, labels %v", got.Generation, got.Labels)
	}
	data := must(f.kube.CoreV1().RESTClient().Get().AbsPath("/apis/batch/v1/namespaces/"+j.namespace+"/jobs").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(testContext(t)))(t)
	table := &metav1.Table{}
	if err := json.Unmarshal(data, table); err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, column := range table.ColumnDefinitions {
		columns = append(columns, column.Name)
	}
	if got := strings.Join(columns, " "); got != "Name Status Completions Duration Age Containers Images Selector" {
		t.Errorf("columns %q", got)
	}
}

// testJobErrors has the Jobs that are rejected.
func (f *fixture) testJobErrors(t *testing.T) {
	j := f.jobs(t)
	for name, test := range map[string]struct {
		change func(*batchv1.Job)
		want   string
	}{
		"Always": {func(job *batchv1.Job) { job.Spec.Template.Spec.RestartPolicy = "" }, `spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`}, //nolint:lll // one case a line
		"Negative": {func(job *batchv1.Job) {
			job.Spec.Parallelism, job.Spec.BackoffLimit = new(int32(-1)), new(int32(-2))
		}, "[spec.parallelism: Invalid value: -1: must be greater than or equal to 0, spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0]"}, //nolint:lll // as above
		"Mode": {func(job *batchv1.Job) { job.Spec.CompletionMode = new(batchv1.CompletionMode("x")) }, `spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"`}, //nolint:lll // as above
		"Indexed": {func(job *batchv1.Job) {
			job.Spec.CompletionMode, job.Spec.Parallelism = new(batchv1.IndexedCompletion), new(int32(1))
		}, "spec.completions: Required value: when completion mode is Indexed"},
		"Selector": {func(job *batchv1.Job) { job.Spec.ManualSelector = new(true) }, "spec.selector: Required value"},                                                                                                //nolint:lll // as above
		"Label":    {func(job *batchv1.Job) { job.Spec.Template.Labels = map[string]string{"job-name": "other"} }, `spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":`}, //nolint:lll // as above
		"Name":     {func(job *batchv1.Job) { job.Name = strings.Repeat("a", 64) }, "spec.template.labels: Invalid value: \"" + strings.Repeat("a", 64) + "\": must be no more than 63"},                             //nolint:lll // as above
		"IndexName": {func(job *batchv1.Job) {
			job.Name, job.Spec.Completions, job.Spec.CompletionMode = strings.Repeat("a", 63), new(int32(3)), new(batchv1.IndexedCompletion)
		}, "will not able to create pod with invalid DNS label: " + strings.Repeat("a", 63) + "-2"},
		"Containers": {func(job *batchv1.Job) { job.Spec.Template.Spec.Containers = nil }, "spec.template.spec.containers: Required value"}, //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			job := newJob("one")
			test.change(job)
			_, err := j.kube.BatchV1().Jobs(j.namespace).Create(testContext(t), job, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want Invalid: %s", err, test.want)
			}
		})
	}
}

// testJobUpdates changes what may change, and what may not.
func (f *fixture) testJobUpdates(t *testing.T) {
	j := f.jobs(t)
	job := newJob("one")
	job.Spec.Parallelism, job.Spec.Completions = new(int32(0)), new(int32(2))
	j.create(t, job)
	for name, test := range map[string]struct {
		change func(*batchv1.Job)
		want   string
	}{
		"Template":    {func(job *batchv1.Job) { job.Spec.Template.Spec.Containers[0].Image = "other" }, "field is immutable"},
		"Completions": {func(job *batchv1.Job) { job.Spec.Completions = new(int32(5)) }, "spec.completions: Invalid value: 5: field is immut"},
		"Mode":        {func(job *batchv1.Job) { job.Spec.CompletionMode = new(batchv1.IndexedCompletion) }, "completionMode: Invalid value"},
		"Selector":    {func(job *batchv1.Job) { job.Spec.Selector.MatchLabels["a"] = "b" }, "spec.selector: Invalid value"},
		"Limits": {func(job *batchv1.Job) {
			job.Spec.BackoffLimit, job.Spec.TTLSecondsAfterFinished = new(int32(2)), new(int32(9))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			until(t, "the update is not about an old version", func() bool {
				current := must(j.kube.BatchV1().Jobs(j.namespace).Get(testContext(t), "one", metav1.GetOptions{}))(t)
				test.change(current)
				_, err := j.kube.BatchV1().Jobs(j.namespace).Update(testContext(t), current, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
				if apierrors.IsConflict(err) {
					return false
				}
				if (err != nil) != (test.want != "") || err != nil && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("got %v, want %q", err, test.want)
				}
				return true
			})
		})
	}
}

// checkPodOf checks what connects a Pod with its Job.
func checkPodOf(t *testing.T, job *batchv1.Job, pod *corev1.Pod) {
	t.Helper()
	if owner := metav1.GetControllerOf(pod); owner == nil || owner.UID != job.UID || !*owner.BlockOwnerDeletion {
		t.Errorf("owners %+v", pod.OwnerReferences)
	}
	if !strings.HasPrefix(pod.Name, job.Name+"-") || !slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer) {
		t.Errorf("Pod %s has the finalizers %q", pod.Name, pod.Finalizers)
	}
}

// testJobCompletes runs three Pods, two at a time.
func (f *fixture) testJobCompletes(t *testing.T) {
	j := f.jobs(t)
	job := newJob("three")
	job.Spec.Parallelism, job.Spec.Completions = new(int32(2)), new(int32(3))
	made := j.create(t, job)
	succeeded := int32(0)
	for _, want := range []int{2, 2, 1} {
		pod := &j.pods(t, "three", want)[0]
		checkPodOf(t, made, pod)
		j.end(t, pod, corev1.PodSucceeded)
		succeeded++
		j.await(t, "three", "the Pod is counted", func(s *batchv1.JobStatus) bool { return s.Succeeded == succeeded })
	}
	done := j.await(t, "three", "the Job is complete", isTrue(batchv1.JobComplete))
	if diff := gocmp.Diff([]string{"SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"}, conditions(done)); diff != "" {
		t.Errorf("conditions: -want +got\n%s", diff)
	}
	status := &done.Status
	if status.Active != 0 || status.Failed != 0 || *status.Ready != 0 || *status.Terminating != 0 ||
		status.StartTime == nil || status.CompletionTime == nil {
		t.Errorf("status %+v", status)
	}
	j.events(t, "three", "Completed", "SuccessfulCreate")
	until(t, "the Pods have no finalizer", func() bool {
		all := must(j.kube.CoreV1().Pods(j.namespace).List(testContext(t), metav1.ListOptions{}))(t)
		return len(all.Items) == 3 && !slices.ContainsFunc(all.Items, func(p corev1.Pod) bool { return len(p.Finalizers) > 0 })
	})
}

// testJobFails has more failures than the limit allows. The other Pods are deleted.
func (f *fixture) testJobFails(t *testing.T) {
	j := f.jobs(t)
	job := newJob("fails")
	job.Spec.Parallelism, job.Spec.Completions, job.Spec.BackoffLimit = new(int32(2)), new(int32(2)), new(int32(0))
	j.create(t, job)
	j.end(t, &j.pods(t, "fails", 2)[0], corev1.PodFailed)
	failed := j.await(t, "fails", "the Job has failed", isTrue(batchv1.JobFailed))
	if diff := gocmp.Diff([]string{"FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"}, conditions(failed)); diff != "" {
		t.Errorf("conditions: -want +got\n%s", diff)
	}
	if failed.Status.Failed != 2 || failed.Status.Active != 0 || failed.Status.CompletionTime != nil {
		t.Errorf("status %+v", failed.Status)
	}
	j.events(t, "fails", "BackoffLimitExceeded", "SuccessfulCreate", "SuccessfulDelete")
}

// testJobDeadline has a Job that takes too long.
func (f *fixture) testJobDeadline(t *testing.T) {
	j := f.jobs(t)
	job := newJob("late")
	job.Spec.ActiveDeadlineSeconds = new(int64(1))
	j.create(t, job)
	failed := j.await(t, "late", "the Job has failed", isTrue(batchv1.JobFailed))
	if diff := gocmp.Diff([]string{"FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"}, conditions(failed)); diff != "" {
		t.Errorf("conditions: -want +got\n%s", diff)
	}
	j.pods(t, "late", 0)
}

// checkIndex checks the index of a Pod.
func checkIndex(t *testing.T, pod *corev1.Pod, index string) {
	t.Helper()
	if !strings.HasPrefix(pod.Name, "indexed-"+index+"-") || pod.Spec.Hostname != "indexed-"+index ||
		pod.Annotations[batchv1.JobCompletionIndexAnnotation] != index || pod.Labels[batchv1.JobCompletionIndexAnnotation] != index {
		t.Errorf("Pod %s: hostname %s, labels %v, annotations %v", pod.Name, pod.Spec.Hostname, pod.Labels, pod.Annotations)
	}
	env := pod.Spec.Containers[0].Env
	if len(env) != 1 || env[0].Name != "JOB_COMPLETION_INDEX" ||
		env[0].ValueFrom.FieldRef.FieldPath != "metadata.labels['batch.kubernetes.io/job-completion-index']" {
		t.Errorf("variables %+v", env)
	}
}

// testJobIndexes gives each Pod an index.
func (f *fixture) testJobIndexes(t *testing.T) {
	j := f.jobs(t)
	job := newJob("indexed")
	job.Spec.Parallelism, job.Spec.Completions, job.Spec.CompletionMode = new(int32(4)), new(int32(4)), new(batchv1.IndexedCompletion)
	j.create(t, job)
	running := j.pods(t, "indexed", 4)
	for i := range running {
		checkIndex(t, &running[i], strconv.Itoa(i))
	}
	for _, i := range []int{0, 1, 3} {
		j.end(t, &running[i], corev1.PodSucceeded)
	}
	j.await(t, "indexed", "three indexes have succeeded", func(s *batchv1.JobStatus) bool {
		return s.CompletedIndexes == "0,1,3" && s.Succeeded == 3
	})
	j.end(t, &running[2], corev1.PodSucceeded)
	done := j.await(t, "indexed", "the Job is complete", isTrue(batchv1.JobComplete))
	if done.Status.CompletedIndexes != "0-3" || done.Status.Succeeded != 4 {
		t.Errorf("status %+v", done.Status)
	}
}

// testJobSuspended suspends a Job, and resumes it.
func (f *fixture) testJobSuspended(t *testing.T) {
	ctx, j := testContext(t), f.jobs(t)
	j.create(t, newJob("pauses"))
	j.pods(t, "pauses", 1)
	suspend := func(value bool) {
		t.Helper()
		patch := fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, value)
		must(j.kube.BatchV1().Jobs(j.namespace).Patch(ctx, "pauses", types.MergePatchType, patch, metav1.PatchOptions{}))(t)
	}
	suspend(true)
	paused := j.await(t, "pauses", "the Job is suspended", isTrue(batchv1.JobSuspended))
	if paused.Status.StartTime != nil || paused.Status.Active != 0 {
		t.Errorf("status %+v", paused.Status)
	}
	j.pods(t, "pauses", 0)
	for text, allowed := range map[string]bool{
		`{"nodeSelector":{"disk":"ssd"}}`:                                         true,
		`{"containers":[{"name":"app","resources":{"requests":{"cpu":"100m"}}}]}`: true,
		`{"containers":[{"name":"app","image":"other"}]}`:                         false,
	} {
		patch := fmt.Appendf(nil, `{"spec":{"template":{"spec":%s}}}`, text)
		dry := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
		_, err := j.kube.BatchV1().Jobs(j.namespace).Patch(ctx, "pauses", types.StrategicMergePatchType, patch, dry)
		if allowed && err != nil || !allowed && !apierrors.IsInvalid(err) {
			t.Errorf("%s: error %v", text, err)
		}
	}
	suspend(false)
	pod := &j.pods(t, "pauses", 1)[0]
	j.end(t, pod, corev1.PodSucceeded)
	j.await(t, "pauses", "the Job is complete", isTrue(batchv1.JobComplete))
	j.events(t, "pauses", "Completed", "Resumed", "SuccessfulCreate", "SuccessfulDelete", "Suspended")
}

// testJobDeletion deletes Jobs, with and without their Pods, and by their time to live.
func (f *fixture) testJobDeletion(t *testing.T) {
	ctx, j := testContext(t), f.jobs(t)
	for _, name := range []string{"background", "foreground", "orphan", "brief"} {
		job := newJob(name)
		if name == "brief" {
			job.Spec.TTLSecondsAfterFinished = new(int32(0))
		}
		j.create(t, job)
		if pod := &j.pods(t, name, 1)[0]; name == "brief" {
			j.end(t, pod, corev1.PodSucceeded)
		}
	}
	for name, policy := range map[string]metav1.DeletionPropagation{
		"background": metav1.DeletePropagationBackground, "foreground": metav1.DeletePropagationForeground,
	} {
		if err := j.kube.BatchV1().Jobs(j.namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
			t.Fatal(err)
		}
	}
	warnings := &warnings{}
	config := rest.CopyConfig(f.config)
	config.WarningHandler = warnings
	if err := kubernetes.NewForConfigOrDie(config).BatchV1().Jobs(j.namespace).Delete(ctx, "orphan", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(*warnings, ""), "child pods are preserved by default") {
		t.Errorf("warnings %q", *warnings)
	}
	until(t, "the Jobs are gone", func() bool {
		return len(must(j.kube.BatchV1().Jobs(j.namespace).List(ctx, metav1.ListOptions{}))(t).Items) == 0
	})
	until(t, "only the orphan is left, without owner and finalizer", func() bool {
		left := must(j.kube.CoreV1().Pods(j.namespace).List(ctx, metav1.ListOptions{}))(t).Items
		return len(left) == 1 && left[0].Labels["job-name"] == "orphan" && len(left[0].OwnerReferences)+len(left[0].Finalizers) == 0
	})
}

// warnings are the warnings of a server.
type warnings []string

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

var _ rest.WarningHandler = &warnings{}
