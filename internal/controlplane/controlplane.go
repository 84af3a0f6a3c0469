package controlplane

import (
	"context"
	"crypto/tls"
	"errors"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Names of the components.
const (
	Etcd              = vocabulary.Etcd
	APIServer         = vocabulary.APIServer
	ControllerManager = vocabulary.ControllerManager
)

// ErrNoComponent means that the control plane has no component of that name.
var ErrNoComponent = errors.New("there is no such component")

// ControlPlane is a running control plane.
type ControlPlane interface {
	Identities
	Components

	// WaitReady returns when the controllers have created the default ServiceAccount of
	// namespace default; without controllers, immediately. It fails when ctx ends or a
	// component fails.
	WaitReady(ctx context.Context) error
	// Stop stops the components, waits for them, and removes everything that Options.KeepData does
	// not keep. A component that still runs after Options.StopGrace, or when ctx ends, is killed.
	// Further calls return the result of the first.
	Stop(ctx context.Context) error
	// SaveData writes the objects as they are at one moment into an existing directory, for
	// Options.Data, or for Options.Dir with KeepData. It includes all writes that the API server
	// has acknowledged before the call.
	SaveData(ctx context.Context, dir string) error
}

// Identities are the users of a control plane.
type Identities interface {
	// AdminConfig returns a client configuration with all rights, of group system:masters. It is
	// for the user of the control plane, not for its components. The caller owns it.
	AdminConfig() *rest.Config
	// Kubeconfig returns the same rights as a file for kubectl and other programs. It
	// contains a private key.
	Kubeconfig() []byte
	// UserConfig returns a client configuration of a user with that name and groups. RBAC objects
	// define the rights of the user. The name may be a ServiceAccount's. The configuration is valid
	// until Stop.
	UserConfig(name string, groups ...string) (*rest.Config, error)
	// InProcessConfig returns a client configuration of the same user that works in this process
	// only, and bypasses the network. It returns nil if the API server is another process.
	InProcessConfig(name string, groups ...string) *rest.Config
	// NodeServing returns the TLS configuration of a node's server on this machine, with which the API
	// server gets logs and forwards exec, attach and port-forward. The API server connects to the
	// address of type InternalIP in the Node's status, and to the port of its daemonEndpoints. It
	// returns ErrNoPods unless Options.Pods is set.
	NodeServing() (*tls.Config, error)
}

// Components are the parts of a control plane, which can be stopped and started.
type Components interface {
	// Processes returns the components in the order of their starts, and ProcessNames their names.
	Processes() []Process
	ProcessNames() []string
	// PID returns the process ID of a component, or 0 if it does not run. LogFile returns
	// the file with its output.
	PID(name string) int
	LogFile(name string) string
	// StartComponent starts a component that StopComponent stopped, or KillComponent
	// killed, or that ended by itself, with the same address, identity and data as before.
	// It is no error if the component runs.
	StartComponent(ctx context.Context, name string) error
	// StopComponent stops one component, as if its machine were down: components that depend on it
	// continue, and may fail. It is no error if the component does not run.
	StopComponent(ctx context.Context, name string) error
	// KillComponent kills one component, as kill -9 does, and returns when it is dead. It is
	// no error if the component does not run.
	KillComponent(name string) error
	// Failed returns a channel that receives a *ComponentError for each component that exits
	// by itself. The channel is never closed.
	Failed() <-chan error
}

// Process describes a component's operating system process.
type Process struct {
	Name string
	// PID is its process ID, 0 if it does not run. A component of this process has the ID of this
	// process.
	PID     int
	LogFile string
}
