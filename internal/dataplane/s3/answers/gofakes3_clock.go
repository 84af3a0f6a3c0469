package answers

import "time"

// clock is the store's clock in the form that gofakes3 takes.
type clock func() time.Time

// Now implements gofakes3.TimeSource.
func (c clock) Now() time.Time { return c().UTC() }

// Since implements gofakes3.TimeSource.
func (c clock) Since(t time.Time) time.Duration { return c().Sub(t) }
