package controlplane_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosi-emu/cosi-emu/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/emulator/controlplane/binaries"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		beVictim(dir)
	}
	goleak.VerifyTestMain(m)
}

var findBinaries = sync.OnceValues(func() (binaries.Set, error) {
	return binaries.Find(context.Background(), binaries.Options{})
})

// programs returns the control plane's programs for a test.
func programs(t testing.TB) binaries.Set {
	t.Helper()
	set, err := findBinaries()
	if err != nil {
		t.Fatalf("find the control plane's programs: %v", err)
	}
	return set
}

// testContext bounds a test.
func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// start starts a control plane that stops with the test. Programs and directory
// are filled in.
func start(t testing.TB, opts controlplane.Options) *controlplane.ControlPlane {
	t.Helper()
	opts.Binaries = programs(t)
	if opts.Dir == "" {
		opts.Dir = filepath.Join(t.TempDir(), "cp")
	}
	c, err := controlplane.Start(testContext(t), opts)
	if err != nil {
		t.Fatalf("start a control plane: %v", err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t testing.TB, c *controlplane.ControlPlane) {
	t.Helper()
	if err := c.Stop(testContext(t)); err != nil {
		t.Errorf("stop the control plane: %v", err)
	}
}

// eventually calls check every 20 ms until it returns true, for a state that
// nothing can be waited for otherwise.
func eventually(t testing.TB, what string, check func() bool) {
	t.Helper()
	ctx := testContext(t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-ctx.Done():
			t.Fatalf("timed out waiting until %s", what)
		case <-tick.C:
		}
	}
}
