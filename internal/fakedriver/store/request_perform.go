package store

import "github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"

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
	if err := s.openBucket(x); err != nil {
		return err
	}
	return s.answer(x)
}

// openBucket finds what is in the bucket. It goes by the bucket's UID: another bucket of
// the same name is not what the account was found to reach.
func (s *Store) openBucket(x *exchange) (err error) {
	if x.level == s3op.Service || x.operation.Reserved {
		return nil
	}
	x.conditions = readConditions(x.r.Header, "")
	x.contents, err = s.contents.Bucket(x.uid)
	return err
}
