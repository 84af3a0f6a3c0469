package crds_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

func TestMissing(t *testing.T) {
	for _, version := range []objectstorage.Version{objectstorage.V1alpha1, objectstorage.V1alpha2} {
		all, err := crds.For(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, definition := range all {
			if missing, err := crds.Missing(definition, version); err != nil || len(missing) > 0 {
				t.Errorf("%s of %s lacks %v of itself: %v", definition.Name, version, missing, err)
			}
		}
	}
}

func earlierAccess(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Names.Kind == "BucketAccess" })
	access := all[i]
	schema := access.Spec.Versions[0].Schema.OpenAPIV3Schema
	delete(schema.Properties["status"].Properties, "conditions")
	claims := schema.Properties["spec"].Properties["bucketClaims"].Items.Schema
	delete(claims.Properties, "accessModes")
	claims.Properties["accessMode"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	return access
}

func TestMissingOfEarlierDraft(t *testing.T) {
	access := earlierAccess(t)
	missing, err := crds.Missing(access, objectstorage.V1alpha2)
	if diff := cmp.Diff([]string{"spec.bucketClaims[].accessModes", "status.conditions"}, missing); diff != "" || err != nil {
		t.Errorf("Missing: %v (-want +got):\n%s", err, diff)
	}

	for field, want := range map[string]bool{"readyToUse": true, "conditions": false} {
		if got := crds.HasField(access, objectstorage.V1alpha2, "status", field); got != want {
			t.Errorf("HasField(status.%s) = %t", field, got)
		}
	}
	difference, err := crds.Difference(access, objectstorage.V1alpha2)
	if want := access.Name + " lacks spec.bucketClaims[].accessModes, status.conditions"; difference != want || err != nil {
		t.Errorf("Difference() = %q, %v, want %q", difference, err, want)
	}

	access.Spec.Versions[0].Served = false
	if crds.HasField(access, objectstorage.V1alpha2, "status") {
		t.Error("a version that is not served has a field")
	}
	if _, err := crds.Missing(access, objectstorage.V1alpha2); err == nil {
		t.Error("a definition that does not serve the version is compared")
	}
	access.Name = "pods.example.com"
	if _, err := crds.Missing(access, objectstorage.V1alpha2); err == nil {
		t.Error("a definition of another kind is compared")
	}
}
