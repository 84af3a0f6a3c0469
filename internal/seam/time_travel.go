package seam

import (
	"encoding/json"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// A component that restarts can get lists from an API server whose cache is late, and go back in time: it sees
// objects that are gone, as they were. See kubernetes/kubernetes#59848.

// presentAt is the key of the revision up to which a component that lists the past is behind. Its first list of a
// resource sets it.
type presentAt struct{ component, resource string }

// momentOf is the key of the revision at which the fault of this name was first applied.
type momentOf struct{ fault string }

// travel freezes the first list of a resource at the moment that the fault names. It does nothing without such a
// moment, and for later lists.
func (r *apiRequest) travel() error {
	c := r.operation
	present := presentAt{c.event.Component, r.info.Resource}
	moment := c.moment()
	if moment == 0 || c.applied.Noted(present) != nil {
		return nil
	}
	resp, err := r.pass()
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it is only read
	now, ok, err := read(resp)
	if err != nil || !ok || now.revision() <= moment {
		return err
	}
	c.applied.Note(present, now.revision())
	c.applied.Note(frozenAt(present), moment+1)
	return nil
}

// lags reports whether a watch event is held, and freezes lists before it. An event after the present of a component
// that lists the past is not.
func (o *operation) lags(at frozenAt, revision uint64) bool {
	if o.effect().AsOf == "" {
		o.applied.Note(at, revision)
		return true
	}
	present, behind := o.applied.Noted(presentAt(at)).(uint64)
	if !behind {
		return false
	}
	if revision > present {
		o.applied.Swap(at, nil)
		return false
	}
	o.applied.Swap(at, revision)
	return true
}

// moment returns the revision of the API server when the fault that the effect names was first applied, since this one
// was added: the latest that an earlier response had. It returns 0 if that fault was not applied.
func (o *operation) moment() uint64 {
	name := o.effect().AsOf
	if name == "" {
		return 0
	}
	if known, ok := o.applied.Noted(momentOf{name}).(uint64); ok {
		return known
	}
	events := o.incarnation.journal.Since(0)
	first := slices.IndexFunc(events, func(e journal.Event) bool { return e.Fault == name && !e.Time.Before(o.applied.Added()) })
	if first < 0 {
		return 0
	}
	latest := uint64(0)
	for _, e := range events {
		var response versioned
		if e.Seam == journal.SeamAPI && !e.Time.Add(e.Duration).After(events[first].Time) && json.Unmarshal(e.Response, &response) == nil {
			latest = max(latest, response.revision())
		}
	}
	if latest > 0 {
		o.applied.Note(momentOf{name}, latest)
	}
	return latest
}
