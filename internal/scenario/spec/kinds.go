package spec

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// cosiKinds and kubernetesKinds are the kinds that documents may name without an API version.
var (
	cosiKinds       = []string{"Bucket", "BucketClaim", "BucketAccess", "BucketClass", "BucketAccessClass"}
	kubernetesKinds = []string{"Secret", "ConfigMap", "ServiceAccount", "Namespace", "Event"}
)

// KindNamed returns the kind for a name without API version in a document for a version of the COSI
// kinds.
func KindNamed(api objectstorage.Version, name string) (schema.GroupVersionKind, bool) {
	if slices.Contains(cosiKinds, name) {
		return api.GroupVersion().WithKind(name), true
	}
	return schema.GroupVersionKind{Version: "v1", Kind: name}, isKindNamed(name)
}

func isKindNamed(name string) bool {
	return slices.Contains(cosiKinds, name) || slices.Contains(kubernetesKinds, name)
}

func kindNames() []string {
	return slices.Sorted(slices.Values(slices.Concat(cosiKinds, kubernetesKinds)))
}
