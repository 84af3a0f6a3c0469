package drafts

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Explain adds a hint to an API server's rejection of an object of another draft than the API
// server's definitions: how to write the object. Typed objects are of this program's draft.
func Explain(sent runtime.Object, rejection error) error {
	object, ok := sent.(*unstructured.Unstructured)
	if !ok || rejection == nil || object.GroupVersionKind().GroupVersion() != v1alpha2.SchemeGroupVersion {
		return rejection
	}
	text := rejection.Error()
	for _, hint := range hintsOf(object) {
		if strings.Contains(text, hint.in) {
			return fmt.Errorf("%w; %s, or rewrite the manifest with 'cosi-emu convert --to %s'", rejection, hint.advice, hint.to)
		}
	}
	return rejection
}

type hint struct {
	in, advice string
	to         Draft
}

func hintsOf(object *unstructured.Unstructured) []hint {
	switch object.GetKind() {
	case kindAccess:
		switch {
		case anyClaimHas(object, fieldMode):
			return []hint{{"." + fieldMode, Field(kindAccess + ".spec." + fieldClaims + "." + fieldMode), KEP}}
		case anyClaimHas(object, fieldModes):
			return []hint{{"." + fieldModes + ": field not declared", fieldModes + " is of a later draft than the API server's; write " +
				fieldMode + ": MODE", OneMode}}
		}
	case kindAccessClass:
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", fieldDisallowed)
		switch value.(type) {
		case []any:
			return []hint{{fieldDisallowed, Field(kindAccessClass + ".spec." + fieldDisallowed), KEP}}
		case map[string]any:
			return []hint{{fieldDisallowed + ": expected list", "the API server's draft has a list; write " + fieldDisallowed + ": [MODE]", OneMode}}
		}
	}
	return nil
}

func anyClaimHas(access *unstructured.Unstructured, field string) bool {
	claims, _, _ := unstructured.NestedSlice(access.Object, "spec", fieldClaims)
	for _, item := range claims {
		claim, _ := item.(map[string]any)
		if _, has := claim[field]; has {
			return true
		}
	}
	return false
}
