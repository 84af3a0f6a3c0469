package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
func (sb *Sandbox) Reset(ctx context.Context, o *run.Record) (left bool, err error) {
	sb.Emulator.Faults().Clear()
	if left, err = sb.removeLeftovers(ctx, o); err != nil {
		return left, err
	}
	if err = sb.endBackOff(ctx); err != nil {
		return left, errors.Join(errNotClean, err)
	}
	return left, sb.awaitReplies(ctx)
}

// awaitReplies waits until no component waits for the reply to a write or a driver call. An object
// ends before the component that released it has the reply, and a reply during the next run would
// be an event of that run.
func (sb *Sandbox) awaitReplies(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if !idle.New(sb.Emulator).WaitQuiet(ctx, sb.scope, time.Millisecond) {
		return errors.Join(errNotClean, errors.New("a component still waits for a reply"))
	}
	return nil
}

func (sb *Sandbox) removeLeftovers(ctx context.Context, o *run.Record) (left bool, err error) {
	select {
	case failure := <-sb.Emulator.Failed():
		return true, errors.Join(errNotClean, failure)
	default:
	}
	if o.Spoiled {
		return true, errNotClean
	}
	if sb.leftNothing(ctx, o) {
		return false, nil
	}
	m, err := sb.observeAfter(ctx, o)
	others, failed := sb.others(ctx)
	if err := errors.Join(err, failed); err != nil {
		return true, errors.Join(errNotClean, err)
	}
	if len(sb.Emulator.Components()) > sb.components {
		return true, errNotClean // components of drivers of a failed run
	}
	if sb.isRunning() && len(others) == 0 && (isEmpty(m) || sb.removeRetained(ctx, o, m)) {
		return false, nil
	}
	if err := sb.clean(ctx, m, others); err != nil {
		return true, errors.Join(errNotClean, err)
	}
	return true, nil
}

// leftNothing reports whether the last observation of a run shows an empty sandbox, in which everything
// runs. After an interference, reset has to undo it.
func (sb *Sandbox) leftNothing(ctx context.Context, o *run.Record) bool {
	if !vanished(o) || o.TornDown || !sb.isRunning() {
		return false
	}
	others, err := sb.others(ctx)
	return err == nil && len(others) == 0
}

// removeRetained removes buckets that a run has correctly left in the backend: everything else was
// deleted. It reports whether nothing is left.
func (sb *Sandbox) removeRetained(ctx context.Context, o *run.Record, m observed.Observation) bool {
	return o.TornDown && !hasObjects(m) && sb.removeBackendState(ctx, m) == nil
}

// others returns what COSI's components did not make, or what does not look like theirs any more:
// Secrets in the namespace of the runs, with whatever owner and finalizers, and classes of a scenario.
func (sb *Sandbox) others(ctx context.Context) (found []client.Object, err error) {
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := sb.Emulator.Client().List(ctx, secrets, client.InNamespace(run.Namespace)); err != nil {
		return nil, fmt.Errorf("list the Secrets of a sandbox: %w", err)
	}
	for i := range secrets.Items {
		secret := &corev1.Secret{}
		secret.Name, secret.Namespace = secrets.Items[i].Name, secrets.Items[i].Namespace
		found = append(found, secret)
	}
	classes, err := sb.saveClasses(ctx)
	for i := range classes {
		if sb.classes.find(&classes[i]) == nil {
			found = append(found, &classes[i])
		}
	}
	return found, err
}

func (sb *Sandbox) clean(ctx context.Context, m observed.Observation, others []client.Object) error {
	if err := errors.Join(sb.removeObjects(ctx, m, others), sb.removeBackendState(ctx, m), sb.recreate(ctx)); err != nil {
		return err
	}
	if sb.bystander != nil { // restarted components look at it again
		sb.waitQuiet(ctx, idle.New(sb.Emulator), quietForSure)
	}
	m, err := sb.observe(ctx, "after cleaning")
	if err == nil {
		others, err = sb.others(ctx)
	}
	if err == nil && (!isEmpty(m) || len(others) > 0) {
		err = errors.New("something is left after cleaning")
	}
	return err
}

// removeObjects deletes objects and their finalizers without the components, which may have caused
// the failure.
func (sb *Sandbox) removeObjects(ctx context.Context, m observed.Observation, others []client.Object) error {
	objects := append(sb.objectsOf(&m.Objects, "BucketAccess", "BucketClaim", "Bucket"), others...)
	for _, c := range sb.Emulator.Components() {
		if c.Name() == emulator.ComponentStore {
			continue
		}
		if state, _ := c.State(); state == emulator.StateRunning {
			_ = c.Crash() // it may have exited already
		}
	}
	var errs []error
	for _, object := range objects {
		errs = append(errs, client.IgnoreNotFound(sb.Emulator.Client().Delete(ctx, object)))
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		errs = append(errs, client.IgnoreNotFound(sb.Emulator.Client().Patch(ctx, object, patch)))
	}
	return errors.Join(errs...)
}

// removeBackendState empties the backend. A bucket with objects stays, and the sandbox is
// replaced.
func (sb *Sandbox) removeBackendState(ctx context.Context, m observed.Observation) error {
	if m.Backend == nil {
		return nil
	}
	var errs []error
	for _, account := range accountsOf(m.Backend) {
		errs = append(errs, sb.Emulator.Store().DeleteAccount(ctx, account.Owner, account.ID))
	}
	for _, bucket := range m.Backend.Buckets {
		errs = append(errs, sb.Emulator.Store().DeleteBucket(ctx, bucket.Owner, bucket.Name))
	}
	return errors.Join(errs...)
}

func (sb *Sandbox) recreate(ctx context.Context) error {
	var errs []error
	for _, c := range sb.Emulator.Components() {
		err := c.Start(ctx)
		if !errors.Is(err, emulator.ErrWrongState) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// observeAfter observes the sandbox after a run, but first removes the remains of an interference.
func (sb *Sandbox) observeAfter(ctx context.Context, o *run.Record) (observed.Observation, error) {
	if o.TornDown {
		if err := sb.undoInterference(ctx); err != nil {
			return observed.Observation{}, err
		}
	}
	return sb.observe(ctx, "after the run")
}

func vanished(o *run.Record) bool {
	end := o.End
	return o.Err == nil && o.Result.Outcome == outcome.Passed && end.Name != "" && !end.Active && end.After == end.Until && isEmpty(end)
}
