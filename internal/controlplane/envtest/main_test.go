//go:build unix

package envtest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		beVictim(dir)
	}
	leaks.Main(m)
}

func testContext(tb testing.TB) context.Context {
	tb.Helper()
	return harness.Context(tb)
}

// start starts a control plane that stops with the test. It sets programs and directory.
func start(tb testing.TB, opts controlplane.Options) *envtest.ControlPlane {
	tb.Helper()
	opts.Binaries = binariestest.Find(tb)
	if opts.Dir == "" {
		opts.Dir = filepath.Join(tb.TempDir(), "cp")
	}
	c, err := envtest.Start(testContext(tb), opts)
	if err != nil {
		tb.Fatalf("start a control plane: %v", err)
	}
	tb.Cleanup(func() { stop(tb, c) })
	return c
}

func stop(tb testing.TB, c *envtest.ControlPlane) {
	tb.Helper()
	if err := c.Stop(testContext(tb)); err != nil {
		tb.Errorf("stop the control plane: %v", err)
	}
}
