package v1alpha1

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/controller/instance"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha1/bucketclaim"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

// Options are the settings of a Controller, the same for all versions of the API.
type Options = cosicontroller.Options

// Controller is one instance of the COSI controller. It can be started once.
type Controller struct {
	instance *instance.Instance
}

// New returns a Controller for the cluster and the user of cfg. It contacts the API server and
// opens the listeners of opts, but starts nothing. It fails if the cluster does not serve the kinds
// in version v1alpha1.
func New(cfg *rest.Config, opts Options) (*Controller, error) {
	i, err := instance.New(cfg, instance.Options(opts), version())
	if err != nil {
		return nil, err
	}
	return &Controller{instance: i}, nil
}

// Start runs the controller until ctx is done, and returns when all its workers have
// stopped, or when it fails. The loss of the Lease is a failure.
func (c *Controller) Start(ctx context.Context) error { return c.instance.Start(ctx) }

// WaitReady blocks until the controller reconciles: it is the leader, if there is an election, and
// its caches have synced. If that has become impossible, the error wraps ErrStopped of package
// controller; otherwise it is the error of ctx.
func (c *Controller) WaitReady(ctx context.Context) error { return c.instance.WaitReady(ctx) }

// version is the controller of v1alpha1.
func version() instance.Version {
	return instance.Version{
		AddToScheme: v1alpha1.AddToScheme,
		Kinds: []client.Object{
			&v1alpha1.BucketClaim{}, &v1alpha1.Bucket{}, &v1alpha1.BucketClass{},
			&v1alpha1.BucketAccess{}, &v1alpha1.BucketAccessClass{},
		},
		Index:          bucketclaim.Index,
		Operations:     cosimetrics.V1alpha1,
		AddReconcilers: addReconcilers,
	}
}

func addReconcilers(s *instance.Setup) error {
	claims := &bucketclaim.Reconciler{
		Client: s.GetClient(), Live: s.GetAPIReader(), Recorder: s.Recorder, APIErrors: s.APIErrors,
		Failures: cosievents.NewFailures(s.Recorder), Strict: s.Strict, Namespaces: s.Namespaces, TracerProvider: s.TracerProvider,
	}
	if err := claims.SetupWithManager(s, s.ControllerOptions()); err != nil {
		return fmt.Errorf("set up the reconciler of BucketClaims: %w", err)
	}
	return nil
}
