package emulatortest

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// cleanUp deletes all objects of COSI, users' objects first, with the help of the components, and
// what users of the emulator's own control plane write beside them in namespace default. It
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
	if emu.ControlPlane() == nil { // the namespace belongs to the users of that cluster
		return errors.Join(stuck...)
	}
	for _, list := range []client.ObjectList{&corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.ServiceAccountList{}} {
		stuck = append(stuck, removeAll(ctx, emu.Client(), list, client.InNamespace(metav1.NamespaceDefault)))
	}
	return errors.Join(stuck...)
}

// isKubernetes reports whether the control plane itself keeps an object in each namespace.
func isKubernetes(o client.Object) bool {
	switch o.(type) {
	case *corev1.ServiceAccount:
		return o.GetName() == "default"
	case *corev1.ConfigMap:
		return o.GetName() == "kube-root-ca.crt"
	default:
		return false
	}
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

func removeAll(ctx context.Context, c client.Client, list client.ObjectList, in ...client.ListOption) error {
	objects, err := items(ctx, c, list, in...)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return err
		}
	}
	err = wait.PollUntilContextTimeout(ctx, pollInterval, patience, true, func(ctx context.Context) (bool, error) {
		objects, err = items(ctx, c, list, in...)
		return len(objects) == 0, err
	})
	if !wait.Interrupted(err) {
		return err
	}
	return force(ctx, c, objects)
}

func items(ctx context.Context, c client.Client, list client.ObjectList, in ...client.ListOption) ([]client.Object, error) {
	if err := c.List(ctx, list, in...); err != nil {
		return nil, err
	}
	var objects []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if object, ok := item.DeepCopyObject().(client.Object); ok && !isKubernetes(object) {
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
