package authorization

import "fmt"

// Revocation and requests meet at the account's gate, Principal.gate. A request that changes
// something holds it, shared, from the last check of its key to the beginning of its answer; other
// requests only for the beginning of the answer. A revocation first makes the key unknown, and then
// waits for the gate. So, after a revocation, nothing is changed with the key any more, and every
// new answer is an error; slow clients, sending or receiving data, delay no revocation. An answer
// that has already started is completed. The lock of the administrative methods is taken before the
// gate.

// Enter holds the gate of the caller's account until Leave. It must not be held while waiting for
// the client. The error is of kind ErrIdentity if the key is revoked, even after the request, or
// half of its body, has arrived.
func (c *Caller) Enter() error {
	for !c.entered {
		c.principal.gate.RLock()
		current, live := c.registry.current(c)
		if live && current == c.principal {
			c.entered = true
			return nil
		}
		c.principal.gate.RUnlock()
		if !live {
			return fmt.Errorf("key %w", ErrIdentity)
		}
		c.principal = current // a session outlives the key of its account
	}
	return nil
}

// Leave releases the gate, if there is a caller and it holds the gate.
func (c *Caller) Leave() {
	if c != nil && c.entered {
		c.entered = false
		c.principal.gate.RUnlock()
	}
}

// IsLive reports whether requests of the caller may still be answered: its account exists, and
// still has the same key.
func (c *Caller) IsLive() bool {
	current, live := c.registry.current(c)
	return live && current == c.principal
}

// current returns the current account of a caller, if the key is still valid. A session's account
// may have been replaced.
func (r *Registry) current(c *Caller) (*Principal, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if c.session != nil {
		return r.accounts[c.session.Account], r.sessions[c.session.AccessKeyID] == c.session
	}
	return c.principal, r.keys[c.principal.Account.AccessKeyID] == c.principal
}

// WaitForRequests returns when the requests that have entered the gate before have left it.
func (p *Principal) WaitForRequests() {
	p.gate.Lock()
	p.gate.Unlock() //nolint:staticcheck,gocritic // acquiring it is all
}
