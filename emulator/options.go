package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
)

// Names of the components, as they stand in the journal.
const (
	ComponentController = vocabulary.Controller
	ComponentSidecar    = vocabulary.Sidecar
	ComponentDriver     = vocabulary.Driver
	ComponentStore      = vocabulary.Store
	ComponentGCS        = vocabulary.GCS
)

// DefaultRPCTimeout bounds each call of the sidecar to the driver.
const DefaultRPCTimeout = 30 * time.Second

// DefaultConnectTimeout is how long an external driver may take to answer.
const DefaultConnectTimeout = 30 * time.Second

// ErrOptions is the error of options that contradict each other or cannot be.
var ErrOptions = errors.New("invalid options")

// Options say what to start. The zero value starts everything, on free ports,
// with all files in a temporary directory.
type Options struct {
	// Dir is an existing directory for the files of this emulator: logs, keys,
	// sockets, the kubeconfig. If it is empty, a temporary directory is made,
	// and removed by Stop.
	Dir string
	// DataDir keeps the objects of Kubernetes, and the buckets, objects and
	// accounts of the S3 store, beyond Stop. If it is empty, they end with the
	// emulator. No two emulators may use one at a time; see instance.LockDataDir.
	DataDir string

	// ControlPlane is a control plane that runs already and is left running.
	// The emulator must be the only one that uses it. If it is nil, one is
	// started.
	ControlPlane ControlPlane
	// Cluster is an existing cluster, which replaces the emulator's control plane.
	// Controller and sidecar run with the rights of its ServiceAccounts, and take
	// the Leases there. Stop removes from it what Start has made, and closes it.
	Cluster *ExistingCluster
	// Install makes what is missing in Cluster of the COSI kinds and of those
	// ServiceAccounts and their rights. Otherwise it is an error if it is missing.
	Install bool
	// ControlPlaneDir is a directory with the programs of the control plane. If it is
	// empty, they are found, downloaded or built.
	ControlPlaneDir string

	// APIServerPort and S3Port are TCP ports; 0 means a free one.
	APIServerPort int
	S3Port        int
	// Socket is the path of the UNIX socket that the fake driver listens on. If
	// it is empty, it is cosi.sock in a directory below Dir.
	Socket string

	// TLS has the S3 store served over TLS, with a certificate of an authority of
	// its own. Access Secrets hold the certificate of that authority.
	TLS bool
	// MaxBodyBytes bounds the body of one S3 request; see store.Options. 0 means
	// the store's default.
	MaxBodyBytes int64
	// MaxAccounts is how many accesses may be granted in the S3 store at a time; 0
	// means any number.
	MaxAccounts int

	// Protocols are those of the fake driver, the default first. With
	// fakedriver.ProtocolGCS its service is started, too, on GCSPort; 0 means a free
	// one. Default: S3.
	Protocols []fakedriver.Protocol
	GCSPort   int

	// Driver is the endpoint of an external driver, unix:///path.sock, which
	// replaces the fake one. There is no S3 store then.
	Driver string
	// NoDriver leaves out the driver, its sidecar and the S3 store: the
	// controller waits for whichever sidecar is started beside the emulator.
	NoDriver bool
	// ConnectTimeout is how long the driver may take until it answers; 0 means
	// 30 seconds.
	ConnectTimeout time.Duration
	// RPCTimeout bounds each call to the driver; 0 means DefaultRPCTimeout.
	RPCTimeout time.Duration

	// LeaderElection has the controller and the sidecars hold Leases, as in a cluster,
	// which they can lose; see Emulator.TakeLease. It is always enabled in an existing
	// Cluster. Leader election rules out a second replica, which would never become the leader.
	LeaderElection bool

	// Implementations replace the emulator's components, at the same seams.
	Implementations Implementations

	// RetryBaseDelay and RetryMaxDelay are the first and the longest delay of the
	// controller and the sidecar between retries; 0 means the component's own
	// default.
	RetryBaseDelay time.Duration
	RetryMaxDelay  time.Duration

	// JournalBytes bounds, roughly, how much of the journal is kept in memory; 0 means
	// journal.DefaultMaxBytes. The file has all of it.
	JournalBytes int
	// Reporter receives the phases of Start, unless it is nil.
	Reporter Reporter
	// LogVerbosity is how detailed the components' log lines in the journal are.
	LogVerbosity int
}

func (o Options) validate() error {
	return cmp.Or(o.validateDriver(), o.validateCluster(), o.validatePorts(), o.Implementations.validate())
}

func (o Options) validateDriver() error {
	if o.Driver != "" && o.NoDriver {
		return fmt.Errorf("%w: a driver endpoint and no driver at all exclude each other", ErrOptions)
	}
	if o.Driver != "" && !isUnixEndpoint(o.Driver) {
		return fmt.Errorf("%w: driver endpoint %q must have the form unix:///path/to/driver.sock", ErrOptions, o.Driver)
	}
	return cmp.Or(o.validateStore(), o.validateProtocols())
}

func (o Options) validateStore() error {
	if o.MaxBodyBytes < 0 || o.MaxAccounts < 0 {
		return fmt.Errorf("%w: the limits of the S3 store, %d bytes and %d accounts, must not be negative",
			ErrOptions, o.MaxBodyBytes, o.MaxAccounts)
	}
	if !o.fake() && (o.S3Port != 0 || o.Socket != "" || o.TLS || o.MaxBodyBytes != 0 || o.MaxAccounts != 0) {
		return fmt.Errorf("%w: the socket, and the port, TLS and limits of the S3 store, are those of the fake driver, "+
			"which is left out", ErrOptions)
	}
	return nil
}

func (o Options) validatePorts() error {
	for name, port := range map[string]int{"API server": o.APIServerPort, "S3": o.S3Port, "GCS": o.GCSPort} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("%w: the %s port %d is not between 0 and 65535", ErrOptions, name, port)
		}
	}
	return nil
}

func (o Options) validateCluster() error {
	switch {
	case o.Cluster == nil && o.Install:
		return fmt.Errorf("%w: Install requires Cluster: it installs what is missing in an existing cluster", ErrOptions)
	case o.Cluster != nil && (o.Implementations.ControllerRBAC != nil || o.Implementations.SidecarRBAC != nil):
		return fmt.Errorf("%w: with an existing cluster the components have the rights that are installed there; "+
			"give no manifest with others", ErrOptions)
	case o.Cluster != nil && (o.ControlPlane != nil || o.APIServerPort != 0 || o.ControlPlaneDir != "" || o.DataDir != ""):
		return fmt.Errorf("%w: with an existing cluster the emulator runs no control plane; "+
			"set no port, programs or data directory of one", ErrOptions)
	default:
		return nil
	}
}

func isUnixEndpoint(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Scheme == "unix" && u.Path != "" && u.Host == ""
}

func (o Options) withDefaults() Options {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.Protocols == nil {
		o.Protocols = []fakedriver.Protocol{fakedriver.ProtocolS3}
	}
	if o.RPCTimeout == 0 {
		o.RPCTimeout = DefaultRPCTimeout
	}
	if o.Reporter == nil {
		o.Reporter = nopReporter{}
	}
	return o
}

// fake says whether the fake driver and the S3 store are wanted.
func (o Options) fake() bool { return o.Driver == "" && !o.NoDriver }
