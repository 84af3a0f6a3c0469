package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// byPerson reports whether a fault's interference has made the request, in the role of a user or
// another program. COSI is not responsible for it.
func (v version) byPerson() bool { return v.component == vocabulary.Administrator }

// findUnprotected returns the UIDs of objects whose finalizers a user has removed, and no component
// has added again. Only their backend objects may leak. The versions are in order of time. An
// object that has vanished with its last finalizer stays unprotected: the response has the earlier
// version, and a write in between is newer.
func findUnprotected(versions []version) map[types.UID]bool {
	removed := map[types.UID]version{}
	for _, v := range versions {
		if v.got == nil {
			continue
		}
		uid := v.got.Metadata.UID
		switch last, known := removed[uid]; {
		case v.byPerson() && v.releases && v.result == done && !v.got.protected():
			removed[uid] = v
		case known && !last.got.gone() && v.got.protected() && v.newerThan(last):
			delete(removed, uid)
		}
	}
	found := map[types.UID]bool{}
	for uid := range removed {
		found[uid] = true
	}
	return found
}

// newerThan reports whether a version is newer than one that ended before it. The response to a
// request may be older than a later request, which ended earlier.
func (v version) newerThan(other version) bool {
	order, err := resourceversion.CompareResourceVersion(v.got.Metadata.ResourceVersion, other.got.Metadata.ResourceVersion)
	if err != nil { // no resource version
		return v.began.After(other.ended)
	}
	return order > 0
}

func (e *evidence) findUnprotectedIDs(versions []version) map[string]bool {
	ids := map[string]bool{}
	for _, v := range versions {
		if v.got == nil || !e.unprotectedByPerson[v.got.Metadata.UID] {
			continue
		}
		ids[v.got.Status.BucketID], ids[v.got.Status.AccountID] = true, true
	}
	delete(ids, "")
	return ids
}

// mayLeak reports whether COSI is not responsible for the leak of a bucket or an account: it was
// changed without COSI, or a user has removed the finalizer of its object.
func (e *evidence) mayLeak(id string) bool { return e.touched(id) || e.unprotectedIDs[id] }

// policyChange is a change of the deletion policy of a Bucket by a user.
type policyChange struct {
	policy       v1alpha2.DeletionPolicy
	began, ended time.Time
}

// policyChanges returns the changes of the policy of the Bucket with an ID, in the order of
// time.
func (e *evidence) policyChanges(id string) []policyChange {
	var all []policyChange
	for _, v := range e.of(buckets) {
		if v.byPerson() && v.result == done && v.asked != nil && v.asked.Spec.DeletionPolicy != "" && v.got != nil && v.got.bucketID() == id {
			all = append(all, policyChange{v.asked.Spec.DeletionPolicy, v.began, v.ended})
		}
	}
	return all
}

// retainedSince reports whether a user had set the policy Retain before a component's last read of
// the Bucket before a call, and had not reverted it when the call began. A component that read
// while the policy changed, or just before, could not know. A component without a read since its
// previous call has decided from its cache alone.
func (e *evidence) retainedSince(c call, changes []policyChange) bool {
	looked := e.lookedBefore(c)
	var last policyChange
	for _, change := range changes {
		if !change.ended.After(looked) {
			last = change
		} else if change.policy != v1alpha2.DeletionPolicyRetain && !change.began.After(c.began) {
			return false // about to change
		}
	}
	return last.policy == v1alpha2.DeletionPolicyRetain
}

// lookedBefore returns the start of the last request to the API server, by the component of a call,
// that showed the Bucket being deleted, between that call and the previous one for the same bucket.
// Without such a request it is the start of the call.
func (e *evidence) lookedBefore(c call) time.Time {
	since, looked := e.calledBefore(c), c.began
	for _, v := range e.of(buckets) {
		if v.looksAt(c) && !v.began.Before(since) && !v.ended.After(c.began) {
			looked = v.began
		}
	}
	return looked
}

// calledBefore returns when the component of a call had made the same one before, or zero.
func (e *evidence) calledBefore(c call) (ended time.Time) {
	for _, other := range e.calls {
		if other.component == c.component && other.method == c.method && other.id == c.id && other.ended.Before(c.began) {
			ended = other.ended
		}
	}
	return ended
}

// changedByPerson reports whether a user has changed the object before a write.
func (e *evidence) changedByPerson(v version) bool {
	return slices.ContainsFunc(e.of(v.resource), func(other version) bool {
		return other.byPerson() && other.key == v.key && other.seq < v.seq && other.result == done
	})
}

// looksAt reports whether the API server has shown the Bucket of a call, being deleted, to the
// call's component.
func (v version) looksAt(c call) bool {
	return v.verb != "" && v.component == c.component && v.result == done &&
		v.got != nil && v.got.deleting() && v.got.bucketID() == c.id
}

// grantedInVain finds grants for a Secret that a user has made immutable, and which the component
// has already failed to write: each grant may replace the key that applications use.
func (e *evidence) grantedInVain(c call) []Finding {
	access := e.withAccount(c.id)
	if c.isV1alpha1 {
		access = e.latestAccess(c.isFor)
	}
	if access == nil {
		return nil
	}
	var found []Finding
	for _, claim := range access.Spec.BucketClaims {
		key := keyOf(access.Metadata.Namespace, claim.AccessSecretName)
		if since := e.immutableSince(key, c); !since.IsZero() && e.failedToWrite(key, c, since) {
			found = append(found, Finding{
				Subject: subjectOf(secrets, key), Events: []uint64{c.seq},
				Message: fmt.Sprintf("%s has called %s for account %q again, although its Secret %q is immutable and cannot get the key",
					c.component, c.method, cmp.Or(c.id, c.name), key),
			})
		}
	}
	return found
}

// immutableSince returns when a user made a Secret immutable that was still immutable at a call.
func (e *evidence) immutableSince(key string, c call) (since time.Time) {
	for _, v := range e.of(secrets) {
		switch {
		case v.key != key || v.seq >= c.seq || v.result != done:
		case v.verb == "create" || v.verb == "delete":
			since = time.Time{}
		case v.byPerson() && v.got != nil && v.got.Immutable && since.IsZero():
			since = v.ended
		}
	}
	return since
}

// failedToWrite reports whether a component has failed to write a Secret between a time and a
// call.
func (e *evidence) failedToWrite(key string, c call, since time.Time) bool {
	return slices.ContainsFunc(e.of(secrets), func(v version) bool {
		return v.key == key && v.component == c.component && v.write() && v.result == rejected && v.began.After(since) && v.ended.Before(c.began)
	})
}

func (e *evidence) deletedByPerson(resource, key string, before uint64) bool {
	return slices.ContainsFunc(e.of(resource), func(v version) bool {
		return v.byPerson() && v.verb == "delete" && v.key == key && v.seq < before && v.result == done
	})
}
