package sidecar

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const leaderElectionPrefix = "cosi-sidecar-leader-"

func newManager(cfg *rest.Config, driverName string, opts Options) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha2.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	manager, err := ctrl.NewManager(unthrottled(cfg), ctrl.Options{
		Scheme:  scheme,
		Logger:  opts.Logger,
		Cache:   cacheOptions(),
		Client:  clientOptions(),
		Metrics: metricsserver.Options{BindAddress: opts.MetricsBindAddress},
		Controller: config.Controller{
			MaxConcurrentReconciles: opts.Workers,
			ReconciliationTimeout:   opts.reconcileTimeout(),
			// Sidecars of several drivers may live in one process.
			SkipNameValidation: new(true),
			Logger:             opts.Logger,
		},
		HealthProbeBindAddress:        opts.HealthProbeBindAddress,
		LeaderElection:                opts.LeaderElection,
		LeaderElectionID:              leaderElectionPrefix + driverName,
		LeaderElectionNamespace:       opts.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("liveness probe: %w", err)
	}
	if err := manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("readiness probe: %w", err)
	}
	return manager, nil
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

// clientOptions have reads wait until the cache has seen the client's own
// writes. A reconciler that did not see the ID that it has just persisted would
// ask the driver once more. Nothing is lost where it does not help: an instance
// knows nothing of the writes of the one before it.
func clientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}}
}

// cacheOptions keep only what is needed, and of Secrets nothing but which there
// are in which version. Whatever has no informer of its own is not to be read
// from the cache by accident: a list of all Secrets would be the result. There is
// no resync, which would break the silence of a settled system.
func cacheOptions() cache.Options {
	return cache.Options{
		SyncPeriod:                  new(time.Duration(0)),
		DefaultTransform:            cache.TransformStripManagedFields(),
		ByObject:                    map[client.Object]cache.ByObject{&corev1.Secret{}: {Transform: identityOnly}},
		ReaderFailOnMissingInformer: true,
		NewInformer:                 newInformer,
	}
}

func identityOnly(object any) (any, error) {
	if m, ok := object.(*metav1.PartialObjectMetadata); ok {
		m.ObjectMeta = metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, DeletionTimestamp: m.DeletionTimestamp,
		}
	}
	return object, nil
}
