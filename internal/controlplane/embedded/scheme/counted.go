package scheme

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CountedBy returns the resource whose objects a constraint of a ResourceQuota counts. Nothing counts
// Events.
func CountedBy(constraint corev1.ResourceName) (schema.GroupResource, bool) {
	if name, ok := strings.CutPrefix(string(constraint), "count/"); ok {
		of := schema.ParseGroupResource(name)
		return of, of.Resource != "events" || of.Group != "" && of.Group != eventsv1.GroupName
	}
	switch constraint {
	case corev1.ResourcePods, corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourceQuotas:
		return corev1.Resource(string(constraint)), true
	default:
		return schema.GroupResource{}, false
	}
}
