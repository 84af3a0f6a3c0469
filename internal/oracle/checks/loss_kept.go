package checks

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// lostKept finds buckets that had to be kept and are not in the backend, although no component has
// requested their deletion: the last known policy of their Bucket was Retain, or they existed
// before COSI.
func lostKept(e *evidence.Evidence, m *observed.Observation) []Finding {
	var found []Finding
	for _, b := range lastBuckets(e, m.After) {
		id := b.BucketID()
		why := keptByObject(e, b)
		if why == "" || id == "" || hasBucket(m, id) || e.Touched(id) || !slices.Contains(m.Backend.Drivers, b.Spec.DriverName) ||
			reportedMissing(e, m, id) || !wasProvided(e, id, m.After) || len(askedToDelete(e, id, m.After)) > 0 {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LossUnasked),
			Subject: "bucket " + id, Events: deletedInStore(e, id),
			Message: fmt.Sprintf("the backend has no bucket %q %s, %s, and no component has asked for its deletion", id, m.Name, why),
		})
	}
	return found
}

// keptByObject returns the reason for which the bucket of a Bucket must be kept, or "".
func keptByObject(e *evidence.Evidence, b *evidence.Object) string {
	switch {
	case isBrought(e, b):
		return "which was there before COSI"
	case b.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain:
		return "whose policy is Retain"
	}
	return ""
}

// isBrought reports whether COSI must keep a bucket because it was there before. In v1alpha1,
// the policy Delete is for such buckets, too.
func isBrought(e *evidence.Evidence, b *evidence.Object) bool {
	return b.Spec.ExistingBucketID != "" && !e.IsV1alpha1()
}

// lastBuckets returns the latest versions of the scope's Buckets until an event.
func lastBuckets(e *evidence.Evidence, until uint64) []*evidence.Object {
	var names []string
	last := map[string]*evidence.Object{}
	for _, v := range e.Of(evidence.Buckets) {
		if v.Seq > until || v.Got == nil || v.Got.Metadata.Name == "" {
			continue
		}
		if last[v.Key] == nil {
			names = append(names, v.Key)
		}
		if !v.Got.OlderThan(last[v.Key]) {
			last[v.Key] = v.Got
		}
	}
	var all []*evidence.Object
	for _, name := range names {
		all = append(all, last[name])
	}
	return all
}

func hasBucket(m *observed.Observation, id string) bool {
	return slices.ContainsFunc(m.Backend.Buckets, func(b fakedriver.Bucket) bool { return b.Name == id })
}

// reportedMissing reports whether a Bucket is recorded as provisioned, so that missingBuckets
// reports its loss.
func reportedMissing(e *evidence.Evidence, m *observed.Observation, id string) bool {
	return slices.ContainsFunc(m.Objects.Buckets, func(b v1alpha2.Bucket) bool {
		return b.Status.BucketID == id && oursAt(e, &b) && b.DeletionTimestamp == nil &&
			(b.Status.ReadyToUse || provisioned(b.Status.Conditions, false))
	})
}

// wasProvided reports whether a driver has confirmed that a bucket exists.
func wasProvided(e *evidence.Evidence, id string, until uint64) bool {
	return slices.ContainsFunc(e.Calls, func(c evidence.Call) bool {
		return c.Is(evidence.CreateBucket, evidence.GetBucket) && c.ID == id && c.OK && c.Seq <= until
	})
}

// askedToDelete returns the calls for the deletion of a bucket, including failed ones, which may
// have succeeded in the backend.
func askedToDelete(e *evidence.Evidence, id string, until uint64) []uint64 {
	var found []uint64
	for _, c := range e.Calls {
		if c.Is(evidence.DeleteBucket) && c.ID == id && c.Seq <= until {
			found = append(found, c.Seq)
		}
	}
	return found
}

// deletedInStore returns the events in which the store has deleted a bucket.
func deletedInStore(e *evidence.Evidence, id string) []uint64 {
	var found []uint64
	for _, event := range e.ScopeEvents {
		if isDeletion(event) && event.Operation.Subject == id {
			found = append(found, event.Seq)
		}
	}
	return found
}

