package conformance

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestIntercept: a method is called until it has let three calls reach the limit without any answer before.
func TestIntercept(t *testing.T) {
	t.Parallel()
	const limit, calls = 10 * time.Second, 8
	hangs := func(ctx context.Context, _ int) error {
		<-ctx.Done()
		return status.FromContextError(ctx.Err()).Err()
	}
	answers := func(call int, code codes.Code) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			if i == call {
				return status.Error(code, "an answer")
			}
			return hangs(ctx, i)
		}
	}
	for name, tc := range map[string]struct {
		behaviour func(ctx context.Context, call int) error
		deadline  time.Duration
		want      int
	}{
		"never":                          {hangs, limit, 3},
		"first call":                     {answers(0, codes.OK), limit, calls},
		"third call":                     {answers(2, codes.OK), limit, calls},
		"fourth call comes too late":     {answers(3, codes.OK), limit, 3},
		"an error is an answer":          {answers(1, codes.Internal), limit, calls},
		"a broken connection is none":    {answers(1, codes.Unavailable), limit, 4},
		"the driver's own deadline":      {answers(1, codes.DeadlineExceeded), limit, 4},
		"a call that was ended is none":  {answers(1, codes.Canceled), limit, 4},
		"a check that ends calls sooner": {hangs, limit / 2, calls},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				u, called := newUnanswered(limit), 0
				invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
					called++
					return tc.behaviour(ctx, called-1)
				}
				for range calls {
					ctx, cancel := context.WithTimeout(t.Context(), tc.deadline)
					_ = u.intercept(ctx, "/Provisioner/DriverGrantBucketAccess", nil, nil, nil, invoke)
					cancel()
				}
				if called != tc.want {
					t.Errorf("%d of %d calls reached the driver, want %d", called, calls, tc.want)
				}
			})
		})
	}
}
