package spec

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// kinds are those that documents may name without an API version.
var kinds = map[string]schema.GroupVersion{
	"Bucket": v1alpha2.SchemeGroupVersion, "BucketClaim": v1alpha2.SchemeGroupVersion, "BucketAccess": v1alpha2.SchemeGroupVersion,
	"BucketClass": v1alpha2.SchemeGroupVersion, "BucketAccessClass": v1alpha2.SchemeGroupVersion,
	"Secret": {Version: "v1"}, "ConfigMap": {Version: "v1"}, "ServiceAccount": {Version: "v1"}, "Namespace": {Version: "v1"},
	"Event": {Version: "v1"},
}

// KindNamed returns the kind that a document means by its name alone.
func KindNamed(name string) (schema.GroupVersionKind, bool) {
	version, ok := kinds[name]
	return version.WithKind(name), ok
}

// kindNames are the names of those kinds, sorted.
func kindNames() []string { return slices.Sorted(maps.Keys(kinds)) }
