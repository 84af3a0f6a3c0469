package render

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Differences shows the differences of an object to people: an object that must be absent by what keeps it, and without
// the values of a Secret.
func Differences(got any, differences []match.Difference) []match.Difference {
	o, ok := got.(map[string]any)
	if !ok {
		return differences
	}
	object := &unstructured.Unstructured{Object: o}
	for i := range differences {
		path := differences[i].Path
		switch {
		case path == "" && (differences[i].Want == spec.Absent || object.GetKind() == kindSecret):
			differences[i].Got = existence(object)
		case object.GetKind() != kindSecret || differences[i].Got == "":
		case strings.HasPrefix(path, dataField), strings.HasPrefix(path, plainDataField):
			differences[i].Got = redacted
		}
	}
	return differences
}

// existence names an object, and what keeps it.
func existence(o *unstructured.Unstructured) string {
	name := o.GetKind() + " " + o.GetName()
	switch {
	case o.GetDeletionTimestamp().IsZero():
		return name + ", which is not being deleted"
	case len(o.GetFinalizers()) > 0:
		return name + ", which is being deleted, with the finalizers " + strings.Join(o.GetFinalizers(), ", ")
	default:
		return name + ", which is being deleted"
	}
}
