package checks

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// losses finds buckets and accounts that must not be deleted, and missing ones that Kubernetes
// objects claim to exist.
func losses(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		if m.Backend != nil {
			found = append(found, missingBuckets(e, m)...)
			found = append(found, missingAccounts(e, m)...)
			found = slices.Concat(found, lostKept(e, m), lostObjects(e, m), unreachable(e, m))
		}
		found = append(found, missingSecrets(e, m)...)
	}
	return slices.Concat(found, editedSecrets(e), replaced(e), unaskedDeletions(e), deletedKept(e), deletedInUse(e), purged(e),
		rolledBack(e), lostByPlane(e))
}

// provisioned reports whether, by its conditions, an object is provisioned and not being deleted.
func provisioned(conditions []metav1.Condition, deleting bool) bool {
	return !deleting && meta.IsStatusConditionTrue(conditions, v1alpha2.ConditionProvisioned)
}

func missingBuckets(e *evidence.Evidence, m *observed.Observation) []Finding {
	var found []Finding
	for i := range m.Objects.Buckets {
		b := &m.Objects.Buckets[i]
		id := b.Status.BucketID
		ready := b.Status.ReadyToUse || provisioned(b.Status.Conditions, false)
		there := slices.ContainsFunc(m.Backend.Buckets, func(other fakedriver.Bucket) bool { return other.Name == id })
		if !oursAt(e, b) || !ready || b.DeletionTimestamp != nil || there ||
			!slices.Contains(m.Backend.Drivers, b.Spec.DriverName) || e.Touched(id) {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LossBucket),
			Subject: "Bucket/" + b.Name, Events: deletionsOf(e, id),
			Message: fmt.Sprintf("Bucket %q is recorded as provisioned %s, but the backend has no bucket %q", b.Name, m.Name, id),
		})
	}
	return found
}

func missingAccounts(e *evidence.Evidence, m *observed.Observation) []Finding {
	var found []Finding
	for i := range m.Objects.Accesses {
		a := &m.Objects.Accesses[i]
		id, ready := a.Status.AccountID, provisioned(a.Status.Conditions, a.DeletionTimestamp != nil)
		if !e.Scope.HasNamespace(a.Namespace) || !ready || !slices.Contains(m.Backend.Drivers, a.Status.DriverName) || e.Touched(id) {
			continue
		}
		if problem := grantsOf(e, m.Backend, a); problem != "" {
			found = append(found, Finding{
				Rule:    e.Rule(rule.LossAccess),
				Subject: "BucketAccess/" + a.Name, Events: deletionsOf(e, id),
				Message: fmt.Sprintf("BucketAccess %s/%s is recorded as provisioned %s, but %s", a.Namespace, a.Name, m.Name, problem),
			})
		}
	}
	return found
}

// grantsOf returns the missing parts of an access in the backend, or "".
func grantsOf(e *evidence.Evidence, truth *observed.BackendState, a *v1alpha2.BucketAccess) string {
	at := slices.IndexFunc(truth.Accounts, func(other fakedriver.Account) bool { return other.ID == a.Status.AccountID })
	if at < 0 {
		return fmt.Sprintf("the backend has no account %q", a.Status.AccountID)
	}
	for _, accessed := range a.Status.AccessedBuckets {
		granted := slices.ContainsFunc(truth.Accounts[at].Grants, func(g fakedriver.Grant) bool { return g.Bucket == accessed.BucketID })
		if !granted && !e.Touched(accessed.BucketID) {
			return fmt.Sprintf("account %q of the backend has no access to bucket %q", a.Status.AccountID, accessed.BucketID)
		}
	}
	return ""
}

func missingSecrets(e *evidence.Evidence, m *observed.Observation) []Finding {
	filled := map[string]bool{}
	for _, s := range m.Objects.Secrets {
		filled[evidence.Key(s.Namespace, s.Name)] = !s.Empty
	}
	var found []Finding
	for i := range m.Objects.Accesses {
		a := &m.Objects.Accesses[i]
		if !e.Scope.HasNamespace(a.Namespace) || !provisioned(a.Status.Conditions, a.DeletionTimestamp != nil) ||
			!a.Status.ReadyToUse || unwell(a.Status.Conditions) {
			continue
		}
		for _, claim := range a.Spec.BucketClaims {
			key := evidence.Key(a.Namespace, claim.AccessSecretName)
			if filled[key] || e.Touched("Secret/"+claim.AccessSecretName) || e.IsV1alpha1() && takenByPerson(e, key, m.Until) {
				continue
			}
			found = append(found, Finding{
				Rule:    e.Rule(rule.LossSecret),
				Subject: "Secret/" + claim.AccessSecretName,
				Message: fmt.Sprintf("BucketAccess %s/%s is ready %s, but its Secret %q is not there, or empty",
					a.Namespace, a.Name, m.Name, claim.AccessSecretName),
			})
		}
	}
	return found
}

