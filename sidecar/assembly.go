package sidecar

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/bucket"
	"github.com/cosi-emu/cosi-emu/sidecar/bucketaccess"
)

// reporter is the name under which the sidecar's Events appear.
const reporter = "cosi-sidecar"

// assemble makes the manager and puts the reconcilers, their watches, and the
// watch of the driver into it.
func (s *Sidecar) assemble(ctx context.Context, cfg *rest.Config, opts Options) (err error) {
	if s.manager, err = newManager(cfg, s.driver.Name(), opts); err != nil {
		return err
	}
	if err := registerKinds(ctx, s.manager.GetCache()); err != nil {
		return err
	}
	buckets, accesses := newAlarm(), newAlarm()
	if err := s.addBuckets(opts, buckets); err != nil {
		return fmt.Errorf("controller of Buckets: %w", err)
	}
	if err := s.addBucketAccesses(opts, accesses); err != nil {
		return fmt.Errorf("controller of BucketAccesses: %w", err)
	}
	if err := s.manager.Add(&driverWatch{driver: s.driver, logger: opts.Logger, alarms: []alarm{buckets, accesses}}); err != nil {
		return err
	}
	return s.manager.Add(manager.RunnableFunc(s.announceReady))
}

// registerKinds tells the cache what to watch before it is started, so that its
// being in sync means that everything is known.
func registerKinds(ctx context.Context, c cache.Cache) error {
	if err := bucketaccess.RegisterIndexes(ctx, c); err != nil {
		return err
	}
	for _, object := range []client.Object{&v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}, secretMetadata()} {
		if _, err := c.GetInformer(ctx, object, cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("watch %T; are the CustomResourceDefinitions installed? %w", object, err)
		}
	}
	return nil
}

func (s *Sidecar) addBuckets(opts Options, driverIsBack alarm) error {
	c := s.manager.GetCache()
	return s.add("bucket", opts,
		bucket.NewReconciler(s.manager.GetClient(), s.driver, s.manager.GetEventRecorder(reporter)),
		source.Kind(c, &v1alpha2.Bucket{}, &handler.TypedEnqueueRequestForObject[*v1alpha2.Bucket]{}, bucket.Wakes(s.driver)),
		driverIsBack.source(func(ctx context.Context) []reconcile.Request { return bucket.Unsettled(ctx, c, s.driver) }),
	)
}

func (s *Sidecar) addBucketAccesses(opts Options, driverIsBack alarm) error {
	secrets, err := client.New(s.manager.GetConfig(), client.Options{
		HTTPClient: s.manager.GetHTTPClient(), Scheme: s.manager.GetScheme(), Mapper: s.manager.GetRESTMapper(),
	})
	if err != nil {
		return err
	}
	c := s.manager.GetCache()
	clients := bucketaccess.Clients{Objects: s.manager.GetClient(), Secrets: secrets}
	return s.add("bucketaccess", opts,
		bucketaccess.NewReconciler(clients, s.driver, s.manager.GetEventRecorder(reporter)),
		source.Kind(c, &v1alpha2.BucketAccess{},
			&handler.TypedEnqueueRequestForObject[*v1alpha2.BucketAccess]{}, bucketaccess.Wakes(s.driver)),
		source.Kind(c, &v1alpha2.Bucket{}, bucketaccess.OfBucket(c, s.driver), bucketaccess.BucketWakes()),
		source.Kind(c, secretMetadata(), bucketaccess.OfSecret(c, s.driver)),
		driverIsBack.source(func(ctx context.Context) []reconcile.Request { return bucketaccess.Unsettled(ctx, c, s.driver) }),
	)
}

func (s *Sidecar) add(name string, opts Options, reconciler reconcile.Reconciler, sources ...source.Source) error {
	added, err := controller.New(name, s.manager, controller.Options{
		Reconciler: reconciler,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			opts.RetryBaseDelay, opts.RetryMaxDelay),
	})
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

// announceReady runs when the manager leads.
func (s *Sidecar) announceReady(ctx context.Context) error {
	if s.manager.GetCache().WaitForCacheSync(ctx) {
		close(s.ready)
	}
	return nil
}

func secretMetadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}
