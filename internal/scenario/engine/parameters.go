package engine

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// A user's driver may require parameters of classes, of which scenarios that ship know nothing. The run
// adds them to the classes, the Buckets and the calls that a scenario makes for that driver.

// withParameters returns the parameters of a class, and those that all classes for the user's driver have.
func withParameters(all, own map[string]string) map[string]string {
	if len(all) == 0 {
		return own
	}
	merged := maps.Clone(all)
	maps.Copy(merged, own)
	return merged
}

// addParameters adds them to an object that a step applies.
func (r *run) addParameters(object *unstructured.Unstructured) error {
	info := r.engine.emulator.Info()
	if object.GroupVersionKind().Group != info.API.GroupVersion().Group {
		return nil
	}
	all, fields := info.BucketParameters, []string{"spec"}
	switch object.GetKind() {
	case "Bucket":
	case "BucketAccessClass":
		all = info.AccessParameters
		fallthrough
	case "BucketClass":
		if info.API == objectstorage.V1alpha1 {
			fields = nil
		}
	default:
		return nil
	}
	driver, _, _ := unstructured.NestedString(object.Object, slices.Concat(fields, []string{"driverName"})...)
	if len(all) == 0 || driver != info.DriverName {
		return nil
	}
	path := slices.Concat(fields, []string{"parameters"})
	own, _, err := unstructured.NestedStringMap(object.Object, path...)
	if err != nil {
		return err
	}
	return unstructured.SetNestedStringMap(object.Object, withParameters(all, own), path...)
}

// addToCall adds them to the request of a call that has none.
func (r *run) addToCall(method string, request protoreflect.Message) {
	info := r.engine.emulator.Info()
	all := info.BucketParameters
	if strings.Contains(method, "Access") {
		all = info.AccessParameters
	}
	field := request.Descriptor().Fields().ByName("parameters")
	if len(all) == 0 || field == nil || !field.IsMap() || request.Has(field) {
		return
	}
	parameters := request.Mutable(field).Map()
	for name, value := range all {
		parameters.Set(protoreflect.ValueOfString(name).MapKey(), protoreflect.ValueOfString(value))
	}
}
