package fakedriver_test

import (
	"testing"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestHealth: a driver of each dialect serves its health.
func TestHealth(t *testing.T) {
	for _, dialect := range dialects.All() {
		t.Run(string(dialect), func(t *testing.T) {
			conn := connect(t, fakedriver.Options{Dialect: dialect})
			answer, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
			if err != nil || answer.GetStatus() != healthv1.HealthCheckResponse_SERVING {
				t.Errorf("health %v, %v", answer, err)
			}
		})
	}
}
