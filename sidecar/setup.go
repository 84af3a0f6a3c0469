package sidecar

import (
	"context"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/abandoned"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/bucket"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
)

// eventSource is the name of the sidecar in Events.
const eventSource = "cosi-sidecar"

// setup creates the manager and adds the reconcilers, their watches, and the watch
// of the driver.
func (s *Sidecar) setup(ctx context.Context, cfg *rest.Config, opts Options) (err error) {
	if s.manager, err = newManager(cfg, s.driver, opts); err != nil { //nolint:contextcheck // it outlives its making
		return fmt.Errorf("set up the manager: %w", err)
	}
	if err := prepareCache(ctx, s.manager); err != nil {
		return fmt.Errorf("set up the cache: %w", err)
	}
	s.live, err = client.New(s.manager.GetConfig(), client.Options{
		HTTPClient: s.manager.GetHTTPClient(), Scheme: s.manager.GetScheme(), Mapper: s.manager.GetRESTMapper(),
	})
	if err != nil {
		return fmt.Errorf("set up the client: %w", err)
	}
	buckets, accesses, calls := newTrigger(), newTrigger(), inflight.NewCalls()
	if err := s.addBuckets(opts, calls.Line(), buckets); err != nil {
		return fmt.Errorf("set up the reconciler of Buckets: %w", err)
	}
	if err := s.addBucketAccesses(opts, calls.Line(), accesses); err != nil {
		return fmt.Errorf("set up the reconciler of BucketAccesses: %w", err)
	}
	if err := s.addAbandonedSecrets(opts); err != nil {
		return fmt.Errorf("set up the reconciler of Secrets: %w", err)
	}
	if err := s.addDriverNameConflict(opts); err != nil {
		return fmt.Errorf("set up the watch of the Lease: %w", err)
	}
	if err := s.manager.AddReadyzCheck("driver", s.checkDriver); err != nil {
		return fmt.Errorf("readiness probe: %w", err)
	}
	return s.manager.Add(&driverWatch{driver: s.driver, logger: opts.Logger, triggers: []trigger{buckets, accesses}})
}

// checkDriver is a readiness probe.
func (s *Sidecar) checkDriver(*http.Request) error {
	if !s.driver.Connected() {
		return fmt.Errorf("there is no connection to driver %s", s.driver.Name())
	}
	return nil
}

// addDriverNameConflict needs a namespace for the Lease that has the driver's group.
func (s *Sidecar) addDriverNameConflict(opts Options) error {
	if opts.LeaderElectionNamespace == "" {
		return nil
	}
	group := &driverGroup{
		client: s.live, logger: opts.Logger, driverName: s.driver.Name(),
		events: leaseEvents{client: s.live, logger: opts.Logger, group: opts.DriverGroup, now: opts.Now},
		lease:  client.ObjectKey{Namespace: opts.LeaderElectionNamespace, Name: LeaseName(s.driver.Name())},
		group:  opts.DriverGroup, takeOver: opts.TakeOver,
	}
	s.manager.BeforeStart = group.claim
	return s.manager.Add(&driverNameConflict{
		cache: s.manager.GetCache(), logger: opts.Logger, driver: s.driver, group: group, now: opts.Now,
	})
}

func (s *Sidecar) addBuckets(opts Options, line *inflight.Line, reconnected trigger) error {
	c := s.manager.GetCache()
	return s.add("bucket", opts, line,
		bucket.NewReconciler(s.manager.GetClient(), s.live, s.driver, line, s.manager.GetEventRecorder(eventSource)),
		source.Kind(c, &v1alpha2.Bucket{}, &handler.TypedEnqueueRequestForObject[*v1alpha2.Bucket]{}, bucket.Predicate(s.driver)),
		reconnected.source(func(ctx context.Context) []reconcile.Request { return bucket.PendingRequests(ctx, c, s.driver) }),
	)
}

func (s *Sidecar) addBucketAccesses(opts Options, line *inflight.Line, reconnected trigger) error {
	c := s.manager.GetCache()
	clients := bucketaccess.Clients{Cached: s.manager.GetClient(), Live: s.live}
	return s.add("bucketaccess", opts, line,
		bucketaccess.NewReconciler(clients, s.driver, line, s.manager.GetEventRecorder(eventSource), opts.CertificateAuthority),
		source.Kind(c, &v1alpha2.BucketAccess{},
			&handler.TypedEnqueueRequestForObject[*v1alpha2.BucketAccess]{}, bucketaccess.Predicate(s.driver)),
		source.Kind(c, &v1alpha2.Bucket{}, bucketaccess.MapBucket(c, s.driver), bucketaccess.BucketPredicate()),
		source.Kind(c, bucketaccess.SecretMetadata(), bucketaccess.MapSecret(c, s.driver), bucketaccess.SecretPredicate()),
		reconnected.source(func(ctx context.Context) []reconcile.Request { return bucketaccess.PendingRequests(ctx, c, s.driver) }),
	)
}

func (s *Sidecar) addAbandonedSecrets(opts Options) error {
	c := s.manager.GetCache()
	return s.addReconciler("secret", &abandoned.Reconciler{Driver: s.driver.Name(), Cached: c, Live: s.live}, opts.settings().RateLimiter(),
		source.Kind(c, bucketaccess.SecretMetadata(),
			&handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{}, abandoned.SecretPredicate(s.driver.Name())),
		source.Kind(c, &v1alpha2.BucketAccess{}, abandoned.MapAccess(), abandoned.AccessPredicate()),
	)
}

// add adds a reconciler whose objects call the driver through a line.
func (s *Sidecar) add(name string, opts Options, line *inflight.Line, reconciler reconcile.Reconciler, sources ...source.Source) error {
	limiter := line.RateLimiter(opts.settings().RateLimiter())
	return s.addReconciler(name, line.Reconciler(reconciler), limiter, append(sources, line.Source())...)
}

func (s *Sidecar) addReconciler(
	name string, reconciler reconcile.Reconciler, limiter workqueue.TypedRateLimiter[reconcile.Request], sources ...source.Source,
) error {
	added, err := controller.New(name, s.manager, controller.Options{Reconciler: reconciler, RateLimiter: limiter})
	if err != nil {
		return err
	}
	for _, watched := range sources {
		if err := added.Watch(watched); err != nil {
			return err
		}
	}
	return nil
}
