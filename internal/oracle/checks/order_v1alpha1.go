package checks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// In v1alpha1 a driver returns an ID only after the creation. So only the finalizer must precede
// the call: the ID of a remaining object can be learned again.

// createdUnprotected finds buckets that were created before their Bucket had its finalizer.
func createdUnprotected(e *evidence.Evidence, c evidence.Call) []Finding {
	key := keyWith(e, evidence.Buckets, func(o *evidence.Object) bool { return o.Metadata.Name == c.Name })
	return unguarded(e, c, evidence.Buckets, key, protection(evidence.Buckets))
}

// grantedUnprotected finds accesses that were granted before they had their finalizer, or before
// their Bucket had the finalizer that keeps it for them: without the Bucket, nothing can be
// revoked.
func grantedUnprotected(e *evidence.Evidence, c evidence.Call) []Finding {
	key := keyWith(e, evidence.Accesses, c.IsFor)
	found := unguarded(e, c, evidence.Accesses, key, protection(evidence.Accesses))
	for _, id := range c.Buckets {
		key := keyWith(e, evidence.Buckets, func(o *evidence.Object) bool { return id != "" && o.BucketID() == id && isOfCaller(e, c, o) })
		kept := guard{rule.OrderKeptBucket, "it had the finalizer that keeps it for accesses", (*evidence.Object).KeptForAccess}
		found = append(found, unguarded(e, c, evidence.Buckets, key, kept)...)
	}
	return found
}

// supersedes reports whether a grant is for the account of an earlier one. A response of v1alpha1
// without an account ID does not identify the account. The call is repeated with the same name
// until a response does.
func supersedes(c, earlier evidence.Call) bool {
	if c.IsV1alpha1 && earlier.ID == "" {
		return c.Component == earlier.Component && c.Name == earlier.Name
	}
	return c.ID == earlier.ID
}

// account names the account of a grant: by its ID, or by the name in the request.
func account(c evidence.Call) string { return cmp.Or(c.ID, c.Name) }

// grantee returns the access of a grant, or nil.
func grantee(e *evidence.Evidence, c evidence.Call) *evidence.Object {
	if c.ID != "" {
		return withAccount(e, c.ID)
	}
	return latestAccess(e, func(o *evidence.Object) bool { return c.IsFor(o) && len(o.Spec.BucketClaims) > 0 })
}

func mayLeakAccount(e *evidence.Evidence, c evidence.Call) bool {
	access := grantee(e, c)
	return e.MayLeak(c.ID) || c.ID == "" && access != nil && e.Unprotected[access.Metadata.UID]
}

// isOfCaller reports whether a Bucket belongs to the driver of a call.
func isOfCaller(e *evidence.Evidence, c evidence.Call, o *evidence.Object) bool {
	return e.DriverNames[c.Component] == "" || o.Spec.DriverName == e.DriverNames[c.Component]
}

// abandoned finds objects of v1alpha1 that a component has released although a driver had created a
// bucket or account for them that it was not asked to remove, and whose ID is in no status: it is
// lost with the object.
func abandoned(e *evidence.Evidence, v evidence.Version) []Finding {
	undo := undoing(e, v)
	if undo == "" {
		return nil
	}
	var found []Finding
	for _, c := range e.Calls {
		if c.Seq >= v.Seq || !c.OK || !createsFor(c, v) || succeeded(e, undo, c.ID, v) || e.MayLeak(c.ID) {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.OrderUndone),
			Subject: evidence.Subject(v.Resource, v.Key), Events: []uint64{c.Seq, v.Seq},
			Message: fmt.Sprintf("%s has let %s %q go, for which %s had returned %q, and the driver was not asked to remove that",
				v.Component, evidence.KindOf(v.Resource), v.Key, c.Method, c.ID),
		})
	}
	return slices.CompactFunc(found, func(a, b Finding) bool { return a.Message == b.Message })
}

// undoing returns the method that removes the driver's bucket or account for an object whose status
// lacks its ID, or "".
func undoing(e *evidence.Evidence, v evidence.Version) string {
	switch {
	case !e.IsV1alpha1() || e.Incomplete:
	case v.Resource == evidence.Accesses && v.Got.Status.AccountID == "":
		return evidence.RevokeAccess
	case v.Resource == evidence.Buckets && v.Got.BucketID() == "" && v.Got.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete:
		return evidence.DeleteBucket
	}
	return ""
}

// createsFor reports whether a driver has returned an ID for an object.
func createsFor(c evidence.Call, v evidence.Version) bool {
	if v.Resource == evidence.Accesses {
		return c.Is(evidence.GrantAccess) && c.ID != "" && c.IsFor(v.Got)
	}
	return c.Is(evidence.CreateBucket) && c.ID != "" && c.Name == v.Got.Metadata.Name
}
