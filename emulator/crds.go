package emulator

import (
	"cmp"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/definitions"
)

// definitions returns the CRDs that the control plane serves.
func (o Options) definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	if len(o.CRDs) > 0 {
		return o.CRDs, nil
	}
	return crds.For(o.API)
}

// validateCRDs rejects incomplete definitions, definitions without a control plane to serve them,
// and definitions that lack fields which the emulator's own components write.
func (o Options) validateCRDs() error {
	if len(o.CRDs) == 0 {
		return nil
	}
	if o.Cluster != nil || o.ControlPlane != nil {
		return fmt.Errorf("%w: CRDs require a control plane that the emulator starts; install them in a running one yourself", ErrOptions)
	}
	version := cmp.Or(o.API, objectstorage.V1alpha2)
	if err := definitions.CheckComplete(o.CRDs, version); err != nil {
		return fmt.Errorf("%w: CRDs: %w", ErrOptions, err)
	}
	differences, err := definitions.Differences(o.CRDs, version)
	if err != nil {
		return fmt.Errorf("%w: CRDs: %w", ErrOptions, err)
	}
	if own := o.ownComponents(); len(differences) > 0 && len(own) > 0 {
		return fmt.Errorf("%w: the CRDs are of another draft of %s than the emulator's %s, and the API server would drop what "+
			"they write: %s; run a controller and a sidecar of the same draft, with --controller-cmd and --sidecar-cmd or "+
			"Implementations, or leave the CRDs out", ErrOptions, version, strings.Join(own, " and "), strings.Join(differences, "; "))
	}
	return nil
}

// ownComponents returns the emulator's own components that write objects.
func (o Options) ownComponents() []string {
	var own []string
	if i := o.Implementations; i.Controller == nil && i.ControllerCommand == nil {
		own = append(own, ComponentController)
	}
	if i := o.Implementations; !o.NoDriver && i.Sidecar == nil && i.SidecarCommand == nil {
		own = append(own, ComponentSidecar)
	}
	return own
}
