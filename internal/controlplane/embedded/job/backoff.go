package job

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// failures are the failed Pods of a Job since its last success.
type failures struct {
	of    types.UID
	count int
	last  time.Time
}

// add adds Pods that have ended.
func (f *failures) add(succeeded, failed []*corev1.Pod) {
	var success time.Time
	for _, pod := range succeeded {
		if end := endOf(pod); end.After(success) {
			success = end
		}
	}
	if len(succeeded) > 0 {
		f.count, f.last = 0, time.Time{}
	}
	for _, pod := range failed {
		end := endOf(pod)
		if !end.After(success) {
			continue
		}
		f.count++
		if end.After(f.last) {
			f.last = end
		}
	}
}

// pauseEnd returns when the next Pod may start.
func (f *failures) pauseEnd(first, longest time.Duration) time.Time {
	if f.count == 0 {
		return time.Time{}
	}
	pause := first
	for range f.count - 1 {
		if pause *= 2; pause >= longest {
			break
		}
	}
	return f.last.Add(min(pause, longest))
}

// endOf returns when a Pod has ended: with its last container, or when it was deleted.
func endOf(pod *corev1.Pod) time.Time {
	var end time.Time
	for i := range pod.Status.ContainerStatuses {
		if t := pod.Status.ContainerStatuses[i].State.Terminated; t != nil && t.FinishedAt.After(end) {
			end = t.FinishedAt.Time
		}
	}
	switch {
	case !end.IsZero():
		return end
	case pod.DeletionTimestamp != nil:
		grace := int64(0)
		if pod.DeletionGracePeriodSeconds != nil {
			grace = *pod.DeletionGracePeriodSeconds
		}
		return pod.DeletionTimestamp.Add(-seconds(grace))
	default:
		return pod.CreationTimestamp.Time
	}
}
