package oracle

import "fmt"

// deletedInUse finds calls that delete the bucket of a Bucket that is not being deleted, or
// revoke the access of such a BucketAccess. Users delete objects, and the journal does not
// show it: so an object counts as in use only if it was so when it was seen last before the
// call and next after it, and if the component had not seen it being deleted since the
// call before.
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
		case v.got == nil || !about(c, v.got, resource) || !e.servesOwn(c, v) || v.replaced:
		case v.component == c.component && v.got.deleting() && v.seq < c.seq && v.began.After(since):
			return nil
		case v.seq < c.seq:
			before = v.got
		case next == nil && (v.verb == "" || !v.began.Before(c.ended)):
			next = v.got
		}
	}
	switch {
	case before == nil || before.deleting(), next == nil || next.deleting(), before.Metadata.UID != next.Metadata.UID:
		return nil
	}
	return []Finding{{
		Subject: subjectOf(resource, before.key()), Events: []uint64{c.seq},
		Message: fmt.Sprintf("%s has called %s for %q, although %s %q is not being deleted",
			c.component, c.method, c.id, kinds[resource], before.key()),
	}}
}
