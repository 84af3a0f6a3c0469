package spec

import (
	"cmp"
	"maps"
	"reflect"
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
	kubernetesKinds = map[string]kubernetesKind{
		"Secret": builtin[corev1.Secret](corev1.SchemeGroupVersion), "ConfigMap": builtin[corev1.ConfigMap](corev1.SchemeGroupVersion),
		"ServiceAccount": builtin[corev1.ServiceAccount](corev1.SchemeGroupVersion),
		"Namespace":      builtin[corev1.Namespace](corev1.SchemeGroupVersion), "Event": builtin[corev1.Event](corev1.SchemeGroupVersion),
		"Pod": builtin[corev1.Pod](corev1.SchemeGroupVersion), "Node": builtin[corev1.Node](corev1.SchemeGroupVersion),
		"Deployment":  builtin[appsv1.Deployment](appsv1.SchemeGroupVersion),
		"StatefulSet": builtin[appsv1.StatefulSet](appsv1.SchemeGroupVersion),
		"Job":         builtin[batchv1.Job](batchv1.SchemeGroupVersion), "CronJob": builtin[batchv1.CronJob](batchv1.SchemeGroupVersion),
	}
)

// kubernetesKind is a kind of Kubernetes with the type of its objects.
type kubernetesKind struct {
	version schema.GroupVersion
	of      reflect.Type
}

func builtin[T any](version schema.GroupVersion) kubernetesKind {
	return kubernetesKind{version, reflect.TypeFor[T]()}
}

// KindNamed returns the kind for a name without API version in a document for a version of the COSI
// kinds.
func KindNamed(api objectstorage.Version, name string) (schema.GroupVersionKind, bool) {
	if slices.Contains(cosiKinds, name) {
		return api.GroupVersion().WithKind(name), true
	}
	kind, known := kubernetesKinds[name]
	return kind.version.WithKind(name), known
}

// typeOf returns the type of the objects of a kind, or nil if their fields are not known. A document may name the kind
// without an API version.
func typeOf(api objectstorage.Version, apiVersion, kind string) reflect.Type {
	named, known := KindNamed(api, kind)
	if !known || apiVersion != "" && apiVersion != named.GroupVersion().String() {
		return nil
	}
	return cmp.Or(types[api][kind], kubernetesKinds[kind].of)
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
