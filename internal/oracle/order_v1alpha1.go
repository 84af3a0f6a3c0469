package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// In v1alpha1 a driver returns an ID only after the creation. So only the finalizer must precede
// the call: the ID of a remaining object can be learned again.

// createdUnprotected finds buckets that were created before their Bucket had its finalizer.
func (e *evidence) createdUnprotected(c call) []Finding {
	key := e.keyWith(buckets, func(o *object) bool { return o.Metadata.Name == c.name })
	return e.unguarded(c, buckets, key, "it had COSI's finalizer", (*object).protected)
}

// grantedUnprotected finds accesses that were granted before they had their finalizer, or before
// their Bucket had the finalizer that keeps it for them: without the Bucket, nothing can be
// revoked.
func (e *evidence) grantedUnprotected(c call) []Finding {
	key := e.keyWith(accesses, c.isFor)
	found := e.unguarded(c, accesses, key, "it had COSI's finalizer", (*object).protected)
	for _, id := range c.buckets {
		key := e.keyWith(buckets, func(o *object) bool { return id != "" && o.bucketID() == id && e.isOfCaller(c, o) })
		found = append(found, e.unguarded(c, buckets, key, "it had the finalizer that keeps it for accesses", (*object).keptForAccess)...)
	}
	return found
}

// supersedes reports whether a grant is for the account of an earlier one. A response of v1alpha1
// without an account ID does not identify the account. The call is repeated with the same name
// until a response does.
func (c call) supersedes(earlier call) bool {
	if c.isV1alpha1 && earlier.id == "" {
		return c.component == earlier.component && c.name == earlier.name
	}
	return c.id == earlier.id
}

// account names the account of a grant: by its ID, or by the name in the request.
func (c call) account() string { return cmp.Or(c.id, c.name) }

// grantee returns the access of a grant, or nil.
func (e *evidence) grantee(c call) *object {
	if c.id != "" {
		return e.withAccount(c.id)
	}
	return e.latestAccess(func(o *object) bool { return c.isFor(o) && len(o.Spec.BucketClaims) > 0 })
}

func (e *evidence) mayLeakAccount(c call) bool {
	access := e.grantee(c)
	return e.mayLeak(c.id) || c.id == "" && access != nil && e.unprotectedByPerson[access.Metadata.UID]
}

// isOfCaller reports whether a Bucket belongs to the driver of a call.
func (e *evidence) isOfCaller(c call, o *object) bool {
	return e.drivers[c.component] == "" || o.Spec.DriverName == e.drivers[c.component]
}

// abandoned finds objects of v1alpha1 that a component has released although a driver had created a
// bucket or account for them that it was not asked to remove, and whose ID is in no status: it is
// lost with the object.
func (e *evidence) abandoned(v version) []Finding {
	undo := e.undoing(v)
	if undo == "" {
		return nil
	}
	var found []Finding
	for _, c := range e.calls {
		if c.seq >= v.seq || !c.ok || !c.createsFor(v) || e.succeeded(undo, c.id, v) || e.mayLeak(c.id) {
			continue
		}
		found = append(found, Finding{
			Subject: subjectOf(v.resource, v.key), Events: []uint64{c.seq, v.seq},
			Message: fmt.Sprintf("%s has let %s %q go, for which %s had returned %q, and the driver was not asked to remove that",
				v.component, kinds[v.resource], v.key, c.method, c.id),
		})
	}
	return slices.CompactFunc(found, func(a, b Finding) bool { return a.Message == b.Message })
}

// undoing returns the method that removes the driver's bucket or account for an object whose status
// lacks its ID, or "".
func (e *evidence) undoing(v version) string {
	switch {
	case !e.IsV1alpha1() || e.Incomplete:
	case v.resource == accesses && v.got.Status.AccountID == "":
		return revokeAccess
	case v.resource == buckets && v.got.bucketID() == "" && v.got.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete:
		return deleteBucket
	}
	return ""
}

// createsFor reports whether a driver has returned an ID for an object.
func (c call) createsFor(v version) bool {
	if v.resource == accesses {
		return c.is(grantAccess) && c.id != "" && c.isFor(v.got)
	}
	return c.is(createBucket) && c.id != "" && c.name == v.got.Metadata.Name
}
