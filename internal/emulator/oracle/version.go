package oracle

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// version is an object as it was seen at one time: as a component has asked for
// it, as the API server has answered, or both.
type version struct {
	seq          uint64
	began, ended time.Time
	component    string
	verb         string // empty: of a moment, and not of an event
	resource     string
	key          string
	asked        *object // what a write asks for
	got          *object // what came back
	result       writeResult
	// releases says that a write may take finalizers off.
	releases bool
}

// writeResult is what is known of a write.
type writeResult int

const (
	// rejected: the API server has not done it.
	rejected writeResult = iota
	// unknown: no answer came back, or one that was made up by a fault.
	unknown
	// done: it has.
	done
)

// uncertain are the outcomes of a request of which it is not known whether it was
// done: the connection broke, or the server gave up.
var uncertain = []string{
	"Fenced", "Canceled", "DeadlineExceeded", "ConnectionError", "Timeout", "ServerTimeout", "InternalError", "ServiceUnavailable",
	"Internal Server Error", "Gateway Timeout", "Service Unavailable", "Bad Gateway",
}

func resultOf(e journal.Event) writeResult {
	switch {
	case !e.Failed():
		return done
	case e.Fault != "", slices.Contains(uncertain, e.Outcome):
		return unknown
	}
	return rejected
}

// versionOf reads an event of the api seam; it returns false for all others, and
// for kinds that no oracle knows.
func versionOf(e journal.Event) (version, bool) {
	if e.Seam != journal.SeamAPI || e.Operation.Subject == "" || strings.HasPrefix(e.Operation.Name, journal.EventPrefix) {
		return version{}, false // watch events are not operations of the component
	}
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	if kinds[resource] == "" {
		return version{}, false
	}
	v := version{
		seq: e.Seq, began: e.Time, ended: e.Time.Add(e.Duration), component: e.Component, verb: verb,
		resource: resource, key: e.Operation.Subject, result: resultOf(e),
	}
	if e.Write() && verb != "delete" {
		v.asked = read(e.Request)
		v.releases = verb == "update" || bytes.Contains(e.Request, []byte(`"finalizers"`))
	}
	if v.result == done {
		v.got = read(e.Response)
	}
	return v, true
}

// write reports whether a component has tried to change something.
func (v version) write() bool { return v.verb != "" && v.verb != "get" }

// shows reports whether the object is known to have had something, at the latest
// when the version ended: it came back so, or it may have been written so.
func (v version) shows(has func(*object) bool) bool {
	return v.got != nil && has(v.got) || v.asks(has) && v.result != rejected
}

// asks reports whether a component has tried to write something.
func (v version) asks(has func(*object) bool) bool { return v.asked != nil && has(v.asked) }

// at returns the versions of a moment.
func at(m *Observation) []version {
	var all []version
	add := func(resource string, typed any) {
		if o := convert(typed); o != nil {
			all = append(all, version{seq: m.After, resource: resource, key: o.key(), got: o, result: done})
		}
	}
	for i := range m.Objects.Claims {
		add(claims, &m.Objects.Claims[i])
	}
	for i := range m.Objects.Buckets {
		add(buckets, &m.Objects.Buckets[i])
	}
	for i := range m.Objects.Accesses {
		add(accesses, &m.Objects.Accesses[i])
	}
	return all
}
