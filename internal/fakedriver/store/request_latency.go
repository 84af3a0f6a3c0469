package store

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// delay makes the request as slow as its bucket is to be. It ends early when the
// client goes, or the store closes.
func (s *Store) delay(x *exchange) error {
	b, _ := s.registry.bucket(x.bucket)
	if b.Latency <= 0 {
		return nil
	}
	timer := time.NewTimer(b.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-x.r.Context().Done():
		return s3error.ErrRequestTimeout // nobody reads it
	case <-s.closing:
		return s3error.ErrServiceUnavailable
	}
}
