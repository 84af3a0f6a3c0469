package emulator

import (
	"context"
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

// ControlPlane is a running Kubernetes API server with its processes.
type ControlPlane interface {
	// AdminConfig returns a client configuration with administrator's rights, and
	// Kubeconfig a file with the same.
	AdminConfig() *rest.Config
	Kubeconfig() []byte
	// UserConfig returns a client configuration of a user.
	UserConfig(name string, groups ...string) (*rest.Config, error)
	// ProcessNames returns the names of its processes in the order of their start.
	ProcessNames() []string
	// PID returns the process ID of a process, or 0 if it does not run. LogFile returns the path of
	// its output.
	PID(process string) int
	LogFile(process string) string
	// StartComponent, StopComponent and KillComponent start, stop and kill a process.
	StartComponent(ctx context.Context, process string) error
	StopComponent(ctx context.Context, process string) error
	KillComponent(process string) error
}

// ControlPlane returns the control plane, or nil in an existing cluster, and with Options.StoreOnly.
func (e *Emulator) ControlPlane() ControlPlane { return e.plane }

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

// listen returns the addresses of the services.
func (o Options) listen() controlplane.Listen {
	return controlplane.Listen{Address: o.Listen, Advertise: o.Advertise}
}

func (o Options) validateListen() error {
	if err := o.listen().Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if o.ControlPlane != nil && o.listen().BeyondLoopback() {
		return fmt.Errorf("%w: the control plane that is given listens where it does; start one with the emulator, "+
			"or listen on loopback", ErrOptions)
	}
	return nil
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
