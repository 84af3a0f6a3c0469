// Package definitions reads CustomResourceDefinitions of COSI from other sources than this program:
// from files, and from an API server.
package definitions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

const kind = "CustomResourceDefinition"

// HowToReplace is the advice for definitions that lack fields.
const HowToReplace = "replace them with 'kubectl apply --server-side --force-conflicts -k' of the directory apis/crds of cosi-emu"

// Read returns the definitions of all kinds of COSI in a version, from a file or from the manifests
// of a directory. It ignores other objects, so the manifest of an installation can be used
// unchanged. The error lists all problems.
func Read(path string, version objectstorage.Version) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	objects, err := manifest.ReadPath(path)
	if err != nil {
		return nil, err
	}
	objects = slices.DeleteFunc(objects, func(o manifest.Located) bool { return o.GetKind() != kind })
	if len(objects) == 0 {
		return nil, fmt.Errorf("%s has no %s, in files *.yaml, *.yml or *.json", path, kind)
	}
	var (
		read []*apiextensionsv1.CustomResourceDefinition
		errs []error
	)
	for _, object := range objects {
		definition, err := decode(object, version)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", object.Position, err))
		}
		read = append(read, definition)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := CheckComplete(read, version); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return read, nil
}

// decode checks that a definition is of a kind of COSI, and serves the version.
func decode(object manifest.Located, version objectstorage.Version) (*apiextensionsv1.CustomResourceDefinition, error) {
	if want := apiextensionsv1.SchemeGroupVersion.String(); object.GetAPIVersion() != want {
		return nil, fmt.Errorf("%s %s has apiVersion %q, and must have %s", kind, object.GetName(), object.GetAPIVersion(), want)
	}
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, definition); err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, object.GetName(), err)
	}
	if group := version.GroupVersion().Group; definition.Spec.Group != group {
		return nil, fmt.Errorf("%s %s is of group %q, and must be of %s", kind, object.GetName(), definition.Spec.Group, group)
	}
	_, err = crds.Missing(definition, version)
	return definition, err
}

// CheckComplete checks that there is one definition for each kind of COSI in a version.
func CheckComplete(given []*apiextensionsv1.CustomResourceDefinition, version objectstorage.Version) error {
	own, err := crds.For(version)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, definition := range given {
		count[definition.Name]++
	}
	var missing []string
	for _, definition := range own {
		switch n := count[definition.Name]; {
		case n == 0:
			missing = append(missing, definition.Name)
		case n > 1:
			return fmt.Errorf("there are %d definitions of %s, and must be one", n, definition.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("definitions of %s are missing", strings.Join(missing, ", "))
	}
	return nil
}

// Differences describes the fields that definitions lack in a version, one text for each
// definition that lacks any.
func Differences(given []*apiextensionsv1.CustomResourceDefinition, version objectstorage.Version) ([]string, error) {
	var all []string
	for _, definition := range given {
		difference, err := crds.Difference(definition, version)
		if err != nil {
			return nil, err
		}
		if difference != "" {
			all = append(all, difference)
		}
	}
	return all, nil
}
