package controller

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controller/instance"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// ErrStopped is wrapped by the error of WaitReady when the controller has stopped before it was
// ready. Start returns the cause.
var ErrStopped = cosimanager.ErrStopped

// LeaseName is the name of the Lease by which several instances elect a leader.
const LeaseName = instance.LeaseName

// Controller is one instance of the COSI controller. It can be started once.
type Controller struct {
	instance *instance.Instance
}

// New returns a Controller for the cluster and the user of cfg. The
// CustomResourceDefinitions must be installed. New contacts the API server and opens
// the listeners of opts, but starts nothing.
func New(cfg *rest.Config, opts Options) (*Controller, error) {
	i, err := instance.New(cfg, instance.Options(opts), version())
	if err != nil {
		return nil, err
	}
	return &Controller{instance: i}, nil
}

// Start runs the controller until ctx is done, and returns when all its workers have
// stopped, or when it fails. The loss of the Lease is a failure.
func (c *Controller) Start(ctx context.Context) error { return c.instance.Start(ctx) }

// WaitReady blocks until the controller reconciles: it is the leader, if there is an election, and
// its caches have synced. If that has become impossible, the error wraps ErrStopped; otherwise it
// is the error of ctx.
func (c *Controller) WaitReady(ctx context.Context) error { return c.instance.WaitReady(ctx) }
