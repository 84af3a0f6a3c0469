package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podCompleted marks the row of a Pod that has ended.
func podCompleted(p *corev1.Pod) []metav1.TableRowCondition {
	var message string
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		message = "The pod has completed successfully."
	case corev1.PodFailed:
		message = "The pod failed."
	default:
		return nil
	}
	return []metav1.TableRowCondition{{
		Type: metav1.RowCompleted, Status: metav1.ConditionTrue, Reason: string(p.Status.Phase), Message: message,
	}}
}

// podRow shows a Pod from its status, which its node writes.
func podRow(p *corev1.Pod) []any {
	address := ""
	if len(p.Status.PodIPs) > 0 {
		address = p.Status.PodIPs[0].IP
	}
	none := func(text string) string { return cmp.Or(text, "<none>") }
	s := summarize(p)
	return []any{
		p.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.reason, s.restarts.String(), age(p),
		none(address), none(p.Spec.NodeName), none(p.Status.NominatedNodeName), none(readinessGates(p)),
	}
}

// podSummary is the state of the containers of a Pod.
type podSummary struct {
	ready, total int
	reason       string
	restarts     restarts
}

// restarts are the restarts of containers, and when the last one has ended before its restart.
type restarts struct {
	count int
	last  time.Time
}

func (r *restarts) add(status *corev1.ContainerStatus) {
	r.count += int(status.RestartCount)
	if t := status.LastTerminationState.Terminated; t != nil && t.FinishedAt.After(r.last) {
		r.last = t.FinishedAt.Time
	}
}

func (r *restarts) String() string {
	if r.count == 0 || r.last.IsZero() {
		return strconv.Itoa(r.count)
	}
	return fmt.Sprintf("%d (%s ago)", r.count, since(r.last))
}

// summarize is the column STATUS of a kube-apiserver: the first init container that has not ended decides, and then the
// first of the others that has a reason.
func summarize(p *corev1.Pod) podSummary {
	s := podSummary{total: len(p.Spec.Containers), reason: cmp.Or(p.Status.Reason, string(p.Status.Phase))}
	if c := podCondition(p, corev1.PodScheduled); c != nil && c.Reason == corev1.PodReasonSchedulingGated {
		s.reason = c.Reason
	}
	sidecars, initializing := s.addInitial(p)
	if c := podCondition(p, corev1.PodInitialized); !initializing || c != nil && c.Status == corev1.ConditionTrue {
		s.restarts = sidecars
		s.addContainers(p)
	}
	if p.DeletionTimestamp != nil && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
		s.reason = "Terminating"
	}
	return s
}

func podCondition(p *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	at := slices.IndexFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if at < 0 {
		return nil
	}
	return &p.Status.Conditions[at]
}

// addInitial adds the init containers, up to the first that has not ended. It returns the restarts of sidecars.
func (s *podSummary) addInitial(p *corev1.Pod) (sidecars restarts, initializing bool) {
	isSidecar := sidecarsOf(p)
	s.total += len(isSidecar)
	for i := range p.Status.InitContainerStatuses {
		status := &p.Status.InitContainerStatuses[i]
		s.restarts.add(status)
		if isSidecar[status.Name] {
			sidecars.add(status)
		}
		if ended := status.State.Terminated; ended != nil && ended.ExitCode == 0 {
			continue
		}
		if isSidecar[status.Name] && status.Started != nil && *status.Started {
			if status.Ready {
				s.ready++
			}
			continue
		}
		s.reason = initialReason(status, i, len(p.Spec.InitContainers))
		return sidecars, true
	}
	return sidecars, false
}

// sidecarsOf returns the names of the init containers that run beside the others.
func sidecarsOf(p *corev1.Pod) map[string]bool {
	all := map[string]bool{}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			all[c.Name] = true
		}
	}
	return all
}

// initialReason is the state of the first init container that has not ended.
func initialReason(status *corev1.ContainerStatus, index, count int) string {
	switch state := status.State; {
	case state.Terminated != nil:
		return "Init:" + endReason(state.Terminated)
	case state.Waiting != nil && state.Waiting.Reason != "" && state.Waiting.Reason != "PodInitializing":
		return "Init:" + state.Waiting.Reason
	default:
		return fmt.Sprintf("Init:%d/%d", index, count)
	}
}

func endReason(ended *corev1.ContainerStateTerminated) string {
	switch {
	case ended.Reason != "":
		return ended.Reason
	case ended.Signal != 0:
		return fmt.Sprintf("Signal:%d", ended.Signal)
	default:
		return fmt.Sprintf("ExitCode:%d", ended.ExitCode)
	}
}

// addContainers adds the other containers.
func (s *podSummary) addContainers(p *corev1.Pod) {
	isRunning, failure := false, ""
	for i := range slices.Backward(p.Status.ContainerStatuses) {
		status := &p.Status.ContainerStatuses[i]
		s.restarts.add(status)
		switch state := status.State; {
		case state.Waiting != nil && state.Waiting.Reason != "":
			s.reason = state.Waiting.Reason
		case state.Terminated != nil:
			s.reason = endReason(state.Terminated)
			if state.Terminated.ExitCode != 0 {
				failure = s.reason
			}
		case status.Ready && state.Running != nil:
			isRunning = true
			s.ready++
		}
	}
	if s.reason == "Completed" {
		s.reason = completedReason(p, isRunning, failure)
	}
}

// completedReason is the state of a Pod one of whose containers has completed: the others decide.
func completedReason(p *corev1.Pod, isRunning bool, failure string) string {
	c := podCondition(p, corev1.PodReady)
	switch {
	case isRunning && c != nil && c.Status == corev1.ConditionTrue:
		return "Running"
	case failure != "":
		return failure
	case isRunning:
		return "NotReady"
	default:
		return "Completed"
	}
}

func readinessGates(p *corev1.Pod) string {
	if len(p.Spec.ReadinessGates) == 0 {
		return ""
	}
	open := 0
	for _, gate := range p.Spec.ReadinessGates {
		if slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == gate.ConditionType && c.Status == corev1.ConditionTrue
		}) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(p.Spec.ReadinessGates))
}
