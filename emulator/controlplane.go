package emulator

import (
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

// ControlPlaneKind selects the control plane that an emulator starts.
type ControlPlaneKind = description.ControlPlaneKind

// The kinds of control planes.
const (
	// ControlPlaneAuto is ControlPlaneEnvtest if its programs are on this machine or can be
	// downloaded, and otherwise ControlPlaneEmbedded.
	ControlPlaneAuto = ControlPlaneKind(kind.Auto)
	// ControlPlaneEnvtest runs kube-apiserver, etcd and kube-controller-manager. If they can
	// neither be found nor downloaded, they are built, which takes minutes.
	ControlPlaneEnvtest = ControlPlaneKind(kind.Envtest)
	// ControlPlaneEmbedded runs an API server in this process, with the objects in memory.
	// It serves custom resources and the built-in kinds that COSI and its users touch.
	ControlPlaneEmbedded = ControlPlaneKind(kind.Embedded)
)

// ParseControlPlaneKind returns the kind with a name. The error lists the valid names.
func ParseControlPlaneKind(name string) (ControlPlaneKind, error) {
	parsed, err := kind.Parse(name)
	return ControlPlaneKind(parsed), err
}

func (o Options) validateControlPlane() error {
	chosen, err := kind.Parse(string(o.ControlPlaneKind))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrOptions, err)
	case chosen == kind.Embedded && o.ControlPlaneDir != "":
		return fmt.Errorf("%w: control plane %q has no programs; name no directory with them", ErrOptions, chosen)
	default:
		return nil
	}
}

// inProcess is a control plane whose API server is in this process.
type inProcess interface {
	// InProcessConfig returns a client configuration that works in this process only, or
	// nil.
	InProcessConfig(name string, groups ...string) *rest.Config
}

// inProcessConfig returns a user's client configuration that bypasses the network, or nil.
func (e *Emulator) inProcessConfig(name string, groups ...string) *rest.Config {
	if plane, ok := e.plane.(inProcess); ok {
		return plane.InProcessConfig(name, groups...)
	}
	return nil
}

// ownConfig returns the configuration of the emulator's own clients, which have the rights
// of an administrator.
func (e *Emulator) ownConfig() *rest.Config {
	if cfg := e.inProcessConfig(controlplane.AdminUser, controlplane.AdminGroup); cfg != nil {
		return cfg
	}
	return e.Config()
}
