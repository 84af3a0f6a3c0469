package store

// perform does what the request asks for, which has been found to be allowed. A
// request that changes something holds its account's gate from the last look at
// the key, which may have been revoked while the body came in, to the beginning
// of the answer, but not while the client reads it.
func (s *Store) perform(x *exchange) error {
	if x.operation.Mutates() {
		if err := s.enter(x); err != nil {
			return err
		}
	}
	if own, ok := ownAnswer(x.operation.Name); ok {
		return own(s, x)
	}
	if err := s.checkConditions(x); err != nil {
		return err
	}
	a := newAnswer(x)
	s.core.ServeHTTP(a, coreRequest(x))
	return a.finish()
}
