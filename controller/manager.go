package controller

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/controller/internal/index"
)

// leaseName is the Lease by which several instances elect the one that works.
const leaseName = "cosi-controller-leader"

func newManager(cfg *rest.Config, opts Options) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	mgr, err := manager.New(unthrottled(cfg), manager.Options{
		Scheme:                        scheme,
		Logger:                        opts.Logger,
		Cache:                         cacheOptions(),
		Client:                        clientOptions(),
		Metrics:                       metricsserver.Options{BindAddress: opts.MetricsBindAddress},
		HealthProbeBindAddress:        opts.HealthProbeBindAddress,
		LeaderElection:                opts.LeaderElection,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       opts.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
		// Names of reconcilers are unique within a process only by default, and
		// a process may have several controllers.
		Controller: config.Controller{SkipNameValidation: new(true), Logger: opts.Logger},
	})
	if err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("ping", healthz.Ping)
}

// unthrottled leaves it to the API server's priority and fairness to slow the
// client down, unless the caller wants a limit.
func unthrottled(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	if cfg.QPS == 0 && cfg.RateLimiter == nil {
		cfg.QPS = -1
	}
	return cfg
}

// cacheOptions switch the resync off, which the controller does not need and
// which would break the silence of a settled system.
func cacheOptions() cache.Options {
	return cache.Options{
		SyncPeriod:                  new(time.Duration(0)),
		DefaultTransform:            cache.TransformStripManagedFields(),
		ReaderFailOnMissingInformer: true,
	}
}

// prepareCache makes the cache hold all kinds from the start, so that an instance
// that stands by for the Lease is ready to take over, and so that WaitReady knows
// what to wait for.
func prepareCache(ctx context.Context, mgr manager.Manager) error {
	for _, kind := range []client.Object{
		&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketClass{},
		&v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessClass{},
	} {
		if _, err := mgr.GetCache().GetInformer(ctx, kind, cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("informer of %T: %w", kind, err)
		}
	}
	return index.Register(ctx, mgr.GetFieldIndexer())
}

// clientOptions let a reconcile see what earlier ones have written, which saves
// conflicts. Nothing depends on it: an instance knows nothing of the writes of
// the one before it.
func clientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}}
}

func reconcilerOptions(opts Options) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: opts.Workers,
		ReconciliationTimeout:   reconcileTimeout,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			opts.RetryBaseDelay, opts.RetryMaxDelay),
	}
}
