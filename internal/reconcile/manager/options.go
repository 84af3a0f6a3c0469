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

// disabled is the address that disables a listener of the manager.
const disabled = "0"

// complete sets the options that are the same in all components. Without a Logger nothing is
// logged, and without an address a listener is disabled.
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
	// The check would reject a second instance of a component in the process.
	options.Controller.SkipNameValidation = new(true)
	return options
}

// completeCache makes the cache keep only necessary data. A read of a kind without an informer
// fails: it would otherwise list and watch all objects of that kind. Without resync, an idle system
// makes no requests.
func completeCache(options cache.Options) cache.Options {
	options.SyncPeriod = new(time.Duration(0))
	options.DefaultTransform = cache.TransformStripManagedFields()
	options.ReaderFailOnMissingInformer = true
	return options
}

// clientOptions make reads wait until the cache has seen the client's own writes. A reconciler that
// does not see its latest write would cause conflicts, or call the driver again. It must not rely
// on this, because it does not cover the writes of an earlier instance.
func clientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}}
}

// unthrottled disables the client's rate limit, unless the caller sets one: the API
// server has priority and fairness.
func unthrottled(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	if cfg.QPS == 0 && cfg.RateLimiter == nil {
		cfg.QPS = -1
	}
	return cfg
}
