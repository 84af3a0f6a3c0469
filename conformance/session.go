package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/conformance/endtoend"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	reconnect    = 50 * time.Millisecond
	maxReconnect = time.Second
	// maxStart is how long a driver may take until it listens.
	maxStart = 3 * time.Second
	// maxSilent is after how many checks without an answer the run ends.
	maxSilent = 2
)

// session is a run of the suite.
type session struct {
	config  Config
	driver  *supervision // nil for a driver that runs already
	conn    *grpc.ClientConn
	env     *checks.Env
	problem error // why no check can run
	silent  int   // how many checks in a row the driver did not answer
	// adaptive means that the limits are the defaults, and may be longer for a slow driver.
	adaptive   bool
	unanswered *unanswered
	rerun      func(id string) string
	report     *Report
	// endpoint is where the driver listens.
	endpoint string
	// stop stops what runs scenarios.
	stop func(context.Context) error
}

// open connects to a driver, and detects its name and dialect. A driver that does not answer is
// not an error: all its checks are not reached.
func open(ctx context.Context, config Config) (*session, error) {
	if err := config.Validate(); err != nil { //nolint:contextcheck // a check gets its context when it runs
		return nil, err
	}
	adaptive := config.CallTimeout == 0 && config.Timeout == 0
	config = config.withDefaults()
	history := &checks.History{Journal: journal.New(journal.Options{})}
	history.WatchOutput()
	s := &session{config: config, rerun: func(id string) string {
		return fmt.Sprintf("%s --only %s --seed %s", config.Rerun, id, config.Seed)
	}, endpoint: config.Endpoint, stop: func(context.Context) error { return nil }}
	s.adaptive, s.unanswered = adaptive, newUnanswered(config.CallTimeout)
	var err error
	if s.driver, err = supervise(ctx, config, history.Journal); err != nil {
		return nil, err
	}
	if s.driver != nil {
		s.endpoint = s.driver.driver.Endpoint()
	}
	if s.conn, err = connect(s.endpoint, config, s.interceptors(history)...); err != nil {
		return nil, errors.Join(fmt.Errorf("endpoint %q: %w", config.Endpoint, err), s.driver.close(ctx))
	}
	s.env = &checks.Env{
		Parameters: config.Parameters, Backend: config.Backend, Restart: config.Restart, Destructive: config.AllowDestructive, Seed: config.Seed,
		CallTimeout: config.CallTimeout, Timeout: config.Timeout, Settle: config.Settle, History: history,
	}
	if s.driver != nil {
		s.env.Process, s.env.Restart, s.env.SecretVariables = s.driver.driver, s.driver.driver.Restart, secretVariables(config)
	}
	s.report = &Report{
		SpecVersions: []string{port.V1alpha1, port.V1alpha2}, ToolVersion: config.Version, Seed: config.Seed, Endpoint: config.Endpoint,
		Started: time.Now(), Command: history.Redact(strings.Join(config.DriverCommand, " ")),
		Profiles: config.Profiles, Only: config.Only, Skip: config.Skip,
	}
	if s.driver != nil && s.driver.failure != nil {
		s.problem = s.driver.failure
	} else {
		s.problem = s.discover(ctx)
	}
	return s, nil
}

// interceptors see the calls of the checks.
func (s *session) interceptors(history *checks.History) []grpc.UnaryClientInterceptor {
	all := []grpc.UnaryClientInterceptor{history.Intercept, s.unanswered.intercept}
	if s.driver == nil || s.driver.controlPlane == nil {
		return all
	}
	objects := &bucketObjects{controlPlane: s.driver.controlPlane, driverName: func() string { return s.env.Info.Name }}
	return append([]grpc.UnaryClientInterceptor{objects.intercept}, all...)
}

// connect returns a connection whose calls the interceptors see.
func connect(endpoint string, config Config, interceptors ...grpc.UnaryClientInterceptor) (*grpc.ClientConn, error) {
	return grpc.NewClient(endpoint, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithChainUnaryInterceptor(interceptors...),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: reconnect, Multiplier: 2, MaxDelay: maxReconnect}, MinConnectTimeout: config.CallTimeout,
		}),
	}, config.DialOptions...)...)
}

