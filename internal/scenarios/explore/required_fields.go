package explore

import (
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
)

// schemas has the schemas of the COSI kinds.
var schemas = sync.OnceValue(func() map[string]*apiextensionsv1.JSONSchemaProps {
	all := map[string]*apiextensionsv1.JSONSchemaProps{}
	definitions, err := crds.All()
	if err != nil {
		return all // shrinking then finds required fields by trying
	}
	for _, d := range definitions {
		for _, version := range d.Spec.Versions {
			all[d.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
		}
	}
	return all
})

// isRequired reports whether a path leads to a required field of an object. A candidate
// without it need not be tried.
func (s *source) isRequired(p path) bool {
	var schema *apiextensionsv1.JSONSchemaProps // of n; nil outside of objects
	n := s.root
	for depth, i := range p {
		if kind := field(n, "kind"); kind != nil && field(n, "metadata") != nil {
			schema = schemas()[kind.Value]
		}
		inner, needed := schemaAt(schema, n, i)
		if depth == len(p)-1 {
			return needed
		}
		schema, n = inner, n.Content[i]
	}
	return false
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
