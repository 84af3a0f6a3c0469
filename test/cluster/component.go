package cluster

import (
	"context"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Component is a controller or a sidecar, of any version.
type Component interface {
	Start(ctx context.Context) error
	WaitReady(ctx context.Context) error
}

// Config returns the connection of a component with a ServiceAccount of package deploy. It
// has the rights of deploy/rbac, and its requests are recorded.
func (c *Cluster) Config(serviceAccount string) *rest.Config {
	c.Helper()
	return c.ConfigIn(deploy.Namespace, serviceAccount)
}

// ConfigIn is Config for a ServiceAccount of any namespace, whose rights the test has granted.
func (c *Cluster) ConfigIn(namespace, serviceAccount string) *rest.Config {
	c.Helper()
	cfg, err := c.plane.UserConfig("system:serviceaccount:"+namespace+":"+serviceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+namespace, "system:authenticated")
	c.Must(err)
	cfg.Wrap(c.Requests.Wrap)
	return cfg
}

// Machine returns the cluster with a recorder of its own, for the second of two components.
func (c *Cluster) Machine() *Cluster {
	machine := *c
	machine.Requests = &Requests{}
	*c.machines = append(*c.machines, machine.Requests)
	return &machine
}

// Run is a component that runs.
type Run struct {
	// Cancel has the component end. Ended gets what Start has returned.
	Cancel context.CancelFunc
	Ended  <-chan error

	stop func()
}

// Launch starts a component, and does not wait until it is ready. The component ends with
// the test. Its error is the caller's, unless Stop is called.
func (c *Cluster) Launch(component Component) *Run {
	c.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		ended <- component.Start(ctx)
	}()
	c.Cleanup(func() {
		cancel()
		<-over
	})
	return &Run{Cancel: cancel, Ended: ended, stop: sync.OnceFunc(func() {
		cancel()
		if err := harness.Receive(c, "the component stops", ended); err != nil {
			c.Errorf("the component ended with an error: %v", err)
		}
	})}
}

// Start starts a component, and returns when it is ready. It ends with the test, or with
// Stop. An error of its end fails the test.
func (c *Cluster) Start(component Component) *Run {
	c.Helper()
	run := c.Launch(component)
	c.Cleanup(run.stop)
	ctx, cancel := context.WithTimeout(c.Context(), harness.Timeout)
	defer cancel()
	c.Must(component.WaitReady(ctx))
	return run
}

// Stop stops the component, if it still runs. An error of its end fails the test.
func (r *Run) Stop() { r.stop() }
