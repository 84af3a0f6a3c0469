package s3

// perform does what the request asks for, which has been found to be allowed. A
// request that changes something holds its account's gate from the last look at
// the key, which may have been revoked while the body came in, to the beginning
// of the answer, but not while the client reads it.
func (s *Service) perform(x *exchange) error {
	if x.Operation.Mutates() {
		if err := x.enter(); err != nil {
			return err
		}
	}
	return s.answers.Answer(&x.Request)
}
