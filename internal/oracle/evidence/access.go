package evidence

// Access is the access of an account according to the calls.
type Access struct {
	// Buckets are the buckets of all grants, including failed ones, which may have succeeded in the backend.
	Buckets []string
	// Revoked means that the access was revoked after the last grant.
	Revoked bool
	// Events are the sequence numbers of the calls.
	Events []uint64
}

// AccessOf returns the access of an account after an event.
func (e *Evidence) AccessOf(account string, until uint64) Access {
	var a Access
	for _, c := range e.Calls {
		switch {
		case c.Seq > until || c.ID != account:
		case c.Is(GrantAccess):
			a = Access{Buckets: append(a.Buckets, c.Buckets...), Events: append(a.Events, c.Seq)}
		case c.Is(RevokeAccess) && c.OK:
			a = Access{Revoked: true, Events: append(a.Events, c.Seq)}
		}
	}
	return a
}
