package oracle

import (
	"fmt"
	"slices"
)

// openKeys finds keys with too much access: any access after the revocation, and buckets that were
// not granted.
func openKeys(e *evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		for _, use := range m.KeyUses {
			if e.touched(use.Account) {
				continue // a step has changed its grants
			}
			switch a := e.accessOf(use.Account, m.After); {
			case len(a.events) == 0: // not granted by COSI
			case a.revoked:
				found = append(found, Finding{
					Subject: "account " + use.Account, Events: a.events,
					Message: fmt.Sprintf("a key of account %q %s %s, although the access was revoked", use.Account, useOf(use), m.Name),
				})
			case use.Bucket != "" && !slices.Contains(a.buckets, use.Bucket):
				found = append(found, Finding{
					Subject: "account " + use.Account, Events: a.events,
					Message: fmt.Sprintf("a key of account %q %s %s, which was not granted", use.Account, useOf(use), m.Name),
				})
			}
		}
	}
	return found
}

func useOf(u KeyUse) string {
	if u.Bucket == "" {
		return "is accepted"
	}
	return fmt.Sprintf("opens bucket %q", u.Bucket)
}

// granted is an account's access according to the calls.
type granted struct {
	buckets []string // of all grants, including failed ones, which may have succeeded in the backend
	revoked bool
	events  []uint64
}

// accessOf returns the access of an account after an event.
func (e *evidence) accessOf(account string, until uint64) granted {
	var a granted
	for _, c := range e.calls {
		switch {
		case c.seq > until || c.id != account:
		case c.is(grantAccess):
			a = granted{buckets: append(a.buckets, c.buckets...), events: append(a.events, c.seq)}
		case c.is(revokeAccess) && c.ok:
			a = granted{revoked: true, events: append(a.events, c.seq)}
		}
	}
	a.events = a.events[max(0, len(a.events)-maxShown):]
	return a
}
