package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestResetUndoesInterference verifies that reset restores classes and a namespace which an
// interference deleted in a run that passed and left no object.
func TestResetUndoesInterference(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}
	for i := range w.classes {
		if err := w.Emulator.Client().Delete(t.Context(), w.classes[i].DeepCopy()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Emulator.Client().Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	o := &run.Record{Result: outcome.Result{Outcome: outcome.Passed}, End: observed.Observation{Name: "after the last step"}, TornDown: true}
	if left, err := w.Reset(t.Context(), o); left || err != nil {
		t.Errorf("reset() = %t, %v; want a clean sandbox", left, err)
	}
	for i := range w.classes {
		class := w.classes[i].DeepCopy()
		if err := w.Emulator.Client().Get(t.Context(), client.ObjectKeyFromObject(class), class); err != nil {
			t.Errorf("%s of the next run: %v", class.GetKind(), err)
		}
	}
	if err := w.Emulator.Client().Get(t.Context(), client.ObjectKeyFromObject(namespace), namespace); err != nil {
		t.Errorf("namespace of the next run: %v", err)
	}
}

// TestResetRestoresSpecs verifies that reset replaces the classes that an interference created again with another
// spec, and only them.
func TestResetRestoresSpecs(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	changed := w.classes[0].DeepCopy()
	changed.SetResourceVersion("")
	changed.SetUID("")
	if err := unstructured.SetNestedStringMap(changed.Object, map[string]string{"note": "other"}, "spec", "parameters"); err != nil {
		t.Fatal(err)
	}
	if err := w.Emulator.Client().Delete(t.Context(), changed.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	create(t, w, changed)
	o := &run.Record{Result: outcome.Result{Outcome: outcome.Passed}, End: observed.Observation{Name: "after the last step"}, TornDown: true}
	if left, err := w.Reset(t.Context(), o); left || err != nil {
		t.Errorf("reset() = %t, %v; want a clean sandbox", left, err)
	}
	for i := range w.classes {
		saved := &w.classes[i]
		class := saved.DeepCopy()
		if err := w.Emulator.Client().Get(t.Context(), client.ObjectKeyFromObject(class), class); err != nil || !sameFields(class, saved) {
			t.Errorf("%s %s of the next run: %v, %v; want %v", class.GetKind(), class.GetName(), class.Object, err, saved.Object)
		}
		if replaced := class.GetUID() != saved.GetUID(); replaced != (i == 0) {
			t.Errorf("%s %s is replaced: %t", class.GetKind(), class.GetName(), replaced)
		}
	}
	if restored, err := w.restoreClasses(t.Context()); restored || err != nil {
		t.Errorf("restoreClasses() = %t, %v; want nothing to do", restored, err)
	}
}

// TestResetAwaitsReplies verifies that a sidecar's late reply about the last Bucket of a run does
// not become an event of the next run.
func TestResetAwaitsReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	operation := journal.Operation{Name: "patch buckets", Subject: "bc-1"}
	event := w.Emulator.Journal().Begin(emulator.ComponentSidecar, 1, journal.SeamAPI, operation)
	vanished := &run.Record{Result: outcome.Result{Outcome: outcome.Passed}, End: observed.Observation{Name: "after the last step"}}
	within, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.Reset(within, vanished); !errors.Is(err, errNotClean) {
		t.Errorf("while a reply is awaited: %v, want %v", err, errNotClean)
	}
	w.Emulator.Journal().Append(event)
	if left, err := w.Reset(t.Context(), vanished); left || err != nil {
		t.Errorf("after the reply: left %t, %v; want a clean sandbox", left, err)
	}
}

// TestResetRemovesWhatNobodyOwns verifies that reset finds what does not look like COSI's any more: the next
// run would be blamed for it.
func TestResetRemovesWhatNobodyOwns(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "key", Namespace: run.Namespace, Finalizers: []string{"example.com/hold"}}}
	class := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}, Spec: v1alpha2.BucketClassSpec{
		DriverName: "two.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
	}}
	for name, o := range map[string]client.Object{"Secret": secret, "BucketClass": class} {
		t.Run(name, func(t *testing.T) {
			if err := w.Emulator.Client().Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			vanished := &run.Record{Result: outcome.Result{Outcome: outcome.Passed}, End: observed.Observation{Name: "after the last step"}}
			if left, err := w.Reset(t.Context(), vanished); !left || err != nil {
				t.Errorf("reset() = %t, %v; want a sandbox that was not clean, and is", left, err)
			}
			if err := w.Emulator.Client().Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
				t.Errorf("it is still there: %v", err)
			}
			if left, err := w.Reset(t.Context(), vanished); left || err != nil {
				t.Errorf("the next reset() = %t, %v; want a clean sandbox", left, err)
			}
		})
	}
}
