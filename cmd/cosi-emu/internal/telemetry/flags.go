// Package telemetry has the flags of commands whose spans go to a collector of OpenTelemetry, and sends them.
package telemetry

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

const (
	endpointFlag = "tracing-endpoint"
	ratioFlag    = "tracing-sampling-ratio"
)

// Flags are the flags of a command with tracing.
type Flags struct {
	endpoint string
	ratio    float64
	flags    *pflag.FlagSet
}

// Add adds the flags.
func (f *Flags) Add(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVar(&f.endpoint, endpointFlag, "",
		"OTLP/gRPC collector that receives traces: HOST:PORT without TLS, or https://HOST:PORT (default: no tracing)")
	flags.Float64Var(&f.ratio, ratioFlag, 1, "fraction of new traces that are sampled, from 0 to 1")
}

// Validate returns an error of invalid flags, before anything starts.
func (f *Flags) Validate() error {
	if f.endpoint == "" {
		if f.flags != nil && f.flags.Changed(ratioFlag) {
			return cli.Usage(fmt.Errorf("--%s requires --%s", ratioFlag, endpointFlag))
		}
		return nil
	}
	if _, err := f.target(); err != nil {
		return cli.Usage(err)
	}
	if !(f.ratio >= 0 && f.ratio <= 1) { // NaN is neither
		return cli.Usage(fmt.Errorf("--%s %v must be between 0 and 1", ratioFlag, f.ratio))
	}
	return nil
}

// target returns the URL of the collector.
func (f *Flags) target() (string, error) {
	scheme, address, hasScheme := strings.Cut(f.endpoint, "://")
	if !hasScheme {
		scheme, address = "http", f.endpoint
	}
	if err := checkAddress(address); err != nil || scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("--%s %q must have the form HOST:PORT or https://HOST:PORT, such as otel-collector.monitoring:4317%s",
			endpointFlag, f.endpoint, because(err))
	}
	return scheme + "://" + address, nil
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return "; " + err.Error()
}

func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return fmt.Errorf("the port %q is not a number from 1 to 65535", port)
	}
	if u, err := url.Parse("//" + address); host == "" || err != nil || u.Host != address {
		return errors.New("the host is invalid")
	}
	return nil
}