// discover finds out the dialect, the name and the protocols of the driver.
func (s *session) discover(ctx context.Context) error {
	connected, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	s.awaitConnection(connected)
	driver, err := port.For(ctx, s.conn, s.config.Generation, s.config.Dialect, s.config.CallTimeout)
	if err != nil {
		return err
	}
	s.env.History.Dialect = driver.Dialect()
	ctx, cancel = context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	info, err := driver.Info(ctx)
	if err != nil {
		return fmt.Errorf("DriverGetInfo: %w", err)
	}
	s.env.Driver, s.env.Info, s.env.Protocol = driver, info, cosiv1alpha2.ObjectProtocol_S3
	if len(info.Protocols) > 0 && !slices.Contains(info.Protocols, s.env.Protocol) {
		s.env.Protocol = info.Protocols[0]
	}
	s.identify(info.Name, driver.Dialect())
	for _, p := range info.Protocols {
		s.report.Protocols = append(s.report.Protocols, p.String())
	}
	if len(info.Protocols) == 0 {
		s.env.Protocol = checks.DiscoverProtocol(ctx, s.env)
		s.report.Protocols = []string{s.env.Protocol.String()}
	}
	s.prepareEndToEnd()
	return nil
}

// identify notes who the driver is.
func (s *session) identify(name string, dialect dialects.Dialect) {
	s.report.Driver, s.report.Generation, s.report.Dialect = name, dialect.Version(), dialect
	s.report.Differences = dialect.Differences()
	if s.config.OnDialect != nil {
		s.config.OnDialect(dialect)
	}
}

// awaitConnection waits until the driver listens: its author may just have started it. If
// it does not listen in time, the first call returns the reason.
func (s *session) awaitConnection(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	for state := s.conn.GetState(); state != connectivity.Ready; state = s.conn.GetState() {
		s.conn.Connect()
		if !s.conn.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// prepareEndToEnd prepares what runs scenarios. It starts when the first one runs.
func (s *session) prepareEndToEnd() {
	if !endtoend.IsEndpoint(s.endpoint) {
		return
	}
	options := endtoend.Options{
		Program: s.config.Program, DriverFlags: s.config.DriverFlags,
		Driver: s.endpoint, Dialect: s.env.Driver.Dialect(), CallTimeout: s.config.CallTimeout, Version: s.config.Version,
		ControlPlaneKind: s.config.ControlPlaneKind, ControlPlaneDir: s.config.ControlPlaneDir,
		BucketParameters: s.config.Parameters.Bucket, AccessParameters: s.config.Parameters.Access,
		S3Endpoint: s.config.Parameters.S3Endpoint,
	}
	runner := endtoend.New(options)
	s.env.EndToEnd, s.stop = runner, runner.Close
}

func (s *session) close(ctx context.Context) error {
	return errors.Join(s.stop(ctx), s.conn.Close(), s.driver.close(ctx))
}

// selected returns the checks of the run: none if the driver's dialect is unknown.
func (s *session) selected() []*checks.Check {
	if s.problem != nil {
		return nil
	}
	return slices.DeleteFunc(checks.All(), func(c *checks.Check) bool { return !s.config.selects(c) })
}

// run runs a check. If it cannot, the result has the reason.
func (s *session) run(ctx context.Context, check *checks.Check) Result {
	started := time.Now()
	result := newResult(check, s.report.Dialect, s.decide(ctx, check))
	result.Started = started
	if result.Failure != nil {
		result.Failure.Rerun = s.rerun(check.ID)
	}
	s.report.Results = append(s.report.Results, result)
	if s.config.OnResult != nil {
		s.config.OnResult(result)
	}
	return result
}

func (s *session) decide(ctx context.Context, check *checks.Check) checks.Result {
	switch {
	case slices.Contains(s.config.Skip, check.ID):
		return checks.Result{State: checks.Skipped, Reason: "skipped by the configuration"}
	case s.problem != nil:
		return checks.Result{State: checks.NotReached, Reason: "the driver does not answer"}
	case ctx.Err() != nil:
		return checks.Result{State: checks.NotReached, Reason: "the run was cancelled"}
	}
	if reason := check.Applies(s.env); reason != "" {
		return checks.Result{State: checks.NotSupported, Reason: reason}
	}
	result := s.adapt(ctx, check, check.Run(ctx, s.env))
	if ctx.Err() != nil && result.State != checks.Pass {
		result.State, result.Reason, result.Unreachable = checks.NotReached, "the run was cancelled", false
	}
	if !result.Unreachable {
		s.silent = 0
		return result
	}
	s.silent++
	if s.silent >= maxSilent {
		s.problem = errors.New("the driver does not answer any more: " + result.Reason)
	}
	return result
}

// finish returns the report of all checks that have ended.
func (s *session) finish() *Report {
	if s.problem != nil {
		s.report.Problem = s.problem.Error()
	}
	s.report.Parameters = redacted(s.config.Parameters, s.env.History)
	s.report.Took = time.Since(s.report.Started)
	s.report.judge(s.config)
	return s.report
}
