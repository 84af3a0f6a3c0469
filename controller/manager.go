package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// LeaseName is the Lease by which several instances elect the one that works.
const LeaseName = "cosi-controller-leader"

func newManager(cfg *rest.Config, opts Options) (*cosimanager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return cosimanager.New(cfg, manager.Options{
		Scheme:                  scheme,
		Logger:                  opts.Logger,
		Metrics:                 metricsserver.Options{BindAddress: opts.MetricsBindAddress},
		HealthProbeBindAddress:  opts.HealthProbeBindAddress,
		LeaderElection:          opts.LeaderElection,
		LeaderElectionID:        LeaseName,
		LeaderElectionNamespace: opts.LeaderElectionNamespace,
		LeaseDuration:           &opts.LeaseDuration,
		RenewDeadline:           &opts.RenewDeadline,
		RetryPeriod:             &opts.RetryPeriod,
		Controller: config.Controller{
			MaxConcurrentReconciles: opts.Workers,
			ReconciliationTimeout:   reconcileTimeout,
		},
	})
}

// prepareCache says what is to be watched, and found by which indexes.
func prepareCache(ctx context.Context, m *cosimanager.Manager) error {
	if err := index.Register(ctx, m.GetFieldIndexer()); err != nil {
		return err
	}
	return m.Watch(ctx,
		&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketClass{},
		&v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessClass{})
}

func reconcilerOptions(opts Options) controller.Options {
	return controller.Options{
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			opts.RetryBaseDelay, opts.RetryMaxDelay),
	}
}