func isDeletion(e journal.Event) bool {
	return e.Seam == journal.SeamStore && e.Operation.Name == operations.AdminDeleteBucket && !e.Failed()
}

// unaskedDeletions finds buckets that a driver has deleted in the store without a request: their
// data are lost, even if the driver has created the bucket again.
func unaskedDeletions(e *evidence.Evidence) []Finding {
	if e.Incomplete {
		return nil
	}
	var found []Finding
	for _, event := range e.ScopeEvents {
		id := event.Operation.Subject
		if !isDeletion(event) || e.Touched(id) || !wasProvided(e, id, event.Seq) {
			continue
		}
		asked := slices.ContainsFunc(e.ScopeEvents, func(other journal.Event) bool {
			return other.Seam == journal.SeamRPC && other.Operation.Name == evidence.DeleteBucket && other.Operation.Subject == id &&
				!other.Time.After(event.Time.Add(event.Duration))
		})
		if !asked {
			found = append(found, Finding{
				Rule:    e.Rule(rule.LossUnasked),
				Subject: "bucket " + id, Events: []uint64{event.Seq},
				Message: fmt.Sprintf("%s has deleted bucket %q, and nothing has asked for that: its data are lost", event.Component, id),
			})
		}
	}
	return found
}

// lostObjects finds objects that were put into buckets and have vanished without a request to
// delete them.
func lostObjects(e *evidence.Evidence, m *observed.Observation) []Finding {
	if m.Active || m.Backend.Contents == nil {
		return nil
	}
	there := contentsAt(e, m.After)
	var found []Finding
	for _, b := range m.Backend.Buckets {
		held, read := m.Backend.Contents[b.Name]
		if !read || held.Truncated || e.Touched(b.Name) {
			continue
		}
		for _, key := range there.before(b.Name, there.latest) {
			if !slices.Contains(held.Keys, key) {
				found = append(found, Finding{
					Subject: "bucket " + b.Name,
					Message: fmt.Sprintf("bucket %q has no object %q %s, which was put into it, and no request has deleted it", b.Name, key, m.Name),
				})
				break // one finding is enough
			}
		}
	}
	return found
}

// unreachable finds claims and accesses that are ready to use although the backend lacks their
// bucket. A Bucket that is recorded as provisioned is reported instead.
func unreachable(e *evidence.Evidence, m *observed.Observation) []Finding {
	var found []Finding
	report := func(kind string, o metav1.Object, ready bool, id string) {
		isReady := ready && o.GetDeletionTimestamp() == nil && e.Scope.HasNamespace(o.GetNamespace())
		if !isReady || id == "" || hasBucket(m, id) || e.Touched(id) || reportedMissing(e, m, id) {
			return
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LossBucket),
			Subject: kind + "/" + o.GetName(), Events: deletionsOf(e, id),
			Message: fmt.Sprintf("%s %s/%s is ready to use %s, but the backend has no bucket %q", kind, o.GetNamespace(), o.GetName(), m.Name, id),
		})
	}
	for i := range m.Objects.Claims {
		c := &m.Objects.Claims[i]
		report("BucketClaim", c, c.Status.ReadyToUse, idOfBucket(m, c.Status.BoundBucketName))
	}
	for i := range m.Objects.Accesses {
		a := &m.Objects.Accesses[i]
		known := slices.Contains(m.Backend.Drivers, a.Status.DriverName)
		for _, accessed := range a.Status.AccessedBuckets {
			report("BucketAccess", a, a.Status.ReadyToUse && known, accessed.BucketID)
		}
	}
	return found
}

// idOfBucket returns the ID of the bucket of a Bucket whose driver uses the backend, or "".
func idOfBucket(m *observed.Observation, name string) string {
	for i := range m.Objects.Buckets {
		if b := &m.Objects.Buckets[i]; b.Name == name && slices.Contains(m.Backend.Drivers, b.Spec.DriverName) {
			return b.Status.BucketID
		}
	}
	return ""
}
