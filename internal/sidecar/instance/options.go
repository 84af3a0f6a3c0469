package instance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"
	certutil "k8s.io/client-go/util/cert"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// Defaults of the Options.
const (
	// DefaultWorkers is the number of objects of each kind that are reconciled at once. Most
	// workers wait for the driver.
	DefaultWorkers        = 16
	DefaultRetryBaseDelay = 100 * time.Millisecond
	DefaultRetryMaxDelay  = 2 * time.Minute
	// DefaultConnectTimeout is the time for which New waits for the driver.
	DefaultConnectTimeout = connection.DefaultConnectTimeout
	DefaultRPCTimeout     = connection.DefaultRPCTimeout
	// DefaultLeaseDuration is the time after which other instances take a Lease that is not
	// renewed.
	DefaultLeaseDuration = cosimanager.DefaultLeaseDuration
	// DefaultRenewDeadline is the time in which the leader must renew its Lease.
	DefaultRenewDeadline = cosimanager.DefaultRenewDeadline
	// DefaultRetryPeriod is the time between two attempts.
	DefaultRetryPeriod = cosimanager.DefaultRetryPeriod
)

// Options are the options of package sidecar, which documents them: the types convert to each
// other.
type Options struct {
	Endpoint                                  string
	DialOptions                               []grpc.DialOption
	ConnectTimeout                            time.Duration
	RPCTimeout                                time.Duration
	CertificateAuthority                      string
	S3Endpoint, S3Region                      string
	SecretKeys                                []v1alpha2.SecretKeySet
	SecretParametersFrom                      []string
	Logger                                    logr.Logger
	TracerProvider                            trace.TracerProvider
	Now                                       func() time.Time
	WatchNamespaces                           []string
	Strict                                    bool
	Workers                                   int
	RetryBaseDelay                            time.Duration
	RetryMaxDelay                             time.Duration
	Metrics                                   metricsserver.Options
	HealthProbeBindAddress                    string
	DriverProbeBindAddress                    string
	DriverProbeTimeout                        time.Duration
	LeaderElection                            bool
	LeaderElectionNamespace                   string
	DriverGroup                               string
	TakeOver                                  string
	DriverNameTimeout                         time.Duration
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Validate returns all errors of the options.
func (o Options) Validate() error {
	o = o.WithDefaults()
	err := o.settings().Validate()
	if o.Endpoint == "" {
		err = errors.Join(err, errors.New("no driver endpoint is given"))
	}
	if o.ConnectTimeout < 0 || o.RPCTimeout < 0 || o.DriverProbeTimeout < 0 || o.DriverNameTimeout < 0 {
		err = errors.Join(err, fmt.Errorf("the connect timeout, %s, the RPC timeout, %s, the driver probe timeout, %s, "+
			"and the driver name timeout, %s, must not be negative",
			o.ConnectTimeout, o.RPCTimeout, o.DriverProbeTimeout, o.DriverNameTimeout))
	}
	for _, set := range o.SecretKeys {
		err = errors.Join(err, set.Validate())
	}
	for _, namespace := range o.SecretParametersFrom {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			err = errors.Join(err, fmt.Errorf("the namespace %q of Secrets for the driver is invalid: %s", namespace, strings.Join(problems, "; ")))
		}
	}
	return errors.Join(err, cosimanager.ValidateAddress("driver probe", o.DriverProbeBindAddress),
		validateGroup("driver group", o.DriverGroup), validateGroup("group to take over from", o.TakeOver),
		validateCertificates(o.CertificateAuthority))
}

// validateGroup applies the API server's rules for a label.
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
		Logger: o.Logger, WatchNamespaces: o.WatchNamespaces, Workers: o.Workers,
		RetryBaseDelay: o.RetryBaseDelay, RetryMaxDelay: o.RetryMaxDelay, ReconcileTimeout: o.reconcileTimeout(),
		Metrics: o.Metrics, HealthProbeBindAddress: o.HealthProbeBindAddress,
		LeaderElection: o.LeaderElection, LeaderElectionNamespace: o.LeaderElectionNamespace,
		LeaseDuration: o.LeaseDuration, RenewDeadline: o.RenewDeadline, RetryPeriod: o.RetryPeriod,
	}
}

// Namespaces returns the namespaces that the sidecar serves.
func (o Options) Namespaces() watched.Namespaces { return o.settings().Namespaces() }

// Connection returns the options of the connection to the driver.
func (o Options) Connection() connection.Options {
	return connection.Options{
		Endpoint: o.Endpoint, DialOptions: o.DialOptions, ConnectTimeout: o.ConnectTimeout, RPCTimeout: o.RPCTimeout,
		TracerProvider: o.TracerProvider,
	}
}

// WithDefaults replaces zero values by the defaults.
func (o Options) WithDefaults() Options {
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.RetryBaseDelay = cmp.Or(o.RetryBaseDelay, DefaultRetryBaseDelay)
	o.RetryMaxDelay = cmp.Or(o.RetryMaxDelay, DefaultRetryMaxDelay)
	o.LeaseDuration = cmp.Or(o.LeaseDuration, DefaultLeaseDuration)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, DefaultRenewDeadline)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, DefaultRetryPeriod)
	o.RPCTimeout = cmp.Or(o.RPCTimeout, DefaultRPCTimeout)
	o.DriverProbeTimeout = cmp.Or(o.DriverProbeTimeout, DefaultDriverProbeTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.LeaderElectionNamespace = cmp.Or(o.LeaderElectionNamespace, cosimanager.PodNamespace())
	o.DriverGroup = cmp.Or(o.DriverGroup, cosimanager.PodNamespace())
	return o
}

// backoff returns the delays between attempts to get the driver's name.
func (o Options) backoff() wait.Backoff {
	return wait.Backoff{Duration: o.RetryBaseDelay, Factor: 2, Steps: math.MaxInt32, Cap: o.RetryMaxDelay}
}

// reconcileTimeout limits one reconcile, which makes at most two calls to the driver, with
// additional time for the API server.
func (o Options) reconcileTimeout() time.Duration { return 2*o.RPCTimeout + time.Minute }
