package main_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// writeForeignDefinitions writes definitions that have status.error in place of conditions, and returns their file.
func (h *home) writeForeignDefinitions() string {
	h.t.Helper()
	all, err := crds.All()
	if err != nil {
		h.t.Fatal(err)
	}
	list := &apiextensionsv1.CustomResourceDefinitionList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for _, definition := range all {
		if status, ok := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]; ok {
			delete(status.Properties, "conditions")
			status.Properties["error"] = apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"message": {Type: "string"}},
			}
		}
		list.Items = append(list.Items, *definition)
	}
	text, err := json.Marshal(list)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("crds.json", string(text))
	return filepath.Join(h.dir, "crds.json")
}

// TestForeignDefinitions serves definitions of another draft for a controller and a sidecar of that
// draft, whose errors status shows.
func TestForeignDefinitions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.writeForeignDefinitions()
	h.rejected("buckets.objectstorage.k8s.io lacks status.conditions; run a controller and a sidecar of the same draft", "up", "--crds", file)
	h.rejected("--crds: "+filepath.Join(h.dir, "tmp")+" has no", "up", "--crds", filepath.Join(h.dir, "tmp"))

	info := h.up("--crds", file, "--controller-cmd", "sleep 600", "--sidecar-cmd", "sleep 600")
	c := connect(t, info.Kubeconfig)
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "photos"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard},
	}
	if err := c.client.Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status": {"readyToUse": false, "error": {"message": "no room left"}}}`))
	if err := c.client.Status().Patch(t.Context(), claim, patch); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "status shows the error and what the definitions lack", func(context.Context) (bool, error) {
		out := h.must("status")
		return strings.Contains(out, "BucketClaim  default/photos  no room left") &&
			strings.Contains(out, "Warning: the CustomResourceDefinitions are of another draft"), nil
	})
	if out := h.must("status", "-o", "json"); !strings.Contains(out, `"message": "no room left"`) {
		t.Errorf("status -o json prints\n%s", out)
	}
	h.must("down")
	h.expectNothingLeft()
}
