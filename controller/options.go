package controller

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// Defaults of the Options.
const (
	// DefaultWorkers is how many objects of each kind are reconciled at once.
	DefaultWorkers = 4
	// DefaultRetryBaseDelay is the delay before the first retry.
	DefaultRetryBaseDelay = 20 * time.Millisecond
	// DefaultRetryMaxDelay is the longest delay between retries.
	DefaultRetryMaxDelay = 2 * time.Minute
	// DefaultLeaseDuration is how long other instances wait before they take a Lease
	// that is not renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is how long the leader tries to renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two attempts.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// reconcileTimeout limits one reconcile, so that a request that hangs blocks a worker
// no longer than this.
const reconcileTimeout = time.Minute

// Options are the settings of a Controller. The zero value is ready to use.
type Options struct {
	// Logger takes the log. The zero value logs nothing.
	Logger logr.Logger

	// Workers is how many objects of each kind are reconciled at the same time.
	// Zero means DefaultWorkers.
	Workers int

	// RetryBaseDelay is the delay before the first retry after an error; it
	// doubles with each further one. Zero means DefaultRetryBaseDelay.
	RetryBaseDelay time.Duration
	// RetryMaxDelay is the longest delay between retries. Zero means
	// DefaultRetryMaxDelay.
	RetryMaxDelay time.Duration

	// MetricsBindAddress is the TCP address of the metrics endpoint. The empty
	// string and "0" disable it.
	MetricsBindAddress string
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
func (o Options) Validate() error {
	o = o.withDefaults()
	return o.settings().Validate()
}

func (o Options) settings() cosimanager.Settings {
	return cosimanager.Settings{
		Logger: o.Logger, Workers: o.Workers,
		RetryBaseDelay: o.RetryBaseDelay, RetryMaxDelay: o.RetryMaxDelay, ReconcileTimeout: reconcileTimeout,
		MetricsBindAddress: o.MetricsBindAddress, HealthProbeBindAddress: o.HealthProbeBindAddress,
		LeaderElection: o.LeaderElection, LeaderElectionNamespace: o.LeaderElectionNamespace,
		LeaseDuration: o.LeaseDuration, RenewDeadline: o.RenewDeadline, RetryPeriod: o.RetryPeriod,
	}
}

// withDefaults replaces zero values by the defaults.
func (o Options) withDefaults() Options {
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.RetryBaseDelay = cmp.Or(o.RetryBaseDelay, DefaultRetryBaseDelay)
	o.RetryMaxDelay = cmp.Or(o.RetryMaxDelay, DefaultRetryMaxDelay)
	o.LeaseDuration = cmp.Or(o.LeaseDuration, DefaultLeaseDuration)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, DefaultRenewDeadline)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, DefaultRetryPeriod)
	return o
}
