package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// secretsAfter finds Secrets that were deleted after their access was revoked: in between,
// applications had invalid credentials. (KEP, "Deleting Bucket Access", 1 to 3.)
func secretsAfter(e *evidence.Evidence, c evidence.Call) []Finding {
	access := withAccount(e, c.ID)
	if access == nil {
		return nil
	}
	var found []Finding
	for _, claim := range access.Spec.BucketClaims {
		key := evidence.Key(access.Metadata.Namespace, claim.AccessSecretName)
		for _, v := range e.Of(evidence.Secrets) {
			if v.Key == key && ends(v) && !v.ByPerson() && v.Result == evidence.Done && v.Ended.After(c.Began) && !grantedAgain(e, c, v) {
				found = append(found, Finding{
					Rule:    e.Rule(rule.OrderSecret),
					Subject: evidence.Subject(evidence.Secrets, key), Events: []uint64{c.Seq, v.Seq},
					Message: fmt.Sprintf("the access of account %q was revoked before its Secret %q was deleted", c.ID, key),
				})
			}
		}
	}
	return found
}

// ends reports whether a write deletes an object, or releases one that is being deleted.
func ends(v evidence.Version) bool {
	return v.Verb == "delete" || v.Releases && v.Got != nil && v.Got.Leaving()
}

// grantedAgain reports whether a Secret that was deleted later belongs to a new access.
func grantedAgain(e *evidence.Evidence, c evidence.Call, v evidence.Version) bool {
	return slices.ContainsFunc(e.Of(evidence.Secrets), func(other evidence.Version) bool {
		return other.Verb == "create" && other.Key == v.Key && other.Result != evidence.Rejected && other.Seq > c.Seq && other.Seq < v.Seq
	})
}

// withAccount returns the latest version with a spec of the access with an account ID, or nil.
func withAccount(e *evidence.Evidence, id string) *evidence.Object {
	return latestAccess(e, func(o *evidence.Object) bool { return o.Status.AccountID == id && len(o.Spec.BucketClaims) > 0 })
}

// latestAccess returns the latest version of an access with a property, or nil.
func latestAccess(e *evidence.Evidence, has func(*evidence.Object) bool) *evidence.Object {
	var found *evidence.Object
	for _, v := range e.Of(evidence.Accesses) {
		if v.Got != nil && has(v.Got) && !v.Got.OlderThan(found) {
			found = v.Got
		}
	}
	return found
}

// grantedAt finds buckets that were deleted while accounts had access to them, unless that follows from an access that was given up
// too early.
func grantedAt(e *evidence.Evidence, c evidence.Call, givenUp map[string]Finding) []Finding {
	var found []Finding
	for _, open := range openGrants(e, effect{c.Seq, c.Began}) {
		if slices.Contains(open.Buckets, c.ID) && !follows(givenUp, open, c.Seq) && !mayLeakAccount(e, open) {
			found = append(found, Finding{
				Rule:    e.Rule(rule.OrderGranted),
				Subject: "bucket " + c.ID, Events: []uint64{open.Seq, c.Seq},
				Message: fmt.Sprintf("the deletion of bucket %q was asked for while account %q had access to it", c.ID, account(open)),
			})
		}
	}
	return found
}

// openGrants returns the grants that were not revoked before an effect.
func openGrants(e *evidence.Evidence, at effect) []evidence.Call {
	var granted []evidence.Call
	for _, c := range e.Calls {
		switch {
		case !c.OK || c.Seq >= at.seq:
		case c.Is(evidence.GrantAccess):
			granted = slices.DeleteFunc(granted, func(earlier evidence.Call) bool { return supersedes(c, earlier) })
			granted = append(granted, c)
		case c.Is(evidence.RevokeAccess) && !c.Ended.After(at.began):
			granted = slices.DeleteFunc(granted, func(other evidence.Call) bool { return other.ID == c.ID })
		}
	}
	return granted
}

// hastyDepartures finds objects whose finalizer a component removed before the backend deleted
// their bucket or account. The journal does not show finalizers that users remove.
func hastyDepartures(e *evidence.Evidence, givenUp map[string]Finding) []Finding {
	var found []Finding
	for _, v := range e.Versions {
		if !v.Releases || v.ByPerson() || v.Result != evidence.Done || v.Got == nil || !v.Got.Leaving() {
			continue
		}
		if before := e.Known(v.Resource, v.Key, v); before != nil && before.Leaving() {
			continue
		}
		found = append(found, abandoned(e, v)...)
		switch v.Resource {
		case evidence.Buckets:
			found = append(found, hastyBucket(e, v)...)
		case evidence.Claims:
			found = append(found, hastyClaim(e, v, givenUp)...)
			found = append(found, unannounced(e, v)...)
		}
	}
	return found
}

func hastyBucket(e *evidence.Evidence, v evidence.Version) []Finding {
	id := v.Got.Status.BucketID
	if id == "" || v.Got.Spec.ExistingBucketID != "" && !e.IsV1alpha1() || v.Got.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete {
		return nil
	}
	if e.Incomplete || succeeded(e, evidence.DeleteBucket, id, v) {
		return nil
	}
	return []Finding{{
		Rule:    e.Rule(rule.OrderBucketReleased),
		Subject: evidence.Subject(evidence.Buckets, v.Key), Events: []uint64{v.Seq},
		Message: fmt.Sprintf("%s has let Bucket %q go before the driver had deleted bucket %q", v.Component, v.Key, id),
	}}
}

