package sandbox

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

var errNotClean = errors.New("cannot reset the sandbox")

// Reset removes everything that a run left behind, and then restarts the components, because they
// may remember it. The error is for Pool.ReplaceUnclean if something remains.
func (w *Sandbox) Reset(ctx context.Context, o *run.Record) (left bool, err error) {
	w.Emulator.Faults().Clear()
	if left, err = w.removeLeftovers(ctx, o); err != nil {
		return left, err
	}
	return left, w.awaitReplies(ctx)
}

// awaitReplies waits until no component waits for the reply to a write or a driver call. An object
// ends before the component that released it has the reply, and a reply during the next run would
// be an event of that run.
func (w *Sandbox) awaitReplies(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if !idle.New(w.Emulator).WaitQuiet(ctx, w.scope, time.Millisecond) {
		return errors.Join(errNotClean, errors.New("a component still waits for a reply"))
	}
	return nil
}

func (w *Sandbox) removeLeftovers(ctx context.Context, o *run.Record) (left bool, err error) {
	select {
	case failure := <-w.Emulator.Failed():
		return true, errors.Join(errNotClean, failure)
	default:
	}
	switch {
	case o.Spoiled:
		return true, errNotClean
	case vanished(o) && !o.TornDown && w.isRunning(): // otherwise reset undoes an interference
		return false, nil
	}
	m, err := w.observeAfter(ctx, o)
	if err != nil {
		return true, errors.Join(errNotClean, err)
	}
	if len(w.Emulator.Components()) > w.components {
		return true, errNotClean // components of drivers of a failed run
	}
	if w.isRunning() && (isEmpty(m) || w.removeRetained(ctx, o, m)) {
		return false, nil
	}
	if err := w.clean(ctx, m); err != nil {
		return true, errors.Join(errNotClean, err)
	}
	return true, nil
}

// removeRetained removes buckets that a run has correctly left in the backend: everything else was
// deleted. It reports whether nothing is left.
func (w *Sandbox) removeRetained(ctx context.Context, o *run.Record, m observed.Observation) bool {
	return o.TornDown && !hasObjects(m) && w.removeBackendState(ctx, m) == nil
}

func (w *Sandbox) clean(ctx context.Context, m observed.Observation) error {
	if err := errors.Join(w.removeObjects(ctx, m), w.removeBackendState(ctx, m), w.recreate(ctx)); err != nil {
		return err
	}
	if w.bystander != nil { // restarted components look at it again
		w.waitQuiet(ctx, idle.New(w.Emulator), quietForSure)
	}
	m, err := w.observe(ctx, "after cleaning")
	if err == nil && !isEmpty(m) {
		err = errors.New("something is left after cleaning")
	}
	return err
}

// removeObjects deletes objects and their finalizers without the components, which may have caused
// the failure.
func (w *Sandbox) removeObjects(ctx context.Context, m observed.Observation) error {
	objects := w.objectsOf(&m.Objects, "BucketAccess", "BucketClaim", "Bucket")
	for _, s := range m.Objects.Secrets {
		secret := &corev1.Secret{}
		secret.Name, secret.Namespace = s.Name, s.Namespace
		objects = append(objects, secret)
	}
	for _, c := range w.Emulator.Components() {
		if c.Name() == emulator.ComponentStore {
			continue
		}
		if state, _ := c.State(); state == emulator.StateRunning {
			_ = c.Crash() // it may have exited already
		}
	}
	var errs []error
	for _, object := range objects {
		errs = append(errs, client.IgnoreNotFound(w.Emulator.Client().Delete(ctx, object)))
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		errs = append(errs, client.IgnoreNotFound(w.Emulator.Client().Patch(ctx, object, patch)))
	}
	return errors.Join(errs...)
}

// removeBackendState empties the backend. A bucket with objects stays, and the sandbox is
// replaced.
func (w *Sandbox) removeBackendState(ctx context.Context, m observed.Observation) error {
	if m.Backend == nil {
		return nil
	}
	var errs []error
	for _, account := range accountsOf(m.Backend) {
		errs = append(errs, w.Emulator.Store().DeleteAccount(ctx, account.Owner, account.ID))
	}
	for _, bucket := range m.Backend.Buckets {
		errs = append(errs, w.Emulator.Store().DeleteBucket(ctx, bucket.Owner, bucket.Name))
	}
	return errors.Join(errs...)
}

func (w *Sandbox) recreate(ctx context.Context) error {
	var errs []error
	for _, c := range w.Emulator.Components() {
		err := c.Start(ctx)
		if !errors.Is(err, emulator.ErrWrongState) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// observeAfter observes the sandbox after a run, but first removes the remains of an interference.
func (w *Sandbox) observeAfter(ctx context.Context, o *run.Record) (observed.Observation, error) {
	if o.TornDown {
		if err := w.undoInterference(ctx); err != nil {
			return observed.Observation{}, err
		}
	}
	return w.observe(ctx, "after the run")
}

func vanished(o *run.Record) bool {
	end := o.End
	return o.Err == nil && o.Result.Outcome == outcome.Passed && end.Name != "" && !end.Active && end.After == end.Until && isEmpty(end)
}
