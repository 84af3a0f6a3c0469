package emulator

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
)

func (o Options) validateAPI() error {
	if o.API == "" {
		return nil
	}
	if _, err := objectstorage.ParseVersion(string(o.API)); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if o.API == objectstorage.V1alpha1 && o.Cluster != nil {
		return fmt.Errorf("%w: an existing cluster is used with %s only; for %s, leave out the cluster",
			ErrOptions, objectstorage.V1alpha2, objectstorage.V1alpha1)
	}
	return nil
}

// generation contains everything in which the versions of COSI differ. No other code of the
// emulator depends on the version.
type generation struct {
	classes       func(driver string, bucketParameters, accessParameters map[string]string) []client.Object
	rbac          func() ([]deploy.Manifest, error)
	dialect       dialects.Dialect
	newController func(*rest.Config, cosicontroller.Options) (Runner, error)
	newSidecar    func(context.Context, *rest.Config, cosisidecar.Options) (Runner, error)
	ask           func(driveridentity.Question, context.Context) (driveridentity.Identity, error)
}

var generations = map[objectstorage.Version]generation{
	objectstorage.V1alpha1: {
		classes: classesV1alpha1,
		rbac:    deploy.RBACV1alpha1,
		dialect: dialects.V1alpha1,
		ask:     driveridentity.Question.AskV1alpha1,
		newController: func(cfg *rest.Config, opts cosicontroller.Options) (Runner, error) {
			return controllerv1alpha1.New(cfg, opts)
		},
		newSidecar: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (Runner, error) {
			return sidecarv1alpha1.New(ctx, cfg, opts)
		},
	},
	objectstorage.V1alpha2: {
		classes: classes,
		rbac:    deploy.RBAC,
		dialect: dialects.KEP,
		ask:     driveridentity.Question.AskV1alpha2,
		newController: func(cfg *rest.Config, opts cosicontroller.Options) (Runner, error) {
			return cosicontroller.New(cfg, opts)
		},
		newSidecar: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (Runner, error) {
			return cosisidecar.New(ctx, cfg, opts)
		},
	},
}

func (e *Emulator) generation() generation { return generations[e.opts.API] }
