package s3core

import "time"

// clock is the store's clock for gofakes3.
type clock func() time.Time

func (c clock) Now() time.Time { return c().UTC() }

func (c clock) Since(t time.Time) time.Duration { return c().Sub(t) }
