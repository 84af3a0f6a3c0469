// Package events records Events about changes of an object's conditions. An object that keeps
// failing in the same way is reported once.
package events

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Action is the action of an Event, as events.k8s.io requires.
type Action string

const (
	// Provision is everything up to a usable bucket or access.
	Provision Action = "Provision"
	// Deprovision is everything after the deletion of a claim, a Bucket or an
	// access.
	Deprovision Action = "Deprovision"
)

// Changes records an Event for each change of the conditions that matters to users. Equal
// conditions become one Event, a warning if one of them is. A failure to create, grant, delete or
// revoke has the KEP's reason ("Monitoring Requirements"), and the condition's reason in its
// message. A failure of a provisioned object has the condition's reason.
func Changes(recorder events.EventRecorder, object runtime.Object, action Action, before, after []metav1.Condition) {
	type news struct{ reason, message string }
	recorded := map[news]bool{}
	provisioned := meta.IsStatusConditionTrue(after, v1alpha2.ConditionProvisioned)
	for _, eventType := range []string{corev1.EventTypeWarning, corev1.EventTypeNormal} {
		for _, c := range after {
			if eventTypeFor(object, c) != eventType || isSame(meta.FindStatusCondition(before, c.Type), c) || recorded[news{c.Reason, c.Message}] {
				continue
			}
			recorded[news{c.Reason, c.Message}] = true
			if eventType == corev1.EventTypeWarning && (action == Deprovision || !provisioned) {
				recorder.Eventf(object, nil, eventType, failureOf(object, action), string(action), "%s: %s", c.Reason, c.Message)
			} else {
				recorder.Eventf(object, nil, eventType, c.Reason, string(action), "%s", c.Message)
			}
		}
	}
}

// failureOf returns the KEP's reason for a failure.
func failureOf(object runtime.Object, action Action) string {
	switch isAccess := isAccess(object); {
	case isAccess && action == Provision:
		return v1alpha2.ReasonFailedGrantAccess
	case isAccess:
		return v1alpha2.ReasonFailedRevokeAccess
	case action == Provision:
		return v1alpha2.ReasonFailedCreateBucket
	default:
		return v1alpha2.ReasonFailedDeleteBucket
	}
}

func isAccess(object runtime.Object) bool {
	switch object.(type) {
	case *v1alpha1.BucketAccess, *v1alpha2.BucketAccess:
		return true
	default:
		return false
	}
}

// eventTypeFor returns the type of the Event for a condition, or nothing for a
// routine condition.
func eventTypeFor(object runtime.Object, c metav1.Condition) string {
	switch {
	case c.Type == v1alpha2.ConditionInUse:
		return "" // Pods have Events of their own
	case c.Status == failureStatus(c.Type):
		return corev1.EventTypeWarning
	case c.Reason == v1alpha2.ReasonProvisioned, c.Reason == v1alpha2.ReasonDeletionBlocked:
		return corev1.EventTypeNormal
	case c.Status == metav1.ConditionUnknown && !isRoutine(object, c.Reason):
		return corev1.EventTypeNormal
	default:
		return ""
	}
}

func failureStatus(conditionType string) metav1.ConditionStatus {
	if conditionType == v1alpha2.ConditionProvisionFailed {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// isRoutine reports whether every successful object waits for this reason. The KEP requires an
// Event for an access that waits for its bucket.
func isRoutine(object runtime.Object, reason string) bool {
	switch reason {
	case v1alpha2.ReasonPending, v1alpha2.ReasonWaitingForDriver:
		return true
	case v1alpha2.ReasonWaitingForBucket:
		return !isAccess(object)
	default:
		return false
	}
}

func isSame(before *metav1.Condition, after metav1.Condition) bool {
	return before != nil && before.Status == after.Status && before.Reason == after.Reason && before.Message == after.Message
}
