package harness

import (
	"context"
	"fmt"
	"testing"
	"time"
)

const (
	// Timeout is how long a test waits for anything. Only a test that fails waits that long, so
	// it leaves room for a machine with twenty processes for each processor.
	Timeout = 5 * time.Minute

	interval = 10 * time.Millisecond
	// quiet is how long a count must stay the same before Settle returns it.
	quiet = 300 * time.Millisecond
)

// Context returns a context for one operation of a test, which ends after Timeout. It also works
// in a cleanup function, where the test's context has ended.
func Context(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), Timeout)
	tb.Cleanup(cancel)
	return ctx
}

// Until calls holds until it returns true. An error ends the test at once; so
// does a wait that is longer than Timeout. It also works in a cleanup function,
// where the test's context has ended.
func Until(tb testing.TB, what string, holds func(ctx context.Context) (bool, error)) {
	tb.Helper()
	if err := poll(tb, holds); err != nil {
		tb.Fatalf("%s: condition not met: %v", what, err)
	}
}

// Eventually calls check until it returns nil. If that takes longer than
// Timeout, it fails the test with the last error.
func Eventually(tb testing.TB, what string, check func(ctx context.Context) error) {
	tb.Helper()
	var last error
	err := poll(tb, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		tb.Fatalf("%s: condition not met after %s: %v", what, Timeout, last)
	}
}

// Receive returns the next value of the channel. If none comes within Timeout,
// it fails the test. From a closed channel it returns the zero value.
func Receive[T any](tb testing.TB, what string, from <-chan T) T {
	tb.Helper()
	timer := time.NewTimer(Timeout)
	defer timer.Stop()
	select {
	case value := <-from:
		return value
	case <-timer.C:
		tb.Fatalf("%s: nothing received after %s", what, Timeout)
		panic("unreachable")
	}
}

// Settle waits until the count has stayed the same for a while, and returns it.
func Settle(tb testing.TB, what string, count func() int) int {
	tb.Helper()
	last, since := count(), time.Now()
	Eventually(tb, what, func(context.Context) error {
		if now := count(); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return fmt.Errorf("the count still changes; it is %d", last)
		}
		return nil
	})
	return last
}

func poll(tb testing.TB, holds func(context.Context) (bool, error)) error {
	tb.Helper()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(tb.Context()), Timeout, fmt.Errorf("%s have passed", Timeout))
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if done, err := holds(ctx); done || err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
