package conformance

import (
	"context"
	"fmt"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
)

const (
	// slowFactor multiplies the default limits for a driver that does not answer within them.
	slowFactor = 4
	// maxUnanswered is after how many calls without any answer a method is not called again.
	maxUnanswered = 3
)

// unanswered stops the calls of a method that has never answered, so that the checks without it are
// reached soon. It is safe for concurrent use.
type unanswered struct {
	mu       sync.Mutex
	answered map[string]bool
	timeouts map[string]int
	limit    time.Duration
}

func newUnanswered(limit time.Duration) *unanswered {
	return &unanswered{answered: map[string]bool{}, timeouts: map[string]int{}, limit: limit}
}

// setLimit sets the limit of a call, and gives all methods another chance.
func (u *unanswered) setLimit(limit time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.limit, u.timeouts = limit, map[string]int{}
}

func (u *unanswered) intercept(
	ctx context.Context, method string, request, response any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if err := u.refusal(path.Base(method)); err != nil {
		return err
	}
	started := time.Now()
	err := invoke(ctx, method, request, response, conn, opts...)
	u.note(path.Base(method), status.Code(err), time.Since(started))
	return err
}

func (u *unanswered) refusal(method string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.answered[method] || u.timeouts[method] < maxUnanswered {
		return nil
	}
	return status.Errorf(codes.DeadlineExceeded,
		"%s has not answered %d calls within %s, and is not called again; --call-timeout sets the limit",
		method, maxUnanswered, u.limit)
}

func (u *unanswered) note(method string, code codes.Code, took time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case code == codes.Canceled:
	case isTimeout(code, took, u.limit):
		u.timeouts[method]++
	case code != codes.Unavailable && code != codes.DeadlineExceeded: // others come from the driver
		u.answered[method] = true
	}
}

// isTimeout reports whether a call ended by the limit. A check ends some calls earlier.
func isTimeout(code codes.Code, took, limit time.Duration) bool {
	return code == codes.DeadlineExceeded && took >= limit*9/10
}

// adapt runs a check again with longer limits if a call did not answer within the default ones. If it answers
// then, the limits stay, and the report has the reason.
func (s *session) adapt(ctx context.Context, check *checks.Check, result checks.Result) checks.Result {
	method := timedOut(result, s.env.CallTimeout)
	if method == "" || !s.adaptive {
		return result
	}
	s.adaptive = false
	before := s.limits()
	s.setLimits(slowFactor*s.env.CallTimeout, slowFactor*s.env.Timeout)
	again := check.Run(ctx, s.env)
	if timedOut(again, s.env.CallTimeout) == method {
		s.setLimits(before.call, before.check)
		return again
	}
	s.report.Slow = fmt.Sprintf("The driver is slow: %s did not answer within %s. From check %s on, a call has %s, and a check %s; "+
		"--call-timeout and --timeout set these limits.", method, before.call, check.ID, s.env.CallTimeout, s.env.Timeout)
	return again
}

type limits struct{ call, check time.Duration }

func (s *session) limits() limits { return limits{s.env.CallTimeout, s.env.Timeout} }

func (s *session) setLimits(call, check time.Duration) {
	s.env.CallTimeout, s.env.Timeout = call, check
	s.unanswered.setLimit(call)
}

// timedOut returns the method of the last call that ended by the limit, or "".
func timedOut(result checks.Result, limit time.Duration) string {
	method := ""
	for _, e := range result.Exchanges {
		if e.Code == codes.DeadlineExceeded.String() && isTimeout(codes.DeadlineExceeded, e.Took, limit) {
			method = e.Method
		}
	}
	return method
}
