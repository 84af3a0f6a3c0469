package shrink

import (
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

var schemas = sync.OnceValue(func() map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps {
	all := map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps{}
	for _, version := range objectstorage.Versions() {
		definitions, err := crds.For(version)
		if err != nil {
			return all // shrinking then finds required fields by trying
		}
		for _, d := range definitions {
			for _, v := range d.Spec.Versions {
				all[version.GroupVersion().WithKind(d.Spec.Names.Kind)] = v.Schema.OpenAPIV3Schema
			}
		}
	}
	return all
})

// isRequired reports whether a path leads to a required field of an object. A candidate
// without it need not be tried.
func (t *tree) isRequired(p path) bool {
	var of *apiextensionsv1.JSONSchemaProps // the schema of n; nil outside of objects
	n := t.root
	for depth, i := range p {
		if kind := source.Field(n, "kind"); kind != nil && source.Field(n, "metadata") != nil {
			of = schemas()[t.version().WithKind(kind.Value)]
		}
		inner, needed := schemaAt(of, n, i)
		if depth == len(p)-1 {
			return needed
		}
		of, n = inner, n.Content[i]
	}
	return false
}

func (t *tree) version() schema.GroupVersion {
	if version, err := objectstorage.ParseVersion(source.Value(source.Field(t.root, "setup"), "api")); err == nil {
		return version.GroupVersion()
	}
	return objectstorage.V1alpha2.GroupVersion()
}

// schemaAt returns the schema of a child of a node, and whether the schema of the node
// requires the child.
func schemaAt(schema *apiextensionsv1.JSONSchemaProps, n *yaml.Node, i int) (inner *apiextensionsv1.JSONSchemaProps, needed bool) {
	switch {
	case schema == nil:
		return nil, false
	case n.Kind == yaml.SequenceNode && schema.Items != nil:
		return schema.Items.Schema, schema.MinItems != nil && int64(len(n.Content)) <= *schema.MinItems
	case n.Kind == yaml.MappingNode:
		key := n.Content[i-1].Value
		if property, ok := schema.Properties[key]; ok {
			inner = &property
		}
		return inner, slices.Contains(schema.Required, key)
	}
	return nil, false
}
