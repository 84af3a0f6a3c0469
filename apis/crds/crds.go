// Package crds embeds the CustomResourceDefinitions of the COSI kinds, as
// controller-gen makes them from package v1alpha2, so that programs and tests
// can install them without files beside them.
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed objectstorage.k8s.io_*.yaml
var manifests embed.FS

// Manifests are the CustomResourceDefinitions as YAML files, one for each kind.
func Manifests() fs.FS { return manifests }

// All returns the CustomResourceDefinitions, decoded, in the order of their
// names. The objects are the caller's own.
func All() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	entries, err := manifests.ReadDir(".")
	if err != nil {
		return nil, err
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(entries))
	for _, entry := range entries {
		data, err := manifests.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, crd); err != nil {
			return nil, fmt.Errorf("embedded manifest %s: %w", entry.Name(), err)
		}
		crds = append(crds, crd)
	}
	return crds, nil
}
