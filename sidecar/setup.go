package sidecar

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/abandoned"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/instance"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

func generation(d *driver.Driver) instance.Generation {
	return instance.Generation{
		AddToScheme:  v1alpha2.AddToScheme,
		Kinds:        []client.Object{&v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}, secretstore.Metadata()},
		Indexes:      []func(context.Context, client.FieldIndexer) error{bucket.RegisterIndexes, bucketaccess.RegisterIndexes},
		KeepOfSecret: abandonedBy(d).Keep,
		LeaseLabels:  func() map[string]string { return instance.LeaseLabels(d.Protocols()) },
		AddReconcilers: func(i *instance.Instance) error {
			for _, add := range []func(*instance.Instance, *driver.Driver) error{addBuckets, addBucketAccesses, addAbandonedSecrets} {
				if err := add(i, d); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func addBuckets(i *instance.Instance, d *driver.Driver) error {
	c, line, served := i.Manager.GetCache(), i.Line(), bucket.Served{Driver: d, Namespaces: i.Options.Namespaces()}
	return i.AddCaller("Bucket", line,
		bucket.NewReconciler(i.Manager.GetClient(), i.Live, served, line, i.Recorder()),
		func(ctx context.Context) []reconcile.Request { return bucket.PendingRequests(ctx, c, served) },
		source.Kind(c, &v1alpha2.Bucket{}, &handler.TypedEnqueueRequestForObject[*v1alpha2.Bucket]{}, bucket.Predicate(served)),
	)
}

func addBucketAccesses(i *instance.Instance, d *driver.Driver) error {
	c, line := i.Manager.GetCache(), i.Line()
	clients := bucketaccess.Clients{Cached: i.Manager.GetClient(), Live: i.Live}
	return i.AddCaller("BucketAccess", line,
		bucketaccess.NewReconciler(clients, d, line, i.Recorder(),
			bucketaccess.Options{CertificateAuthority: i.Options.CertificateAuthority, SecretKeys: i.Options.SecretKeys}),
		func(ctx context.Context) []reconcile.Request { return bucketaccess.PendingRequests(ctx, c, d) },
		source.Kind(c, &v1alpha2.BucketAccess{},
			&handler.TypedEnqueueRequestForObject[*v1alpha2.BucketAccess]{}, bucketaccess.Predicate(d)),
		source.Kind(c, &v1alpha2.Bucket{}, bucketaccess.MapBucket(c, d), bucketaccess.BucketPredicate()),
		source.Kind(c, secretstore.Metadata(), bucketaccess.MapSecret(c, d), bucketaccess.SecretPredicate()),
	)
}

func abandonedBy(d *driver.Driver) abandoned.Accesses[*v1alpha2.BucketAccess] {
	return abandoned.Accesses[*v1alpha2.BucketAccess]{
		Driver: d.Name(), Finalizer: v1alpha2.ProtectionFinalizer,
		New: func() *v1alpha2.BucketAccess { return &v1alpha2.BucketAccess{} }, SecretNames: bucketaccess.SecretNames,
	}
}

func addAbandonedSecrets(i *instance.Instance, d *driver.Driver) error {
	return instance.AddAbandonedSecrets(i, abandonedBy(d))
}
