package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestForeignDefinitions removes the conditions from the definition of BucketClaims: earlier drafts have none.
// The API server drops conditions and reports no error. The claim has an Event, and an emulator that starts on the
// cluster names the missing fields.
func TestForeignDefinitions(t *testing.T) {
	t.Parallel()
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded})
	defer stop()
	dropConditions(t, emu)

	const lacks = "status.conditions"
	n := 0
	harness.Eventually(t, "an Event says that conditions are dropped", func(ctx context.Context) error {
		n++ // an API server takes a moment to serve a new definition
		claim := &v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("photos-%d", n)},
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		}
		if err := emu.Client().Create(ctx, claim); err != nil {
			return err
		}
		events := &eventsv1.EventList{}
		if err := emu.Client().List(ctx, events); err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == v1alpha2.ReasonAPIError && strings.Contains(event.Note, "has dropped "+lacks) {
				return nil
			}
		}
		return errors.New("there is none")
	})

	existing, err := existingcluster.Open(existingcluster.Options{Kubeconfig: emulator.KubeconfigIn(emu.Info().Dir), Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer existing.Close()
	if err := existing.CheckKinds(t.Context()); !errors.Is(err, existingcluster.ErrNotInstalled) || !strings.Contains(err.Error(), lacks) {
		t.Errorf("CheckKinds() = %v, want an error that names %s", err, lacks)
	}
}

// dropConditions removes the conditions from the definition of BucketClaims.
func dropConditions(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	definition := &unstructured.Unstructured{}
	definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Name: "bucketclaims." + v1alpha2.GroupName}, definition); err != nil {
		t.Fatal(err)
	}
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		t.Fatal(err)
	}
	version, _ := versions[0].(map[string]any)
	unstructured.RemoveNestedField(version, "schema", "openAPIV3Schema", "properties", "status", "properties", "conditions")
	if err := unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions"); err != nil {
		t.Fatal(err)
	}
	if err := emu.Client().Update(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
}
