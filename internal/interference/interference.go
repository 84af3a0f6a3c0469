package interference

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// timeout limits an interference, also on a busy machine.
const timeout = time.Minute

// Injector interferes with objects. It is safe for concurrent use.
type Injector struct {
	incarnation *seam.Incarnation
	objects     dynamic.Interface // with requests in the journal
	look        dynamic.Interface // with requests outside of it

	version   objectstorage.Version
	resources map[string]schema.GroupVersionResource

	pending sync.WaitGroup // objects to create after others are deleted
}

// New returns an Injector for a cluster with the COSI kinds of a version. The caller must end
// it with Stop.
func New(cfg *rest.Config, j *journal.Journal, version objectstorage.Version) (*Injector, error) {
	a := &Injector{
		incarnation: seam.NewIncarnation(j, vocabulary.Administrator, 1), version: version, resources: resourcesOf(version),
	}
	var errs [2]error
	a.objects, errs[0] = dynamic.NewForConfig(a.incarnation.RESTConfig(cfg))
	a.look, errs[1] = dynamic.NewForConfig(cfg)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("make the client that interferes: %w", err)
	}
	return a, nil
}

// Stop cancels pending work, and waits for its end. All faults must have been removed.
func (a *Injector) Stop(context.Context) error {
	a.incarnation.Fence()
	a.pending.Wait()
	return nil
}

// Interfere applies a fault to all objects that it matches, and returns when they have changed. The
// journal has the requests, with their errors.
func (a *Injector) Interfere(ctx context.Context, by *fault.Applied) {
	ctx, cancel := context.WithTimeout(seam.WithFault(ctx, by.Name), timeout)
	defer cancel()
	kind, _, _ := by.Target()
	list, err := a.look.Resource(a.resources[kind]).List(ctx, metav1.ListOptions{})
	if err != nil {
		a.incarnation.Record("list "+a.resources[kind].Resource, err)
		return
	}
	for i := range list.Items {
		o := &list.Items[i]
		if by.Targets(kind, o.GetNamespace(), o.GetName()) {
			t := &target{Injector: a, object: o, kind: kind, by: by}
			_ = t.apply(ctx) // the journal records an error
		}
	}
}

type target struct {
	*Injector

	object *unstructured.Unstructured
	kind   string
	by     *fault.Applied
}

// in returns the objects of the target's kind and namespace.
func (t *target) in(client dynamic.Interface) dynamic.ResourceInterface {
	all := client.Resource(t.resources[t.kind])
	if namespace := t.object.GetNamespace(); namespace != "" {
		return all.Namespace(namespace)
	}
	return all
}

func (t *target) apply(ctx context.Context) error {
	switch t.by.Interfere {
	case fault.Delete:
		return t.delete(ctx, metav1.DeletePropagationBackground)
	case fault.DeleteForeground:
		return t.delete(ctx, metav1.DeletePropagationForeground)
	case fault.DeleteOrphan:
		return t.delete(ctx, metav1.DeletePropagationOrphan)
	case fault.Recreate, fault.RecreateOtherSpec:
		return errors.Join(t.delete(ctx, metav1.DeletePropagationBackground), t.createOnceGone(ctx))
	case fault.ForceDelete:
		return t.forceDelete(ctx)
	case fault.ForceRecreate, fault.ForceRecreateOtherSpec:
		return errors.Join(t.forceDelete(ctx), t.create(ctx))
	default:
		return t.edit(ctx)
	}
}

func (t *target) delete(ctx context.Context, policy metav1.DeletionPropagation) error {
	return t.in(t.objects).Delete(ctx, t.object.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
}

// forceDelete deletes an object before it removes the finalizers, so that no component can add its
// own again.
func (t *target) forceDelete(ctx context.Context) error {
	err := t.delete(ctx, metav1.DeletePropagationBackground)
	if err == nil && len(t.object.GetFinalizers()) > 0 {
		err = t.patch(ctx, withoutFinalizers)
	}
	if apierrors.IsNotFound(err) {
		return nil // its last finalizer was removed meanwhile
	}
	return err
}

func (t *target) create(ctx context.Context) error {
	again := asWritten(t.object)
	if t.by.Interfere == fault.RecreateOtherSpec || t.by.Interfere == fault.ForceRecreateOtherSpec {
		t.changeSpec(again)
	}
	_, err := t.in(t.objects).Create(ctx, again, metav1.CreateOptions{})
	return err
}

// createOnceGone creates the object again when its deletion is complete: at once, or after its
// finalizers are removed. It stops waiting when the fault is removed.
func (t *target) createOnceGone(ctx context.Context) error {
	found, err := t.in(t.look).Get(ctx, t.object.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return t.create(ctx)
	case err != nil:
		return err
	}
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t.pending.Go(func() {
		defer cancel()
		if t.awaitDeletion(waiting, found) == nil {
			_ = t.create(waiting) // the journal records an error
		}
	})
	go func() {
		select {
		case <-t.by.Done():
			cancel()
		case <-waiting.Done():
		}
	}()
	return nil
}
