package oracle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// secretsAfter finds Secrets that were deleted after their access was revoked: in between,
// applications had invalid credentials. (KEP, "Deleting Bucket Access", 1 to 3.)
func (e *evidence) secretsAfter(c call) []Finding {
	access := e.withAccount(c.id)
	if access == nil {
		return nil
	}
	var found []Finding
	for _, claim := range access.Spec.BucketClaims {
		key := keyOf(access.Metadata.Namespace, claim.AccessSecretName)
		for _, v := range e.of(secrets) {
			if v.key == key && v.ends() && !v.byPerson() && v.result == done && v.ended.After(c.began) && !e.grantedAgain(c, v) {
				found = append(found, Finding{
					Subject: subjectOf(secrets, key), Events: []uint64{c.seq, v.seq},
					Message: fmt.Sprintf("the access of account %q was revoked before its Secret %q was deleted", c.id, key),
				})
			}
		}
	}
	return found
}

// ends reports whether a write deletes an object, or releases one that is being deleted.
func (v version) ends() bool {
	return v.verb == "delete" || v.releases && v.got != nil && v.got.leaving()
}

// grantedAgain reports whether a Secret that was deleted later belongs to a new access.
func (e *evidence) grantedAgain(c call, v version) bool {
	return slices.ContainsFunc(e.of(secrets), func(other version) bool {
		return other.verb == "create" && other.key == v.key && other.result != rejected && other.seq > c.seq && other.seq < v.seq
	})
}

// withAccount returns the latest version with a spec of the access with an account ID, or nil.
func (e *evidence) withAccount(id string) *object {
	return e.latestAccess(func(o *object) bool { return o.Status.AccountID == id && len(o.Spec.BucketClaims) > 0 })
}

// latestAccess returns the latest version of an access with a property, or nil.
func (e *evidence) latestAccess(has func(*object) bool) *object {
	var found *object
	for _, v := range e.of(accesses) {
		if v.got != nil && has(v.got) {
			found = v.got
		}
	}
	return found
}

// grantedAt finds buckets that were deleted while accounts had access to them.
func (e *evidence) grantedAt(c call) []Finding {
	var found []Finding
	for _, open := range e.open(effect{c.seq, c.began}) {
		if slices.Contains(open.buckets, c.id) && !e.mayLeakAccount(open) {
			found = append(found, Finding{
				Subject: "bucket " + c.id, Events: []uint64{open.seq, c.seq},
				Message: fmt.Sprintf("the deletion of bucket %q was asked for while account %q had access to it", c.id, open.account()),
			})
		}
	}
	return found
}

// open returns the grants that were not revoked before an effect.
func (e *evidence) open(at effect) []call {
	var granted []call
	for _, c := range e.calls {
		switch {
		case !c.ok || c.seq >= at.seq:
		case c.is(grantAccess):
			granted = slices.DeleteFunc(granted, c.supersedes)
			granted = append(granted, c)
		case c.is(revokeAccess) && !c.ended.After(at.began):
			granted = slices.DeleteFunc(granted, func(other call) bool { return other.id == c.id })
		}
	}
	return granted
}

// hastyDepartures finds objects whose finalizer a component removed before the backend deleted
// their bucket or account. The journal does not show finalizers that users remove.
func (e *evidence) hastyDepartures() []Finding {
	var found []Finding
	for _, v := range e.versions {
		if !v.releases || v.byPerson() || v.result != done || v.got == nil || !v.got.leaving() {
			continue
		}
		if before := e.known(v.resource, v.key, v.seq); before != nil && before.leaving() {
			continue
		}
		found = append(found, e.abandoned(v)...)
		switch v.resource {
		case buckets:
			found = append(found, e.hastyBucket(v)...)
		case accesses:
			found = append(found, e.hastyAccess(v)...)
		case claims:
			found = append(found, e.hastyClaim(v)...)
			found = append(found, e.unannounced(v)...)
		}
	}
	return found
}

func (e *evidence) hastyBucket(v version) []Finding {
	id := v.got.Status.BucketID
	if id == "" || v.got.Spec.ExistingBucketID != "" && !e.IsV1alpha1() || v.got.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete {
		return nil
	}
	if e.Incomplete || e.succeeded(deleteBucket, id, v) {
		return nil
	}
	return []Finding{{
		Subject: subjectOf(buckets, v.key), Events: []uint64{v.seq},
		Message: fmt.Sprintf("%s has let Bucket %q go before the driver had deleted bucket %q", v.component, v.key, id),
	}}
}

func (e *evidence) hastyAccess(v version) []Finding {
	var found []Finding
	for _, id := range append(formerAccounts(v.got.Metadata.Annotations), v.got.Status.AccountID) {
		if id == "" || e.Incomplete || e.succeeded(revokeAccess, id, v) {
			continue
		}
		found = append(found, Finding{
			Subject: subjectOf(accesses, v.key), Events: []uint64{v.seq},
			Message: fmt.Sprintf("%s has let BucketAccess %q go before the driver had revoked account %q", v.component, v.key, id),
		})
	}
	return found
}

// hastyClaim finds claims that were deleted while an access used them. (KEP, "Deleting a Bucket":
// claims in use are not deleted.)
func (e *evidence) hastyClaim(v version) []Finding {
	var found []Finding
	for _, open := range e.open(effect{v.seq, v.began}) {
		access := e.grantee(open)
		if access == nil || access.Metadata.Namespace != v.got.Metadata.Namespace || e.mayLeakAccount(open) {
			continue
		}
		uses := func(b v1alpha2.AccessedBucket) bool {
			return b.BucketClaimName == v.got.Metadata.Name && b.BucketName == v.got.Status.BoundBucketName
		}
		if slices.ContainsFunc(access.Status.AccessedBuckets, uses) {
			found = append(found, Finding{
				Subject: subjectOf(claims, v.key), Events: []uint64{open.seq, v.seq},
				Message: fmt.Sprintf("%s has let BucketClaim %q go while BucketAccess %q had access through it", v.component, v.key, access.key()),
			})
		}
	}
	return found
}

// unannounced finds claims that vanished while a Bucket without the annotation was bound to them,
// and stays bound. (KEP, "Deleting a Bucket": the controller annotates the Bucket first.) A Bucket
// without later versions is not bound any more: a user removed it by force, which the journal does
// not show. In v1alpha1 the controller deletes the Bucket, or unbinds it.
func (e *evidence) unannounced(v version) []Finding {
	bound := map[string]*object{} // by name, in the latest version before
	exists := map[string]bool{}   // Buckets with later versions
	for _, b := range e.of(buckets) {
		switch {
		case b.got == nil || b.got.Spec.BucketClaimRef.UID != v.got.Metadata.UID:
		case b.seq < v.seq:
			bound[b.key] = b.got
		default:
			exists[b.key] = true
		}
	}
	var found []Finding
	lacks := "does not say so"
	if e.IsV1alpha1() {
		lacks = "is neither deleted nor released"
	}
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		if b := bound[name]; b.deleting() || b.announced() || !exists[name] || e.deletedByPerson(buckets, name, v.seq) {
			continue
		}
		found = append(found, Finding{
			Subject: subjectOf(buckets, name), Events: []uint64{v.seq},
			Message: fmt.Sprintf("%s has let BucketClaim %q go, and Bucket %q, which is bound to it, %s", v.component, v.key, name, lacks),
		})
	}
	return found
}

func (e *evidence) succeeded(method, id string, v version) bool {
	return slices.ContainsFunc(e.calls, func(c call) bool {
		return c.method == method && c.id == id && c.ok && c.seq < v.seq && !c.ended.After(v.began)
	})
}