// hastyAccesses finds, by account, the first write with which a component gave an access up before the driver revoked the account: the
// sidecar returned the access as cleaned up, or a component let it go. The later deletions of bucket and claim are consequences. (KEP,
// "Deleting Bucket Access", 3 to 5.)
func hastyAccesses(e *evidence.Evidence) map[string]Finding {
	found := map[string]Finding{}
	for _, v := range e.Of(evidence.Accesses) {
		message := givingUp(e, v)
		if message == "" {
			continue
		}
		for _, id := range unrevoked(e, v) {
			if _, known := found[id]; !known {
				found[id] = Finding{
					Rule:    e.Rule(rule.OrderAccessReleased),
					Subject: evidence.Subject(evidence.Accesses, v.Key), Events: []uint64{v.Seq},
					Message: fmt.Sprintf("%s has %s before the driver had revoked account %q", v.Component, message, id),
				}
			}
		}
	}
	return found
}

// givingUp describes how a component's write gives an access up. It returns "" for other writes.
func givingUp(e *evidence.Evidence, v evidence.Version) string {
	if v.ByPerson() || v.Result != evidence.Done || v.Got == nil {
		return ""
	}
	before := e.Known(v.Resource, v.Key, v)
	begins := func(state func(*evidence.Object) bool) bool { return state(v.Got) && (before == nil || !state(before)) }
	switch {
	case v.Releases && begins((*evidence.Object).Leaving):
		return fmt.Sprintf("let BucketAccess %q go", v.Key)
	case v.Asks((*evidence.Object).IsFinished) && begins((*evidence.Object).Returned):
		return fmt.Sprintf("returned BucketAccess %q as cleaned up", v.Key)
	default:
		return ""
	}
}

// follows reports whether an access was given up before an event, while a grant of it was open.
func follows(givenUp map[string]Finding, open evidence.Call, seq uint64) bool {
	first, isGivenUp := givenUp[account(open)]
	return isGivenUp && first.Events[0] < seq
}

// unrevoked returns the accounts of a version of an access that the driver had not revoked before the write.
func unrevoked(e *evidence.Evidence, v evidence.Version) []string {
	if e.Incomplete {
		return nil
	}
	return slices.DeleteFunc(append(formerAccounts(v.Got.Metadata.Annotations), v.Got.Status.AccountID), func(id string) bool {
		return id == "" || succeeded(e, evidence.RevokeAccess, id, v)
	})
}

// hastyClaim finds claims that were deleted while an access used them. (KEP, "Deleting a Bucket":
// claims in use are not deleted.) It leaves out what follows from an access that was given up too early.
func hastyClaim(e *evidence.Evidence, v evidence.Version, givenUp map[string]Finding) []Finding {
	var found []Finding
	for _, open := range openGrants(e, effect{v.Seq, v.Began}) {
		access := grantee(e, open)
		if follows(givenUp, open, v.Seq) || access == nil || access.Metadata.Namespace != v.Got.Metadata.Namespace || mayLeakAccount(e, open) {
			continue
		}
		uses := func(b v1alpha2.AccessedBucket) bool {
			return b.BucketClaimName == v.Got.Metadata.Name && b.BucketName == v.Got.Status.BoundBucketName
		}
		if slices.ContainsFunc(access.Status.AccessedBuckets, uses) {
			found = append(found, Finding{
				Rule:    e.Rule(rule.OrderClaimInUse),
				Subject: evidence.Subject(evidence.Claims, v.Key), Events: []uint64{open.Seq, v.Seq},
				Message: fmt.Sprintf("%s has let BucketClaim %q go while BucketAccess %q had access through it", v.Component, v.Key, access.Key()),
			})
		}
	}
	return found
}

// unannounced finds claims that vanished while a Bucket without the annotation was bound to them,
// and stays bound. (KEP, "Deleting a Bucket": the controller annotates the Bucket first.) A Bucket
// without later versions is not bound any more: a user removed it by force, which the journal does
// not show. In v1alpha1 the controller deletes the Bucket, or unbinds it.
func unannounced(e *evidence.Evidence, v evidence.Version) []Finding {
	before, staysBound := boundBuckets(e, v)
	var found []Finding
	lacks := "does not say so"
	if e.IsV1alpha1() {
		lacks = "is neither deleted nor released"
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if b := before[name]; b.Deleting() || b.Announced() || !staysBound[name] || deletedByPerson(e, evidence.Buckets, name, v.Seq) {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.OrderAnnounced),
			Subject: evidence.Subject(evidence.Buckets, name), Events: []uint64{v.Seq},
			Message: fmt.Sprintf("%s has let BucketClaim %q go, and Bucket %q, which is bound to it, %s", v.Component, v.Key, name, lacks),
		})
	}
	return found
}

// boundBuckets returns the latest versions of the Buckets that were bound to a claim before a write, and those that are bound to it after
// the write, by name.
func boundBuckets(e *evidence.Evidence, v evidence.Version) (before map[string]*evidence.Object, after map[string]bool) {
	before, after = map[string]*evidence.Object{}, map[string]bool{}
	isBound := func(o *evidence.Object) bool { return o.Spec.BucketClaimRef.UID == v.Got.Metadata.UID }
	for _, b := range e.Of(evidence.Buckets) {
		switch {
		case b.Got == nil:
		case b.Seq < v.Seq:
			if !b.Got.OlderThan(before[b.Key]) {
				before[b.Key] = b.Got
			}
		case b.Verb == "" || !b.Began.Before(v.Ended): // the answer to an earlier request may be old
			after[b.Key] = after[b.Key] || isBound(b.Got)
		}
	}
	maps.DeleteFunc(before, func(_ string, o *evidence.Object) bool { return !isBound(o) })
	return before, after
}

func succeeded(e *evidence.Evidence, method, id string, v evidence.Version) bool {
	return slices.ContainsFunc(e.Calls, func(c evidence.Call) bool {
		return c.Method == method && c.ID == id && c.OK && c.Seq < v.Seq && !c.Ended.After(v.Began)
	})
}
