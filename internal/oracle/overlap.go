package oracle

import (
	"fmt"
	"slices"
)

// overlappingCalls finds two mutating calls of one sidecar that were in flight for one bucket at
// the same time. A driver need not support that: the specifications of CSI and of COSI v1alpha1
// promise one call at a time.
func overlappingCalls(e *evidence) []Finding {
	var found []Finding
	for i, later := range e.calls {
		for _, earlier := range e.calls[:i] {
			bucket := earlier.sharedBucket(later)
			if bucket == "" || earlier.component != later.component || earlier.incarnation != later.incarnation || !earlier.overlaps(later) {
				continue
			}
			found = append(found, Finding{
				Subject: "bucket " + bucket, Events: []uint64{earlier.seq, later.seq},
				Message: fmt.Sprintf("%s has called %s and %s for bucket %q at the same time", later.component, earlier.method, later.method, bucket),
			})
		}
	}
	return found
}

func (c call) overlaps(other call) bool {
	return c.began.Before(other.ended) && other.began.Before(c.ended)
}

// sharedBucket returns a bucket that both calls change, or "".
func (c call) sharedBucket(other call) string {
	for _, bucket := range c.changes() {
		if slices.Contains(other.changes(), bucket) {
			return bucket
		}
	}
	return ""
}

// changes returns the IDs of the buckets that a call changes, or to which it changes access.
func (c call) changes() []string {
	switch {
	case c.asksForBucket() && c.is(createBucket): // of v1alpha1: before its creation, it has only its name
		return slices.DeleteFunc([]string{c.name, c.id}, func(id string) bool { return id == "" })
	case c.is(createBucket, deleteBucket):
		return []string{c.id}
	case c.is(grantAccess, revokeAccess):
		return c.buckets
	default:
		return nil
	}
}
