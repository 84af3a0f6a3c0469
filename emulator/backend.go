package emulator

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
)

// Store is the object store behind the fake drivers. Its calls bypass the seams, so the journal
// does not show them.
type Store = backend.Store

// Store returns the store, or nil if the driver is not the emulator's.
func (e *Emulator) Store() Store {
	if e.store == nil {
		return nil
	}
	return backendStore{e.store, e}
}

// Keys returns the keys of the applications, which the oracles try.
func (e *Emulator) Keys() backend.Keys { return e.keys }

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

// ControlPlane returns the control plane, or nil in an existing cluster.
func (e *Emulator) ControlPlane() ControlPlane { return e.plane }

// ExistingCluster selects an existing cluster.
type ExistingCluster struct {
	// Kubeconfig is a file; it defaults to $KUBECONFIG, then ~/.kube/config.
	Kubeconfig string
	// Context is a context of the kubeconfig; it defaults to the current one.
	Context string
	// Owner is the name of the emulator. All objects that the emulator creates in the cluster have
	// it as a label.
	Owner string
}
