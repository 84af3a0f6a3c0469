package oracle

import (
	"fmt"
	"slices"
	"time"
)

// orderViolations finds side effects before the write that must precede them, and deletions in the
// wrong order.
func orderViolations(e *evidence) []Finding {
	var found []Finding
	for _, c := range e.calls {
		switch c.method {
		case createBucket:
			if c.isV1alpha1 {
				found = append(found, e.createdUnprotected(c)...)
				continue
			}
			found = append(found, e.unprotected(c, buckets, "Bucket", func(o *object) bool { return o.Status.BucketID == c.id })...)
		case grantAccess:
			found = append(found, e.grantedInVain(c)...)
			if c.isV1alpha1 {
				found = append(found, e.grantedUnprotected(c)...)
				continue
			}
			found = append(found, e.unprotected(c, accesses, "BucketAccess", func(o *object) bool { return o.Status.AccountID == c.id })...)
		case revokeAccess:
			found = append(found, e.secretsAfter(c)...)
		case deleteBucket:
			found = append(found, e.grantedAt(c)...)
		}
	}
	return slices.Concat(found, overlappingCalls(e), e.hastyBuckets(), e.hastyDepartures())
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
func (e *evidence) persisted(resource string, has func(*object) bool, at effect) (persistence, []uint64) {
	for _, v := range e.of(resource) {
		if !v.shows(has) {
			continue
		}
		switch {
		case v.verb == "" && v.seq < at.seq, v.verb != "" && v.seq < at.seq && !v.ended.After(at.began):
			return inTime, nil
		case v.asks(has):
			return late, []uint64{v.seq}
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
func (e *evidence) unprotected(c call, resource, kind string, has func(*object) bool) []Finding {
	at := effect{c.seq, c.began}
	when, events := e.persisted(resource, has, at)
	if when != inTime {
		return []Finding{{
			Subject: c.id, Events: append([]uint64{c.seq}, events...),
			Message: fmt.Sprintf("%s was called with the ID %q %s", c.method, c.id, saying(when, "it was persisted in the status of a "+kind)),
		}}
	}
	return e.unguarded(c, resource, e.keyWith(resource, has), "it had COSI's finalizer", (*object).protected)
}

// unguarded checks that an object had a finalizer before a call for it.
func (e *evidence) unguarded(c call, resource, key, what string, guarded func(*object) bool) []Finding {
	if key == "" {
		return nil
	}
	when, events := e.persistedOn(resource, key, guarded, effect{c.seq, c.began})
	if when == inTime {
		return nil
	}
	return []Finding{{
		Subject: subjectOf(resource, key), Events: append([]uint64{c.seq}, events...),
		Message: fmt.Sprintf("%s was called for %s %q %s", c.method, kinds[resource], key, saying(when, what)),
	}}
}

func saying(when persistence, what string) string {
	if when == late {
		return "before " + what
	}
	return "although " + what + " at no time"
}

func (e *evidence) persistedOn(resource, key string, has func(*object) bool, at effect) (persistence, []uint64) {
	only := *e
	only.versions = nil
	for _, v := range e.of(resource) {
		if v.key == key {
			only.versions = append(only.versions, v)
		}
	}
	return only.persisted(resource, has, at)
}

// keyWith returns the key of the first object with a property.
func (e *evidence) keyWith(resource string, has func(*object) bool) string {
	for _, v := range e.of(resource) {
		if v.shows(has) {
			return v.key
		}
	}
	return ""
}

// hastyBuckets finds Buckets that were created before their claim had its finalizer.
// (KEP, "Creating a Bucket", 2.1 and 2.6.)
func (e *evidence) hastyBuckets() []Finding {
	var found []Finding
	for _, v := range e.of(buckets) {
		if v.verb != "create" || v.byPerson() || v.result == rejected || v.asked == nil {
			continue
		}
		key := keyOf(v.asked.Spec.BucketClaimRef.Namespace, v.asked.Spec.BucketClaimRef.Name)
		guarded := func(o *object) bool { return o.protected() }
		when, events := e.persistedOn(claims, key, guarded, effect{v.seq, v.began})
		if when == inTime {
			continue
		}
		found = append(found, Finding{
			Subject: subjectOf(claims, key), Events: append([]uint64{v.seq}, events...),
			Message: fmt.Sprintf("Bucket %q was created %s", v.key, saying(when, fmt.Sprintf("BucketClaim %q had COSI's finalizer", key))),
		})
	}
	return found
}
