package emulator_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

func readExample(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := manifest.Read("../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestExampleQuickstart follows the instructions of the README.
func TestExampleQuickstart(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	objects := readExample(t, "quickstart.yaml")
	if err := manifest.Apply(t.Context(), emu.Client(), objects); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emu.Client().Delete(context.Background(), objects[0]) })
	variables, err := env.WaitAccess(t.Context(), emu.Client(), emu.Info().API, client.ObjectKey{Namespace: "demo", Name: "photos-rw"}, "")
	if err != nil {
		t.Fatal(err)
	}
	secret := map[string]string{}
	for _, v := range variables {
		secret[v.Name] = v.Value
	}
	if err := openBucket(secret).put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Error(err)
	}
}

// TestExampleClasses keeps the example equal to what `up` makes.
func TestExampleClasses(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	for _, object := range readExample(t, "classes.yaml") {
		made := object.DeepCopy()
		if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(object), made); err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(object.Object["spec"], made.Object["spec"]); diff != "" {
			t.Errorf("%s %s: -example, +made by up:\n%s", object.GetKind(), object.GetName(), diff)
		}
	}
	var classes v1alpha2.BucketClassList
	if err := emu.Client().List(t.Context(), &classes); err != nil || len(classes.Items) != 2 {
		t.Errorf("%d BucketClasses, %v; the example has 2", len(classes.Items), err)
	}
}
