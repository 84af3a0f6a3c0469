package conformance_test

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// myDriver serves a driver, and returns its endpoint.
func myDriver(t *testing.T) string {
	t.Helper()
	return drivertest.ServeWithStore(t, "my.example.com",
		func(b fakedriver.Backend) fakedriver.Backend { return b }, func(*http.Request) {})
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Config{
		Endpoint: myDriver(t), // such as unix:///path/to/driver.sock
		Profiles: []string{"Core", "S3"},
	})
}
