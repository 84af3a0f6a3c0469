package manager

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Defaults of leader election. They are shorter than the defaults of Kubernetes' own components, so
// that another instance takes over within 2 s of a clean stop and within 12 s of a crash.
const (
	DefaultLeaseDuration = 10 * time.Second
	DefaultRenewDeadline = 7 * time.Second
	DefaultRetryPeriod   = time.Second
)

// Settings are the options of all components.
type Settings struct {
	Logger                                          logr.Logger
	WatchNamespaces                                 []string
	Workers                                         int
	RetryBaseDelay, RetryMaxDelay, ReconcileTimeout time.Duration
	Metrics                                         metricsserver.Options
	HealthProbeBindAddress                          string
	LeaderElection                                  bool
	LeaderElectionNamespace                         string
	LeaseDuration, RenewDeadline, RetryPeriod       time.Duration
}

// Options returns the options of a manager whose instances elect a leader by a
// Lease.
func (s Settings) Options(scheme *runtime.Scheme, lease string) manager.Options {
	options := manager.Options{
		Scheme:                  scheme,
		Logger:                  s.Logger,
		Metrics:                 s.Metrics,
		HealthProbeBindAddress:  s.HealthProbeBindAddress,
		LeaderElection:          s.LeaderElection,
		LeaderElectionID:        lease,
		LeaderElectionNamespace: s.LeaderElectionNamespace,
		LeaseDuration:           &s.LeaseDuration,
		RenewDeadline:           &s.RenewDeadline,
		RetryPeriod:             &s.RetryPeriod,
		Controller: config.Controller{
			MaxConcurrentReconciles: s.Workers,
			ReconciliationTimeout:   s.ReconcileTimeout,
		},
	}
	s.Namespaces().Limit(&options.Cache)
	return options
}

// Namespaces returns the namespaces that the component serves.
func (s Settings) Namespaces() watched.Namespaces { return watched.New(s.WatchNamespaces) }

// Validate returns all errors of the settings, before the component connects to
// anything.
func (s Settings) Validate() error {
	var errs []error
	if s.Workers < 1 {
		errs = append(errs, fmt.Errorf("the number of workers, %d, must be at least 1", s.Workers))
	}
	if s.RetryBaseDelay <= 0 || s.RetryMaxDelay < s.RetryBaseDelay {
		errs = append(errs, fmt.Errorf("the base retry delay, %s, must be positive and at most the maximum retry delay, %s",
			s.RetryBaseDelay, s.RetryMaxDelay))
	}
	return errors.Join(append(errs, watched.Validate(s.WatchNamespaces), s.validateElection(),
		ValidateAddress("metrics", s.Metrics.BindAddress), s.validateCertificate(), ValidateAddress("health probe", s.HealthProbeBindAddress))...)
}

// validateElection has the rules of client-go, which checks them only later.
func (s Settings) validateElection() error {
	soonest := time.Duration(leaderelection.JitterFactor * float64(s.RetryPeriod))
	if s.RetryPeriod > 0 && s.RenewDeadline > soonest && s.LeaseDuration > s.RenewDeadline {
		return nil
	}
	return fmt.Errorf("the lease duration, %s, must be longer than the renew deadline, %s, which must be longer than %.1f retry periods of %s",
		s.LeaseDuration, s.RenewDeadline, leaderelection.JitterFactor, s.RetryPeriod)
}

// validateCertificate reads the certificate of the metrics endpoint, because controller-runtime
// replaces a missing one by a self-signed one.
func (s Settings) validateCertificate() error {
	m := s.Metrics
	if !m.SecureServing || m.CertDir == "" || m.BindAddress == "" || m.BindAddress == disabled {
		return nil
	}
	certificate := filepath.Join(m.CertDir, cmp.Or(m.CertName, "tls.crt"))
	key := filepath.Join(m.CertDir, cmp.Or(m.KeyName, "tls.key"))
	if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
		return fmt.Errorf("the certificate of the metrics endpoint, %s, and its key, %s, cannot be used: %w", certificate, key, err)
	}
	return nil
}

// ValidateAddress checks the address of an endpoint, which an empty one and "0" disable. The error names the endpoint.
func ValidateAddress(what, address string) error {
	if address == "" || address == disabled {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("the %s bind address %q must have the form host:port, like :8080, or be 0 for none", what, address)
	}
	return nil
}
