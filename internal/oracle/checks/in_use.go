package checks

import (
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// deletedInUse finds calls that delete the bucket of a Bucket that is not being deleted, or revoke
// the access of such a BucketAccess. Users' deletions are not in the journal. So an object counts
// as in use only if the last response with it before the call and the next one after it show it in
// use, and if the component had not seen its deletion since the previous call.
func deletedInUse(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, c := range e.Calls {
		switch {
		case c.Is(evidence.DeleteBucket):
			found = append(found, endedInUse(e, c, evidence.Buckets)...)
		case c.Is(evidence.RevokeAccess):
			found = append(found, endedInUse(e, c, evidence.Accesses)...)
		}
	}
	return found
}

// inUseOf are the rules about what must not end while its object is in use.
var inUseOf = map[string]rule.Rule{evidence.Buckets: rule.LossBucketInUse, evidence.Accesses: rule.LossAccessInUse}

func endedInUse(e *evidence.Evidence, c evidence.Call, resource string) []Finding {
	var before, next *evidence.Object
	since := calledBefore(e, c)
	for _, v := range e.Of(resource) {
		switch {
		case !isAbout(e, c, v):
		case v.Seq < c.Seq:
			if showsDeletionTo(v, c.Component, since) {
				return nil
			}
			if !v.Got.OlderThan(before) {
				before = v.Got
			}
		case next == nil && (v.Verb == "" || !v.Began.Before(c.Ended)):
			next = v.Got
		}
	}
	if !inUse(before) || !inUse(next) || before.Metadata.UID != next.Metadata.UID {
		return nil
	}
	return []Finding{{
		Rule:    e.Rule(inUseOf[resource]),
		Subject: evidence.Subject(resource, before.Key()), Events: []uint64{c.Seq},
		Message: fmt.Sprintf("%s has called %s for %q, although %s %q is not being deleted",
			c.Component, c.Method, c.ID, evidence.KindOf(resource), before.Key()),
	}}
}

func isAbout(e *evidence.Evidence, c evidence.Call, v evidence.Version) bool {
	return v.Got != nil && !v.Replaced && about(c, v.Got, v.Resource) && servesOwn(e, c, v)
}

// showsDeletionTo reports whether a component has seen that an object is being deleted, by a
// request after a time.
func showsDeletionTo(v evidence.Version, component string, since time.Time) bool {
	return v.Component == component && v.Got.Deleting() && v.Began.After(since)
}

// inUse reports whether the object exists and is not being deleted.
func inUse(o *evidence.Object) bool { return o != nil && !o.Deleting() }
