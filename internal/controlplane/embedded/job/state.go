package job

import (
	"context"
	"errors"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// state is an unfinished Job at one moment, with its Pods.
type state struct {
	controller *Controller
	key        string
	now        metav1.Time
	old, job   *batchv1.Job
	pods       []*corev1.Pod
	active     []*corev1.Pod
	completed  indexes // of an indexed Job
	created    int32   // Pods
	// terminating counts the Pods that are being deleted.
	terminating int32
	// report are the Events to write after the status.
	report []func()
}

func newState(c *Controller, key string, job *batchv1.Job, pods []*corev1.Pod) *state {
	s := &state{controller: c, key: key, now: metav1.Now(), old: job, job: job.DeepCopy(), pods: pods}
	status := &s.job.Status
	if status.UncountedTerminatedPods == nil {
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	if s.isIndexed() {
		s.completed = parseIndexes(status.CompletedIndexes, *job.Spec.Completions)
	}
	for _, pod := range pods {
		switch ended := hasEnded(pod); {
		case ended:
		case pod.DeletionTimestamp != nil:
			s.terminating++
		default:
			s.active = append(s.active, pod)
		}
	}
	return s
}

// advance makes the next step. The status has the result of a Pod before its finalizer goes.
func (s *state) advance(ctx context.Context) error {
	if s.job.Status.StartTime == nil && !s.isSuspended() {
		s.job.Status.StartTime = &s.now
	}
	s.settle()
	s.track()
	s.fail()
	err := s.manage(ctx)
	s.succeed()
	s.suspend()
	s.finish()
	if err := s.write(ctx); err != nil {
		return err
	}
	return errors.Join(err, s.controller.release(ctx, s.counted()))
}

// settle counts the Pods whose results are in the status, and whose finalizers have gone.
func (s *state) settle() {
	tracked := map[types.UID]bool{}
	for _, pod := range s.pods {
		tracked[pod.UID] = isTracked(pod)
	}
	status := &s.job.Status
	count := func(uids *[]types.UID, counter *int32) {
		before := len(*uids)
		*uids = slices.DeleteFunc(*uids, func(uid types.UID) bool { return !tracked[uid] })
		*counter += int32(before - len(*uids)) //nolint:gosec // a count of Pods
	}
	count(&status.UncountedTerminatedPods.Succeeded, &status.Succeeded)
	count(&status.UncountedTerminatedPods.Failed, &status.Failed)
}

// track adds the Pods that have ended to the status.
func (s *state) track() {
	uncounted := s.job.Status.UncountedTerminatedPods
	var succeeded, failed []*corev1.Pod
	for _, pod := range s.pods {
		switch {
		case !isTracked(pod), slices.Contains(uncounted.Succeeded, pod.UID), slices.Contains(uncounted.Failed, pod.UID):
		case pod.Status.Phase == corev1.PodSucceeded && !s.isIndexed():
			uncounted.Succeeded = append(uncounted.Succeeded, pod.UID)
			succeeded = append(succeeded, pod)
		case pod.Status.Phase == corev1.PodSucceeded:
			if s.completed.add(indexOf(pod), *s.job.Spec.Completions) {
				succeeded = append(succeeded, pod)
			}
		case s.hasFailed(pod):
			uncounted.Failed = append(uncounted.Failed, pod.UID)
			failed = append(failed, pod)
		}
	}
	if s.isIndexed() {
		s.job.Status.CompletedIndexes = s.completed.String()
		s.job.Status.Succeeded = s.completed.total()
	}
	record := s.controller.failures[s.key]
	if record.of != s.job.UID {
		record = failures{of: s.job.UID}
	}
	record.add(succeeded, failed)
	s.controller.failures[s.key] = record
}

// hasFailed reports whether a Pod counts as failed. One that is deleted does, unless it is replaced after its end only.
func (s *state) hasFailed(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodFailed {
		return true
	}
	return pod.DeletionTimestamp != nil && pod.Status.Phase != corev1.PodSucceeded && (s.isDecided() || !s.replacesFailed())
}

// succeeded returns how many Pods, or indexes, have succeeded.
func (s *state) succeeded() int32 {
	return s.job.Status.Succeeded + int32(len(s.job.Status.UncountedTerminatedPods.Succeeded)) //nolint:gosec // a count of Pods
}

func (s *state) failed() int32 {
	return s.job.Status.Failed + int32(len(s.job.Status.UncountedTerminatedPods.Failed)) //nolint:gosec // a count of Pods
}

// running returns how many Pods are active.
func (s *state) running() int32 {
	return int32(len(s.active)) + s.created //nolint:gosec // a count of Pods
}

func (s *state) isIndexed() bool {
	return ptr.Deref(s.job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

func (s *state) isSuspended() bool { return ptr.Deref(s.job.Spec.Suspend, false) }

func (s *state) replacesFailed() bool {
	return ptr.Deref(s.job.Spec.PodReplacementPolicy, batchv1.TerminatingOrFailed) == batchv1.Failed
}

// counted returns the Pods whose results are in the status.
func (s *state) counted() []*corev1.Pod {
	uncounted := s.job.Status.UncountedTerminatedPods
	return slices.DeleteFunc(slices.Clone(s.pods), func(pod *corev1.Pod) bool {
		isCounted := s.job.DeletionTimestamp != nil || slices.Contains(uncounted.Succeeded, pod.UID) ||
			slices.Contains(uncounted.Failed, pod.UID) || s.isIndexed() && pod.Status.Phase == corev1.PodSucceeded
		return !isCounted
	})
}

// write writes the status, if it has changed, and then the Events about it.
func (s *state) write(ctx context.Context) error {
	status := &s.job.Status
	status.Active, status.Terminating = s.running(), &s.terminating
	status.Ready = new(int32(len(slices.DeleteFunc(slices.Clone(s.active), isNotReady)))) //nolint:gosec // a count of Pods
	if equality.Semantic.DeepEqual(s.old.Status, *status) {
		return nil
	}
	_, err := s.controller.config.Jobs.Jobs(s.job.Namespace).UpdateStatus(ctx, s.job, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		for _, report := range s.report {
			report()
		}
	}
	return err
}

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func isNotReady(pod *corev1.Pod) bool {
	return !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// seconds returns a duration of the spec.
func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
