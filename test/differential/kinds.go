package differential

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed kinds.yaml
var kindsText []byte

// kind is a kind of objects that requests are about.
type kind struct {
	Group, Version, Resource, Kind string

	Namespaced bool
	// Pods means that the kind is served with Pods only. The tests of such kinds use no other ones.
	Pods bool
	// Metadata restricts edits to the metadata.
	Metadata bool
	// Weight is how often the kind is chosen, relative to the others.
	Weight int
	// Objects are valid objects, and Status valid states.
	Objects []map[string]any
	Status  []map[string]any
	// Fixed are the paths below which only Changes are edits.
	Fixed [][]string
	// Changes are edits of fields that nothing but a rule protects.
	Changes []edit
}

func readKinds() (kinds []*kind, err error) {
	var once []*kind
	if err := yaml.UnmarshalStrict(kindsText, &once); err != nil {
		return nil, err
	}
	for _, k := range once {
		for range k.Weight {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

func (k *kind) isFixed(path []string) bool {
	return slices.ContainsFunc(k.Fixed, func(fixed []string) bool {
		return len(path) >= len(fixed) && slices.Equal(path[:len(fixed)], fixed)
	})
}

// apiVersion is what objects of the kind name.
func (k *kind) apiVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// path is the path of the collection.
func (k *kind) path(namespace string) string {
	root := "/apis/" + k.apiVersion()
	if k.Group == "" {
		root = "/api/" + k.Version
	}
	if k.Namespaced {
		root += "/namespaces/" + namespace
	}
	return root + "/" + k.Resource
}

// object returns a valid object.
func (k *kind) object(index int, namespace, name string) map[string]any {
	metadata := map[string]any{"name": name}
	if k.Namespaced {
		metadata["namespace"] = namespace
	}
	object := fill(k.Objects[index], namespace, name)
	object["apiVersion"], object["kind"], object["metadata"] = k.apiVersion(), k.Kind, metadata
	return object
}

// fill returns a copy with the names of the run.
func fill(template map[string]any, namespace, name string) map[string]any {
	text, err := json.Marshal(template)
	if err != nil {
		panic(err) // it was read from JSON
	}
	filled := strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(string(text))
	var result map[string]any
	if err := json.Unmarshal([]byte(filled), &result); err != nil {
		panic(err) // names need no quotes
	}
	return result
}
