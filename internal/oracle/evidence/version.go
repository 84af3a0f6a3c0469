package evidence

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Version is an object at one time: as a component wrote it, as the API server returned it, or
// both.
type Version struct {
	Seq          uint64
	Began, Ended time.Time
	Component    string
	Verb         string // empty for an observation
	Resource     string
	Key          string
	Asked        *Object // the body of a write
	Got          *Object // the body of the response
	Result       WriteResult
	// Replaced means that a fault may have replaced the response of a read.
	Replaced bool
	// Releases means that a write may remove finalizers.
	Releases bool
	// removed are the labels and annotations that a patch removes; see every.
	removed []string
}

// WriteResult is the effect of a request on its object.
type WriteResult int

const (
	// Rejected means that the API server did not change the object.
	Rejected WriteResult = iota
	// unknown means that the response is missing, or that a fault replaced it.
	unknown
	// Done means that the API server has done what was requested.
	Done
)

// uncertain are outcomes after which the result is unknown: the connection broke, or the server
// timed out.
var uncertain = []string{
	"Fenced", "Canceled", "DeadlineExceeded", "ConnectionError", "Timeout", "ServerTimeout", "InternalError", "ServiceUnavailable",
	"Internal Server Error", "Gateway Timeout", "Service Unavailable", "Bad Gateway",
}

func resultOf(e journal.Event) WriteResult {
	switch {
	case !e.Failed():
		return Done
	case slices.Contains(uncertain, e.Outcome), e.Fault != "" && e.Component != vocabulary.Administrator:
		return unknown // a fault's own request has its name
	}
	return Rejected
}

// versionOf reads an event of the api seam. It returns false for all others, and for kinds that the
// oracles do not read.
func versionOf(e journal.Event) (Version, bool) {
	if e.Seam != journal.SeamAPI || e.Operation.Subject == "" || strings.HasPrefix(e.Operation.Name, journal.EventPrefix) {
		return Version{}, false // watch events are not operations of the component
	}
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	if KindOf(resource) == "" {
		return Version{}, false
	}
	v := Version{
		Seq: e.Seq, Began: e.Time, Ended: e.Time.Add(e.Duration), Component: e.Component, Verb: verb,
		Resource: resource, Key: e.Operation.Subject, Result: resultOf(e),
	}
	v.Replaced = e.Fault != "" && !e.Write()
	if e.Write() && verb != "delete" {
		v.Asked = read(e.Request)
		v.Releases = verb == "update" || bytes.Contains(e.Request, []byte(`"finalizers"`))
		v.removed = removedBy(e.Request)
	}
	if v.Result == Done {
		v.Got = read(e.Response)
	}
	return v, true
}

// Write reports whether a component has attempted a change.
func (v Version) Write() bool { return v.Verb != "" && v.Verb != "get" }

// Shows reports whether the object had a property when the version ended: the response shows it, or
// the write may have set it.
func (v Version) Shows(has func(*Object) bool) bool {
	return v.Got != nil && has(v.Got) || v.Asks(has) && v.Result != Rejected
}

// Removes reports whether a patch removes a label or an annotation.
func (v Version) Removes(what, name string) bool {
	return slices.Contains(v.removed, what+" "+every) || slices.Contains(v.removed, what+" "+name)
}

// Asks reports whether the body of the write has a property.
func (v Version) Asks(has func(*Object) bool) bool { return v.Asked != nil && has(v.Asked) }

func at(m *observed.Observation) []Version {
	var all []Version
	add := func(resource string, typed any) {
		if o := convert(typed); o != nil {
			all = append(all, Version{Seq: m.After, Resource: resource, Key: o.Key(), Got: o, Result: Done})
		}
	}
	for i := range m.Objects.Claims {
		add(Claims, &m.Objects.Claims[i])
	}
	for i := range m.Objects.Buckets {
		add(Buckets, &m.Objects.Buckets[i])
	}
	for i := range m.Objects.Accesses {
		add(Accesses, &m.Objects.Accesses[i])
	}
	return all
}

// every means all labels, or all annotations.
const every = "*"

// removedBy returns the labels and annotations that a merge patch removes, as "annotation NAME".
func removedBy(patch []byte) []string {
	var change struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(patch, &change) != nil {
		return nil
	}
	var names []string
	for _, field := range []string{"labels", "annotations"} {
		what := strings.TrimSuffix(field, "s") + " "
		if string(change.Metadata[field]) == "null" {
			names = append(names, what+every)
			continue
		}
		var entries map[string]*string
		_ = json.Unmarshal(change.Metadata[field], &entries) // an unreadable patch removes nothing
		for name, value := range entries {
			if value == nil {
				names = append(names, what+name)
			}
		}
	}
	return names
}
