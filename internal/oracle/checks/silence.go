package checks

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// maxShown is the maximum number of events that a finding lists.
const maxShown = 5

// brokenSilence finds observations in which components were still active.
func brokenSilence(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		from := m.After
		if m.Active { // then all events since the previous observation are relevant
			from = 0
			if i > 0 {
				from = e.Observations[i-1].Until
			}
		} else if retries(e, m) {
			continue
		}
		if loop := crashLoopBefore(e, i); m.Active && loop != nil {
			found = append(found, Finding{
				Rule:    e.Rule(rule.SilenceAtRest),
				Message: fmt.Sprintf("no silence %s: %s", m.Name, loop), Subject: loop.component, Events: loop.ends[max(0, len(loop.ends)-maxShown):],
			})
		} else if loud := breaksOfSilence(e, from, m.Until); len(loud) > 0 && !onlyWaits(m, loud[len(loud)-1]) {
			last := loud[len(loud)-1]
			found = append(found, Finding{
				Rule:    e.Rule(rule.SilenceAtRest),
				Message: fmt.Sprintf("no silence %s: the last was %s by %s", m.Name, last.Operation, last.Component),
				Subject: last.Operation.Subject, Events: numbers(loud[max(0, len(loud)-maxShown):]),
			})
		}
	}
	return found
}

// leastWait is how long a call has no answer before its component counts as waiting: a component that calls again and again has a
// call in flight, too.
const leastWait = time.Second

// onlyWaits reports whether the components have done nothing but wait for a driver for a while after the last event: oracles that
// judge objects tell what is missing.
func onlyWaits(m *observed.Observation, last journal.Event) bool {
	return slices.ContainsFunc(m.Waiting, func(call journal.Event) bool {
		seen := call.Time.Add(call.Duration)
		return call.Duration >= leastWait && seen.Sub(last.Time.Add(last.Duration)) >= leastWait
	})
}

// breaksOfSilence returns the scope's events in an interval that an idle system does not have.
func breaksOfSilence(e *evidence.Evidence, after, until uint64) []journal.Event {
	var found []journal.Event
	for _, event := range e.ScopeEvents {
		if event.Changes() && event.Seq > after && event.Seq <= until {
			found = append(found, event)
		}
	}
	return found
}

func numbers(events []journal.Event) []uint64 {
	var all []uint64
	for _, event := range events {
		all = append(all, event.Seq)
	}
	return all
}

func retries(e *evidence.Evidence, m *observed.Observation) bool {
	for i := range m.Objects.Buckets {
		if o := &m.Objects.Buckets[i]; e.Scope.HasNamespace(o.Spec.BucketClaimRef.Namespace) && failing(o.Status.Conditions) {
			return true
		}
	}
	for i := range m.Objects.Accesses {
		if o := &m.Objects.Accesses[i]; e.Scope.HasNamespace(o.Namespace) && failing(o.Status.Conditions) {
			return true
		}
	}
	return false
}
