package s3

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// delay delays the request by its bucket's latency. It returns early when the client disconnects or
// the store closes.
func (s *Service) delay(x *s3exchange.Exchange) error {
	b, _ := s.options.Store.Registry().Bucket(x.Bucket)
	if b.Latency <= 0 {
		return nil
	}
	timer := time.NewTimer(b.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-x.R.Context().Done():
		return s3error.ErrRequestTimeout // the client has disconnected
	case <-s.options.Store.Closing():
		return s3error.ErrServiceUnavailable
	}
}
