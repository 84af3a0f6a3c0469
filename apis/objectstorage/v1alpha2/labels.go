package v1alpha2

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// DriverLabel on a Bucket of any version has the name of its driver, for `kubectl get buckets -l`.
// Only users read it: spec.driverName decides which driver serves a Bucket.
const DriverLabel = "objectstorage.k8s.io/driver"

// SetDriverLabel sets the label of a Bucket. The value is in lower case, because selectors depend on
// letter case, and driver names do not. It sets nothing if the name is not a valid label value:
// v1alpha1 allows such names in Buckets, but no driver can have one.
func SetDriverLabel(bucket *metav1.ObjectMeta, driverName string) {
	value := strings.ToLower(driverName)
	if value != "" && len(validation.IsValidLabelValue(value)) == 0 {
		metav1.SetMetaDataLabel(bucket, DriverLabel, value)
	}
}
