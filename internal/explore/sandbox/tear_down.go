package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// tearDown observes the sandbox when all components are idle, when they have started again, and when an
// administrator has repaired it. Then it deletes everything as users and administrators do, without removing
// finalizers, and observes again.
func (r *running) tearDown() error {
	r.seen.TornDown = true
	if err := r.awaitNamespace(namespaceTimeout); err != nil {
		return err
	}
	window := max(quietForSure, r.earlyExit/2)
	if err := r.settle(func() bool { return true }, window, quietIfStarved); err != nil {
		return err
	}
	r.seen.Before = append(r.seen.Before, r.seen.End)
	if err := errors.Join(r.awaken(), r.repair()); err != nil {
		return err
	}
	err := r.sandbox.engine.EmptyBuckets(r.context)
	if r.sandbox.Emulator.Info().API == objectstorage.V1alpha1 { // a Bucket has no condition that would ask for it afterwards
		_, failed := r.sandbox.retainExisting(r.context, r.seen.End)
		err = errors.Join(err, failed)
	}
	err = errors.Join(err, r.deleteAll(r.isUnclaimed, "BucketAccess", "BucketClaim"))
	err = errors.Join(err, r.deleteAll(r.isVanished, "Bucket"))
	if retained, failed := r.sandbox.retainExisting(r.context, r.seen.End); retained || failed != nil {
		err = errors.Join(err, failed, r.deleteAll(r.isVanished))
	}
	return errors.Join(err, r.judgeBystander())
}

// isUnclaimed reports whether all claims and accesses had gone when the sandbox was observed.
func (r *running) isUnclaimed() bool {
	return len(r.seen.End.Objects.Claims)+len(r.seen.End.Objects.Accesses) == 0
}

// isVanished reports whether all COSI objects had gone when the sandbox was observed.
func (r *running) isVanished() bool { return r.isUnclaimed() && len(r.seen.End.Objects.Buckets) == 0 }

// deleteAll deletes all objects of some kinds, and waits until done, or until the components have
// been idle for so long that nothing will change. The journal does not have these deletions: the
// idle time starts with them.
func (r *running) deleteAll(done func() bool, kinds ...string) (err error) {
	r.idle = idle.New(r.sandbox.Emulator)
	err = r.sandbox.deleteAll(r.context, kinds...)
	return errors.Join(err, r.settle(done, quietAtOnce, quietForSure, max(quietWithoutObjects, r.earlyExit), quietIfStarved))
}

