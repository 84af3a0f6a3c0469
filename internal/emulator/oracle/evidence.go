package oracle

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// evidence is the input, read and reduced to the scope.
type evidence struct {
	*Input

	// ids are the IDs in the backend that are known to be of the scope, although
	// their names do not show it.
	ids map[string]bool
	// drivers are the input's, and those that have told their names.
	drivers map[string]string
	// unprotectedByPerson are the objects whose finalizers a person has removed.
	unprotectedByPerson map[types.UID]bool
	// events are those of the scope.
	events []journal.Event
	// calls are those that sidecars have made.
	calls []call
	// versions are of the events and the moments, in the order of time.
	versions []version
}

// gather reads the input twice: once to learn the IDs, and once to find all that
// is about them.
func gather(in *Input) *evidence {
	e := &evidence{Input: in, ids: map[string]bool{}, drivers: maps.Clone(in.Drivers)}
	var all []version
	for _, m := range e.moments() {
		all = append(all, at(m)...)
	}
	for _, event := range in.Events {
		if !e.mayBeOurs(event) {
			continue
		}
		if v, ok := versionOf(event); ok {
			all = append(all, v)
		}
	}
	e.learn(all)
	e.learnNamed()
	e.unprotectedByPerson = findUnprotected(all)
	e.External = append(slices.Clone(in.External), e.unprotectedIDs(all)...)
	for _, event := range in.Events {
		if !e.Scope.Concerns(event) && !e.ids[event.Operation.Subject] {
			continue
		}
		e.events = append(e.events, event)
		if made(event) {
			e.calls = append(e.calls, callOf(event))
		}
	}
	e.versions = slices.DeleteFunc(all, func(v version) bool { return !e.ours(v) })
	slices.SortStableFunc(e.versions, func(a, b version) int { return cmp.Compare(a.seq, b.seq) })
	return e
}

// moments are all that are known of, in the order of time.
func (e *evidence) moments() []*Observation {
	var all []*Observation
	if e.Before != nil {
		all = append(all, e.Before)
	}
	for i := range e.Observations {
		all = append(all, &e.Observations[i])
	}
	return all
}

// learn remembers the IDs of objects of the scope.
func (e *evidence) learn(versions []version) {
	for _, v := range versions {
		for _, o := range []*object{v.asked, v.got} {
			if o == nil || !e.ours(v) {
				continue
			}
			for _, id := range []string{o.Status.BucketID, o.Status.AccountID, o.Spec.ExistingBucketID} {
				if id != "" {
					e.ids[id] = true
				}
			}
		}
	}
}

// learnNamed remembers the IDs that drivers have named for objects of the scope.
func (e *evidence) learnNamed() {
	for _, event := range e.Events {
		if !made(event) {
			continue
		}
		c := callOf(event)
		if c.is(getInfo) && c.id != "" {
			e.introduce(c)
		} else if c.id != "" && c.name != "" && e.Scope.Names(c.name) {
			e.ids[c.id] = true
		}
	}
}

// introduce remembers what a driver calls itself, unless the input says it.
func (e *evidence) introduce(c call) {
	if e.drivers == nil {
		e.drivers = map[string]string{}
	}
	if e.drivers[c.component] == "" {
		e.drivers[c.component] = c.id
	}
}

// ours reports whether an object is of the scope: by its namespace, by its name,
// or because it is the Bucket of a claim that is.
func (e *evidence) ours(v version) bool {
	namespace, _, namespaced := strings.Cut(v.key, "/")
	if namespaced {
		return e.Scope.HasNamespace(namespace)
	}
	for _, o := range []*object{v.got, v.asked} {
		if o != nil && o.Spec.BucketClaimRef.Namespace != "" {
			return e.Scope.HasNamespace(o.Spec.BucketClaimRef.Namespace)
		}
	}
	return e.Scope.Names(v.key)
}

// mayBeOurs is false for events that show no object of the scope, as ours has it. To
// read them all would take most of the time, where many scopes are judged at the same
// time, each of which has the events of all.
func (e *evidence) mayBeOurs(event journal.Event) bool {
	if e.Scope.Alone {
		return true
	}
	namespace, _, namespaced := strings.Cut(event.Operation.Subject, "/")
	if namespaced {
		return e.Scope.HasNamespace(namespace)
	}
	return e.Scope.Names(event.Operation.Subject) || slices.ContainsFunc(e.Scope.Namespaces, func(of string) bool {
		return bytes.Contains(event.Request, []byte(of)) || bytes.Contains(event.Response, []byte(of))
	})
}

// owns reports whether something in the backend is of the scope, by its ID or by
// the driver that has made it.
func (e *evidence) owns(id, owner string) bool {
	if e.Scope.Alone {
		return e.ids[id] || e.Scope.Names(id) && e.Scope.Names(owner)
	}
	return e.ids[id] || e.Scope.Names(id) || e.Scope.Names(owner)
}

func (e *evidence) touched(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(e.External, name) })
}

// of yields the versions of a resource.
func (e *evidence) of(resource string) []version {
	var found []version
	for _, v := range e.versions {
		if v.resource == resource {
			found = append(found, v)
		}
	}
	return found
}

// known returns the latest version of an object that came back before an event,
// or nil.
func (e *evidence) known(resource, key string, before uint64) *object {
	var latest *object
	for _, v := range e.versions {
		if v.seq >= before {
			break
		}
		if v.resource == resource && v.key == key && v.got != nil {
			latest = v.got
		}
	}
	return latest
}
