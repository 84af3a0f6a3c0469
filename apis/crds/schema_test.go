package crds_test

import (
	"maps"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
)

// TestDescriptions checks that the schemas describe each field, for kubectl explain and editors.
func TestDescriptions(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		kind, schema := crd.Spec.Names.Kind, crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		if schema.Description == "" {
			t.Errorf("%s has no description", kind)
		}
		delete(schema.Properties, "metadata") // the API server describes it
		checkDescriptions(t, kind, schema)
	}
}

// checkDescriptions checks the fields below a schema. Entries of a list and values of a map are
// described with the list or the map.
func checkDescriptions(t *testing.T, path string, schema *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		if property.Description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		checkDescriptions(t, path+"."+name, &property)
	}
	if schema.Items != nil {
		checkDescriptions(t, path+"[]", schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		checkDescriptions(t, path+"[]", schema.AdditionalProperties.Schema)
	}
}
