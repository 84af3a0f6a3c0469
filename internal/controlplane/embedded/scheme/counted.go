package scheme

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CountedBy returns the resource whose objects a constraint of a ResourceQuota counts.
func CountedBy(constraint corev1.ResourceName) (schema.GroupResource, bool) {
	if name, ok := strings.CutPrefix(string(constraint), "count/"); ok {
		return schema.ParseGroupResource(name), true
	}
	switch constraint {
	case corev1.ResourcePods, corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourceQuotas:
		return corev1.Resource(string(constraint)), true
	default:
		return schema.GroupResource{}, false
	}
}
