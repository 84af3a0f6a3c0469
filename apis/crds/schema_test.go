package crds_test

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
)

// TestDescriptions checks that the schemas describe each field, for kubectl explain and editors.
func TestDescriptions(t *testing.T) {
	all, err := crds.All()
	earlier, earlierErr := crds.AllV1alpha1()
	if err := errors.Join(err, earlierErr); err != nil {
		t.Fatal(err)
	}
	for _, crd := range slices.Concat(all, earlier) {
		kind, schema := crd.Spec.Names.Kind, crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		checkDescription(t, kind, schema.Description)
		delete(schema.Properties, "metadata") // the API server describes it
		checkDescriptions(t, kind, schema)
	}
}

// remark matches remarks for the developers of the kinds: they help no user.
var remark = regexp.MustCompile(`(?m)^\+|` +
	`(?i:\b(todo|fixme|xxx|nolint|omitempty|unmarshal|deep-?copy|controller-gen|kubebuilder|implement(er|ation)s?)\b)|` +
	`\b(NOTE|KEP|KEP-\d+|cosi-emu|Go type|this (package|struct))\b`)

// checkDescription checks the description of a kind or a field, and of a schema below it.
func checkDescription(t *testing.T, path, description string) {
	t.Helper()
	if description == "" {
		t.Errorf("%s has no description", path)
	}
	if found := remark.FindString(description); found != "" {
		t.Errorf("%s has a remark for developers, with %q: %s", path, found, description)
	}
}

// checkDescriptions checks the fields below a schema. Entries of a list and values of a map are
// described with the list or the map.
func checkDescriptions(t *testing.T, path string, schema *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		checkDescription(t, path+"."+name, property.Description)
		checkDescriptions(t, path+"."+name, &property)
	}
	if schema.Items != nil {
		checkDescriptions(t, path+"[]", schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		checkDescriptions(t, path+"[]", schema.AdditionalProperties.Schema)
	}
}
