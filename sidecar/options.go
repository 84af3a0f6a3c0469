package sidecar

import (
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/instance"
)

// Defaults of the Options.
const (
	// DefaultWorkers is the number of objects of each kind that are reconciled at once. Most
	// workers wait for the driver.
	DefaultWorkers        = instance.DefaultWorkers
	DefaultRetryBaseDelay = instance.DefaultRetryBaseDelay
	DefaultRetryMaxDelay  = instance.DefaultRetryMaxDelay
	// DefaultConnectTimeout is the time for which New waits for the driver.
	DefaultConnectTimeout = instance.DefaultConnectTimeout
	DefaultRPCTimeout     = instance.DefaultRPCTimeout
	// DefaultDriverProbeTimeout is the deadline of a driver's answer to a probe.
	DefaultDriverProbeTimeout = instance.DefaultDriverProbeTimeout
	// DefaultLeaseDuration is the time after which other instances take a Lease that is not
	// renewed.
	DefaultLeaseDuration = instance.DefaultLeaseDuration
	// DefaultRenewDeadline is the time in which the leader must renew its Lease.
	DefaultRenewDeadline = instance.DefaultRenewDeadline
	DefaultRetryPeriod   = instance.DefaultRetryPeriod
)

// Options are the settings of a Sidecar. Endpoint is required.
type Options struct {
	// Endpoint is the driver's address: unix:///path.sock, or any other gRPC target.
	Endpoint string
	// DialOptions are applied to the connection after the sidecar's own.
	DialOptions []grpc.DialOption
	// ConnectTimeout is the time for which New waits for the driver. Zero means
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// RPCTimeout is the deadline of each call to the driver. Zero means
	// DefaultRPCTimeout.
	RPCTimeout time.Duration

	// CertificateAuthority is copied into every access Secret, under the key
	// COSI_CERTIFICATE_AUTHORITY: PEM certificates with which applications verify the object
	// storage; empty if they need none.
	CertificateAuthority string

	// S3Endpoint and S3Region are for applications if a driver of v1alpha1 returns none: a URL, and a name. They
	// require the kinds of v1alpha1. With those of v1alpha2, the bridge in front of the driver has them.
	S3Endpoint, S3Region string

	// SecretKeys are the sets of keys of access Secrets. Empty means the KEP's. With the kinds of
	// v1alpha1 it must be empty: their Secrets have one key.
	SecretKeys []v1alpha2.SecretKeySet

	// SecretParametersFrom are the namespaces whose Secrets the parameters of classes may name for the driver; see package
	// proto/secretparameters. The sidecar reads the Secret before each call with these parameters, and passes it to the
	// driver in the metadata of the call. Empty means that these parameters have no meaning, and reach the driver as they are.
	SecretParametersFrom []string

	// Logger receives the log. The zero value logs nothing.
	Logger logr.Logger

	// TracerProvider makes each reconcile a span, and each call to the driver a span below it, whose context the call
	// carries. No span has a secret, a parameter or the message of an error. Default: none.
	TracerProvider trace.TracerProvider

	// Now is the clock for the expiry of a Lease whose holder serves other protocols. Nothing else
	// depends on the time. It defaults to time.Now.
	Now func() time.Time

	// WatchNamespaces are the namespaces that the sidecar serves: their BucketAccesses and Secrets, and the Buckets of their
	// BucketClaims. It does not read objects of other namespaces, and leaves their Buckets alone. Empty means all namespaces.
	// All sidecars of a driver must have the same.
	WatchNamespaces []string

	// Strict rejects meaningless input that v1alpha1 allows, such as an authentication type that
	// does not exist. Otherwise it is accepted, as in COSI v0.2, with an Event that names the
	// field. v1alpha2 allows no such input.
	Strict bool

	// Workers is the number of objects of each kind that are reconciled at the same time. Zero
	// means DefaultWorkers.
	Workers int

	// RetryBaseDelay is the delay before the first retry after an error; it doubles with each
	// retry. Zero means DefaultRetryBaseDelay.
	RetryBaseDelay time.Duration
	// RetryMaxDelay is the longest delay between retries. Zero means
	// DefaultRetryMaxDelay.
	RetryMaxDelay time.Duration

	// Metrics are the options of the metrics endpoint. An empty BindAddress disables it, as "0"
	// does. With SecureServing and a CertDir, the certificate must exist.
	Metrics metricsserver.Options
	// HealthProbeBindAddress is the TCP address of the endpoints /healthz and
	// /readyz. The empty string and "0" disable them.
	HealthProbeBindAddress string
	// DriverProbeBindAddress is the TCP address of the endpoint /healthz about the driver, for the liveness probe of
	// the driver's container. It asks the driver for its health by grpc.health.v1, or calls DriverGetInfo if the driver does
	// not serve it. The empty string and "0" disable it.
	DriverProbeBindAddress string
	// DriverProbeTimeout is the deadline of that answer. Zero means DefaultDriverProbeTimeout.
	DriverProbeTimeout time.Duration

	// LeaderElection makes the sidecar wait until it holds the Lease of its driver,
	// so that further instances can be standbys.
	LeaderElection bool
	// LeaderElectionNamespace is the namespace of the Lease. It defaults to the namespace of the
	// sidecar's Pod.
	LeaderElectionNamespace string
	// DriverGroup distinguishes drivers that have the same name by mistake: all sidecars of one
	// driver have the same group. It must be a valid label value, and defaults to the namespace of
	// the Pod. The Lease records it, also without LeaderElection and after the sidecar has stopped:
	// sidecars of other groups fail. This requires that the Leases of all sidecars are in one
	// namespace. Without any LeaderElectionNamespace nothing is recorded.
	DriverGroup string
	// TakeOver is a group from which the sidecar takes over the driver's name. It is for an
	// administrator who knows that the other driver no longer exists.
	TakeOver string
	// DriverNameTimeout is the time for which Start waits while the driver's name belongs to another
	// group. It tries again with the back-off of RetryBaseDelay and RetryMaxDelay; the log and an
	// Event name the other group. Then Start fails with ErrDriverNameCollision. Until it has the
	// name, the sidecar serves no probes. Zero means that Start fails at once.
	DriverNameTimeout time.Duration
	// LeaseDuration is the time after which other instances take a Lease that is not renewed.
	// RenewDeadline is the time in which the leader must renew it, or stop. RetryPeriod is the time
	// between two attempts. Zero means the default of each.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error { return instance.Options(o).Validate() }
