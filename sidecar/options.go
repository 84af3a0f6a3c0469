package sidecar

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/validation"
	certutil "k8s.io/client-go/util/cert"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// Defaults of the Options.
const (
	// DefaultWorkers is how many objects of each kind are reconciled at once. Most
	// workers wait for the driver.
	DefaultWorkers = 16
	// DefaultRetryBaseDelay is the delay before the first retry.
	DefaultRetryBaseDelay = 100 * time.Millisecond
	// DefaultRetryMaxDelay is the longest delay between retries.
	DefaultRetryMaxDelay = 2 * time.Minute
	// DefaultConnectTimeout is how long New waits for the driver.
	DefaultConnectTimeout = driver.DefaultConnectTimeout
	// DefaultRPCTimeout is the deadline of each call to the driver.
	DefaultRPCTimeout = driver.DefaultRPCTimeout
	// DefaultLeaseDuration is how long other instances wait before they take a Lease
	// that is not renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is how long the leader tries to renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two attempts.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// Options are the settings of a Sidecar. Endpoint is required.
type Options struct {
	// Endpoint is the driver's address: unix:///path.sock, or any other gRPC
	// target.
	Endpoint string
	// DialOptions are applied to the connection after the sidecar's own.
	DialOptions []grpc.DialOption
	// ConnectTimeout is how long New waits for the driver. Zero means
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// RPCTimeout is the deadline of each call to the driver. Zero means
	// DefaultRPCTimeout.
	RPCTimeout time.Duration

	// CertificateAuthority goes into every access Secret, under the key
	// COSI_CERTIFICATE_AUTHORITY: PEM certificates, by which applications verify the
	// object storage. If it is empty, they need none.
	CertificateAuthority string

	// Logger takes the log. The zero value logs nothing.
	Logger logr.Logger

	// Now is the clock that decides whether the Lease has expired, whose holder serves
	// other protocols.
	// Nothing else depends on the time. It defaults to time.Now.
	Now func() time.Time

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

	// LeaderElection makes the sidecar wait until it holds the Lease of its driver,
	// so that further instances can be standbys.
	LeaderElection bool
	// LeaderElectionNamespace is the namespace of the Lease. If it is empty, the
	// namespace of the Pod that the sidecar runs in is used.
	LeaderElectionNamespace string
	// DriverGroup distinguishes drivers that have the same name by mistake: all
	// sidecars of one driver have the same group. It must be a valid label value, and
	// defaults to the namespace of the Pod. The Lease records it, also without
	// LeaderElection and after the sidecar has stopped: sidecars of other groups fail.
	// It requires that the Leases of all sidecars are in one namespace. Without any
	// LeaderElectionNamespace nothing is recorded.
	DriverGroup string
	// TakeOver is a group that the driver's name may be taken from. It is for an
	// administrator who knows that the other driver is gone for good.
	TakeOver string
	// LeaseDuration is how long other instances wait before they take a Lease that
	// is not renewed. RenewDeadline is how long the leader tries to renew it before
	// it stops. RetryPeriod is the time between two attempts. Zero means the default
	// of each.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error {
	o = o.withDefaults()
	err := o.settings().Validate()
	if o.Endpoint == "" {
		err = errors.Join(err, errors.New("no driver endpoint is given"))
	}
	if o.ConnectTimeout < 0 || o.RPCTimeout < 0 {
		err = errors.Join(err, fmt.Errorf("the connect timeout, %s, and the RPC timeout, %s, must not be negative",
			o.ConnectTimeout, o.RPCTimeout))
	}
	return errors.Join(err, validateGroup("driver group", o.DriverGroup), validateGroup("group to take over from", o.TakeOver),
		validateCertificates(o.CertificateAuthority))
}

// validateGroup requires what the API server requires of a label.
func validateGroup(what, group string) error {
	if problems := validation.IsValidLabelValue(group); len(problems) > 0 {
		return fmt.Errorf("the %s %q must be a valid label value: %s", what, group, strings.Join(problems, "; "))
	}
	return nil
}

func validateCertificates(pem string) error {
	if pem == "" {
		return nil
	}
	if _, err := certutil.ParseCertsPEM([]byte(pem)); err != nil {
		return fmt.Errorf("the certificate authority for applications must be a list of PEM certificates: %w", err)
	}
	return nil
}

func (o Options) settings() cosimanager.Settings {
	return cosimanager.Settings{
		Logger: o.Logger, Workers: o.Workers,
		RetryBaseDelay: o.RetryBaseDelay, RetryMaxDelay: o.RetryMaxDelay, ReconcileTimeout: o.reconcileTimeout(),
		MetricsBindAddress: o.MetricsBindAddress, HealthProbeBindAddress: o.HealthProbeBindAddress,
		LeaderElection: o.LeaderElection, LeaderElectionNamespace: o.LeaderElectionNamespace,
		LeaseDuration: o.LeaseDuration, RenewDeadline: o.RenewDeadline, RetryPeriod: o.RetryPeriod,
	}
}

func (o Options) driverOptions() driver.Options {
	return driver.Options{
		Endpoint: o.Endpoint, DialOptions: o.DialOptions, ConnectTimeout: o.ConnectTimeout, RPCTimeout: o.RPCTimeout,
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
	o.RPCTimeout = cmp.Or(o.RPCTimeout, DefaultRPCTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.LeaderElectionNamespace = cmp.Or(o.LeaderElectionNamespace, cosimanager.PodNamespace())
	o.DriverGroup = cmp.Or(o.DriverGroup, cosimanager.PodNamespace())
	return o
}

// reconcileTimeout limits one reconcile, which makes at most two calls to the driver.
// The rest of the time is for the API server.
func (o Options) reconcileTimeout() time.Duration { return 2*o.RPCTimeout + time.Minute }
