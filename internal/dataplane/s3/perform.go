package s3

import (
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

// perform runs the authorized operation. A request that changes something holds its account's gate
// from the last check of the key until the response starts, because the key may have been revoked
// while the body was received. The gate is not held while the client reads.
func (s *Service) perform(x *s3exchange.Exchange) error {
	if x.Operation.Mutates() {
		if x.Caller.Enter() != nil {
			return s3error.ErrInvalidAccessKeyID
		}
	}
	return s.answers.Answer(x)
}
