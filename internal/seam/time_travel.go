package seam

import (
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// A component that restarts can get lists from an API server whose cache is late, and go back in time: it sees
// objects that are gone, as they were. See kubernetes/kubernetes#59848.

// presentAt is the key of the revision up to which a component that lists the past is behind. Its first list of a
// resource sets it.
type presentAt struct{ component, resource string }

// momentKey is the key of the revision at the moment that a fault names.
type momentKey struct{}

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

// lags reports whether a watch event is held, and freezes lists before it. Of a component that lists the past, an event
// after its first list is not held.
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

// moment returns the revision of the API server at the moment that the fault names, or 0 if it has not come: the latest
// that a response had before.
func (o *operation) moment() uint64 {
	at := o.applied.Moment()
	if at.IsZero() {
		return 0
	}
	if known, ok := o.applied.Noted(momentKey{}).(uint64); ok {
		return known
	}
	latest := uint64(0)
	for _, e := range o.incarnation.journal.Since(0) {
		var response versioned
		if e.Seam == journal.SeamAPI && !e.Time.Add(e.Duration).After(at) && json.Unmarshal(e.Response, &response) == nil {
			latest = max(latest, response.revision())
		}
	}
	o.applied.Note(momentKey{}, latest)
	return latest
}