// replaced finds buckets that were deleted in the backend and created again while their Bucket
// object existed: the data is lost.
func replaced(e *evidence.Evidence) []Finding {
	type known struct{ uid, object string }
	seen := map[string]known{}
	var found []Finding
	for _, m := range e.Moments() {
		if m.Backend == nil {
			continue
		}
		for i := range m.Objects.Buckets {
			b := &m.Objects.Buckets[i]
			at := slices.IndexFunc(m.Backend.Buckets, func(other fakedriver.Bucket) bool { return other.Name == b.Status.BucketID })
			if at < 0 || !oursAt(e, b) || e.Touched(b.Status.BucketID) {
				continue
			}
			now := known{m.Backend.Buckets[at].UID, string(b.UID)}
			if before, ok := seen[b.Name]; ok && before.object == now.object && before.uid != now.uid {
				found = append(found, Finding{
					Rule:    e.Rule(rule.LossRecreated),
					Subject: "Bucket/" + b.Name, Events: deletionsOf(e, b.Status.BucketID),
					Message: fmt.Sprintf("the bucket %q of Bucket %q was deleted in the backend and created again: its data is lost",
						b.Status.BucketID, b.Name),
				})
			}
			seen[b.Name] = now
		}
	}
	return found
}

// deletedKept finds DriverDeleteBucket calls for buckets that must be kept: those that existed
// before COSI, or have the policy Retain.
func deletedKept(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, c := range e.Calls {
		if !c.Is(evidence.DeleteBucket) {
			continue
		}
		why := kept(e, c)
		if why == "" {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LossRetained),
			Subject: "bucket " + c.ID, Events: []uint64{c.Seq},
			Message: fmt.Sprintf("%s has asked for the deletion of bucket %q, %s", c.Component, c.ID, why),
		})
	}
	return found
}

// kept returns the reason for which a bucket must be kept, or "". Users may change a policy, and
// the journal does not show their writes. So Retain counts only if it was set before the call and
// in the next version after it.
func kept(e *evidence.Evidence, c evidence.Call) string {
	before, next := around(e, c)
	changes := policyChanges(e, c.ID)
	switch {
	case before == nil:
		return ""
	case len(changes) > 0 && !isBrought(e, before):
		return unless(!retainedSince(e, c, changes), "whose policy is Retain")
	case isBrought(e, before):
		return "which was there before COSI"
	case before.Spec.DeletionPolicy != v1alpha2.DeletionPolicyRetain, next != nil && next.Spec.DeletionPolicy != v1alpha2.DeletionPolicyRetain:
		return ""
	}
	return "whose policy is Retain"
}

// around returns the last version of a call's Bucket before the call, and the next one after it.
func around(e *evidence.Evidence, c evidence.Call) (before, next *evidence.Object) {
	for _, v := range e.Of(evidence.Buckets) {
		if v.Got == nil || v.Got.BucketID() != c.ID {
			continue
		}
		switch {
		case v.Seq < c.Seq && !v.Got.OlderThan(before):
			before = v.Got
		case v.Seq > c.Seq && next == nil:
			next = v.Got
		}
	}
	return cmp.Or(before, next), next
}

func oursAt(e *evidence.Evidence, b *v1alpha2.Bucket) bool {
	return e.Scope.HasNamespace(b.Spec.BucketClaimRef.Namespace)
}

// deletionsOf returns the calls that deleted something in the backend for an ID.
func deletionsOf(e *evidence.Evidence, id string) []uint64 {
	var found []uint64
	for _, c := range e.Calls {
		if c.ID == id && c.Is(evidence.DeleteBucket, evidence.RevokeAccess) {
			found = append(found, c.Seq)
		}
	}
	return found
}
