package worker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// withStatus returns the Pod with its status. The caller holds mu.
func (w *Worker) withStatus() *corev1.Pod {
	pod := w.pod.DeepCopy()
	s := &pod.Status
	s.ObservedGeneration = pod.Generation
	s.Phase = w.phase()
	s.Reason, s.Message = w.reason, w.message
	s.HostIP, s.PodIP = environment.Address, environment.Address
	s.HostIPs, s.PodIPs = []corev1.HostIP{{IP: environment.Address}}, []corev1.PodIP{{IP: environment.Address}}
	if s.StartTime = w.status.StartTime; s.StartTime == nil {
		s.StartTime = new(now())
		w.status.StartTime = s.StartTime
	}
	s.InitContainerStatuses, s.ContainerStatuses = statuses(w.initial), statuses(w.containers)
	w.setConditions(s)
	w.status.Conditions = s.Conditions
	return pod
}

// phase is the phase of the Pod by its containers. The caller holds mu.
func (w *Worker) phase() corev1.PodPhase {
	switch {
	case w.finished && w.reason == "" && !slices.ContainsFunc(w.containers, func(c *container) bool { return !c.succeeded }):
		return corev1.PodSucceeded
	case w.finished:
		return corev1.PodFailed
	case !slices.ContainsFunc(w.containers, func(c *container) bool { return c.state.Waiting == nil || c.last.Terminated != nil }):
		return corev1.PodPending
	default:
		return corev1.PodRunning
	}
}

func statuses(containers []*container) []corev1.ContainerStatus {
	var all []corev1.ContainerStatus
	for _, c := range containers {
		spec := environment.Container(c.worker.pod, c.name)
		status := corev1.ContainerStatus{
			Name: c.name, State: c.state, LastTerminationState: c.last, Ready: c.isReady(), RestartCount: c.restarts,
			Image: spec.Image, ImageID: c.image, Started: new(c.started),
		}
		if c.process != nil {
			status.ContainerID = c.process.id()
		} else if t := c.state.Terminated; t != nil {
			status.ContainerID = t.ContainerID
		}
		all = append(all, status)
	}
	return all
}

// isReady: an init container is ready when it has succeeded.
func (c *container) isReady() bool { return c.ready || c.init && c.ended && c.succeeded }

func (w *Worker) setConditions(s *corev1.PodStatus) {
	var unready []string
	for _, c := range w.containers {
		if !c.ready {
			unready = append(unready, c.name)
		}
	}
	reason, message := "", ""
	switch {
	case w.finished && w.phase() == corev1.PodSucceeded:
		reason = "PodCompleted"
	case w.finished:
		reason = "PodFailed"
	case len(unready) > 0:
		reason, message = "ContainersNotReady", "containers with unready status: ["+strings.Join(unready, " ")+"]"
	}
	gates, missing := reason, message
	if gates == "" {
		gates, missing = w.missingGate(s)
	}
	initReason := ""
	if !w.initialized && len(w.initial) > 0 {
		initReason = "ContainersNotInitialized"
	}
	w.set(s, corev1.PodReadyToStartContainers, !w.mounted, "", "")
	w.set(s, corev1.PodInitialized, initReason != "", initReason, "")
	w.set(s, corev1.ContainersReady, reason != "", reason, message)
	w.set(s, corev1.PodReady, gates != "", gates, missing)
	if !isTrueIn(s.Conditions, corev1.PodScheduled) {
		w.set(s, corev1.PodScheduled, false, "", "")
	}
}

// missingGate returns the reason and message of the first readiness gate whose condition is not true.
func (w *Worker) missingGate(s *corev1.PodStatus) (reason, message string) {
	for _, gate := range w.pod.Spec.ReadinessGates {
		if !isTrueIn(s.Conditions, gate.ConditionType) {
			return "ReadinessGatesNotReady", fmt.Sprintf("corresponding condition of pod readiness gate %q is not True.", gate.ConditionType)
		}
	}
	return "", ""
}

func isTrueIn(conditions []corev1.PodCondition, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(conditions, func(c corev1.PodCondition) bool { return c.Type == kind && c.Status == corev1.ConditionTrue })
}

// set sets a condition. Its transition time is the one before if the condition has not changed.
func (w *Worker) set(s *corev1.PodStatus, kind corev1.PodConditionType, isFalse bool, reason, message string) {
	condition := corev1.PodCondition{
		Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message, ObservedGeneration: w.pod.Generation,
		LastTransitionTime: now(),
	}
	if isFalse {
		condition.Status = corev1.ConditionFalse
	}
	for _, before := range w.status.Conditions {
		if before.Type == kind && before.Status == condition.Status {
			condition.LastTransitionTime = before.LastTransitionTime
		}
	}
	at := slices.IndexFunc(s.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if at < 0 {
		s.Conditions = append(s.Conditions, condition)
		return
	}
	s.Conditions[at] = condition
}

// resume takes over the status of a Pod that ran on the node before. It reports whether containers have to run.
func (w *Worker) resume() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, list := range []struct {
		containers []*container
		before     []corev1.ContainerStatus
	}{{w.initial, w.status.InitContainerStatuses}, {w.containers, w.status.ContainerStatuses}} {
		for _, c := range list.containers {
			for i := range list.before {
				if list.before[i].Name == c.name {
					c.resume(&list.before[i], w.pod.Spec.RestartPolicy)
				}
			}
		}
	}
	return slices.ContainsFunc(w.containers, func(c *container) bool { return !c.ended })
}

// lostCode is the exit code of a container that ended with its node.
const lostCode = 137

func (c *container) resume(before *corev1.ContainerStatus, policy corev1.RestartPolicy) {
	c.restarts, c.last = before.RestartCount, before.LastTerminationState
	ended := before.State.Terminated
	if before.State.Running != nil {
		ended = &corev1.ContainerStateTerminated{
			ExitCode: lostCode, Reason: "ContainerStatusUnknown", Message: "The container ended with its node",
			StartedAt: before.State.Running.StartedAt, FinishedAt: now(), ContainerID: before.ContainerID,
		}
	}
	if ended == nil {
		return
	}
	success := ended.ExitCode == 0
	if policy == corev1.RestartPolicyNever || success && (c.init || policy != corev1.RestartPolicyAlways) {
		c.state, c.ended, c.succeeded = corev1.ContainerState{Terminated: ended}, true, success
		return
	}
	c.last = corev1.ContainerState{Terminated: ended}
	c.restarts++
}

// Log returns the log of a container, or of its run before. The error tells what to do.
func (w *Worker) Log(container string, previous bool) (Log, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all() {
		if c.name != container {
			continue
		}
		if previous && c.previousLog != nil {
			return c.previousLog, nil
		}
		if previous {
			return nil, fmt.Errorf("previous terminated container %q in pod %q not found", container, w.pod.Name)
		}
		if c.log != nil {
			return c.log, nil
		}
		reason := "ContainerCreating"
		if c.state.Waiting != nil {
			reason = cmp.Or(c.state.Waiting.Message, c.state.Waiting.Reason)
		}
		return nil, fmt.Errorf("container %q in pod %q is waiting to start: %s", container, w.pod.Name, reason)
	}
	return nil, fmt.Errorf("container %s is not valid for pod %s", container, w.pod.Name)
}
