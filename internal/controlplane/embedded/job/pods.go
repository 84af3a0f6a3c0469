package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// manage deletes the Pods that should not run, or creates those that are missing.
func (s *state) manage(ctx context.Context) error {
	if s.isDecided() || s.isSuspended() {
		return s.delete(ctx, s.active)
	}
	if s.job.DeletionTimestamp != nil {
		return nil
	}
	wanted := s.wanted()
	if surplus := s.surplus(wanted); len(surplus) > 0 {
		return s.delete(ctx, surplus)
	}
	missing := wanted - s.running()
	if s.replacesFailed() {
		missing -= s.terminating
	}
	if missing <= 0 {
		return nil
	}
	config, failed := &s.controller.config, s.controller.failures[s.key]
	if end := failed.pauseEnd(config.BackOff, config.MaxBackOff); time.Now().Before(end) {
		config.After(s.key, time.Until(end))
		return nil
	}
	return s.create(ctx, int(missing))
}

// wanted returns how many Pods should be active.
func (s *state) wanted() int32 {
	switch parallelism, completions := *s.job.Spec.Parallelism, s.job.Spec.Completions; {
	case completions != nil:
		return max(0, min(parallelism, *completions-s.succeeded()))
	case s.succeeded() > 0: // the others end by themselves
		return s.running()
	default:
		return parallelism
	}
}

// surplus returns the active Pods to delete: those whose index has another, and then the least useful ones.
func (s *state) surplus(wanted int32) []*corev1.Pod {
	var surplus, useful []*corev1.Pod
	used := indexes{}
	for _, pod := range s.active {
		if s.isIndexed() && (s.completed.has(indexOf(pod)) || !used.add(indexOf(pod), *s.job.Spec.Completions)) {
			surplus = append(surplus, pod)
		} else {
			useful = append(useful, pod)
		}
	}
	slices.SortStableFunc(useful, byUse)
	if more := len(s.active) - int(wanted) - len(surplus); more > 0 {
		surplus = append(surplus, useful[:more]...)
	}
	return surplus
}

// byUse orders Pods: those without a node, those that do not run, those that are not ready, and the newest first.
func byUse(a, b *corev1.Pod) int {
	rank := func(pod *corev1.Pod) int {
		switch {
		case pod.Spec.NodeName == "":
			return 0
		case pod.Status.Phase != corev1.PodRunning:
			return 1
		case isNotReady(pod):
			return 2
		default:
			return 3
		}
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), b.CreationTimestamp.Compare(a.CreationTimestamp.Time))
}

func (s *state) delete(ctx context.Context, pods []*corev1.Pod) error {
	var errs []error
	for _, pod := range pods {
		err := s.controller.config.Pods.Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
		if err != nil && !apierrors.IsNotFound(err) {
			s.controller.config.Events.Eventf(s.job, corev1.EventTypeWarning, "FailedDelete", "Error deleting: %v", err)
			errs = append(errs, err)
			continue
		}
		if err == nil {
			s.controller.config.Events.Eventf(s.job, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %v", pod.Name)
		}
		s.active = slices.DeleteFunc(slices.Clone(s.active), func(p *corev1.Pod) bool { return p == pod })
		s.terminating++
	}
	return errors.Join(errs...)
}

// create creates Pods. It ends at the first error: the others would have the same.
func (s *state) create(ctx context.Context, missing int) error {
	free := s.freeIndexes(missing)
	for i := range missing {
		pod := s.template()
		if s.isIndexed() {
			if i >= len(free) {
				return nil
			}
			setIndex(pod, s.job.Name, free[i])
		}
		made, err := s.controller.config.Pods.Pods(s.job.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return nil
		}
		if err != nil {
			s.controller.config.Events.Eventf(s.job, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
			return fmt.Errorf("create a Pod of Job %s: %w", s.key, err)
		}
		s.controller.config.Events.Eventf(s.job, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %v", made.Name)
		s.created++
	}
	return nil
}

// template returns a Pod of the Job.
func (s *state) template() *corev1.Pod {
	template := s.job.Spec.Template.DeepCopy()
	prefix := s.job.Name + "-"
	if len(apivalidation.NameIsDNSSubdomain(prefix, true)) > 0 {
		prefix = s.job.Name
	}
	owner := metav1.NewControllerRef(s.job, batchv1.SchemeGroupVersion.WithKind(kindName))
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.job.Namespace, GenerateName: prefix, Labels: template.Labels, Annotations: template.Annotations,
			Finalizers:      append(template.Finalizers, batchv1.JobTrackingFinalizer),
			OwnerReferences: []metav1.OwnerReference{*owner},
		},
		Spec: template.Spec,
	}
}

func isTracked(pod metav1.Object) bool {
	return slices.Contains(pod.GetFinalizers(), batchv1.JobTrackingFinalizer)
}

// release removes the finalizer from Pods.
func (c *Controller) release(ctx context.Context, pods []*corev1.Pod) error {
	var errs []error
	for _, pod := range pods {
		if !isTracked(pod) {
			continue
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"uid": pod.UID, "$deleteFromPrimitiveList/finalizers": []string{batchv1.JobTrackingFinalizer},
		}})
		if err == nil {
			_, err = c.config.Pods.Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("release Pod %s/%s: %w", pod.Namespace, pod.Name, err))
		}
	}
	return errors.Join(errs...)
}
