package emulator

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Names of the components in the journal.
const (
	ComponentController = vocabulary.Controller
	ComponentSidecar    = vocabulary.Sidecar
	ComponentDriver     = vocabulary.Driver
	ComponentStore      = vocabulary.Store
	ComponentGCS        = vocabulary.GCS
	ComponentAzure      = vocabulary.Azure
	ComponentBridge     = vocabulary.Bridge
	ComponentNode       = vocabulary.Node
	// ComponentNodeAdapter is the CSI driver of the node.
	ComponentNodeAdapter = vocabulary.NodeAdapter
)

// DefaultRPCTimeout is the default deadline of each call to the driver.
const DefaultRPCTimeout = 30 * time.Second

// DefaultConnectTimeout is the default time limit for the first answer of an external
// driver.
const DefaultConnectTimeout = 30 * time.Second

// ErrOptions is the error of invalid options.
var ErrOptions = description.ErrOptions

// Options configure an emulator. The zero value starts everything on free ports, with all files in
// a temporary directory.
type Options struct {
	// API is the version of the COSI kinds, and of the protocol of the drivers; empty means the
	// version of DataDir, or objectstorage.V1alpha2. V1alpha1 requires a control plane of the emulator's own.
	API objectstorage.Version

	// Dir is an existing directory for the files of this emulator: logs, keys, sockets, the
	// kubeconfig. If empty, the emulator uses a temporary directory, which Stop deletes.
	Dir string
	// DataDir stores Kubernetes objects, and the buckets, objects and accounts of the S3 store,
	// beyond Stop. If empty, Stop deletes them. Only one emulator at a time may use a directory;
	// see instance.LockDataDir. API, DriverNames, Protocols, Dialect, TLS, S3Region and the ports of the services default to
	// the options of its last use.
	DataDir string
	// After is an emulator of the same version of the COSI kinds, after its Stop, in whose place this one starts, for
	// instance with its DataDir: the journal goes on with its numbers and incarnations, and so do the keys of the applications.
	After *Emulator
	// Snapshot is a file that Emulator.SaveSnapshot has written: the emulator starts with the
	// objects, the store and the accounts of the snapshot. A DataDir must be empty. The store and
	// the control plane must be the emulator's own. API, ControlPlaneKind, Protocols, Dialect, TLS,
	// S3Region, S3Port, GCSPort and AzurePort default to the snapshot's; incompatible values are rejected.
	Snapshot string

	// ControlPlane is a running control plane, which Stop does not stop, and no other emulator may
	// use. If nil, the emulator starts one.
	ControlPlane ControlPlane
	// Cluster is an existing cluster, which replaces the emulator's control plane.
	// Controller and sidecar use its ServiceAccounts and Leases. Stop deletes what Start
	// has created in it, and closes the connections.
	Cluster *ExistingCluster
	// Install creates COSI kinds, ServiceAccounts and RBAC rules that are missing in Cluster.
	// Otherwise a missing one is an error.
	Install bool
	// ControlPlaneKind selects the control plane that the emulator starts; empty means
	// ControlPlaneAuto.
	ControlPlaneKind ControlPlaneKind
	// ControlPlaneDir is a directory with the programs of ControlPlaneEnvtest. If empty, they are
	// found, downloaded or built.
	ControlPlaneDir string

	// Pods runs Pods, and the workloads that the control plane serves, as processes of this machine, without
	// isolation. It requires a control plane that the emulator starts.
	Pods bool
	// Images map the images of containers to commands. If several match an image, the longest pattern applies. A
	// Pod with another image waits, with an Event about it.
	Images []Image

	// CRDs are the definitions that the control plane serves in place of package crds, such as an
	// earlier draft, one for each kind of COSI in the version of API. If they lack fields,
	// controller and sidecar must be yours, in Implementations. They require a control plane that
	// the emulator starts.
	CRDs []*apiextensionsv1.CustomResourceDefinition

	// Listen is the IP address on which API server, S3 store and GCS service listen; empty
	// means 127.0.0.1. With an address that other machines can reach, the services use TLS.
	Listen string
	// Advertise is the host name or IP address by which clients reach Listen, and which the
	// kubeconfig and the Secrets of accesses contain. The emulator itself must reach it. It
	// defaults to Listen, or to 127.0.0.1 if Listen stands for all addresses.
	Advertise string
	// APIServerPort and S3Port are TCP ports; 0 means a free one.
	APIServerPort int
	S3Port        int
	// S3Region is the region of the store, for which requests must be signed, except for buckets with a region of their own.
	// It defaults to the region in Snapshot or DataDir, or fakedriver.DefaultRegion.
	S3Region string
	// Socket is the path of the fake driver's UNIX socket. It defaults to cosi.sock in a
	// directory below Dir.
	Socket string

	// TLS makes the S3 store use TLS, with a certificate authority of its own, whose certificate is
	// in access Secrets.
	TLS bool
	// MaxBodyBytes is the maximum size of an S3 request body; see store.Options. 0 means
	// the store's default.
	MaxBodyBytes int64
	// S3CORSOrigins are the origins of pages that browsers allow to use S3 buckets without a CORS
	// configuration of their own; see fakedriver.ValidateCORSOrigins. Default: none.
	S3CORSOrigins []string
	// MaxAccounts is the maximum number of granted accesses in the S3 store; 0 means no limit.
	MaxAccounts int

	// Protocols are the protocols of the fake driver; the first is its default.
	// fakedriver.ProtocolGCS also starts the GCS service on GCSPort, and
	// fakedriver.ProtocolAzure the Azure service on AzurePort; 0 means a free port.
	// Default: S3.
	Protocols []fakedriver.Protocol
	GCSPort   int
	AzurePort int

	// DriverNames are the names of the fake drivers, so that classes for other drivers can be used
	// unchanged. The default classes are for the first. Default: fakedriver.DefaultName.
	DriverNames []string
	// IgnoreUnknownParameters makes the fake drivers ignore unknown parameters of classes, instead
	// of rejecting them. DriverNames implies it.
	IgnoreUnknownParameters bool
	// Strict makes controller and sidecars reject meaningless input that v1alpha1 allows, such as
	// an authentication type that does not exist. Otherwise they accept it with an Event, as COSI
	// v0.2 does.
	Strict bool

	// SecretKeys are the sets of keys under which access Secrets of v1alpha2 have their values.
	// Empty means the KEP's.
	SecretKeys []v1alpha2.SecretKeySet
	// SecretParametersFrom are the namespaces whose Secrets the parameters of classes may name for a driver; see package
	// proto/secretparameters. Empty means that these parameters have no meaning.
	SecretParametersFrom []string

	// Driver is the endpoint of an external driver, unix:///path.sock, which replaces the fake
	// driver and its S3 store. In front of a driver of COSI v1alpha1, or of an earlier dialect of
	// v1alpha2, the emulator runs a bridge. With Implementations.DriverCommand, the program listens
	// there.
	Driver string
	// Dialect is the protocol of the driver. By default, the fake drivers speak the dialect of
	// DataDir, or the version of API. By default, the emulator detects the dialect of your driver
	// (Driver, Implementations.DriverCommand or DriverOptions.Endpoint) on each connection. If the driver's
	// dialect is not the sidecar's, the emulator runs a bridge between its own sidecar and the
	// driver. Your own sidecar must speak the driver's dialect, unless it is dialects.V1alpha1: then
	// the emulator runs a bridge, too. Fake drivers of dialects.V1alpha1 have one protocol, S3 or
	// Azure.
	Dialect dialects.Dialect
	// DriverIDs are the form of the IDs that fake drivers return. They return others than names only behind a
	// bridge. Default: fakedriver.IDsNames.
	DriverIDs fakedriver.IDs
	// AssumeExisting makes the bridge in front of your driver use existing buckets without a check,
	// because a driver of COSI v1alpha1 cannot look them up. Without a bridge it has no effect.
	AssumeExisting bool
	// DriverProtocols are those that your driver of COSI v1alpha1 serves, S3 or Azure, since such a driver returns none.
	// DriverS3Endpoint, a URL, and DriverS3Region are for applications if the driver returns none. They are for the bridge in
	// front of your driver and for the sidecar of v1alpha1, which needs no DriverProtocols.
	DriverProtocols                  []cosiv1alpha2.ObjectProtocol_Type
	DriverS3Endpoint, DriverS3Region string
	// StoreOnly starts the store with the services of Protocols, and nothing else: Client and Config are not available.
	// Applications use the root key. The services use TLS only with TLS, also if other machines can connect.
	StoreOnly bool
	// S3RootKey is the root key of the store, for tests with a fixed key. The zero value means the key in DataDir, or a
	// random one.
	S3RootKey fakedriver.Credentials
	// NoDriver starts no driver, sidecar and S3 store. You start a sidecar beside the emulator.
	NoDriver bool
	// BucketParameters and AccessParameters are the parameters of the default classes. The default
	// BucketParameters make the fake driver delete buckets together with their objects.
	BucketParameters, AccessParameters map[string]string
	// ConnectTimeout is the time limit for the first answer of the driver; 0 means
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// RPCTimeout is the deadline of each call to the driver; 0 means DefaultRPCTimeout.
	RPCTimeout time.Duration

	// LeaderElection enables leader election of controller and sidecars, as in a cluster. They can
	// lose their Leases by the effect loseLease of a fault. It is always enabled in an existing Cluster. It
	// excludes a second replica, which would never become the leader.
	LeaderElection bool

	// Implementations replace components of the emulator at the same seams.
	Implementations Implementations

	// RetryBaseDelay and RetryMaxDelay are the first and the longest delay between retries
	// of controller and sidecar; 0 means the component's default.
	RetryBaseDelay time.Duration
	RetryMaxDelay  time.Duration

	// JournalBytes is the approximate size of the journal in memory; 0 means
	// journal.DefaultMaxBytes. The file has the whole journal.
	JournalBytes int
	// Reporter receives the phases of Start; nil means none.
	Reporter Reporter
	// DriverChanged, if set, is called when your driver has restarted in another dialect, which Info
	// then has. It must not block.
	DriverChanged func()
	// TracerProvider receives the spans of the emulator's own controller, sidecars, bridges and fake drivers. Default: none.
	TracerProvider trace.TracerProvider
	// LogVerbosity is the log level of the components' log lines in the journal.
	LogVerbosity int
}

