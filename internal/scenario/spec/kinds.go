package spec

import (
	"slices"
	"strings"

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

// SplitName splits NAMESPACE/NAME; the namespace has a default.
func SplitName(text, defaultNamespace string) (namespace, name string) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name
	}
	return defaultNamespace, text
}
