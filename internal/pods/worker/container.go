package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/containerlog"
	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// The pauses of a kubelet before it restarts a container, and the time after which a container counts as stable.
const (
	restartPause    = 10 * time.Second
	maxRestartPause = 5 * time.Minute
	stableAfter     = 10 * time.Minute
	configPause     = 10 * time.Second // before it looks again for a missing object
)

// container is a container of a Pod. The worker's mu guards its state.
type container struct {
	worker *Worker
	name   string
	init   bool

	state, last      corev1.ContainerState
	restarts         int32
	ready, started   bool
	ended            bool // it will not run again
	succeeded        bool
	process          *process // nil unless it runs
	log, previousLog *containerlog.Log
	image            string // the command
}

func (w *Worker) addContainers() {
	for i := range w.pod.Spec.InitContainers {
		w.initial = append(w.initial, &container{worker: w, name: w.pod.Spec.InitContainers[i].Name, init: true})
	}
	for i := range w.pod.Spec.Containers {
		w.containers = append(w.containers, &container{worker: w, name: w.pod.Spec.Containers[i].Name})
	}
	for _, c := range w.all() {
		reason := "ContainerCreating"
		if len(w.initial) > 0 {
			reason = "PodInitializing"
		}
		c.state = waiting(reason, "")
	}
}

func (w *Worker) all() []*container {
	return append(append([]*container{}, w.initial...), w.containers...)
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// spec returns the container as the Pod has it now.
func (c *container) spec() *corev1.Container { return environment.Container(c.worker.get(), c.name) }

// isSidecar reports whether an init container runs beside the others.
func (c *container) isSidecar() bool {
	policy := c.spec().RestartPolicy
	return c.init && policy != nil && *policy == corev1.ContainerRestartPolicyAlways
}

// component is the name of the container in the journal.
func (c *container) component() string {
	return Component(c.worker.pod.Namespace, c.worker.pod.Name, c.name)
}

// Component returns the name of a container in the journal.
func Component(namespace, pod, container string) string {
	return vocabulary.Pod + namespace + "/" + pod + "/" + container
}

// restartsAfter reports whether the container runs again after an exit.
func (c *container) restartsAfter(success bool) bool {
	policy := c.worker.get().Spec.RestartPolicy
	switch {
	case c.isSidecar():
		return true
	case success:
		return policy == corev1.RestartPolicyAlways && !c.init
	default:
		return policy != corev1.RestartPolicyNever
	}
}

// run runs the container until it has ended, and reports whether it has succeeded.
func (c *container) run(ctx context.Context) (succeeded bool) {
	w := c.worker
	pauses := c.newPauses()
	for !c.hasEnded() {
		begun := time.Now()
		success, err := c.once(ctx)
		if err != nil {
			return false // the Pod ends before the container has started
		}
		if ctx.Err() != nil || !c.restartsAfter(success) {
			w.change(func() { c.ended, c.succeeded = true, success })
			break
		}
		if time.Since(begun) > w.config.stable() {
			pauses = c.newPauses()
		}
		if c.backOff(ctx, pauses) != nil {
			w.change(func() { c.ended = true })
			return false
		}
		w.change(func() { c.restarts++ })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return c.succeeded
}

func (c *container) hasEnded() bool {
	c.worker.mu.Lock()
	defer c.worker.mu.Unlock()
	return c.ended
}

// pauses are the pauses before restarts: the first restart has none.
type pauses struct {
	restarted bool
	backOff   *backOff
}

func (c *container) newPauses() *pauses {
	first, limit := restartPause, maxRestartPause
	if c.worker.config.BackOff > 0 {
		first = c.worker.config.BackOff
	}
	if c.worker.config.MaxBackOff > 0 {
		limit = c.worker.config.MaxBackOff
	}
	return &pauses{backOff: newBackOff(first, limit)}
}

func (c Config) stable() time.Duration {
	if c.MaxBackOff > 0 {
		return 2 * c.MaxBackOff
	}
	return stableAfter
}

func (c *container) backOff(ctx context.Context, pauses *pauses) error {
	if !pauses.restarted {
		pauses.restarted = true
		return ctx.Err()
	}
	pause := pauses.backOff.next()
	pod := c.worker.get()
	text := fmt.Sprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)", pause, c.name, pod.Name, pod.Namespace, pod.UID)
	c.worker.event(corev1.EventTypeWarning, "BackOff", "Back-off restarting failed container "+c.name+" in pod "+pod.Name)
	c.worker.change(func() { c.last, c.state = c.state, waiting("CrashLoopBackOff", text) })
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// once runs the container once. The error is the one of a Pod that ends before the container has started.
func (c *container) once(ctx context.Context) (success bool, err error) {
	command, err := c.prepare(ctx)
	if err != nil {
		return false, err
	}
	p, err := c.start(ctx, command)
	if err != nil {
		c.worker.event(corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		c.terminated(corev1.ContainerStateTerminated{
			Reason: "StartError", ExitCode: startErrorCode, Message: err.Error(), FinishedAt: now(),
		})
		return false, nil //nolint:nilerr // the container has failed, and may be restarted
	}
	return c.supervise(ctx, p), nil
}

// startErrorCode is the exit code of a container whose program does not exist.
const startErrorCode = 128

// prepare returns the command of the container, once all objects that it refers to exist.
func (c *container) prepare(ctx context.Context) (*command, error) {
	var said string
	for {
		changed := c.worker.changes.next()
		made, err := c.command(ctx)
		if err == nil {
			return made, nil
		}
		reason := "CreateContainerError"
		switch {
		case errors.Is(err, environment.ErrConfig):
			reason = "CreateContainerConfigError"
		case errors.Is(err, errNoImage):
			reason = "ErrImageNeverPull"
		}
		if text := reason + err.Error(); said != text && ctx.Err() == nil {
			said = text
			c.worker.change(func() {
				if c.state.Terminated != nil {
					c.last = c.state
				}
				c.state = waiting(reason, err.Error())
			})
			c.worker.event(corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		}
		if c.worker.pause(ctx, changed, configPause) != nil {
			return nil, context.Cause(ctx)
		}
	}
}

func (c *container) terminated(state corev1.ContainerStateTerminated) {
	c.worker.change(func() {
		c.process, c.ready = nil, false
		c.started = false
		c.state = corev1.ContainerState{Terminated: &state}
	})
}

// awaitStarted waits until a sidecar has started.
func (c *container) awaitStarted(ctx context.Context) bool {
	for {
		changed := c.worker.changes.next()
		c.worker.mu.Lock()
		started := c.started
		c.worker.mu.Unlock()
		if started {
			return true
		}
		if c.worker.pause(ctx, changed, 0) != nil {
			return false
		}
	}
}

func (c *container) dir(number int32) string {
	return filepath.Join(c.worker.dir, "containers", c.name, fmt.Sprint(number))
}