func (o Options) validate() error {
	return cmp.Or(o.validateStoreOnly(),
		o.validateAPI(), o.validateDriver(), o.validateCluster(), o.validateControlPlane(), o.validateSnapshot(), o.validateListen(),
		o.validatePorts(), o.Implementations.validate(), o.validateCRDs(), o.validatePods())
}

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

func (o Options) validateDriver() error {
	if (o.Driver != "" || o.Implementations.DriverCommand != nil) && o.NoDriver {
		return fmt.Errorf("%w: a driver of your own and no driver at all exclude each other", ErrOptions)
	}
	if o.Driver != "" && !isUnixEndpoint(o.Driver) {
		return fmt.Errorf("%w: driver endpoint %q must have the form unix:///path/to/driver.sock", ErrOptions, o.Driver)
	}
	described := bridge.Options{Driver: "any", Protocols: o.DriverProtocols, S3Endpoint: o.DriverS3Endpoint}
	if err := described.ValidateDriver(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return cmp.Or(
		o.validateStore(), o.validateDriverNames(), o.validateSecretKeys(), o.validateSecretParameters(),
		o.validateProtocols(), o.validateDialect(), o.validateDriverRights(),
	)
}

func (o Options) validateSecretKeys() error {
	switch own := o.Implementations; {
	case len(o.SecretKeys) == 0:
		return nil
	case o.API == objectstorage.V1alpha1:
		return fmt.Errorf("%w: SecretKeys require the kinds of v1alpha2: the Secrets of v1alpha1 have one key, BucketInfo", ErrOptions)
	case own.Sidecar != nil || own.SidecarCommand != nil:
		return fmt.Errorf("%w: SecretKeys require the emulator's own sidecar, which yours replaces", ErrOptions)
	}
	for _, set := range o.SecretKeys {
		if err := set.Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return nil
}

func (o Options) validateSecretParameters() error {
	switch own := o.Implementations; {
	case len(o.SecretParametersFrom) == 0:
		return nil
	case own.Sidecar != nil || own.SidecarCommand != nil:
		return fmt.Errorf("%w: SecretParametersFrom requires the emulator's own sidecar, which yours replaces", ErrOptions)
	}
	for _, namespace := range o.SecretParametersFrom {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fmt.Errorf("%w: SecretParametersFrom has %q, which is no name of a namespace: %s", ErrOptions, namespace, problems[0])
		}
	}
	return nil
}

func (o Options) validateDriverNames() error {
	if o.Cluster != nil && len(o.DriverNames) > 1 {
		// Only the sidecar of the first driver takes the Lease of its driver's name.
		return fmt.Errorf("%w: an existing cluster can have one fake driver, not %d: start an emulator for each name",
			ErrOptions, len(o.DriverNames))
	}
	if !o.fake() && (len(o.DriverNames) > 0 || o.IgnoreUnknownParameters) {
		return fmt.Errorf("%w: DriverNames and IgnoreUnknownParameters require the fake driver", ErrOptions)
	}
	for i, name := range o.DriverNames {
		if err := fakedriver.ValidateName(name); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
		if slices.Contains(o.DriverNames[:i], name) {
			return fmt.Errorf("%w: two fake drivers have the name %s", ErrOptions, name)
		}
	}
	return nil
}

func (o Options) validateStore() error {
	if o.MaxBodyBytes < 0 || o.MaxAccounts < 0 {
		return fmt.Errorf("%w: the limits of the S3 store, %d bytes and %d accounts, must not be negative",
			ErrOptions, o.MaxBodyBytes, o.MaxAccounts)
	}
	if err := fakedriver.ValidateCORSOrigins(o.S3CORSOrigins); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if err := cmp.Or(o.validateRootKey(), o.validateRegion()); err != nil {
		return err
	}
	ofStore := []any{o.S3Port, o.S3Region, o.Socket, o.TLS, o.MaxBodyBytes, o.MaxAccounts, o.S3CORSOrigins}
	if !o.fake() && slices.ContainsFunc(ofStore, isGiven) {
		return fmt.Errorf("%w: the socket, and the port, region, TLS, limits and CORS origins of the S3 store, belong to the fake driver, "+
			"which is left out", ErrOptions)
	}
	return nil
}

func (o Options) validateRegion() error {
	if o.S3Region == "" {
		return nil
	}
	if err := fakedriver.ValidateRegion(o.S3Region); err != nil {
		return fmt.Errorf("%w: S3Region: %w", ErrOptions, err)
	}
	return nil
}

func (o Options) validateDriverRights() error {
	if o.fake() && o.Implementations.DriverRBAC != nil {
		return fmt.Errorf("%w: Implementations.DriverRBAC requires a driver of your own; the fake driver needs no rights", ErrOptions)
	}
	return nil
}

func (o Options) validateCluster() error {
	switch {
	case o.Cluster == nil && o.Install:
		return fmt.Errorf("%w: Install requires Cluster: it installs the missing parts of an existing cluster", ErrOptions)
	case o.Cluster != nil && o.Implementations.hasRBAC():
		return fmt.Errorf("%w: with an existing cluster the components have the rights that are installed there; "+
			"give no manifest with others", ErrOptions)
	case o.Cluster != nil &&
		(o.ControlPlane != nil || o.APIServerPort != 0 || o.ControlPlaneDir != "" || o.ControlPlaneKind != "" || o.DataDir != ""):
		return fmt.Errorf("%w: with an existing cluster the emulator runs no control plane; "+
			"set no kind, port, programs or data directory of one", ErrOptions)
	default:
		return nil
	}
}

func isUnixEndpoint(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Scheme == "unix" && u.Path != "" && u.Host == ""
}

func (o Options) withDefaults() Options {
	o.API = cmp.Or(o.API, objectstorage.V1alpha2)
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
	if o.listen().BeyondLoopback() && o.fake() && !o.StoreOnly {
		o.TLS = true
	}
	return o
}

func (o Options) fake() bool {
	return o.Driver == "" && !o.NoDriver && o.Implementations.DriverCommand == nil
}
