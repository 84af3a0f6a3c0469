package checks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/conformance/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// Restart restarts a driver.
type Restart func(ctx context.Context) error

// Result is the result of a check.
type Result struct {
	State string
	// Reason is the reason why the check was not decided.
	Reason string
	// Unreachable means that the driver did not answer at all.
	Unreachable bool
	// Expected and Got are set after a failure.
	Expected, Got string
	Exchanges     []description.Exchange
	// Leftovers are buckets and accounts that could not be removed.
	Leftovers []string
	// Events are the whole timeline, even for a passed check.
	Events []journal.Event
	Took   time.Duration
}

// C is a running check. Its methods without a result end the check if the driver is wrong.
type C struct {
	Context context.Context //nolint:containedctx // it lives as long as the check
	// Driver is patient, and Raw is not.
	Driver, Raw port.Driver

	env   *Env
	check *Check
	// protocol is the protocol of the check's requests.
	protocol port.Protocol
	record   *recorder
	names    int
	// any is the ID of a bucket that anyBucket has created.
	any    string
	nameOf map[string]string
	// acquired are requests, and IDs of buckets and accounts, for which cleanup has a removal; true for an
	// ID that the driver has returned.
	acquired map[string]bool
	cleanup  []func(context.Context) error

	mu     sync.Mutex
	result Result
}

// Run runs a check that applies, with a deadline, and removes its buckets and accounts.
func (c *Check) Run(ctx context.Context, env *Env) Result {
	start := time.Now()
	record := &recorder{}
	mark := env.History.Journal.Mark()
	base := observeData(context.WithValue(ctx, recorderKey{}, record), env.History.Journal)
	checkCtx, cancel := context.WithTimeout(base, max(env.Timeout, c.limit))
	defer cancel()
	deaths := env.deaths()
	alive := func() bool { return len(env.deaths()) == len(deaths) || env.Process.Running() }
	run := &C{
		Context: checkCtx, Driver: port.PatientWhile(env.Driver, env.CallTimeout, alive), Raw: env.Driver,
		env: env, check: c, protocol: cmp.Or(c.protocol, env.Protocol), record: record, result: Result{State: Pass},
		nameOf: map[string]string{}, acquired: map[string]bool{},
	}
	run.do() //nolint:contextcheck // the check has the context
	run.result.blame(env.deaths()[len(deaths):])
	if run.result.State != Pass {
		run.result.Exchanges = record.all(env.History.Redact)
		run.result.Got, run.result.Reason = env.History.Redact(run.result.Got), env.History.Redact(run.result.Reason)
	}
	run.clean(context.WithoutCancel(base))
	run.result.Events = eventsOf(env.History.Journal, mark)
	run.result.Took = time.Since(start)
	return run.result
}

// deaths describes the ends of the driver's process that the suite did not ask for.
func (e *Env) deaths() []string {
	if e.Process == nil {
		return nil
	}
	return e.Process.Exits()
}

// blame adds the end of the driver's process to a result: the errors of its calls are consequences.
func (r *Result) blame(deaths []string) {
	if len(deaths) == 0 {
		return
	}
	switch r.State {
	case Fail:
		r.Got += ": the driver's process ended by itself: " + deaths[0]
	case NotReached:
		r.Reason += ": the driver's process ended by itself: " + deaths[0]
	}
}

// do runs the check in a goroutine, which the check's methods end.
func (c *C) do() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.revive()
		c.check.run(c)
	}()
	<-done // every wait of a check ends with its context
}

// revive restarts a driver that does not answer. Without a restart, the check is not reached.
func (c *C) revive() {
	reason := "the driver's process has ended"
	if c.env.Process == nil || c.env.Process.Running() {
		reason = c.reachable()
	}
	if reason != "" && c.env.Restart != nil {
		if err := c.env.Restart(c.Context); err != nil {
			reason += ", and cannot be restarted: " + err.Error()
		} else {
			reason = c.reachable()
		}
	}
	if reason != "" {
		c.end(Result{State: NotReached, Reason: reason, Unreachable: true})
	}
}

// reachable returns why the driver does not answer, or "".
func (c *C) reachable() string {
	ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
	defer cancel()
	if _, err := c.Driver.Info(ctx); err != nil {
		return "the driver does not answer DriverGetInfo: " + err.Error()
	}
	return ""
}

func (c *C) end(result Result) {
	c.mu.Lock()
	c.result = result
	c.mu.Unlock()
	runtime.Goexit()
}

// fail ends the check: the driver is wrong.
func (c *C) fail(expected, got string, args ...any) {
	c.end(Result{State: Fail, Expected: expected, Got: fmt.Sprintf(got, args...)})
}

// notSupported ends the check: the feature is optional for the driver.
func (c *C) notSupported(reason string, err error) {
	c.end(Result{State: NotSupported, Reason: reason + ": " + err.Error()})
}

// notReached ends the check: an earlier step, with checks of its own, does not work.
func (c *C) notReached(step string, err error) {
	c.end(Result{State: NotReached, Reason: fmt.Sprintf("%s: %v", step, err)})
}

// notProved ends the check: its calls succeeded, and nothing shows their effect.
func (c *C) notProved(reason string, args ...any) {
	c.end(Result{State: NotProved, Reason: fmt.Sprintf(reason, args...)})
}

// setup ends the check as not reached if a step before it failed.
func (c *C) setup(step string, err error) {
	if err != nil {
		c.notReached(step, err)
	}
}

// wantOK ends the check unless a call succeeded.
func (c *C) wantOK(call string, err error) {
	if err != nil {
		c.fail(call+" returns OK", "%s", explain(err))
	}
}

// wantSame ends the check if a repeated call has returned another ID.
func (c *C) wantSame(kind, first, second string) {
	if first != second {
		c.fail(fmt.Sprintf("%s %q", kind, first), "%s %q", kind, second)
	}
}

// wantError ends the check if a call succeeded.
func (c *C) wantError(call string, err error) {
	switch status.Code(err) {
	case codes.OK:
		c.fail(call+" is rejected", "OK")
	case codes.DeadlineExceeded, codes.Unavailable, codes.Canceled:
		c.fail(call+" is rejected at once", "%s", explain(err))
	default:
	}
}

// wantCode ends the check if a call succeeded, or failed with another code. A check of codes
// considers only these: another check requires the rejection.
func (c *C) wantCode(call string, err error, want ...codes.Code) {
	if err == nil {
		c.notReached(call, errors.New("it was accepted"))
	}
	if !slices.Contains(want, status.Code(err)) {
		c.fail(fmt.Sprintf("%s returns %v", call, want), "%s", explain(err))
	}
}

func explain(err error) string {
	s := status.Convert(err)
	return fmt.Sprintf("%s: %s", s.Code(), s.Message())
}

// uid returns a fresh text like the UID of an object. It depends on the seed.
func (c *C) uid() string {
	c.names++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", c.env.Seed, c.check.ID, c.names))
	h := hex.EncodeToString(sum[:])
	return h[:8] + "-" + h[8:12] + "-4" + h[12:15] + "-8" + h[15:18] + "-" + h[18:30]
}

// later registers a removal for the end of the check.
func (c *C) later(remove func(context.Context) error) { c.cleanup = append(c.cleanup, remove) }

func (c *C) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.env.Timeout)
	defer cancel()
	for _, remove := range slices.Backward(c.cleanup) {
		if err := remove(ctx); err != nil {
			c.result.Leftovers = append(c.result.Leftovers, c.env.History.Redact(err.Error()))
		}
	}
}
