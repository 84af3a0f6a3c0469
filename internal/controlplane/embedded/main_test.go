package embedded_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// testContext bounds a test.
func testContext(tb testing.TB) context.Context {
	tb.Helper()
	return harness.Context(tb)
}

// start starts a control plane that stops with the test.
func start(tb testing.TB, opts controlplane.Options) *embedded.ControlPlane {
	tb.Helper()
	if opts.Dir == "" {
		opts.Dir = filepath.Join(tb.TempDir(), "cp")
	}
	c, err := embedded.Start(testContext(tb), opts)
	if err != nil {
		tb.Fatalf("start a control plane: %v", err)
	}
	tb.Cleanup(func() { stop(tb, c) })
	return c
}

func stop(tb testing.TB, c *embedded.ControlPlane) {
	tb.Helper()
	if err := c.Stop(testContext(tb)); err != nil {
		tb.Errorf("stop the control plane: %v", err)
	}
}
