package driver_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	driver "example.com/driver-author"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestConformance tests the driver in this process: `go test -run TestConformance/CB-04` is
// one check. This driver has no object storage; one that has tests the profile S3, too.
func TestConformance(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	endpoint := "unix://" + filepath.Join(t.TempDir(), "driver.sock")
	served := make(chan error, 1)
	go func() { served <- driver.New().Serve(ctx, endpoint) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	report := conformance.Run(t, conformance.Config{
		Endpoint: endpoint, Profiles: []string{"Core"}, AllowDestructive: true,
		Parameters: conformance.Parameters{Bucket: map[string]string{"tier": "standard"}, Incompatible: map[string]string{"tier": "archive"}},
	})
	expectConformant(t, report)
}

// expectConformant expects verdicts without a failure. No object store is behind this driver, so that nothing shows
// whether the keys of a revoked access have stopped working.
func expectConformant(t *testing.T, report *conformance.Report) {
	t.Helper()
	for _, v := range report.Verdicts {
		if v.Verdict != conformance.Conformant && v.Verdict != conformance.Unproved {
			t.Errorf("%s: %s", v.Profile, v.Verdict)
		}
	}
}

// TestCrashSafety tests the program: the suite starts it, ends it with SIGTERM and kill -9,
// also in the middle of calls, and searches its output for secrets.
func TestCrashSafety(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "driver")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/driver").CombinedOutput(); err != nil {
		t.Fatalf("build the driver: %v\n%s", err, out)
	}
	report := conformance.Run(t, conformance.Config{DriverCommand: []string{program}, Profiles: []string{"Crash-Safety"}})
	expectConformant(t, report)
}
