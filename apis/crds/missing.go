package crds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// Missing returns the fields that a definition of a COSI kind lacks in a version, as sorted paths
// such as status.conditions. The definitions of earlier drafts lack some. An API server drops these
// fields from every write, and reports no error. Missing returns an error for other kinds, and for
// a version that the definition does not serve.
func Missing(definition *apiextensionsv1.CustomResourceDefinition, version objectstorage.Version) ([]string, error) {
	all, err := For(version)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(own *apiextensionsv1.CustomResourceDefinition) bool { return own.Name == definition.Name })
	if i < 0 {
		return nil, fmt.Errorf("CustomResourceDefinition %s is of no kind of COSI", definition.Name)
	}
	there := schemaOf(definition, version)
	if there == nil {
		return nil, fmt.Errorf("CustomResourceDefinition %s does not serve version %s", definition.Name, version)
	}
	missing := missingFields("", schemaOf(all[i], version), there)
	slices.Sort(missing)
	return missing, nil
}

// Difference describes the fields that Missing returns, with the creation date of a cluster's
// definition; it is empty if there are none.
func Difference(definition *apiextensionsv1.CustomResourceDefinition, version objectstorage.Version) (string, error) {
	missing, err := Missing(definition, version)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	name := definition.Name
	if created := definition.CreationTimestamp; !created.IsZero() {
		name += " of " + created.UTC().Format(time.DateOnly)
	}
	return name + " lacks " + strings.Join(missing, ", "), nil
}

// HasField reports whether a definition has a field in a version, such as status and error.
func HasField(definition *apiextensionsv1.CustomResourceDefinition, version objectstorage.Version, path ...string) bool {
	schema := schemaOf(definition, version)
	for _, name := range path {
		if schema == nil {
			return false
		}
		field, found := schema.Properties[name]
		if !found {
			return false
		}
		schema = &field
	}
	return schema != nil
}

// Schema returns the schema of a kind of COSI in a version, or nil. It must not be changed.
func Schema(version objectstorage.Version, kind string) *apiextensionsv1.JSONSchemaProps {
	return schemas()[version][kind]
}

// schemas has the schemas of all kinds, by version and kind.
var schemas = sync.OnceValue(func() map[objectstorage.Version]map[string]*apiextensionsv1.JSONSchemaProps {
	known := map[objectstorage.Version]map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, version := range []objectstorage.Version{objectstorage.V1alpha1, objectstorage.V1alpha2} {
		known[version] = map[string]*apiextensionsv1.JSONSchemaProps{}
		all, _ := For(version) // a test decodes them
		for _, definition := range all {
			known[version][definition.Spec.Names.Kind] = schemaOf(definition, version)
		}
	}
	return known
})

// schemaOf returns the schema of a served version, or nil.
func schemaOf(definition *apiextensionsv1.CustomResourceDefinition, version objectstorage.Version) *apiextensionsv1.JSONSchemaProps {
	for i := range definition.Spec.Versions {
		if v := &definition.Spec.Versions[i]; v.Served && v.Name == string(version) && v.Schema != nil {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

func missingFields(path string, own, there *apiextensionsv1.JSONSchemaProps) []string {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(own.Properties)) {
		field := own.Properties[name]
		has, found := there.Properties[name]
		if !found {
			missing = append(missing, path+name)
			continue
		}
		missing = append(missing, missingFields(path+name+".", &field, &has)...)
		if field.Items != nil && field.Items.Schema != nil && has.Items != nil && has.Items.Schema != nil {
			missing = append(missing, missingFields(path+name+"[].", field.Items.Schema, has.Items.Schema)...)
		}
	}
	return missing
}
