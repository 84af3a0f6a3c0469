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
	// DefaultLeaseDuration is how long others leave a Lease alone that is not
	// renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is how long the holder tries to renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two tries.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// reconcileTimeout bounds everything that one reconcile asks of the API server,
// so that a request that hangs holds up one worker for so long only.
const reconcileTimeout = time.Minute

// Options are the settings of a Controller. The zero value is ready to use.
type Options struct {
	// Logger takes the log. With the zero value nothing is logged.
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
	// string and "0" switch it off.
	MetricsBindAddress string
	// HealthProbeBindAddress is the TCP address of the endpoints /healthz and
	// /readyz. The empty string and "0" switch them off.
	HealthProbeBindAddress string

	// LeaderElection makes the controller wait until it holds the Lease, so that
	// several instances can stand by.
	LeaderElection bool
	// LeaderElectionNamespace is the namespace of the Lease. If it is empty, the
	// namespace of the Pod that the controller runs in is used.
	LeaderElectionNamespace string
	// LeaseDuration is how long the others leave a Lease alone that is not
	// renewed, RenewDeadline how long the holder tries to renew it before it
	// gives up its work, and RetryPeriod the time between two tries. Zero means
	// the default of each.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns an error that says which of the options cannot be.
func (o Options) Validate() error {
	o = o.withDefaults()
	return o.settings().Validate()
}

func (o Options) settings() cosimanager.Settings {
	return cosimanager.Settings{
		Workers:        o.Workers,
		RetryBaseDelay: o.RetryBaseDelay, RetryMaxDelay: o.RetryMaxDelay,
		MetricsBindAddress: o.MetricsBindAddress, HealthProbeBindAddress: o.HealthProbeBindAddress,
		LeaseDuration: o.LeaseDuration, RenewDeadline: o.RenewDeadline, RetryPeriod: o.RetryPeriod,
	}
}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.RetryBaseDelay = cmp.Or(o.RetryBaseDelay, DefaultRetryBaseDelay)
	o.RetryMaxDelay = cmp.Or(o.RetryMaxDelay, DefaultRetryMaxDelay)
	o.LeaseDuration = cmp.Or(o.LeaseDuration, DefaultLeaseDuration)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, DefaultRenewDeadline)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, DefaultRetryPeriod)
	return o
}
