package sidecar

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/abandoned"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/bucket"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

func newManager(cfg *rest.Config, d *driver.Driver, opts Options) (*cosimanager.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha2.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	options := opts.settings().Options(scheme, LeaseName(d.Name()))
	options.Cache = cacheOptions(d.Name(), opts)
	options.LeaderElectionLabels = leaseLabels(d)
	return cosimanager.New(cfg, options)
}

// prepareCache sets the indexes of the cache, and what it watches.
func prepareCache(ctx context.Context, m *cosimanager.Manager) error {
	for _, add := range []func(context.Context, client.FieldIndexer) error{bucket.RegisterIndexes, bucketaccess.RegisterIndexes} {
		if err := add(ctx, m.GetFieldIndexer()); err != nil {
			return err
		}
	}
	return m.Watch(ctx, &v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}, bucketaccess.SecretMetadata())
}

// cacheOptions make the cache keep only the names and versions of Secrets, the access
// that COSI's own Secrets are for, and only this driver's Lease.
func cacheOptions(driverName string, opts Options) cache.Options {
	byObject := map[client.Object]cache.ByObject{&corev1.Secret{}: {Transform: keepLittle(driverName)}}
	if opts.LeaderElectionNamespace != "" {
		byObject[&coordinationv1.Lease{}] = electionLease(driverName, opts.LeaderElectionNamespace)
	}
	return cache.Options{ByObject: byObject, NewInformer: newInformer}
}

func keepLittle(driverName string) toolscache.TransformFunc {
	return func(object any) (any, error) {
		if m, ok := object.(*metav1.PartialObjectMetadata); ok {
			annotations, finalizers := abandoned.Keep(m, driverName)
			m.ObjectMeta = metav1.ObjectMeta{
				Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, DeletionTimestamp: m.DeletionTimestamp,
				Annotations: annotations, Finalizers: finalizers,
			}
		}
		return object, nil
	}
}
