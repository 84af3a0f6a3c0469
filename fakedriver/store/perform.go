package store

import (
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// perform does what the request asks for, which has been found to be allowed. A
// request that changes something holds its account's gate from the last look at
// the key to the end of the change, but not while the client reads the answer.
func (s *Store) perform(x *exchange) error {
	if own, ok := ownAnswer(x.operation.Name); ok {
		return own(s, x)
	}
	if err := s.checkConditions(x); err != nil {
		return err
	}
	a := newAnswer(x)
	if err := s.performCore(x, a); err != nil {
		return err
	}
	return a.finish()
}

func (s *Store) performCore(x *exchange, a *answer) error {
	if x.operation.Mutates() {
		x.principal.writes.RLock()
		defer x.principal.writes.RUnlock()
		// The key may have been revoked while the body came in.
		if !s.registry.isLive(x.principal) {
			return s3error.ErrInvalidAccessKeyID
		}
	}
	s.core.ServeHTTP(a, coreRequest(x))
	return nil
}
