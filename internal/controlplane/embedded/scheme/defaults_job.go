package scheme

import (
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// defaultBackoffLimit is how many Pods of a Job may fail.
const defaultBackoffLimit = 6

// defaultJob sets the defaults of a Job that users see when they read it back.
func defaultJob(job *batchv1.Job) {
	spec := &job.Spec
	if spec.Completions == nil && spec.Parallelism == nil {
		spec.Completions = new(int32(1))
	}
	pointerDefault(&spec.Parallelism, 1)
	if spec.BackoffLimitPerIndex != nil {
		pointerDefault(&spec.BackoffLimit, math.MaxInt32)
	}
	pointerDefault(&spec.BackoffLimit, defaultBackoffLimit)
	if len(job.Labels) == 0 {
		job.Labels = spec.Template.Labels // the same map: what the registry adds to it is in both
	}
	pointerDefault(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	pointerDefault(&spec.Suspend, false)
	pointerDefault(&spec.ManualSelector, false)
	replacement := batchv1.TerminatingOrFailed
	if spec.PodFailurePolicy != nil {
		replacement = batchv1.Failed
		defaultFailurePolicy(spec.PodFailurePolicy)
	}
	pointerDefault(&spec.PodReplacementPolicy, replacement)
	defaultPodSpec(&spec.Template.Spec)
}

func defaultFailurePolicy(policy *batchv1.PodFailurePolicy) {
	for i := range policy.Rules {
		for j := range policy.Rules[i].OnPodConditions {
			setDefault(&policy.Rules[i].OnPodConditions[j].Status, corev1.ConditionTrue)
		}
	}
}
