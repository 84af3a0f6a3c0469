package controller

import (
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/internal/controller/instance"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// Defaults of the Options.
const (
	// DefaultWorkers is the number of objects of each kind that are reconciled at once.
	DefaultWorkers        = instance.DefaultWorkers
	DefaultRetryBaseDelay = instance.DefaultRetryBaseDelay
	DefaultRetryMaxDelay  = instance.DefaultRetryMaxDelay
	// DefaultLeaseDuration is the time after which other instances take a Lease that is not
	// renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is the time in which the leader must renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two attempts.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// Options are the settings of a Controller. The zero value is ready to use.
type Options struct {
	// Logger receives the log. The zero value logs nothing.
	Logger logr.Logger

	// TracerProvider makes each reconcile a span. No span has a secret, a parameter or the message of an error. Default:
	// none.
	TracerProvider trace.TracerProvider

	// WatchNamespaces are the namespaces that the controller serves: their BucketClaims and BucketAccesses, and the
	// Buckets of these claims. It does not read objects of other namespaces, and leaves their Buckets alone. Empty means all
	// namespaces.
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

	// LeaderElection makes the controller wait until it holds the Lease, so that
	// further instances can be standbys.
	LeaderElection bool
	// LeaderElectionNamespace is the namespace of the Lease. It defaults to the namespace of the
	// controller's Pod.
	LeaderElectionNamespace string
	// LeaseDuration is the time after which other instances take a Lease that is not renewed.
	// RenewDeadline is the time in which the leader must renew it, or stop. RetryPeriod is the time
	// between two attempts. Zero means the default of each.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error { return instance.Options(o).Validate() }
