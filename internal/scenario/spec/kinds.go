package spec

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// cosiKinds and kubernetesKinds are the kinds that documents may name without an API version.
var (
	cosiKinds       = []string{"Bucket", "BucketClaim", "BucketAccess", "BucketClass", "BucketAccessClass"}
	kubernetesKinds = map[string]schema.GroupVersion{
		"Secret": corev1.SchemeGroupVersion, "ConfigMap": corev1.SchemeGroupVersion, "ServiceAccount": corev1.SchemeGroupVersion,
		"Namespace": corev1.SchemeGroupVersion, "Event": corev1.SchemeGroupVersion, "Pod": corev1.SchemeGroupVersion,
		"Node": corev1.SchemeGroupVersion, "Deployment": appsv1.SchemeGroupVersion, "StatefulSet": appsv1.SchemeGroupVersion,
		"Job": batchv1.SchemeGroupVersion, "CronJob": batchv1.SchemeGroupVersion,
	}
)

// KindNamed returns the kind for a name without API version in a document for a version of the COSI
// kinds.
func KindNamed(api objectstorage.Version, name string) (schema.GroupVersionKind, bool) {
	if slices.Contains(cosiKinds, name) {
		return api.GroupVersion().WithKind(name), true
	}
	version, known := kubernetesKinds[name]
	return version.WithKind(name), known
}

func isKindNamed(name string) bool {
	_, known := kubernetesKinds[name]
	return known || slices.Contains(cosiKinds, name)
}

func kindNames() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(cosiKinds), maps.Keys(kubernetesKinds))))
}

// SplitName splits NAMESPACE/NAME; the namespace has a default.
func SplitName(text, defaultNamespace string) (namespace, name string) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name
	}
	return defaultNamespace, text
}
