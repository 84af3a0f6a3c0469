package oracle

import (
	"fmt"
	"time"
)

// deletedInUse finds calls that delete the bucket of a Bucket that is not being deleted, or revoke
// the access of such a BucketAccess. Users' deletions are not in the journal. So an object counts
// as in use only if the last response with it before the call and the next one after it show it in
// use, and if the component had not seen its deletion since the previous call.
func (e *evidence) deletedInUse() []Finding {
	var found []Finding
	for _, c := range e.calls {
		switch {
		case c.is(deleteBucket):
			found = append(found, e.endedInUse(c, buckets)...)
		case c.is(revokeAccess):
			found = append(found, e.endedInUse(c, accesses)...)
		}
	}
	return found
}

func (e *evidence) endedInUse(c call, resource string) []Finding {
	var before, next *object
	since := e.calledBefore(c)
	for _, v := range e.of(resource) {
		switch {
		case !e.isAbout(c, v):
		case v.seq < c.seq:
			if before = v.got; v.showsDeletionTo(c.component, since) {
				return nil
			}
		case next == nil && (v.verb == "" || !v.began.Before(c.ended)):
			next = v.got
		}
	}
	if !before.inUse() || !next.inUse() || before.Metadata.UID != next.Metadata.UID {
		return nil
	}
	return []Finding{{
		Subject: subjectOf(resource, before.key()), Events: []uint64{c.seq},
		Message: fmt.Sprintf("%s has called %s for %q, although %s %q is not being deleted",
			c.component, c.method, c.id, kinds[resource], before.key()),
	}}
}

func (e *evidence) isAbout(c call, v version) bool {
	return v.got != nil && !v.replaced && about(c, v.got, v.resource) && e.servesOwn(c, v)
}

// showsDeletionTo reports whether a component has seen that an object is being deleted, by a
// request after a time.
func (v version) showsDeletionTo(component string, since time.Time) bool {
	return v.component == component && v.got.deleting() && v.began.After(since)
}

// inUse reports whether the object exists and is not being deleted.
func (o *object) inUse() bool { return o != nil && !o.deleting() }
