// Package generation has everything in which the versions of COSI differ. No other code of an emulator
// depends on the version.
package generation

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
)

// Generation is the version of COSI that an emulator runs.
type Generation struct {
	// Classes returns the default classes of a driver.
	Classes func(Classes) []client.Object
	// RBAC returns the rights of the components.
	RBAC func() ([]deploy.Manifest, error)
	// Dialect is the protocol of drivers that need no bridge.
	Dialect       dialects.Dialect
	NewController func(*rest.Config, cosicontroller.Options) (component.Runner, error)
	NewSidecar    func(context.Context, *rest.Config, cosisidecar.Options) (component.Runner, error)
	// Ask asks a driver for its identity, and waits until the driver is ready.
	Ask func(driveridentity.Question, context.Context) (driveridentity.Identity, error)
}

var generations = map[objectstorage.Version]Generation{
	objectstorage.V1alpha1: {
		Classes: classesV1alpha1,
		RBAC:    deploy.RBACV1alpha1,
		Dialect: dialects.V1alpha1,
		Ask:     driveridentity.Question.AskV1alpha1,
		NewController: func(cfg *rest.Config, opts cosicontroller.Options) (component.Runner, error) {
			return controllerv1alpha1.New(cfg, opts)
		},
		NewSidecar: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (component.Runner, error) {
			return sidecarv1alpha1.New(ctx, cfg, opts)
		},
	},
	objectstorage.V1alpha2: {
		Classes: classesV1alpha2,
		RBAC:    deploy.RBAC,
		Dialect: dialects.KEP,
		Ask:     driveridentity.Question.AskV1alpha2,
		NewController: func(cfg *rest.Config, opts cosicontroller.Options) (component.Runner, error) {
			return cosicontroller.New(cfg, opts)
		},
		NewSidecar: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (component.Runner, error) {
			return cosisidecar.New(ctx, cfg, opts)
		},
	},
}

// Of returns the generation of a version of the kinds.
func Of(api objectstorage.Version) Generation { return generations[api] }
