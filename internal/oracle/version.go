package oracle

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// version is an object at one time: as a component wrote it, as the API server returned it, or
// both.
type version struct {
	seq          uint64
	began, ended time.Time
	component    string
	verb         string // empty for an observation
	resource     string
	key          string
	asked        *object // the body of a write
	got          *object // the body of the response
	result       writeResult
	// replaced means that a fault may have replaced the response of a read.
	replaced bool
	// releases means that a write may remove finalizers.
	releases bool
	// removes are the labels and annotations that a patch removes; see every.
	removes []string
}

type writeResult int

const (
	// rejected: the API server did not change the object.
	rejected writeResult = iota
	// unknown: the response is missing, or a fault replaced it.
	unknown
	done
)

// uncertain are outcomes after which the result is unknown: the connection broke, or the server
// timed out.
var uncertain = []string{
	"Fenced", "Canceled", "DeadlineExceeded", "ConnectionError", "Timeout", "ServerTimeout", "InternalError", "ServiceUnavailable",
	"Internal Server Error", "Gateway Timeout", "Service Unavailable", "Bad Gateway",
}

func resultOf(e journal.Event) writeResult {
	switch {
	case !e.Failed():
		return done
	case slices.Contains(uncertain, e.Outcome), e.Fault != "" && e.Component != vocabulary.Administrator:
		return unknown // a fault's own request has its name
	}
	return rejected
}

// versionOf reads an event of the api seam. It returns false for all others, and for kinds that the
// oracles do not read.
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
	v.replaced = e.Fault != "" && !e.Write()
	if e.Write() && verb != "delete" {
		v.asked = read(e.Request)
		v.releases = verb == "update" || bytes.Contains(e.Request, []byte(`"finalizers"`))
		v.removes = removed(e.Request)
	}
	if v.result == done {
		v.got = read(e.Response)
	}
	return v, true
}

// write reports whether a component has attempted a change.
func (v version) write() bool { return v.verb != "" && v.verb != "get" }

// shows reports whether the object had a property when the version ended: the response shows it, or
// the write may have set it.
func (v version) shows(has func(*object) bool) bool {
	return v.got != nil && has(v.got) || v.asks(has) && v.result != rejected
}

func (v version) asks(has func(*object) bool) bool { return v.asked != nil && has(v.asked) }

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
