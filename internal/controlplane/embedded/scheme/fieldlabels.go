package scheme

import (
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// addFieldLabels registers the field selectors of each kind. All other kinds have
// metadata.name and metadata.namespace.
func addFieldLabels(s *runtime.Scheme) error {
	var errs []error
	for gvk, labels := range map[schema.GroupVersionKind]map[string]string{
		corev1.SchemeGroupVersion.WithKind("Namespace"): same("status.phase", "metadata.name"),
		corev1.SchemeGroupVersion.WithKind("Node"):      same("spec.unschedulable", "metadata.name"),
		corev1.SchemeGroupVersion.WithKind("Secret"):    same("type", "metadata.namespace", "metadata.name"),
		batchv1.SchemeGroupVersion.WithKind("Job"):      same("metadata.name", "metadata.namespace", "status.successful"),
		corev1.SchemeGroupVersion.WithKind("Pod"): same(
			"metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
			"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
		),
		corev1.SchemeGroupVersion.WithKind("Event"): same(
			"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
			"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
			"reason", "reportingComponent", "source", "type", "metadata.namespace", "metadata.name",
		),
		eventsv1.SchemeGroupVersion.WithKind("Event"): {
			"reason": "reason", "type": "type", "reportingController": "reportingComponent",
			"metadata.namespace": "metadata.namespace", "metadata.name": "metadata.name",
			"regarding.kind": "involvedObject.kind", "regarding.namespace": "involvedObject.namespace",
			"regarding.name": "involvedObject.name", "regarding.uid": "involvedObject.uid",
			"regarding.apiVersion": "involvedObject.apiVersion", "regarding.resourceVersion": "involvedObject.resourceVersion",
			"regarding.fieldPath": "involvedObject.fieldPath",
		},
	} {
		errs = append(errs, s.AddFieldLabelConversionFunc(gvk, func(label, value string) (string, string, error) {
			internal, ok := labels[label]
			if !ok {
				return "", "", unsupportedLabel(gvk.Kind, label)
			}
			return internal, value, nil
		}))
	}
	return errors.Join(errs...)
}

func unsupportedLabel(kind, label string) error {
	if kind == "Job" {
		return fmt.Errorf("field label %q not supported for Job", label)
	}
	return fmt.Errorf("field label not supported: %s", label)
}

// same returns labels with the names of their fields.
func same(labels ...string) map[string]string {
	names := make(map[string]string, len(labels))
	for _, label := range labels {
		names[label] = label
	}
	return names
}
