package sidecar_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/health"

	"github.com/cosi-emu/cosi-emu/deploy"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestReadinessProbe: a sidecar whose driver is away is not ready, and stays
// alive.
// Design: CK-WHY-2
func TestReadinessProbe(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.HealthProbeBindAddress = harness.FreeAddress(t)
	cl.start()
	cl.probes("/readyz", http.StatusOK)
	cl.driver.Stop()
	cl.probes("/readyz", http.StatusInternalServerError)
	cl.probes("/healthz", http.StatusOK)
	cl.driver.Serve()
	cl.probes("/readyz", http.StatusOK)
}

// TestDriverProbe: the probe of the driver's container asks for the driver's health, and calls DriverGetInfo if the driver
// has no such service. The sidecar stays alive whatever the answer is.
// Design: CSI-ID-4, CSI-ID-5, CSI-ID-8, CK-DEPLOY-3, CSI-NONGOAL-3
func TestDriverProbe(t *testing.T) {
	for _, tc := range []struct {
		name, reason string
		health       bool
		change       func(cl *testCluster)
		want         int
		text         string
	}{
		{name: "without health", reason: "DriverGetInfo is answered", want: http.StatusOK, text: "ok"},
		{
			name: "without health, hangs", reason: "DriverGetInfo is not answered in time", want: http.StatusServiceUnavailable,
			text: "DriverGetInfo", change: func(cl *testCluster) { cl.driver.Hang("DriverGetInfo") },
		},
		{name: "with health", reason: "it is serving", health: true, want: http.StatusOK, text: "ok"},
		{
			name: "not serving", reason: "its health decides, although DriverGetInfo is answered", health: true,
			want: http.StatusServiceUnavailable, text: "NOT_SERVING", change: func(cl *testCluster) { cl.driver.Health.Shutdown() },
		},
		{
			name: "health hangs", reason: "it has a deadline", health: true, want: http.StatusServiceUnavailable,
			text: "DeadlineExceeded", change: func(cl *testCluster) { cl.driver.Hang("Check") },
		},
		{
			name: "stopped", reason: "nothing listens", want: http.StatusServiceUnavailable, text: "Unavailable",
			change: func(cl *testCluster) { cl.driver.Stop() },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := newTestCluster(t)
			if tc.health {
				cl.driver.Stop()
				cl.driver.Health = health.NewServer()
				cl.driver.Serve()
			}
			cl.options.HealthProbeBindAddress, cl.options.DriverProbeBindAddress = harness.FreeAddress(t), harness.FreeAddress(t)
			cl.options.DriverProbeTimeout = 200 * time.Millisecond
			cl.start()
			cl.answers(cl.options.DriverProbeBindAddress, "/healthz", http.StatusOK, "ok")
			if tc.change != nil {
				tc.change(cl)
			}
			cl.answers(cl.options.DriverProbeBindAddress, "/healthz", tc.want, tc.text)
			cl.probes("/healthz", http.StatusOK)
		})
	}
}

// TestDriverProbeAddress: an address in use is an error before the sidecar starts.
func TestDriverProbeAddress(t *testing.T) {
	cl := newTestCluster(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	cl.Must(err)
	defer listener.Close() //nolint:errcheck // nothing was sent
	cl.options.DriverProbeBindAddress = listener.Addr().String()
	if _, err := cosisidecar.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options); err == nil {
		t.Error("the sidecar accepts an address in use")
	}
}

// probes waits until a probe is answered with a status.
func (cl *testCluster) probes(path string, want int) {
	cl.Helper()
	cl.answers(cl.options.HealthProbeBindAddress, path, want, "")
}

// answers waits until an endpoint is answered with a status and a text.
func (cl *testCluster) answers(address, path string, want int, text string) {
	cl.Helper()
	cl.Eventually(func() error {
		request, err := http.NewRequestWithContext(cl.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
		cl.Must(err)
		request.Close = true
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		cl.Must(errors.Join(err, response.Body.Close()))
		if response.StatusCode != want || !strings.Contains(string(body), text) {
			return fmt.Errorf("%s answers %d, %q, want %d, %q", path, response.StatusCode, body, want, text)
		}
		return nil
	})
}
