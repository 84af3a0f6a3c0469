package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// overlappingCalls finds two mutating calls of one sidecar that were in flight for one bucket at
// the same time. A driver need not support that: the specifications of CSI and of COSI v1alpha1
// promise one call at a time.
func overlappingCalls(e *evidence.Evidence) []Finding {
	var found []Finding
	for i, later := range e.Calls {
		for _, earlier := range e.Calls[:i] {
			bucket := sharedBucket(earlier, later)
			if bucket == "" || earlier.Component != later.Component || earlier.Incarnation != later.Incarnation || !overlaps(earlier, later) {
				continue
			}
			found = append(found, Finding{
				Rule:    e.Rule(rule.OrderOneCall),
				Subject: "bucket " + bucket, Events: []uint64{earlier.Seq, later.Seq},
				Message: fmt.Sprintf("%s has called %s and %s for bucket %q at the same time", later.Component, earlier.Method, later.Method, bucket),
			})
		}
	}
	return found
}

func overlaps(c, other evidence.Call) bool {
	return c.Began.Before(other.Ended) && other.Began.Before(c.Ended)
}

// sharedBucket returns a bucket that both calls change, or "".
func sharedBucket(c, other evidence.Call) string {
	for _, bucket := range changedBuckets(c) {
		if slices.Contains(changedBuckets(other), bucket) {
			return bucket
		}
	}
	return ""
}

// changedBuckets returns the IDs of the buckets that a call changes, or to which it changes access.
func changedBuckets(c evidence.Call) []string {
	switch {
	case c.AsksForBucket() && c.Is(evidence.CreateBucket): // of v1alpha1: before its creation, it has only its name
		return slices.DeleteFunc([]string{c.Name, c.ID}, func(id string) bool { return id == "" })
	case c.Is(evidence.CreateBucket, evidence.DeleteBucket):
		return []string{c.ID}
	case c.Is(evidence.GrantAccess, evidence.RevokeAccess):
		return c.Buckets
	default:
		return nil
	}
}
