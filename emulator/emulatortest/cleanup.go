package emulatortest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
)

const (
	// patience is the time for the components to delete the objects of a kind, before cleanUp
	// removes their finalizers.
	patience     = time.Minute
	pollInterval = 10 * time.Millisecond
)

// cleanUp deletes all objects of COSI, users' objects first, with the help of the components. It
// reports objects whose finalizers the components do not release, because the backend would leak,
// and removes them by force.
func cleanUp(ctx context.Context, emu *emulator.Emulator) error {
	emu.Faults().Clear()
	if err := startStopped(ctx, emu); err != nil {
		return err
	}
	var stuck []error
	for _, kind := range []string{"BucketAccess", "BucketClaim", "Bucket", "BucketClass", "BucketAccessClass"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(emu.Info().API.GroupVersion().WithKind(kind + "List"))
		stuck = append(stuck, removeAll(ctx, emu.Client(), list))
	}
	return errors.Join(stuck...)
}

// startStopped starts the processes of the control plane and the components that do not run.
func startStopped(ctx context.Context, emu *emulator.Emulator) error {
	if plane := emu.ControlPlane(); plane != nil {
		for _, process := range plane.ProcessNames() {
			if err := emu.Component(process).Start(ctx); err != nil {
				return err
			}
		}
	}
	for _, component := range emu.Components() {
		if state, _ := component.State(); state == emulator.StateRunning {
			continue
		}
		// A component that a fault has killed may be restarting.
		if err := component.Start(ctx); err != nil && !errors.Is(err, emulator.ErrWrongState) {
			return err
		}
	}
	return nil
}

func removeAll(ctx context.Context, c client.Client, list client.ObjectList) error {
	objects, err := items(ctx, c, list)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return err
		}
	}
	err = wait.PollUntilContextTimeout(ctx, pollInterval, patience, true, func(ctx context.Context) (bool, error) {
		objects, err = items(ctx, c, list)
		return len(objects) == 0, err
	})
	if !wait.Interrupted(err) {
		return err
	}
	return force(ctx, c, objects)
}

func items(ctx context.Context, c client.Client, list client.ObjectList) ([]client.Object, error) {
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	var objects []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if object, ok := item.DeepCopyObject().(client.Object); ok {
			objects = append(objects, object)
		}
		return nil
	})
	return objects, err
}

// force removes the finalizers of stuck objects, so that they do not disturb the next test.
func force(ctx context.Context, c client.Client, objects []client.Object) error {
	var errs []error
	for _, object := range objects {
		errs = append(errs, fmt.Errorf("%s %s could not be deleted: it still has finalizers %v",
			object.GetObjectKind().GroupVersionKind().Kind, client.ObjectKeyFromObject(object), object.GetFinalizers()))
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		errs = append(errs, client.IgnoreNotFound(c.Patch(ctx, object, patch)))
	}
	return errors.Join(errs...)
}
