package evidence

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// ByPerson reports whether a fault's interference has made the request, in the role of a user or
// another program. COSI is not responsible for it.
func (v Version) ByPerson() bool { return v.Component == vocabulary.Administrator }

// findUnprotected returns the UIDs of objects whose finalizers a user has removed, and no component
// has added again, and of objects that the API server has deleted despite a finalizer. Only their backend objects may leak. The
// versions are in order of time. An object that has vanished with its last finalizer stays unprotected: the response has the
// earlier version, and a write in between is newer.
func findUnprotected(versions []Version, last *observed.Observation) map[types.UID]bool {
	removed := map[types.UID]Version{}
	for _, v := range versions {
		if v.Got == nil {
			continue
		}
		uid := v.Got.Metadata.UID
		switch last, known := removed[uid]; {
		case v.ByPerson() && v.Releases && v.Result == Done && !v.Got.Protected():
			removed[uid] = v
		case known && !last.Got.Gone() && v.Got.Protected() && v.newerThan(last):
			delete(removed, uid)
		}
	}
	found := findVanished(versions, last)
	for uid := range removed {
		found[uid] = true
	}
	return found
}

// findVanished returns the UIDs of deleted objects whose finalizer no request has removed: a deletion that reads the
// object just before a component adds the finalizer removes it at once (kubernetes/kubernetes#77988). Such a deletion began
// before the addition ended, and no response shows a deletion timestamp.
func findVanished(versions []Version, last *observed.Observation) map[types.UID]bool {
	found := map[types.UID]bool{}
	if last == nil {
		return found
	}
	p := protections{began: map[string]time.Time{}, current: map[string]types.UID{}, added: map[types.UID]time.Time{}}
	for _, v := range versions {
		p.follow(v)
	}
	for _, v := range at(last) {
		delete(p.added, v.Got.Metadata.UID)
	}
	for object, uid := range p.current {
		added, isProtected := p.added[uid]
		deletion, isDeleted := p.began[object]
		if isProtected && isDeleted && deletion.Before(added) {
			found[uid] = true
		}
	}
	return found
}

// protections follows the finalizers of objects.
type protections struct {
	began   map[string]time.Time    // the deletions by persons, by object
	current map[string]types.UID    // by object
	added   map[types.UID]time.Time // the end of the write that added the finalizer
}

func (p *protections) follow(v Version) {
	object := v.Resource + " " + v.Key
	switch {
	case v.ByPerson() && v.Verb == "delete" && v.Result == Done:
		p.began[object] = v.Began
	case v.mayRelease():
		delete(p.added, p.current[object])
	case v.Got == nil || v.Replaced:
	case v.Got.Deleting():
		delete(p.added, v.Got.Metadata.UID)
	case v.Releases && v.Got.Protected():
		p.current[object] = v.Got.Metadata.UID
		p.added[v.Got.Metadata.UID] = v.Ended
	}
}

// mayRelease reports whether a write has removed the finalizer, or may have.
func (v Version) mayRelease() bool {
	return v.Releases && v.Result != Rejected && v.Asked != nil && !v.Asked.Protected()
}

// newerThan reports whether a version is newer than one that ended before it. The response to a
// request may be older than a later request, which ended earlier.
func (v Version) newerThan(other Version) bool {
	order, err := resourceversion.CompareResourceVersion(v.Got.Metadata.ResourceVersion, other.Got.Metadata.ResourceVersion)
	if err != nil { // no resource version
		return v.Began.After(other.Ended)
	}
	return order > 0
}

func (e *Evidence) findUnprotectedIDs(versions []Version) map[string]bool {
	ids := map[string]bool{}
	for _, v := range versions {
		if v.Got == nil || !e.Unprotected[v.Got.Metadata.UID] {
			continue
		}
		ids[v.Got.Status.BucketID], ids[v.Got.Status.AccountID] = true, true
	}
	if e.IsV1alpha1() {
		e.findUnrecordedIDs(versions, ids)
	}
	delete(ids, "")
	return ids
}

// findUnrecordedIDs adds the buckets of v1alpha1 that a driver has created for such an object, and that no
// object records: the ID was lost with the object. A sidecar cannot delete such a bucket, in which there
// may be data since an earlier call.
func (e *Evidence) findUnrecordedIDs(versions []Version, ids map[string]bool) {
	unprotected, recorded := map[string]bool{}, map[string]bool{}
	for _, v := range versions {
		if v.Resource == Buckets && v.Got != nil {
			unprotected[v.Key] = unprotected[v.Key] || e.Unprotected[v.Got.Metadata.UID]
			recorded[v.Got.BucketID()] = true
		}
	}
	for _, event := range e.Events {
		if !IsCall(event) {
			continue
		}
		if c := callOf(e.Input, event); c.Is(CreateBucket) && unprotected[c.Name] && !recorded[c.ID] {
			ids[c.ID] = true
		}
	}
}

// MayLeak reports whether COSI is not responsible for the leak of a bucket or an account: it was
// changed without COSI, or a user has removed the finalizer of its object.
func (e *Evidence) MayLeak(id string) bool { return e.Touched(id) || e.unprotectedIDs[id] }
