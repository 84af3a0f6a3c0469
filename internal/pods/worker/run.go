package worker

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/volume"
)

// run runs the Pod from its volumes to its end.
func (w *Worker) run(ctx context.Context) {
	if seconds := w.pod.Spec.ActiveDeadlineSeconds; seconds != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(*seconds)*time.Second, errDeadline)
		defer cancel()
	}
	if w.resume() {
		w.runContainers(ctx)
	}
	w.end(ctx)
}

// runContainers runs the containers in their order.
func (w *Worker) runContainers(ctx context.Context) {
	w.change(func() {})
	changed, next, err := w.awaitVolumes(ctx)
	if err != nil {
		return
	}
	var helpers sync.WaitGroup
	keeping, stopKeeping := context.WithCancel(ctx)
	defer helpers.Wait()
	defer stopKeeping()
	helpers.Go(func() { w.keepVolumes(keeping, changed, next) })

	// Sidecars end after the other containers.
	var sidecars sync.WaitGroup
	background, stopSidecars := context.WithCancelCause(context.WithoutCancel(ctx))
	defer sidecars.Wait()
	defer stopSidecars(errTerminated)
	if !w.initialize(ctx, background, &sidecars) {
		return
	}
	w.change(func() { w.initialized = true })
	var all sync.WaitGroup
	for _, c := range w.containers {
		all.Go(func() { c.run(ctx) })
	}
	all.Wait()
}

// initialize runs the init containers. It reports whether the others may start.
func (w *Worker) initialize(ctx, background context.Context, sidecars *sync.WaitGroup) bool {
	for _, c := range w.initial {
		if c.isSidecar() {
			sidecars.Go(func() { c.run(background) })
			if !c.awaitStarted(ctx) {
				return false
			}
			continue
		}
		if !c.run(ctx) {
			return false
		}
	}
	return true
}

// awaitVolumes waits until all volumes are complete, and shows their errors as Events. The channel is closed at a
// change after it has read the objects.
func (w *Worker) awaitVolumes(ctx context.Context) (changed <-chan struct{}, next time.Time, err error) {
	said := map[string]bool{}
	for retry := newBackOff(time.Second, time.Minute); ; {
		changed = w.changes.next()
		next, err = w.volumes.Update(ctx, w.get())
		if err == nil {
			w.change(func() { w.mounted = true })
			return changed, next, nil
		}
		for _, failed := range mountErrors(err) {
			if text := failed.Error(); !said[text] {
				said[text] = true
				w.event(corev1.EventTypeWarning, "FailedMount", text)
			}
		}
		if w.pause(ctx, changed, retry.next()) != nil {
			return changed, next, context.Cause(ctx)
		}
	}
}

func mountErrors(err error) []*volume.MountError {
	var all []*volume.MountError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			all = append(all, mountErrors(one)...)
		}
		return all
	}
	if failed, ok := errors.AsType[*volume.MountError](err); ok {
		all = append(all, failed)
	}
	return all
}

// keepVolumes keeps the volumes up to date when objects change and tokens expire. A volume whose object has gone
// keeps its files.
func (w *Worker) keepVolumes(ctx context.Context, changed <-chan struct{}, next time.Time) {
	for {
		wait := time.Duration(0)
		if !next.IsZero() {
			wait = max(time.Until(next), time.Second)
		}
		if w.pause(ctx, changed, wait) != nil {
			return
		}
		changed = w.changes.next()
		var err error
		if next, err = w.volumes.Update(ctx, w.get()); err != nil && ctx.Err() == nil {
			next = time.Now().Add(time.Minute)
			for _, failed := range mountErrors(err) {
				w.event(corev1.EventTypeWarning, "FailedMount", failed.Error())
			}
		}
	}
}

// pause waits for a change, for some time unless it is 0, or the end of ctx, whose error it returns.
func (w *Worker) pause(ctx context.Context, changed <-chan struct{}, wait time.Duration) error {
	var elapsed <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		elapsed = timer.C
	}
	select {
	case <-changed:
	case <-elapsed:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// end sets the last status of the Pod, and removes its volumes. A Pod whose node stops keeps its status.
func (w *Worker) end(ctx context.Context) {
	cause := context.Cause(ctx)
	if errors.Is(cause, errStopped) {
		_ = os.RemoveAll(w.dir) // the next start of the node makes the files anew
		return
	}
	w.change(func() {
		w.finished = true
		if errors.Is(cause, errDeadline) {
			w.reason, w.message = "DeadlineExceeded", errDeadline.Error()
		}
	})
	w.removeVolumes() //nolint:contextcheck // the Pod has ended
}

// removeVolumes removes the volumes. It calls a CSI driver until the driver has removed its volumes, or the node stops.
func (w *Worker) removeVolumes() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-w.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	said := ""
	for retry := newBackOff(time.Second, time.Minute); ; {
		err := w.volumes.Remove(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if text := err.Error(); text != said {
			said = text
			w.event(corev1.EventTypeWarning, "FailedUnmount", text)
		}
		_, isDriver := errors.AsType[*volume.UnmountError](err)
		if !isDriver || w.pause(ctx, w.changes.next(), retry.next()) != nil {
			return
		}
	}
}
