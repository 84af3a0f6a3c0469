package controllertest

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// user is what the manifests in deploy/ make the controller.
const user = "system:serviceaccount:cosi-system:cosi-controller"

// Controller is a controller of any version.
type Controller interface {
	Start(ctx context.Context) error
	WaitReady(ctx context.Context) error
}

// Instance is one life of a controller.
type Instance struct {
	// Cancel tells the controller to end. Its error comes from Ended.
	Cancel context.CancelFunc
	Ended  chan error

	tb       testing.TB
	requests *cluster.Requests
	ignore   goleak.Option
}

// Config returns the connection of a controller, which has the rights of deploy/rbac. Its
// requests are recorded.
func Config(tb testing.TB, plane controlplane.ControlPlane, requests *cluster.Requests) *rest.Config {
	tb.Helper()
	cfg, err := plane.UserConfig(user, "system:serviceaccounts", "system:authenticated")
	if err != nil {
		tb.Fatalf("make credentials of the controller: %v", err)
	}
	cfg.Wrap(requests.Wrap)
	return cfg
}

// Start starts a controller, and returns when it is ready.
func Start(tb testing.TB, requests *cluster.Requests, newController func() (Controller, error)) *Instance {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	i := &Instance{Cancel: cancel, Ended: make(chan error, 1), tb: tb, requests: requests, ignore: goleak.IgnoreCurrent()}
	c, err := newController()
	if err != nil {
		tb.Fatalf("make a controller: %v", err)
	}
	go func() { i.Ended <- c.Start(ctx) }()
	ready, done := context.WithTimeout(ctx, harness.Timeout)
	defer done()
	if err := c.WaitReady(ready); err != nil {
		i.Stop()
		tb.Fatalf("wait for the controller: %v", err)
	}
	return i
}

// Stop stops the controller and checks that nothing of it is left.
func (i *Instance) Stop() {
	i.Cancel()
	if err := <-i.Ended; err != nil {
		i.tb.Errorf("controller ended with: %v", err)
	}
	if i.tb.Failed() {
		return
	}
	harness.Eventually(i.tb, "no goroutine is left", func(context.Context) error {
		i.requests.CloseIdle() // once the last request has ended
		return goleak.Find(append(leaks.IgnoreControlPlane(), i.ignore)...)
	})
}

// Describe adds to an error what the controller has written and logged.
func Describe(err error, requests *cluster.Requests, log *LogBook) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\nwrites of the controller: %v\nlog of the controller:\n%s", err, requests.Writes(), log)
}
