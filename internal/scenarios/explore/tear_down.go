package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// settleTimeout limits each wait for silence. A component that retries never is silent.
const settleTimeout = 10 * time.Second

// runCase runs a case. A run with an interference exits early, because the steps of the
// scenario may wait for what will not be. A run that is probed records watch events.
func (w *sandbox) runCase(ctx context.Context, s *spec.Scenario, c Case, clean *runResult, probed bool) *runResult {
	current := newRunning(ctx, w, s, c.faults(), clean)
	current.probed = probed
	if c.interferes() {
		current.earlyExit = earlyExitAfter(current.faults, clean.steps)
	}
	return w.perform(ctx, current)
}

// interferes reports whether one of the faults of the run is an interference.
func (r *running) interferes() bool {
	return slices.ContainsFunc(r.faults, func(f fault.Fault) bool { return f.Interfere != "" })
}

// tearDown observes the sandbox when all components are idle. Then it deletes everything as
// users and administrators do, without removing finalizers, and observes again.
func (r *running) tearDown() error {
	r.seen.tornDown = true
	if err := r.awaitNamespace(namespaceTimeout); err != nil {
		return err
	}
	window := max(quietForSure, r.earlyExit/2) //nolint:mnd // there is another wait after it
	if err := r.settle(func() bool { return true }, window, quietIfStarved); err != nil {
		return err
	}
	r.seen.before = append(r.seen.before, r.seen.end)
	err := r.sandbox.engine.EmptyBuckets(r.context)
	err = errors.Join(err, r.deleteAll(r.isUnclaimed, &v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}))
	err = errors.Join(err, r.deleteAll(r.isVanished, &v1alpha2.BucketList{}))
	if retained, failed := r.sandbox.retainExisting(r.context, r.seen.end); retained || failed != nil {
		err = errors.Join(err, failed, r.deleteAll(r.isVanished))
	}
	return errors.Join(err, r.judgeBystander())
}

// isUnclaimed reports whether all claims and accesses had gone when the sandbox was
// observed.
func (r *running) isUnclaimed() bool {
	return len(r.seen.end.Objects.Claims)+len(r.seen.end.Objects.Accesses) == 0
}

// isVanished reports whether all objects of COSI had gone when the sandbox was observed.
func (r *running) isVanished() bool { return r.isUnclaimed() && len(r.seen.end.Objects.Buckets) == 0 }

// deleteAll deletes all objects of some kinds, and waits until all is as it should be, or
// until the components have been idle for so long that nothing will change. The journal
// does not have these deletions: the idle time starts with them.
func (r *running) deleteAll(done func() bool, kinds ...client.ObjectList) (err error) {
	r.idle = idle.New(r.sandbox.emu)
	for _, kind := range kinds {
		err = errors.Join(err, r.sandbox.deleteAll(r.context, kind))
	}
	return errors.Join(err, r.settle(done, quietAtOnce, quietForSure, max(quietWithoutObjects, r.earlyExit), quietIfStarved))
}

// settle observes the sandbox when the components have been idle for the first of some
// times. If it is not as it should be, or if the standing oracles find something, it
// observes again after the next one: on a busy machine a component may still work.
func (r *running) settle(done func() bool, windows ...time.Duration) error {
	for _, window := range windows {
		ctx, cancel := context.WithTimeout(r.context, settleTimeout)
		err := r.readEnd(r.sandbox.waitQuiet(ctx, r.idle, window))
		cancel()
		if err != nil || done() && len(oracle.Judge(r.inputOf(r.seen.end))) == 0 {
			return err
		}
	}
	return nil
}

