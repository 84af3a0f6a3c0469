package evidence

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// Evidence is the parsed input, reduced to the scope.
type Evidence struct {
	*observed.Input

	// IDs are the IDs of the scope's buckets and accounts whose names do not show it.
	IDs map[string]bool
	// DriverNames are the names from the input, and from the drivers' responses.
	DriverNames map[string]string
	// Unprotected has the UIDs of the objects whose finalizers a user has removed, or that the API server has deleted
	// despite them.
	Unprotected    map[types.UID]bool
	unprotectedIDs map[string]bool
	// ScopeEvents are the events that concern the scope.
	ScopeEvents []journal.Event
	// Calls are the calls that sidecars made.
	Calls []Call
	// Versions are the versions of objects in events and observations, in order of time.
	Versions []Version
}

// Gather reads the input twice: first for the IDs, then for all events that concern them.
func Gather(in *observed.Input) *Evidence {
	e := &Evidence{Input: in, IDs: map[string]bool{}, DriverNames: maps.Clone(in.Drivers)}
	var all []Version
	for _, m := range e.Moments() {
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
	slices.SortStableFunc(all, func(a, b Version) int { return cmp.Compare(a.Seq, b.Seq) })
	var last *observed.Observation
	if len(e.Observations) > 0 {
		last = &e.Observations[len(e.Observations)-1]
	}
	e.Unprotected = findUnprotected(all, last)
	e.unprotectedIDs = e.findUnprotectedIDs(all)
	for _, event := range in.Events {
		if !e.Scope.Concerns(event) && !e.IDs[event.Operation.Subject] {
			continue
		}
		e.ScopeEvents = append(e.ScopeEvents, event)
		if IsCall(event) {
			e.Calls = append(e.Calls, callOf(in, event))
		}
	}
	e.Versions = slices.DeleteFunc(all, func(v Version) bool { return !e.ours(v) })
	return e
}

// Rule returns the ID of the statement that demands a rule of components and drivers of this version, or "".
func (e *Evidence) Rule(r rule.Rule) string { return r.In(e.IsV1alpha1()) }

// Moments returns all observations in order of time.
func (e *Evidence) Moments() []*observed.Observation {
	var all []*observed.Observation
	if e.Before != nil {
		all = append(all, e.Before)
	}
	for i := range e.Observations {
		all = append(all, &e.Observations[i])
	}
	return all
}

// learn records the IDs of objects of the scope.
func (e *Evidence) learn(versions []Version) {
	for _, v := range versions {
		for _, o := range []*Object{v.Asked, v.Got} {
			if o == nil || !e.ours(v) {
				continue
			}
			for _, id := range []string{o.Status.BucketID, o.Status.AccountID, o.Spec.ExistingBucketID} {
				if id != "" {
					e.IDs[id] = true
				}
			}
		}
	}
}

// learnNamed records the IDs that drivers generated for objects of the scope.
func (e *Evidence) learnNamed() {
	for _, event := range e.Events {
		if !IsCall(event) {
			continue
		}
		c := callOf(e.Input, event)
		if c.Is(GetInfo) && c.ID != "" {
			e.introduce(c)
		} else if c.ID != "" && c.Name != "" && e.Scope.Names(c.Name) {
			e.IDs[c.ID] = true
		}
	}
}

// introduce records the name that a driver returned, unless the input has it.
func (e *Evidence) introduce(c Call) {
	if e.DriverNames == nil {
		e.DriverNames = map[string]string{}
	}
	if e.DriverNames[c.Component] == "" {
		e.DriverNames[c.Component] = c.ID
	}
}

// ours reports whether an object is in the scope: by its namespace, by its name, or as the Bucket
// of such a claim.
func (e *Evidence) ours(v Version) bool {
	namespace, _, namespaced := strings.Cut(v.Key, "/")
	if namespaced {
		return e.Scope.HasNamespace(namespace)
	}
	for _, o := range []*Object{v.Got, v.Asked} {
		if o != nil && o.Spec.BucketClaimRef.Namespace != "" {
			return e.Scope.HasNamespace(o.Spec.BucketClaimRef.Namespace)
		}
	}
	return e.Scope.Names(v.Key)
}

// mayBeOurs is false for events that cannot concern the scope. It is a cheap filter: events of all
// scopes are in the input, and parsing them takes most of the time.
func (e *Evidence) mayBeOurs(event journal.Event) bool {
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

// Owns reports whether a bucket or account is in the scope, by its ID or its owner.
func (e *Evidence) Owns(id, owner string) bool {
	if e.Scope.Alone {
		return e.IDs[id] || e.Scope.Names(id) && e.Scope.Names(owner)
	}
	return e.IDs[id] || e.Scope.Names(id) || e.Scope.Names(owner)
}

// Touched reports whether one of the names was changed without COSI.
func (e *Evidence) Touched(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(e.External, name) })
}

// Of returns the versions of objects of a resource.
func (e *Evidence) Of(resource string) []Version {
	var found []Version
	for _, v := range e.Versions {
		if v.Resource == resource {
			found = append(found, v)
		}
	}
	return found
}

// Known returns the last version of an object that was known when a write had its effect, or nil. The journal
// may have a later version before the write, whose request was longer.
func (e *Evidence) Known(resource, key string, write Version) *Object {
	var latest *Object
	for _, v := range e.Versions {
		if v.Seq >= write.Seq {
			break
		}
		if v.Resource == resource && v.Key == key && v.Got != nil && !v.Got.OlderThan(latest) && !write.Got.OlderThan(v.Got) {
			latest = v.Got
		}
	}
	return latest
}
