package emulator

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Store is the object store behind the fake drivers, past the seams: what is done to it
// here is not in the journal. It is for checks on what it holds, and to change that
// outside of COSI.
type Store interface {
	fakedriver.Backend

	// Buckets returns all buckets, sorted by name.
	Buckets(ctx context.Context) ([]fakedriver.Bucket, error)
	// Accounts returns all accounts, without keys, sorted by ID.
	Accounts(ctx context.Context) ([]fakedriver.Account, error)
	// SetGrant adds a grant to an account, or changes the one for its bucket.
	SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error
}

// Store returns the store, or nil if the driver is not the emulator's.
func (e *Emulator) Store() Store {
	if e.store == nil {
		return nil
	}
	return e.store
}

// ControlPlane is an API server with what it needs.
type ControlPlane interface {
	// AdminConfig returns a client configuration with administrator's rights, and
	// Kubeconfig a file with the same.
	AdminConfig() *rest.Config
	Kubeconfig() []byte
	// UserConfig returns a client configuration of a user.
	UserConfig(name string, groups ...string) (*rest.Config, error)
	// ProcessNames returns the names of its processes, each after those that it needs.
	ProcessNames() []string
	// PID returns the process ID of one of them, or 0 if it does not run, and LogFile
	// the file with its output.
	PID(process string) int
	LogFile(process string) string
	// StartComponent, StopComponent and KillComponent start and end a process.
	StartComponent(ctx context.Context, process string) error
	StopComponent(ctx context.Context, process string) error
	KillComponent(process string) error
}

// ControlPlane returns the control plane, or nil in an existing cluster.
func (e *Emulator) ControlPlane() ControlPlane { return e.plane }

// ExistingCluster says which existing cluster to use, and for whom.
type ExistingCluster struct {
	// Kubeconfig is a file; empty for $KUBECONFIG, then ~/.kube/config.
	Kubeconfig string
	// Context is one of its contexts; empty for the current one.
	Context string
	// Owner is the name of the emulator, a label's value: objects in the cluster are
	// marked with it.
	Owner string
}
