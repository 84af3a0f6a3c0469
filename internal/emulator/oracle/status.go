package oracle

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// untrueStatus finds status fields that are not true, at moments when all components are
// idle, so that no component will correct them.
func untrueStatus(e *evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		if m.Active {
			continue
		}
		w := &world{evidence: e, moment: m}
		found = slices.Concat(found, w.untrueClaims(), w.untrueBuckets(), w.untrueAccesses())
	}
	return found
}

func (w *world) untrueClaims() []Finding {
	var found []Finding
	for i := range w.moment.Objects.Claims {
		if o := &w.moment.Objects.Claims[i]; w.Scope.HasNamespace(o.Namespace) {
			found = append(found, w.report("BucketClaim", o, statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions))...)
		}
	}
	return found
}

func (w *world) untrueBuckets() []Finding {
	var found []Finding
	for i := range w.moment.Objects.Buckets {
		o := &w.moment.Objects.Buckets[i]
		if !w.oursAt(o) || !w.served(o.Spec.DriverName) {
			continue
		}
		problem := statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions)
		if problem == "" {
			problem = w.outdatedFailure(o.Status.Conditions, func(c call) bool {
				return c.is(generateBucketID) && c.name == o.Name || c.is(createBucket, getBucket, deleteBucket) && c.id != "" &&
					(c.id == o.Status.BucketID || c.id == o.Spec.ExistingBucketID)
			})
		}
		found = append(found, w.report("Bucket", o, problem)...)
	}
	return found
}

func (w *world) untrueAccesses() []Finding {
	var found []Finding
	for i := range w.moment.Objects.Accesses {
		o := &w.moment.Objects.Accesses[i]
		if !w.Scope.HasNamespace(o.Namespace) || o.Status.DriverName != "" && !w.served(o.Status.DriverName) {
			continue
		}
		problem := statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions)
		if problem == "" {
			problem = w.outdatedFailure(o.Status.Conditions, func(c call) bool {
				return c.is(generateAccountID) && c.name == cosiapi.AccountNameForAccess(o.UID) ||
					c.is(grantAccess, revokeAccess) && c.id != "" && c.id == o.Status.AccountID
			})
		}
		found = append(found, w.report("BucketAccess", o, problem)...)
	}
	return found
}

// statusProblem says what is not true in a status by itself. The deletion of an object
// changes its generation, but nothing that conditions are about.
func statusProblem(o metav1.Object, readyToUse bool, conditions []metav1.Condition) string {
	if readyToUse && !meta.IsStatusConditionTrue(conditions, cosiapi.ConditionProvisioned) {
		return "is ready to use, but its condition Provisioned is not True"
	}
	if o.GetDeletionTimestamp() != nil {
		return ""
	}
	for _, c := range conditions {
		if c.ObservedGeneration != o.GetGeneration() {
			return fmt.Sprintf("has generation %d, but its condition %s is of generation %d", o.GetGeneration(), c.Type, c.ObservedGeneration)
		}
	}
	return ""
}

// outdatedFailure says that a condition reports a failed call, although the last call has
// succeeded.
func (w *world) outdatedFailure(conditions []metav1.Condition, about func(call) bool) string {
	failed := meta.FindStatusCondition(conditions, cosiapi.ConditionProvisionFailed)
	byDriver := []string{cosiapi.ReasonDriverError, cosiapi.ReasonDriverRefused}
	if failed == nil || failed.Status != metav1.ConditionTrue || !slices.Contains(byDriver, failed.Reason) {
		return ""
	}
	var last *call
	for i := range w.calls {
		if c := &w.calls[i]; c.seq <= w.moment.Until && about(*c) {
			last = c
		}
	}
	if last == nil || !last.ok || last.seq > w.moment.After {
		return "" // a call while the objects were read may be in a status or not
	}
	return fmt.Sprintf("has %s=True with reason %s, but the last call, %s, has succeeded", failed.Type, failed.Reason, last.method)
}
