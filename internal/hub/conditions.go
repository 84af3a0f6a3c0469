package hub

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// waiting are the reasons of Events about waiting objects, which is no failure.
var waiting = []string{
	v1alpha2.ReasonBucketClassNotFound, v1alpha2.ReasonBucketAccessClassNotFound, v1alpha2.ReasonBucketClaimNotFound,
	v1alpha2.ReasonBucketNotFound, v1alpha2.ReasonWaitingForBucket, v1alpha2.ReasonWaitingForDriver, v1alpha2.ReasonDeletionBlocked,
	v1alpha2.ReasonBucketClaimDeleting, v1alpha2.ReasonBucketDeleting, v1alpha2.ReasonSecretWriteFailed,
}

// invalid are the reasons that are about the objects, and that no retry changes.
var invalid = []string{
	v1alpha2.ReasonInvalidSpec, v1alpha2.ReasonDegraded, v1alpha2.ReasonBucketLost, v1alpha2.ReasonBindingConflict,
	v1alpha2.ReasonBucketClaimDeleting, v1alpha2.ReasonBucketDeleting, v1alpha2.ReasonProtocolNotSupported,
	v1alpha2.ReasonServiceAccountRequired, v1alpha2.ReasonDriverMismatch, v1alpha2.ReasonDeletionPolicyNotAllowed,
}

// failed are the reasons of Events whose message begins with the cause.
var failed = []string{
	v1alpha2.ReasonFailedCreateBucket, v1alpha2.ReasonFailedDeleteBucket, v1alpha2.ReasonFailedGrantAccess, v1alpha2.ReasonFailedRevokeAccess,
}

// conditions derives the conditions of an object: whether it is provisioned, and otherwise the
// cause from its Events. Provisioned is False if COSI does not retry.
func (n *natives) conditions(o *metav1.ObjectMeta, ready bool) []metav1.Condition {
	provisioned := metav1.Condition{
		Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionUnknown, Reason: v1alpha2.ReasonPending, ObservedGeneration: o.Generation,
	}
	if ready {
		provisioned.Status, provisioned.Reason = metav1.ConditionTrue, v1alpha2.ReasonProvisioned
	}
	if ready && o.DeletionTimestamp == nil {
		return []metav1.Condition{provisioned}
	}
	all := []metav1.Condition{provisioned}
	warning := n.latest(o, func(e *corev1.Event) bool {
		return e.Type == corev1.EventTypeWarning && e.Reason != v1alpha2.ReasonTolerated
	})
	if warning != nil {
		all = append(all, failure(warning, o.Generation))
	}
	isWaiting := func(e *corev1.Event) bool {
		return e.Type == corev1.EventTypeNormal && slices.Contains(waiting, e.Reason)
	}
	if e := n.latest(o, isWaiting); e != nil && !ready {
		all[0].Reason, all[0].Message = e.Reason, e.Message
	}
	if !ready && warning != nil && n.isFinal(o, warning) {
		all[0].Status, all[0].Reason, all[0].Message = metav1.ConditionFalse, all[1].Reason, all[1].Message
	}
	return all
}

// isFinal reports whether COSI does not retry after the failure of an Event: the component has recorded so for the present
// generation of the object, and nothing later. A class may have changed since, or the driver.
func (n *natives) isFinal(o *metav1.ObjectMeta, e *corev1.Event) bool {
	if e.Annotations[v1alpha1.FinalGenerationAnnotation] != strconv.FormatInt(o.Generation, 10) {
		return false
	}
	return e == n.latest(o, func(e *corev1.Event) bool { return e.Reason != v1alpha2.ReasonTolerated })
}

func failure(e *corev1.Event, generation int64) metav1.Condition {
	c := metav1.Condition{
		Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: e.Reason, Message: e.Message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(timeOf(e)),
	}
	if cause, message, ok := strings.Cut(e.Message, ": "); ok && slices.Contains(failed, e.Reason) && !strings.Contains(cause, " ") {
		c.Reason, c.Message = cause, message
	}
	if slices.Contains(invalid, c.Reason) {
		c.Type, c.Status = v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse
	}
	return c
}

// latest returns the latest Event of an object with a property, or nil. For an object that is being
// deleted, it ignores earlier Events.
func (n *natives) latest(o *metav1.ObjectMeta, is func(*corev1.Event) bool) *corev1.Event {
	var found *corev1.Event
	for i := range n.events.Items {
		e := &n.events.Items[i]
		switch {
		case e.InvolvedObject.UID != o.UID || !is(e):
		case o.DeletionTimestamp != nil && timeOf(e).Before(o.DeletionTimestamp.Time):
		case found == nil || !timeOf(e).Before(timeOf(found)):
			found = e
		}
	}
	return found
}

func timeOf(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	for _, other := range []time.Time{e.EventTime.Time, e.CreationTimestamp.Time} {
		if other.After(last) {
			last = other
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}
