package checks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// orderViolations finds side effects before the write that must precede them, and deletions in the
// wrong order.
func orderViolations(e *evidence.Evidence) []Finding {
	givenUp := hastyAccesses(e)
	found := slices.SortedFunc(maps.Values(givenUp), func(a, b Finding) int { return cmp.Compare(a.Events[0], b.Events[0]) })
	for _, c := range e.Calls {
		switch c.Method {
		case evidence.CreateBucket:
			if c.IsV1alpha1 {
				found = append(found, createdUnprotected(e, c)...)
				continue
			}
			found = append(found, unprotected(e, c, evidence.Buckets, func(o *evidence.Object) bool { return o.Status.BucketID == c.ID })...)
		case evidence.GrantAccess:
			found = append(found, grantedInVain(e, c)...)
			if c.IsV1alpha1 {
				found = append(found, grantedUnprotected(e, c)...)
				continue
			}
			found = append(found, unprotected(e, c, evidence.Accesses, func(o *evidence.Object) bool { return o.Status.AccountID == c.ID })...)
		case evidence.RevokeAccess:
			if !c.IsV1alpha1 { // which leaves the order open
				found = append(found, secretsAfter(e, c)...)
			}
		case evidence.DeleteBucket:
			found = append(found, grantedAt(e, c, givenUp)...)
		}
	}
	return slices.Concat(found, overlappingCalls(e), hastyBuckets(e), hastyDepartures(e, givenUp), readyInVain(e), workWithoutLease(e))
}

// effect is a side effect that requires an earlier write.
type effect struct {
	seq   uint64
	began time.Time
}

// persistence is the knowledge about a required write: whether it happened in time.
type persistence int

const (
	inTime persistence = iota
	late
	never
)

// persisted determines whether an object had a property before an effect. Writes of users are not
// in the journal: if a component has read a value that no component wrote, the value already
// existed.
func persisted(e *evidence.Evidence, resource string, has func(*evidence.Object) bool, at effect) (persistence, []uint64) {
	for _, v := range e.Of(resource) {
		if !v.Shows(has) {
			continue
		}
		switch {
		case v.Verb == "" && v.Seq < at.seq, v.Verb != "" && v.Seq < at.seq && !v.Ended.After(at.began):
			return inTime, nil
		case v.Asks(has):
			return late, []uint64{v.Seq}
		default:
			return inTime, nil
		}
	}
	if e.Incomplete {
		return inTime, nil
	}
	return never, nil
}

// unprotected checks that the ID in a call was persisted before it, and so was the finalizer of the
// object with that ID. (KEP, "Creating a Bucket", 3.2 to 3.5, and "Generating Bucket Access
// Credentials", 4.3 to 4.8.)
func unprotected(e *evidence.Evidence, c evidence.Call, resource string, has func(*evidence.Object) bool) []Finding {
	at := effect{c.Seq, c.Began}
	when, events := persisted(e, resource, has, at)
	if when != inTime {
		persistedFirst := rule.OrderBucketID
		if resource == evidence.Accesses {
			persistedFirst = rule.OrderAccountID
		}
		return []Finding{{
			Rule: e.Rule(persistedFirst), Subject: c.ID, Events: append([]uint64{c.Seq}, events...),
			Message: fmt.Sprintf("%s was called with the ID %q %s", c.Method, c.ID,
				saying(when, "it was persisted in the status of a "+evidence.KindOf(resource))),
		}}
	}
	return unguarded(e, c, resource, keyWith(e, resource, has), protection(resource))
}

// guard is a finalizer that an object must have before a call for it.
type guard struct {
	rule rule.Rule
	what string
	on   func(*evidence.Object) bool
}

// protection is COSI's finalizer on objects of a resource.
func protection(resource string) guard {
	g := guard{rule: rule.OrderProtectedBucket, what: "it had COSI's finalizer", on: (*evidence.Object).Protected}
	if resource == evidence.Accesses {
		g.rule = rule.OrderProtectedAccess
	}
	return g
}

// unguarded checks that an object had a finalizer before a call for it.
func unguarded(e *evidence.Evidence, c evidence.Call, resource, key string, by guard) []Finding {
	if key == "" {
		return nil
	}
	when, events := persistedOn(e, resource, key, by.on, effect{c.Seq, c.Began})
	if when == inTime {
		return nil
	}
	return []Finding{{
		Rule:    e.Rule(by.rule),
		Subject: evidence.Subject(resource, key), Events: append([]uint64{c.Seq}, events...),
		Message: fmt.Sprintf("%s was called for %s %q %s", c.Method, evidence.KindOf(resource), key, saying(when, by.what)),
	}}
}

func saying(when persistence, what string) string {
	if when == late {
		return "before " + what
	}
	return "although " + what + " at no time"
}

func persistedOn(e *evidence.Evidence, resource, key string, has func(*evidence.Object) bool, at effect) (persistence, []uint64) {
	only := *e
	only.Versions = nil
	for _, v := range e.Of(resource) {
		if v.Key == key {
			only.Versions = append(only.Versions, v)
		}
	}
	return persisted(&only, resource, has, at)
}

// keyWith returns the key of the first object with a property.
func keyWith(e *evidence.Evidence, resource string, has func(*evidence.Object) bool) string {
	for _, v := range e.Of(resource) {
		if v.Shows(has) {
			return v.Key
		}
	}
	return ""
}

// hastyBuckets finds Buckets that were created before their claim had its finalizer.
// (KEP, "Creating a Bucket", 2.1 and 2.6.)
func hastyBuckets(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, v := range e.Of(evidence.Buckets) {
		if v.Verb != "create" || v.ByPerson() || v.Result == evidence.Rejected || v.Asked == nil {
			continue
		}
		key := evidence.Key(v.Asked.Spec.BucketClaimRef.Namespace, v.Asked.Spec.BucketClaimRef.Name)
		guarded := func(o *evidence.Object) bool { return o.Protected() }
		when, events := persistedOn(e, evidence.Claims, key, guarded, effect{v.Seq, v.Began})
		if when == inTime {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.OrderProtectedClaim),
			Subject: evidence.Subject(evidence.Claims, key), Events: append([]uint64{v.Seq}, events...),
			Message: fmt.Sprintf("Bucket %q was created %s", v.Key, saying(when, fmt.Sprintf("BucketClaim %q had COSI's finalizer", key))),
		})
	}
	return found
}
