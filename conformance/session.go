package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/conformance/endtoend"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const (
	reconnect    = 50 * time.Millisecond
	maxReconnect = time.Second
	// maxSilent is after how many checks without an answer the run ends.
	maxSilent = 2
)

// session is a run of the suite.
type session struct {
	config  Config
	conn    *grpc.ClientConn
	env     *checks.Env
	problem error // why no check can run
	silent  int   // how many checks in a row the driver did not answer
	report  *Report
	// stop stops what runs scenarios.
	stop func(context.Context) error
}

// open connects to a driver, and finds out what it is. A driver that does not answer is not
// an error: all its checks are not reached.
func open(ctx context.Context, config Config) (*session, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	history := &checks.History{}
	conn, err := grpc.NewClient(config.Endpoint, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithChainUnaryInterceptor(history.Intercept),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: reconnect, Multiplier: 2, MaxDelay: maxReconnect}, MinConnectTimeout: config.CallTimeout,
		}),
	}, config.DialOptions...)...)
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", config.Endpoint, err)
	}
	s := &session{config: config, conn: conn, env: &checks.Env{
		Parameters: checks.Parameters(config.Parameters), Restart: config.Restart, Destructive: config.AllowDestructive, Seed: config.Seed,
		CallTimeout: config.CallTimeout, Timeout: config.Timeout, Settle: config.Settle, History: history,
	}, stop: func(context.Context) error { return nil }}
	s.report = &Report{
		SpecVersions: []string{port.V1alpha1, port.V1alpha2}, ToolVersion: config.Version, Seed: config.Seed, Endpoint: config.Endpoint,
		Started: time.Now(),
	}
	s.problem = s.discover(ctx)
	return s, nil
}

// discover finds out the generation, the name and the protocols of the driver.
func (s *session) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	driver, err := port.For(ctx, s.conn, s.config.Generation)
	if err != nil {
		return fmt.Errorf("DriverGetInfo: %w", err)
	}
	info, err := driver.Info(ctx)
	if err != nil {
		return fmt.Errorf("DriverGetInfo: %w", err)
	}
	s.env.Driver, s.env.Info, s.env.Protocol = driver, info, cosiv1alpha2.ObjectProtocol_S3
	if len(info.Protocols) > 0 && !slices.Contains(info.Protocols, s.env.Protocol) {
		s.env.Protocol = info.Protocols[0]
	}
	s.report.Driver, s.report.Generation = info.Name, driver.Generation()
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

// prepareEndToEnd prepares what runs scenarios. It starts when the first one runs.
func (s *session) prepareEndToEnd() {
	if !endtoend.IsEndpoint(s.config.Endpoint) {
		return
	}
	options := endtoend.Options{
		Driver: s.config.Endpoint, API: objectstorage.V1alpha2, CallTimeout: s.config.CallTimeout, Version: s.config.Version,
		BucketParameters: s.config.Parameters.Bucket, AccessParameters: s.config.Parameters.Access,
	}
	if s.env.Driver.Generation() == port.V1alpha1 {
		options.API = objectstorage.V1alpha1
	}
	runner := endtoend.New(options)
	s.env.EndToEnd, s.stop = runner, runner.Close
}

func (s *session) close(ctx context.Context) error { return errors.Join(s.stop(ctx), s.conn.Close()) }

// selected returns the checks of the run.
func (s *session) selected() []*checks.Check {
	return slices.DeleteFunc(checks.All(), func(c *checks.Check) bool { return !s.config.selects(c) })
}

// run runs a check, or says why not.
func (s *session) run(ctx context.Context, check *checks.Check) Result {
	result := newResult(check, s.decide(ctx, check))
	if result.Failure != nil {
		result.Failure.Rerun = fmt.Sprintf("cosi-emu conformance --endpoint %s --only %s --seed %s", s.config.Endpoint, check.ID, s.config.Seed)
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
	result := check.Run(ctx, s.env)
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
	s.report.Took = time.Since(s.report.Started)
	s.report.judge(s.config)
	return s.report
}
