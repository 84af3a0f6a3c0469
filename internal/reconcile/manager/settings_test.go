package manager

import (
	"testing"
	"time"

	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestSettings(t *testing.T) {
	const second = time.Second
	for _, tc := range []struct {
		name, reason string
		change       func(*Settings)
		valid        bool
	}{
		{"defaults", "what most people run", func(*Settings) {}, true},
		{"addresses", "of all forms", func(s *Settings) { s.Metrics.BindAddress, s.HealthProbeBindAddress = ":8080", "[::1]:0" }, true},
		{"no listeners", "the form of the flags", func(s *Settings) { s.Metrics.BindAddress, s.HealthProbeBindAddress = "0", "" }, true},
		{"no certificate", "it would be replaced by a self-signed one", func(s *Settings) {
			s.Metrics = metricsserver.Options{BindAddress: ":8443", SecureServing: true, CertDir: "missing"}
		}, false},
		{"no endpoint", "its certificate is not used", func(s *Settings) {
			s.Metrics = metricsserver.Options{SecureServing: true, CertDir: "missing"}
		}, true},
		{"plain HTTP", "it has no certificate", func(s *Settings) {
			s.Metrics = metricsserver.Options{BindAddress: ":8080", CertDir: "missing"}
		}, true},
		{"namespaces", "two that are served", func(s *Settings) { s.WatchNamespaces = []string{"team-a", "team-b"} }, true},
		{"invalid namespace", "it cannot exist", func(s *Settings) { s.WatchNamespaces = []string{"team_a"} }, false},
		{"no workers", "nothing would be done", func(s *Settings) { s.Workers = -1 }, false},
		{"no delay", "it would be a busy loop", func(s *Settings) { s.RetryBaseDelay = -second }, false},
		{"delays reversed", "the first is longer than the longest", func(s *Settings) { s.RetryBaseDelay = 2 * s.RetryMaxDelay }, false},
		{"port alone", "no address", func(s *Settings) { s.Metrics.BindAddress = "8080" }, false},
		{"port name", "no number", func(s *Settings) { s.HealthProbeBindAddress = ":http" }, false},
		{"port too large", "no such port", func(s *Settings) { s.HealthProbeBindAddress = ":65536" }, false},
		{"lease too short", "two could lead", func(s *Settings) { s.LeaseDuration = s.RenewDeadline }, false},
		{"deadline too short", "it could not be renewed", func(s *Settings) { s.RenewDeadline = s.RetryPeriod }, false},
		{"no retry period", "it would be a busy loop", func(s *Settings) { s.RetryPeriod = -second }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Settings{
				Workers: 1, RetryBaseDelay: second, RetryMaxDelay: 2 * second,
				LeaseDuration: DefaultLeaseDuration, RenewDeadline: DefaultRenewDeadline, RetryPeriod: DefaultRetryPeriod,
			}
			tc.change(&s)
			if err := s.Validate(); (err == nil) != tc.valid {
				t.Errorf("%s: Validate() = %v", tc.reason, err)
			}
		})
	}
}
