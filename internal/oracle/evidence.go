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

// evidence is the parsed input, reduced to the scope.
type evidence struct {
	*Input

	// ids are the IDs of the scope's buckets and accounts whose names do not show it.
	ids map[string]bool
	// drivers are the names from the input, and from the drivers' responses.
	drivers map[string]string
	// unprotectedByPerson are the objects whose finalizers a user has removed.
	unprotectedByPerson map[types.UID]bool
	unprotectedIDs      map[string]bool
	events              []journal.Event
	// calls are the calls that sidecars made.
	calls []call
	// versions are the versions of objects in events and observations, in order of time.
	versions []version
}

// gather reads the input twice: first for the IDs, then for all events that concern them.
func gather(in *Input) *evidence {
	e := &evidence{Input: in, ids: map[string]bool{}, drivers: maps.Clone(in.Drivers)}
	var all []version
	for _, m := range e.moments() {
		all = append(all, at(m)...)
	}
	for _, event := range slices.Concat(in.Requests, in.Events) {
		if !e.mayBeOurs(event) {
			continue
		}
		if v, ok := versionOf(event); ok {
			all = append(all, v)
		}
	}
	e.learn(all)
	e.learnNamed()
	slices.SortStableFunc(all, func(a, b version) int { return cmp.Compare(a.seq, b.seq) })
	e.unprotectedByPerson = findUnprotected(all)
	e.unprotectedIDs = e.findUnprotectedIDs(all)
	for _, event := range in.Events {
		if !e.Scope.Concerns(event) && !e.ids[event.Operation.Subject] {
			continue
		}
		e.events = append(e.events, event)
		if made(event) {
			e.calls = append(e.calls, callOf(in, event))
		}
	}
	e.versions = slices.DeleteFunc(all, func(v version) bool { return !e.ours(v) })
	return e
}

// moments returns all observations in order of time.
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

// learn records the IDs of objects of the scope.
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

// learnNamed records the IDs that drivers generated for objects of the scope.
func (e *evidence) learnNamed() {
	for _, event := range e.Events {
		if !made(event) {
			continue
		}
		c := callOf(e.Input, event)
		if c.is(getInfo) && c.id != "" {
			e.introduce(c)
		} else if c.id != "" && c.name != "" && e.Scope.Names(c.name) {
			e.ids[c.id] = true
		}
	}
}

// introduce records the name that a driver returned, unless the input has it.
func (e *evidence) introduce(c call) {
	if e.drivers == nil {
		e.drivers = map[string]string{}
	}
	if e.drivers[c.component] == "" {
		e.drivers[c.component] = c.id
	}
}

// ours reports whether an object is in the scope: by its namespace, by its name, or as the Bucket
// of such a claim.
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

// mayBeOurs is false for events that cannot concern the scope. It is a cheap filter: events of all
// scopes are in the input, and parsing them takes most of the time.
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

// owns reports whether a bucket or account is in the scope, by its ID or its owner.
func (e *evidence) owns(id, owner string) bool {
	if e.Scope.Alone {
		return e.ids[id] || e.Scope.Names(id) && e.Scope.Names(owner)
	}
	return e.ids[id] || e.Scope.Names(id) || e.Scope.Names(owner)
}

func (e *evidence) touched(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(e.External, name) })
}

// of returns the versions of objects of a resource.
func (e *evidence) of(resource string) []version {
	var found []version
	for _, v := range e.versions {
		if v.resource == resource {
			found = append(found, v)
		}
	}
	return found
}

// known returns the latest version of an object that the API server returned before an
// event, or nil.
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
