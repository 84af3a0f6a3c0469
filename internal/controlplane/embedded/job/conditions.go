package job

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// condition returns a condition of a Job that is true, or nil.
func condition(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	at := slices.IndexFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
	if at < 0 {
		return nil
	}
	return &job.Status.Conditions[at]
}

func isFinished(job *batchv1.Job) bool {
	return condition(job, batchv1.JobComplete) != nil || condition(job, batchv1.JobFailed) != nil
}

// finishedAt returns when a finished Job has ended.
func finishedAt(job *batchv1.Job) time.Time {
	if c := condition(job, batchv1.JobComplete); c != nil {
		return c.LastTransitionTime.Time
	}
	return condition(job, batchv1.JobFailed).LastTransitionTime.Time
}

// isDecided reports whether the result of the Job is known: its Pods only have to end.
func (s *state) isDecided() bool {
	return condition(s.job, batchv1.JobFailureTarget) != nil || condition(s.job, batchv1.JobSuccessCriteriaMet) != nil
}

// set sets a condition, and reports whether it has changed.
func (s *state) set(kind batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) bool {
	wanted := batchv1.JobCondition{
		Type: kind, Status: status, Reason: reason, Message: message, LastProbeTime: s.now, LastTransitionTime: s.now,
	}
	conditions := &s.job.Status.Conditions
	switch at := slices.IndexFunc(*conditions, func(c batchv1.JobCondition) bool { return c.Type == kind }); {
	case at < 0:
		*conditions = append(*conditions, wanted)
	case (*conditions)[at].Status == status:
		return false
	default:
		(*conditions)[at] = wanted
	}
	return true
}

// fail decides whether the Job has failed.
func (s *state) fail() {
	switch {
	case s.isDecided():
	case s.failed() > *s.job.Spec.BackoffLimit, s.restartsTooOften():
		s.set(batchv1.JobFailureTarget, corev1.ConditionTrue, batchv1.JobReasonBackoffLimitExceeded,
			"Job has reached the specified backoff limit")
	case s.job.Spec.ActiveDeadlineSeconds == nil || s.isSuspended():
	default:
		left := time.Until(s.job.Status.StartTime.Add(seconds(*s.job.Spec.ActiveDeadlineSeconds)))
		if left > 0 {
			s.controller.config.After(s.key, left)
			return
		}
		s.set(batchv1.JobFailureTarget, corev1.ConditionTrue, batchv1.JobReasonDeadlineExceeded,
			"Job was active longer than specified deadline")
	}
}

// restartsTooOften counts the restarts of containers, which are failures with restartPolicy OnFailure.
func (s *state) restartsTooOften() bool {
	if s.job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return false
	}
	restarts := int32(0)
	for _, pod := range s.pods {
		if hasEnded(pod) {
			continue
		}
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			restarts += status.RestartCount
		}
	}
	return restarts > 0 && restarts >= *s.job.Spec.BackoffLimit
}

// succeed decides whether the Job has succeeded: enough Pods have, and none is active.
func (s *state) succeed() {
	enough := s.succeeded() > 0
	if completions := s.job.Spec.Completions; completions != nil {
		enough = s.succeeded() >= *completions
	}
	if !s.isDecided() && enough && s.running() == 0 {
		s.set(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached,
			"Reached expected number of succeeded pods")
	}
}

// suspend reports whether the Job is suspended. The time of a Job that is not begins anew.
func (s *state) suspend() {
	if s.isDecided() || s.job.DeletionTimestamp != nil {
		return
	}
	if s.isSuspended() {
		if s.set(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended") {
			s.job.Status.StartTime = nil
			s.tell(corev1.EventTypeNormal, "Suspended", "Job suspended")
		}
		return
	}
	if condition(s.job, batchv1.JobSuspended) != nil {
		s.set(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed")
		s.job.Status.StartTime = &s.now
		s.tell(corev1.EventTypeNormal, "Resumed", "Job resumed")
	}
}

// finish ends a Job whose result is known, once its last Pod has ended and is counted.
func (s *state) finish() {
	uncounted := s.job.Status.UncountedTerminatedPods
	if s.running() > 0 || s.terminating > 0 || len(uncounted.Succeeded)+len(uncounted.Failed) > 0 {
		return
	}
	if c := condition(s.job, batchv1.JobFailureTarget); c != nil {
		reason, message := c.Reason, c.Message
		s.set(batchv1.JobFailed, corev1.ConditionTrue, reason, message)
		s.tell(corev1.EventTypeWarning, reason, message)
	} else if c := condition(s.job, batchv1.JobSuccessCriteriaMet); c != nil {
		s.set(batchv1.JobComplete, corev1.ConditionTrue, c.Reason, c.Message)
		s.job.Status.CompletionTime = &s.now
		s.tell(corev1.EventTypeNormal, "Completed", "Job completed")
	}
}

// tell writes an Event after the status.
func (s *state) tell(eventType, reason, message string) {
	s.report = append(s.report, func() { s.controller.config.Events.Event(s.job, eventType, reason, message) })
}
