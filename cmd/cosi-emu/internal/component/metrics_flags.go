package component

import (
	"crypto/tls"

	"github.com/spf13/pflag"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// metricsFlags are the flags of the metrics endpoint, with names and meaning as in upstream's
// controller and sidecar.
type metricsFlags struct {
	server metricsserver.Options
	http2  bool
}

func (m *metricsFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&m.server.BindAddress, "metrics-bind-address", "0", "TCP address of /metrics, such as :8443; 0 disables it")
	flags.BoolVar(&m.server.SecureServing, "metrics-secure", true,
		"serve /metrics with HTTPS, to clients that the API server authenticates and authorizes; =false for plain HTTP")
	flags.StringVar(&m.server.CertDir, "metrics-cert-path", "", "directory with the certificate of /metrics (default: a self-signed one)")
	flags.StringVar(&m.server.CertName, "metrics-cert-name", "tls.crt", "file in --metrics-cert-path with the certificate")
	flags.StringVar(&m.server.KeyName, "metrics-cert-key", "tls.key", "file in --metrics-cert-path with the key")
	flags.BoolVar(&m.http2, "enable-http2", false, "serve HTTP/2 in addition to HTTP/1.1 if --metrics-secure is set")
}

// options returns the options of the endpoint once the flags have been parsed.
func (m *metricsFlags) options() metricsserver.Options {
	options := m.server
	if !options.SecureServing {
		return options
	}
	options.FilterProvider = filters.WithAuthenticationAndAuthorization
	protocols := []string{"http/1.1"}
	if m.http2 {
		protocols = []string{"h2", "http/1.1"}
	}
	options.TLSOpts = []func(*tls.Config){func(config *tls.Config) { config.NextProtos = protocols }}
	return options
}
