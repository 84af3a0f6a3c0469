package oracle

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// lostKept finds buckets that had to be kept and are not in the backend, although no component has
// requested their deletion: the last known policy of their Bucket was Retain, or they existed
// before COSI.
func (e *evidence) lostKept(m *Observation) []Finding {
	var found []Finding
	for _, b := range e.lastBuckets(m.After) {
		id := b.bucketID()
		why := e.keptByObject(b)
		if why == "" || id == "" || hasBucket(m, id) || e.touched(id) || !slices.Contains(m.Backend.Drivers, b.Spec.DriverName) ||
			e.reportedMissing(m, id) || !e.wasProvided(id, m.After) || len(e.askedToDelete(id, m.After)) > 0 {
			continue
		}
		found = append(found, Finding{
			Subject: "bucket " + id, Events: e.deletedInStore(id),
			Message: fmt.Sprintf("the backend has no bucket %q %s, %s, and no component has asked for its deletion", id, m.Name, why),
		})
	}
	return found
}

// keptByObject returns the reason for which the bucket of a Bucket must be kept, or "".
func (e *evidence) keptByObject(b *object) string {
	switch {
	case e.isBrought(b):
		return "which was there before COSI"
	case b.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain:
		return "whose policy is Retain"
	}
	return ""
}

// isBrought reports whether COSI must keep a bucket because it was there before. In v1alpha1,
// the policy Delete is for such buckets, too.
func (e *evidence) isBrought(b *object) bool { return b.Spec.ExistingBucketID != "" && !e.IsV1alpha1() }

// lastBuckets returns the latest versions of the scope's Buckets until an event.
func (e *evidence) lastBuckets(until uint64) []*object {
	var names []string
	last := map[string]*object{}
	for _, v := range e.of(buckets) {
		if v.seq > until || v.got == nil || v.got.Metadata.Name == "" {
			continue
		}
		if last[v.key] == nil {
			names = append(names, v.key)
		}
		last[v.key] = v.got
	}
	var all []*object
	for _, name := range names {
		all = append(all, last[name])
	}
	return all
}

func hasBucket(m *Observation, id string) bool {
	return slices.ContainsFunc(m.Backend.Buckets, func(b fakedriver.Bucket) bool { return b.Name == id })
}

// reportedMissing reports whether a Bucket is recorded as provisioned, so that missingBuckets
// reports its loss.
func (e *evidence) reportedMissing(m *Observation, id string) bool {
	return slices.ContainsFunc(m.Objects.Buckets, func(b v1alpha2.Bucket) bool {
		return b.Status.BucketID == id && e.oursAt(&b) && b.DeletionTimestamp == nil &&
			(b.Status.ReadyToUse || provisioned(b.Status.Conditions, false))
	})
}

// wasProvided reports whether a driver has confirmed that a bucket exists.
func (e *evidence) wasProvided(id string, until uint64) bool {
	return slices.ContainsFunc(e.calls, func(c call) bool { return c.is(createBucket, getBucket) && c.id == id && c.ok && c.seq <= until })
}

// askedToDelete returns the calls for the deletion of a bucket, including failed ones, which may
// have succeeded in the backend.
func (e *evidence) askedToDelete(id string, until uint64) []uint64 {
	var found []uint64
	for _, c := range e.calls {
		if c.is(deleteBucket) && c.id == id && c.seq <= until {
			found = append(found, c.seq)
		}
	}
	return found
}

// deletedInStore returns the events in which the store has deleted a bucket.
func (e *evidence) deletedInStore(id string) []uint64 {
	var found []uint64
	for _, event := range e.events {
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
func (e *evidence) unaskedDeletions() []Finding {
	if e.Incomplete {
		return nil
	}
	var found []Finding
	for _, event := range e.events {
		id := event.Operation.Subject
		if !isDeletion(event) || e.touched(id) || !e.wasProvided(id, event.Seq) {
			continue
		}
		asked := slices.ContainsFunc(e.events, func(other journal.Event) bool {
			return other.Seam == journal.SeamRPC && other.Operation.Name == deleteBucket && other.Operation.Subject == id &&
				!other.Time.After(event.Time.Add(event.Duration))
		})
		if !asked {
			found = append(found, Finding{
				Subject: "bucket " + id, Events: []uint64{event.Seq},
				Message: fmt.Sprintf("%s has deleted bucket %q, and nothing has asked for that: its data are lost", event.Component, id),
			})
		}
	}
	return found
}

// lostObjects finds objects that were put into buckets and have vanished without a request to
// delete them.
func (e *evidence) lostObjects(m *Observation) []Finding {
	if m.Active || m.Backend.Contents == nil {
		return nil
	}
	there := e.contentsAt(m.After)
	var found []Finding
	for _, b := range m.Backend.Buckets {
		held, read := m.Backend.Contents[b.Name]
		if !read || held.Truncated || e.touched(b.Name) {
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
func (e *evidence) unreachable(m *Observation) []Finding {
	var found []Finding
	report := func(kind string, o metav1.Object, ready bool, id string) {
		isReady := ready && o.GetDeletionTimestamp() == nil && e.Scope.HasNamespace(o.GetNamespace())
		if !isReady || id == "" || hasBucket(m, id) || e.touched(id) || e.reportedMissing(m, id) {
			return
		}
		found = append(found, Finding{
			Subject: kind + "/" + o.GetName(), Events: e.deletionsOf(id),
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
func idOfBucket(m *Observation, name string) string {
	for i := range m.Objects.Buckets {
		if b := &m.Objects.Buckets[i]; b.Name == name && slices.Contains(m.Backend.Drivers, b.Spec.DriverName) {
			return b.Status.BucketID
		}
	}
	return ""
}
