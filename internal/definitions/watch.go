package definitions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// Tracker follows the definitions of an API server, which users can replace. It is not safe for
// concurrent use.
type Tracker struct {
	// Version is the compared version.
	Version objectstorage.Version
	// OwnComponents means that a component of this program writes objects.
	OwnComponents bool

	differences map[string]string // by the names of the definitions
}

// See receives the current form of a definition. It reports whether the warning has changed.
func (t *Tracker) See(definition *apiextensionsv1.CustomResourceDefinition) bool {
	if definition.Spec.Group != t.Version.GroupVersion().Group {
		return false
	}
	difference, err := crds.Difference(definition, t.Version)
	if err != nil {
		difference = err.Error()
	}
	if t.differences[definition.Name] == difference {
		return false
	}
	if t.differences == nil {
		t.differences = map[string]string{}
	}
	t.differences[definition.Name] = difference
	return true
}

// Warning names the missing fields of definitions; empty without any.
func (t *Tracker) Warning() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(t.differences)) {
		if difference := t.differences[name]; difference != "" {
			all = append(all, difference)
		}
	}
	if len(all) == 0 {
		return ""
	}
	text := fmt.Sprintf("the CustomResourceDefinitions are of another draft of %s: %s", t.Version, strings.Join(all, "; "))
	if t.OwnComponents {
		text += "; the API server drops these fields from what controller and sidecar write; " + HowToReplace
	}
	return text
}
