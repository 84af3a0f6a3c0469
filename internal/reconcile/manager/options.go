package manager

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// disabled is the address that switches a listener of the manager off.
const disabled = "0"

// complete fills in the options that are the same in all components. Without a
// Logger nothing is logged, and without an address a listener is off.
func complete(options manager.Options) manager.Options {
	if options.Logger.GetSink() == nil {
		options.Logger = logr.Discard()
	} else {
		options.Logger = limitVerbosity(options.Logger)
	}
	options.Metrics.BindAddress = cmp.Or(options.Metrics.BindAddress, disabled)
	options.HealthProbeBindAddress = cmp.Or(options.HealthProbeBindAddress, disabled)
	options.Cache = completeCache(options.Cache)
	options.NewCache = newStoppableCache
	options.NewClient = newClient
	options.Client = clientOptions()
	options.LeaderElectionReleaseOnCancel = true
	options.Controller.Logger = options.Logger
	// Names of reconcilers are unique within a process only by default, and a
	// process may have several instances of a component.
	options.Controller.SkipNameValidation = new(true)
	return options
}

// completeCache has the cache keep only what is needed. Whatever has no informer
// of its own is not to be read from it by accident: a list of everything of that
// kind would be the result. There is no resync, which would break the silence of
// a settled system.
func completeCache(options cache.Options) cache.Options {
	options.SyncPeriod = new(time.Duration(0))
	options.DefaultTransform = cache.TransformStripManagedFields()
	options.ReaderFailOnMissingInformer = true
	return options
}

// clientOptions have reads wait until the cache has seen the client's own
// writes. A reconciler that did not see what it has just written would run into
// conflicts, or ask a driver once more. Nothing is lost where it does not help:
// an instance knows nothing of the writes of the one before it.
func clientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}}
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
