package instance

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// Defaults of the Options.
const (
	DefaultWorkers        = 4
	DefaultRetryBaseDelay = 20 * time.Millisecond
	DefaultRetryMaxDelay  = 2 * time.Minute
)

// reconcileTimeout limits one reconcile, so that a hanging request does not block a worker for
// longer.
const reconcileTimeout = time.Minute

// Options are the public Options of package controller, which documents them. The fields are the
// same, so that one converts to the other.
type Options struct {
	Logger logr.Logger

	TracerProvider trace.TracerProvider

	WatchNamespaces []string

	Strict bool

	Workers int

	RetryBaseDelay time.Duration
	RetryMaxDelay  time.Duration

	Metrics                metricsserver.Options
	HealthProbeBindAddress string

	LeaderElection                            bool
	LeaderElectionNamespace                   string
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error { return o.settings().Validate() }

func (o Options) settings() cosimanager.Settings {
	return cosimanager.Settings{
		Logger:                  o.Logger,
		WatchNamespaces:         o.WatchNamespaces,
		Workers:                 cmp.Or(o.Workers, DefaultWorkers),
		RetryBaseDelay:          cmp.Or(o.RetryBaseDelay, DefaultRetryBaseDelay),
		RetryMaxDelay:           cmp.Or(o.RetryMaxDelay, DefaultRetryMaxDelay),
		ReconcileTimeout:        reconcileTimeout,
		Metrics:                 o.Metrics,
		HealthProbeBindAddress:  o.HealthProbeBindAddress,
		LeaderElection:          o.LeaderElection,
		LeaderElectionNamespace: o.LeaderElectionNamespace,
		LeaseDuration:           cmp.Or(o.LeaseDuration, cosimanager.DefaultLeaseDuration),
		RenewDeadline:           cmp.Or(o.RenewDeadline, cosimanager.DefaultRenewDeadline),
		RetryPeriod:             cmp.Or(o.RetryPeriod, cosimanager.DefaultRetryPeriod),
	}
}
