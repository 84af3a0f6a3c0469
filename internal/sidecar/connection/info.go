package connection

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

var infoBackoff = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 6, Cap: 2 * time.Second}

// awaitInfo calls DriverGetInfo until it succeeds, or fails with a terminal error, or ctx is done.
// Then the error is the driver's latest.
func (c *Conn) awaitInfo(ctx context.Context) (Info, error) {
	var (
		info Info
		last error
	)
	err := infoBackoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		var err error
		if info, err = c.askInfo(ctx); err == nil || IsTerminal(err) {
			return true, err
		}
		if last == nil || ctx.Err() == nil { // otherwise the deadline of ctx has interrupted the call
			last = err
		}
		return false, nil
	})
	if err != nil && last != nil && ctx.Err() != nil {
		return Info{}, last
	}
	return info, err
}

func (c *Conn) askInfo(ctx context.Context) (Info, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.RPCTimeout)
	defer cancel()
	return c.generation.GetInfo(ctx, c.conn)
}
