// Package establish has the API server serve new custom resources at once.
package establish

import (
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// justEstablished is how long the handler of custom resources treats a definition as new.
const justEstablished = 2 * time.Second

// Backdate dates the establishment of a definition back, in the cache of the server only. The
// handler of custom resources delays each create of a new kind for other API servers. Here
// there are none.
func Backdate(object any) (any, error) {
	definition, ok := object.(*apiextensionsv1.CustomResourceDefinition)
	if !ok {
		return object, nil
	}
	for i := range definition.Status.Conditions {
		if condition := &definition.Status.Conditions[i]; condition.Type == apiextensionsv1.Established {
			condition.LastTransitionTime = metav1.NewTime(definition.CreationTimestamp.Add(-justEstablished))
		}
	}
	return definition, nil
}
