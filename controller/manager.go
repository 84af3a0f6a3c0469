package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// LeaseName is the name of the Lease by which several instances elect a leader.
const LeaseName = "cosi-controller-leader"

func newManager(cfg *rest.Config, opts Options) (*cosimanager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return cosimanager.New(cfg, opts.settings().Options(scheme, LeaseName))
}

// prepareCache sets the indexes of the cache, and what it watches.
func prepareCache(ctx context.Context, m *cosimanager.Manager) error {
	if err := index.Register(ctx, m.GetFieldIndexer()); err != nil {
		return err
	}
	return m.Watch(ctx,
		&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketClass{},
		&v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessClass{})
}
