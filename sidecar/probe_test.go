package sidecar_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestReadinessProbe: a sidecar whose driver is away is not ready, and stays
// alive.
func TestReadinessProbe(t *testing.T) {
	w := newWorld(t)
	w.options.HealthProbeBindAddress = freeAddress(t)
	w.start()
	w.probes("/readyz", http.StatusOK)
	w.driver.Stop()
	w.probes("/readyz", http.StatusInternalServerError)
	w.probes("/healthz", http.StatusOK)
	w.driver.Serve()
	w.probes("/readyz", http.StatusOK)
}

// probes waits until a probe is answered with a status.
func (w *world) probes(path string, want int) {
	w.Helper()
	w.Eventually(func() error {
		request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "http://"+w.options.HealthProbeBindAddress+path, http.NoBody)
		w.Must(err)
		request.Close = true
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		w.Must(response.Body.Close())
		if response.StatusCode != want {
			return fmt.Errorf("%s answers %d, want %d", path, response.StatusCode, want)
		}
		return nil
	})
}
