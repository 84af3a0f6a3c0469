package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// policyChange is a change of the deletion policy of a Bucket by a user.
type policyChange struct {
	policy       v1alpha2.DeletionPolicy
	began, ended time.Time
}

// policyChanges returns the changes of the policy of the Bucket with an ID, in the order of
// time.
func policyChanges(e *evidence.Evidence, id string) []policyChange {
	var all []policyChange
	for _, v := range e.Of(evidence.Buckets) {
		if v.ByPerson() && v.Result == evidence.Done && v.Asked != nil && v.Asked.Spec.DeletionPolicy != "" &&
			v.Got != nil && v.Got.BucketID() == id {
			all = append(all, policyChange{v.Asked.Spec.DeletionPolicy, v.Began, v.Ended})
		}
	}
	return all
}

// retainedSince reports whether a user had set the policy Retain before a component's last read of
// the Bucket before a call, and had not reverted it when the call began. A component that read
// while the policy changed, or just before, could not know. A component without a read since its
// previous call has decided from its cache alone.
func retainedSince(e *evidence.Evidence, c evidence.Call, changes []policyChange) bool {
	looked := lookedBefore(e, c)
	var last policyChange
	for _, change := range changes {
		if !change.ended.After(looked) {
			last = change
		} else if change.policy != v1alpha2.DeletionPolicyRetain && !change.began.After(c.Began) {
			return false // about to change
		}
	}
	return last.policy == v1alpha2.DeletionPolicyRetain
}

// lookedBefore returns the start of the last request to the API server, by the component of a call,
// that showed the Bucket being deleted, between that call and the previous one for the same bucket.
// Without such a request it is the start of the call.
func lookedBefore(e *evidence.Evidence, c evidence.Call) time.Time {
	since, looked := calledBefore(e, c), c.Began
	for _, v := range e.Of(evidence.Buckets) {
		if looksAt(v, c) && !v.Began.Before(since) && !v.Ended.After(c.Began) {
			looked = v.Began
		}
	}
	return looked
}

// calledBefore returns when the component of a call had made the same one before, or zero.
func calledBefore(e *evidence.Evidence, c evidence.Call) (ended time.Time) {
	for _, other := range e.Calls {
		if other.Component == c.Component && other.Method == c.Method && other.ID == c.ID && other.Ended.Before(c.Began) {
			ended = other.Ended
		}
	}
	return ended
}

// changedByPerson reports whether a user has changed the object before a write.
func changedByPerson(e *evidence.Evidence, v evidence.Version) bool {
	return slices.ContainsFunc(e.Of(v.Resource), func(other evidence.Version) bool {
		return other.ByPerson() && other.Key == v.Key && other.Seq < v.Seq && other.Result == evidence.Done
	})
}

// looksAt reports whether the API server has shown the Bucket of a call, being deleted, to the
// call's component.
func looksAt(v evidence.Version, c evidence.Call) bool {
	return v.Verb != "" && v.Component == c.Component && v.Result == evidence.Done &&
		v.Got != nil && v.Got.Deleting() && v.Got.BucketID() == c.ID
}

// grantedInVain finds grants for a Secret that a user has made immutable, and which the component
// has already failed to write: each grant may replace the key that applications use.
func grantedInVain(e *evidence.Evidence, c evidence.Call) []Finding {
	access := withAccount(e, c.ID)
	if c.IsV1alpha1 {
		access = latestAccess(e, c.IsFor)
	}
	if access == nil {
		return nil
	}
	var found []Finding
	for _, claim := range access.Spec.BucketClaims {
		key := evidence.Key(access.Metadata.Namespace, claim.AccessSecretName)
		if since := immutableSince(e, key, c); !since.IsZero() && failedToWrite(e, key, c, since) {
			found = append(found, Finding{
				Rule:    e.Rule(rule.OrderGrantInVain),
				Subject: evidence.Subject(evidence.Secrets, key), Events: []uint64{c.Seq},
				Message: fmt.Sprintf("%s has called %s for account %q again, although its Secret %q is immutable and cannot get the key",
					c.Component, c.Method, cmp.Or(c.ID, c.Name), key),
			})
		}
	}
	return found
}

// immutableSince returns when a user made a Secret immutable that was still immutable at a call.
func immutableSince(e *evidence.Evidence, key string, c evidence.Call) (since time.Time) {
	for _, v := range e.Of(evidence.Secrets) {
		switch {
		case v.Key != key || v.Seq >= c.Seq || v.Result != evidence.Done:
		case v.Verb == "create" || v.Verb == "delete":
			since = time.Time{}
		case v.ByPerson() && v.Got != nil && v.Got.Immutable && since.IsZero():
			since = v.Ended
		}
	}
	return since
}

// failedToWrite reports whether a component has failed to write a Secret between a time and a
// call.
func failedToWrite(e *evidence.Evidence, key string, c evidence.Call, since time.Time) bool {
	return slices.ContainsFunc(e.Of(evidence.Secrets), func(v evidence.Version) bool {
		return v.Key == key && v.Component == c.Component && v.Write() && v.Result == evidence.Rejected &&
			v.Began.After(since) && v.Ended.Before(c.Began)
	})
}

func deletedByPerson(e *evidence.Evidence, resource, key string, before uint64) bool {
	return slices.ContainsFunc(e.Of(resource), func(v evidence.Version) bool {
		return v.ByPerson() && v.Verb == "delete" && v.Key == key && v.Seq < before && v.Result == evidence.Done
	})
}