// retainExisting sets the policy of existing buckets to Retain, as the condition of a
// Bucket tells the administrator who has set it to Delete.
func (w *sandbox) retainExisting(ctx context.Context, m oracle.Observation) (retained bool, err error) {
	for i := range m.Objects.Buckets {
		b := &m.Objects.Buckets[i]
		told := func(c metav1.Condition) bool { return c.Reason == v1alpha2.ReasonDeletionPolicyNotAllowed }
		if !slices.ContainsFunc(b.Status.Conditions, told) {
			continue
		}
		retained = true
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"deletionPolicy":"Retain"}}`))
		err = errors.Join(err, client.IgnoreNotFound(w.emu.Client().Patch(ctx, b, patch)))
	}
	return retained, err
}

// deleteAll deletes all objects of a kind in the background.
func (w *sandbox) deleteAll(ctx context.Context, list client.ObjectList) error {
	if err := w.emu.Client().List(ctx, list); err != nil {
		return fmt.Errorf("delete everything: %w", err)
	}
	var objects []client.Object
	add := func(namespace string, object client.Object) {
		if !isBystander(namespace) {
			objects = append(objects, object)
		}
	}
	switch list := list.(type) {
	case *v1alpha2.BucketAccessList:
		for i := range list.Items {
			add(list.Items[i].Namespace, &list.Items[i])
		}
	case *v1alpha2.BucketClaimList:
		for i := range list.Items {
			add(list.Items[i].Namespace, &list.Items[i])
		}
	case *v1alpha2.BucketList:
		for i := range list.Items {
			add(list.Items[i].Spec.BucketClaimRef.Namespace, &list.Items[i])
		}
	}
	var errs []error
	for _, object := range objects {
		errs = append(errs, client.IgnoreNotFound(w.emu.Client().Delete(ctx, object)))
	}
	return errors.Join(errs...)
}

// savedClasses are classes as they were when the sandbox started.
type savedClasses struct {
	buckets  v1alpha2.BucketClassList
	accesses v1alpha2.BucketAccessClassList
}

func (w *sandbox) saveClasses(ctx context.Context) (s savedClasses, err error) {
	err = errors.Join(w.emu.Client().List(ctx, &s.buckets), w.emu.Client().List(ctx, &s.accesses))
	if err != nil {
		err = fmt.Errorf("save the classes of a sandbox: %w", err)
	}
	return s, err
}

// undoInterference deletes Secrets that no component owns any more, and creates the
// namespace and the classes that were deleted.
func (w *sandbox) undoInterference(ctx context.Context) error {
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	var secrets corev1.SecretList
	if err := w.emu.Client().List(ctx, &secrets, client.InNamespace(sandboxNamespace)); err != nil {
		return fmt.Errorf("list the Secrets of a sandbox: %w", err)
	}
	var errs []error
	for i := range secrets.Items {
		if len(secrets.Items[i].Finalizers) == 0 {
			errs = append(errs, client.IgnoreNotFound(w.emu.Client().Delete(ctx, &secrets.Items[i])))
		}
	}
	for i := range w.classes.buckets.Items {
		errs = append(errs, w.createAnew(ctx, w.classes.buckets.Items[i].DeepCopy()))
	}
	for i := range w.classes.accesses.Items {
		errs = append(errs, w.createAnew(ctx, w.classes.accesses.Items[i].DeepCopy()))
	}
	return errors.Join(errs...)
}

func (w *sandbox) createAnew(ctx context.Context, class client.Object) error {
	class.SetResourceVersion("")
	class.SetUID("")
	return client.IgnoreAlreadyExists(w.emu.Client().Create(ctx, class))
}

// undeleted finds objects that were deleted by ordinary means, and still exist.
func undeleted(m oracle.Observation) []oracle.Finding {
	var found []oracle.Finding
	add := func(kind string, o metav1.Object) {
		name := kind + "/" + o.GetName()
		found = append(found, oracle.Finding{
			Oracle: OracleDeletable, Subject: name,
			Message: fmt.Sprintf("%s was deleted by ordinary means, but its finalizers %v are not released", name, o.GetFinalizers()),
		})
	}
	for i := range m.Objects.Accesses {
		add("BucketAccess", &m.Objects.Accesses[i])
	}
	for i := range m.Objects.Claims {
		add("BucketClaim", &m.Objects.Claims[i])
	}
	for i := range m.Objects.Buckets {
		add("Bucket", &m.Objects.Buckets[i])
	}
	return found
}
