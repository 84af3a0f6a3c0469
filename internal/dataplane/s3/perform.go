package s3

// perform runs the authorized operation. A request that changes something holds its account's gate
// from the last check of the key until the response starts, because the key may have been revoked
// while the body was received. The gate is not held while the client reads.
func (s *Service) perform(x *exchange) error {
	if x.Operation.Mutates() {
		if err := x.enter(); err != nil {
			return err
		}
	}
	return s.answers.Answer(&x.Request)
}
