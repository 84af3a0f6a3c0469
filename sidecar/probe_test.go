package sidecar_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestReadinessProbe: a sidecar whose driver is away is not ready, and stays
// alive.
func TestReadinessProbe(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.HealthProbeBindAddress = freeAddress(t)
	cl.start()
	cl.probes("/readyz", http.StatusOK)
	cl.driver.Stop()
	cl.probes("/readyz", http.StatusInternalServerError)
	cl.probes("/healthz", http.StatusOK)
	cl.driver.Serve()
	cl.probes("/readyz", http.StatusOK)
}

// probes waits until a probe is answered with a status.
func (cl *testCluster) probes(path string, want int) {
	cl.Helper()
	cl.Eventually(func() error {
		request, err := http.NewRequestWithContext(cl.Context(), http.MethodGet, "http://"+cl.options.HealthProbeBindAddress+path, http.NoBody)
		cl.Must(err)
		request.Close = true
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		cl.Must(response.Body.Close())
		if response.StatusCode != want {
			return fmt.Errorf("%s answers %d, want %d", path, response.StatusCode, want)
		}
		return nil
	})
}
