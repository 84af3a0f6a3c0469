// Package crds embeds the CustomResourceDefinitions of the COSI kinds, which controller-gen
// generates from packages v1alpha2 and v1alpha1, so that programs and tests can install them. The
// kinds of both versions have the same names: a cluster serves one version.
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

//go:embed objectstorage.k8s.io_*.yaml
var manifests embed.FS

//go:embed v1alpha1/objectstorage.k8s.io_*.yaml
var manifestsV1alpha1 embed.FS

// Manifests are the CustomResourceDefinitions of v1alpha2 as YAML files, one for each kind.
func Manifests() fs.FS { return manifests }

// ManifestsV1alpha1 are the CustomResourceDefinitions of v1alpha1 as YAML files, one for each kind.
func ManifestsV1alpha1() fs.FS {
	dir, err := fs.Sub(manifestsV1alpha1, "v1alpha1")
	if err != nil {
		panic(err) // the name is valid
	}
	return dir
}

// All returns the CustomResourceDefinitions of v1alpha2, decoded, in the order of their names. The
// caller owns the objects.
func All() ([]*apiextensionsv1.CustomResourceDefinition, error) { return decode(Manifests()) }

// AllV1alpha1 returns the CustomResourceDefinitions of v1alpha1, as All does.
func AllV1alpha1() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	return decode(ManifestsV1alpha1())
}

// For returns the CustomResourceDefinitions of a version.
func For(version objectstorage.Version) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	if version == objectstorage.V1alpha1 {
		return AllV1alpha1()
	}
	return All()
}

func decode(manifests fs.FS) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	entries, err := fs.ReadDir(manifests, ".")
	if err != nil {
		return nil, err
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(entries))
	for _, entry := range entries {
		data, err := fs.ReadFile(manifests, entry.Name())
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
