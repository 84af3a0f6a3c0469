package checks

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/internal/conformance/process"
	"github.com/cosi-emu/cosi-emu/internal/counted"
)

const (
	sayListen = "Plugin components SHALL create, bind, and listen for RPCs on the specified listen address."
	sayLong   = "The Provisioner Sidecar expects that a Plugin SHALL act as a long-running service vs. an on-demand, CLI-driven process."
	sayTerm   = "by first sending a TERM (aka. SIGTERM) signal, with a grace period timeout, to the main process in each container"
)

func needsProcess(env *Env) string {
	if env.Process != nil {
		return ""
	}
	return "the suite has not started the driver; have it do so with a driver command"
}

// resume starts the driver at the end of a check that has ended it, before anything is removed.
func (c *C) resume() {
	c.later(func(ctx context.Context) error {
		if c.env.Process.Running() {
			return nil
		}
		return c.env.Process.Start(ctx, process.How{})
	})
}

// start starts the driver, and fails the check if it does not answer.
func (c *C) start(how process.How) {
	c.resume()
	if err := c.env.Process.Start(c.Context, how); err != nil {
		c.fail("the driver starts, and answers DriverGetInfo", "%v", err)
	}
	if how.Endpoint != "" {
		return
	}
	if reason := c.reachable(); reason != "" {
		c.fail("the driver answers DriverGetInfo after its start", "%s", reason)
	}
}

func (c *C) crash() {
	c.env.Process.Kill()
	c.start(process.How{})
}

// processes has the checks of the driver's process as Kubernetes runs it.
func processes() []*Check { return append(startOrder(), endings()...) }

func startOrder() []*Check {
	return []*Check{
		{
			ID: "CS-01", Title: "The driver listens at $COSI_ENDPOINT", Profile: CrashSafety, Level: Must, Classes: []string{"D22"},
			Rule: sourceEndpoint.says(sayListen), Needs: []Need{needsProcess},
			run: func(c *C) {
				c.env.Process.Stop()
				c.start(process.How{Endpoint: c.env.Process.Elsewhere("other")})
				c.env.Process.Stop()
			},
		},
		{
			ID: "CS-02", Title: "The driver starts where a process that was killed has left its socket", Profile: CrashSafety, Level: Must,
			Classes: []string{"D22"}, Rule: sourceEndpoint.says(sayListen), Needs: []Need{needsProcess},
			run: func(c *C) {
				c.env.Process.Kill()
				c.setup("leave a socket", c.env.Process.LeaveSocket())
				c.start(process.How{KeepSocket: true})
			},
		},
		{
			ID: "CS-03", Title: "The driver answers a caller that waits for its socket", Profile: CrashSafety, Level: Must,
			Classes: []string{"D22"}, Rule: sourceBootstrap.says("COSI system: observe that socket now exists, establish connection."),
			Needs: []Need{needsProcess},
			run: func(c *C) {
				c.env.Process.Kill()
				c.resume()
				c.setup("start the driver", c.env.Process.Launch(process.How{}))
				_, err := c.Driver.Info(c.Context)
				c.wantOK("DriverGetInfo, which is called from before the start on,", err)
				c.setup("start the driver", c.env.Process.Await(c.Context))
			},
		},
		{
			ID: "CS-04", Title: "The driver starts while its backend fails, and serves when the backend is back", Profile: CrashSafety,
			Level: Should, Classes: []string{"D22"}, Rule: sourceService.says(sayLong), Needs: []Need{needsProcess, needsBackend},
			run: func(c *C) {
				c.env.Process.Stop()
				c.resume()
				c.failBackend()
				c.setup("start the driver", c.env.Process.Launch(process.How{}))
				c.giveUp()
				if !c.env.Process.Running() {
					c.fail("the driver waits for its backend", "its process has ended")
				}
				c.heal()
				if err := c.env.Process.Await(c.Context); err != nil {
					c.fail("the driver answers when its backend is back", "%v", err)
				}
				_, err := c.create(c.bucketRequest())
				c.wantOK("DriverCreateBucket", err)
			},
		},
	}
}

