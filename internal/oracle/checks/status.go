package checks

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// untrueStatus finds wrong status fields, and missing protection, while all components are idle, so that no component
// will correct them.
func untrueStatus(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		if m.Active {
			continue
		}
		w := &stateCheck{Evidence: e, observation: m}
		found = slices.Concat(found, w.untrueClaims(), w.untrueBuckets(), w.untrueAccesses())
	}
	return found
}

func (sc *stateCheck) untrueClaims() []Finding {
	var found []Finding
	for i := range sc.observation.Objects.Claims {
		if o := &sc.observation.Objects.Claims[i]; sc.Scope.HasNamespace(o.Namespace) {
			wrong := firstOf(statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions), sc.outdatedClaim(o),
				problem{rule.StatusReferences, sc.unprotectedClaim(o)})
			found = append(found, sc.report("BucketClaim", o, wrong)...)
		}
	}
	return found
}

func (sc *stateCheck) untrueBuckets() []Finding {
	var found []Finding
	for i := range sc.observation.Objects.Buckets {
		o := &sc.observation.Objects.Buckets[i]
		if !oursAt(sc.Evidence, o) || !sc.served(o.Spec.DriverName) {
			continue
		}
		wrong := firstOf(
			statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions), problem{rule.StatusBucketReady, contradiction(o)},
			problem{rule.StatusBucketID, sc.lacksID(o.Status.ReadyToUse, o.Status.BucketID)},
		)
		if wrong.text == "" {
			wrong = sc.outdatedFailure(o.Status.Conditions, func(c evidence.Call) bool { return reflects(o, c) })
		}
		found = append(found, sc.report("Bucket", o, wrong)...)
	}
	return found
}

// reflects reports whether ProvisionFailed of a Bucket is about a call.
func reflects(o *v1alpha2.Bucket, c evidence.Call) bool {
	byID := c.ID != "" && (c.ID == o.Status.BucketID || c.ID == o.Spec.ExistingBucketID)
	switch {
	case c.Is(evidence.DeleteBucket):
		return byID
	case c.Is(evidence.CreateBucket, evidence.GetBucket):
		return byID && !isGivenUp(o)
	default:
		return c.Is(evidence.GenerateBucketID) && c.Name == o.Name && !isGivenUp(o)
	}
}

// isGivenUp reports whether no component provisions a Bucket any more. If the answer of the last call could not be saved
// before, no component knows it: the KEP demands no other call.
func isGivenUp(o *v1alpha2.Bucket) bool {
	return !meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha2.ConditionProvisioned) &&
		(o.DeletionTimestamp != nil || v1alpha2.IsBucketClaimBeingDeleted(o))
}

func (sc *stateCheck) untrueAccesses() []Finding {
	var found []Finding
	for i := range sc.observation.Objects.Accesses {
		o := &sc.observation.Objects.Accesses[i]
		if !sc.Scope.HasNamespace(o.Namespace) || o.Status.DriverName != "" && !sc.served(o.Status.DriverName) {
			continue
		}
		wrong := firstOf(
			statusProblem(o, o.Status.ReadyToUse, o.Status.Conditions), problem{rule.StatusWaiting, sc.outdatedAccess(o)},
			problem{rule.StatusAccountID, sc.lacksID(o.Status.ReadyToUse, o.Status.AccountID)},
			problem{rule.StatusSecretProtected, sc.unprotectedSecret(o)},
		)
		if wrong.text == "" {
			wrong = sc.outdatedFailure(o.Status.Conditions, func(c evidence.Call) bool {
				return c.Is(evidence.GenerateAccountID) && c.Name == v1alpha2.AccountNameForAccess(o.UID) ||
					c.Is(evidence.GrantAccess, evidence.RevokeAccess) && c.ID != "" && c.ID == o.Status.AccountID
			})
		}
		found = append(found, sc.report("BucketAccess", o, wrong)...)
	}
	return found
}

// firstOf returns the first problem that has a text.
func firstOf(all ...problem) problem {
	for _, p := range all {
		if p.text != "" {
			return p
		}
	}
	return problem{}
}

// statusProblem returns a contradiction within a status. The deletion of an object changes its
// generation, but nothing that conditions are about.
func statusProblem(o metav1.Object, readyToUse bool, conditions []metav1.Condition) problem {
	if readyToUse && !meta.IsStatusConditionTrue(conditions, v1alpha2.ConditionProvisioned) {
		return problem{rule.StatusProvisioned, "is ready to use, but its condition Provisioned is not True"}
	}
	if o.GetDeletionTimestamp() != nil {
		return problem{}
	}
	for _, c := range conditions {
		if c.ObservedGeneration != o.GetGeneration() {
			return problem{rule.StatusGeneration, fmt.Sprintf("has generation %d, but its condition %s is of generation %d",
				o.GetGeneration(), c.Type, c.ObservedGeneration)}
		}
	}
	return problem{}
}

// lacksID reports an object of v1alpha1 that is ready without an ID. In v1alpha2, no other
// component can remove an ID.
func (sc *stateCheck) lacksID(isReady bool, id string) string {
	return unless(!sc.IsV1alpha1() || !isReady || id != "", "is ready, and has no ID of the driver's")
}

// outdatedFailure reports a condition about a failed call, although the last call has succeeded.
func (sc *stateCheck) outdatedFailure(conditions []metav1.Condition, about func(evidence.Call) bool) problem {
	failed := meta.FindStatusCondition(conditions, v1alpha2.ConditionProvisionFailed)
	byDriver := []string{v1alpha2.ReasonDriverError, v1alpha2.ReasonDriverRefused}
	if sc.IsV1alpha1() {
		return problem{} // v1alpha1 reports failures by Events, which remain after a success
	}
	if failed == nil || failed.Status != metav1.ConditionTrue || !slices.Contains(byDriver, failed.Reason) {
		return problem{}
	}
	var last *evidence.Call
	for i := range sc.Calls {
		if c := &sc.Calls[i]; c.Seq <= sc.observation.Until && about(*c) {
			last = c
		}
	}
	if last == nil || !last.OK || last.Seq > sc.observation.After {
		return problem{} // a call while the objects were read may be in a status or not
	}
	return problem{rule.StatusOutdatedFailure, fmt.Sprintf("has %s=True with reason %s, but the last call, %s, has succeeded",
		failed.Type, failed.Reason, last.Method)}
}
