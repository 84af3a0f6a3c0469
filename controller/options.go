package controller

import (
	"time"

	"github.com/go-logr/logr"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/internal/controller/instance"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// Defaults of the Options.
const (
	// DefaultWorkers is how many objects of each kind are reconciled at once.
	DefaultWorkers = instance.DefaultWorkers
	// DefaultRetryBaseDelay is the delay before the first retry.
	DefaultRetryBaseDelay = instance.DefaultRetryBaseDelay
	// DefaultRetryMaxDelay is the longest delay between retries.
	DefaultRetryMaxDelay = instance.DefaultRetryMaxDelay
	// DefaultLeaseDuration is how long other instances wait before they take a Lease
	// that is not renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is how long the leader tries to renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two attempts.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// Options are the settings of a Controller. The zero value is ready to use.
type Options struct {
	// Logger takes the log. The zero value logs nothing.
	Logger logr.Logger

	// Strict rejects what v1alpha1 allows although it makes no sense, such as an
	// authentication type that does not exist. Otherwise it is accepted, as in COSI v0.2,
	// with an Event that names the field. v1alpha2 leaves nothing of that kind open.
	Strict bool

	// Workers is how many objects of each kind are reconciled at the same time.
	// Zero means DefaultWorkers.
	Workers int

	// RetryBaseDelay is the delay before the first retry after an error; it
	// doubles with each further one. Zero means DefaultRetryBaseDelay.
	RetryBaseDelay time.Duration
	// RetryMaxDelay is the longest delay between retries. Zero means
	// DefaultRetryMaxDelay.
	RetryMaxDelay time.Duration

	// Metrics are the options of the metrics endpoint. An empty BindAddress disables it, as
	// "0" does. With SecureServing and a CertDir, the certificate must be there.
	Metrics metricsserver.Options
	// HealthProbeBindAddress is the TCP address of the endpoints /healthz and
	// /readyz. The empty string and "0" disable them.
	HealthProbeBindAddress string

	// LeaderElection makes the controller wait until it holds the Lease, so that
	// further instances can be standbys.
	LeaderElection bool
	// LeaderElectionNamespace is the namespace of the Lease. If it is empty, the
	// namespace of the Pod that the controller runs in is used.
	LeaderElectionNamespace string
	// LeaseDuration is how long other instances wait before they take a Lease that
	// is not renewed. RenewDeadline is how long the leader tries to renew it before
	// it stops. RetryPeriod is the time between two attempts. Zero means the default
	// of each.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error { return instance.Options(o).Validate() }