func endings() []*Check {
	return []*Check{
		{
			ID: "CS-05", Title: "The driver exits with status 0, or by the signal, within 10 seconds of SIGTERM", Profile: CrashSafety,
			Level: Should, Rule: sourcePods.says(sayTerm), Needs: []Need{needsProcess},
			run: func(c *C) {
				c.resume()
				if exit := c.env.Process.Stop(); !exit.Clean() {
					c.fail("exit status 0 or 143, or the end by SIGTERM", "%s", exit)
				}
			},
		},
		{
			ID: "CS-06", Title: "Calls during SIGTERM are answered, or ask for a retry", Profile: CrashSafety, Level: Should,
			Rule: sourcePods.says(sayTerm), Needs: []Need{needsProcess},
			run: func(c *C) {
				errs := c.callUntilStop()
				for _, err := range errs {
					if !mayEnd(status.Code(err)) {
						c.fail("each call returns OK, UNAVAILABLE, ABORTED or CANCELLED", "%s", explain(err))
					}
				}
			},
		},
		{
			ID: "CS-07", Title: "A DriverCreateBucket that SIGTERM has interrupted can be repeated", Profile: CrashSafety, Level: Must,
			Classes: []string{"D05", "D06"}, Rule: sourceTimeouts.says(sayRetry), Needs: []Need{needsProcess},
			run: func(c *C) {
				took := measure(func() { c.bucket() })
				stop := func() { c.env.Process.Stop() }
				c.ended([]float64{0, afterEnd}, took, stop, c.createAndRepeat("a repeated DriverCreateBucket")) // a stop may take 10 seconds
			},
		},
	}
}

func mayEnd(code codes.Code) bool {
	switch code {
	case codes.OK, codes.Unavailable, codes.Aborted, codes.Canceled:
		return true
	default:
		return false
	}
}

// callUntilStop makes parallel calls without a pause, until the driver has ended by SIGTERM. It
// returns the last error of each caller.
func (c *C) callUntilStop() []error {
	requests := make([]port.BucketRequest, parallel)
	for i := range requests {
		requests[i] = c.bucketRequest()
		_, err := c.create(requests[i])
		c.setup("DriverCreateBucket", err)
		_, err = c.create(requests[i])
		c.setup("a repeated DriverCreateBucket", err)
	}
	c.resume()
	calling := make(chan struct{}, parallel)
	done := make(chan []error, 1)
	go func() {
		_, errs := together(c, parallel, func(ctx context.Context, i int) (struct{}, error) {
			for first := true; ; first = false {
				if _, err := c.Raw.CreateBucket(ctx, requests[i]); err != nil {
					calling <- struct{}{}
					return struct{}{}, err
				}
				if first {
					calling <- struct{}{}
				}
			}
		})
		done <- errs
	}()
	for range parallel {
		<-calling
	}
	c.env.Process.Stop()
	return <-done
}

// output has the checks of the driver's output and of its ends, in the whole run. They come last.
func output() []*Check {
	return []*Check{
		{
			ID: "CS-20", Title: "The driver's process never ends by itself", Profile: CrashSafety, Level: Must, Classes: []string{"D09"},
			Rule: sourceService.says(sayLong), Needs: []Need{needsProcess},
			run: func(c *C) {
				if exits := c.env.Process.Exits(); len(exits) > 0 {
					c.fail("the process ends by a signal of the suite only", "it ended %s by itself: %s", counted.Of(len(exits), "time"), exits[0])
				}
			},
		},
		{
			ID: "LG-01", Title: "The driver prints no secret that it hands out", Profile: Core, Level: Must, Classes: []string{"D21"},
			Rule: sourceMessages.says(saySensitive), Needs: []Need{needsProcess},
			run: func(c *C) {
				_, _ = c.granted()
				c.wantSilence("no secret of a response in the output", handedOut)
			},
		},
		{
			ID: "LG-02", Title: "The driver prints no secret of its configuration", Profile: Core, Level: Should, Classes: []string{"D21"},
			Rule:  sourceLogs.says("Plugins SHOULD NOT write potentially sensitive data to logs (e.g. secrets)."),
			Needs: []Need{needsProcess, needsSecretVariable},
			run:   func(c *C) { c.wantSilence("no secret variable in the output", Configured) },
		},
	}
}

// Configured is the prefix of the owners of secrets in the driver's configuration.
const Configured = "variable "

func needsSecretVariable(env *Env) string {
	if env.SecretVariables > 0 {
		return ""
	}
	return "no variable of the driver is a secret by its name"
}

// wantSilence ends the check if the driver has printed a secret. It restarts the driver first, so
// that its output is complete.
func (c *C) wantSilence(want, owner string) {
	c.resume()
	c.env.Process.Stop()
	for _, leak := range c.env.History.leaks() {
		for _, of := range leak.Leaks {
			if strings.HasPrefix(strings.TrimPrefix(of, "account "), owner) {
				c.fail(want, "%s", leak.Message)
			}
		}
	}
}
