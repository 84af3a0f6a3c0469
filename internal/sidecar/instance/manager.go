package instance

import (
	"context"
	"maps"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

func newManager(cfg *rest.Config, driverName string, opts Options, generation Generation) (*cosimanager.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, generation.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	options := opts.settings().Options(scheme, LeaseName(driverName))
	limitCache(&options.Cache, driverName, opts, generation)
	options.LeaderElectionLabels = leaseLabels(opts, generation)
	return cosimanager.New(cfg, options)
}

// leaseLabels are the labels of the Lease while this sidecar is the leader.
func leaseLabels(opts Options, generation Generation) map[string]string {
	labels := map[string]string{labelNamespaces: namespacesLabel(opts.Namespaces())}
	maps.Copy(labels, generation.LeaseLabels())
	return labels
}

// prepareCache sets the watches and the indexes of the cache. Watch comes first, because its error
// names the version that the cluster serves instead.
func prepareCache(ctx context.Context, m *cosimanager.Manager, generation Generation) error {
	if err := m.Watch(ctx, generation.Kinds...); err != nil {
		return err
	}
	for _, add := range generation.Indexes {
		if err := add(ctx, m.GetFieldIndexer()); err != nil {
			return err
		}
	}
	return nil
}

// limitCache makes the cache keep only the names and versions of Secrets, the metadata of COSI's
// own Secrets, and this driver's Lease.
func limitCache(options *cache.Options, driverName string, opts Options, generation Generation) {
	byObject := map[client.Object]cache.ByObject{&corev1.Secret{}: {Transform: keepLittle(generation)}}
	if opts.LeaderElectionNamespace != "" {
		byObject[&coordinationv1.Lease{}] = electionLease(driverName, opts.LeaderElectionNamespace)
	}
	options.ByObject, options.NewInformer = byObject, newInformer
}

func keepLittle(generation Generation) toolscache.TransformFunc {
	return func(object any) (any, error) {
		if m, ok := object.(*metav1.PartialObjectMetadata); ok {
			annotations, finalizers := generation.KeepOfSecret(m)
			m.ObjectMeta = metav1.ObjectMeta{
				Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, DeletionTimestamp: m.DeletionTimestamp,
				Annotations: annotations, Finalizers: finalizers,
			}
		}
		return object, nil
	}
}
