package controller

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/cosi-emu/cosi-emu/internal/controller/bucket"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketclaim"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

// ErrStopped is wrapped by the error of WaitReady when the controller has stopped
// before it was ready. The error of Start says why.
var ErrStopped = cosimanager.ErrStopped

// eventSource is the name of the controller in Events.
const eventSource = "cosi-controller"

// Controller is one instance of the COSI controller. It can be started once.
type Controller struct {
	manager *cosimanager.Manager
}

// New returns a Controller for the cluster and the user of cfg. The
// CustomResourceDefinitions must be installed. New contacts the API server and opens
// the listeners of opts, but starts nothing.
func New(cfg *rest.Config, opts Options) (*Controller, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("options of the controller: %w", err)
	}
	opts = opts.withDefaults()
	m, err := newManager(cfg, opts)
	if err != nil {
		return nil, fmt.Errorf("set up the controller's manager: %w", err)
	}
	if err := prepareCache(context.Background(), m); err != nil {
		return nil, fmt.Errorf("set up the controller's cache: %w", err)
	}
	if err := addMetrics(context.Background(), m); err != nil {
		return nil, fmt.Errorf("set up the controller's metrics: %w", err)
	}
	if err := addReconcilers(m, opts); err != nil {
		return nil, err
	}
	return &Controller{manager: m}, nil
}

// Start runs the controller until ctx is done, and returns when all its workers have
// stopped, or when it fails. The loss of the Lease is a failure.
func (c *Controller) Start(ctx context.Context) error {
	return c.manager.Start(ctx)
}

// WaitReady blocks until the controller reconciles: it is the leader, if there is an
// election, and its caches have synced. If that cannot happen any more, the error
// wraps ErrStopped, and otherwise the error of ctx.
func (c *Controller) WaitReady(ctx context.Context) error {
	if err := c.manager.WaitReady(ctx); err != nil {
		return fmt.Errorf("the controller is not ready: %w", err)
	}
	return nil
}

func addMetrics(ctx context.Context, mgr manager.Manager) error {
	if err := cosimetrics.RegisterOperations(); err != nil {
		return err
	}
	return cosimetrics.WatchOperations(ctx, mgr.GetCache(), mgr.Elected())
}

// addReconcilers adds all reconcilers of the controller.
func addReconcilers(mgr manager.Manager, opts Options) error {
	protector := claimprotection.New(mgr.GetClient(), mgr.GetAPIReader())
	recorder := mgr.GetEventRecorder(eventSource)
	apiErrors := cosievents.NewAPIErrors(recorder)
	claims := &bucketclaim.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: recorder, APIErrors: apiErrors, Protector: protector,
	}
	if err := claims.SetupWithManager(mgr, options(opts)); err != nil {
		return fmt.Errorf("set up the reconciler of BucketClaims: %w", err)
	}
	accesses := &bucketaccess.Reconciler{
		Client: mgr.GetClient(), Recorder: recorder, APIErrors: apiErrors, Protector: protector,
	}
	if err := accesses.SetupWithManager(mgr, options(opts)); err != nil {
		return fmt.Errorf("set up the reconciler of BucketAccesses: %w", err)
	}
	buckets := bucket.New(mgr.GetClient(), mgr.GetAPIReader(), recorder, apiErrors)
	if err := buckets.SetupWithManager(mgr, options(opts)); err != nil {
		return fmt.Errorf("set up the reconciler of Buckets: %w", err)
	}
	return nil
}

// options returns the options of one reconciler.
func options(opts Options) controller.Options {
	return controller.Options{RateLimiter: opts.settings().RateLimiter()}
}
