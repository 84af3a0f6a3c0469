package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestProgramsFullDiskAtStart starts an emulator on a disk that is too small for etcd. The error
// has the cause instead of etcd's stack; with more space the emulator starts.
func TestProgramsFullDiskAtStart(t *testing.T) {
	t.Parallel()
	const size = 160 << 20 // etcd reserves 64 MiB for each of two files
	disk := harness.SmallDisk(t, size)
	h := newHomeWithPrograms(t)
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, size-16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"up", "-d", "--control-plane", "envtest", "--data-dir", filepath.Join(disk, "data")}
	r := h.run(args...)
	if r.code == 0 || !strings.Contains(r.err, "etcd: ") || !strings.Contains(r.err, "no space left on device") {
		t.Errorf("exit code %d; want the cause of etcd's end:\n%s", r.code, r.err)
	}
	if strings.Contains(r.err, ".go:") || strings.Contains(r.err, "goroutine") {
		t.Errorf("there is a stack in:\n%s", r.err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	h.must(args...)
	h.must("down")
	h.expectNothingLeft()
}