// retainExisting sets the policy of existing buckets to Retain, whose policy an administrator has set to
// Delete. The condition of a Bucket asks for it. In v1alpha1 the fake driver refuses to delete a bucket
// of others, and the sidecar asks again and again.
func (sb *Sandbox) retainExisting(ctx context.Context, m observed.Observation) (retained bool, err error) {
	for i := range m.Objects.Buckets {
		b := &m.Objects.Buckets[i]
		told := func(c metav1.Condition) bool { return c.Reason == v1alpha2.ReasonDeletionPolicyNotAllowed }
		refused := sb.Emulator.Info().API == objectstorage.V1alpha1 && b.Spec.ExistingBucketID != "" &&
			b.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete
		if !refused && !slices.ContainsFunc(b.Status.Conditions, told) {
			continue
		}
		retained = true
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"deletionPolicy":"Retain"}}`))
		err = errors.Join(err, client.IgnoreNotFound(sb.Emulator.Client().Patch(ctx, hub.Reference(sb.Emulator.Info().API, b), patch)))
	}
	return retained, err
}

// deleteAll deletes all objects of some kinds in the background, except the bystander's.
func (sb *Sandbox) deleteAll(ctx context.Context, kinds ...string) error {
	if len(kinds) == 0 {
		return nil
	}
	lists, err := hub.Read(ctx, sb.Emulator.Client(), sb.Emulator.Info().API, hub.Options{})
	if err != nil {
		return fmt.Errorf("delete everything: %w", err)
	}
	objects := watch.NewObjects(lists)
	sb.bystander.hideObjects(&objects)
	var errs []error
	for _, object := range sb.objectsOf(&objects, kinds...) {
		errs = append(errs, client.IgnoreNotFound(sb.Emulator.Client().Delete(ctx, object)))
	}
	return errors.Join(errs...)
}

func (sb *Sandbox) objectsOf(o *observed.Objects, kinds ...string) []client.Object {
	var objects []client.Object
	for _, kind := range kinds {
		switch kind {
		case "BucketAccess":
			for i := range o.Accesses {
				objects = append(objects, hub.Reference(sb.Emulator.Info().API, &o.Accesses[i]))
			}
		case "BucketClaim":
			for i := range o.Claims {
				objects = append(objects, hub.Reference(sb.Emulator.Info().API, &o.Claims[i]))
			}
		case "Bucket":
			for i := range o.Buckets {
				objects = append(objects, hub.Reference(sb.Emulator.Info().API, &o.Buckets[i]))
			}
		}
	}
	return objects
}

// savedClasses are the original classes of the sandbox, in the version of its API.
type savedClasses []unstructured.Unstructured

// find returns the one of them with the kind and the name of a class, or nil.
func (saved savedClasses) find(class *unstructured.Unstructured) *unstructured.Unstructured {
	for i := range saved {
		if saved[i].GetKind() == class.GetKind() && saved[i].GetName() == class.GetName() {
			return &saved[i]
		}
	}
	return nil
}

func (sb *Sandbox) saveClasses(ctx context.Context) (saved savedClasses, err error) {
	for _, kind := range []string{"BucketClass", "BucketAccessClass"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(sb.Emulator.Info().API.GroupVersion().WithKind(kind + "List"))
		if err := sb.Emulator.Client().List(ctx, list); err != nil {
			return nil, fmt.Errorf("save the classes of a sandbox: %w", err)
		}
		saved = append(saved, list.Items...)
	}
	return saved, nil
}

// undoInterference deletes Secrets that no component owns any more, creates the
// namespace and the classes that were deleted, and replaces the classes that have another spec.
func (sb *Sandbox) undoInterference(ctx context.Context) error {
	if err := sb.createNamespace(ctx); err != nil {
		return err
	}
	var secrets corev1.SecretList
	if err := sb.Emulator.Client().List(ctx, &secrets, client.InNamespace(run.Namespace)); err != nil {
		return fmt.Errorf("list the Secrets of a sandbox: %w", err)
	}
	var errs []error
	for i := range secrets.Items {
		if len(secrets.Items[i].Finalizers) == 0 {
			errs = append(errs, client.IgnoreNotFound(sb.Emulator.Client().Delete(ctx, &secrets.Items[i])))
		}
	}
	_, err := sb.restoreClasses(ctx)
	return errors.Join(append(errs, err)...)
}

// restoreClasses creates the classes that were deleted, and reports whether there were any. It replaces those that an
// interference has created again with another spec: a spec is immutable.
func (sb *Sandbox) restoreClasses(ctx context.Context) (restored bool, err error) {
	current, err := sb.saveClasses(ctx)
	if err != nil {
		return false, err
	}
	for i := range sb.classes {
		class := sb.classes[i].DeepCopy()
		other := current.find(class)
		if other != nil && sameFields(other, class) {
			continue
		}
		var failed error
		if other != nil {
			failed = client.IgnoreNotFound(sb.Emulator.Client().Delete(ctx, other))
		}
		class.SetResourceVersion("")
		class.SetUID("")
		if failed == nil {
			failed = sb.Emulator.Client().Create(ctx, class)
		}
		restored = restored || failed == nil
		err = errors.Join(err, failed)
	}
	return restored, err
}

// sameFields reports whether two classes are equal, except for their metadata.
func sameFields(a, b *unstructured.Unstructured) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	delete(a.Object, "metadata")
	delete(b.Object, "metadata")
	return equality.Semantic.DeepEqual(a.Object, b.Object)
}
